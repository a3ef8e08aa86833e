"""Advantage of the first move in Quoridor: random players, printed players, and proofs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.solve import quoridor
from cornered.lab.contests.openings import no_opening, random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.experiments.beside import PRINTED_COLOUR, dots
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import exact, share
from cornered.lab.experiments.laboratory import Laboratory, tally_of
from cornered.lab.experiments.readings import settled
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorFirstPlayer", "proven"]

CLAIMS: Final = {9: (52.0, 54.0), 5: (55.0, 58.0), 3: (65.0, 70.0)}
"""Percent of games that player 1 wins."""
NO_DRAWS: Final = {"max_plies": None, "no_progress": None}
MAX_PLIES: Final = 100_000
"""Maximum plies of a game; without draw rules random players reach the goal eventually."""
PLAYER_BOTS: Final = {
    "random": "random",
    "random, no draws": "random",
    "path": "quoridor-path",
    **{f"depth {depth}": f"quoridor-classic:depth={depth}" for depth in (1, 2, 3, 4)},
}
"""The players that play against themselves: the specification's agents, the minimax at each of its depths."""
TOURNAMENT: Final = ("random", "path", "depth 1", "depth 2", "depth 3")
"""The players of the round robin."""
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[str, int]]] = {
    "tiny": {"random": 40, "random, no draws": 20, "path": 10, "depth 1": 10, "depth 2": 10},
    "quick": {
        "random": 2000,
        "random, no draws": 1000,
        **dict.fromkeys(("path", "depth 1", "depth 2"), 300),
        "depth 3": 100,
    },
    "full": {
        "random": 20_000,
        "random, no draws": 5000,
        **dict.fromkeys(("path", "depth 1", "depth 2"), 2000),
        "depth 3": 1000,
    },
}
DEPTH_4_GAMES: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {},
    "quick": {3: 300, 5: 100},
    "full": {3: 1000, 5: 1000, 9: 60},
}
"""Number of games of depth 4 by size, which take up to a second each."""
TOURNAMENT_GAMES: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 300, "full": 2000}
"""Number of games of the round robin, 20 for each opening."""
MAX_SOLVED_WALLS: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 2, 5: 0},
    "quick": {3: 4, 5: 2},
    "full": {3: 4, 5: 3},
}
"""Maximum walls per player up to which each size is solved."""
MISSING: Final = "The specification does not say who plays, nor how the games of a deterministic player come to differ."
OPENING_PLIES: Final = 2
"""Random plies before two deterministic players."""
POINTS: Final = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def proven(item: tuple[int, int]) -> dict[str, Any]:
    """Return the proven result of a size's start with a number of walls each, for the first player, and its plies;
    and the probability that the first player wins by perfect play after two random plies that do not end the game."""
    size, walls = item
    start = engine.load("quoridor", size=size, walls=walls).start()
    solution = quoridor.solve(start, Limit())
    assert solution is not None
    total = decided = 0.0
    for first in start.moves():
        replies = start.play(first).moves()
        for reply in replies:
            after = start.play(first).play(reply)
            if after.outcome is None:
                found = quoridor.solve(after, Limit())
                assert found is not None
                chance = 1 / len(start.moves()) / len(replies)
                decided += chance
                total += chance * POINTS[found.value]
    return {
        "value": solution.value,
        "plies": solution.plies,
        "positions": solution.nodes,
        "after_random": total / decided,
    }


class QuoridorFirstPlayer(Experiment):
    name = "quoridor-first-player"
    title = "Quoridor's first-player advantage"
    source = "quoridor-specification.txt, First-Player Advantage"
    place = 5

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        proofs = [(size, walls) for size, most in MAX_SOLVED_WALLS[lab.scale].items() for walls in range(most + 1)]
        solved = dict(zip(proofs, lab.measure("proofs", proven, proofs), strict=True))
        rows: list[FigureRow] = []
        for size in CLAIMS:
            readings = [
                self._row(size, player, games)
                for player in PLAYER_BOTS
                if (games := self._games(lab, size, player)) is not None
            ]
            readings.append(self._row(size, "round robin", self._tournament(lab, size)))
            rows += settled(readings, MISSING)
        for (size, walls), found in solved.items():
            won = 100 * POINTS[found["value"]]
            count, note = found["positions"], f"{found['value']} in {found['plies']} plies"
            rows.append(
                exact(
                    f"{size}x{size}, walls {walls}, perfect from the start", "", None, won, count, "%", note, "proven"
                )
            )
            label = f"{size}x{size}, walls {walls}, perfect after {OPENING_PLIES} random plies"
            rows.append(exact(label, "", None, 100 * found["after_random"], count, "%", "", "proven"))
        return rows, self._notes(rows, solved), {}

    def _games(self, lab: Laboratory, size: int, player: str) -> list[PlayedGame] | None:
        """Return the games of a player against itself, None where this scale has none."""
        by_size, by_player = DEPTH_4_GAMES[lab.scale], GAMES_BY_SCALE[lab.scale]
        count = by_size.get(size) if player == "depth 4" else by_player.get(player)
        if count is None:
            return None
        word = PLAYER_BOTS[player]
        options = {"size": size, **(NO_DRAWS if player == "random, no draws" else {})}
        terms = ContestTerms.of("quoridor", options, seed=lab.seed, longest=MAX_PLIES)
        opening = no_opening if word == "random" else random_plies(terms, OPENING_PLIES)
        fixtures = [Fixture(number, (word, word), opening(number)) for number in range(count)]
        return lab.play(f"{player.replace(', ', '-').replace(' ', '-')}-{size}", terms, fixtures)

    def _tournament(self, lab: Laboratory, size: int) -> list[PlayedGame]:
        """Return the games of every player against every other in both seats."""
        terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
        opening = random_plies(terms, OPENING_PLIES)
        pairs = list(permutations((PLAYER_BOTS[player] for player in TOURNAMENT), 2))
        turns = [divmod(number, len(pairs)) for number in range(TOURNAMENT_GAMES[lab.scale])]
        fixtures = [
            Fixture(number, pairs[place], opening(round_), round_) for number, (round_, place) in enumerate(turns)
        ]
        return lab.play(f"round-robin-{size}", terms, fixtures)

    def _row(self, size: int, player: str, games: Sequence[PlayedGame]) -> FigureRow:
        low, high = CLAIMS[size]
        decided = [played for played in games if played.winner is not None]
        note = f"{100 * (1 - len(decided) / len(games)):.0f}% of {len(games)} games drawn"
        tally = tally_of(decided, [float(played.winner == 0) for played in decided])
        return share(f"{size}x{size}, {player}", f"{low:g}-{high:g}%", (low, high), tally, note)

    def _notes(self, rows: Sequence[FigureRow], solved: Mapping[tuple[int, int], Mapping[str, Any]]) -> list[str]:
        notes = [
            "Shares are of the games that are not drawn. Under the specification's own draw rules random players draw "
            "many, on 9x9 nearly all; so they play without these rules as well. The other players are deterministic: "
            f"their games begin with {OPENING_PLIES} random plies, equal games count once, and the games of an opening "
            f"form a cluster. The round robin is of {', '.join(TOURNAMENT)}, each against each other in both seats.",
            f'"After {OPENING_PLIES} random plies" is the probability that the first player wins by perfect play: a '
            "solver proves every position that two random plies reach. It is no share of games, so it is not compared "
            "with the printed ones.",
        ]
        for size in CLAIMS:
            ours = {walls: found for (of, walls), found in solved.items() if of == size}
            if ours and all(found["value"] == "loss" for found in ours.values()):
                lengths = ", ".join(f"{found['plies']} plies with {walls}" for walls, found in ours.items())
                notes.append(
                    f"{size}x{size} is a win for the second player {_up_to(max(ours))}, as a solver proves: the first "
                    f"player loses in {lengths}. So perfect play gives the first player no advantage there."
                )
        behind = [row.label for row in rows if row.high < 50 and row.kind == "measured"]
        if behind:
            notes.append(
                f"The first player wins less than half of the decided games, beyond chance: {'; '.join(behind)}."
            )
        return notes

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(7.2, 9)
        axes = figure.subplots()
        rows = sorted(finding.rows, key=_drawn_place)
        claims = {row.label: CLAIMS[int(row.label[0])] for row in rows if row.claimed}
        dots(axes, rows, claims, title="Games that the first player wins")
        axes.axvline(50, color=INK, linewidth=0.8)
        axes.set_xlim(-3, 103)
        axes.set_xlabel("% (band: printed)")
        for place, row in enumerate(rows):
            if "from the start" in row.label:
                # Towards the middle, where a row of perfect play has no band.
                side, align = (-8, "right") if row.ours > 50 else (8, "left")
                axes.annotate(
                    row.note,
                    (row.ours, place),
                    (side, -3),
                    textcoords="offset points",
                    ha=align,
                    fontsize=8,
                    color=PRINTED_COLOUR,
                )


def _drawn_place(row: FigureRow) -> tuple[int, int, bool]:
    """Return the sort key of a row in the plot: by size as the specification lists them, players before proofs, and
    proofs by their walls, the start's first. The others stay as they are."""
    size, _, rest = row.label.partition("x")
    walls = re.search(r", walls (\d+), ", rest)
    return list(CLAIMS).index(int(size)), int(walls[1]) if walls else -1, "from the start" not in rest


def _up_to(walls: int) -> str:
    return f"with 0 to {walls} walls each" if walls else "without walls"


EXPERIMENTS = (QuoridorFirstPlayer(),)
