"""Games of a data set: teachers play, and every position is kept with what its mover thought."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from cornered.bots.bot import Thought
from cornered.engine import CHANCE, State
from cornered.engine.encoding import encoding
from cornered.lab.contests import arena
from cornered.lab.contests.terms import PlayedGame
from cornered.lab.datasets.plan import DatasetPlan, unit_of
from cornered.lab.execution.processes import Death

__all__ = ["GameRows", "lost_rows", "play_rows", "result_of"]

NODES_MAX: Final = 2**63 - 1
SHORT_MAX: Final = 2**15 - 1


@dataclass(frozen=True, slots=True)
class GameRows:
    """The rows of one game. `columns` have a value for each position before a move; `whole` has the columns with one
    value for the game."""

    number: int
    columns: dict[str, list[Any]]
    whole: dict[str, Any]

    def __len__(self) -> int:
        return len(self.columns["ply"])


def play_rows(plan: DatasetPlan, number: int) -> GameRows:
    """Play a game of a plan and return its rows. A bot that fails ends its game and not the work."""
    fixture = plan.fixture(number)
    chance = plan.terms.chance("explore", number)
    thoughts: list[Thought] = []

    def steer(state: State, thought: Thought) -> str:
        thoughts.append(thought)
        return chance.choice(state.moves()) if chance.random() < plan.explore else thought.move

    return _rows(plan, arena.play(plan.terms, fixture, steer), thoughts)


def lost_rows(plan: DatasetPlan, number: int, death: Death) -> GameRows:
    """Return the rows of a game whose process dies every time it is played: those of the moves that are known."""
    return _rows(plan, arena.lost(plan.terms, plan.fixture(number), death), [])


def result_of(places: tuple[int, ...], seat: int) -> float:
    """Return a seat's result from -1, last, to 1, first: the mean over the others of 1 for one that it beat, 0 for one
    that shares its place, -1 for one that beat it."""
    others = [place for other, place in enumerate(places) if other != seat]
    return sum((place > places[seat]) - (place < places[seat]) for place in others) / len(others)


def _rows(plan: DatasetPlan, played: PlayedGame, thoughts: list[Thought]) -> GameRows:
    game = plan.terms.load()
    actions = encoding(game).move_numbers
    numbers = {move: action for action, move in enumerate(actions)}
    opening, told = len(played.fixture.opening), iter(thoughts)
    rows: list[tuple[Any, ...]] = []
    state = game.start()
    for ply, move in enumerate(played.moves):
        seat = state.to_move
        known = (ply, str(state), None if seat == CHANCE else seat, move, numbers[move])
        thought = None if seat == CHANCE or ply < opening else next(told, None)
        if thought is None:
            source = "dice" if seat == CHANCE else "opening" if ply < opening else None
            rows.append((*known, source, *[None] * 8))
        else:
            word = played.fixture.players[seat]
            rows.append((*known, "bot" if move == thought.move else "explored", *_thought(word, thought)))
        state = state.play(move)
    places = state.outcome.places if played.ending == "rules" and state.outcome is not None else None
    columns: dict[str, list[Any]] = {name: [row[at] for row in rows] for at, name in enumerate(ROW_COLUMNS)}
    columns["result"] = [
        None if places is None or seat is None else result_of(places, seat) for seat in columns["seat"]
    ]
    whole = {
        "game": game.name,
        "options": json.dumps(dict(game.options), sort_keys=True),
        "seed": plan.terms.seed,
        "number": played.fixture.number,
        "players": list(played.fixture.players),
        "plies": len(played.moves),
        "ending": played.ending,
        "places": None if places is None else list(places),
    }
    return GameRows(played.fixture.number, columns, whole)


ROW_COLUMNS: Final = (
    "ply",
    "position",
    "seat",
    "move",
    "action",
    "source",
    "bot",
    "chosen",
    "evaluation",
    "evaluation_unit",
    "depth",
    "nodes",
    "proven",
    "distance",
)


def _thought(word: str, thought: Thought) -> tuple[Any, ...]:
    """Return what a bot thought. Authors' bots may say anything: what does not fit the column is left out."""
    score = thought.score if isinstance(thought.score, int | float) else None
    return (
        word,
        thought.move,
        score,
        None if score is None else _unit(word),
        _number(thought.depth, SHORT_MAX),
        _number(thought.nodes, NODES_MAX),
        thought.proven if thought.proven in ("win", "draw", "loss") else None,
        _number(thought.plies, SHORT_MAX),
    )


def _number(value: object, most: int) -> int | None:
    return min(value, most) if isinstance(value, int) and value >= 0 else None


@cache
def _unit(word: str) -> str:
    return unit_of(word)
