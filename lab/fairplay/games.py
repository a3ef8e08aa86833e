"""Finished games as they are compared: who moved, what, and after how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cornered import engine
from cornered.engine import Game, State
from cornered.protocol.events import MatchEvent, Played, Rolled, Started, TakenBack
from cornered.protocol.values import Player

__all__ = ["FinishedGame", "TimedMove", "game_of"]


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A ply of a game: its seat, None for a roll, and the milliseconds that it took."""

    seat: int | None
    move: str
    spent: int = 0


@dataclass(frozen=True)
class FinishedGame:
    """A finished game: its players by seat, with the ratings with which they began."""

    match: str
    game: Game
    players: tuple[Player, ...]
    ratings: tuple[int, ...]
    moves: tuple[TimedMove, ...]

    @cached_property
    def states(self) -> Sequence[State]:
        """The position before each move. Raises a ValueError where a move is illegal."""
        states = [self.game.start()]
        for move in self.moves[:-1]:
            states.append(engine.apply(states[-1], move.move))
        return states


def game_of(events: Sequence[MatchEvent]) -> FinishedGame:
    """Return the game of a match's events; what was taken back is not in it. Raises a ValueError for no match."""
    started, *rest = events
    if not isinstance(started, Started):
        raise ValueError("a match begins with its start")
    moves: list[TimedMove] = []
    for event in rest:
        if isinstance(event, Played):
            moves.append(TimedMove(event.seat, event.move, event.spent))
        elif isinstance(event, Rolled):
            moves.append(TimedMove(None, event.move))
        elif isinstance(event, TakenBack):
            del moves[event.ply :]
    game = engine.load(started.game.name, **started.game.options)
    ratings = tuple(one.rating for one in started.ratings)
    return FinishedGame(started.match, game, started.players, ratings, tuple(moves))
