"""Quiescence search against the plain search: on proven positions and in games, at equal depth and at equal nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.textbook.search import TextbookSearch
from cornered.engine import State
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.experiments.beside import OUR_COLOUR, PRINTED_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import gained, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.proven import (
    EXTENSIONS,
    PROVEN_GAMES,
    TESTS,
    Choose,
    ProvenGame,
    QuietTest,
    deepened,
    played,
    searched,
    solution,
)
from cornered.lab.experiments.sampling import random_positions
from cornered.lab.reports.plots import INK
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "NODES", "NotesQuiescence", "explained", "judgement", "pair_scores"]

NODES: Final = 400
"""Positions a move where both searches get equally many."""
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 400, "full": 2500}
PAIRS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 1, "quick": 60, "full": 500}
"""Pairs of games, for each game, test and condition."""
CONDITIONS: Final = ("depth", "nodes")
"""What is equal for both searches."""
GAINS: Final[Mapping[str, str]] = {
    "sign": "winner right more often by",
    "unseen": "losses not believed less often by",
    "kept": "wins kept more often by",
}
"""What is counted on positions, as it is called in labels."""
CLAIMED: Final = ("sign", "unseen")
"""What the notes say of it: quiescence makes evaluations less misleading, and mitigates the horizon effect. They say
nothing of moves or games."""


def judgement(item: tuple[str, int, tuple[str, ...]]) -> dict[str, Any]:
    """Return how right each search is about a position of a game, given by its label, the seed and the moves: whether
    it names the winner, whether it believes a loss and whether it keeps a win (each None where the other is proven),
    and at equal depth its nodes. Every search has a test of quietness or none, and `NODES` positions or the game's
    depth."""
    label, seed, moves = item
    ground = PROVEN_GAMES[label]
    state = position_after(ground.terms(seed), moves)
    solved = solution(state)
    is_won = solved.value == "win"
    found: dict[str, Any] = {"proven": solved.value}
    for condition in CONDITIONS:
        for test in ("", *TESTS):
            search = TextbookSearch(state.to_move, ground.evaluate)
            if condition == "nodes":
                value, line = deepened(ground, state, NODES, test)
            else:
                value, line = searched(ground, state, ground.depth, test, search)
                found[f"nodes {test or 'plain'}"] = search.nodes
            name = f"{condition} {test or 'plain'}"
            found[f"sign {name}"] = value > 0 if is_won else value < 0
            found[f"unseen {name}"] = None if is_won else value < 0
            found[f"kept {name}"] = solved.moves[line[0]] == "win" if is_won else None
    return found


def pair_scores(item: tuple[str, int, tuple[str, ...], QuietTest, str]) -> list[float]:
    """Return what quiescence search scores against the plain search in two games from an opening, once in each seat:
    the game's label, the seed, the opening, the test of quietness, and what is equal."""
    label, seed, opening, test, condition = item
    ground = PROVEN_GAMES[label]
    state = position_after(ground.terms(seed), opening)

    def player(with_test: QuietTest) -> Choose:
        def choose(here: State) -> str:
            if condition == "nodes":
                return deepened(ground, here, NODES, with_test)[1][0]
            return searched(ground, here, ground.depth, with_test, TextbookSearch(here.to_move, ground.evaluate))[1][0]

        return choose

    quiet, plain = player(test), player("")
    return [float(played(state, (quiet, plain)) == 0), float(played(state, (plain, quiet)) == 1)]


class NotesQuiescence(Experiment):
    name = "notes-quiescence"
    title = "Quiescence search against the plain search"
    source = "game-playing-notes.txt, Quiescent Search and Horizon Effect"
    place = 5

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        times_nodes: dict[str, dict[str, float]] = {}
        for ground in PROVEN_GAMES.values():
            lines = random_positions(ground.terms(lab.seed), POSITIONS_BY_SCALE[lab.scale], ground.plies)
            found = lab.measure(ground.step, judgement, [(ground.label, lab.seed, line) for line in lines])
            of_game: list[FigureRow] = []
            for test in TESTS:
                for condition in CONDITIONS:
                    of_game += self._positions(ground, test, condition, found)
                    of_game.append(self._games(lab, ground, test, condition))
            rows += explained(of_game)
            plain = sum(one["nodes plain"] for one in found)
            times_nodes[ground.label] = {test: sum(one[f"nodes {test}"] for one in found) / plain for test in TESTS}
        return rows, self._notes(rows, times_nodes), {"times_nodes": times_nodes}

    def _positions(
        self, ground: ProvenGame, test: QuietTest, condition: str, found: Sequence[Mapping[str, Any]]
    ) -> list[FigureRow]:
        """Return the rows of what quiescence gains on positions."""
        rows = []
        for what, words in GAINS.items():
            before, after = f"{what} {condition} plain", f"{what} {condition} {test}"
            gains = [int(one[after]) - int(one[before]) for one in found if one[before] is not None]
            claimed, span = ("more than 0", (0.0, math.inf)) if is_claimed(what, condition) else ("", None)
            rows.append(gained(_label(ground, test, words, condition), claimed, span, gains))
        return rows

    def _games(self, lab: Laboratory, ground: ProvenGame, test: QuietTest, condition: str) -> FigureRow:
        opening = random_plies(ground.terms(lab.seed), ground.opening)
        items = [(ground.label, lab.seed, opening(pair), test, condition) for pair in range(PAIRS_BY_SCALE[lab.scale])]
        scores = lab.measure(f"{ground.step}-{condition}-{test}-games", pair_scores, items)
        tally = Tally.clustered(
            [score for pair in scores for score in pair], [line for _, _, line, *_ in items for _ in range(2)]
        )
        return share(_label(ground, test, "games won", condition), "", None, tally)

    def _notes(self, rows: Sequence[FigureRow], times_nodes: Mapping[str, Mapping[str, float]]) -> list[str]:
        equal = [row for row in rows if "equal nodes" in row.label]
        even = {row.label: 50.0 if row.unit == "%" else 0.0 for row in equal}
        helped = sum(row.low > even[row.label] for row in equal)
        harmed = sum(row.high < even[row.label] for row in equal)
        cost = "; ".join(
            f"{label} {times['swing']:.1f} times as many by swing, {times['moves']:.1f} times by moves"
            for label, times in times_nodes.items()
        )
        return [
            "A position at the depth that is not quiet is searched on with all its moves: there are no captures to "
            "search alone, and no passing to stand pat by. Two tests of quietness: the best move changes the "
            "evaluation by more than "
            + ", ".join(f"{ground.swing:g} ({label})" for label, ground in PROVEN_GAMES.items())
            + "; or the mover has no more moves than "
            + ", ".join(f"{ground.moves} ({label})" for label, ground in PROVEN_GAMES.items())
            + f", and is being shut in. The one extends a line by {EXTENSIONS['swing']} plies at most, the other by "
            f"{EXTENSIONS['moves']}. The depths are "
            + ", ".join(f"{ground.depth} ({label})" for label, ground in PROVEN_GAMES.items())
            + f"; equal nodes are {NODES} a move with iterative deepening.",
            f"At equal depth quiescence visits more nodes: {cost}. The notes say that quiescence makes the evaluation "
            "less misleading and mitigates the horizon effect. That is judged at equal depth, by the winner that a "
            "search names and by the losses that it does not believe. They say nothing of moves, games or cost. At "
            f"equal nodes {helped} of {len(equal)} figures are better than the plain search's beyond chance and "
            f"{harmed} are worse.",
            "Both searches get the same positions and openings, so every figure is a paired difference; the two games "
            "of an opening count as one observation.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(10.5, 5.2)
        words = {"winner right": "winner\nright", "losses not": "losses\nbelieved", "wins kept": "wins\nkept"}
        words["games won"] = "games"
        drawn = figure.subplots(1, len(PROVEN_GAMES), sharex=True, sharey=True)
        conditions = ("equal depth", OUR_COLOUR), ("equal nodes", PRINTED_COLOUR)
        for axes, label in zip(drawn, PROVEN_GAMES, strict=True):
            for offset, (condition, colour) in enumerate(conditions):
                for test, marker in zip(TESTS.values(), "os", strict=True):
                    rows = [row for row in finding.rows if row.label.startswith(f"{label}, {condition}, {test}, ")]
                    shift = 0.4 * (offset - 0.5) + (0.1 if marker == "s" else -0.1)
                    axes.errorbar(
                        [row.ours - (50 if row.unit == "%" else 0) for row in rows],
                        [place + shift for place in range(len(rows))],
                        xerr=error_bars(rows),
                        fmt=marker,
                        color=colour,
                        markersize=4,
                        capsize=2,
                        label=f"{condition}, {test}",
                    )
            axes.axvline(0, color=INK, linewidth=0.8)
            axes.set_yticks(range(len(words)), list(words.values()))
            axes.set_ylim(len(words) - 0.5, -0.5)
            axes.set_title(label, loc="left", fontsize=10)
            axes.set_xlabel("points gained by quiescence")
            axes.grid(visible=False, axis="y")
        handles, labels = drawn[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=8)


def _label(ground: ProvenGame, test: QuietTest, words: str, condition: str) -> str:
    return f"{ground.label}, equal {condition}, {TESTS[test]}, {words}"


def is_claimed(what: str, condition: str) -> bool:
    """Return whether the notes claim a gain: only at equal depth, as they say nothing of the cost."""
    return what in CLAIMED and condition == "depth"


def explained(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Return a game's rows with the reason of those that differ: another test of quietness that agrees, or else that
    the notes name no test."""
    agreeing = {row.label for row in rows if row.verdict == "agrees"}
    found = []
    for row in rows:
        game, condition, _, words = row.label.split(", ")
        other = [f"{game}, {condition}, {test}, {words}" for test in TESTS.values()]
        kin = [label for label in other if label in agreeing]
        if kin:
            found.append(row.because("definition", f"With another test of quietness it agrees: {kin[0]}."))
        else:
            why = "The notes name no test of quietness and no game, and by neither of the two tests here does it agree."
            found.append(row.because("vague", why))
    return found


EXPERIMENTS = (NotesQuiescence(),)
