"""Cost and gain in strength of one more ply of search for Quoridor's printed player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, about, exact, share
from cornered.lab.experiments.laboratory import Laboratory, tally_of
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorDepth"]

TIMES_MS: Final = {5: {1: 1.0, 2: 20.0, 3: 400.0, 4: 8_000.0}, 9: {1: 5.0, 2: 200.0, 3: 5_000.0, 4: 120_000.0}}
"""Milliseconds a move, by size and depth."""
GAINS_POINTS: Final = {2: (15.0, 20.0), 3: (8.0, 12.0), 4: (3.0, 5.0)}
"""Gain in win rate over the previous depth, in percentage points."""
EVEN_PERCENT: Final = 50.0
PAIRS_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 3, 9: 1},
    "quick": {5: 100, 9: 60},
    "full": {5: 1000, 9: 300},
}
MAX_DEPTH: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 3, 9: 2},
    "quick": {5: 4, 9: 3},
    "full": {5: 4, 9: 4},
}
OPENING_PLIES: Final = 2


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
            efforts: dict[int, list[tuple[int, float, int]]] = {}
            for depth in range(2, MAX_DEPTH[lab.scale][size] + 1):
                pairs = PAIRS_BY_SCALE[lab.scale][size]
                fixtures = list(paired(bot_name(depth), bot_name(depth - 1), random_plies(terms, OPENING_PLIES), pairs))
                games = lab.play(f"size-{size}-depth-{depth}", terms, fixtures)
                gains.append(_gain(f"{size}x{size}, depth {depth} against {depth - 1}", depth, games))
                for deep in (depth - 1, depth):
                    efforts.setdefault(deep, []).extend(_spent(games, bot_name(deep)))
            figures = {}
            for depth, listed in sorted(efforts.items()):
                moves = sum(count for count, _, _ in listed)
                time = 1000 * sum(seconds for _, seconds, _ in listed) / moves
                figures[depth] = (time, sum(nodes for _, _, nodes in listed) / moves, moves)
                spent[f"{size} {depth}"] = [TIMES_MS[size][depth], time, figures[depth][1]]
            costs += _costs(size, figures)
        return [*gains, *costs], self._notes(gains), {"spent": spent}

    def _notes(self, gains: Sequence[FigureRow]) -> list[str]:
        notes = [
            "A gain in win rate is taken as the points beyond 50% in a match against one ply less, a draw being half a "
            f"win; the games are pairs with the seats swapped, after {OPENING_PLIES} random plies.",
            "Times are those of this machine, with compiled rules under a search in plain Python, and mean little "
            "beside the printed ones. How many times as much one more ply costs compares better, in nodes above all. "
            "Both grow far less than printed, since the printed search itself looks at no more than 8 walls a node and "
            "prunes: 20 to 40 times a ply is what all moves would cost.",
        ]
        rising = [
            f"{deep.label} ({deep.ours:+.0f}) gains more than {shallow.label} ({shallow.ours:+.0f})"
            for shallow, deep in pairwise(gains)
            if shallow.label.split(",")[0] == deep.label.split(",")[0] and deep.low > shallow.ours
        ]
        if rising:
            notes.append(f"Returns do not always diminish: {'; '.join(rising)}.")
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        rows = [row for row in finding.rows if " against " in row.label]
        for place, row in enumerate(rows):
            low, high = GAINS_POINTS[int(row.label.split(" depth ")[1].split()[0])]
            left.fill_between(
                [place - 0.4, place + 0.4], low, high, color=BAND_COLOUR, alpha=0.55, label=None if place else "printed"
            )
        left.errorbar(
            range(len(rows)),
            [row.ours for row in rows],
            yerr=[[row.ours - row.low for row in rows], [row.high - row.ours for row in rows]],
            fmt="o",
            color=OUR_COLOUR,
            capsize=3,
            label="ours",
        )
        left.axhline(0, color=INK, linewidth=0.8)
        left.set_xticks(
            range(len(rows)), [row.label.replace(", depth ", "\n").replace(" against ", " v ") for row in rows]
        )
        left.set_ylabel("points of win rate beyond 50%")
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


def _gain(label: str, depth: int, games: Sequence[PlayedGame]) -> FigureRow:
    """Return the row of a match: the score of the first game's first player minus 50%, in percentage points."""
    tally = tally_of(games, [played.score_of(bot_name(depth)) for played in games])
    low, high = GAINS_POINTS[depth]
    row = share(label, "", (EVEN_PERCENT + low, EVEN_PERCENT + high), tally)
    return FigureRow(
        label,
        f"+{low:g}-{high:g}",
        row.ours - EVEN_PERCENT,
        row.low - EVEN_PERCENT,
        row.high - EVEN_PERCENT,
        row.count,
        row.verdict,
        "points",
    )


def _spent(games: Sequence[PlayedGame], player: str) -> list[tuple[int, float, int]]:
    """Return a player's moves, seconds and nodes in each game."""
    efforts = [played.efforts[played.fixture.players.index(player)] for played in games]
    return [(effort.moves, effort.seconds, effort.nodes) for effort in efforts]


def _costs(size: int, figures: Mapping[int, tuple[float, float, int]]) -> list[FigureRow]:
    rows = []
    for depth, (time, nodes, moves) in figures.items():
        claimed = TIMES_MS[size][depth]
        label = f"{size}x{size}, depth {depth}"
        rows.append(exact(f"{label}, time", f"~{claimed:g} ms", about(claimed), time, moves, "ms", "this machine's"))
        rows.append(exact(f"{label}, nodes", "", None, nodes, moves, "a move"))
    for shallow, deep in pairwise(figures):
        claimed = TIMES_MS[size][deep] / TIMES_MS[size][shallow]
        label = f"{size}x{size}, depth {deep} to {shallow}"
        for what, of in (("time", 0), ("nodes", 1)):
            ratio = figures[deep][of] / figures[shallow][of]
            count = figures[deep][2]
            rows.append(exact(f"{label}, {what}", f"~{claimed:g} times", about(claimed), ratio, count, "times"))
    return rows


EXPERIMENTS = (QuoridorDepth(),)
