"""Searches as textbooks print them, in plain Python over `State`: to read, to play with, and to check the compiled one."""
