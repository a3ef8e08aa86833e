"""What a score proves: intervals, Elo, sequential tests, ratings. Each formula once, with its source."""
