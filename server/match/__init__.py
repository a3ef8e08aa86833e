"""One match: what may happen in it, what is true now, and what is told of it. Pure."""
