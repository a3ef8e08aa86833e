"""What a match has shown, for people and as JSON: who is stronger, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from bots.statistics.elo import elo_of_pairs, normalised_elo
from bots.statistics.wilson import wilson

if TYPE_CHECKING:
    from bots.lab.match import Tally
    from bots.lab.results import Standing, Standings
    from bots.lab.terms import Played, Terms
    from bots.statistics.sprt import Sprt

__all__ = ["Result", "Shown", "note", "shown"]

Shown: TypeAlias = Literal["first", "second", "neither"]
"""Which of two bots is shown to be the stronger one."""
SHOWN_FAULTS: Final = 10
MANY: Final = 0.9
"""A smaller share of games that differ than this is worth a word."""
MORE: Final = "more --plies, or more lines in --openings, make others"


def note(tally: Tally, test: Sprt | None, pace: float) -> str:
    """Return how a match stands, in three lines that fit beside a bar."""
    points = tally.wins + tally.draws / 2
    low, high = wilson(points, tally.games)
    share = points / tally.games if tally.games else 0.5
    tested = "" if test is None else f"  LLR {test.llr(tally.pairs):.2f} of {_ends(*test.bounds, '.2f')}"
    return (
        f"+{tally.wins} ={tally.draws} -{tally.losses}  {share:.1%} ({100 * low:.0f} to {100 * high:.0f})\n"
        f"Elo {_elo(tally)}  {pace:.1f}/s\n"
        f"pairs {' '.join(map(str, tally.pairs))}{tested}"
    )


def _elo(tally: Tally) -> str:
    if not any(tally.pairs):
        return "?"
    difference, low, high = elo_of_pairs(tally.pairs)
    return f"{_signed(difference)} ({_ends(low, high)})"


def _signed(value: float, form: str = "+.0f") -> str:
    return format(value, form) if math.isfinite(value) else "without bound"


def _ends(low: float, high: float, form: str = "+.0f") -> str:
    return f"{_signed(low, form)} to {_signed(high, form)}"


def shown(tally: Tally, test: Sprt | None) -> Shown:
    """Say who is shown to be stronger: by the test where there is one, otherwise by the 95% interval of the pairs."""
    if not any(tally.pairs):
        return "neither"
    if test is not None:
        verdict = test.verdict(tally.pairs)
        if verdict == "H1" and test.elo0 >= 0:
            return "first"
        return "second" if verdict == "H0" and test.elo1 <= 0 else "neither"
    _, low, high = elo_of_pairs(tally.pairs)
    return "first" if low > 0 else "second" if high < 0 else "neither"


@dataclass(frozen=True, slots=True)
class Result:
    """A match that is over: the games that count, in their order, and what they come to for the first bot."""

    first: str
    second: str
    terms: Terms
    games: Sequence[Played]
    tally: Tally
    test: Sprt | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The two bots, told apart where they are the same."""
        if self.first != self.second:
            return self.first, self.second
        return f"{self.first} (1)", f"{self.second} (2)"

    def told_apart(self) -> list[Played]:
        """Return the games with these names."""
        swapped = self.names[::-1]
        return [
            replace(game, fixture=replace(game.fixture, players=swapped if place % 2 else self.names))
            for place, game in enumerate(self.games)
        ]

    def standings(self) -> Standings:
        """Return what the games come to for each bot."""
        from bots.lab.standings import standings

        return standings(self.terms, self.told_apart(), self.names)

    @property
    def different(self) -> int:
        """How many of the games differ from all others before them."""
        return len({(place % 2, game.moves) for place, game in enumerate(self.games)})

    def words(self) -> str:
        """Say in a sentence what is shown."""
        tally = self.tally
        if not any(tally.pairs):
            return "Nothing is shown: no pair of games was played."
        first, second = self.names
        who = shown(tally, self.test)
        better, worse = (second, first) if who == "second" else (first, second)
        if self.test is None:
            _, low, high = elo_of_pairs(tally.pairs)
            if who == "neither":
                return (
                    f"Not shown either way: the Elo difference of {first} to {second} is with 95% confidence from "
                    f"{_ends(low, high)}, which includes 0; more games tell more."
                )
            less, more = sorted((abs(low), abs(high)))
            by = f"{less:.0f} to {more:.0f}" if math.isfinite(more) else f"{less:.0f} or more"
            return f"{better} is stronger than {worse}, by {by} Elo with 95% confidence."
        low, high = self.test.elo0, self.test.elo1
        match self.test.verdict(tally.pairs):
            case None:
                return f"Not decided: more games must tell a normalised Elo difference of {low:+g} from {high:+g}."
            case "H1":
                claim, against, error, missing = high, low, self.test.alpha, "weaker"
            case "H0":
                claim, against, error, missing = low, high, self.test.beta, "stronger"
        who_is = f"{first} is not shown to be {missing}" if who == "neither" else f"{better} is stronger than {worse}"
        return (
            f"{who_is}: the test takes a normalised Elo difference of {claim:+g} over one of {against:+g}, "
            f"and errs in at most {error:.0%} of such tests."
        )

    def lines(self) -> list[str]:
        """Return the result as people read it."""
        tally, standings = self.tally, self.standings()
        points = tally.wins + tally.draws / 2
        low, high = wilson(points, tally.games)
        seat = standings.first
        rows = [
            ("game", f"{self.terms.load().title} {_options(self.terms)}".strip()),
            ("games", f"{tally.games:,}: {self.names[0]} won {tally.wins}, drew {tally.draws}, lost {tally.losses}"),
            ("score", f"{points / max(tally.games, 1):.1%} ({low:.1%} to {high:.1%})"),
            ("Elo", _elo(tally)),
            ("pairs", f"{' '.join(map(str, tally.pairs))} with 0, 0.5, 1, 1.5 and 2 points"),
        ]
        if self.test is not None:
            rows.append(("test", _tested(self.test, tally)))
        if seat.games:
            low, high = seat.interval
            rows.append(("seats", f"the first scores {seat.share:.1%} ({low:.1%} to {high:.1%})"))
        if standings.lengths is not None:
            lengths = standings.lengths
            rows.append(("length", f"{lengths.mean:.1f} plies, {lengths.shortest} to {lengths.longest}"))
        rows += [("a move", f"{each.bot}: {_spent(each)}") for each in standings.table]
        endings = ", ".join(f"{count} {ending}" for ending, count in standings.endings.items())
        if set(standings.endings) - {"rules"}:
            rows.append(("endings", endings))
        rows += [
            ("fault", f"game {each.number}, {each.ending}: {each.text}") for each in standings.faults[:SHOWN_FAULTS]
        ]
        if len(standings.faults) > SHOWN_FAULTS:
            rows.append(("", f"and {len(standings.faults) - SHOWN_FAULTS} more games that a bot lost like this"))
        if self.different < MANY * tally.games:
            rows.append(("mind", f"only {self.different} of the games differ, which makes all look surer; {MORE}"))
        return [self.words(), "", *(f"{name:<8} {text}" for name, text in rows)]

    def as_json(self) -> dict[str, Any]:
        """Return all that the match says, intervals with 95% confidence; what is infinite or unknown is null."""
        from bots.lab.standings import as_json

        tally, test = self.tally, self.test
        points = tally.wins + tally.draws / 2
        low, high = wilson(points, tally.games)
        return {
            "first": self.first,
            "second": self.second,
            "stronger": shown(tally, test),
            "words": self.words(),
            "games": tally.games,
            "different_games": self.different,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": {"share": points / tally.games if tally.games else None, "low": low, "high": high},
            "elo": _interval(elo_of_pairs(tally.pairs)),
            "normalised_elo": _interval(normalised_elo(tally.pairs)),
            "pairs": list(tally.pairs),
            "sprt": None
            if test is None
            else {
                **asdict(test),
                "llr": test.llr(tally.pairs),
                "bounds": list(test.bounds),
                "verdict": test.verdict(tally.pairs),
            },
            "standings": as_json(self.standings()),
        }

    def write(self, folder: Path, about: Mapping[str, str]) -> None:
        """Write the report into the folder of the games."""
        from bots.lab.report import write

        write(folder, self.terms, self.told_apart(), self.names, {**about, "Result": self.words()})


def _options(terms: Terms) -> str:
    told = {name: value for name, value in terms.options.items() if value is not None}
    return " ".join(f"{name}={str(value).lower()}" for name, value in told.items())


def _tested(test: Sprt, tally: Tally) -> str:
    low, high = test.bounds
    return (
        f"log-likelihood ratio {test.llr(tally.pairs):.2f}, of {low:.2f} for {test.elo0:+g} "
        f"to {high:.2f} for {test.elo1:+g} normalised Elo"
    )


def _spent(standing: Standing) -> str:
    seconds, nodes, depth = standing.seconds_a_move, standing.nodes_a_move, standing.mean_depth
    slowest = standing.effort.slowest
    told = [
        "no moves" if seconds is None else f"{_milliseconds(seconds)} ms, at most {_milliseconds(slowest)}",
        *([] if nodes is None else [f"{nodes:,.0f} nodes"]),
        *([] if depth is None else [f"depth {depth:.1f}"]),
    ]
    return ", ".join(told)


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f}" if seconds >= 0.1 else f"{1000 * seconds:.2g}"


def _interval(values: tuple[float, float, float]) -> dict[str, float | None]:
    names = "difference", "low", "high"
    return {name: value if math.isfinite(value) else None for name, value in zip(names, values, strict=True)}
