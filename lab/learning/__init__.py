"""Learns the networks of `cornered.bots.nnue`: self-play, training, a match against the last one, by generations."""
