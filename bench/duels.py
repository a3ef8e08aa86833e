"""A list of matches between two bots each: pairs of games with swapped seats, and the difference in Elo."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.contests import match
from cornered.lab.contests.contest import MemoryGameStore
from cornered.lab.contests.match import MatchTally
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.preparing import prepare
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.statistics.elo import elo_of_pairs
from cornered.lab.statistics.sprt import Sprt

__all__ = ["MAX_PLIES", "Duel", "DuelResult", "as_json", "lines", "play"]

MAX_PLIES: Final = 400
"""Plies after which a game is a draw."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two bots and the terms of their games. The first is expected to be the stronger one.

    So many random plies begin each pair of games; None is the number of `openings.plies_for`.
    """

    first: str
    second: str
    terms: ContestTerms
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class DuelResult:
    """The score of a duel's first bot. By bot, `moves` counts moves, and `overruns` those that took longer than their
    time by more than `arena.OVERRUN_TOLERANCE_S`."""

    duel: Duel
    tally: MatchTally
    moves: tuple[int, int] = (0, 0)
    overruns: tuple[int, int] = (0, 0)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference with the ends of its 95% interval, from pairs; infinite for a clean sweep."""
        return elo_of_pairs(self.tally.pairs)


def play(
    duels: Sequence[Duel],
    games: int,
    report: Report = no_report,
    *,
    test: Sprt | None = None,
    workers: int | None = None,
) -> list[DuelResult]:
    """Play `games` games of each duel, or one more for an even number; fewer where `test` decides before.

    `report` receives how many games of all duels are over. Raises a ValueError for a bot that does not play its game.
    """
    for duel in duels:
        duel.terms.check(duel.first, duel.second)
    for duel in duels:
        prepare(duel.terms, (duel.first, duel.second), no_report)
    pairs = (games + 1) // 2
    results: list[DuelResult] = []
    with Workforce.open(workers) as workforce:
        for number, duel in enumerate(duels):
            counted: list[PlayedGame] = []

            def on_game(
                played: PlayedGame, tally: MatchTally, number: int = number, counted: list[PlayedGame] = counted
            ) -> bool:
                counted.append(played)
                is_decided = test is not None and tally.games == len(counted) and test.verdict(tally.pairs) is not None
                done = 2 * pairs if is_decided else len(counted)
                report(Progress(f"{len(duels)} matches", 2 * pairs * number + done, 2 * pairs * len(duels)))
                return is_decided

            between = match.PairedMatch(
                duel.first, duel.second, duel.terms, random_plies(duel.terms, duel.plies), pairs
            )
            tally = match.run(between, workforce, MemoryGameStore(), until=on_game)
            results.append(_result(duel, tally, counted))
    return results


def _result(duel: Duel, tally: MatchTally, games: Sequence[PlayedGame]) -> DuelResult:
    # Seat 0 is the first bot's in the first game of a pair, and seat 1 in the second.
    efforts = [(played.efforts[place % 2], played.efforts[1 - place % 2]) for place, played in enumerate(games)]
    first, second = zip(*efforts, strict=True)
    return DuelResult(
        duel,
        tally,
        (sum(effort.moves for effort in first), sum(effort.moves for effort in second)),
        (sum(effort.overruns for effort in first), sum(effort.overruns for effort in second)),
    )


def as_json(results: Sequence[DuelResult]) -> list[dict[str, Any]]:
    """Return the figures as JSON-compatible values; an infinite Elo is null. The time is in milliseconds a move."""
    return [
        {
            "game": result.duel.terms.game,
            "options": dict(result.duel.terms.options),
            "time": result.duel.terms.time,
            "first": result.duel.first,
            "second": result.duel.second,
            **asdict(result.tally),
            "score": result.tally.share,
            "elo": [None if math.isinf(elo) else round(elo, 1) for elo in result.elo],
            "moves": list(result.moves),
            "overruns": list(result.overruns),
        }
        for result in results
    ]


def lines(results: Sequence[DuelResult]) -> Iterator[str]:
    """Return the figures as a table: the score is that of the first bot, `over` the moves of both over their time."""
    widths = [
        max(map(len, column)) for column in zip(*((each.duel.first, each.duel.second) for each in results), strict=True)
    ]
    first_width, second_width = (max(width, len("second")) for width in widths)
    yield (
        f"{'game':<10} {'time':>6} {'first':<{first_width}} {'second':<{second_width}} {'+':>5} {'=':>5} {'-':>5} "
        f"{'score':>6} {'Elo':>6}  {'95%':<14} over"
    )
    for result in results:
        (elo, low, high), tally, duel = result.elo, result.tally, result.duel
        seconds = "" if duel.terms.time is None else f"{duel.terms.time / 1000:g} s"
        interval = f"{low:+.0f} to {high:+.0f}"
        over = " ".join(f"{over}/{moves}" for over, moves in zip(result.overruns, result.moves, strict=True))
        yield (
            f"{duel.terms.game:<10} {seconds:>6} {duel.first:<{first_width}} {duel.second:<{second_width}} "
            f"{tally.wins:>5} {tally.draws:>5} {tally.losses:>5} "
            f"{tally.share:>6.1%} {elo:>+6.0f}  {interval:<14} {over}"
        )
