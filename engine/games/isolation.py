"""Isolation: place a pawn, then slide it like a queen; cells once stood on stay blocked; a pawn without a slide is
out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from cornered.engine.game import CHANCE, Ending, Game, Option, Outcome, State
from cornered.engine.kernels.grid import CELL_BITS, CELL_NAMES, board, names, read_cells, word, write_rows
from cornered.engine.kernels.slides import (
    DICE_SIDES,
    MAX_MOVES,
    ROLL,
    SLIDE_STEPS_MAX,
    Position,
    advance,
    gen,
    leave,
    lost,
    perft,
    settled,
    slides,
    targets,
    typed,
    without,
)
from cornered.engine.text import PositionText

__all__ = [
    "GAME",
    "MAX_MOVES",
    "Isolation",
    "IsolationState",
    "Position",
    "advance",
    "gen",
    "lost",
    "perft",
    "targets",
]


@dataclass(frozen=True, slots=True, eq=False)
class IsolationState(State):
    """An Isolation position; `open_cells` is `targets(position)`, worked out once."""

    game: Isolation
    position: Position
    open_cells: int

    @classmethod
    def of(cls, game: Isolation, position: Position) -> Self:
        """Return the state of a kernel's position."""
        position = typed(position)
        return cls(game, position, int(targets(position)))

    @property
    def awaits_roll(self) -> bool:
        position = self.position
        return bool(position.dice and not position.roll and position.mover and self.open_cells)

    @property
    def to_move(self) -> int:
        return CHANCE if self.awaits_roll else self.position.turn

    @property
    def outcome(self) -> Outcome | None:
        if self.open_cells:
            return None
        position = self.position if self.position.standing == 1 else without(self.position, self.position.turn)
        places = tuple(position.places >> 3 * seat & 7 or 1 for seat in range(position.players))
        return Outcome(winner=places.index(1), places=places)

    def moves(self) -> list[str]:
        return [str(side) for side in range(1, DICE_SIDES + 1)] if self.awaits_roll else names(self.open_cells)

    def is_legal(self, move: str) -> bool:
        if self.awaits_roll:
            return move in ("1", "2", "3")
        bit = CELL_BITS.get(move)
        return bit is not None and bool(self.open_cells >> bit & 1)

    def play(self, move: str) -> Self:
        number = ROLL + int(move) if self.awaits_roll else CELL_BITS[move]
        return self.of(self.game, advance(self.position, number))

    def leave(self, seat: int) -> Self:
        if not 0 <= seat < self.game.seats:
            raise ValueError(f"there is no seat {seat}; there are 0 to {self.game.seats - 1}")
        if self.outcome is not None or self.position.places >> 3 * seat & 7:
            return self
        return self.of(self.game, leave(self.position, seat))

    def explain(self, move: str) -> str:
        if self.awaits_roll:
            return "the dice show 1, 2 or 3"
        bit = CELL_BITS.get(move)
        if bit is None or not self.game.board >> bit & 1:
            return f"a move is the name of a cell, {CELL_NAMES[0]} to {self.game.far_corner}"
        for seat, pawn in enumerate(self.pawns()):
            if pawn >> bit & 1:
                mine = seat == self.position.turn
                return f"your pawn already stands on {move}" if mine else f"another pawn stands on {move}"
        if not int(self.position.free) >> bit & 1:
            return f"{move} is blocked"
        file, rank = bit % 8, bit // 8
        start = int(self.position.mover).bit_length() - 1
        files, ranks = abs(file - start % 8), abs(rank - start // 8)
        if files and ranks and files != ranks:
            return "a pawn slides in a straight line, also diagonally"
        if self.position.roll and max(files, ranks) > self.position.roll:
            return f"the roll allows {self.position.roll} {'step' if self.position.roll == 1 else 'steps'} at most"
        return f"something stands or is blocked on the way to {move}"

    def perft(self, depth: int) -> int:
        return int(perft(self.position, depth))

    def pawns(self) -> tuple[int, ...]:
        """Return the word of each seat's cell, 0 for a seat that has not placed."""
        _, *pawns, turn, players, _, _, _, _ = self.position
        return tuple(int(pawns[(seat - turn) % players]) for seat in range(players))

    def mobility(self) -> tuple[int, ...]:
        """Return how many cells each seat could move to, with dice by the longest roll."""
        longest = DICE_SIDES if self.game.dice else SLIDE_STEPS_MAX
        return tuple(self._open_to(pawn, longest) for pawn in self.pawns())

    def gauges(self) -> tuple[tuple[str, int], ...]:
        counts = list(self.mobility())
        if self.position.roll:
            counts[self.position.turn] = self._open_to(int(self.position.mover), self.position.roll)
        return tuple(("moves", count) if count else ("no move left", 0) for count in counts)

    def _open_to(self, pawn: int, longest: int) -> int:
        free = self.position.free
        return (int(slides(free, word(pawn), longest)) if pawn else int(free)).bit_count()

    def ending(self) -> Ending | None:
        outcome = self.outcome
        if outcome is None or outcome.winner is None:
            return None
        trapped = {seat: pawn for seat, pawn in enumerate(self.pawns()) if pawn and not self._open_to(pawn, 1)}
        if self.game.seats == 2:
            loser = 1 - outcome.winner
            if loser not in trapped:
                return None
            cells = tuple(names(trapped[loser]))
            return Ending(loser, "You have no cell left to slide to", "has no cell left to slide to", cells)
        cells = tuple(name for seat, pawn in trapped.items() if seat != outcome.winner for name in names(pawn))
        words = "the last one who can move"
        return Ending(outcome.winner, f"You are {words}", f"is {words}", cells)

    def __str__(self) -> str:
        position = self.position
        facts = {}
        if self.awaits_roll:
            facts["mover"] = str(position.turn)
        if position.roll:
            facts["roll"] = str(position.roll)
        out = sorted((-(position.places >> 3 * seat & 7), seat) for seat in range(position.players))
        gone = ",".join(str(seat) for place, seat in out if place)
        if gone:
            facts["out"] = gone
        rows = write_rows(self.game.width, self.game.height, int(position.free), self.pawns())
        return str(PositionText(rows, "c" if self.awaits_roll else str(position.turn), facts))

    def __hash__(self) -> int:
        return hash((self.game, self.position))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IsolationState):
            return NotImplemented
        return self.position == other.position and self.game == other.game


class Isolation(Game):
    name = "isolation"
    title = "Isolation"
    summary = (
        "Place a pawn, then slide it any distance like a chess queen. Cells once stood on stay blocked. "
        "Whoever cannot move is out, and the last one left wins."
    )
    OPTIONS = (
        Option("width", "Width", "int", tuple(range(2, 9)), default=7),
        Option("height", "Height", "int", tuple(range(2, 9)), default=7),
        Option("players", "Players", "int", (2, 3, 4), default=2),
        Option("dice", "Dice limit each slide", "bool", default=False),
    )

    @property
    def width(self) -> int:
        """The number of files."""
        return int(self.options["width"] or 0)

    @property
    def height(self) -> int:
        """The number of ranks."""
        return int(self.options["height"] or 0)

    @property
    def dice(self) -> bool:
        """Whether chance rolls before each slide."""
        return bool(self.options["dice"])

    @property
    def board(self) -> int:
        """The word of all the board's cells."""
        return board(self.width, self.height)

    @property
    def far_corner(self) -> str:
        """The name of the top right cell."""
        return CELL_NAMES[8 * (self.height - 1) + self.width - 1]

    @property
    def seats(self) -> int:
        return int(self.options["players"] or 0)

    def start(self) -> IsolationState:
        return self._state(self.board, [0] * self.seats, turn=0, roll=0, out=[])

    def parse(self, text: str) -> IsolationState:
        parts = PositionText.parse(text)
        seats = [str(seat) for seat in range(self.seats)]
        parts.check(self.width, self.height, ".x" + "".join(seats), ("mover", "roll", "out"))
        pawns = [read_cells(parts, seat) for seat in seats]
        if any(pawn.bit_count() > 1 for pawn in pawns):
            raise ValueError("a position has at most one pawn of each seat")
        mover = parts.facts.get("mover", "") if parts.turn == "c" else parts.turn
        roll = parts.facts.get("roll", "0")
        out = parts.facts["out"].split(",") if "out" in parts.facts else []
        if mover not in seats or ("mover" in parts.facts) != (parts.turn == "c"):
            raise ValueError(f"the turn is a seat, {', '.join(seats)}, or c with mover=SEAT before a roll")
        if len(set(out)) != len(out) or not set(out) < set(seats):
            raise ValueError(f"`out` lists seats of {', '.join(seats)} that left, each once, and not all of them")
        if roll not in (("0", "1", "2", "3") if self.dice else ("0",)):
            raise ValueError("the roll is 1, 2 or 3, and only a game with dice has one")
        state = self._state(
            read_cells(parts, "."), pawns, turn=int(mover), roll=int(roll), out=[int(seat) for seat in out]
        )
        if state.awaits_roll != (parts.turn == "c"):
            raise ValueError("the turn is c exactly when the dice have to be rolled")
        return state

    def _state(self, free: int, pawns: list[int], *, turn: int, roll: int, out: list[int]) -> IsolationState:
        """Return a state after settling it: a seat that cannot move in a game of three or four is out."""
        mover, second, third, fourth, *_ = [word(pawn) for pawn in (*pawns[turn:], *pawns[:turn], 0, 0)]
        position = Position(
            word(free), mover, second, third, fourth, turn, self.seats, 0, self.seats, int(self.dice), roll
        )
        for seat in out:
            position = typed(without(position, seat))
        if self.seats > 2 or out:
            position = settled(position)
        return IsolationState.of(self, position)


GAME = Isolation
