"""Bots of the roster as opponents in environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from cornered.bots.bot import Bot, Limit
from cornered.bots.roster import create
from cornered.engine import Game
from cornered.lab.environments.board import Board

__all__ = ["BotOpponent", "Opponent", "bot"]

Opponent: TypeAlias = Callable[[Board], int]
"""Returns an action that is legal on a board, which it leaves as it is."""


def bot(word: str, game: Game, *, seed: int | None = None) -> Bot:
    """Return a bot of the roster, such as `level-3` or `mcts:playouts=200`, ready to `choose` in a game's positions.

    Raises ValueError for an unknown bot or setting, and for a game that it does not play.
    """
    made = create(word, seed)
    if not made.plays(game):
        raise ValueError(f"{word} does not play {game!r}")
    made.check(game)
    made.prepare(game)
    return made


@dataclass
class BotOpponent:
    """A bot that thinks so many milliseconds at most for each move. A copy goes on by itself, with its own chance."""

    bot: Bot
    milliseconds: int

    def __call__(self, board: Board) -> int:
        limit = Limit(time=self.milliseconds)
        return board.encoding.action(self.bot.choose(board.state, limit).move)
