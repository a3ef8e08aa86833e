"""Share of minimax's nodes that alpha-beta visits: in the best case, in the worst case, and in games."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.figures import Saving, alpha_beta_saving
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine import Outcome, State
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import ABOUT_SHARE, about, checked, exact, mean, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import SAMPLED_GAMES, random_positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "NotesAlphaBeta", "Uniform", "best_case", "depth_gain", "exponent", "leaves", "savings"]

POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 60, "full": 600}
TREES: Final[Mapping[Scale, Sequence[tuple[int, int]]]] = {
    "tiny": ((2, 4), (3, 3)),
    "quick": ((2, 10), (3, 7), (5, 5), (10, 4)),
    "full": ((2, 14), (3, 9), (5, 6), (10, 5)),
}
"""Uniform trees, by branching factor and depth."""
EXPONENT_RANGE: Final = (0.5, 1.0)
DOUBLED: Final = 2.0
"""Times as deep as minimax with as many leaves, as the notes have it for the best order."""
GAIN_DEPTH: Final = 12
GAIN_BRANCHING_FACTORS: Final = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class Uniform(State):
    """A position of a tree with `branching` moves everywhere; the value of a leaf is determined by its path. At every
    position the first move is the mover's best and the last one its worst."""

    branching: int
    path: tuple[int, ...] = ()

    @property
    def to_move(self) -> int:
        return len(self.path) % 2

    @property
    def outcome(self) -> Outcome | None:
        return None

    def moves(self) -> list[str]:
        return [str(number) for number in range(self.branching)]

    def play(self, move: str) -> Self:
        return type(self)(self.branching, (*self.path, int(move)))

    def leave(self, seat: int) -> Self:
        return self

    def explain(self, move: str) -> str:
        return ""

    def perft(self, depth: int) -> int:
        return int(self.branching**depth)

    def worth(self) -> float:
        """Return a leaf's value for the root's mover: an earlier choice outweighs all later ones."""
        worth = 0
        for ply, number in enumerate(self.path):
            worth = worth * 2 * self.branching + (-number if ply % 2 == 0 else number)
        return float(worth)

    def __str__(self) -> str:
        return ".".join(map(str, self.path))

    def __hash__(self) -> int:
        return hash(self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uniform) and (other.branching, other.path) == (self.branching, self.path)


def best_case(branching: int, depth: int) -> int:
    """Return the least number of leaves that proves the value of a uniform tree (Knuth and Moore, 1975, section 6)."""
    return int(branching ** math.ceil(depth / 2) + branching ** (depth // 2) - 1)


def depth_gain(branching: int, depth: int) -> float:
    """Return how many times as deep alpha-beta looks in the best case as minimax with as many leaves; it tends to 2."""
    return depth / math.log(best_case(branching, depth), branching)


def leaves(item: tuple[int, int, bool]) -> int:
    """Return the leaves that alpha-beta visits in a uniform tree with the best moves first, or else the worst."""
    branching, depth, best_first = item
    count = 0

    def evaluate(state: State, seat: int) -> float:
        nonlocal count
        assert isinstance(state, Uniform)
        count += 1
        return state.worth() if best_first else -state.worth()

    alpha_beta(Uniform(branching), depth, -math.inf, math.inf, 0, TextbookSearch(0, evaluate))
    return count


def exponent(saving: Saving) -> float:
    """Return the exponent x in alpha-beta nodes = minimax nodes ** x: 1/2 in the best case, 1 in the worst, for large
    trees."""
    return math.log(saving.pruned) / math.log(saving.plain) if saving.plain > 1 else 1.0


def savings(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return minimax's nodes at a position, and alpha-beta's savings with moves as listed and with moves sorted."""
    terms, moves, depth = item
    state = position_after(terms, moves)
    listed, ordered = (alpha_beta_saving(state, depth, is_sorted=is_sorted) for is_sorted in (False, True))
    return {
        "plain": listed.plain,
        "listed nodes": listed.pruned,
        "sorted nodes": ordered.pruned,
        "listed": listed.percent,
        "sorted": ordered.percent,
        "listed exponent": exponent(listed),
        "sorted exponent": exponent(ordered),
    }


class NotesAlphaBeta(Experiment):
    name = "notes-alpha-beta"
    title = "Alpha-beta's nodes against minimax's"
    source = "game-playing-notes.txt, Alpha-Beta Pruning"
    place = 2

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        trees = TREES[lab.scale]
        items = [(branching, depth, best_first) for branching, depth in trees for best_first in (True, False)]
        counted = dict(zip(items, lab.measure("uniform", leaves, items), strict=True))
        for branching, depth in trees:
            for best_first, words in ((True, "best"), (False, "worst")):
                expected = best_case(branching, depth) if best_first else branching**depth
                claimed = f"b^(d/2), {expected}" if best_first else f"b^d, {expected}"
                label = f"uniform b = {branching}, d = {depth}, {words} order"
                ours = counted[branching, depth, best_first]
                rows.append(checked(exact(label, claimed, (expected, expected), ours, 1, "leaves")))
        rows += self._gains()
        real: dict[str, dict[str, list[float]]] = {}
        for ground in SAMPLED_GAMES:
            terms = ContestTerms.of(ground.game, ground.options, seed=lab.seed)
            lines = random_positions(terms, POSITIONS_BY_SCALE[lab.scale], ground.plies)
            found = lab.measure(ground.game, savings, [(terms, line, ground.depth) for line in lines])
            real[ground.title] = {}
            for kind in ("listed", "sorted"):
                saved = mean(f"{ground.title}, saved, {kind}", "", None, [one[kind] for one in found], "%")
                plain = [one["plain"] for one in found]
                left_out = [one["plain"] - one[f"{kind} nodes"] for one in found]
                label = f"{ground.title}, saved, {kind}, of all nodes"
                together = pooled(label, "", None, left_out, plain, note="all positions together")
                power = [one[f"{kind} exponent"] for one in found]
                label = f"{ground.title}, exponent, {kind}"
                rows += [saved, together, checked(mean(label, "0.5 to 1", EXPONENT_RANGE, power))]
                real[ground.title][kind] = [
                    saved.ours,
                    saved.low,
                    saved.high,
                    rows[-1].ours,
                    rows[-1].low,
                    rows[-1].high,
                ]
        return rows, self._notes(real), {"real": real}

    def _gains(self) -> list[FigureRow]:
        rows = []
        for branching in GAIN_BRANCHING_FACTORS:
            label = f"best order, b = {branching}, depth {GAIN_DEPTH}, times as deep as minimax"
            row = exact(label, "doubles", about(DOUBLED), depth_gain(branching, GAIN_DEPTH), note="tends to 2")
            enough = next(depth for depth in itertools.count(2, 2) if depth_gain(branching, depth) >= about(DOUBLED)[0])
            rows.append(
                row.because(
                    "definition",
                    "The best case, b^ceil(d/2) + b^floor(d/2) - 1, is about twice b^(d/2). Read as the limit for deep "
                    f"trees the factor is exactly 2, and within {ABOUT_SHARE:.0%} of it from depth {enough} on.",
                )
            )
        return rows

    def _notes(self, real: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
        notes = [
            "The best case is exact: with the best move first everywhere alpha-beta looks at b^ceil(d/2) + "
            "b^floor(d/2) - 1 leaves of a uniform tree (Knuth and Moore), which is O(b^(d/2)); the worst order makes "
            "it look at all b^d. Both counts check our own search, and the exponent lies between 1/2 and 1 for any "
            "pruning of a large tree, so these rows have no verdict.",
            "In games the exponent says how close to the best case a search comes: alpha-beta's nodes are minimax's to "
            "that power. Where moves are sorted by the evaluation of the next position it is "
            + ", ".join(
                f"{title} {kinds['sorted'][3]:.2f} (as listed {kinds['listed'][3]:.2f})"
                for title, kinds in real.items()
            )
            + ".",
        ]
        worse = [title for title, kinds in real.items() if kinds["sorted"][0] < kinds["listed"][0]]
        if worse:
            notes.append(f"Sorting does not help everywhere: {', '.join(worse)}.")
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        real: Mapping[str, Mapping[str, Sequence[float]]] = finding.series["real"]
        left, right = figure.subplots(1, 2, sharey=True)
        places = list(range(len(real)))
        for offset, (kind, label, colour) in enumerate(
            (("listed", "moves as listed", PRINTED_COLOUR), ("sorted", "moves sorted", OUR_COLOUR))
        ):
            heights = [place + 0.36 * (offset - 0.5) for place in places]
            figures = [kinds[kind] for kinds in real.values()]
            bars = left.barh(heights, [one[0] for one in figures], 0.34, color=colour, label=label)
            left.bar_label(bars, fmt="%.0f%%", fontsize=8, padding=2)
            reach = [[one[3] - one[4] for one in figures], [one[5] - one[3] for one in figures]]
            right.errorbar(
                [one[3] for one in figures], heights, xerr=reach, fmt="o", color=colour, capsize=3, label=label
            )
        left.set_yticks(places, [title.replace(", ", "\n") for title in real])
        left.set_xlim(0, 115)
        left.invert_yaxis()
        left.set_xlabel("% of minimax's nodes saved")
        left.set_title("Saved", loc="left", fontsize=10)
        left.grid(visible=False, axis="y")
        right.axvspan(*EXPONENT_RANGE, color=BAND_COLOUR, alpha=0.25, label="printed, best to worst")
        right.set_xlim(0.4, 1.05)
        right.set_xlabel("exponent of minimax's nodes")
        right.set_title("How close to the best case, 0.5", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8, loc="upper left")
        right.grid(visible=False, axis="y")


EXPERIMENTS = (NotesAlphaBeta(),)
