"""Savings of alpha-beta in `trapgrid-classic`, by the reference's formula and in nodes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.evaluate.trapgrid_classic import ClassicBoard
from cornered.bots.roster.trapgrid_classic import ClassicSearch, board_of
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import about, checked, exact, mean, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import sampled_positions
from cornered.lab.reports.plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CLAIM_PERCENT",
    "EXPERIMENTS",
    "Pruning",
    "TrapGridPruning",
    "Unsorted",
    "counts",
    "pruning",
    "pruning_at_start",
    "savings",
]

CLAIM_PERCENT: Final = (40.0, 70.0)
"""Percent of the nodes that sorted moves and alpha-beta save (section 5)."""
LEAVES_AT_5: Final = 1024.0
"""Minimax's nodes at depth 5, at four moves a position (sections 4 and 10)."""
BEST_AT_5: Final = 32.0
"""Alpha-beta's nodes at depth 5 in the best case, at four moves a position (sections 4 and 10)."""
MOVES_CLAIMED: Final = 4
DEPTHS: Final = (5, 6, 7, 8)
SAME_COST: Final[Mapping[int, int]] = {5: 3, 8: 4}
"""Depths of alpha-beta and of minimax at the same cost: the ends of section 4's "3-4" and "5-8 with move ordering"."""
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 120, "full": 2000}
PLAYER_BOT: Final = "trapgrid-classic:depth=5"
OPENING_PLIES: Final = 8
"""Random plies before the first searched one. Six give only about a hundred openings, and as many different games."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """Nodes visited and siblings pruned by alpha-beta, its nodes with unsorted moves, and the nodes of plain minimax,
    from one position."""

    depth: int
    nodes: int
    pruned: int
    unsorted_nodes: int
    plain_nodes: int
    score: float
    plain_score: float

    @property
    def efficiency(self) -> float:
        """The reference's efficiency: pruned / (visited + pruned), in percent (section 4)."""
        return 100 * self.pruned / (self.nodes + self.pruned)

    @property
    def saved(self) -> float:
        """Percent of plain minimax's nodes that were not visited; a pruned sibling counts with its whole subtree."""
        return 100 * (1 - self.nodes / self.plain_nodes)

    @property
    def saved_by_sorting(self) -> float:
        """Percent of the nodes of alpha-beta with unsorted moves that were not visited."""
        return 100 * (1 - self.nodes / self.unsorted_nodes)


class Unsorted(ClassicSearch):
    """Orders moves by cell instead of by evaluation."""

    def ordered(self, board: ClassicBoard, *, is_max: bool) -> list[tuple[ClassicBoard, int]]:
        return [(board.after(target, is_max=is_max), target) for target in board.targets(is_max=is_max)]


def pruning(board: ClassicBoard, depth: int) -> Pruning:
    """Search a board to `depth` with and without pruning."""
    pruned, unsorted, plain = ClassicSearch(), Unsorted(), ClassicSearch(prunes=False)
    score, _, plain_score = (search.root(board, depth) for search in (pruned, unsorted, plain))
    return Pruning(depth, pruned.nodes, pruned.pruned, unsorted.nodes, plain.nodes, score, plain_score)


def pruning_at_start(depth: int) -> Pruning:
    """Search the start position of 7x7."""
    return pruning(_board(engine.load("trapgrid").start()), depth)


def counts(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return the pruning at the position after some moves, as JSON-compatible values."""
    terms, moves, depth = item
    one = pruning(_board(position_after(terms, moves)), depth)
    return {
        "nodes": one.nodes,
        "pruned": one.pruned,
        "unsorted": one.unsorted_nodes,
        "plain": one.plain_nodes,
        "saved": one.saved,
        "same": one.score == one.plain_score,
    }


def _board(state: engine.State) -> ClassicBoard:
    assert isinstance(state, TrapGridState)
    return board_of(state)


SAVING_KINDS: Final = {
    "saved": "saved of minimax, of all nodes",
    "mean": "saved of minimax, mean of shares",
    "efficiency": "efficiency, its formula",
    "sorting": "saved by sorting alone",
}


class TrapGridPruning(Experiment):
    name = "trapgrid-pruning"
    title = "TrapGrid's pruning efficiency, and nodes plain against pruned"
    source = "trapgrid-deep-dive.txt, sections 4 and 5"
    place = 2

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("trapgrid", seed=lab.seed)
        opening = random_plies(terms, OPENING_PLIES)
        fixtures = [
            Fixture(number, (PLAYER_BOT, PLAYER_BOT), opening(number))
            for number in range(POSITIONS_BY_SCALE[lab.scale])
        ]
        lines = sampled_positions(terms, lab.play("games", terms, fixtures))
        # Players are deterministic, so games with the same opening are alike.
        openings = [line[:OPENING_PLIES] for line in lines]
        rows: list[FigureRow] = []
        same = 0
        for depth in DEPTHS:
            found = lab.measure(f"depth-{depth}", counts, [(terms, line, depth) for line in lines])
            same += sum(one["same"] for one in found)
            rows += savings(depth, found, openings)
            for kind, label in (("plain", "minimax"), ("nodes", "alpha-beta")):
                figures = [one[kind] for one in found]
                rows.append(mean(f"depth {depth}, nodes of {label}", "", None, figures, "nodes", clusters=openings))
        for depth in DEPTHS:
            start = pruning_at_start(depth)
            span, said = (about(LEAVES_AT_5), "~1024") if depth == 5 else (None, "")
            rows.append(
                exact(f"depth {depth}, start, nodes of minimax", said, span, start.plain_nodes, 1, "nodes").because(
                    "refuted",
                    "The reference's own rules: a pawn starts in a corner with two steps, and every cell it leaves is "
                    "blocked, so it never has four. The printed number assumes four moves everywhere.",
                )
            )
            rows.append(exact(f"depth {depth}, start, nodes of alpha-beta", "", None, start.nodes, 1, "nodes"))
        rows += _uniform()
        rows += [_at_same_cost(depth) for depth in SAME_COST]
        count = len(lines) * len(DEPTHS)
        rows.append(checked(exact("positions with the same value", "all", (100, 100), 100 * same / count, count, "%")))
        return rows, self._notes(rows), {}

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        together, saved, efficiency, sorting = (
            [by[f"depth {depth}, {label}"] for depth in DEPTHS] for label in SAVING_KINDS.values()
        )
        start = by["depth 5, start, nodes of minimax"].ours
        return [
            'The reference says that sorted moves and pruning "save 40-70% of node evaluations compared to searching '
            'in an unordered fashion", and not how it averages. A program adds its counters up: of all nodes of '
            f"minimax {_from(together)} are saved, most of them in a few large trees. The mean of each position's own "
            f"share, in which an endgame of ten nodes counts as much, is {_from(saved)}.",
            f'The printed formula for "efficiency", pruned / (visited + pruned), counts the siblings that are cut off, '
            f"each of which stands for a whole tree. It comes to {_from(efficiency)} and says little about the saving. "
            f"Of the nodes of alpha-beta without sorted moves {_from(sorting)} are saved.",
            f"The 1024 nodes at depth 5 assume four moves everywhere. The start has two, and after its first move a "
            f"pawn never has more than three: minimax looks at {start:g} nodes there (1 + 2 + 4 + 8 + 16 + 40).",
            f"Positions are one from each of {PLAYER_BOT}'s games against itself after {OPENING_PLIES} random plies; "
            "the depths are the printed 5 to 8.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        by = {row.label: row for row in finding.rows}
        left.axhspan(*CLAIM_PERCENT, color=BAND_COLOUR, alpha=0.35, label="printed, 40-70%")
        colours = (OUR_COLOUR, COLOURS[3], PRINTED_COLOUR, SECOND_COLOUR)
        for (_, label), colour, marker in zip(SAVING_KINDS.items(), colours, "do^s", strict=True):
            rows = [by[f"depth {depth}, {label}"] for depth in DEPTHS]
            reach = error_bars(rows)
            ours = [row.ours for row in rows]
            left.errorbar(DEPTHS, ours, yerr=reach, fmt=f"{marker}-", color=colour, capsize=3, label=label)
        left.set_xticks(DEPTHS)
        left.set_ylim(-5, 100)
        left.set_xlabel("depth")
        left.set_ylabel("%")
        left.set_title("What is saved", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=8)
        for place, (label, colour) in enumerate((("minimax", BAND_COLOUR), ("alpha-beta", OUR_COLOUR))):
            places = [depth + 0.4 * (place - 0.5) for depth in DEPTHS]
            nodes = [by[f"depth {depth}, nodes of {label}"].ours for depth in DEPTHS]
            bars = right.bar(places, nodes, 0.38, color=colour, label=label)
            right.bar_label(bars, fmt="%.0f", fontsize=8)
        right.set_xticks(DEPTHS)
        right.set_xlabel("depth")
        right.set_ylabel("nodes, on average")
        right.set_title("Plain against pruned", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8)
        right.grid(visible=False, axis="x")


def savings(depth: int, found: Sequence[Mapping[str, float]], openings: Sequence[Hashable]) -> list[FigureRow]:
    """Return what is saved at one depth, by every reading of the printed 40-70%."""
    claimed = f"{CLAIM_PERCENT[0]:g}-{CLAIM_PERCENT[1]:g}%"
    nodes, plain, unsorted, pruned = ([one[kind] for one in found] for kind in ("nodes", "plain", "unsorted", "pruned"))

    def of_all(kind: str, saved: Sequence[float], whole: Sequence[float]) -> FigureRow:
        return pooled(f"depth {depth}, {SAVING_KINDS[kind]}", claimed, CLAIM_PERCENT, saved, whole, clusters=openings)

    together = of_all("saved", _less(plain, nodes), plain)
    shares = [one["saved"] for one in found]
    average = mean(f"depth {depth}, {SAVING_KINDS['mean']}", claimed, CLAIM_PERCENT, shares, "%", clusters=openings)
    efficiency = of_all("efficiency", pruned, [visited + cut for visited, cut in zip(nodes, pruned, strict=True)])
    sorting = of_all("sorting", _less(unsorted, nodes), unsorted)
    if together.verdict != "agrees":
        return [
            row.because("vague", "The reference names neither the positions and depths nor the way of averaging.")
            for row in (together, average, efficiency, sorting)
        ]
    other = f'the row "{together.label}", {together.ours:.1f}%, which agrees'
    return [
        together,
        average.because("definition", f"It gives every position the same weight; compare {other}."),
        efficiency.because(
            "definition",
            'The reference says that this figure "directly measures" the saving. It does not: the printed formula '
            f"counts a pruned sibling once, whatever tree it stands for; compare {other}.",
        ),
        sorting.because(
            "definition",
            f"The saving is printed for sorting and pruning combined, so unpruned search is what to compare with; see "
            f"{other}.",
        ),
    ]


def _less(whole: Sequence[float], part: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(whole, part, strict=True)]


def _uniform() -> list[FigureRow]:
    """Return the leaves at depth 5 where every position has four moves."""
    depth, moves = 5, MOVES_CLAIMED
    best = moves ** math.ceil(depth / 2) + moves ** (depth // 2) - 1
    uniform = f"depth {depth}, four moves everywhere"
    return [
        checked(exact(f"{uniform}, minimax", "~1024", about(LEAVES_AT_5), moves**depth, 1, "leaves")),
        exact(f"{uniform}, alpha-beta at best", "~32", about(BEST_AT_5), best, 1, "leaves").because(
            "refuted",
            "The smallest tree that proves a minimax value has b^ceil(d/2) + b^floor(d/2) - 1 leaves (Knuth and Moore, "
            "1975); b^(d/2) is its order of growth, not a number of nodes.",
        ),
    ]


def _at_same_cost(depth: int) -> FigureRow:
    """Return the depth of minimax at the start that costs no more nodes than alpha-beta at `depth`."""
    nodes = pruning_at_start(depth).nodes
    reached = max(plain for plain in range(1, depth + 1) if pruning_at_start(plain).plain_nodes <= nodes)
    printed = SAME_COST[depth]
    row = exact(
        f"start, depth of minimax at the nodes of alpha-beta's depth {depth}",
        f"{printed}",
        (printed, printed),
        reached,
        1,
        "plies",
    )
    return row.because(
        "refuted",
        "By the reference's own rules no pawn has four moves; the fewer there are, the less is cut off. The printed "
        "depths are those of four moves everywhere and a perfect order.",
    )


def _from(rows: Sequence[FigureRow]) -> str:
    figures = [row.ours for row in rows]
    return f"{min(figures):.0f} to {max(figures):.0f}%"


EXPERIMENTS = (TrapGridPruning(),)
