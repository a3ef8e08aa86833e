"""The compiled search: written once, specialised for each game by numba."""
