"""The terminal client, and the boards that it and the command line draw."""
