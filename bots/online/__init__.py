"""Bots as clients of a server: the runner, the host of many bots, pondering, exhibition games, analysis."""
