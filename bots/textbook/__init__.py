"""Textbook searches in plain Python over `State`: to read, to play with, to check the compiled search.

Read them in this order; the bots in brackets play by them.

- `minimax.py`: minimax, to the end or to a depth (`textbook-minimax`)
- `alphabeta.py`: alpha-beta pruning (`textbook-alphabeta`)
- `ordered.py`: alpha-beta with move ordering (`textbook-sorted`)
- `quiescence.py`: alpha-beta that searches volatile positions further (the experiment `notes-quiescence`)
- `deepening.py`: iterative deepening, paranoid for several opponents (`minimax`, `greedy`)
- `maxn.py`, `korf.py`: max^n for three or four players, and shallow pruning (`maxn`)
- `expectiminimax.py`, `star1.py`: chance nodes, and Star1 pruning (`expectiminimax`)
- `assumed.py`: an assumed roll in place of the mean (`expectiminimax:rolls=middle`)
- `mcts.py`: Monte Carlo tree search with UCT (`mcts`)

Shared: `search.py` counts and limits, `root.py` deepens at the root, `shares.py` and `utilities.py` put
values between known bounds, `fixed.py` is a player of fixed depth. `figures.py` counts what the references claim.
`trace.py` is what a search tells of its steps, and `recording.py` writes them down for the page's thinking room.
"""
