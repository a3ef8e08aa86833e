"""Compilation by numba: kernels, their cache on disk with its marks, and the process that compiles before play."""
