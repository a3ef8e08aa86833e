"""What every worker needs, loaded once: the fork server imports this before it forks the first of them.

This is the one module whose import is its work. A worker forked afterwards is ready in milliseconds. What is not
compiled yet is left out: it is compiled elsewhere, and each worker loads it when it is there.
"""

import os
from typing import Final

from cornered import engine
from cornered.bots import roster
from cornered.bots.pool import worker_main
from cornered.bots.pool.warming import PRELOAD, Preparation, exercise, is_warm
from cornered.bots.pool.worker_process import pass_for_main
from cornered.bots.search import memory
from cornered.engine.warming import is_warm as has_rules
from cornered.engine.warming import warm

LOADED: Final = (memory, roster, worker_main)
"""Modules that workers need later, named here so that their import is seen to be wanted."""

pass_for_main()
for game in engine.games():
    if has_rules(game.name):
        warm(game.name)
        for spec in os.environ.get(PRELOAD, "").split():
            wanted = Preparation(spec, game.name)
            if roster.create(spec).plays(game.name) and is_warm(wanted):
                exercise(wanted)
