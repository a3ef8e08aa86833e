"""What the games of a contest add up to: a pure function from games to points, ratings and all that a report shows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby, starmap
from statistics import fmean, median
from typing import Any, TypeVar

from cornered.contests import glicko
from cornered.lab.contests.results import Fault, Glicko, Lengths, Opened, Order, Score, Standing, Standings
from cornered.lab.contests.terms import ENDINGS, FAULT_ENDINGS, ContestTerms, Effort, PlayedGame
from cornered.lab.statistics import bradley_terry

__all__ = ["as_json", "standings", "total_efforts"]

K = TypeVar("K", bound=Hashable)


def standings(
    terms: ContestTerms,
    games: Sequence[PlayedGame],
    bots: Sequence[str],
    *,
    ranking: Sequence[str] = (),
    byes: Mapping[str, int] | None = None,
) -> Standings:
    """Return what games between these bots come to.

    `ranking` is all bots in the order in which the contest's own rules place them, where it has any; `byes` says who
    won how many rounds without a game. Raises a ValueError for a bot that is not among `bots`.
    """
    names = tuple(dict.fromkeys(bots))
    for bot in (*(bot for played in games for bot in played.fixture.players), *ranking):
        if bot not in names:
            raise ValueError(f"{bot} is not in this contest; its bots are {', '.join(names)}")
    between = [played for played in games if len(set(played.fixture.players)) == 2]
    pairings = _scores((pair, score) for pair, _, score in _meetings(between))
    ratings = bradley_terry.fit(names, {pair: (s.wins, s.draws, s.losses) for pair, s in _once(pairings).items()})
    periods = [list(period) for _, period in groupby(sorted(between, key=_round), key=_round)]
    table = _table(names, games, ratings, _glicko(names, periods), byes or {})
    order: Order = "points" if len({standing.score.games for standing in table}) == 1 else "rating"
    table.sort(key=_by_points if order == "points" else _by_rating, reverse=True)
    if ranking:
        order = "contest"
        table.sort(key=lambda standing: ranking.index(standing.bot))
    return Standings(
        terms,
        order,
        tuple(table),
        pairings,
        _pairs(between, table[0].bot) if len(table) == 2 else (),
        {pair: ratings.superiority[pair] for pair in ratings.superiority if pair[0] != pair[1]} if between else {},
        _scores((0, played.score(0)) for played in games).get(0, Score()),
        _openings(games),
        _lengths(games),
        {ending: count for ending in ENDINGS if (count := [played.ending for played in games].count(ending))},
        tuple(Fault(g.fixture.number, g.ending, g.fault) for g in games if g.fault or g.ending in FAULT_ENDINGS),
        len(periods),
    )


def _table(
    names: Sequence[str],
    games: Sequence[PlayedGame],
    ratings: bradley_terry.Ratings,
    glickos: Mapping[str, Glicko],
    byes: Mapping[str, int],
) -> list[Standing]:
    """Return the line of each bot, in the order of `names`."""
    between = [played for played in games if len(set(played.fixture.players)) == 2]
    scores = _scores((bot, score) for (bot, _), _, score in _meetings(between))
    by_seat = _scores(((bot, seat), g.score(seat)) for g in games for seat, bot in enumerate(g.fixture.players))
    breaks = _tie_breaks(names, between, byes)
    efforts = total_efforts(games)
    faults = Counter(_guilty(played) for played in games if played.ending in FAULT_ENDINGS)
    return [
        Standing(
            bot,
            scores.get(bot, Score()),
            (by_seat.get((bot, 0), Score()), by_seat.get((bot, 1), Score())),
            byes.get(bot, 0),
            *breaks[bot],
            ratings.elo[bot],
            ratings.low[bot],
            ratings.high[bot],
            glickos[bot],
            efforts.get(bot, Effort()),
            faults[bot],
        )
        for bot in names
    ]


def _round(played: PlayedGame) -> int:
    return played.fixture.round


def _meetings(games: Iterable[PlayedGame]) -> Iterator[tuple[tuple[str, str], int, float]]:
    """Yield each game twice: who played whom, in which round, and what it was worth to the first."""
    for played in games:
        first, second = played.fixture.players
        yield (first, second), played.fixture.round, played.score(0)
        yield (second, first), played.fixture.round, played.score(1)


def _scores(results: Iterable[tuple[K, float]]) -> dict[K, Score]:
    counts: defaultdict[K, Counter[float]] = defaultdict(Counter)
    for key, score in results:
        counts[key][score] += 1
    return {key: Score(count[1.0], count[0.5], count[0.0]) for key, count in counts.items()}


def _once(pairings: Mapping[tuple[str, str], Score]) -> dict[tuple[str, str], Score]:
    """Return each pairing from one side only: the one that comes first."""
    once: dict[tuple[str, str], Score] = {}
    for (one, other), score in pairings.items():
        if (other, one) not in once:
            once[one, other] = score
    return once


def _pairs(games: Iterable[PlayedGame], bot: str) -> tuple[int, ...]:
    """Count the whole pairs of games between two bots by what one of them scored in both."""
    scores: defaultdict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    for played in games:
        fixture = played.fixture
        scores[fixture.round, fixture.pair][fixture.players.index(bot)] = played.score_of(bot)
    whole = Counter(round(2 * sum(pair.values())) for pair in scores.values() if len(pair) == 2)
    return tuple(whole[halves] for halves in range(5))


def _tie_breaks(
    names: Sequence[str], games: Iterable[PlayedGame], byes: Mapping[str, int]
) -> dict[str, tuple[float, float, float]]:
    """Return match points, Buchholz and Sonneborn-Berger; a bye counts as a win against a virtual opponent with the
    bot's own points."""
    met = _scores(((pair, round_), score) for pair, round_, score in _meetings(games))
    points = {name: float(byes.get(name, 0)) for name in names}
    for ((bot, _), _), score in met.items():
        points[bot] += score.share
    breaks = {name: (points[name] * byes.get(name, 0),) * 2 for name in names}
    for ((bot, opponent), _), score in met.items():
        buchholz, sonneborn_berger = breaks[bot]
        breaks[bot] = buchholz + points[opponent], sonneborn_berger + points[opponent] * score.share
    return {name: (points[name], *breaks[name]) for name in names}


def _glicko(names: Sequence[str], periods: Iterable[Iterable[PlayedGame]]) -> dict[str, Glicko]:
    """Return the ratings after all periods; within a period, opponents count with their ratings before it."""
    ratings = {name: Glicko() for name in names}
    for period in periods:
        results: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
        for (bot, opponent), _, score in _meetings(period):
            results[bot].append((ratings[opponent].rating, ratings[opponent].deviation, score))
        ratings = {
            name: Glicko(*glicko.update(before.rating, before.deviation, before.volatility, results[name]))
            for name, before in ratings.items()
        }
    return ratings


def total_efforts(games: Iterable[PlayedGame]) -> dict[str, Effort]:
    efforts: defaultdict[str, Effort] = defaultdict(Effort)
    for played in games:
        for bot, effort in zip(played.fixture.players, played.efforts, strict=True):
            so_far = efforts[bot]
            efforts[bot] = Effort(
                so_far.moves + effort.moves,
                so_far.seconds + effort.seconds,
                max(so_far.slowest, effort.slowest),
                so_far.nodes + effort.nodes,
                so_far.depths + effort.depths,
                so_far.overruns + effort.overruns,
            )
    return dict(efforts)


def _guilty(played: PlayedGame) -> str | None:
    return None if played.guilty is None else played.fixture.players[played.guilty]


def _openings(games: Iterable[PlayedGame]) -> tuple[Opened, ...]:
    scores = _scores((played.fixture.opening, played.score(0)) for played in games)
    return tuple(sorted(starmap(Opened, scores.items()), key=lambda each: -each.score.games))


def _lengths(games: Sequence[PlayedGame]) -> Lengths | None:
    plies = [len(played.moves) for played in games]
    return Lengths(fmean(plies), float(median(plies)), min(plies), max(plies)) if plies else None


def _by_points(standing: Standing) -> tuple[float, ...]:
    return standing.score.points, standing.buchholz, standing.sonneborn_berger, standing.elo


def _by_rating(standing: Standing) -> tuple[float, ...]:
    return (standing.elo,)


def as_json(standings: Standings) -> dict[str, Any]:
    """Return standings as JSON holds them, with every share and interval; what is infinite or unknown is null."""
    return {
        "terms": standings.terms.as_json(),
        "games": standings.games,
        "order": standings.order,
        "bots": [_line(place, standing) for place, standing in enumerate(standings.table, 1)],
        "pairings": [
            {"bot": one, "opponent": other, **_score(score)} for (one, other), score in standings.pairings.items()
        ],
        "pairs": list(standings.pairs),
        "superiority": [
            {"bot": one, "opponent": other, "probability": share}
            for (one, other), share in standings.superiority.items()
        ],
        "first_seat": _score(standings.first),
        "openings": [{"opening": list(each.opening), **_score(each.score)} for each in standings.openings],
        "lengths": None if standings.lengths is None else asdict(standings.lengths),
        "endings": dict(standings.endings),
        "faults": [asdict(fault) for fault in standings.faults],
        "glicko_periods": standings.periods,
    }


def _score(score: Score) -> dict[str, Any]:
    low, high = score.interval
    share = {"share": score.share, "low": low, "high": high} if score.games else {}
    return {**asdict(score), "games": score.games, "points": score.points, **share}


def _line(place: int, standing: Standing) -> dict[str, Any]:
    bounds = {"elo": standing.elo, "low": standing.low, "high": standing.high}
    return {
        "bot": standing.bot,
        "place": place,
        "score": _score(standing.score),
        "seats": [_score(score) for score in standing.seats],
        "byes": standing.byes,
        "match_points": standing.match_points,
        "buchholz": standing.buchholz,
        "sonneborn_berger": standing.sonneborn_berger,
        "bradley_terry": {name: value if math.isfinite(value) else None for name, value in bounds.items()},
        "glicko": asdict(standing.glicko),
        "moves": standing.effort.moves,
        "seconds": standing.effort.seconds,
        "slowest": standing.effort.slowest,
        "nodes": standing.effort.nodes,
        "seconds_a_move": standing.seconds_a_move,
        "nodes_a_move": standing.nodes_a_move,
        "nodes_a_second": standing.nodes_a_second,
        "mean_depth": standing.mean_depth,
        "faults": standing.faults,
    }
