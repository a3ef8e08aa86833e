"""Table III of the Bamboo paper: round robin of the five heuristics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.bamboo_readings import COMPONENTS, GROUPS, PAIRS, reading_wins
from cornered.lab.experiments.bamboo_round_robin import RADIUS, BambooRoundRobin
from cornered.lab.experiments.bamboo_table_readings import FITTING_READINGS, TRIED, TableReading, log_likelihood
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import PAPER_GAMES, checked, counted
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ADDED",
    "AVERAGED",
    "EVEN_GAMES",
    "EXPERIMENTS",
    "HeuristicVariant",
    "Heuristics",
    "explained",
    "measured_readings",
]

HeuristicPair: TypeAlias = tuple[str, str]

UNIFORM: Final = "uniform"
OUTER: Final = "outer"
GROUP_COUNT: Final = "group count"
SPARSITY: Final = "sparsity"
SPARSITY_AND_OUTER: Final = "sparsity & outer"
EVEN_GAMES: Final = 50
"""Number of games of which every printed share is a count, as it is of `PAPER_GAMES`."""
READING_GAMES: Final[Mapping[Scale, int]] = {"tiny": 1, "quick": 50, "full": 400}
"""Number of games of two readings."""


@dataclass(frozen=True, slots=True)
class HeuristicVariant:
    """The table once more by another reading: `bots` replace those of the same names."""

    suffix: str
    meaning: str
    bots: Mapping[str, str]


ADDED: Final = HeuristicVariant(
    ", colours ignored and distances added",
    "group count and sparsity take all stones alike, and sparsity & outer adds the distances from the closest stone "
    "and from the centre",
    {
        GROUP_COUNT: "bamboo-group-count:colours=ignored",
        SPARSITY: "bamboo-sparsity:distance=closest,colours=ignored",
        SPARSITY_AND_OUTER: "bamboo-sparsity-outer:distance=closest,colours=ignored,combination=sum",
    },
)
AVERAGED: Final = HeuristicVariant(
    ", sparsity by the average",
    "sparsity is the average distance to the own stones, as in section III.A.3",
    {
        SPARSITY: "bamboo-sparsity:distance=average",
        SPARSITY_AND_OUTER: "bamboo-sparsity-outer:distance=average",
    },
)


class Heuristics(BambooRoundRobin):
    name = "bamboo-table-3"
    title = "Table III: the five heuristics against each other"
    source = "bamboo-paper.txt, section V.B, Table III"
    place = 30
    players: ClassVar[Mapping[str, str]] = {
        UNIFORM: "bamboo-uniform",
        OUTER: "bamboo-outer",
        GROUP_COUNT: "bamboo-group-count:colours=own",
        SPARSITY: "bamboo-sparsity:distance=closest",
        SPARSITY_AND_OUTER: "bamboo-sparsity-outer:distance=closest,combination=ties",
    }
    printed: ClassVar[Mapping[HeuristicPair, float]] = {
        (OUTER, UNIFORM): 100,
        (GROUP_COUNT, UNIFORM): 36,
        (SPARSITY, UNIFORM): 44,
        (SPARSITY_AND_OUTER, UNIFORM): 100,
        (GROUP_COUNT, OUTER): 0,
        (SPARSITY, OUTER): 0,
        (SPARSITY_AND_OUTER, OUTER): 12,
        (SPARSITY, GROUP_COUNT): 54,
        (SPARSITY_AND_OUTER, GROUP_COUNT): 100,
        (SPARSITY_AND_OUTER, SPARSITY): 100,
    }

    def games(self, first: str, second: str, scale: Scale) -> int:
        del first, second
        return {"tiny": 2, "quick": 100, "full": 1000}[scale]

    def row(self, label: str, pair: HeuristicPair, tally: Tally) -> FigureRow:
        by_even = counted(label, self.printed[pair], tally, of=EVEN_GAMES)
        return replace(super().row(label, pair, tally), note=f"as {EVEN_GAMES} printed games: {by_even.verdict}")

    def variant_row(self, variant: HeuristicVariant, pair: HeuristicPair, tally: Tally) -> FigureRow:
        """Return the row of a pair by another reading, which says so where the reading was chosen for its fit."""
        row = self.row(f"{pair[0]} against {pair[1]}{variant.suffix}", pair, tally)
        return replace(row, note=f"reading chosen to fit; {row.note}") if variant is ADDED else row

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        literal, notes, series = super().run(lab)
        rows = {"": dict(zip(map(tuple, series["pairs"]), literal, strict=True))}
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        for step, variant in (("added", ADDED), ("averaged", AVERAGED)):
            bots = {**self.players, **variant.bots}
            pairs = [pair for pair in self.printed if set(variant.bots) & set(pair)]
            asked = [(bots[a], bots[b], self.games(a, b, lab.scale)) for a, b in pairs]
            rows[variant.suffix] = {
                pair: self.variant_row(variant, pair, meeting.tally)
                for pair, meeting in zip(pairs, lab.meet(step, terms, asked), strict=True)
            }
        tried = measured_readings(lab)
        explanations = {
            suffix: [explained(row, pair, rows, tried) for pair, row in by_pair.items()]
            for suffix, by_pair in rows.items()
        }
        # A reading that was chosen because it fits could hardly differ, so that its rows count as no agreement.
        explanations[ADDED.suffix] = [checked(row) for row in explanations[ADDED.suffix]]
        every = [row for listed in explanations.values() for row in listed]
        every += [_reading_row(reading, tried[reading.label], list(self.players)) for reading in TRIED]
        return every, [*notes, *_verdict_notes(every), *_reading_notes(tried, rows)], series

    def notes(self, rows: Mapping[HeuristicPair, FigureRow]) -> list[str]:
        del rows
        return [
            f"Size {RADIUS}, the paper's usual board; every pair has half of its games with either bot first. The "
            'first ten rows follow Table I to the letter: "maximise the number of player groups", "maximise distance '
            'to closest friendly tile", and "sparsity breaking ties with outer weighted". Section III.A.3 defines '
            "sparsity once more, by the average distance to all own stones.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(7.2, 8.6)
        upper, lower = figure.subplots(2, 1)
        for axes, suffix, reading in ((upper, "", "Table I to the letter"), (lower, ADDED.suffix, ADDED.suffix[2:])):
            self.draw(axes, finding, suffix)
            axes.set_title(f"{reading}: the row's wins; bold where the paper differs", fontsize=9)


def measured_readings(lab: Laboratory) -> dict[str, dict[HeuristicPair, Tally]]:
    """Return the tallies of Table III's pairs by the label of each reading in `TRIED`. Two readings meet once, however
    many of these they belong to."""
    names, games = list(Heuristics.players), READING_GAMES[lab.scale]
    meetings = {
        (reading.label, pair): (*(reading.players[names.index(name)] for name in pair), reading.radius)
        for reading in TRIED
        for pair in Heuristics.printed
    }
    unique = list(dict.fromkeys(meetings.values()))
    items = [(*unlike, lab.seed, 0, games) for unlike in unique]
    wins = dict(zip(unique, lab.measure("readings", reading_wins, items), strict=True))
    return {
        reading.label: {pair: Tally.of(wins[meetings[reading.label, pair]], games) for pair in Heuristics.printed}
        for reading in TRIED
    }


def explained(
    row: FigureRow,
    pair: HeuristicPair,
    rows: Mapping[str, Mapping[HeuristicPair, FigureRow]],
    tried: Mapping[str, Mapping[HeuristicPair, Tally]],
) -> FigureRow:
    """Return the row with a reading that agrees with the printed share of its pair, if there is one."""
    meanings = {"": "Table I is followed to the letter", ADDED.suffix: ADDED.meaning, AVERAGED.suffix: AVERAGED.meaning}
    for suffix, by_pair in rows.items():
        other = by_pair.get(pair)
        if other is not None and other.verdict == "agrees":
            why = f'"{other.label}" fits, with {other.ours:.1f}%: {meanings[suffix]}.'
            if suffix == ADDED.suffix:
                why += f" It was chosen out of {len(TRIED)} readings because it fits."
            return row.because("definition", why)
    for label in sorted(tried, key=lambda label: -_likelihood(tried[label], PAPER_GAMES)):
        if counted("", Heuristics.printed[pair], tried[label][pair]).verdict == "agrees":
            share = 100 * tried[label][pair].share
            return row.because(
                "definition",
                f'Of the {len(tried)} readings of the table that were tried, "{label}" agrees here, with {share:.1f}%. '
                "It was chosen because it fits.",
            )
    why = f"None of the {len(tried)} readings that were tried agrees for this pair."
    for by_pair in rows.values():
        other = by_pair.get(pair)
        if other is not None and other.verdict == "unclear":
            why = f'"{other.label}" may agree, with {other.ours:.1f}%; there are too few games to tell.'
    return row.because("unexplained", why)


def _likelihood(tallies: Mapping[HeuristicPair, Tally], games: int, player: str = "") -> float:
    """Return the log-likelihood of the printed table, or of the pairs of one player, for so many printed games. Half a
    success is added on either side, since no share is 0 or 1 for certain."""
    pairs = [pair for pair in Heuristics.printed if not player or player in pair]
    shares = [(tallies[pair].successes + 0.5) / (tallies[pair].trials + 1) for pair in pairs]
    return log_likelihood(shares, [Heuristics.printed[pair] for pair in pairs], games)


def _reading_row(reading: TableReading, tallies: Mapping[HeuristicPair, Tally], players: Sequence[str]) -> FigureRow:
    """Return the row of a reading: the pair that it is about, and in its note the whole table."""
    pair = {1: (OUTER, UNIFORM), 2: (GROUP_COUNT, UNIFORM), 4: (SPARSITY_AND_OUTER, OUTER)}[reading.changed]
    shares = ", ".join(f"{100 * tallies[two].share:.0f}" for two in Heuristics.printed)
    note = (
        f"the ten pairs {shares}; log-likelihood {_likelihood(tallies, PAPER_GAMES):.0f} of {PAPER_GAMES} printed "
        f"games, {_likelihood(tallies, EVEN_GAMES):.0f} of {EVEN_GAMES}"
    )
    subject = players[reading.changed]
    return counted(f"tried for {subject}: {reading.label}; {pair[0]} against {pair[1]}", None, tallies[pair], note=note)


def _verdict_notes(rows: Sequence[FigureRow]) -> list[str]:
    judged = [row for row in rows if row.verdict not in ("new", "apart")]
    changed = [row for row in judged if not row.note.endswith(row.verdict)]
    shares = list(Heuristics.printed.values())
    inner = [share for share in shares if 0 < share < 100]
    share = Heuristics.printed[GROUP_COUNT, UNIFORM]
    odds = " and ".join(
        f"{share * games / 100:.0f} of {games} (p = {_p_of_half(round(share * games / 100), games):.3f})"
        for games in (PAPER_GAMES, EVEN_GAMES)
    )
    return [
        f"The text does not say how many games Table III has. All its shares are even, the {len(inner)} that are not "
        f"0% or 100% too, which of {PAPER_GAMES} games has a chance of 1 in {2 ** len(inner)}; and the 36% has no star "
        f"for a significant difference from one half, where the exact binomial test gives {odds}. So "
        f"{EVEN_GAMES} games are likelier. The verdicts are those of {PAPER_GAMES} games, as elsewhere in the paper. "
        f"By {EVEN_GAMES} games, which are too few to agree with a share near one half, {len(changed)} of the "
        f"{len(judged)} verdicts change; the note of each row has its own.",
    ]


def _p_of_half(wins: int, games: int) -> float:
    """Return the two-sided exact p-value of so many wins where the true share is one half."""
    fewer = min(wins, games - wins)
    return min(1.0, 2.0 * sum(comb(games, k) for k in range(fewer + 1)) / (1 << games))


def _reading_notes(
    tried: Mapping[str, Mapping[HeuristicPair, Tally]], rows: Mapping[str, Mapping[HeuristicPair, FigureRow]]
) -> list[str]:
    by_players = {reading.players: tried[reading.label] for reading in TRIED if reading.radius == RADIUS}
    uniform, outer, _, *others = FITTING_READINGS
    own = by_players[uniform, outer, GROUPS, *others]
    alike = by_players[uniform, outer, COMPONENTS, *others]
    order = sorted(TRIED, key=lambda reading: -_likelihood(tried[reading.label], PAPER_GAMES))
    literal = TRIED[1]
    by_ties, by_sum = (rows[suffix][SPARSITY_AND_OUTER, OUTER] for suffix in ("", ADDED.suffix))
    pairs = by_players[uniform, outer, PAIRS, *others]
    signed = next(reading for reading in TRIED if reading.changed == 1)
    listed = "; ".join(f"{reading.label} {_likelihood(tried[reading.label], PAPER_GAMES):.1f}" for reading in order[:5])
    games = alike[OUTER, UNIFORM].trials
    return [
        "Group count: the printed row (36% against uniform, 0%, 46% and 0%) has the log-likelihood "
        f"{_likelihood(own, PAPER_GAMES, GROUP_COUNT):.0f} where groups are the player's own, as the text has it, and "
        f"{_likelihood(alike, PAPER_GAMES, GROUP_COUNT):.0f} where they are the connected components of all stones, "
        f"colours ignored; {_likelihood(own, EVEN_GAMES, GROUP_COUNT):.0f} and "
        f"{_likelihood(alike, EVEN_GAMES, GROUP_COUNT):.0f} for {EVEN_GAMES} printed games. The other four players are "
        f'those of the reading "{TRIED[0].label}". By section II a group has two stones or more; the rows of Table I '
        "count single stones, as the rules do. By section II group count wins "
        f"{100 * pairs[GROUP_COUNT, UNIFORM].share:.1f}% against uniform, and the printed row has the "
        f"log-likelihood {_likelihood(pairs, PAPER_GAMES, GROUP_COUNT):.0f}.",
        f"{len(TRIED)} readings of the whole table were measured, with {games:,} games a pair: other distances and "
        "other sets of stones, ties broken otherwise, weights and orders of the two terms, groups of two stones or "
        "more, reversed preferences, a comparator that is not transitive, and other sizes. By the log-likelihood of "
        f"the printed table for {PAPER_GAMES} games the best are: {listed}; Table I to the letter has "
        f"{_likelihood(tried[literal.label], PAPER_GAMES):.1f}. The second table here, colours ignored and distances "
        f"added, is number {order.index(TRIED[0]) + 1}. Readings a few units apart cannot be told from each other; and "
        "one that is chosen out of so many because it fits is a likely explanation, not a confirmed one.",
        "Sparsity & outer: where outer only breaks the ties of sparsity, the player leaves the rim as soon as cells "
        "inside are farther from its stones; by Table I to the letter it wins "
        f"{by_ties.ours:.1f}% against outer. Where both distances are added and colours are ignored, it wins "
        f"{by_sum.ours:.1f}%; 12% are printed. "
        "By its caption, the paper's Figure 5 shows one number for each move: a sum is one number, and a distance with "
        "a rule for ties is two.",
        "Section III.A.1 prints the distance from the centre as max(v), without absolute values, which prefers three "
        "of the six edges. Outer by that wins "
        f"{100 * tried[signed.label][OUTER, UNIFORM].share:.1f}% against uniform, and the table has the "
        f"log-likelihood {_likelihood(tried[signed.label], PAPER_GAMES):.1f}, beside "
        f"{_likelihood(alike, PAPER_GAMES):.1f} with absolute values.",
    ]


EXPERIMENTS = (Heuristics(),)
