"""Never moves."""

from __future__ import annotations

import time

from cornered.bots.bot import Bot, Limit, Thought
from cornered.engine import State

__all__ = ["BOT", "HangingBot"]


class HangingBot(Bot):
    name = "hanging"
    description = "For tests."

    def choose(self, state: State, limit: Limit) -> Thought:
        while True:
            time.sleep(1)


BOT = HangingBot
