"""The command line: one module a group of commands. Only here do server, bots, lab and clients meet."""
