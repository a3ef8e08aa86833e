"""Time per move of each of the Bamboo paper's players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.roster import create
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, about, exact, mean
from cornered.lab.experiments.laboratory import Laboratory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Costs"]

RADIUS: Final = 5
OPPONENT_BOT: Final = "bamboo-uniform"
MINIMAX: Final = "minimax, depth 2"
PLAIN_LABEL: Final = "minimax, depth 2, nothing pruned"
MCTS_LABEL: Final = "MCTS"
NETWORK_LABEL: Final = "neural net"
PLAYER_BOTS: Final[Mapping[str, str]] = {
    "random": "bamboo-uniform",
    NETWORK_LABEL: "bamboo-neural",
    "hybrid, threshold 40": "bamboo-hybrid:threshold=40,depth=2",
    MINIMAX: "bamboo-minimax:depth=2",
    PLAIN_LABEL: "bamboo-minimax:depth=2,pruning=plain",
    MCTS_LABEL: "bamboo-mcts:iterations=1000,c=0.4",
}
CLAIMED: Final[Mapping[str, tuple[str, float]]] = {MINIMAX: ("about 2 s", 2000.0), MCTS_LABEL: ("0.5 s", 500.0)}
"""The time that the paper's conclusion prints, as text and in milliseconds."""
GAMES_BY_SCALE: Final[Mapping[Scale, tuple[int, int]]] = {"tiny": (1, 1), "quick": (20, 6), "full": (100, 40)}
"""Number of games of each player, and of MCTS_LABEL, whose games take one to two seconds."""


def cost(item: tuple[str, int, int]) -> float:
    """Return a bot's mean milliseconds per move in one game: `item` is the bot, the seed and the number."""
    spec, seed, number = item
    terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=seed)
    # Loading and compilation happen once a process and are excluded from the measurement.
    create(spec).prepare(terms.load())
    seat = number % 2
    players = (spec, OPPONENT_BOT) if seat == 0 else (OPPONENT_BOT, spec)
    effort = play(terms, Fixture(number, players)).efforts[seat]
    return 1000 * effort.seconds / effort.moves


def _for_scale(spec: str, scale: Scale) -> str:
    """Return the bot to be measured, with fewer iterations at the scale `tiny`."""
    return spec.replace("iterations=1000", "iterations=20") if scale == "tiny" else spec


class Costs(Experiment):
    name = "bamboo-costs"
    title = "What a move costs each player"
    source = "bamboo-paper.txt, section VI"
    place = 80

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        usual, few = GAMES_BY_SCALE[lab.scale]
        items = [
            (_for_scale(spec, lab.scale), lab.seed, number)
            for name, spec in reversed(list(PLAYER_BOTS.items()))
            for number in range(few if name == MCTS_LABEL else usual)
        ]
        costs = lab.measure("games", cost, items)
        rows = {}
        for name, spec in PLAYER_BOTS.items():
            values = [value for item, value in zip(items, costs, strict=True) if item[0] == _for_scale(spec, lab.scale)]
            text, claimed = CLAIMED.get(name, ("", None))
            span = None if claimed is None else about(claimed)
            note = "" if span is None else "another machine and another program"
            rows[name] = mean(f"a move of {name}", text, span, values, "ms", note)
        ratios = []
        for above, below, text, span in (
            (MINIMAX, MCTS_LABEL, "about 4", about(4.0)),
            (PLAIN_LABEL, MCTS_LABEL, "about 4", about(4.0)),
            (MCTS_LABEL, NETWORK_LABEL, "much faster", None),
        ):
            ratio = rows[above].ours / rows[below].ours
            label = f"{above} : {below}"
            ratios.append(exact(label, text, span, ratio, rows[below].count))
        return [*rows.values(), *ratios], _notes(rows), {"players": list(PLAYER_BOTS)}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        names = finding.series["players"]
        rows = finding.rows[: len(names)]
        axes = figure.subplots()
        places = range(len(names))
        axes.errorbar(
            [row.ours for row in rows],
            places,
            xerr=[[row.ours - row.low for row in rows], [row.high - row.ours for row in rows]],
            fmt="o",
            color=COLOURS[0],
            capsize=3,
            label="ours",
        )
        claimed = [(CLAIMED[name][1], place) for place, name in zip(places, names, strict=True) if name in CLAIMED]
        axes.plot([cost for cost, _ in claimed], [place for _, place in claimed], "s", color=COLOURS[1], label="paper")
        axes.set_xscale("log")
        axes.set_yticks(
            places, [f"{name}\n{row.ours:.3g} ms" for name, row in zip(names, rows, strict=True)], fontsize=9
        )
        axes.set_xlabel("milliseconds a move")
        axes.grid(visible=False, axis="y")
        axes.legend(loc="lower right")


def _notes(rows: Mapping[str, FigureRow]) -> list[str]:
    notes = [
        f"Size {RADIUS}, against the uniform player, half of the games in either seat; MCTS with 1000 iterations and "
        "c = 0.4. Times are this machine's, and those of the paper another's: its ratio says more than its seconds.",
    ]
    if rows[PLAIN_LABEL].high < rows[MCTS_LABEL].low:
        notes.append(
            "In the paper minimax takes four times as long as MCTS. Ours takes a small part of its time, even with "
            f"nothing pruned ({rows[PLAIN_LABEL].ours:.3g} ms): two plies are some 8,000 positions at most, a thousand "
            "random games are some 40,000 placements a move. That minimax of this depth is the slow one is a "
            "property of the paper's program."
        )
    if rows[NETWORK_LABEL].high < rows[MCTS_LABEL].low:
        notes.append("That the network is much faster than MCTS holds.")
    return notes


EXPERIMENTS = (Costs(),)
