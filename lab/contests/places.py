"""What games of three and four players come to: places, points by pairs of players, ratings and efforts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from cornered.contests import glicko
from cornered.lab.contests.results import Fault, Glicko
from cornered.lab.contests.standings import total_efforts
from cornered.lab.contests.terms import ENDINGS, FAULT_ENDINGS, ContestTerms, Effort, GameEnding, PlayedGame
from cornered.lab.statistics.bradley_terry import PlacedGame, fit_places

__all__ = ["PlaceStanding", "PlaceStandings", "as_json", "place_standings"]


@dataclass(frozen=True, slots=True)
class PlaceStanding:
    """One bot's row. A game's points are the mean over the other players of 1 for a better place, 0.5 for the same
    and 0 for a worse one; `places` counts its places from the first on, and `seats` has its mean points by seat."""

    bot: str
    games: int
    points: float
    places: tuple[int, ...]
    seats: tuple[float | None, ...]
    elo: float
    """Bradley-Terry rating; `low` and `high` are the ends of its 95% interval."""
    low: float
    high: float
    glicko: Glicko
    effort: Effort
    faults: int

    @property
    def share(self) -> float:
        """Points per game; 0.5 without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def seconds_a_move(self) -> float | None:
        return self.effort.seconds / self.effort.moves if self.effort.moves else None


@dataclass(frozen=True, slots=True)
class PlaceStandings:
    """Results of a contest of games for more than two."""

    terms: ContestTerms
    games: int
    table: tuple[PlaceStanding, ...]
    """Best first: by points per game, then by rating."""
    pairings: Mapping[tuple[str, str], tuple[float, int]]
    """Points of the first bot of the key against the second, and their common games."""
    effect: float
    """Design effect of the ratings' variances: how much larger they are than those of independent results."""
    seats: tuple[float, ...]
    """Mean points by seat, over all games."""
    mean_plies: float
    endings: Mapping[GameEnding, int]
    faults: tuple[Fault, ...]


def place_standings(terms: ContestTerms, games: Sequence[PlayedGame], bots: Sequence[str]) -> PlaceStandings:
    """Return what games between these bots come to. Games that share an opening are one cluster of the ratings.

    In Glicko-2 a game is one result of each player, of its points against the mean of the others.
    """
    seats = terms.load().seats
    placed = [PlacedGame((g.fixture.round, g.fixture.pair), g.fixture.players, g.places) for g in games]
    ratings, effect = fit_places(bots, placed)
    glickos = _glicko(bots, games)
    efforts = total_efforts(games)
    faults = Counter(g.fixture.players[g.guilty] for g in games if g.guilty is not None)
    points: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    places: defaultdict[str, Counter[int]] = defaultdict(Counter)
    against: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for played in games:
        for seat, bot in enumerate(played.fixture.players):
            points[bot, seat].append(played.score(seat))
            places[bot][played.places[seat]] += 1
            for other, opponent in enumerate(played.fixture.players):
                if other != seat:
                    against[bot, opponent].append(played.beaten(seat, other))
    table = [
        PlaceStanding(
            bot,
            sum(places[bot].values()),
            sum(sum(points[bot, seat]) for seat in range(seats)),
            tuple(places[bot][place] for place in range(1, seats + 1)),
            tuple(fmean(points[bot, seat]) if points[bot, seat] else None for seat in range(seats)),
            ratings.elo[bot],
            ratings.low[bot],
            ratings.high[bot],
            glickos[bot],
            efforts.get(bot, Effort()),
            faults[bot],
        )
        for bot in bots
    ]
    table.sort(key=lambda standing: (standing.share, standing.elo), reverse=True)
    endings = Counter(played.ending for played in games)
    return PlaceStandings(
        terms,
        len(games),
        tuple(table),
        {pair: (sum(found), len(found)) for pair, found in against.items()},
        effect,
        tuple(fmean(played.score(seat) for played in games) if games else 0.5 for seat in range(seats)),
        fmean(len(played.moves) for played in games) if games else 0.0,
        {ending: endings[ending] for ending in ENDINGS if endings[ending]},
        tuple(Fault(g.fixture.number, g.ending, g.fault) for g in games if g.fault or g.ending in FAULT_ENDINGS),
    )


def _glicko(bots: Sequence[str], games: Sequence[PlayedGame]) -> dict[str, Glicko]:
    """Return the ratings after one period of all games."""
    start = Glicko()
    results: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for played in games:
        for seat, bot in enumerate(played.fixture.players):
            # All opponents have the rating and deviation of the beginning, and so has their mean.
            results[bot].append((start.rating, start.deviation, played.score(seat)))
    return {bot: Glicko(*glicko.update(start.rating, start.deviation, start.volatility, results[bot])) for bot in bots}


def as_json(found: PlaceStandings) -> dict[str, Any]:
    """Return the standings as JSON-compatible values; what is infinite is null."""
    return {
        "terms": found.terms.as_json(),
        "games": found.games,
        "bots": [_line(place, standing) for place, standing in enumerate(found.table, 1)],
        "pairings": [
            {"bot": one, "opponent": other, "points": points, "games": games}
            for (one, other), (points, games) in found.pairings.items()
        ],
        "design_effect": found.effect,
        "seats": list(found.seats),
        "mean_plies": found.mean_plies,
        "endings": dict(found.endings),
        "faults": [asdict(fault) for fault in found.faults],
    }


def _line(place: int, standing: PlaceStanding) -> dict[str, Any]:
    bounds = {"elo": standing.elo, "low": standing.low, "high": standing.high}
    return {
        "bot": standing.bot,
        "place": place,
        "games": standing.games,
        "points": standing.points,
        "share": standing.share,
        "places": list(standing.places),
        "seats": list(standing.seats),
        "bradley_terry": {name: value if math.isfinite(value) else None for name, value in bounds.items()},
        "glicko": asdict(standing.glicko),
        "moves": standing.effort.moves,
        "seconds": standing.effort.seconds,
        "slowest": standing.effort.slowest,
        "nodes": standing.effort.nodes,
        "faults": standing.faults,
    }
