"""Knockout tournament: the loser of a meeting is eliminated; the last bot left wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cornered.contests.pairing import bracket
from cornered.lab.contests.openings import Openings
from cornered.lab.contests.schedule import arranged
from cornered.lab.contests.terms import Fixture, PlayedGame

__all__ = ["MAX_EXTRA_PAIRS", "Knockout", "Meeting"]

MAX_EXTRA_PAIRS: Final = 8
"""Maximum number of additional pairs of games of a tied meeting, after which the better seed advances."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting of a knockout: its round, both bots with the better seed first, and their scores."""

    round: int
    players: tuple[str, str]
    scores: tuple[float, float] = (0.0, 0.0)
    games: int = 0
    winner: str | None = None
    """The bot that advances; None while the meeting is undecided."""
    is_by_seed: bool = False
    """True when the meeting was tied and the seeding decided it."""


@dataclass(frozen=True, slots=True)
class Knockout:
    """Meetings of `each` games, an even number; `bots` are in the order of their seeding. A tied meeting continues by
    one pair of games at a time, up to `MAX_EXTRA_PAIRS`; then the better seed advances. Where the number of bots is not
    a power of two, the best seeds have a bye in the first round."""

    bots: tuple[str, ...]
    each: int
    openings: Openings

    def games(self) -> None:
        """None: the number of games depends on ties."""

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> list[Fixture]:
        del round_  # The round's fixtures are derived from its games: a tied meeting has further pairs.
        meetings = self.meetings(played)
        is_open = [(at.round, *at.players) for at in meetings if at.winner is None]
        begun = next((at.games for at in meetings if at.winner is None), 0)
        each = 2 if begun else self.each
        return arranged(is_open, lambda pair: self.openings(begun // 2 + pair), each, played)

    def meetings(self, played: Sequence[PlayedGame]) -> list[Meeting]:
        """Return all meetings whose players are known, by round from the top of the bracket, the undecided round
        last."""
        scores: dict[tuple[int, str], float] = defaultdict(float)
        games: dict[tuple[int, str], int] = defaultdict(int)
        for game in played:
            for seat, name in enumerate(game.fixture.players):
                scores[game.fixture.round, name] += game.score(seat)
                games[game.fixture.round, name] += 1
        meetings: list[Meeting] = []
        left = [None if seed is None else self.bots[seed] for seed in bracket(len(self.bots))]
        for round_ in range(len(self.bots)):
            if len(left) == 1:
                break
            through: list[str | None] = []
            for one, other in zip(left[::2], left[1::2], strict=True):
                if one is None or other is None:
                    through.append(one or other)
                    continue
                better, worse = sorted((one, other), key=self.bots.index)
                scored = scores[round_, better], scores[round_, worse]
                count = games[round_, better]
                by_seed = scored[0] == scored[1] and count >= self.each + 2 * MAX_EXTRA_PAIRS
                winner = None
                if count and (scored[0] != scored[1] or by_seed):
                    winner = better if scored[0] >= scored[1] else worse
                meetings.append(Meeting(round_, (better, worse), scored, count, winner, by_seed))
                through.append(winner)
            if any(at.round == round_ and at.winner is None for at in meetings):
                break
            left = through
        return meetings
