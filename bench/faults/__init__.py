"""Runs server processes under faults of networks, processes, disks and clocks, and checks the clients' logs."""
