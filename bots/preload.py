"""What every worker needs, loaded once: the fork server imports this before it forks the first of them.

This is the one module whose import is its work. A worker forked afterwards is ready in milliseconds.
"""

import bots.evaluate
import bots.roster
import engine
from engine.warming import warm

bots.roster.bots()
for game in engine.games():
    bots.evaluate.judgement(game.name)
warm()
