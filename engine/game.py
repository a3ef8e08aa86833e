"""The contract of a game: immutable positions with their moves, successors and outcome.

A *position text* has one grammar for all games, so that clients can draw any game without its rules:

    <rows> <turn> [key=value ...]

- `<rows>` joins the board's rows with `/`, the top row first, one character a cell from left to right: `.` is free,
  `x` is blocked for ever, a digit is the piece of that seat. Rows of different length make a hexagon.
- `<turn>` is the seat to move, or `c` when chance rolls the dice.
- The rest are the game's own facts, each present only when it differs from its default: `walls=e3h,c4v`, `left=9,10`,
  `out=2`.

A cell's name is its file letter and rank number on a square board (`a1` is bottom left), and its row letter and number
within the row on a hexagon (`a1` is bottom left too).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

__all__ = [
    "CHANCE",
    "COUNTDOWN_TURNS",
    "Ending",
    "Game",
    "IllegalMove",
    "Option",
    "OptionValue",
    "Outcome",
    "State",
]

CHANCE: Final = -1
"""The `to_move` of a position in which the dice are rolled."""

COUNTDOWN_TURNS: Final = 10
"""Turns before a draw by a limit from which on `State.countdown` tells of it."""

OptionValue: TypeAlias = int | bool | None


class IllegalMove(ValueError):
    """A move that the rules refuse. `reason` is one sentence for people."""

    def __init__(self, move: str, reason: str) -> None:
        super().__init__(f"{move!r} is not legal: {reason}")
        self.move = move
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a game: an integer among `choices`, a yes or no, or (`optional`) nothing at all.

    `default` is None when the default depends on the other options; `Game.options` always holds the settled value.
    """

    name: str
    title: str
    kind: Literal["int", "bool"]
    choices: tuple[int, ...] = ()
    default: OptionValue = None
    optional: bool = False

    def check(self, value: object) -> OptionValue:
        """Return `value` if the option takes it; raise a ValueError that lists what it takes."""
        if value is None and self.optional:
            return None
        if self.kind == "bool" and isinstance(value, bool):
            return value
        if self.kind == "int" and isinstance(value, int) and not isinstance(value, bool) and value in self.choices:
            return value
        raise ValueError(f"option {self.name!r} takes {self.describe()}, not {value!r}")

    def describe(self) -> str:
        if self.kind == "bool":
            return "true or false"
        first, last = self.choices[0], self.choices[-1]
        consecutive = self.choices == tuple(range(first, last + 1)) and len(self.choices) > 2
        text = f"{first} to {last}" if consecutive else ", ".join(map(str, self.choices))
        return f"{text}, or nothing" if self.optional else text


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended. `winner` is a seat, or None for a draw.

    `places[seat]` is 1 for the winner, 2 for the next and so on; drawn players share place 1.
    """

    winner: int | None
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the rules ended a game, as a sentence for people.

    `you` is the sentence for `seat`, and `they` continues that seat's name for the others; both are the whole sentence
    where `seat` is None. `cells` are those that show the reason. A race is told with the number of moves.
    """

    seat: int | None
    you: str
    they: str
    cells: tuple[str, ...] = ()
    is_race: bool = False


class State(ABC):
    """One position: immutable, hashable, equal when the rules cannot tell two apart."""

    __slots__ = ()

    game: Game

    @property
    @abstractmethod
    def to_move(self) -> int:
        """The seat to move, or CHANCE. Meaningless once `outcome` is set."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def moves(self) -> list[str]:
        """Return every legal move in notation, sorted by the game's own move numbers; none when the game is over."""

    def is_legal(self, move: str) -> bool:
        """Return whether `move` is among `moves()`; games override it without listing them."""
        return move in self.moves()

    @abstractmethod
    def play(self, move: str) -> Self:
        """Return the position after `move`, which has to be legal: `engine.apply` checks it, this does not."""

    @abstractmethod
    def leave(self, seat: int) -> Self:
        """Return the position after `seat` gave up or ran out of time, at any seat's turn.

        With two players the game ends; with more the seat takes the last free place and the others go on.
        """

    @abstractmethod
    def explain(self, move: str) -> str:
        """Return one sentence for people that says why `move` is not legal here."""

    @abstractmethod
    def perft(self, depth: int) -> int:
        """Count the legal move sequences of exactly `depth` plies. `depth` 0 counts 1."""

    def tempting(self) -> Iterable[str]:
        """Return moves to other targets than cells that look legal, legal or not, such as walls."""
        return ()

    def notes(self) -> Mapping[str, str]:
        """Return notes about cells, by cell, such as the size of a group."""
        return {}

    def gauges(self) -> tuple[tuple[str, int], ...]:
        """Return one (label, number) a seat: walls, groups, cells in reach. At 0 the label says all: "no cell left"."""
        return ()

    def ending(self) -> Ending | None:
        """Return why the rules ended the game; None while it goes on, or where a seat gave up."""
        return None

    def countdown(self) -> str | None:
        """Return the sentence of a draw that a limit brings within COUNTDOWN_TURNS; None without one."""
        return None

    @abstractmethod
    def __str__(self) -> str:
        """Return the position text; `Game.parse` is its inverse."""

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...


class Game(ABC):
    """The rules under one set of options. Two games are equal when name and settled options are."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """The game in one or two sentences, for people new to it."""
    OPTIONS: ClassVar[tuple[Option, ...]]

    def __init__(self, /, **given: Any) -> None:
        """Settle the options. Raises a ValueError that lists the valid ones."""
        known = {option.name: option for option in self.OPTIONS}
        for name in given:
            if name not in known:
                raise ValueError(f"{self.name} has no option {name!r}; its options are {', '.join(known)}")
        checked = {name: known[name].check(value) for name, value in given.items()}
        self.options: Mapping[str, OptionValue] = self.settle(checked)

    @classmethod
    def settle(cls, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return every option's value, in the order of OPTIONS; games with dependent defaults or limits override it."""
        return {option.name: given.get(option.name, option.default) for option in cls.OPTIONS}

    @classmethod
    def suggestions(cls, options: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
        """Return options that a server's presets add for people, such as draw rules. Default: none."""
        return {}

    @property
    @abstractmethod
    def seats(self) -> int:
        """How many players."""

    @property
    def has_draws(self) -> bool:
        """Whether players may agree on a draw."""
        return False

    @abstractmethod
    def start(self) -> State:
        """Return the starting position."""

    @abstractmethod
    def parse(self, text: str) -> State:
        """Return the position of a position text. Raises a ValueError that says what is wrong with it."""

    @cached_property
    def _identity(self) -> tuple[str, tuple[tuple[str, OptionValue], ...]]:
        return self.name, tuple(self.options.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in self.options.items())})"
