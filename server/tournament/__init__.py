"""Tournaments, pure: commands, results and time become events, and events become state."""
