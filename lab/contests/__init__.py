"""Matches and tournaments between bots: setting, schedule, games, journal, standings."""
