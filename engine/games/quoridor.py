"""Quoridor: be the first to walk across the board; walls make the others' way longer but never close it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Self

from cornered.engine.compile.arrays import empty, int64
from cornered.engine.game import COUNTDOWN_TURNS, Ending, Game, Option, OptionValue, Outcome, State
from cornered.engine.kernels.grid import cells
from cornered.engine.kernels.maze import CELL_COUNT, SPLIT, Four, bit, passages, step, unblocked
from cornered.engine.kernels.walls import (
    GOES_ON,
    GONE,
    MAX_MOVES,
    PASS,
    Position,
    advance,
    drawn,
    gen,
    has_paths,
    legal,
    lost,
    perft,
    verdict,
)
from cornered.engine.text import PositionText, square_name

__all__ = [
    "GAME",
    "MAX_MOVES",
    "Position",
    "Quoridor",
    "QuoridorState",
    "advance",
    "drawn",
    "gen",
    "lost",
    "perft",
]

_CELL_NAMES: Final = tuple(square_name(cell % 9, cell // 9) for cell in range(CELL_COUNT))
MOVE_NAMES: Final = (*_CELL_NAMES, *(f"{name}h" for name in _CELL_NAMES), *(f"{name}v" for name in _CELL_NAMES), "pass")
"""The notation of each move number, the same on boards of every size."""
MOVE_NUMBERS: Final = {name: number for number, name in enumerate(MOVE_NAMES)}

DEFAULT_WALLS: Final = {(9, 2): 10, (7, 2): 8, (5, 2): 5, (3, 2): 2, (9, 4): 5, (7, 4): 4, (5, 4): 2}
"""Default walls of each player, by size and players."""
DRAW_RULES: Final = {9: (200, 50), 7: (150, 40), 5: (100, 30), 3: (50, 20)}
"""The usual `max_plies` and `no_progress` by size."""
COUNTER_OPTIONS: Final = {"ply": "max_plies", "quiet": "no_progress"}
"""The counters of a position text, each with the option that bounds it."""
_ANY_STEP: Final = "a pawn moves one step up, down, left or right, or jumps over a pawn next to it"


@dataclass(frozen=True, slots=True, eq=False)
class QuoridorState(State):
    """A Quoridor position. `ended` is `verdict(position)`, computed once; `out` are the seats that left, in order.

    With two players the pawn of the one that leaves stays on the board, since the game is over.
    """

    game: Quoridor
    position: Position
    ended: int
    out: tuple[int, ...] = ()

    @property
    def to_move(self) -> int:
        return self.position.turn

    @property
    def outcome(self) -> Outcome | None:
        if self.ended == GOES_ON and not self.out:
            return None
        seats = self.game.seats
        if self.ended >= 0:
            winner: int | None = self.ended
        elif len(self.out) == seats - 1:
            winner = next(seat for seat in range(seats) if seat not in self.out)
        elif self.ended == GOES_ON:
            return None
        else:
            winner = None
        places = [1 if winner in (None, seat) else 2 for seat in range(seats)]
        for index, seat in enumerate(self.out):
            places[seat] = seats - index
        return Outcome(winner, tuple(places))

    def moves(self) -> list[str]:
        if self.outcome is not None:
            return []
        buffer = empty(MAX_MOVES, int64)
        count = gen(self.position, buffer)
        return [MOVE_NAMES[number] for number in buffer[:count].tolist()]

    def is_legal(self, move: str) -> bool:
        number = MOVE_NUMBERS.get(move)
        return number is not None and self.outcome is None and bool(legal(self.position, number))

    def play(self, move: str) -> Self:
        position = advance(self.position, MOVE_NUMBERS[move])
        return type(self)(self.game, position, verdict(position), self.out)

    def leave(self, seat: int) -> Self:
        if not 0 <= seat < self.game.seats:
            raise ValueError(f"there is no seat {seat}; there are 0 to {self.game.seats - 1}")
        if self.outcome is not None or seat in self.out:
            return self
        position, out = self.position, (*self.out, seat)
        if self.game.seats > 2:
            turn = position.turn
            while turn in out:
                turn = (turn + 1) % self.game.seats
            position = position._replace(pawns=position.pawns | GONE << 8 * seat, turn=turn)
        return replace(self, position=position, out=out)

    def explain(self, move: str) -> str:
        number = MOVE_NUMBERS.get(move)
        if number is None:
            return "a move is a cell such as e2 or a wall such as e3h or e3v"
        if self.outcome is not None:
            return "the game is over"
        if number == PASS:
            return "a player passes only when nothing else is possible"
        return self._explain_step(number) if number < CELL_COUNT else self._explain_wall(number)

    def _explain_step(self, target: int) -> str:
        pawns, name = self.pawns(), MOVE_NAMES[target]
        start = pawns[self.to_move]
        size = self.game.size
        if target % 9 >= size or target // 9 >= size:
            return f"the board goes from a1 to {square_name(size - 1, size - 1)}"
        if target in pawns:
            return f"your pawn already stands on {name}" if target == start else f"another pawn stands on {name}"
        if _distance(start, target) > 2:
            return _ANY_STEP
        doors = passages(self.position[:4], size)
        reasons = []
        for direction in range(4):
            over = step(doors, start, direction)
            if over in pawns and _distance(over, target) == 1:
                behind = step(doors, over, direction)
                if behind in pawns:
                    reasons.append("two pawns in a row cannot be jumped")
                elif behind not in (-1, target):
                    reasons.append(f"the pawn on {MOVE_NAMES[over]} can be jumped straight, so not to the side")
        if reasons:
            return reasons[0]
        neighbours = [cell for cell in pawns if _distance(start, cell) == 1]
        if _distance(start, target) == 1 or any(_distance(cell, target) == 1 for cell in neighbours):
            return "a wall is in the way"
        return _ANY_STEP

    def _explain_wall(self, wall: int) -> str:
        slot, size = wall % CELL_COUNT, self.game.size
        if slot % 9 >= size - 1 or slot // 9 >= size - 1:
            return "a wall must lie wholly on the board"
        if not self.stocks()[self.to_move]:
            return "no walls left"
        standing = self.position[:4]
        if wall not in _unblocked(standing, size):
            lo, hi = standing[2:] if wall < 2 * CELL_COUNT else standing[:2]
            return f"this wall {'crosses' if (lo | hi << SPLIT) >> slot & 1 else 'overlaps'} another"
        return "this wall would leave a player no path to the goal"

    def perft(self, depth: int) -> int:
        if self.out and self.outcome is not None:
            return int(depth == 0)
        return int(perft(self.position, depth))

    def pawns(self) -> tuple[int, ...]:
        """Return the cell of each seat's pawn, GONE for a seat that left."""
        return tuple(self.position.pawns >> 8 * seat & 255 for seat in range(self.game.seats))

    def stocks(self) -> tuple[int, ...]:
        """Return how many walls each seat has left."""
        return tuple(self.position.left >> 8 * seat & 255 for seat in range(self.game.seats))

    def gauges(self) -> tuple[tuple[str, int], ...]:
        return tuple(("walls", stock) if stock else ("no walls left", 0) for stock in self.stocks())

    def ending(self) -> Ending | None:
        if self.ended >= 0:
            home = (MOVE_NAMES[self.pawns()[self.ended]],)
            return Ending(self.ended, "You reached the far side", "reached the far side", home, is_race=True)
        outcome = self.outcome
        if outcome is None or outcome.winner is not None:
            return None
        limit, quiet = self.game.options["max_plies"], self.game.options["no_progress"]
        words = (
            f"The game reached its limit of {limit} turns"
            if limit is not None and self.position.ply >= limit
            else f"No wall was placed for {quiet} turns"
        )
        return Ending(None, words, words)

    def tempting(self) -> Iterable[str]:
        """Return the walls that lie wholly on the board, while the mover has any."""
        if self.outcome is not None or not self.stocks()[self.to_move]:
            return ()
        inner = range(self.game.size - 1)
        slots = [9 * rank + file for rank in inner for file in inner]
        return (MOVE_NAMES[first + slot] for first in (CELL_COUNT, 2 * CELL_COUNT) for slot in slots)

    def countdown(self) -> str | None:
        if self.outcome is not None:
            return None
        limits = (
            (self.game.options["max_plies"], self.position.ply, ""),
            (self.game.options["no_progress"], self.position.quiet, " unless a wall is placed"),
        )
        rest = [(limit - made, unless) for limit, made, unless in limits if limit is not None]
        left, unless = min(rest, default=(COUNTDOWN_TURNS + 1, ""))
        if left > COUNTDOWN_TURNS:
            return None
        turns = "this turn" if left <= 1 else f"{left} turns"
        return f"A draw {'after' if left <= 1 else 'in'} {turns}{unless}"

    def __str__(self) -> str:
        position, size = self.position, self.game.size
        rows = ["." * size] * size
        for seat, cell in enumerate(self.pawns()):
            if cell != GONE:
                rank, file = divmod(cell, 9)
                rows[rank] = f"{rows[rank][:file]}{seat}{rows[rank][file + 1 :]}"
        rows.reverse()
        facts = {}
        if any(position[:4]):
            facts["walls"] = ",".join([MOVE_NAMES[number] for number in _numbers(position[:4])])
        stocks = self.stocks()
        if stocks != (self.game.walls,) * len(stocks):
            facts["left"] = ",".join(map(str, stocks))
        if self.out:
            facts["out"] = ",".join(map(str, self.out))
        if position.ply:
            facts["ply"] = str(position.ply)
        if position.quiet:
            facts["quiet"] = str(position.quiet)
        return str(PositionText(tuple(rows), str(position.turn), facts))

    def __hash__(self) -> int:
        return hash((self.position, self.out, self.game))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuoridorState):
            return NotImplemented
        return (self.position, self.out, self.game) == (other.position, other.out, other.game)


class Quoridor(Game):
    name = "quoridor"
    title = "Quoridor"
    summary = (
        "Walk your pawn across the board before anybody else does. Each turn, take a step or put up a wall; "
        "walls make the others' way longer, but may never close it."
    )
    OPTIONS = (
        Option("size", "Board size", "int", (3, 5, 7, 9), default=9),
        Option("players", "Players", "int", (2, 4), default=2),
        Option("walls", "Walls for each player", "int", tuple(range(21)), optional=True),
        Option("max_plies", "Draw after this many plies", "int", tuple(range(1, 1001)), optional=True),
        Option("no_progress", "Draw after this many plies without a wall", "int", tuple(range(1, 1001)), optional=True),
    )

    @classmethod
    def settle(cls, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        options = super().settle(given)
        size, players = int(options["size"] or 0), int(options["players"] or 0)
        if (size, players) not in DEFAULT_WALLS:
            raise ValueError(f"four players need a board of size 5, 7 or 9, not {size}")
        if options["walls"] is None:
            options["walls"] = DEFAULT_WALLS[size, players]
        return options

    @classmethod
    def suggestions(cls, options: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
        max_plies, no_progress = DRAW_RULES[int(options.get("size") or 9)]
        return {"max_plies": max_plies, "no_progress": no_progress}

    @property
    def size(self) -> int:
        """The board's width and height."""
        return int(self.options["size"] or 0)

    @property
    def walls(self) -> int:
        """How many walls each player starts with."""
        return int(self.options["walls"] or 0)

    @property
    def seats(self) -> int:
        return int(self.options["players"] or 0)

    @property
    def has_draws(self) -> bool:
        return self.seats == 2

    def start(self) -> QuoridorState:
        middle, last = self.size // 2, self.size - 1
        sides = (middle, 9 * middle, 9 * last + middle, 9 * middle + last)
        return self._state(sides if self.seats == 4 else sides[::2], [self.walls] * self.seats, turn=0)

    def parse(self, text: str) -> QuoridorState:
        parts = PositionText.parse(text)
        seats = [str(seat) for seat in range(self.seats)]
        counters = {
            counter: limit for counter, rule in COUNTER_OPTIONS.items() if (limit := int(self.options[rule] or 0))
        }
        parts.check(self.size, self.size, "." + "".join(seats), ("walls", "left", "out", *counters))
        out = _seats_out(parts, seats)
        pawns = [self._pawn(parts, seat, is_gone=seat in out and self.seats > 2) for seat in seats]
        walls = self._walls(parts.facts.get("walls"))
        stocks = self._stocks(parts, walls)
        counts = {counter: _count(parts, counter, limit) for counter, limit in counters.items()}
        state = self._state(pawns, stocks, turn=int(parts.turn), walls=walls, counts=counts, out=tuple(map(int, out)))
        if not has_paths(state.position):
            raise ValueError("the walls leave a player no path to the goal")
        return state

    def _stocks(self, parts: PositionText, walls: Sequence[int]) -> list[int]:
        """Return how many walls each seat has left, beside those on the board."""
        left = parts.facts["left"].split(",") if "left" in parts.facts else [str(self.walls)] * self.seats
        if len(left) != self.seats or any(number not in map(str, range(self.walls + 1)) for number in left):
            raise ValueError(f"`left` gives each of {self.seats} seats 0 to {self.walls} walls, not {','.join(left)}")
        stocks = [int(number) for number in left]
        if sum(stocks) + sum(word.bit_count() for word in walls) != self.walls * self.seats:
            raise ValueError(
                "the walls on the board and those left should together be all that the players started with"
            )
        return stocks

    def _pawn(self, parts: PositionText, seat: str, *, is_gone: bool) -> int:
        found = [
            9 * rank + file
            for rank, row in enumerate(reversed(parts.rows))
            for file, character in enumerate(row)
            if character == seat
        ]
        if len(found) != (0 if is_gone else 1):
            raise ValueError(f"the board should show {'no pawn' if is_gone else 'one pawn'} of seat {seat}")
        return GONE if is_gone else found[0]

    def _walls(self, names: str | None) -> Four:
        walls = (0, 0, 0, 0)
        for name in names.split(",") if names else ():
            number = MOVE_NUMBERS.get(name, PASS)
            if number not in _numbers(unblocked(walls, self.size)):
                raise ValueError(f"{name!r} is no wall, is off the board, or overlaps or crosses another")
            lo, hi = bit(number % CELL_COUNT)
            h_lo, h_hi, v_lo, v_hi = walls
            walls = (
                (h_lo | lo, h_hi | hi, v_lo, v_hi) if number < 2 * CELL_COUNT else (h_lo, h_hi, v_lo | lo, v_hi | hi)
            )
        return walls

    def _state(
        self,
        pawns: tuple[int, ...] | list[int],
        stocks: list[int],
        *,
        turn: int,
        walls: Four = (0, 0, 0, 0),
        counts: Mapping[str, int] | None = None,
        out: tuple[int, ...] = (),
    ) -> QuoridorState:
        counts = counts or {}
        position = Position(
            *walls,
            pawns=sum(cell << 8 * seat for seat, cell in enumerate(pawns)),
            left=sum(stock << 8 * seat for seat, stock in enumerate(stocks)),
            turn=turn,
            size=self.size,
            players=self.seats,
            ply=counts.get("ply", 0),
            quiet=counts.get("quiet", 0),
            max_plies=int(self.options["max_plies"] or 0),
            no_progress=int(self.options["no_progress"] or 0),
        )
        return QuoridorState(self, position, verdict(position), out)


def _seats_out(parts: PositionText, seats: Sequence[str]) -> list[str]:
    """Return the seats that left; the one to move is not among them unless all others are."""
    out = parts.facts["out"].split(",") if "out" in parts.facts else []
    if len(set(out)) != len(out) or not set(out) < set(seats):
        raise ValueError(f"`out` lists seats of {', '.join(seats)} that left, each once, and not all of them")
    if parts.turn not in seats or (parts.turn in out and len(out) < len(seats) - 1):
        raise ValueError(f"the turn is a seat that is still in, of {', '.join(seats)}, not {parts.turn!r}")
    return out


def _count(parts: PositionText, counter: str, limit: int) -> int:
    """Return a counter of plies, 0 where the text leaves it out."""
    number = parts.facts.get(counter, "0")
    if number not in map(str, range(limit + 1)):
        raise ValueError(f"`{counter}` is 0 to {limit}, not {number!r}")
    return int(number)


def _distance(cell: int, other: int) -> int:
    return abs(cell % 9 - other % 9) + abs(cell // 9 - other // 9)


def _numbers(walls: Four) -> list[int]:
    """Return the numbers of the walls in a set of slots, rising."""
    h_lo, h_hi, v_lo, v_hi = walls
    bits = (h_lo | h_hi << SPLIT) << CELL_COUNT | (v_lo | v_hi << SPLIT) << 2 * CELL_COUNT
    return list(cells(bits))


@lru_cache(16)
def _unblocked(walls: Four, size: int) -> frozenset[int]:
    """Return the numbers of the walls that neither overlap nor cross one of `walls`; many are asked for in a row."""
    return frozenset(_numbers(unblocked(walls, size)))


GAME = Quoridor
