"""Training of the networks in `cornered.bots.neural`."""
