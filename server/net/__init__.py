"""What meets the network: connections, sessions and HTTP, with their limits."""
