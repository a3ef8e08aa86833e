"""Never moves."""

from __future__ import annotations

import threading

from cornered.bots.bot import Bot, Limit, Thought
from cornered.engine import State

__all__ = ["BOT", "HangingBot"]


class HangingBot(Bot):
    name = "hanging"
    description = "For tests."

    def choose(self, state: State, limit: Limit) -> Thought:
        threading.Event().wait()
        raise AssertionError("nothing sets the event")


BOT = HangingBot
