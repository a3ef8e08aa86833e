"""Searches as textbooks print them, in plain Python over `State`: to read, to play with, to check the compiled one.

Read them in this order; the bots in brackets play by them.

- `minimax.py`: every line to the end, or to a depth (`textbook-minimax`)
- `alphabeta.py`: the same value from fewer positions (`textbook-alphabeta`)
- `ordered.py`: fewer still, good moves first (`textbook-sorted`)
- `deepening.py`: deeper and deeper, a move ready at any time (`minimax`, `greedy`)
- `maxn.py`, `korf.py`: three or four players, each for itself, and what can be pruned then (`maxn`)
- `expectiminimax.py`, `star1.py`: dice, and what can be pruned through them (`expectiminimax`)
- `mcts.py`: no evaluation at all, but random games (`mcts`)

What they share: `search.py` counts and limits, `root.py` keeps the best move so far, `shares.py` and `utilities.py` put
values between known bounds, `fixed.py` is a player of fixed depth. `figures.py` counts what the references claim.
"""
