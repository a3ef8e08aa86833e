"""Savings of shallow pruning with three players, compared with those of alpha-beta with two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.textbook.figures import alpha_beta_saving, korf_saving
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import OUR_COLOUR, PRINTED_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import gap, mean, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import random_positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "NotesKorf", "saved"]

BOARD_SIZE: Final = 4
MAX_RANDOM_PLIES: Final = 6
"""Maximum number of random plies before a position."""
DEPTHS_BY_SCALE: Final[Mapping[Scale, Sequence[int]]] = {"tiny": (2, 3), "quick": (2, 3, 4), "full": (2, 3, 4, 5)}
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 40, "full": 150}
PLAYER_COUNTS: Final = (2, 3)


def saved(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return the share of nodes that pruning saves at a position: alpha-beta for two players, Korf's shallow pruning
    for more."""
    terms, moves, depth = item
    state = position_after(terms, moves)
    saving = alpha_beta_saving(state, depth) if state.game.seats == 2 else korf_saving(state, depth)
    return {"percent": saving.percent, "plain": saving.plain, "pruned": saving.pruned}


class NotesKorf(Experiment):
    name = "notes-korf"
    title = "Korf's shallow pruning for three players"
    source = "game-playing-notes.txt, Multi-Player Alpha-Beta Pruning"
    place = 3

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        by: dict[int, dict[int, FigureRow]] = {players: {} for players in PLAYER_COUNTS}
        for depth in DEPTHS_BY_SCALE[lab.scale]:
            for players in PLAYER_COUNTS:
                row, together = self._saving(lab, players, depth)
                by[players][depth] = row
                rows += [row, together]
            two, three = by[2][depth], by[3][depth]
            label = f"depth {depth}, two players save more by"
            rows.append(gap(label, "more than 0", (0.0, math.inf), two, three, "points"))
        return rows, self._notes(by), {"depths": list(DEPTHS_BY_SCALE[lab.scale])}

    def _saving(self, lab: Laboratory, players: int, depth: int) -> tuple[FigureRow, FigureRow]:
        options = {"width": BOARD_SIZE, "height": BOARD_SIZE, "players": players}
        terms = ContestTerms("isolation", options, seed=lab.seed)
        lines = random_positions(terms, POSITIONS_BY_SCALE[lab.scale], MAX_RANDOM_PLIES)
        found = lab.measure(f"{players}-players-{depth}", saved, [(terms, line, depth) for line in lines])
        label = f"depth {depth}, {players} players"
        plain = [one["plain"] for one in found]
        left_out = [one["plain"] - one["pruned"] for one in found]
        return (
            mean(f"{label}, saved", "", None, [one["percent"] for one in found], "%"),
            pooled(f"{label}, saved of all nodes", "", None, left_out, plain, note="all positions together"),
        )

    def _notes(self, by: Mapping[int, Mapping[int, FigureRow]]) -> list[str]:
        return [
            f"Isolation on {BOARD_SIZE}x{BOARD_SIZE} with two and with three players, at positions of random games of "
            f"at most {MAX_RANDOM_PLIES} plies, moves as the game lists them. Three players are searched by max^n with "
            "shallow pruning: the shares of all players have a fixed sum, the bound that it needs. The "
            "result is exactly that of max^n.",
            "The notes say less effective and give no figure. Ours: "
            + "; ".join(
                f"depth {depth}, {by[2][depth].ours:.0f}% with two players and {by[3][depth].ours:.0f}% with three"
                for depth in by[2]
            )
            + ". Shallow pruning cuts only where the share that a position guarantees its mover and the share that the "
            "player above is guaranteed elsewhere add up to the whole sum. With three players the third one has a "
            "share too, so this is rare.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        axes = figure.subplots()
        by = {row.label: row for row in finding.rows}
        depths = finding.series["depths"]
        words = {2: "two players, alpha-beta", 3: "three players, Korf's shallow pruning"}
        for players, colour in zip(PLAYER_COUNTS, (PRINTED_COLOUR, OUR_COLOUR), strict=True):
            rows = [by[f"depth {depth}, {players} players, saved"] for depth in depths]
            reach = error_bars(rows)
            ours = [row.ours for row in rows]
            axes.errorbar(depths, ours, yerr=reach, fmt="o-", color=colour, capsize=3, label=words[players])
        axes.set_xticks(depths)
        axes.set_ylim(-3, 100)
        axes.set_xlabel("depth")
        axes.set_ylabel("% of nodes saved")
        axes.set_title(f"Isolation {BOARD_SIZE}x{BOARD_SIZE}", loc="left", fontsize=10)
        axes.legend(frameon=False, fontsize=9)


EXPERIMENTS = (NotesKorf(),)
