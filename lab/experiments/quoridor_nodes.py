"""Nodes of Quoridor's searches by depth, and the share of them that alpha-beta saves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.evaluate.quoridor_printed import PrintedWeights, choice, printed
from cornered.bots.roster.quoridor_classic import alpha_beta
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine.games.quoridor import QuoridorState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, Span
from cornered.lab.experiments.judging import about, checked, exact, mean, pooled
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.readings import settled
from cornered.lab.experiments.sampling import sampled_positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CLAIMED_NODES",
    "DEPTHS",
    "EXPERIMENTS",
    "QuoridorNodes",
    "full_width",
    "looked_at",
    "most_nodes",
    "plain",
    "widest",
]

CLAIMED_NODES: Final = {3: (60, 500, 4_000), 5: (600, 15_000, 400_000), 9: (5_000, 350_000, 25_000_000)}
"""Nodes at depths 2, 3 and 4."""
DEPTHS: Final = (2, 3, 4)
OPENING_PLIES: Final = 2
CLAIMED_BRANCHING: Final = {3: 8, 5: 25, 9: 70}
SAVING_PERCENT: Final = 50.0
MAX_WALL_MOVES: Final = 8
"""Maximum number of wall moves at a node, from the specification."""
MAX_STEPS: Final = 5
"""Maximum number of pawn moves at a node: three steps and a jump to either side."""
PLAYER_BOTS: Final = {"random": "random", "depth 1": "quoridor-classic:depth=1", "depth 3": "quoridor-classic:depth=3"}
"""Players whose games the positions are from."""
SEARCHED: Final = ("random", "depth 1")
"""The players on whose positions the searches run."""
DRAWN: Final = "depth 1"
"""The player whose positions the plot shows."""
ENUMERATED_SIZE: Final = 3
"""The board all of whose positions are counted."""
MISSING: Final = (
    "The specification does not say at which positions it counts; its figures are its average branching to the power "
    "of the depth, and no tree of the game is uniform."
)
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 3, "quick": 60, "full": 400}
MAX_DEPTH: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 3, 5: 2, 9: 2},
    "quick": {3: 4, 5: 4, 9: 3},
    "full": {3: 4, 5: 4, 9: 4},
}


def plain(state: QuoridorState, depth: int, ply: int, search: TextbookSearch, weights: PrintedWeights) -> float:
    """Return the value that `cornered.bots.roster.quoridor_classic.alpha_beta` returns, by minimax without pruning."""
    search.visit(ply)
    if depth == 0 or state.outcome is not None:
        return printed(state, search.seat, depth, weights)
    values = [plain(state.play(move), depth - 1, ply + 1, search, weights) for move in choice(state, MAX_WALL_MOVES)]
    return max(values) if state.to_move == search.seat else min(values)


def looked_at(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return the nodes below a position with and without pruning, and whether the values are equal."""
    terms, moves, depth = item
    state = position_after(terms, moves)
    assert isinstance(state, QuoridorState)
    whole, pruning = _search(state), _search(state)
    value = plain(state, depth, 0, whole, PrintedWeights())
    pruned, _ = alpha_beta(state, depth, -math.inf, math.inf, 0, pruning, MAX_WALL_MOVES, PrintedWeights())
    # The root is excluded from the nodes below it.
    return {"plain": whole.nodes - 1, "pruned": pruning.nodes - 1, "same": value == pruned}


def full_width(item: tuple[ContestTerms, tuple[str, ...], int]) -> int:
    """Return the number of positions that all legal moves reach from a position, to a depth."""
    terms, moves, depth = item
    return sum(engine.perft(position_after(terms, moves), plies) for plies in range(1, depth + 1))


def widest(item: tuple[int, int]) -> int:
    """Return the maximum of `full_width` over all positions that any game on a board of this size reaches. Only 3x3 has
    few enough."""
    size, depth = item
    start = engine.load("quoridor", size=size).start()
    assert isinstance(start, QuoridorState)
    reached = {start.position}
    waiting = [start]
    most = 0
    while waiting:
        state = waiting.pop()
        most = max(most, sum(engine.perft(state, plies) for plies in range(1, depth + 1)))
        for move in state.moves():
            after = state.play(move)
            if after.outcome is None and after.position not in reached:
                reached.add(after.position)
                waiting.append(after)
    return most


def most_nodes(depth: int) -> int:
    """Return the maximum number of nodes below the root of the printed search without pruning."""
    return sum((MAX_WALL_MOVES + MAX_STEPS) ** plies for plies in range(1, depth + 1))


def _refuted(row: FigureRow, span: Span, depth: int, most: int | None) -> FigureRow:
    """Return a row of nodes with its reason, where no position can have as many as printed. `most` is the maximum over
    all positions, None where it is not known."""
    if most is not None and most < span[0]:
        return row.because("refuted", f"No position that a game on this board can reach has more than {most:,} nodes.")
    if "8 walls" in row.label and most_nodes(depth) < span[0]:
        return row.because(
            "refuted",
            f"The specification's own search looks at no more than {MAX_WALL_MOVES} walls and {MAX_STEPS} steps a "
            f"position, so at no more than {most_nodes(depth):,} nodes below the root.",
        )
    return row


def _search(state: QuoridorState) -> TextbookSearch:
    return TextbookSearch(state.to_move, lambda after, seat: 0.0)


class QuoridorNodes(Experiment):
    name = "quoridor-nodes"
    title = "Quoridor's nodes by depth, and what alpha-beta saves of them"
    source = "quoridor-specification.txt, Performance Characteristics"
    place = 2

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        savings: list[FigureRow] = []
        nodes: dict[str, list[float]] = {}
        same = count = 0
        for size, claims in CLAIMED_NODES.items():
            terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
            lines = {player: self._lines(lab, terms, player) for player in PLAYER_BOTS}
            # A deterministic player's games with the same opening are alike.
            openings = {
                player: None if player == "random" else [line[:OPENING_PLIES] for line in lines[player]]
                for player in PLAYER_BOTS
            }
            for depth, claimed in zip(DEPTHS, claims, strict=True):
                if depth > MAX_DEPTH[lab.scale][size]:
                    continue
                label, text, span = f"{size}x{size}, depth {depth}", f"~{_short(claimed)}", about(claimed)
                at_start = full_width((terms, (), depth))
                rows.append(exact(f"{label}, start", "", None, at_start, 1, "nodes", "sum of perft"))
                most = None
                if size == ENUMERATED_SIZE:
                    [most] = lab.measure(f"widest-{size}-{depth}", widest, [(size, depth)])
                    note = "over every position that a game can reach"
                    rows.append(exact(f"{label}, most", "", None, most, 1, "nodes", note))
                readings = []
                for player in PLAYER_BOTS:
                    items = [(terms, line, depth) for line in lines[player]]
                    widths = lab.measure(f"width-{size}-{depth}-{player.replace(' ', '-')}", full_width, items)
                    reading = f"{label}, all moves, games of {player}"
                    readings.append(mean(reading, text, span, widths, "nodes", clusters=openings[player]))
                searches = {}
                for player in SEARCHED:
                    items = [(terms, line, depth) for line in lines[player]]
                    found = lab.measure(f"nodes-{size}-{depth}-{player.replace(' ', '-')}", looked_at, items)
                    same += sum(one["same"] for one in found)
                    count += len(found)
                    whole, pruned = ([one[kind] for one in found] for kind in ("plain", "pruned"))
                    searches[player] = fmean(whole), fmean(pruned)
                    clusters = openings[player]
                    if size != ENUMERATED_SIZE:
                        # 3x3 has room for 8 walls only, so there this would be the same reading again.
                        reading = f"{label}, 8 walls, games of {player}"
                        readings.append(mean(reading, text, span, whole, "nodes", clusters=clusters))
                    saved = [over - under for over, under in zip(whole, pruned, strict=True)]
                    shares = [100 * less / over for less, over in zip(saved, whole, strict=True)]
                    note = f"{fmean(shares):.0f}% is the mean of each position's share"
                    reading, about_half = f"{label}, saved, games of {player}", about(SAVING_PERCENT)
                    savings.append(pooled(reading, "~50%", about_half, saved, whole, note=note, clusters=clusters))
                rows += [_refuted(row, span, depth, most) for row in settled(readings, MISSING)]
                nodes[f"{size} {depth}"] = [claimed, at_start, *searches[DRAWN]]
        rows += settled(savings, "The specification does not say on which board, at which depth or in which positions.")
        equal = exact("positions with the same value", "all", (100, 100), 100 * same / count, count, "%")
        rows.append(checked(equal))
        return rows, self._notes(savings, nodes), {"nodes": nodes}

    def _lines(self, lab: Laboratory, terms: ContestTerms, player: str) -> list[tuple[str, ...]]:
        word = PLAYER_BOTS[player]
        opening = random_plies(terms, OPENING_PLIES)
        count = POSITIONS_BY_SCALE[lab.scale]
        fixtures = [Fixture(number, (word, word), opening(number)) for number in range(count)]
        games = lab.play(f"games-{terms.options['size']}-{player.replace(' ', '-')}", terms, fixtures)
        return sampled_positions(terms, games)

    def _notes(self, savings: Sequence[FigureRow], nodes: Mapping[str, Sequence[float]]) -> list[str]:
        growth = [
            (below[3] / above[3]) / (below[2] / above[2])
            for (name, above), (other, below) in pairwise(nodes.items())
            if name.split()[0] == other.split()[0]
        ]
        notes = [
            "The printed nodes are its branching to the power of the depth: "
            + ", ".join(f"{branching}^2 = {branching**2}" for branching in CLAIMED_BRANCHING.values())
            + '. "All moves" counts every position below one position of each game, "8 walls" those of the printed '
            f"search without pruning, which looks at no more than {MAX_WALL_MOVES} walls and {MAX_STEPS} steps a node. "
            "On 3x3, which has room for 8 walls, the two are the same.",
            f"The saving is that of the printed search, at most {MAX_WALL_MOVES} walls a node in the printed order, "
            "beside minimax over the same moves, of the nodes of all positions together. The mean of each position's "
            "share, in which a position with ten nodes counts as much as one with thousands, is in the notes.",
        ]
        least, most = min(savings, key=lambda row: row.ours), max(savings, key=lambda row: row.ours)
        notes.append(
            f"Alpha-beta saves {least.ours:.0f}% ({least.label.replace(', saved', '')}) to {most.ours:.0f}% "
            f"({most.label.replace(', saved', '')}): the saving grows with every ply, so no single figure holds."
        )
        if growth:
            notes.append(
                "From one depth to the next the pruned tree grows "
                f"{min(growth):.2f} to {max(growth):.2f} times as fast as the whole one."
            )
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        nodes: Mapping[str, Sequence[float]] = finding.series["nodes"]
        left, right = figure.subplots(1, 2)
        names = [f"{key.split()[0]}x{key.split()[0]}, {key.split()[1]}" for key in nodes]
        kinds = (
            ("printed", PRINTED_COLOUR, "_"),
            ("all moves, start", SECOND_COLOUR, "o"),
            (f"at most {MAX_WALL_MOVES} walls, minimax", BAND_COLOUR, "s"),
            (f"at most {MAX_WALL_MOVES} walls, alpha-beta", OUR_COLOUR, "D"),
        )
        for kind, (label, colour, marker) in enumerate(kinds):
            left.plot(
                range(len(names)),
                [figures[kind] for figures in nodes.values()],
                marker,
                color=colour,
                label=label,
                markersize=14 if marker == "_" else 5,
                markeredgewidth=3 if marker == "_" else 1,
            )
        left.set_yscale("log")
        left.set_xticks(range(len(names)), names, rotation=45, ha="right")
        left.set_ylabel("nodes")
        left.set_title("Nodes by board and depth", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=8, loc="upper left")
        rows = [row for row in finding.rows if row.label.endswith(f"saved, games of {DRAWN}")]
        right.axhspan(*about(SAVING_PERCENT), color=BAND_COLOUR, alpha=0.35, label="printed, about 50%")
        right.errorbar(
            range(len(rows)),
            [row.ours for row in rows],
            yerr=error_bars(rows),
            fmt="D",
            color=OUR_COLOUR,
            capsize=3,
            markersize=5,
            label="ours",
        )
        right.set_xticks(range(len(names)), names, rotation=45, ha="right")
        right.set_ylim(0, 100)
        right.set_ylabel("% of minimax's nodes saved")
        right.set_title("What alpha-beta saves", loc="left", fontsize=10)
        right.legend(frameon=False, fontsize=8, loc="lower right")


def _short(count: float) -> str:
    """Return a number in the specification's notation."""
    for size, suffix in ((1_000_000, "M"), (1_000, "K")):
        if count >= size:
            return f"{count / size:g}{suffix}"
    return f"{count:g}"


EXPERIMENTS = (QuoridorNodes(),)
