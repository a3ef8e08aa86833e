"""Worker processes for searches: the pool, its scheduler and supervisor, and what a process loads first."""
