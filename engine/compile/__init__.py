"""The way to numba: compiled kernels, their cache on disk, and what is compiled before play."""
