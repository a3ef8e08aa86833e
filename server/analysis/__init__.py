"""The queue of positions that bots analyse for players. Pure."""
