"""Simulated players, watchers and idle connections against servers by their addresses: `cornered bench load`."""
