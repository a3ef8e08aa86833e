"""How near to perfect the printed player of Quoridor plays on 3x3, by depth: every position there can be solved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate.quoridor_printed import PrintedWeights
from cornered.bots.roster.quoridor_classic import alpha_beta
from cornered.bots.solve import Solution, quoridor
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine.games.quoridor import QuoridorState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import no_opening
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import checked, exact, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.sampling import sampled_positions
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorPerfect", "chosen", "keeps", "own_game"]

SIZE: Final = 3
USUAL_WALLS: Final = 2
"""Walls of each player in the specification's configuration of 3x3."""
CLAIMED_DEPTH: Final = 4
"""Depth from which the specification calls the play near-perfect."""
MAX_WALL_MOVES: Final = 8
MAX_PLIES: Final = 50
"""Plies after which a won position counts as not won, from the specification's configuration of 3x3."""
WALLS_BY_SCALE: Final[Mapping[Scale, tuple[int, ...]]] = {"tiny": (2,), "quick": (1, 2, 3, 4), "full": (1, 2, 3, 4)}
MAX_DEPTH: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 6, "full": 6}
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 30, "quick": 600, "full": 3000}
"""Number of random games, each of which gives one position."""


def chosen(state: QuoridorState, depth: int) -> str:
    """Return the move of the printed search (quoridor-specification, "Core Algorithm")."""
    search = TextbookSearch(state.to_move, lambda after, seat: 0.0)
    _, line = alpha_beta(state, depth, -math.inf, math.inf, 0, search, MAX_WALL_MOVES, PrintedWeights())
    return line[0]


def keeps(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, Any]:
    """Return whether the printed player's move in a position keeps its value, null where every move does, and whether
    it goes on to win against the longest defence, null where the position is not won."""
    terms, moves, depth = item
    state = _after(terms, moves)
    solution = _solved(state)
    can_err = len(set(solution.moves.values())) > 1
    return {
        "kept": solution.moves[chosen(state, depth)] == solution.value if can_err else None,
        "won": _wins(state, depth) if solution.value == "win" else None,
    }


def own_game(item: tuple[ContestTerms, tuple[str, ...], int]) -> list[bool]:
    """Return whether the printed player's moves keep the value, in its game against itself after an opening, for each
    position in which not every move does."""
    terms, opening, depth = item
    state, kept = _after(terms, opening), []
    for _ in range(len(opening), MAX_PLIES):
        if state.outcome is not None:
            break
        solution, move = _solved(state), chosen(state, depth)
        if len(set(solution.moves.values())) > 1:
            kept.append(solution.moves[move] == solution.value)
        state = state.play(move)
    return kept


def _wins(state: QuoridorState, depth: int) -> bool:
    """Return whether the printed player wins from here within the limit of plies against the longest defence."""
    seat = state.to_move
    for _ in range(MAX_PLIES):
        if state.outcome is not None:
            return state.outcome.winner == seat
        state = state.play(chosen(state, depth) if state.to_move == seat else min(_solved(state).best))
    return False


def _after(terms: ContestTerms, moves: tuple[str, ...]) -> QuoridorState:
    state = position_after(terms, moves)
    assert isinstance(state, QuoridorState)
    return state


def _solved(state: QuoridorState) -> Solution:
    solution = quoridor.solve(state, Limit())
    assert solution is not None
    return solution


class QuoridorPerfect(Experiment):
    name = "quoridor-perfect"
    title = "Quoridor's printed player beside perfect play on 3x3"
    source = "quoridor-specification.txt, Performance by Board Size"
    place = 6

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        openings = _openings()
        for walls in WALLS_BY_SCALE[lab.scale]:
            # Without draw rules the solver's values hold in every position.
            options = {"size": SIZE, "walls": walls, "max_plies": None, "no_progress": None}
            terms = ContestTerms.of("quoridor", options, seed=lab.seed, longest=MAX_PLIES)
            fixtures = [
                Fixture(number, ("random", "random"), no_opening(number)) for number in range(GAMES_BY_SCALE[lab.scale])
            ]
            lines = sampled_positions(terms, lab.play(f"random-{walls}", terms, fixtures))
            for depth in range(1, MAX_DEPTH[lab.scale] + 1):
                found = lab.measure(f"positions-{walls}-{depth}", keeps, [(terms, line, depth) for line in lines])
                own = []
                if walls == USUAL_WALLS:
                    own = lab.measure(f"own-{depth}", own_game, [(terms, line, depth) for line in openings])
                rows += _rows(f"walls {walls}, depth {depth}", walls, depth, found, own)
        return rows, self._notes(rows), {}

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        notes = [
            "A solver proves the value of every position and move without draw rules. Counted are the positions in "
            'which not every move keeps the value. "Moves" are decisions in one position of each random game; "own '
            f'games" are those of the player against itself after each line of two plies; "wins" are won positions of '
            f"the random games that it goes on to win within {MAX_PLIES} plies against the longest defence.",
            f'The specification says "near-perfect" for depth {CLAIMED_DEPTH} or more, with {USUAL_WALLS} walls each. '
            "It does not say what it counts, nor from which share on play is near-perfect, so these rows have no "
            "verdict.",
        ]
        faultless = [row.label for row in rows if row.ours == 100 and "own games" in row.label]
        if faultless:
            notes.append(f"Without a single mistake in its own games: {'; '.join(faultless)}.")
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        kinds = {"moves": OUR_COLOUR, "own games": SECOND_COLOUR, "wins": BAND_COLOUR}
        panels = sorted({int(row.label.split()[1].rstrip(",")) for row in finding.rows})
        drawn = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, walls in zip(drawn, panels, strict=True):
            for place, (kind, colour) in enumerate(kinds.items()):
                rows = [
                    row
                    for row in finding.rows
                    if row.label.startswith(f"walls {walls}, ") and row.label.endswith(f", {kind}")
                ]
                axes.errorbar(
                    [int(row.label.split("depth ")[1].split(",")[0]) + 0.15 * (place - 1) for row in rows],
                    [row.ours for row in rows],
                    yerr=error_bars(rows),
                    fmt="o-",
                    color=colour,
                    capsize=2,
                    markersize=4,
                    label=kind,
                )
            axes.set_xlabel("depth")
            if walls == USUAL_WALLS:
                axes.axvline(CLAIMED_DEPTH, color=PRINTED_COLOUR, linestyle="--", linewidth=1)
                axes.set_xlabel("depth (line: near-\nperfect from here)")
            axes.set_title(f"walls {walls}", loc="left", fontsize=10)
        drawn[0].set_ylabel("% that keep the value")
        figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9)


def _openings() -> list[tuple[str, ...]]:
    """Return every line of two plies that does not end the game."""
    start = engine.load("quoridor", size=SIZE, walls=USUAL_WALLS).start()
    lines = [(first, second) for first in start.moves() for second in start.play(first).moves()]
    return [(first, second) for first, second in lines if start.play(first).play(second).outcome is None]


def _rows(
    label: str, walls: int, depth: int, found: Sequence[Mapping[str, Any]], own: Sequence[Sequence[bool]]
) -> list[FigureRow]:
    """Return the rows of one number of walls and one depth."""
    is_claimed = walls == USUAL_WALLS and depth >= CLAIMED_DEPTH
    claimed = "near-perfect" if is_claimed else ""
    moves = [one["kept"] for one in found if one["kept"] is not None]
    row = share(f"{label}, moves", claimed, None, Tally.of(sum(moves), len(moves)))
    if walls != USUAL_WALLS:
        return [row]
    wins = [one["won"] for one in found if one["won"] is not None]
    decisions = [kept for game in own for kept in game]
    note = f"every line of two plies, {len(own)} games"
    kept = 100 * sum(decisions) / len(decisions)
    rows = [
        row,
        share(f"{label}, wins", claimed, None, Tally.of(sum(wins), len(wins))),
        exact(f"{label}, own games", claimed, None, kept, len(decisions), "%", note),
    ]
    # The specification's word has no figure to compare with.
    return [checked(row) for row in rows] if is_claimed else rows


EXPERIMENTS = (QuoridorPerfect(),)
