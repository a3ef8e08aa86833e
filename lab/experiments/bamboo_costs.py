"""Time per move of each of the Bamboo paper's players, and the work behind it, counted."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.minimax import PruningKind, new_counters, search
from cornered.bots.roster import create
from cornered.engine.kernels.hexagon import MAX_MOVES, Position, advance, gen, size_of
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import mean, timed
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.mean import mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Costs", "cost", "minimax_tests", "playout_tests", "work"]

RADIUS: Final = 5
OPPONENT_BOT: Final = "bamboo-uniform"
MINIMAX: Final = "minimax, depth 2"
PLAIN_LABEL: Final = "minimax, depth 2, nothing pruned"
MCTS_LABEL: Final = "MCTS"
NETWORK_LABEL: Final = "neural net"
PLAYER_BOTS: Final[Mapping[str, str]] = {
    "random": "bamboo-uniform",
    NETWORK_LABEL: "bamboo-neural",
    "hybrid, threshold 40": "bamboo-hybrid:threshold=40,depth=2,groups=pairs",
    MINIMAX: "bamboo-minimax:depth=2,groups=pairs",
    PLAIN_LABEL: "bamboo-minimax:depth=2,groups=pairs,pruning=plain",
    MCTS_LABEL: "bamboo-mcts:iterations=1000,c=0.4",
}
COUNTED: Final[Mapping[str, PruningKind]] = {MINIMAX: "sorted", PLAIN_LABEL: "plain"}
DEPTH: Final = 2
ITERATIONS: Final = 1000
CLAIMED: Final[Mapping[str, tuple[str, float]]] = {MINIMAX: ("about 2 s", 2000.0), MCTS_LABEL: ("0.5 s", 500.0)}
"""The time that the paper's conclusion prints, as text and in milliseconds."""
CLAIMED_RATIO: Final = 4.0
"""Time of minimax over that of MCTS, by the two."""
GAMES_BY_SCALE: Final[Mapping[Scale, tuple[int, int]]] = {"tiny": (1, 1), "quick": (20, 6), "full": (100, 40)}
"""Number of games of each player, and of MCTS_LABEL, whose games take one to two seconds."""
PLAYOUTS: Final = 5
"""Number of random games from each position whose work is counted."""


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


def work(item: tuple[int, int]) -> dict[str, float]:
    """Return the mean number of legality tests that a move takes minimax, pruned or not, and MCTS, over the positions
    of one random game; `item` is the seed and the number.

    Tests are the paper's unit of work. Listing the moves of a position tests every free cell, and an estimate lists
    those of both players; a random player tests shuffled cells up to the first legal one (section IV.A).
    """
    seed, number = item
    terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=seed)
    chance = terms.chance("work", number)
    moves = np.empty(MAX_MOVES, np.int64)
    position, tests = bamboo(terms.load().start()).position, dict[str, list[float]]()
    while count := gen(position, moves):
        free = size_of(position[6:9])
        for label, kind in COUNTED.items():
            nodes = search(position, RADIUS, DEPTH, kind, new_counters(None, "pairs")).nodes
            tests.setdefault(label, []).append(minimax_tests(free, count, nodes))
        playouts = [playout_tests(position, chance) for _ in range(PLAYOUTS)]
        # An iteration lists the moves of the node that it adds.
        tests.setdefault(MCTS_LABEL, []).append(ITERATIONS * (free - 1 + statistics.fmean(playouts)))
        position = advance(position, int(moves[chance.randrange(count)]))
    return {label: statistics.fmean(found) for label, found in tests.items()}


def minimax_tests(free: int, count: int, nodes: int) -> float:
    """Return the legality tests of a search of depth 2 with so many nodes, the root and its `count` children among
    them."""
    leaves = nodes - 1 - count
    return free + count * (free - 1) + leaves * 2 * (free - 2)


def playout_tests(position: Position, chance: Random) -> float:
    """Return the expected number of legality tests along one random game: the first of L legal cells among F shuffled
    ones is the (F + 1) / (L + 1)-th on average."""
    moves, tests = np.empty(MAX_MOVES, np.int64), 0.0
    while True:
        free, count = size_of(position[6:9]), gen(position, moves)
        if count == 0:
            return tests + free
        tests += (free + 1) / (count + 1)
        position = advance(position, int(moves[chance.randrange(count)]))


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
            text, _ = CLAIMED.get(name, ("", None))
            ours, low, high = mean_interval(values)
            note = "another machine and another program" if text else ""
            if name == MCTS_LABEL:
                note += '; section V.D has "less than a second per turn"'
            rows[name] = timed(f"time of a move of {name}", text, ours, low, high, len(values), "ms", note)
        ratios = []
        for above, below, text in (
            (MINIMAX, MCTS_LABEL, "about 4"),
            (PLAIN_LABEL, MCTS_LABEL, "about 4"),
            (MCTS_LABEL, NETWORK_LABEL, "much faster"),
        ):
            ratio = rows[above].ours / rows[below].ours
            ratios.append(timed(f"time, {above} : {below}", text, ratio, ratio, ratio, rows[below].count, ""))
        worked = lab.measure("work", work, [(lab.seed, number) for number in range(usual)])
        counts = {
            name: mean(f"legality tests a move, {name}", "", None, [found[name] for found in worked], "tests")
            for name in (MINIMAX, PLAIN_LABEL, MCTS_LABEL)
        }
        shares = [
            mean(f"legality tests, {name} : {MCTS_LABEL}", "", None, [one[name] / one[MCTS_LABEL] for one in worked])
            for name in COUNTED
        ]
        every = [*rows.values(), *ratios, *counts.values(), *shares]
        return every, _notes(rows, shares), {"players": list(PLAYER_BOTS)}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        names = finding.series["players"]
        rows = finding.rows[: len(names)]
        axes = figure.subplots()
        places = range(len(names))
        axes.errorbar(
            [row.ours for row in rows],
            places,
            xerr=error_bars(rows),
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


def _notes(rows: Mapping[str, FigureRow], shares: Sequence[FigureRow]) -> list[str]:
    pruned, plain = (row.ours for row in shares)
    notes = [
        f"Size {RADIUS}, against the uniform player, half of the games in either seat; MCTS with {ITERATIONS} "
        "iterations and c = 0.4. Times are this machine's and this program's, so they stand beside the paper's without "
        "a verdict.",
        "The paper says that minimax takes four times as long as MCTS. Work that belongs to no machine is counted "
        "beside it, in tests of whether one cell is legal, the step that all of the paper's players are made of: an "
        "estimate by equation 7 tests every free cell for both players, a random player shuffles the cells and tests "
        "up to the first legal one. By these tests, over the positions of random games, minimax of depth 2 does "
        f"{pruned:.2g} times the work of MCTS when sorted and pruned, and {plain:.2g} times when nothing is pruned.",
    ]
    if abs(plain - CLAIMED_RATIO) < abs(pruned - CLAIMED_RATIO):
        notes.append(
            f"The printed {CLAIMED_RATIO:g} is nearer to a minimax that prunes nothing. In ours an estimate is a few "
            "operations on whole rows of the board, which is why its minimax is the fast one."
        )
    if rows[NETWORK_LABEL].high < rows[MCTS_LABEL].low:
        notes.append("That the network is much faster than MCTS holds.")
    return notes


EXPERIMENTS = (Costs(),)
