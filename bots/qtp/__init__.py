"""The Quoridor Text Protocol, docs/engines.md: Quoridor programs as bots, and bots as Quoridor programs."""
