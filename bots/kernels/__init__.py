"""Compiled templates: one source file, executed once a game with that game's kernels as its globals."""
