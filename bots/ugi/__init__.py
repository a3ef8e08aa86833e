"""The Universal Game Interface, docs/engines.md: other programs as bots, and bots as engines of other programs."""
