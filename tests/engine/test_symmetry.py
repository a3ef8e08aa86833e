"""Rotated and mirrored positions have rotated and mirrored moves. `SYMMETRIES` has the symmetries of each game's
boards; a game without an entry is not tested here."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from cornered import engine
from cornered.engine import Game, OptionValue, State
from cornered.engine.text import FILES, PositionText, square_name

Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Symmetry:
    """The image of each cell, by name, and of each seat."""

    name: str
    cells: Mapping[str, str]
    seats: tuple[int, ...]

    def move(self, move: str) -> str:
        if move in self.cells:
            return self.cells[move]
        wall = re.fullmatch(r"([a-z])(\d+)([hv])", move)
        return self.wall(*wall.groups()) if wall else move

    def wall(self, file: str, rank: str, lies: str) -> str:
        """Return the image of a wall: of its four cells, with its direction swapped when its lower two no longer share
        a rank."""
        next_file, next_rank = FILES[FILES.index(file) + 1], int(rank) + 1
        corners = [self.cells[f"{f}{r}"] for f, r in ((file, rank), (next_file, rank), (file, next_rank))]
        corners.append(self.cells[f"{next_file}{next_rank}"])
        turned = corners[0][1:] != corners[1][1:]
        return min(corners) + ("hv"["hv".index(lies) ^ turned])

    def text(self, state: State) -> str:
        parts = PositionText.parse(str(state))
        names = {parts.name(row, column): c for row, line in enumerate(parts.rows) for column, c in enumerate(line)}
        turned = {self.cells[name]: self.seat(c) for name, c in names.items()}
        rows = tuple(
            "".join(turned[parts.name(row, column)] for column in range(len(line)))
            for row, line in enumerate(parts.rows)
        )
        facts = {name: self.fact(name, value) for name, value in parts.facts.items()}
        return str(PositionText(rows, self.seat(parts.turn), facts))

    def seat(self, character: str) -> str:
        return str(self.seats[int(character)]) if character.isdigit() else character

    def fact(self, name: str, value: str) -> str:
        match name:
            case "walls":
                return ",".join(self.move(wall) for wall in value.split(","))
            case "left":
                stocks = value.split(",")
                return ",".join(stocks[self.seats.index(seat)] for seat in range(len(stocks)))
            case "out":
                return ",".join(self.seat(seat) for seat in value.split(","))
            case "mover":
                return self.seat(value)
            case _:
                return value


def square(name: str, width: int, height: int, to: Callable[[int, int], Cell], seats: tuple[int, ...]) -> Symmetry:
    cells = {square_name(f, r): square_name(*to(f, r)) for f in range(width) for r in range(height)}
    return Symmetry(name, cells, seats)


def trapgrid(game: Game) -> Iterator[Symmetry]:
    last = int(game.options["size"] or 0) - 1
    yield square("half turn", last + 1, last + 1, lambda f, r: (last - f, last - r), (1, 0))
    yield square("over the diagonal", last + 1, last + 1, lambda f, r: (last - r, last - f), (0, 1))


def isolation(game: Game) -> Iterator[Symmetry]:
    width, height = int(game.options["width"] or 0), int(game.options["height"] or 0)
    seats = tuple(range(game.seats))
    yield square("left-right", width, height, lambda f, r: (width - 1 - f, r), seats)
    yield square("up-down", width, height, lambda f, r: (f, height - 1 - r), seats)
    if width == height:
        yield square("transposed", width, height, lambda f, r: (r, f), seats)
    renamed = (*seats[1:], seats[0])
    yield square("seats renamed", width, height, lambda f, r: (f, r), renamed)


def quoridor(game: Game) -> Iterator[Symmetry]:
    size = int(game.options["size"] or 0)
    if game.seats == 2:
        yield square("left-right", size, size, lambda f, r: (size - 1 - f, r), (0, 1))
        yield square("half turn", size, size, lambda f, r: (size - 1 - f, size - 1 - r), (1, 0))
    else:
        yield square("quarter turn", size, size, lambda f, r: (r, size - 1 - f), (1, 2, 3, 0))


def bamboo(game: Game) -> Iterator[Symmetry]:
    radius = int(game.options["radius"] or 0)

    def name(x: int, z: int) -> str:
        return f"{FILES[radius - z]}{x - max(-radius, -radius - z) + 1}"

    span = range(-radius, radius + 1)
    board = [(x, -x - z, z) for x in span for z in span if abs(x + z) <= radius]
    yield Symmetry("sixth turn", {name(x, z): name(-z, -y) for x, y, z in board}, (0, 1))
    yield Symmetry("mirrored", {name(x, z): name(y, z) for x, y, z in board}, (0, 1))


SYMMETRIES: Mapping[str, Callable[[Game], Iterator[Symmetry]]] = {
    "trapgrid": trapgrid,
    "isolation": isolation,
    "quoridor": quoridor,
    "bamboo": bamboo,
}

BOARDS: list[tuple[str, Mapping[str, OptionValue]]] = [
    ("trapgrid", {"size": 4}),
    ("trapgrid", {}),
    ("trapgrid", {"size": 8}),
    ("isolation", {}),
    ("isolation", {"width": 8, "height": 8, "dice": True}),
    ("isolation", {"width": 8, "height": 3, "players": 3}),
    ("isolation", {"width": 5, "height": 6, "players": 4, "dice": True}),
    ("bamboo", {"radius": 2}),
    ("bamboo", {"radius": 5}),
    ("bamboo", {"radius": 6}),
    ("quoridor", {"size": 3}),
    ("quoridor", {}),
    ("quoridor", {"size": 5, "players": 4}),
    ("quoridor", {"size": 9, "players": 4}),
]
CASES = [
    pytest.param(game, symmetry, id=f"{game}-{symmetry.name}")
    for name, options in BOARDS
    for game in [engine.load(name, **options)]
    for symmetry in SYMMETRIES[name](game)
]


@pytest.mark.parametrize(("game", "symmetry"), CASES)
def test_a_turned_position_has_the_turned_moves(game: Game, symmetry: Symmetry) -> None:
    rng = random.Random(7)
    state = game.start()
    for _ in range(60):
        turned = game.parse(symmetry.text(state))
        assert {symmetry.move(move) for move in state.moves()} == set(turned.moves())
        if state.outcome is not None:
            assert turned.outcome is not None
            assert [turned.outcome.places[seat] for seat in symmetry.seats] == list(state.outcome.places)
            break
        assert turned.to_move == (symmetry.seats[state.to_move] if state.to_move >= 0 else state.to_move)
        assert turned.perft(2) == state.perft(2)
        state = state.play(rng.choice(state.moves()))
