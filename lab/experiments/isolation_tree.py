"""What the Isolation tutorial says about its game tree: how long a game is, and what pruning saves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.textbook.isolation import HEURISTICS_BY_NAME
from cornered.bots.textbook.isolation_printed import TUTORIAL_PLIES
from cornered.engine.games.isolation import IsolationState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.isolation_heuristics import PRINTED, bot_name
from cornered.lab.experiments.judging import checked, exact, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import random_positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "GameLengths", "IsolationTree", "lengths", "states"]

CELLS: Final = 9
"""Moves of a game between perfect players on 3x3, as the tutorial has it."""
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 6, "quick": 200, "full": 2000}
MOST_RANDOM_PLIES_BY_SIZE: Final = {3: 4, 5: 12, 7: 24}
LEAST_PERCENT: Final = math.ulp(0.0)
"""The lower end of "fewer": anything above none."""


class GameLengths(NamedTuple):
    """Plies from a position to the end of the game."""

    wins: bool
    """Whether the mover wins with perfect play."""
    longest: int
    """The most of any game."""
    contested: int
    """Where the winner hurries and the loser delays."""
    won: int
    """The most where the winner never gives the win away."""


@cache
def lengths(state: IsolationState) -> GameLengths:
    """Return the lengths of the games from a position on a board small enough to try every game."""
    after = [lengths(state.play(move)) for move in state.moves()] if state.outcome is None else []
    lost = [next for next in after if not next.wins]
    return GameLengths(
        bool(lost),
        max((1 + next.longest for next in after), default=0),
        1 + min(next.contested for next in lost) if lost else max((1 + next.contested for next in after), default=0),
        max((1 + next.won for next in lost or after), default=0),
    )


def states(item: tuple[ContestTerms, tuple[str, ...]]) -> dict[str, int]:
    """Return the states below the position after some moves that the tutorial's tree holds, and how many of them a
    pruning that cuts evaluates."""
    terms, moves = item
    state = position_after(terms, moves)
    cut = create(bot_name("simple", PRINTED)).choose(state, Limit()).nodes
    return {"all": sum(state.perft(depth) for depth in range(1, TUTORIAL_PLIES + 1)), "cut": cut}


class IsolationTree(Experiment):
    name = "isolation-tree"
    title = "Isolation's game tree: length, and states that pruning saves"
    source = "isolation-tutorial.txt, Minimax with Alpha-beta Pruning and A Defensive to Offensive Strategy"
    place = 4

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        for size, plies in MOST_RANDOM_PLIES_BY_SIZE.items():
            terms = ContestTerms.of("isolation", {"width": size, "height": size}, seed=lab.seed)
            lines = [line for line in random_positions(terms, POSITIONS_BY_SCALE[lab.scale], plies) if len(line) > 1]
            found = lab.measure(f"size-{size}", states, [(terms, line) for line in lines])
            whole = [float(one["all"]) for one in found]
            saved = [float(one["all"] - one["cut"]) for one in found]
            label = f"{size}x{size}, states saved by pruning that cuts"
            rows.append(checked(pooled(label, "fewer", (LEAST_PERCENT, 100), saved, whole, clusters=lines)))
        note = "by its code, not counted"
        printed = exact("states saved by the printed pruning", "fewer", (LEAST_PERCENT, 100), 0.0, 1, "%", note)
        rows.append(
            printed.because(
                "refuted",
                "Its own code: the cut is a `return` in the callback of `forEach`, which goes on with the next state, "
                "so every state of the tree is visited. A pruning that cuts does save states.",
            )
        )
        start = engine.load("isolation", width=3, height=3).start()
        assert isinstance(start, IsolationState)
        of_start = lengths(start)
        every = "All games of 3x3 were tried"
        rows += [
            exact("3x3, longest game", f"{CELLS}", (CELLS, CELLS), of_start.longest, 1, "plies").because(
                "refuted", f"{every}: none has more than {of_start.longest} plies."
            ),
            exact(
                "3x3, perfect play, longest", f"{CELLS}", (CELLS, CELLS), of_start.won, 1, "plies", "", "proven"
            ).because(
                "refuted",
                f"{every}: seat {0 if of_start.wins else 1} wins, and where it never gives the win away a game has "
                f"{of_start.won} plies at most.",
            ),
            exact(
                *("3x3, winner hurries, loser delays", "", None, of_start.contested, 1, "plies", "", "proven"),
            ),
        ]
        for move, own, other, score in (("A", 5, 3, 7), ("B", 5, 2, 8)):
            ours = HEURISTICS_BY_NAME["defensive"](own, other, 0.0)
            rows.append(checked(exact(f"defensive score of move {move}", f"{score}", (score, score), ours)))
        return rows, self._notes(rows), {}

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        cuts = [by[f"{size}x{size}, states saved by pruning that cuts"] for size in MOST_RANDOM_PLIES_BY_SIZE]
        ours = ", ".join(f"{row.ours:.0f}% on {row.label.split(',')[0]}" for row in cuts)
        return [
            f'Alpha-beta "gives the same result ... by evaluating less states": a pruning that cuts saves {ours} of '
            f"all states of the tutorial's five plies, moves as the board lists them, heuristic simple. The program "
            "builds the whole tree before it searches, so even that would not save the states' construction.",
            '"If both players play perfectly, there can be a total of nine moves until the game ends", on 3x3: the '
            f"longest game of all has {by['3x3, longest game'].ours:g} plies, the longest in which the winner never "
            f"errs {by['3x3, perfect play, longest'].ours:g}, and where the winner also hurries "
            f"{by['3x3, winner hurries, loser delays'].ours:g}.",
            "Not measured: what the tutorial says in words about web pages and playing styles, and its pictures, whose "
            "positions are not given.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        axes = figure.subplots()
        rows = [row for row in finding.rows if row.label.startswith("states") or "states saved" in row.label]
        places = list(range(len(rows)))
        colours = [PRINTED_COLOUR if row.label.startswith("states") else OUR_COLOUR for row in rows]
        bars = axes.barh(places, [row.ours for row in rows], color=colours)
        axes.bar_label(bars, fmt="%.0f%%", padding=3)
        axes.set_yticks(places, [row.label for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, 110)
        axes.set_xlabel("% of all states of the tree")
        axes.grid(visible=False, axis="y")


EXPERIMENTS = (IsolationTree(),)
