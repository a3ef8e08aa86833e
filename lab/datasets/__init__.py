"""The data set `cornered-games`: positions of games between bots, with evaluations, as Parquet."""
