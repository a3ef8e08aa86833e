"""Loads what the worker processes of an author's bot need: the fork server imports this before it forks the first."""

from typing import Final

from cornered import engine
from cornered.clients.sdk import worker_main
from cornered.clients.sdk.worker_process import pass_for_main

WORKER_MODULES: Final = (worker_main,)
"""Modules that workers need later, named here so that their import is seen to be wanted."""

pass_for_main()
engine.games()
