"""Any legal move is as good as another."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, SettingValue, Thought
from cornered.bots.playout.choice import chosen
from cornered.engine import State

__all__ = ["BOT", "RandomBot"]


class RandomBot(Bot):
    name = "random"
    description = "Plays any legal move. Good for a first win."

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._seed = self.chance.getrandbits(62) if seed is None else seed
        self._choices = 0

    def choose(self, state: State, limit: Limit) -> Thought:
        moves = state.moves()
        self._choices += 1
        move = moves[int(chosen(self._seed, self._choices, len(moves)))]
        return Thought(move, nodes=1, pv=(move,))


BOT = RandomBot
