"""Random input that knows the protocol's structure, against a real server process: `cornered bench fuzz`."""
