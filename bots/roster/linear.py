"""A search of a few plies over a linear evaluation, in any game that has one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cornered.bots.bot import Bot, Limit, Setting, SettingValue, Thought
from cornered.bots.evaluate import Evaluator, evaluator
from cornered.bots.textbook.deepening import search
from cornered.bots.weights.model import Values, model, modelled
from cornered.bots.weights.setting import resolve, weights_setting
from cornered.engine import Game, State

__all__ = ["BOT", "LinearBot"]

EVALUATION_MAX: Final = 999.0
"""Bound on any evaluation."""


class LinearBot(Bot):
    name = "linear"
    description = "Weighs what it sees by numbers that can be tuned."
    games = modelled()
    SETTINGS = (Setting("depth", "Plies to look ahead", 2, 1, 20), weights_setting(None))

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._values: dict[str, Values] = {}
        """The weights for each game that was played."""

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        if isinstance(game, str):
            return game in cls.games
        return game.name in cls.games and game.seats == 2

    def check(self, game: Game) -> None:
        resolve(self.settings["weights"], game.name)

    def choose(self, state: State, limit: Limit) -> Thought:
        name = state.game.name
        if name not in self._values:
            self._values[name] = resolve(self.settings["weights"], name)
        known, values = model(name), self._values[name]

        def evaluate(after: State, seat: int) -> float:
            return max(-EVALUATION_MAX, min(EVALUATION_MAX, known.evaluate(after, seat, values)))

        depth = int(self.settings["depth"])
        within = replace(limit, depth=min(depth, limit.depth or depth))
        return search(state, within, Evaluator(evaluate, evaluator(name).candidates), self.chance)


BOT = LinearBot
