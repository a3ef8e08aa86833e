"""Cost of iterative deepening: the nodes of the shallower iterations relative to the last one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.bot import Limit
from cornered.bots.evaluate import Evaluator, evaluator
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.deepening import search
from cornered.bots.textbook.figures import deepening_overhead, uniform_overhead
from cornered.bots.textbook.search import TextbookSearch
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import about, exact, mean, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import SAMPLED_GAMES, random_positions
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "NotesDeepening", "overheads"]

CLAIM_PERCENT: Final = 50.0
"""Percent of additional nodes at a branching factor of 3."""
BRANCHING_FACTORS: Final = (2, 3, 4, 10)
MAX_DEPTH: Final = 12
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 40, "full": 500}


def overheads(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, Any]:
    """Return the cost of iterative deepening at a position, in percent of one search at full depth: of minimax, and of
    alpha-beta with the previous iteration's move ordering; the positions at each ply; and the number of moves."""
    terms, moves, depth = item
    state = position_after(terms, moves)
    evaluate = evaluator(terms.game).evaluate
    straight = TextbookSearch(state.to_move, evaluate)
    alpha_beta(state, depth, -math.inf, math.inf, 0, straight)
    deepened = search(state, Limit(depth=depth), Evaluator(evaluate), Random(0))
    return {
        "minimax": deepening_overhead(state, depth),
        "alpha-beta": 100.0 * (deepened.nodes / (straight.nodes - 1) - 1.0),
        "straight": straight.nodes - 1,
        "deepened": deepened.nodes,
        "levels": [state.perft(ply) for ply in range(1, depth + 1)],
        "moves": len(state.moves()),
    }


class NotesDeepening(Experiment):
    name = "notes-deepening"
    title = "Iterative deepening's overhead"
    source = "game-playing-notes.txt, Iterative Deepening"
    place = 1

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        uniform = {str(b): [uniform_overhead(b, depth) for depth in range(1, MAX_DEPTH + 1)] for b in BRANCHING_FACTORS}
        for branching in BRANCHING_FACTORS:
            claimed, span = ("~50%", about(CLAIM_PERCENT)) if branching == 3 else ("", None)
            limit = 100 / (branching - 1)
            note = f"depth {MAX_DEPTH}; tends to 1 / (b - 1) = {limit:.1f}%"
            ours = uniform[str(branching)][-1]
            rows.append(exact(f"uniform tree, b = {branching}", claimed, span, ours, 1, "%", note))
        real: dict[str, list[float]] = {}
        for ground in SAMPLED_GAMES:
            terms = ContestTerms.of(ground.game, ground.options, seed=lab.seed)
            items = [
                (terms, line, ground.depth)
                for line in random_positions(terms, POSITIONS_BY_SCALE[lab.scale], ground.plies)
            ]
            found = lab.measure(ground.game, overheads, items)
            moves = sum(one["moves"] for one in found) / len(found)
            note = f"{moves:.1f} moves a position"
            of_game = [
                mean(f"{ground.title}, {kind}", "", None, [one[kind] for one in found], "%", note)
                for kind in ("minimax", "alpha-beta")
            ]
            levels = [one["levels"] for one in found]
            whole = [sum(level) for level in levels]
            shallower = [sum(sum(level[:depth]) for depth in range(1, len(level))) for level in levels]
            straight = [one["straight"] for one in found]
            more = [one["deepened"] - one["straight"] for one in found]
            together = "all positions together"
            deepest = pooled(
                f"{ground.title}, nodes at the deepest level",
                "most",
                (50.0, 100.0),
                [level[-1] for level in levels],
                whole,
                note=together,
            )
            rows += [
                *of_game,
                pooled(f"{ground.title}, minimax, of all nodes", "", None, shallower, whole, note=together),
                pooled(f"{ground.title}, alpha-beta, of all nodes", "", None, more, straight, note=together),
                deepest.because(
                    "refuted",
                    "A count. Where positions have fewer than two moves on average, or games end within the depth, "
                    "the shallower levels hold more nodes than the deepest.",
                ),
            ]
            real[ground.title] = [moves, *(row.ours for row in of_game)]
        return rows, self._notes(rows, real), {"uniform": uniform, "real": real}

    def _notes(self, rows: Sequence[FigureRow], real: Mapping[str, Sequence[float]]) -> list[str]:
        three = next(row for row in rows if row.label.endswith("b = 3"))
        ending = ", alpha-beta"
        gained = [row.label.removesuffix(ending) for row in rows if row.label.endswith(ending) and row.high < 0]
        notes = [
            f"On the uniform tree the figure is arithmetic, counted here to depth {MAX_DEPTH}: {three.ours:.2f}% for b "
            "= 3. It tends to 1 / (b - 1), so the notes' 50% is right for three moves and for no other number.",
            "On positions of random games minimax visits so many more nodes: "
            + ", ".join(f"{title} {plain:.0f}%" for title, (_, plain, _) in real.items())
            + ". A position's tree is not uniform, and near the end of a game the last depth may add little.",
        ]
        if gained:
            notes.append(
                "With alpha-beta deepening visits fewer nodes in all than one search to the full depth in "
                f"{', '.join(gained)}: each iteration orders the moves for the next."
            )
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        left.axhspan(
            *about(CLAIM_PERCENT),
            color=BAND_COLOUR,
            alpha=0.6,
            label="printed for b = 3, about 50%",
        )
        for branching, figures in finding.series["uniform"].items():
            left.plot(range(1, MAX_DEPTH + 1), figures, "o-", markersize=3, label=f"b = {branching}")
        left.set_xlabel("depth")
        left.set_ylabel("% more nodes than one search")
        left.set_title("Uniform trees", loc="left", fontsize=10)
        left.set_xticks(range(0, MAX_DEPTH + 1, 3))
        left.set_ylim(0, 150)
        left.legend(frameon=False, fontsize=8, loc="upper left", ncols=2)
        real = finding.series["real"]
        for place, (label, colour) in enumerate((("minimax", OUR_COLOUR), ("alpha-beta", PRINTED_COLOUR))):
            places = [where + 0.38 * (place - 0.5) for where in range(len(real))]
            bars = right.barh(
                places, [figures[1 + place] for figures in real.values()], 0.36, color=colour, label=label
            )
            right.bar_label(bars, fmt="%.0f%%", fontsize=8, padding=2)
        right.axvline(0, color=INK, linewidth=0.8)
        right.set_yticks(range(len(real)), [title.replace(", ", "\n") for title in real])
        right.invert_yaxis()
        right.margins(x=0.18)
        right.set_xlabel("% more nodes than one search")
        right.set_title("Positions of games", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8, loc="center right")
        right.grid(visible=False, axis="y")


EXPERIMENTS = (NotesDeepening(),)
