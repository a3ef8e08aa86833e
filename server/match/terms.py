"""The parts of a match: what is settled when it begins, what its players negotiate, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from cornered.engine.game import Game
from cornered.protocol.values import Clock, Correspondence, GameSpec, NoClock, Player, Reason, SeatRating

__all__ = ["NO_TALKS", "Ending", "MatchTerms", "Opening", "Patience", "Talks"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the server waits for players, in milliseconds, and how many plies a match may have."""

    first_move: int = 60_000
    untimed_first_move: int = 600_000
    gone: int = 60_000
    abandoned: int = 600_000
    """Without a clock nothing else ends a match whose players do not return."""
    rematch: int = 120_000
    """For how long an offer of a rematch stands; in a correspondence game it stands for the time of a move."""
    max_plies: int = 2_000
    """Moves and rolls, those that were taken back included, after which a match is a draw."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A match before it begins. The options of `spec` are settled, and `players` are in the order of their seats."""

    id: str
    spec: GameSpec
    players: Sequence[Player]
    clock: Clock
    private: bool = False
    delay: int = 0
    """Seconds by which spectators see everything later."""
    with_help: bool = False
    """Whether the person in a match against a bot may have hints and takebacks."""
    rated: bool = False
    """Whether the result is to change both players' ratings."""
    tournament: str | None = None
    versions: Sequence[str | None] = ()
    """The version of each seat's bot; empty where no bot names one."""


@dataclass(frozen=True)
class MatchTerms:
    """What is settled when a match begins, and never changes."""

    id: str
    game: Game
    spec: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    seed: bytes
    commitment: str
    private: bool
    delay: int
    previous: str | None
    started: int
    patience: Patience
    with_help: bool = False
    rated: bool = False
    ratings: tuple[SeatRating, ...] = ()
    """Each seat's rating when the rated match began; empty in a casual one."""
    tournament: str | None = None
    """The tournament to which the match belongs: it is neither aborted nor taken back, and has no rematch."""
    versions: tuple[str | None, ...] = ()
    """The version of each seat's bot when the match began; empty where no bot named one."""

    def is_helped(self, seat: int) -> bool:
        """Return whether the player in `seat` may have hints, and takebacks without asking: a person, and no bot."""
        return self.with_help and self.players[seat].kind == "person"

    @cached_property
    def everyone(self) -> int:
        """The set of all seats, one bit each."""
        return (1 << len(self.players)) - 1

    @cached_property
    def abandoned_limit(self) -> int | None:
        """The absence in milliseconds after which an untimed match ends by itself; None with a clock."""
        return self.patience.abandoned if isinstance(self.clock, NoClock) else None

    @cached_property
    def first_move_limit(self) -> int | None:
        """The time limit of a seat's first move, in milliseconds; in correspondence it is the clock's."""
        if isinstance(self.clock, Correspondence):
            return None
        return self.patience.untimed_first_move if isinstance(self.clock, NoClock) else self.patience.first_move


@dataclass(frozen=True, slots=True)
class Talks:
    """Negotiations: the seats that agree to a draw or takeback, asker first, and those that may not ask again yet."""

    draw: tuple[int, ...] = ()
    takeback: tuple[int, ...] = ()
    asked_draw: frozenset[int] = frozenset()
    asked_takeback: frozenset[int] = frozenset()

    def after_move(self, seat: int) -> Talks:
        """Return the negotiations after `seat` moved: a move without agreement declines."""
        return Talks(
            draw=self.draw if seat in self.draw else (),
            asked_draw=self.asked_draw - {seat},
            asked_takeback=self.asked_takeback - {seat},
        )


NO_TALKS: Final = Talks()


class Pause(NamedTuple):
    """A pause of the clocks that began `at` and ends by itself at `until`."""

    at: int
    until: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How the match ended. `places` is empty when nothing counts."""

    winner: int | None
    places: tuple[int, ...]
    reason: Reason
    rated: bool = False
    """Whether the result counts for the ratings."""
