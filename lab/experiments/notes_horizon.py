"""The horizon effect: what searches of fixed depth believe about positions whose value is proven."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.textbook.quiescence import swing
from cornered.bots.textbook.search import TextbookSearch
from cornered.lab.contests.arena import position_after
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import checked, gap, mean, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.proven import PROVEN_GAMES, ProvenGame, searched, solution
from cornered.lab.experiments.sampling import random_positions
from cornered.lab.reports.plots import COLOURS
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "NotesHorizon", "believed", "is_pushed", "is_wrong"]

POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 8, "quick": 400, "full": 3000}


def believed(item: tuple[str, int, tuple[str, ...]]) -> dict[str, Any]:
    """Return what is proven about a position of a game, given by its label, the seed and the moves; what the evaluation
    says of it, and what the plain search at each depth does: its value, and by the solver's count in how many plies the
    game ends after its move, None where that is not counted."""
    label, seed, moves = item
    ground = PROVEN_GAMES[label]
    state = position_after(ground.terms(seed), moves)
    solved = solution(state)
    search = TextbookSearch(state.to_move, ground.evaluate)
    looks: dict[str, float | None] = {}
    for depth in ground.depths:
        value, line = searched(ground, state, depth, "", search)
        looks[f"value {depth}"], looks[f"lasts {depth}"] = value, solved.lengths.get(line[0])
    return {
        "proven": solved.value,
        "static": ground.evaluate(state, state.to_move),
        "swing": swing(state, 0, search),
        "lengths": list(solved.lengths.values()),
        **looks,
    }


def is_wrong(value: float, proven: str) -> bool:
    """Return whether the sign of a value is not that of the proven result."""
    return value <= 0 if proven == "win" else value >= 0


def is_pushed(one: Mapping[str, Any], depth: int) -> bool:
    """Return whether a position is lost within `depth` plies by some moves and later by others."""
    return one["proven"] == "loss" and bool(one["lengths"]) and min(one["lengths"]) <= depth < max(one["lengths"])


class NotesHorizon(Experiment):
    name = "notes-horizon"
    title = "The horizon effect on proven positions"
    source = "game-playing-notes.txt, Horizon Effect and Quiescent Search"
    place = 4

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        unseen: dict[str, list[list[float]]] = {}
        signs: dict[str, list[list[float]]] = {}
        for ground in PROVEN_GAMES.values():
            lines = random_positions(ground.terms(lab.seed), POSITIONS_BY_SCALE[lab.scale], ground.plies)
            items = [(ground.label, lab.seed, line) for line in lines]
            found = lab.measure(ground.step, believed, items)
            by_sign, by_depth = self._signs(ground, found), self._unseen(ground, found)
            rows += [*by_sign, *by_depth, *self._delays(ground, found)]
            signs[ground.label] = [[row.ours, row.low, row.high] for row in by_sign[:2]]
            unseen[ground.label] = [
                [depth, row.ours, row.low, row.high] for depth, row in zip(ground.depths, by_depth, strict=True)
            ]
        return rows, self._notes(rows, unseen), {"signs": signs, "unseen": unseen}

    def _signs(self, ground: ProvenGame, found: Sequence[Mapping[str, Any]]) -> list[FigureRow]:
        """Return how often the evaluation's sign is wrong in volatile positions, in quiet ones, and the difference."""
        wrong = {
            is_volatile: [
                is_wrong(one["static"], one["proven"]) for one in found if (one["swing"] > ground.swing) == is_volatile
            ]
            for is_volatile in (True, False)
        }
        volatile, quiet = (Tally.of(sum(wrong[which]), len(wrong[which])) for which in (True, False))
        note = f"volatile: the best move changes the evaluation by more than {ground.swing:g}"
        label = f"{ground.label}, evaluation wrong about the winner"
        rows = [
            share(f"{label}, volatile", "", None, volatile, note),
            share(f"{label}, quiet", "", None, quiet),
        ]
        label = f"{ground.label}, wrong more often in volatile positions by"
        more = gap(label, "more than 0", (0, math.inf), rows[0], rows[1], "points")
        return [
            *rows,
            more.because(
                "vague",
                "The notes say neither what makes a position volatile nor for which evaluation. The test here is the "
                "best move's swing, for each game with one evaluation.",
            ),
        ]

    def _unseen(self, ground: ProvenGame, found: Sequence[Mapping[str, Any]]) -> list[FigureRow]:
        """Return for each depth the share of the proven losses that the search does not believe."""
        rows = []
        for depth in ground.depths:
            lost = [one[f"value {depth}"] >= 0 for one in found if one["proven"] == "loss"]
            label = f"{ground.label}, depth {depth}, proven losses not believed"
            rows.append(share(label, "", None, Tally.of(sum(lost), len(lost)), "its value is 0 or more"))
        return rows

    def _delays(self, ground: ProvenGame, found: Sequence[Mapping[str, Any]]) -> list[FigureRow]:
        """Return by how many plies the chosen move delays a proven loss, and what the search then believes."""
        depth = ground.depth
        counted = [one for one in found if one["proven"] == "loss" and len(one["lengths"]) > 1]
        delays = [one[f"lasts {depth}"] - statistics.fmean(one["lengths"]) for one in counted]
        pushed = [one[f"value {depth}"] >= 0 for one in found if is_pushed(one, depth)]
        rows = []
        if delays:
            label = f"{ground.label}, depth {depth}, a lost game lasts longer than by an average move by"
            # A search that sees a loss within its depth delays it, so this could hardly fail.
            rows.append(checked(mean(label, "more than 0", (0, math.inf), delays, "plies")))
        if pushed:
            label = f"{ground.label}, depth {depth}, loss pushed beyond it and not believed"
            note = "where some moves lose within the depth and others later"
            rows.append(share(label, "", None, Tally.of(sum(pushed), len(pushed)), note))
        return rows

    def _notes(self, rows: Sequence[FigureRow], unseen: Mapping[str, Sequence[Sequence[float]]]) -> list[str]:
        falls = "; ".join(
            f"{label} " + ", ".join(f"{percent:.0f}% at depth {depth:.0f}" for depth, percent, *_ in figures)
            for label, figures in unseen.items()
        )
        misled = [
            row.label.split(", ")[0] for row in rows if "by" in row.label and row.unit == "points" and row.low > 0
        ]
        return [
            "Positions of random games whose value a solver proves. Isolation is evaluated as the notes propose, own "
            "moves less the opponent's; TrapGrid by its own evaluation, which compares the room that each side reaches "
            "first. A position is volatile where the best move changes the evaluation by more than "
            + ", ".join(
                f"{ground.swing:g} ({label}: {_volatile_percent(label, rows):.0f}% of the positions)"
                for label, ground in PROVEN_GAMES.items()
            )
            + ".",
            "The evaluation is wrong more often in volatile positions in "
            + (", ".join(misled) if misled else "none of the games")
            + ", beyond chance.",
            f"Proven losses that a search does not believe: {falls}. A deeper search need not believe more of them: it "
            "has more ways to delay a loss beyond its depth. An evaluation may also favour the side to move, so that "
            "odd and even depths differ.",
            "Of moves that all lose, a search by its definition prefers one whose loss it cannot see. That the game "
            "then lasts longer could hardly fail, so it has no verdict. Whether the search then does not believe the "
            "loss does not follow from the definition.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        signs = finding.series["signs"]
        for offset, (label, colour) in enumerate((("volatile", OUR_COLOUR), ("quiet", BAND_COLOUR))):
            places = [place + 0.38 * (offset - 0.5) for place in range(len(signs))]
            figures = [both[offset] for both in signs.values()]
            reach = [[one[0] - one[1] for one in figures], [one[2] - one[0] for one in figures]]
            left.barh(places, [one[0] for one in figures], 0.36, xerr=reach, color=colour, label=label, capsize=3)
        left.set_yticks(range(len(signs)), [label.replace(" ", "\n") for label in signs])
        left.invert_yaxis()
        left.set_xlim(0, 100)
        left.set_xlabel("% of positions")
        left.set_title("Evaluation wrong about the winner", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=8, loc="lower right")
        left.grid(visible=False, axis="y")
        for (label, figures), colour in zip(
            finding.series["unseen"].items(), (OUR_COLOUR, PRINTED_COLOUR, COLOURS[0]), strict=True
        ):
            reach = [[one[1] - one[2] for one in figures], [one[3] - one[1] for one in figures]]
            depths = [one[0] for one in figures]
            right.errorbar(
                depths, [one[1] for one in figures], yerr=reach, fmt="o-", color=colour, capsize=3, label=label
            )
        right.set_ylim(0, 100)
        right.set_xlabel("depth")
        right.set_ylabel("%")
        right.set_title("Proven losses not believed", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8)


def _volatile_percent(label: str, rows: Sequence[FigureRow]) -> float:
    """Return the percentage of a game's positions that are volatile."""
    kinds = ("volatile", "quiet")
    counts = {
        kind: row.count
        for kind in kinds
        for row in rows
        if row.label == f"{label}, evaluation wrong about the winner, {kind}"
    }
    return 100 * counts["volatile"] / sum(counts.values())


EXPERIMENTS = (NotesHorizon(),)
