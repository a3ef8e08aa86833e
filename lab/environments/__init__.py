"""Games as environments for programs that learn: one game, many at once, and the interfaces of other libraries."""
