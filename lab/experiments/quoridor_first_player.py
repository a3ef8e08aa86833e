"""Advantage of the first move in Quoridor: random players, printed players, and proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.solve import quoridor
from cornered.lab.contests.openings import no_opening, random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import PRINTED_COLOUR, dots
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, exact, share
from cornered.lab.experiments.laboratory import Laboratory, tally_of
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorFirstPlayer", "proven"]

CLAIMS: Final = {9: (52.0, 54.0), 5: (55.0, 58.0), 3: (65.0, 70.0)}
"""Percent of games that player 1 wins."""
PLAYER_BOTS: Final = {"random": "random", "random, no draws": "random", "classic": "quoridor-classic:depth=2"}
NO_DRAWS: Final = {"max_plies": None, "no_progress": None}
MAX_PLIES: Final = 100_000
"""Maximum plies of a game; without draw rules random players reach the goal eventually."""
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[str, int]]] = {
    "tiny": {"random": 40, "random, no draws": 20, "classic": 10},
    "quick": {"random": 2000, "random, no draws": 1000, "classic": 300},
    "full": {"random": 20_000, "random, no draws": 5000, "classic": 4000},
}
MAX_SOLVED_WALLS: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 2, 5: 0},
    "quick": {3: 4, 5: 2},
    "full": {3: 4, 5: 3},
}
"""Maximum walls per player up to which each size is solved."""
OPENING_PLIES: Final = 2
"""Random plies before two deterministic players."""


def proven(item: tuple[int, int]) -> dict[str, Any]:
    """Return the proven result of a size's start with a number of walls each, for the first player, and its plies."""
    size, walls = item
    solution = quoridor.solve(engine.load("quoridor", size=size, walls=walls).start(), Limit())
    assert solution is not None
    return {"value": solution.value, "plies": solution.plies, "positions": solution.nodes}


class QuoridorFirstPlayer(Experiment):
    name = "quoridor-first-player"
    title = "Quoridor's first-player advantage"
    source = "quoridor-specification.txt, First-Player Advantage"
    place = 5

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        for size in CLAIMS:
            rows += [self._played(lab, size, player) for player in PLAYER_BOTS]
        proofs = [(size, walls) for size, most in MAX_SOLVED_WALLS[lab.scale].items() for walls in range(most + 1)]
        solved = lab.measure("proofs", proven, proofs)
        for (size, walls), found in zip(proofs, solved, strict=True):
            low, high = CLAIMS[size]
            won = {"win": 100.0, "draw": 50.0, "loss": 0.0}[found["value"]]
            note = f"{found['value']} in {found['plies']} plies"
            label = f"{size}x{size}, perfect, {walls} walls"
            rows.append(exact(label, f"{low:g}-{high:g}%", (low, high), won, found["positions"], "%", note))
        return rows, self._notes(rows, dict(zip(proofs, solved, strict=True))), {}

    def _played(self, lab: Laboratory, size: int, player: str) -> FigureRow:
        low, high = CLAIMS[size]
        word = PLAYER_BOTS[player]
        options = {"size": size, **(NO_DRAWS if player == "random, no draws" else {})}
        terms = ContestTerms.of("quoridor", options, seed=lab.seed, longest=MAX_PLIES)
        opening = no_opening if word == "random" else random_plies(terms, OPENING_PLIES)
        fixtures = [
            Fixture(number, (word, word), opening(number)) for number in range(GAMES_BY_SCALE[lab.scale][player])
        ]
        step = f"{player.replace(', ', '-').replace(' ', '-')}-{size}"
        games = lab.play(step, terms, fixtures)
        decided = [played for played in games if played.winner is not None]
        note = f"{100 * (1 - len(decided) / len(games)):.0f}% of {len(games)} games drawn"
        tally = tally_of(decided, [float(played.winner == 0) for played in decided])
        tally = tally_of(decided, [float(played.winner == 0) for played in decided])
        return share(f"{size}x{size}, {player}", f"{low:g}-{high:g}%", (low, high), tally, note)

    def _notes(self, rows: Sequence[FigureRow], solved: Mapping[tuple[int, int], Mapping[str, Any]]) -> list[str]:
        notes = [
            "Shares are of the games that somebody wins. Under the specification's own draw rules random players draw "
            "many, on 9x9 nearly all; so they play without these rules as well. The printed player, which always plays "
            f"the same, begins after {OPENING_PLIES} random plies.",
        ]
        for size in CLAIMS:
            ours = {walls: found for (of, walls), found in solved.items() if of == size}
            if ours and all(found["value"] == "loss" for found in ours.values()):
                lengths = ", ".join(f"{found['plies']} plies with {walls}" for walls, found in ours.items())
                notes.append(
                    f"{size}x{size} is a win for the SECOND player {_up_to(max(ours))}, proven by solving every "
                    f"position: the first player loses in {lengths}. Better players keep no advantage."
                )
        behind = [row.label for row in rows if row.high < 50 and "perfect" not in row.label]
        if behind:
            notes.append(f"In play, too, the first player may be the one who loses more: {'; '.join(behind)}.")
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(7.2, 4.8)
        axes = figure.subplots()
        claims = {row.label: CLAIMS[int(row.label[0])] for row in finding.rows}
        dots(axes, finding.rows, claims, title="Games that the first player wins")
        axes.axvline(50, color=INK, linewidth=0.8)
        axes.set_xlim(-3, 103)
        axes.set_xlabel("% (band: printed; perfect play: 0 is a proven loss)")
        for place, row in enumerate(finding.rows):
            if "perfect" in row.label:
                axes.annotate(
                    row.note, (row.ours, place), (8, -3), textcoords="offset points", fontsize=8, color=PRINTED_COLOUR
                )


def _up_to(walls: int) -> str:
    return f"with 0 to {walls} walls each" if walls else "without walls"


EXPERIMENTS = (QuoridorFirstPlayer(),)
