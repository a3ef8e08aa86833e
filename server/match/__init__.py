"""One match: what may happen in it, its state, and its messages. Pure."""
