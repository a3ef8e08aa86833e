"""Following, blocking and notifications of players. Pure."""
