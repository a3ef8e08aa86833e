"""Nodes, time, depth and strength per turn of TrapGrid's printed player."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.bot import Limit
from cornered.bots.evaluate.trapgrid_classic import reach
from cornered.bots.roster.trapgrid_classic import TrapGridClassicBot, board_of
from cornered.bots.solve import trapgrid
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, Span
from cornered.lab.experiments.judging import checked, exact, mean, share, timed
from cornered.lab.experiments.laboratory import Laboratory, opening_cluster
from cornered.lab.statistics.mean import mean_interval
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "TrapGridTurns", "pockets", "turns"]

CLAIMED_NODES: Final = (80.0, 400.0)
CLAIM_MS: Final = 50.0
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 60, "full": 500}
PLAYER_BOT: Final = "trapgrid-classic"
OPENING_PLIES: Final = 8
"""Random plies before the first searched one. Four give sixteen openings, and as many different games."""
DEPTH_TABLE: Final[Mapping[int, tuple[str, int, int]]] = {
    5: ("more than 6", 7, 49),
    6: ("5 or 6", 5, 6),
    7: ("3 or 4", 3, 4),
    8: ("0 to 2", 0, 2),
}
"""Section 7's depths: the number of moves that selects each, in words and as a range."""


def turns(item: tuple[ContestTerms, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Return the player's search statistics at each turn of a game after its opening, with solver verdicts. `fewest` is
    the smaller number of steps of the two pawns, which selects the depth; `won` is whether the position is a proven
    win, and `kept` whether it is still one after the player's move."""
    terms, moves = item
    player = TrapGridClassicBot()
    found = []
    state = position_after(terms, moves[:OPENING_PLIES])
    for move in moves[OPENING_PLIES:]:
        assert isinstance(state, TrapGridState)
        thought = player.choose(state, Limit())
        board = board_of(state)
        steps = [len(board.targets(is_max=is_max)) for is_max in (True, False)]
        solution = trapgrid.solve(state, Limit())
        assert solution is not None
        found.append(
            {
                "nodes": thought.nodes,
                "milliseconds": 1000 * thought.seconds,
                "depth": thought.depth,
                "fewest": min(steps),
                "most": max(steps),
                "won": solution.value == "win",
                "kept": solution.moves[thought.move] == "win",
            }
        )
        state = state.play(move)
    return found


def pockets(item: tuple[ContestTerms, tuple[str, ...]]) -> list[dict[str, int]]:
    """Return for each turn after the opening `cells`, how many the pawn with fewer of them can still reach."""
    terms, moves = item
    found = []
    state = position_after(terms, moves[:OPENING_PLIES])
    for move in moves[OPENING_PLIES:]:
        assert isinstance(state, TrapGridState)
        board = board_of(state)
        # The own cell, which `reach` counts, is no move.
        found.append({"cells": min(reach(board.free, pawn) - 1 for pawn in (board.ai, board.opponent))})
        state = state.play(move)
    return found


class TrapGridTurns(Experiment):
    name = "trapgrid-turns"
    title = "TrapGrid's nodes and time per turn, and its adaptive depth"
    source = "trapgrid-deep-dive.txt, sections 7 and 10"
    place = 1

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("trapgrid", seed=lab.seed)
        opening = random_plies(terms, OPENING_PLIES)
        fixtures = [
            Fixture(number, (PLAYER_BOT, PLAYER_BOT), opening(number)) for number in range(GAMES_BY_SCALE[lab.scale])
        ]
        games = lab.play("games", terms, fixtures)
        items = [(terms, played.moves) for played in games]
        by_game = lab.measure("turns", turns, items)
        reachable = [turn["cells"] for game in lab.measure("pockets", pockets, items) for turn in game]
        of_game = [opening_cluster(played) for played, game in zip(games, by_game, strict=True) for _ in game]
        all_turns = [turn for game in by_game for turn in game]
        count = len(all_turns)

        def told(label: str, is_so: Sequence[bool], claimed: str = "", span: Span | None = None) -> FigureRow:
            return share(label, claimed, span, Tally.clustered([float(so) for so in is_so], of_game))

        searched = [(played, game) for played, game in zip(games, by_game, strict=True) if game]
        per_game = [sum(turn["nodes"] for turn in game) / len(game) for _, game in searched]
        openings = [opening_cluster(played) for played, _ in searched]
        nodes = [turn["nodes"] for turn in all_turns]
        note = "mean over games of each game's mean"
        average = mean("nodes a turn", "80-400", CLAIMED_NODES, per_game, "nodes", note, clusters=openings)
        inside = told("turns of 80 to 400 nodes", [80 <= one <= 400 for one in nodes], "typical", (50, math.inf))
        rows = [
            average,
            _atypical(inside, average),
            exact("most nodes in a turn", "", None, max(nodes), count, "nodes"),
            *_times([turn["milliseconds"] for turn in all_turns]),
        ]
        for depth, (words, *_) in DEPTH_TABLE.items():
            used = [turn["depth"] == depth for turn in all_turns]
            label = f"turns at depth {depth} ({words} steps)"
            if depth < 7:
                # A pawn has at most three steps: a bound, so the figure has no sampling error.
                figure = 100 * sum(used) / count
                rows.append(
                    exact(label, "used", (math.ulp(0), 100), figure, count, "%").because("refuted", _unused(depth))
                )
            else:
                rows.append(told(label, used))
        for depth, (words, fewest, most) in DEPTH_TABLE.items():
            used = [fewest <= cells <= most for cells in reachable]
            label = f"turns at depth {depth} ({words} cells in reach)"
            # One turn would do to agree, and both numbers of cells occur in every game.
            rows.append(checked(told(label, used, "used", (math.ulp(0), 100))) if depth < 7 else told(label, used))
        rows.append(
            exact("most steps of a pawn", "4", (4, 4), max(turn["most"] for turn in all_turns), count, "steps").because(
                "refuted",
                "The reference's own rules: a pawn starts in a corner with two steps, and later one of its four "
                "neighbours is the cell it came from, which is blocked. As a bound, 4 holds; no position reaches it. "
                'So section 9 is wrong, too: "Central cells give you 4 possible moves at all times".',
            )
        )
        won = [(float(turn["kept"]), cluster) for turn, cluster in zip(all_turns, of_game, strict=True) if turn["won"]]
        kept = Tally.clustered([score for score, _ in won], [cluster for _, cluster in won])
        rows.append(share("won positions kept won", "", None, kept, 'by proof; "near-perfect strength"'))
        return rows, self._notes(rows), {"nodes": nodes, "depths": [turn["depth"] for turn in all_turns]}

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        inside = by["turns of 80 to 400 nodes"]
        lost = 100 - by["won positions kept won"].ours
        return [
            f"Turns are all those of {PLAYER_BOT}'s games against itself after {OPENING_PLIES} random plies on 7x7; "
            f"{inside.ours:.0f}% of them look at 80 to 400 nodes. Most others, near the end of the game, need fewer. "
            "Intervals of shares count the turns of a game as a cluster.",
            "Adaptive depth, as printed, asks whether the pawn with fewer steps has more than 6, 5 or 6, 3 or 4, or "
            "fewer. A cell has four neighbours, and after its first move one of a pawn's is blocked behind it, so the "
            "first two rows of the table, depths 5 and 6, are never used. That is a proof, and the counts show it: 0 "
            f"turns of {inside.count}. The depth is {8 - by['turns at depth 7 (3 or 4 steps)'].ours / 100:.2f} on "
            "average. The steps of both pawns added up would be 6 at most, which leaves out depth 5 still. Counted in "
            'cells within reach, as "both players have few remaining moves" may mean, all four rows are used: the '
            "table fits that reading, the code does not.",
            'The reference gives no number for "near-perfect strength". A solver proves what each position and the '
            f"move after it are worth: {lost:.1f}% of the won positions are given away.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        nodes = finding.series["nodes"]
        widest = max(500, *nodes)
        left.axvspan(*CLAIMED_NODES, color=BAND_COLOUR, alpha=0.35, label="printed, 80-400")
        left.hist(nodes, bins=40, range=(0, widest), color=OUR_COLOUR)
        average = finding.rows[0].ours
        left.axvline(average, color=PRINTED_COLOUR, linestyle="--", label=f"our mean, {average:.0f}")
        left.set_xlabel("nodes in a turn")
        left.set_ylabel("turns")
        left.set_title("Nodes", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=9)
        readings = (("steps)", "in steps, as printed", OUR_COLOUR), ("cells in reach)", "in cells", SECOND_COLOUR))
        for place, (ending, label, colour) in enumerate(readings):
            rows = [
                row for row in finding.rows if row.label.startswith("turns at depth") and row.label.endswith(ending)
            ]
            places = [depth + 0.4 * (place - 0.5) for depth in DEPTH_TABLE]
            bars = right.bar(places, [row.ours for row in rows], 0.38, color=colour, label=label)
            right.bar_label(bars, fmt="%.0f%%", fontsize=8)
        right.set_xticks(list(DEPTH_TABLE))
        right.legend(frameon=False, fontsize=8)
        right.set_xlabel("depth of a turn")
        right.set_ylabel("% of turns")
        right.set_ylim(0, 110)
        right.set_title("Depth by moves left", loc="left", fontsize=10)
        right.grid(visible=False, axis="x")


def _times(milliseconds: Sequence[float]) -> list[FigureRow]:
    """Return the rows about the time of a turn, in ms, on the machine that ran the experiment."""
    average, low, high = mean_interval(milliseconds)
    count = len(milliseconds)
    quick = Tally.of(sum(one < CLAIM_MS for one in milliseconds), count)
    least, most = quick.interval()
    return [
        timed("time a turn, mean", f"<{CLAIM_MS:g} ms", average, low, high, count, "ms"),
        timed(
            f"time a turn, share under {CLAIM_MS:g} ms",
            "typical",
            100 * quick.share,
            100 * least,
            100 * most,
            count,
            "%",
        ),
    ]


def _atypical(inside: FigureRow, average: FigureRow) -> FigureRow:
    """Return the row of the turns inside the printed range, with the reason why they are not most of the turns."""
    if average.verdict == "agrees":
        return inside.because(
            "definition",
            f'The mean turn has {average.ours:.0f} nodes, which agrees: the row "{average.label}". A "typical" turn is '
            "read here as more than half of all turns; turns near the end need fewer nodes.",
        )
    return inside.because("vague", 'The reference does not say which turns of which games are "typical".')


def _unused(depth: int) -> str:
    """Return why a depth below 7 is never chosen."""
    words, *_ = DEPTH_TABLE[depth]
    return (
        "The printed code counts steps to adjacent cells. Section 10 prints 4 as their most, and no pawn has more than "
        f"three, so that depth {depth} is never chosen. Counted in cells within reach, which the code does not do, it "
        f'would be: the row "turns at depth {depth} ({words} cells in reach)".'
    )


EXPERIMENTS = (TrapGridTurns(),)
