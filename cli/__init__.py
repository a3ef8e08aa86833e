"""The command line, one module for each group of commands. Only here do server, bots, lab and clients meet."""
