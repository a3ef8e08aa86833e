"""Compiled set operations on boards: words of bits, grids, slides, mazes, walls and hexagons."""
