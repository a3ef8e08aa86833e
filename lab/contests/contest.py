"""A contest from its first game to its last: rounds of fixtures, each game once, going on after a kill."""

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
from cornered.lab.contests.terms import Fixture, Played, Terms
from cornered.lab.execution.workforce import Workforce

__all__ = ["Keep", "Memory", "OnGame", "Schedule", "hold", "kept_game", "stream"]

OnGame: TypeAlias = Callable[[Played, Progress], None]
"""Called with each finished game, and how many games are finished."""


class Schedule(Protocol):
    """Who plays whom, in rounds. A pure function of the results, so that a contest that goes on repeats itself."""

    def games(self) -> int | None:
        """Return how many games there will be, None where the results decide."""

    def fixtures(self, round_: int, played: Sequence[Played]) -> Sequence[Fixture]:
        """Return a round's fixtures, given all games of the rounds before it in the order of their numbers; no more
        fixtures end the contest."""


class Keep(Protocol):
    """Where games are kept: a `Journal`, or `Memory`."""

    games: dict[int, Played]
    """All games that have been played, by their numbers."""

    def append(self, played: Played) -> None:
        """Keep a game."""


class Memory:
    """Keeps games for as long as the process lives."""

    def __init__(self) -> None:
        self.games: dict[int, Played] = {}

    def append(self, played: Played) -> None:
        self.games[played.fixture.number] = played


def stream(
    terms: Terms, fixtures: Iterable[Fixture], workforce: Workforce, keep: Keep
) -> Generator[Played, None, None]:
    """Yield every fixture's game in the order of the fixtures; those that are kept already are not played again.

    A game is kept as soon as it is over, in whatever order. Whoever stops iterating plays no more. Raises a ValueError
    where a kept game is another one's.
    """
    known: deque[Fixture] = deque()

    def missing() -> Iterator[Fixture]:
        for fixture in fixtures:
            known.append(fixture)
            if kept_game(fixture, keep) is None:
                yield fixture

    player, loser = partial(player_of(terms), terms), partial(lost, terms)
    # Whatever goes wrong here, the work ends before the workers do.
    with closing(workforce.carry_out(player, missing(), lost=loser)) as playing:
        for _, played in playing:
            keep.append(played)
            while known and known[0].number in keep.games:
                yield keep.games[known.popleft().number]
    while known:
        yield keep.games[known.popleft().number]


def kept_game(fixture: Fixture, keep: Keep) -> Played | None:
    """Return a fixture's game if it is kept. Raises a ValueError where another one's is in its place."""
    played = keep.games.get(fixture.number)
    if played is None:
        return None
    found = played.fixture
    # A game that ended in its opening has kept no more of it.
    if found.players != fixture.players or found.opening != fixture.opening[: len(found.opening)]:
        raise ValueError(
            f"game {fixture.number} was played by other rules of pairing or openings: "
            "begin the contest anew, in another folder"
        )
    return played


def hold(
    terms: Terms,
    schedule: Schedule,
    workforce: Workforce,
    keep: Keep,
    on_game: OnGame = lambda played, progress: None,
) -> list[Played]:
    """Play a contest round by round and return all its games in the order of their numbers."""
    games: list[Played] = []
    for round_ in itertools.count():
        fixtures = schedule.fixtures(round_, games)
        if not fixtures:
            return games
        with closing(stream(terms, fixtures, workforce, keep)) as playing:
            for played in playing:
                games.append(played)
                on_game(played, Progress("games", len(games), schedule.games()))
    raise AssertionError("rounds never end by themselves")
