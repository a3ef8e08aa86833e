"""What a bot's owner reads about it: its games and requests, from their events, and its incidents. Pure."""
