"""Bamboo's geometry and the methods of the Bamboo paper, shared by its players."""
