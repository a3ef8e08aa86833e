"""Bamboo: put stones on a hexagon; no group of yours may have more stones than you have groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Self

from cornered.engine.compile.arrays import empty, int64
from cornered.engine.duel import Duel, read_turn
from cornered.engine.game import Ending, Game, Option
from cornered.engine.kernels.hexagon import (
    MAX_MOVES,
    STRIDE,
    WORD,
    WORD_MASK,
    Position,
    Three,
    advance,
    gen,
    group_at,
    lost,
    perft,
    placements,
)
from cornered.engine.text import FILES, PositionText

__all__ = ["GAME", "MAX_MOVES", "Bamboo", "BambooState", "Position", "advance", "gen", "lost", "perft"]

CHARACTERS: Final = str.maketrans("012", ".01")


@cache
def cell_numbers(radius: int) -> dict[str, int]:
    """Return the number of each cell by its name, from the bottom row up."""
    return {
        f"{FILES[row]}{index + 1}": STRIDE * row + max(0, row - radius) + index
        for row in range(2 * radius + 1)
        for index in range(2 * radius + 1 - abs(row - radius))
    }


@cache
def cell_names(radius: int) -> dict[int, str]:
    """Return the name of each cell by its number."""
    return {number: name for name, number in cell_numbers(radius).items()}


@cache
def row_slices(radius: int) -> tuple[slice, ...]:
    """Return where each row's cells lie among all numbers, from the top row down."""
    numbers = cell_numbers(radius)
    widths = [2 * radius + 1 - abs(row - radius) for row in range(2 * radius, -1, -1)]
    starts = [numbers[f"{FILES[row]}1"] for row in range(2 * radius, -1, -1)]
    return tuple(slice(start, start + width) for start, width in zip(starts, widths, strict=True))


def words(cells: int) -> Three:
    """Return a set of cells, bit by number, as kernels take it."""
    return cells & WORD_MASK, cells >> WORD & WORD_MASK, cells >> 2 * WORD


def whole(cells: Three) -> int:
    """Return a set of cells that a kernel gave back as one number; the inverse of `words`."""
    a, b, c = cells
    return a | b << WORD | c << 2 * WORD


def groups(stones: int) -> Iterator[int]:
    """Iterate over the groups of one colour, from the bottom row up."""
    rest = stones
    while rest:
        group = whole(group_at(words(rest & -rest), words(stones)))
        yield group
        rest ^= group


def sizes(stones: int) -> list[int]:
    """Return how many stones each group of one colour has."""
    return [group.bit_count() for group in groups(stones)]


@dataclass(frozen=True, slots=True, eq=False)
class BambooState(Duel):
    """A Bamboo position. `open_cells` is `placements(position)`, worked out once; `left` is the seat that gave up."""

    game: Bamboo
    position: Position

    def moves(self) -> list[str]:
        if self.outcome is not None:
            return []
        buffer = empty(MAX_MOVES, int64)
        count = gen(self.position, buffer)
        names = cell_names(self.game.radius)
        return [names[number] for number in buffer[:count].tolist()]

    def is_legal(self, move: str) -> bool:
        number = cell_numbers(self.game.radius).get(move)
        return number is not None and self.left is None and bool(self.open_cells >> number & 1)

    def play(self, move: str) -> Self:
        position = advance(self.position, cell_numbers(self.game.radius)[move])
        return type(self)(self.game, position, whole(placements(position)))

    def explain(self, move: str) -> str:
        names = cell_numbers(self.game.radius)
        if move not in names:
            first, *_, last = names
            return f"a move is the name of an empty cell, {first} to {last}"
        if self.outcome is not None:
            return "the game is over"
        cell, stones = 1 << names[move], self.stones()
        if cell & (stones[0] | stones[1]):
            return f"there is a stone on {move} already"
        after = stones[self.to_move] | cell
        made = next(group.bit_count() for group in groups(after) if group & cell)
        found = sizes(after)
        owned = f"{len(found)} group" if len(found) == 1 else f"{len(found)} groups"
        if made > len(found):
            return f"this would make a group of {made}, and you would have only {owned}"
        return f"this would leave you only {owned}, too few for your group of {max(found)}"

    def perft(self, depth: int) -> int:
        if self.left is not None:
            return int(depth == 0)
        return int(perft(self.position, depth))

    def stones(self) -> tuple[int, int]:
        """Return the cells of each seat's stones, bit by number."""
        own, other = whole(self.position[:3]), whole(self.position[3:6])
        return (own, other) if self.position.turn == 0 else (other, own)

    def notes(self) -> Mapping[str, str]:
        return {
            name: f"group of {group.bit_count()}"
            for stones in self.stones()
            for group in groups(stones)
            for name, number in cell_numbers(self.game.radius).items()
            if group >> number & 1
        }

    def gauges(self) -> tuple[tuple[str, int], ...]:
        # Both numbers of the rule: as many groups as there are is the most stones that one of them may have.
        found = [sizes(stones) for stones in self.stones()]
        return tuple((f"groups, the largest of {max(own)}", len(own)) if own else ("no group yet", 0) for own in found)

    def ending(self) -> Ending | None:
        if self.left is not None or self.open_cells:
            return None
        stones = self.stones()
        own, numbers = list(groups(stones[self.to_move])), cell_numbers(self.game.radius)
        most = max((group.bit_count() for group in own), default=0)
        largest = [group for group in own if group.bit_count() == most]
        cells = tuple(name for name, number in numbers.items() if any(group >> number & 1 for group in largest))
        if (stones[0] | stones[1]).bit_count() == len(numbers):
            return Ending(self.to_move, "You have no free cell left for a stone", "has no free cell left for a stone")
        why = "a group there would have more stones than {} groups"
        no_cell = "no cell left for a stone"
        return Ending(
            self.to_move,
            f"You have {no_cell}: {why.format('you have')}",
            f"has {no_cell}: {why.format('there are')}",
            cells,
        )

    def __str__(self) -> str:
        first, second = self.stones()
        # One hexadecimal digit a cell: 0 is free, 1 and 2 are the seats.
        digits = int(f"{first:b}", 16) | int(f"{second:b}", 16) << 1
        cells = f"{digits:0{3 * WORD}x}"[::-1].translate(CHARACTERS)
        rows = tuple(cells[row] for row in row_slices(self.game.radius))
        return str(PositionText(rows, str(self.position.turn), self.facts()))


class Bamboo(Game):
    name = "bamboo"
    title = "Bamboo"
    summary = (
        "Put a stone on an empty cell. No group of yours may ever have more stones than you have groups. "
        "Whoever cannot place loses."
    )
    OPTIONS = (Option("radius", "Radius of the hexagon", "int", tuple(range(1, 7)), default=5),)

    @property
    def radius(self) -> int:
        """How many cells lie between the middle and a corner, the corner counted."""
        return int(self.options["radius"] or 0)

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> BambooState:
        return self._state(0, 0, turn=0)

    def parse(self, text: str) -> BambooState:
        parts = PositionText.parse(text)
        numbers = cell_numbers(self.radius)
        lengths = [2 * self.radius + 1 - abs(row - self.radius) for row in range(2 * self.radius + 1)]
        if [len(row) for row in parts.rows] != lengths:
            shape = ", ".join(map(str, lengths))
            raise ValueError(f"the rows should have {shape} cells, not {'/'.join(parts.rows)!r}")
        cells = "".join(reversed(parts.rows))
        if not set(cells) <= set(".01") or not set(parts.facts) <= {"out"}:
            raise ValueError("a cell is one of . 0 1, and the only fact besides is `out`")
        turn, left = read_turn(parts)
        first, second = (
            sum(1 << number for number, found in zip(numbers.values(), cells, strict=True) if found == seat)
            for seat in "01"
        )
        if first.bit_count() - second.bit_count() != turn:
            raise ValueError(
                "players place in turn, so seat 0 has as many stones as seat 1 or, on seat 1's turn, one more"
            )
        for seat, stones in enumerate((first, second)):
            found = sizes(stones)
            if found and max(found) > len(found):
                raise ValueError(
                    f"seat {seat} has a group of {max(found)}, more than its number of groups, {len(found)}"
                )
        return self._state(first, second, turn=turn, left=left)

    def _state(self, first: int, second: int, *, turn: int, left: int | None = None) -> BambooState:
        board = sum(1 << number for number in cell_numbers(self.radius).values())
        own, other = (first, second) if turn == 0 else (second, first)
        position = Position(*words(own), *words(other), *words(board & ~(first | second)), turn)
        return BambooState(self, position, whole(placements(position)), left)


GAME = Bamboo
