"""Nodes of Quoridor's searches by depth, and the share of them that alpha-beta saves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.evaluate.quoridor_printed import PrintedWeights, choice, printed
from cornered.bots.roster.quoridor_classic import alpha_beta
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine.games.quoridor import QuoridorState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, about, exact, mean
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import sampled_positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorNodes", "full_width", "looked_at", "plain"]

CLAIMED_NODES: Final = {3: (60, 500, 4_000), 5: (600, 15_000, 400_000), 9: (5_000, 350_000, 25_000_000)}
"""Nodes at depths 2, 3 and 4."""
DEPTHS: Final = (2, 3, 4)
CLAIMED_BRANCHING: Final = {3: 8, 5: 25, 9: 70}
SAVING_PERCENT: Final = 50.0
MAX_WALL_MOVES: Final = 8
"""Maximum number of wall moves at a node, from the specification."""
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 60, "full": 400}
MAX_DEPTH: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 3, 5: 2, 9: 2},
    "quick": {3: 4, 5: 4, 9: 3},
    "full": {3: 4, 5: 4, 9: 4},
}
PLAYER_BOT: Final = "quoridor-classic:depth=1"


def plain(state: QuoridorState, depth: int, ply: int, search: TextbookSearch, weights: PrintedWeights) -> float:
    """Return the value that `cornered.bots.roster.quoridor_classic.alpha_beta` returns, by minimax without pruning."""
    search.visit(ply)
    if depth == 0 or state.outcome is not None:
        return printed(state, search.seat, depth, weights)
    values = [plain(state.play(move), depth - 1, ply + 1, search, weights) for move in choice(state, MAX_WALL_MOVES)]
    return max(values) if state.to_move == search.seat else min(values)


def looked_at(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return the nodes below a position with and without pruning, and whether the values are equal."""
    terms, moves, depth = item
    state = position_after(terms, moves)
    assert isinstance(state, QuoridorState)
    whole, pruning = _search(state), _search(state)
    value = plain(state, depth, 0, whole, PrintedWeights())
    pruned, _ = alpha_beta(state, depth, -math.inf, math.inf, 0, pruning, MAX_WALL_MOVES, PrintedWeights())
    # The root is excluded from the nodes below it.
    return {"plain": whole.nodes - 1, "pruned": pruning.nodes - 1, "same": value == pruned}


def full_width(item: tuple[ContestTerms, tuple[str, ...], int]) -> int:
    """Return the number of positions that all legal moves reach from a position, to a depth."""
    terms, moves, depth = item
    return sum(engine.perft(position_after(terms, moves), plies) for plies in range(1, depth + 1))


def _search(state: QuoridorState) -> TextbookSearch:
    return TextbookSearch(state.to_move, lambda after, seat: 0.0)


class QuoridorNodes(Experiment):
    name = "quoridor-nodes"
    title = "Quoridor's nodes by depth, and what alpha-beta saves of them"
    source = "quoridor-specification.txt, Performance Characteristics"
    place = 2

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        savings: list[FigureRow] = []
        nodes: dict[str, list[float]] = {}
        same = count = 0
        for size, claims in CLAIMED_NODES.items():
            terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
            lines = self._lines(lab, terms)
            deepest = MAX_DEPTH[lab.scale][size]
            for depth, claimed in zip(DEPTHS, claims, strict=True):
                if depth > deepest:
                    continue
                at_start = full_width((terms, (), depth))
                label = f"{size}x{size}, depth {depth}"
                rows.append(exact(f"{label}, start", f"~{_short(claimed)}", about(claimed), at_start, 1, "nodes"))
                items = [(terms, line, depth) for line in lines]
                widths = lab.measure(f"width-{size}-{depth}", full_width, items)
                rows.append(mean(f"{label}, in games", f"~{_short(claimed)}", about(claimed), widths, "nodes"))
                found = lab.measure(f"nodes-{size}-{depth}", looked_at, items)
                same += sum(one["same"] for one in found)
                count += len(found)
                saved = [100 * (1 - one["pruned"] / one["plain"]) for one in found]
                savings.append(mean(f"{label}, saved", "~50%", about(SAVING_PERCENT), saved, "%"))
                nodes[f"{size} {depth}"] = [
                    claimed,
                    at_start,
                    *(sum(one[kind] for one in found) / len(found) for kind in ("plain", "pruned")),
                ]
        rows += savings
        rows.append(exact("positions with the same value", "all", (100, 100), 100 * same / count, count, "%"))
        return rows, self._notes(savings, nodes), {"nodes": nodes}

    def _lines(self, lab: Laboratory, terms: ContestTerms) -> list[tuple[str, ...]]:
        opening = random_plies(terms, 2)
        count = POSITIONS_BY_SCALE[lab.scale]
        fixtures = [Fixture(number, (PLAYER_BOT, PLAYER_BOT), opening(number)) for number in range(count)]
        return sampled_positions(terms, lab.play(f"games-{terms.options['size']}", terms, fixtures))

    def _notes(self, savings: Sequence[FigureRow], nodes: Mapping[str, Sequence[float]]) -> list[str]:
        growth = [
            (below[3] / above[3]) / (below[2] / above[2])
            for (name, above), (other, below) in pairwise(nodes.items())
            if name.split()[0] == other.split()[0]
        ]
        notes = [
            "The printed nodes are its branching to the power of the depth: "
            + ", ".join(f"{branching}^2 = {branching**2}" for branching in CLAIMED_BRANCHING.values())
            + ". So they are off as the branching is. Ours are counted exactly: all moves, from the start or from one "
            f"position each of {PLAYER_BOT}'s games.",
            f"The saving is that of the printed search, at most {MAX_WALL_MOVES} walls a node in the printed order, "
            "beside minimax over the same moves; each figure is a mean over positions.",
        ]
        least, most = min(savings, key=lambda row: row.ours), max(savings, key=lambda row: row.ours)
        notes.append(
            f"Alpha-beta saves {least.ours:.0f}% ({least.label.removesuffix(', saved')}) to {most.ours:.0f}% "
            f"({most.label.removesuffix(', saved')}): no single figure holds, since the saving grows with every ply."
        )
        if growth:
            notes.append(
                "From one depth to the next the pruned tree grows "
                f"{min(growth):.2f} to {max(growth):.2f} times as fast as the whole one."
            )
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        nodes: Mapping[str, Sequence[float]] = finding.series["nodes"]
        left, right = figure.subplots(1, 2)
        names = [f"{key.split()[0]}x{key.split()[0]}, {key.split()[1]}" for key in nodes]
        kinds = (
            ("printed", PRINTED_COLOUR, "_"),
            ("all moves, start", SECOND_COLOUR, "o"),
            (f"at most {MAX_WALL_MOVES} walls, minimax", BAND_COLOUR, "s"),
            (f"at most {MAX_WALL_MOVES} walls, alpha-beta", OUR_COLOUR, "D"),
        )
        for kind, (label, colour, marker) in enumerate(kinds):
            left.plot(
                range(len(names)),
                [figures[kind] for figures in nodes.values()],
                marker,
                color=colour,
                label=label,
                markersize=14 if marker == "_" else 5,
                markeredgewidth=3 if marker == "_" else 1,
            )
        left.set_yscale("log")
        left.set_xticks(range(len(names)), names, rotation=45, ha="right")
        left.set_ylabel("nodes")
        left.set_title("Nodes by board and depth", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=8, loc="upper left")
        rows = [row for row in finding.rows if row.label.endswith("saved")]
        right.axhspan(*about(SAVING_PERCENT), color=BAND_COLOUR, alpha=0.35, label="printed, about 50%")
        right.errorbar(
            range(len(rows)),
            [row.ours for row in rows],
            yerr=[[row.ours - row.low for row in rows], [row.high - row.ours for row in rows]],
            fmt="D",
            color=OUR_COLOUR,
            capsize=3,
            markersize=5,
            label="ours",
        )
        right.set_xticks(range(len(names)), names, rotation=45, ha="right")
        right.set_ylim(0, 100)
        right.set_ylabel("% of minimax's nodes saved")
        right.set_title("What alpha-beta saves", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8, loc="lower right")


def _short(count: float) -> str:
    """Return a number in the specification's notation."""
    for size, suffix in ((1_000_000, "M"), (1_000, "K")):
        if count >= size:
            return f"{count / size:g}{suffix}"
    return f"{count:g}"


EXPERIMENTS = (QuoridorNodes(),)
