"""Structure-aware random input against a real server process: `cornered bench fuzz`."""
