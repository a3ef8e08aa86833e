"""The result of a match, as text and as JSON: which bot is stronger, with the confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from cornered.lab.statistics.elo import elo_of_pairs, normalised_elo

if TYPE_CHECKING:
    from cornered.lab.contests.match import MatchTally
    from cornered.lab.contests.results import Standing, Standings
    from cornered.lab.contests.terms import ContestTerms, PlayedGame
    from cornered.lab.statistics.sprt import Sprt

__all__ = ["MatchResult", "StrongerBot", "elo_in_words", "note", "stronger_bot"]

StrongerBot: TypeAlias = Literal["first", "second", "neither"]
"""The bot that is shown to be stronger."""
FAULTS_SHOWN: Final = 10
DISTINCT_SHARE_MIN: Final = 0.9
"""Share of distinct games below which a warning is printed."""
MORE_OPENINGS: Final = "more --plies, or more lines in --openings, make others"


def note(tally: MatchTally, test: Sprt | None, pace: float) -> str:
    """Return a match's intermediate result in three lines that fit beside a progress bar."""
    low, high = tally.interval
    tested = (
        "" if test is None else f"  LLR {test.llr(tally.pairs):.2f} of {test.bounds[0]:.2f} to {test.bounds[1]:.2f}"
    )
    return (
        f"+{tally.wins} ={tally.draws} -{tally.losses}  {tally.share:.1%} ({100 * low:.0f} to {100 * high:.0f})\n"
        f"Elo {elo_in_words(tally.pairs)}  {pace:.1f}/s\n"
        f"pairs {' '.join(map(str, tally.pairs))}{tested}"
    )


def elo_in_words(pairs: Sequence[int]) -> str:
    """Return the Elo difference of pairs of games with its 95% interval."""
    if not any(pairs):
        return "?"
    difference, low, high = elo_of_pairs(pairs)
    told = f"{difference:+.0f}" if math.isfinite(difference) else "without bound"
    return f"{told} ({_ends(low, high)})"


def _ends(low: float, high: float) -> str:
    """Return the finite ends of an interval in words: a clean sweep has one."""
    match math.isfinite(low), math.isfinite(high):
        case True, True:
            return f"{low:+.0f} to {high:+.0f}"
        case True, False:
            return f"at least {low:+.0f}"
        case False, True:
            return f"at most {high:+.0f}"
        case _:
            return "anything"


def stronger_bot(tally: MatchTally, test: Sprt | None) -> StrongerBot:
    """Return the stronger bot: by the test where there is one, otherwise by the 95% interval of the pairs."""
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
class MatchResult:
    """A finished match: the games that count, in order, and the first bot's results."""

    first: str
    second: str
    terms: ContestTerms
    games: Sequence[PlayedGame]
    tally: MatchTally
    test: Sprt | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two bots, made distinct where they are equal."""
        if self.first != self.second:
            return self.first, self.second
        return f"{self.first} (1)", f"{self.second} (2)"

    def told_apart(self) -> list[PlayedGame]:
        """Return the games with these names."""
        swapped = self.names[::-1]
        return [
            replace(game, fixture=replace(game.fixture, players=swapped if place % 2 else self.names))
            for place, game in enumerate(self.games)
        ]

    def standings(self) -> Standings:
        """Return the standings of the two bots."""
        from cornered.lab.contests.standings import standings

        return standings(self.terms, self.told_apart(), self.names)

    @property
    def different(self) -> int:
        """Number of distinct games."""
        return len({(place % 2, game.moves) for place, game in enumerate(self.games)})

    def words(self) -> str:
        """Return a sentence with the conclusion, and the share of losses by failure.

        Where a bot failed in all of its games these are no measure of its play, so that its failure comes in the place
        of the conclusion.
        """
        if broken := [each.bot for each in self.standings().table if 0 < each.score.games == each.faults]:
            return " ".join(map(self._failed_always, broken))
        failed = [(each.bot, each.faults, each.score.games) for each in self.standings().table if each.faults]
        told = (
            f" {bot} lost {faults:,} of its {games:,} games by failing, not by playing."
            for bot, faults, games in failed
        )
        return self._shown() + "".join(told)

    def _failed_always(self, bot: str) -> str:
        """Return the sentence about a bot that failed in all of its games, with the failure of the first."""
        games = [
            (given, told)
            for given, told in zip(self.games, self.told_apart(), strict=True)
            if told.guilty is not None and told.fixture.players[told.guilty] == bot
        ]
        first, told = games[0]
        assert told.guilty is not None
        fault = first.fault.removeprefix(f"{first.fixture.players[told.guilty]}: ")
        return f"{bot} failed in all {len(games):,} games, so that nothing is shown of its strength: {fault}"

    def _shown(self) -> str:
        tally = self.tally
        if not any(tally.pairs):
            return "Nothing is shown: no pair of games was played."
        if self.test is None:
            return self._by_interval()
        first, second = self.names
        who = stronger_bot(tally, self.test)
        better, worse = (second, first) if who == "second" else (first, second)
        # The test decides between two hypotheses; the interval may also show which bot is stronger.
        also = f" {self._by_interval()}" if who == "neither" and stronger_bot(tally, None) != "neither" else ""
        low, high = self.test.elo0, self.test.elo1
        match self.test.verdict(tally.pairs):
            case None:
                return (
                    f"Not decided: more games must tell a normalised Elo difference of {low:+g} from {high:+g}.{also}"
                )
            case "H1":
                claim, against, error, missing = high, low, self.test.alpha, "weaker"
            case "H0":
                claim, against, error, missing = low, high, self.test.beta, "stronger"
        who_is = f"{first} is not shown to be {missing}" if who == "neither" else f"{better} is stronger than {worse}"
        return (
            f"{who_is}: the test takes a normalised Elo difference of {claim:+g} over one of {against:+g}, "
            f"and errs in at most {100 * error:g}% of such tests.{also}"
        )

    def _by_interval(self) -> str:
        """Return a sentence with the conclusion from the 95% interval of the Elo difference."""
        first, second = self.names
        who = stronger_bot(self.tally, None)
        _, low, high = elo_of_pairs(self.tally.pairs)
        if who == "neither":
            return (
                f"Not shown either way: with 95% confidence the Elo difference of {first} to {second} is "
                f"{_ends(low, high)}, which includes 0; more games tell more."
            )
        better, worse = (second, first) if who == "second" else (first, second)
        less, more = sorted((abs(low), abs(high)))
        by = f"{less:.0f} to {more:.0f}" if math.isfinite(more) else f"{less:.0f} or more"
        return f"{better} is stronger than {worse}, by {by} Elo with 95% confidence."

    def lines(self, width: int | None = None) -> list[str]:
        """Return the result as lines of at most `width` columns."""
        tally, standings = self.tally, self.standings()
        low, high = tally.interval
        seat = standings.first
        rows = [
            ("game", f"{self.terms.load().title} {_options(self.terms)}".strip()),
            ("games", f"{tally.games:,}: {self.names[0]} won {tally.wins}, drew {tally.draws}, lost {tally.losses}"),
            ("score", f"{tally.share:.1%} ({low:.1%} to {high:.1%})"),
            ("Elo", elo_in_words(tally.pairs)),
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
            ("fault", f"game {each.number}, {each.ending}: {each.text}") for each in standings.faults[:FAULTS_SHOWN]
        ]
        if len(standings.faults) > FAULTS_SHOWN:
            rows.append(("", f"and {len(standings.faults) - FAULTS_SHOWN} more games that a bot lost like this"))
        if self.different < DISTINCT_SHARE_MIN * tally.games:
            rows.append(
                ("mind", f"only {self.different} of the games differ, which makes all look surer; {MORE_OPENINGS}")
            )
        told = [f"{name:<8} {text}" for name, text in rows]
        if width is None:
            return [self.words(), "", *told]
        wrapped = (wrap(line, width, subsequent_indent=" " * 9, break_on_hyphens=False) for line in told)
        return [*wrap(self.words(), width, break_on_hyphens=False), "", *chain.from_iterable(wrapped)]

    def as_json(self) -> dict[str, Any]:
        """Return the whole result as JSON-compatible values, with 95% intervals; infinite or unknown values are
        null."""
        from cornered.lab.contests.standings import as_json

        tally, test = self.tally, self.test
        low, high = tally.interval
        return {
            "first": self.first,
            "second": self.second,
            "stronger": stronger_bot(tally, test),
            "words": self.words(),
            "games": tally.games,
            "different_games": self.different,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": {"share": tally.share if tally.games else None, "low": low, "high": high},
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
        from cornered.lab.reports.report import write

        write(folder, self.terms, self.told_apart(), self.names, {**about, "Result": self.words()})


def _options(terms: ContestTerms) -> str:
    told = {name: value for name, value in terms.options.items() if value is not None}
    return " ".join(f"{name}={str(value).lower()}" for name, value in told.items())


def _tested(test: Sprt, tally: MatchTally) -> str:
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
