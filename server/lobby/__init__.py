"""The lobby: who is here, open seeks and challenges, and what is told of them. Pure."""
