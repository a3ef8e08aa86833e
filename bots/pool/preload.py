"""Loads what every worker needs: the fork server imports this before it forks the first worker.

This is the one module whose import is its work. A worker forked afterwards is ready in milliseconds. What is not
compiled yet is left out: another process compiles it, and each worker loads it then.
"""

import os
from typing import Final

from cornered import engine
from cornered.bots import roster
from cornered.bots.pool import worker_main
from cornered.bots.pool.warming import PRELOAD, Preparation, exercise, is_warm
from cornered.bots.search import memory
from cornered.clients.sdk.worker_process import pass_for_main
from cornered.engine import warming

WORKER_MODULES: Final = (memory, roster, worker_main)
"""Modules that workers need later, named here so that their import is seen to be wanted."""

pass_for_main()
for game in engine.games():
    if warming.is_warm(game.name):
        warming.warm(game.name)
        for spec in os.environ.get(PRELOAD, "").split():
            wanted = Preparation(spec, game.name)
            if roster.create(spec).plays(game.name) and is_warm(wanted):
                exercise(wanted)
