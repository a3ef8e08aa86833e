"""Lessons and the rules in pictures, as the page shows them: written here, proven and completed by the solvers."""
