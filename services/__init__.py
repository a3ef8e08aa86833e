"""PostgreSQL and Mosquitto of one's own, for a cluster on one machine, for measurements and for tests."""
