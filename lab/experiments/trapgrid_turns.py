"""Nodes, time, depth and strength per turn of TrapGrid's printed player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.bot import Limit
from cornered.bots.roster.trapgrid_classic import TrapGridClassicBot, board_of
from cornered.bots.solve import trapgrid
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, exact, mean, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "TrapGridTurns", "turns"]

CLAIMED_NODES: Final = (80.0, 400.0)
CLAIM_MS: Final = 50.0
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 60, "full": 1000}
PLAYER_BOT: Final = "trapgrid-classic"
OPENING_PLIES: Final = 4


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
        by_game = lab.measure("turns", turns, [(terms, played.moves) for played in games])
        all_turns = [turn for game in by_game for turn in game]
        count = len(all_turns)
        per_game = [sum(turn["nodes"] for turn in game) / len(game) for game in by_game if game]
        times = [turn["milliseconds"] for turn in all_turns]
        nodes = [turn["nodes"] for turn in all_turns]
        won = [turn for turn in all_turns if turn["won"]]
        rows = [
            mean("nodes a turn", "80-400", CLAIMED_NODES, per_game, "nodes", "mean over games of each game's mean"),
            share(
                "turns of 80 to 400 nodes",
                "typical",
                (50.0, 100.0),
                Tally.of(sum(80 <= one <= 400 for one in nodes), count),
            ),
            exact("most nodes in a turn", "", None, max(nodes), count, "nodes"),
            exact("time a turn, mean", "<50 ms", (0, CLAIM_MS), sum(times) / count, count, "ms", "this machine's"),
            share("turns under 50 ms", "typical", (50, 100), Tally.of(sum(one < CLAIM_MS for one in times), count)),
        ]
        for depth, fewest in ((5, "more than 6"), (6, "5 or 6"), (7, "3 or 4"), (8, "0 to 2")):
            used = sum(turn["depth"] == depth for turn in all_turns)
            claimed, span = ("used", (1e-9, 100.0)) if depth < 7 else ("", None)
            label = f"turns at depth {depth} ({fewest} steps)"
            if depth < 7:
                # A pawn has at most four steps: a bound, so the figure has no sampling error.
                rows.append(exact(label, claimed, span, 100 * used / count, count, "%"))
            else:
                rows.append(share(label, claimed, span, Tally.of(used, count)))
        rows.append(exact("most steps of a pawn", "4", (4, 4), max(turn["most"] for turn in all_turns), count, "steps"))
        kept = sum(turn["kept"] for turn in won)
        rows.append(share("won positions kept won", "near-perfect", (95, 100), Tally.of(kept, len(won)), "by proof"))
        return rows, self._notes(rows), {"nodes": nodes, "depths": [turn["depth"] for turn in all_turns]}

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        inside = by["turns of 80 to 400 nodes"]
        lost = 100 - by["won positions kept won"].ours
        return [
            f"Turns are all those of {PLAYER_BOT}'s games against itself after {OPENING_PLIES} random plies on 7x7; "
            f"{inside.ours:.0f}% of them look at 80 to 400 nodes. Most others, near the end of the game, need fewer.",
            "Adaptive depth, as printed, asks whether the pawn with fewer steps has more than 6, 5 or 6, 3 or 4, or "
            "fewer. A cell has four neighbours, and after its first move one of a pawn's is blocked behind it, so the "
            "first two rows of the table, depths 5 and 6, are never used. That is a proof, and the counts show it: 0 "
            f"turns of {inside.count}. The depth is {8 - by['turns at depth 7 (3 or 4 steps)'].ours / 100:.2f} on "
            "average.",
            f'"Near-perfect strength" is taken as keeping at least 95% of the won positions: a solver proves what each '
            f"position and the move after it are worth. {lost:.1f}% of the wins are given away.",
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
        rows = [row for row in finding.rows if row.label.startswith("turns at depth")]
        bars = right.bar(["5", "6", "7", "8"], [row.ours for row in rows], color=OUR_COLOUR)
        right.bar_label(bars, fmt="%.0f%%", fontsize=9)
        right.set_xlabel("depth of a turn")
        right.set_ylabel("% of turns")
        right.set_ylim(0, 110)
        right.set_title("Depth: never 5 or 6", loc="left", fontsize=10)
        right.grid(visible=False, axis="x")


EXPERIMENTS = (TrapGridTurns(),)
