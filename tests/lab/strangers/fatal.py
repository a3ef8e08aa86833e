"""Ends its process at its third move, or at once when it is asked to prepare."""

from __future__ import annotations

import os
import signal

from cornered.bots.bot import Bot, Limit, Setting, SettingValue, Thought
from cornered.engine import Game, State

__all__ = ["BOT", "FatalBot"]


class FatalBot(Bot):
    name = "fatal"
    description = "For tests."
    SETTINGS = (Setting("when", "when it dies", "moving", choices=("moving", "preparing")),)

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._moves = 0

    def prepare(self, game: Game) -> None:
        if self.settings["when"] == "preparing":
            os._exit(7)

    def choose(self, state: State, limit: Limit) -> Thought:
        self._moves += 1
        if self._moves == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        return Thought(state.moves()[0])


BOT = FatalBot
