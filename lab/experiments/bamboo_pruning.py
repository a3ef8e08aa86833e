"""Section IV.B of the Bamboo paper: what alpha-beta pruning and sorting save its minimax, early and late in a game."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.minimax import PruningKind, estimate, new_counters, search
from cornered.engine.kernels.hexagon import MAX_MOVES, Position, advance, gen
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.experiments.beside import error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import checked, exact, mean, pooled, timed
from cornered.lab.experiments.laboratory import Laboratory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "MinimaxPruning", "evaluated_of", "leaves_in_order", "phases_of", "savings", "searched"]

RADIUS: Final = 5
PLAYER_BOT: Final = "bamboo-minimax:depth=2,groups=pairs"
OPENING_PLIES: Final = 2
PHASES: Final = ("early", "middle", "late")
"""The thirds of a game."""
WHOLE: Final = "all thirds"
KINDS: Final[tuple[PruningKind, ...]] = ("plain", "pruned", "sorted")
PLAIN_DEPTH_MAX: Final = 3
"""Depth to which nothing is pruned: at depth 4 the start has 64 million leaves."""
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {1: 2, 2: 2},
    "quick": {1: 40, 2: 40, 3: 10},
    "full": {1: 200, 2: 200, 3: 60, 4: 30},
}
"""Number of games by depth; each has one position of each phase."""
ORDERED_DEPTH: Final = 2

SearchItem = tuple[ContestTerms, tuple[str, ...], int]


def searched(item: SearchItem) -> dict[str, Any]:
    """Return the nodes, milliseconds and value of each form of minimax in a position; `item` is the terms, the moves
    and the depth."""
    terms, moves, depth = item
    state = bamboo(position_after(terms, moves))
    found: dict[str, Any] = {}
    for kind in KINDS:
        if kind == "plain" and depth > PLAIN_DEPTH_MAX:
            continue
        search(state.position, RADIUS, 1, kind, new_counters(None, "pairs"))
        start = time.perf_counter()
        result = search(state.position, RADIUS, depth, kind, new_counters(None, "pairs"))
        found[f"{kind} milliseconds"] = 1000 * (time.perf_counter() - start)
        found[f"{kind} nodes"], found[f"{kind} value"] = result.nodes, result.value
    return found


def leaves_in_order(item: tuple[ContestTerms, tuple[str, ...], bool]) -> dict[str, int]:
    """Return how many leaves of depth 2 alpha-beta evaluates in a perfect order, and how many there are. `item` is the
    terms, the moves, and whether the best comes first, for either player, or the worst."""
    terms, moves, is_best_first = item
    position = bamboo(position_after(terms, moves)).position
    replies = _values_of_replies(position)
    return {"evaluated": evaluated_of(replies, is_best_first=is_best_first), "all": sum(map(len, replies))}


def evaluated_of(replies: Sequence[Sequence[int]], *, is_best_first: bool) -> int:
    """Return how many leaves alpha-beta evaluates of a tree of two plies, in the best or the worst order. `replies` are
    the mover's values of the leaves after each move; the replier minimises them."""
    ordered = [sorted(values, reverse=not is_best_first) for values in replies]
    ordered.sort(key=min, reverse=is_best_first)
    reached, evaluated = -math.inf, 0
    for values in ordered:
        least = math.inf
        for value in values:
            evaluated += 1
            least = min(least, value)
            # The paper's appendix B breaks where the two are equal, too.
            if least <= reached:
                break
        reached = max(reached, least)
    return evaluated


def _values_of_replies(position: Position) -> list[list[int]]:
    """Return the estimates after each move and each reply to it, from the mover's side."""
    sign = 1 if position.turn == 0 else -1
    moves, replies = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES, np.int64)
    values = []
    for move in moves[: gen(position, moves)].tolist():
        child = advance(position, move)
        after = [advance(child, reply) for reply in replies[: gen(child, replies)].tolist()]
        # A finished game is estimated like any other position.
        values.append([sign * estimate(leaf, 1) for leaf in after or [child]])
    return values


def phases_of(terms: ContestTerms, played: PlayedGame) -> list[tuple[str, ...]]:
    """Return the moves to one position in each third of a game, drawn uniformly; the last has a move left."""
    first, end = len(played.fixture.opening), len(played.moves)
    bounds = [first + (end - first) * third // len(PHASES) for third in range(len(PHASES) + 1)]
    chance = terms.chance("phase", played.fixture.number)
    return [played.moves[: chance.randrange(low, max(high, low + 1))] for low, high in pairwise(bounds)]


class MinimaxPruning(Experiment):
    name = "bamboo-pruning"
    title = "Section IV.B: what pruning and sorting save minimax"
    source = "bamboo-paper.txt, section IV.B, appendices A to D"
    place = 45

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        games = GAMES_BY_SCALE[lab.scale]
        opening = random_plies(terms, OPENING_PLIES)
        fixtures = [Fixture(number, (PLAYER_BOT, PLAYER_BOT), opening(number)) for number in range(max(games.values()))]
        lines = [phases_of(terms, played) for played in lab.play("games", terms, fixtures)]
        rows, times, same = list[FigureRow](), list[FigureRow](), list[bool]()
        sorting: dict[int, Mapping[str, list[float]]] = {}
        nodes: dict[str, dict[str, list[float]]] = {}
        for depth, count in games.items():
            items = [(terms, moves, depth) for line in lines[:count] for moves in line]
            found = lab.measure(f"depth-{depth}", searched, items)
            by_phase = {phase: found[place :: len(PHASES)] for place, phase in enumerate(PHASES)}
            kinds = [kind for kind in KINDS if f"{kind} nodes" in found[0]]
            same += [len({one[f"{kind} value"] for kind in kinds}) == 1 for one in found]
            nodes[str(depth)] = {
                kind: [statistics.fmean(one[f"{kind} nodes"] for one in by_phase[phase]) for phase in PHASES]
                for kind in kinds
            }
            rows += savings(depth, by_phase)
            sorting[depth] = {phase: [_saved(one, "pruned", "sorted") for one in by_phase[phase]] for phase in PHASES}
            times += [
                _time_row(f"time of a search, depth {depth}, {kind}", [one[f"{kind} milliseconds"] for one in found])
                for kind in kinds
            ]
        usefulness = [_early_against_late(depth, by_phase) for depth, by_phase in sorting.items() if depth > 1]
        orders = self._orders(lab, terms, [line[0] for line in lines])
        check = checked(
            exact("searches with the same value", "all", (100, 100), 100 * statistics.fmean(same), len(same), "%")
        )
        every = [*usefulness, *orders, check, *rows, *times]
        return every, _notes({row.label: row for row in every}, list(games)), {"nodes": nodes}

    def _orders(self, lab: Laboratory, terms: ContestTerms, lines: Sequence[tuple[str, ...]]) -> list[FigureRow]:
        """Return the rows of perfect orders at depth 2: the worst move first, and the best."""
        worst = lab.measure("worst-first", leaves_in_order, [(terms, moves, False) for moves in lines])
        top = lab.measure("best-first", leaves_in_order, [(terms, moves, True) for moves in ((), *lines)])
        start, best_first = top[0], top[1:]
        cut = [100 * (1 - one["evaluated"] / one["all"]) for one in worst]
        never = mean(f"leaves cut off, depth {ORDERED_DEPTH}, the worst first", "none", (0, 0), cut, "%").because(
            "refuted",
            "The printed pseudocode breaks where values are equal, too, and equation 7 is a small whole number, so "
            "that many moves have equal values. With different values nothing would be cut off.",
        )
        cells = 3 * RADIUS * (RADIUS + 1) + 1
        bound = math.perm(cells, ORDERED_DEPTH) + ORDERED_DEPTH * cells
        label = f"leaves at the start, depth {ORDERED_DEPTH}, the best first"
        claimed = f"{cells}!/{cells - ORDERED_DEPTH}! + {ORDERED_DEPTH} x {cells} = {bound:,}, at most"
        return [
            never,
            checked(exact(label, claimed, (0, bound), start["evaluated"], 1, "leaves")),
            mean(
                f"leaves cut off, depth {ORDERED_DEPTH}, the best first",
                "",
                None,
                [100 * (1 - one["evaluated"] / one["all"]) for one in best_first],
                "%",
            ),
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        nodes: Mapping[str, Mapping[str, Sequence[float]]] = finding.series["nodes"]
        left, right = figure.subplots(1, 2)
        depths = [int(depth) for depth in nodes]
        for colour, kind in zip(COLOURS, KINDS, strict=False):
            known = [depth for depth in depths if kind in nodes[str(depth)]]
            means = [statistics.fmean(nodes[str(depth)][kind]) for depth in known]
            left.plot(known, means, "o-", color=colour, label=kind)
        left.set(xlabel="depth", xticks=depths, yscale="log")
        left.set_title("nodes of a search", fontsize=10, loc="left")
        left.legend(fontsize=8, loc="upper left")
        rows = {row.label: row for row in finding.rows}
        deep = [depth for depth in depths if depth > 1]
        for place, (colour, depth) in enumerate(zip(COLOURS[2:], deep, strict=False)):
            shown = [rows[_saved_label("sorting", depth, phase)] for phase in PHASES]
            right.errorbar(
                [at + 0.08 * place for at in range(len(PHASES))],
                [row.ours for row in shown],
                yerr=error_bars(shown),
                fmt="o-",
                color=colour,
                capsize=3,
                label=f"depth {depth}",
            )
        right.set_xticks(range(len(PHASES)), PHASES)
        right.set_title("what sorting saves of the pruned nodes, %", fontsize=10, loc="left")
        right.legend(fontsize=8)


def _saved(found: Mapping[str, Any], before: PruningKind, after: PruningKind) -> float:
    """Return the share of the nodes of one form that another saves, in %."""
    return 100 * (1 - int(found[f"{after} nodes"]) / int(found[f"{before} nodes"]))


def _saved_label(what: str, depth: int, phase: str) -> str:
    return f"nodes that {what} saves, depth {depth}, {phase}"


def savings(depth: int, by_phase: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[FigureRow]:
    """Return what pruning saves of all plain nodes and what sorting saves of all pruned ones, for each phase and for
    whole games. Nodes are added up, so that a search of ten nodes does not count as much as one of ten thousand."""
    steps: tuple[tuple[str, PruningKind, PruningKind], ...] = (
        ("pruning", "plain", "pruned"),
        ("sorting", "pruned", "sorted"),
    )
    if depth == 1:
        return []
    together = [one for found in by_phase.values() for one in found]
    # The positions of all phases are of the same games, in the same order.
    games = [game for found in by_phase.values() for game in range(len(found))]
    return [
        row
        for what, before, after in steps
        if f"{before} nodes" in together[0]
        for row in (
            *(_saving(_saved_label(what, depth, phase), before, after, found) for phase, found in by_phase.items()),
            _saving(_saved_label(what, depth, WHOLE), before, after, together, games),
        )
    ]


def _saving(
    label: str,
    before: PruningKind,
    after: PruningKind,
    found: Sequence[Mapping[str, Any]],
    clusters: Sequence[int] | None = None,
) -> FigureRow:
    """Return the row of the share of all nodes of one form that another saves."""
    whole = [float(one[f"{before} nodes"]) for one in found]
    saved = [nodes - float(one[f"{after} nodes"]) for nodes, one in zip(whole, found, strict=True)]
    return pooled(label, "", None, saved, whole, clusters=clusters)


def _early_against_late(depth: int, saved: Mapping[str, Sequence[float]]) -> FigureRow:
    """Return how much more sorting saves early than late in the same games, where the paper expects more."""
    gaps = [early - late for early, late in zip(saved[PHASES[0]], saved[PHASES[-1]], strict=True)]
    label = f"what sorting saves, early less late, depth {depth}"
    row = mean(label, "more early", (0, math.inf), gaps, "points", "mean of each game's own difference")
    return row.because(
        "refuted",
        'Its conjecture ("might prove most useful in the early stages") is measured here as nodes, which depend on no '
        f"machine: sorting saves {statistics.fmean(saved[PHASES[0]]):.0f}% early and "
        f"{statistics.fmean(saved[PHASES[-1]]):.0f}% late.",
    )


def _time_row(label: str, milliseconds: Sequence[float]) -> FigureRow:
    row = mean(label, "", None, milliseconds, "ms")
    return timed(label, "", row.ours, row.low, row.high, row.count, "ms")


def _notes(rows: Mapping[str, FigureRow], depths: Sequence[int]) -> list[str]:
    deepest = max(depth for depth in depths if depth <= PLAIN_DEPTH_MAX)
    pruned, ordered = (
        [rows[_saved_label(what, deepest, phase)].ours for phase in (*PHASES, WHOLE)] for what in ("pruning", "sorting")
    )
    return [
        f"Size {RADIUS}, positions of games of {PLAYER_BOT} against itself after {OPENING_PLIES} random plies, one "
        "from each third of a game. The paper has no figures here; it says that pruning gives the same results with "
        "fewer evaluations, that the worst order prunes nothing, and that sorting might help most early.",
        f"At depth {deepest} pruning saves {pruned[0]:.0f}% of the plain nodes early, {pruned[1]:.0f}% in the middle "
        f"and {pruned[2]:.0f}% late; sorting saves {ordered[0]:.0f}%, {ordered[1]:.0f}% and {ordered[2]:.0f}% of those "
        f"that are left (less than 0 where it adds nodes), and {ordered[3]:.0f}% over all games. Nodes are added up: "
        "large searches count for more. The order without sorting, which the paper does not name, is here that of the "
        "cells, row by row.",
        "The printed best case, n!/(n-d)! + d n, is no saving: n!/(n-d)! is the number of all leaves of depth d. To "
        "explore one branch fully and one leaf of each other, as the text says, takes 2 (n - 1) leaves at depth 2.",
    ]


EXPERIMENTS = (MinimaxPruning(),)
