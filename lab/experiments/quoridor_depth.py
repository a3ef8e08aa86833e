"""Cost and gain in strength of one more ply of search for Quoridor's printed player."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Effort, PlayedGame
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, Span
from cornered.lab.experiments.judging import checked, mean, pooled, share, timed
from cornered.lab.experiments.laboratory import Laboratory, opening_cluster, tally_of
from cornered.lab.experiments.quoridor_nodes import CLAIMED_NODES, DEPTHS
from cornered.lab.experiments.readings import settled
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorDepth", "bot_name", "difference"]

TIMES_MS: Final = {5: {1: 1.0, 2: 20.0, 3: 400.0, 4: 8_000.0}, 9: {1: 5.0, 2: 200.0, 3: 5_000.0, 4: 120_000.0}}
"""Milliseconds a move, by size and depth."""
GAINS_POINTS: Final = {2: (15.0, 20.0), 3: (8.0, 12.0), 4: (3.0, 5.0)}
"""Gain in win rate over the previous depth, in percentage points."""
EVEN_PERCENT: Final = 50.0
PAIRS_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 3, 9: 1},
    "quick": {5: 100, 9: 60},
    "full": {5: 1000, 9: 150},
}
MAX_DEPTH: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 3, 9: 2},
    "quick": {5: 4, 9: 3},
    "full": {5: 4, 9: 4},
}
FIXED_OPPONENTS: Final = {"depth 1": "quoridor-classic:depth=1", "path": "quoridor-path", "random": "random"}
"""Players that every depth meets, so that a gain can be read as the difference of two win rates."""
FIXED_PAIRS_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 3, 9: 1},
    "quick": {5: 100, 9: 30},
    "full": {5: 500, 9: 60},
}
RANDOM_PAIRS: Final = 50
"""Maximum number of pairs against the random player, which hardly ever wins."""
OPENING_PLIES: Final = 2
Weighted: TypeAlias = tuple[float, float, Hashable]
"""A game's two parts of a ratio, and what it shares with games that may be alike."""
CANDIDATES: Final = 8 + 5
"""Most moves that the printed search looks at in a position: 8 walls and, with a jump to either side, 5 steps."""
MISSING: Final = "The specification does not say against which opponent, nor on which board, a depth gains."


def bot_name(depth: int) -> str:
    """Return the bot that searches to `depth` plies."""
    return f"quoridor-classic:depth={depth}"


class QuoridorDepth(Experiment):
    name = "quoridor-depth"
    title = "Quoridor's depth against time and win rate"
    source = "quoridor-specification.txt, Search Depth Trade-offs"
    place = 3

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        gains: list[FigureRow] = []
        costs: list[FigureRow] = []
        spent: dict[str, list[float]] = {}
        for size in TIMES_MS:
            terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
            matches: dict[int, list[PlayedGame]] = {}
            for depth in range(2, MAX_DEPTH[lab.scale][size] + 1):
                pairs = PAIRS_BY_SCALE[lab.scale][size]
                fixtures = list(paired(bot_name(depth), bot_name(depth - 1), random_plies(terms, OPENING_PLIES), pairs))
                matches[depth] = lab.play(f"size-{size}-depth-{depth}", terms, fixtures)
                gains.append(_gain(f"{size}x{size}, depth {depth} against {depth - 1}", depth, matches[depth]))
            for opponent in FIXED_OPPONENTS:
                gains += self._gains_against(lab, terms, size, opponent)
            rows, figures = _costs(size, matches)
            costs += rows
            spent |= {f"{size} {depth}": [TIMES_MS[size][depth], *figures[depth]] for depth in figures}
        settled_gains: dict[str, FigureRow] = {}
        for depth in GAINS_POINTS:
            same = [row for row in gains if f", depth {depth} " in row.label]
            settled_gains |= {row.label: row for row in settled(same, MISSING)}
        gains = [settled_gains[row.label] for row in gains]
        return [*gains, *costs], self._notes(gains), {"spent": spent}

    def _gains_against(self, lab: Laboratory, terms: ContestTerms, size: int, opponent: str) -> list[FigureRow]:
        """Return the rows of how much more each depth scores against one opponent than the depth before it."""
        pairs = FIXED_PAIRS_BY_SCALE[lab.scale][size]
        if opponent == "random":
            pairs = min(pairs, RANDOM_PAIRS)
        rows: list[FigureRow] = []
        before: list[PlayedGame] = []
        for depth in range(1, MAX_DEPTH[lab.scale][size] + 1):
            player, other = bot_name(depth), FIXED_OPPONENTS[opponent]
            if player == other:
                continue
            fixtures = list(paired(player, other, random_plies(terms, OPENING_PLIES), pairs))
            games = lab.play(f"size-{size}-depth-{depth}-{opponent.replace(' ', '-')}", terms, fixtures)
            if before:
                rows.append(
                    difference(f"{size}x{size}, depth {depth} less {depth - 1}, against {opponent}", games, before)
                )
            before = games
        return rows

    def _notes(self, gains: Sequence[FigureRow]) -> list[str]:
        notes = [
            'A gain is read in two ways: "against" a depth, the points beyond 50% in a match with one ply less; "less" '
            "a depth, the difference of two win rates against one opponent, over the same openings. A draw is half a "
            f"win; the games are pairs with the seats swapped, after {OPENING_PLIES} random plies, and the games of an "
            "opening form a cluster.",
            "Times are those of this machine, with compiled rules under a search in plain Python. How many times as "
            "much one more ply costs compares better. The specification prints it for times alone, so the nodes stand "
            "beside them without a verdict. Its search looks at no more than "
            f"{CANDIDATES} moves a position: without pruning one more ply would cost at most {1 + CANDIDATES} times "
            "as many nodes, and the printed times grow 20 to 40 times.",
            "Its nodes (Performance Characteristics) and its times give "
            + "; ".join(
                ", ".join(f"{nodes / TIMES_MS[size][depth]:.0f}" for depth, nodes in zip(DEPTHS, claims, strict=True))
                + f" nodes a millisecond at depths 2, 3 and 4 on {size}x{size}"
                for size, claims in CLAIMED_NODES.items()
                if size in TIMES_MS
            )
            + ".",
        ]
        rising = [
            f"{deep.label} ({deep.ours:+.0f}) gains more than {shallow.label} ({shallow.ours:+.0f})"
            for shallow, deep in pairwise(row for row in gains if " less " not in row.label)
            if shallow.label.split(",")[0] == deep.label.split(",")[0] and deep.low > shallow.ours
        ]
        if rising:
            notes.append(f"Returns do not always diminish: {'; '.join(rising)}.")
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        rows = [row for row in finding.rows if row.unit == "points"]
        for place, row in enumerate(rows):
            low, high = GAINS_POINTS[int(row.label.split(" depth ")[1].split()[0])]
            left.fill_between(
                [place - 0.4, place + 0.4], low, high, color=BAND_COLOUR, alpha=0.55, label=None if place else "printed"
            )
        left.errorbar(
            range(len(rows)),
            [row.ours for row in rows],
            yerr=error_bars(rows),
            fmt="o",
            color=OUR_COLOUR,
            capsize=3,
            label="ours",
        )
        left.axhline(0, color=INK, linewidth=0.8)
        left.set_xticks(range(len(rows)), [_short(row.label) for row in rows], rotation=90, fontsize=7)
        left.set_ylabel("points of win rate")
        left.set_title("What a ply gains", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=9)
        for size, marker in ((5, "o"), (9, "s")):
            depths = [int(key.split()[1]) for key in finding.series["spent"] if key.startswith(f"{size} ")]
            ours = [finding.series["spent"][f"{size} {depth}"] for depth in depths]
            right.plot(
                depths,
                [times[0] for times in ours],
                f"{marker}--",
                color=PRINTED_COLOUR,
                label=f"{size}x{size} printed",
            )
            right.plot(
                depths, [times[1] for times in ours], f"{marker}-", color=OUR_COLOUR, label=f"{size}x{size} ours"
            )
        right.set_yscale("log")
        right.set_xticks(sorted({int(key.split()[1]) for key in finding.series["spent"]}))
        right.set_xlabel("depth")
        right.set_ylabel("milliseconds a move")
        right.set_title("What a ply costs", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8)


def _short(label: str) -> str:
    """Return a gain's label for an axis, as in "5x5: 3 v 2" or "5x5: 3-2 v path"."""
    return (
        label.replace(", depth ", ": ").replace(", against ", " v ").replace(" against ", " v ").replace(" less ", "-")
    )


def _gain(label: str, depth: int, games: Sequence[PlayedGame]) -> FigureRow:
    """Return the row of a match: the deeper player's score minus 50%, in percentage points."""
    tally = tally_of(games, [played.score_of(bot_name(depth)) for played in games])
    low, high = GAINS_POINTS[depth]
    row = share(label, f"+{low:g}-{high:g}", (EVEN_PERCENT + low, EVEN_PERCENT + high), tally)
    return replace(
        row, ours=row.ours - EVEN_PERCENT, low=row.low - EVEN_PERCENT, high=row.high - EVEN_PERCENT, unit="points"
    )


def difference(label: str, deep: Sequence[PlayedGame], shallow: Sequence[PlayedGame]) -> FigureRow:
    """Return the row of the difference of two scores against the same opponent, in percentage points. The two matches
    have the same openings and seats."""
    depth = int(label.split(" depth ")[1].split()[0])
    low, high = GAINS_POINTS[depth]
    points = []
    for one, other in zip(deep, shallow, strict=True):
        seat = one.fixture.number % 2
        assert (one.fixture.opening, one.fixture.number) == (other.fixture.opening, other.fixture.number)
        points.append(100 * (one.score(seat) - other.score(seat)))
    won = [
        100 * sum(played.score(played.fixture.number % 2) for played in games) / len(games) for games in (shallow, deep)
    ]
    note = f"{won[0]:.1f}% before, {won[1]:.1f}% after"
    clusters = [opening_cluster(played) for played in deep]
    return mean(label, f"+{low:g}-{high:g}", (low, high), points, "points", note, clusters)


def _effort(played: PlayedGame, depth: int) -> Effort:
    return played.efforts[played.fixture.players.index(bot_name(depth))]


def _costs(
    size: int, matches: Mapping[int, Sequence[PlayedGame]]
) -> tuple[list[FigureRow], dict[int, tuple[float, float]]]:
    """Return the rows of times and nodes, and by depth the milliseconds and the nodes a move. Depth n plays in the
    matches of n against n - 1 and of n + 1 against n."""
    rows: list[FigureRow] = []
    figures: dict[int, tuple[float, float]] = {}
    for depth in range(1, max(matches) + 1):
        games = [played for deep in (depth, depth + 1) for played in matches.get(deep, ())]
        label, claimed = f"{size}x{size}, depth {depth}", TIMES_MS[size][depth]
        times: list[Weighted] = []
        nodes: list[Weighted] = []
        for played in games:
            effort, opening = _effort(played, depth), opening_cluster(played)
            times.append((1000 * effort.seconds, effort.moves, opening))
            nodes.append((effort.nodes, effort.moves, opening))
        time = _ratio(label, "", None, times, "ms")
        note = "this machine's"
        rows.append(timed(f"{label}, time", f"~{claimed:g} ms", time.ours, time.low, time.high, time.count, "ms", note))
        rows.append(_ratio(f"{label}, nodes", "", None, nodes, "a move"))
        figures[depth] = (time.ours, rows[-1].ours)
    for deep, played_both in matches.items():
        shallow = deep - 1
        claimed = TIMES_MS[size][deep] / TIMES_MS[size][shallow]
        label, text = f"{size}x{size}, depth {deep} to {shallow}", f"~{claimed:g} times"
        times, nodes = [], []
        for played in played_both:
            over, under = _effort(played, deep), _effort(played, shallow)
            if over.moves and under.moves:
                opening = opening_cluster(played)
                times.append((over.seconds / over.moves, under.seconds / under.moves, opening))
                nodes.append((over.nodes / over.moves, under.nodes / under.moves, opening))
        time = _ratio(label, "", None, times, "times")
        rows.append(timed(f"{label}, time", text, time.ours, time.low, time.high, time.count, "times"))
        # The specification prints times alone, and nodes are not times.
        rows.append(checked(_ratio(f"{label}, nodes", f"{text} in time", None, nodes, "times")))
    return rows, figures


def _ratio(label: str, claimed: str, span: Span | None, pairs: Sequence[Weighted], unit: str) -> FigureRow:
    """Return the row of the ratio of two sums over games, with the games of an opening as one observation."""
    over, under, openings = zip(*pairs, strict=True)
    return pooled(label, claimed, span, over, under, unit, clusters=openings)


EXPERIMENTS = (QuoridorDepth(),)
