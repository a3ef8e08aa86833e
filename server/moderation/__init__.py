"""Order on the server: reports, bans and mutes as a log of events. Pure."""
