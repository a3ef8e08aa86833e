"""Fair play: how a player's moves compare with the champion's, for people to judge."""
