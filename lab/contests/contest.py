"""Runs a contest: rounds of fixtures, each game played once; an interrupted contest resumes from its kept games."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Protocol, TypeAlias

from cornered.engine.progress import Progress
from cornered.lab.contests.arena import lost
from cornered.lab.contests.online import player_of
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.execution.workforce import Workforce

__all__ = ["GameStore", "MemoryGameStore", "OnGame", "Schedule", "hold", "kept_game", "stream"]

OnGame: TypeAlias = Callable[[PlayedGame, Progress], None]
"""Called with each finished game, and how many games are finished."""


class Schedule(Protocol):
    """Pairings by round: a pure function of the results, so that a resumed contest repeats its pairings."""

    def games(self) -> int | None:
        """Return the number of games of the contest, None where it depends on results."""

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> Sequence[Fixture]:
        """Return the fixtures of a round, given all games of earlier rounds by number; none end the contest."""


class GameStore(Protocol):
    """Store of played games: a `ContestJournal`, or `MemoryGameStore`."""

    games: dict[int, PlayedGame]
    """The stored games by number."""

    def append(self, played: PlayedGame) -> None:
        """Store a game."""


class MemoryGameStore:
    """Stores games for the lifetime of the process."""

    def __init__(self) -> None:
        self.games: dict[int, PlayedGame] = {}

    def append(self, played: PlayedGame) -> None:
        self.games[played.fixture.number] = played


def stream(
    terms: ContestTerms, fixtures: Iterable[Fixture], workforce: Workforce, keep: GameStore
) -> Generator[PlayedGame, None, None]:
    """Yield the game of every fixture in the order of the fixtures; stored games are not played again. A game is stored
    when it finishes, in any order. Closing the iterator stops the work. Raises ValueError where a stored game belongs
    to another fixture."""
    known: deque[Fixture] = deque()

    def missing() -> Iterator[Fixture]:
        for fixture in fixtures:
            known.append(fixture)
            if kept_game(fixture, keep) is None:
                yield fixture

    player, loser = partial(player_of(terms), terms), partial(lost, terms)
    # After an error the queued work is cancelled before the workers stop.
    with closing(workforce.carry_out(player, missing(), lost=loser)) as playing:
        for _, played in playing:
            keep.append(played)
            while known and known[0].number in keep.games:
                yield keep.games[known.popleft().number]
    while known:
        yield keep.games[known.popleft().number]


def kept_game(fixture: Fixture, keep: GameStore) -> PlayedGame | None:
    """Return the stored game of a fixture, if any. Raises ValueError if it was played with other bots or openings."""
    played = keep.games.get(fixture.number)
    if played is None:
        return None
    found = played.fixture
    # A game that ended within its opening stores only the moves up to its end.
    if found.players != fixture.players or found.opening != fixture.opening[: len(found.opening)]:
        raise ValueError(
            f"game {fixture.number} was played by other rules of pairing or openings: "
            "begin the contest anew, in another folder"
        )
    return played


def hold(
    terms: ContestTerms,
    schedule: Schedule,
    workforce: Workforce,
    keep: GameStore,
    on_game: OnGame = lambda played, progress: None,
) -> list[PlayedGame]:
    """Play all rounds of a contest and return its games in the order of their numbers."""
    games: list[PlayedGame] = []
    for round_ in itertools.count():
        fixtures = schedule.fixtures(round_, games)
        if not fixtures:
            return games
        with closing(stream(terms, fixtures, workforce, keep)) as playing:
            for played in playing:
                games.append(played)
                on_game(played, Progress("games", len(games), schedule.games()))
    raise AssertionError("rounds never end by themselves")
