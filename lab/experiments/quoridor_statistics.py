"""The specification's summary of Quoridor's boards, counted: state size, actions, branching factor and length."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.engine.games.quoridor import Position, QuoridorState, from_action_index
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, about, exact, mean
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorStatistics", "printed_bytes", "python_bytes", "shape"]

CLAIMED_BRANCHING: Final = {3: 8.0, 5: 25.0, 9: 70.0}
LENGTHS: Final = {3: (10.0, 20.0), 5: (20.0, 40.0), 9: (40.0, 100.0)}
ACTIONS: Final = {3: 17, 5: 57, 7: 121, 9: 209}
STATE_BYTES: Final = 200.0
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 300, "full": 3000}
OPENING_PLIES: Final = 2
"""Random plies before the deterministic `quoridor-classic`."""
PLAYER_BOTS: Final = {"random": "random", "quoridor-classic": "quoridor-classic:depth=2"}


def shape(item: tuple[ContestTerms, tuple[str, ...], int]) -> dict[str, float]:
    """Return a game's mean branching factor after its opening, and the bytes of its longest position text."""
    terms, moves, opening = item
    state = position_after(terms, moves[:opening])
    branching, longest = [], 0
    for move in moves[opening:]:
        branching.append(len(state.moves()))
        longest = max(longest, len(str(state)))
        state = state.play(move)
    return {"branching": fmean(branching), "bytes": longest}


def printed_bytes(walls: int) -> int:
    """Return a state's bytes by the specification's count ("Memory Footprint"): 4-byte integers, two for each pawn and
    each placed wall, and five more."""
    return 4 * (2 * 2 + 2 * walls + 5)


def python_bytes(size: int, walls: int) -> int:
    """Return the bytes of the specification's class ("Core State Components") in this Python, with all walls placed."""
    slots = [(row, column) for row in range(size - 1) for column in range(size - 1)]
    state = SimpleNamespace(
        board_size=size,
        player1_pos=(0, size // 2),
        player2_pos=(size - 1, size // 2),
        current_player=1,
        h_walls=set(slots[: walls // 2]),
        v_walls=set(slots[: walls - walls // 2]),
        walls_remaining={1: 0, 2: 0},
        move_count=0,
        moves_since_last_wall=0,
        game_over=False,
        winner=None,
    )
    return sys.getsizeof(state) + _held(vars(state))


def _held(thing: object) -> int:
    """Return the bytes of an object and its contents, without names and small integers, which are shared."""
    inside: Sequence[object] = ()
    if isinstance(thing, dict):
        inside = list(thing.values())
    elif isinstance(thing, set | tuple):
        inside = list(thing)
    elif thing is None or isinstance(thing, int):
        return 0
    return sys.getsizeof(thing) + sum(map(_held, inside))


class QuoridorStatistics(Experiment):
    name = "quoridor-statistics"
    title = "Quoridor's boards: state, actions, branching and length"
    source = "quoridor-specification.txt, Summary Statistics"
    place = 1

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        for size, actions in ACTIONS.items():
            counted = len({from_action_index(size, index) for index in range(actions)})
            rows.append(exact(f"actions {size}x{size}", str(actions), (actions, actions), counted, 1))
        for size in CLAIMED_BRANCHING:
            start = engine.load("quoridor", size=size).start()
            assert isinstance(start, QuoridorState)
            walls = sum(start.stocks())
            rows.append(
                exact(
                    f"state {size}x{size}, by its own count",
                    "~200",
                    about(STATE_BYTES),
                    printed_bytes(walls),
                    1,
                    "bytes",
                    f"all {walls} walls on the board",
                )
            )
        in_python = python_bytes(9, 20)
        note = f"Python {sys.version_info.major}.{sys.version_info.minor}, all 20 walls on the board"
        rows.append(exact("state 9x9, its class", "~200", about(STATE_BYTES), in_python, 1, "bytes", note))
        words = len(Position._fields)
        rows.append(exact("state 9x9, our words", "", None, 8 * words, 1, "bytes", f"{words} words of 64 bits"))
        for size, claimed in CLAIMED_BRANCHING.items():
            first = engine.load("quoridor", size=size).start().perft(1)
            note = "perft(1), exact"
            rows.append(
                exact(f"branching {size}x{size}, start", f"~{claimed:g}", about(claimed), first, 1, "moves", note)
            )
        lengths: dict[str, list[int]] = {}
        texts = []
        for size in CLAIMED_BRANCHING:
            for player, word in PLAYER_BOTS.items():
                more, series, text = self._games(lab, size, player, word)
                rows += more
                lengths[f"{size} {player}"] = series
                texts.append(text)
        rows.append(exact("state 9x9, our text", "", None, max(texts), len(texts), "bytes", "the longest text met"))
        return rows, self._notes(rows), {"lengths": lengths}

    def _games(self, lab: Laboratory, size: int, player: str, word: str) -> tuple[list[FigureRow], list[int], float]:
        terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
        opening = random_plies(terms, OPENING_PLIES)
        count = GAMES_BY_SCALE[lab.scale]
        fixtures = [Fixture(number, (word, word), opening(number)) for number in range(count)]
        games = lab.play(f"{player}-{size}", terms, fixtures)
        items = [(terms, played.moves, OPENING_PLIES) for played in games]
        shapes = lab.measure(f"{player}-{size}-shape", shape, items)
        claimed, (low, high) = CLAIMED_BRANCHING[size], LENGTHS[size]
        plies = [len(played.moves) for played in games]
        within = 100 * sum(low <= length <= high for length in plies) / count
        drawn = 100 * sum(played.winner is None for played in games) / count
        label = f"{size}x{size}, {player}"
        branching = [figures["branching"] for figures in shapes]
        return (
            [
                mean(f"branching {label}", f"~{claimed:g}", about(claimed), branching, "moves"),
                mean(
                    f"length {label}",
                    f"{low:g}-{high:g}",
                    (low, high),
                    plies,
                    "plies",
                    f"{within:.0f}% of the games within the range, {drawn:.0f}% drawn",
                ),
            ],
            plies,
            max(figures["bytes"] for figures in shapes),
        )

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        largest = by["branching 9x9, start"].ours
        random, classic = by["branching 9x9, random"].ours, by["branching 9x9, quoridor-classic"].ours
        return [
            '"~" is taken as within a quarter. A mean is one over games, each with its own mean, after '
            f"{OPENING_PLIES} random plies.",
            f"The branching on 9x9 is not 70: the start has exactly {largest:g} moves (perft(1)): 3 steps, 128 walls. "
            f"Random games have {random:.0f} on average and those of quoridor-classic {classic:.0f}: it depends on how "
            "soon the walls are used up, since whoever has none left has 1 to 5 moves.",
            "The 200 bytes are counted as if all 20 walls of 9x9 were integers of four bytes. The same count gives "
            f"{printed_bytes(10)} bytes on 5x5 and {printed_bytes(4)} on 3x3, where the table says 200 again, and the "
            f"class as it is printed takes {by['state 9x9, its class'].ours:g} bytes in Python.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        by = {row.label: row for row in finding.rows}
        left, right = figure.subplots(1, 2)
        kinds = ("start", *PLAYER_BOTS)
        colours = (SECOND_COLOUR, BAND_COLOUR, OUR_COLOUR)
        for place, (size, claimed) in enumerate(CLAIMED_BRANCHING.items()):
            for offset, (kind, colour) in enumerate(zip(kinds, colours, strict=True)):
                row = by[f"branching {size}x{size}, {kind}"]
                left.bar(place + 0.25 * (offset - 1), row.ours, 0.23, color=colour, label=kind if place == 0 else None)
            left.plot([place - 0.42, place + 0.42], [claimed] * 2, color=PRINTED_COLOUR, linewidth=2, linestyle="--")
        left.plot([], [], color=PRINTED_COLOUR, linewidth=2, linestyle="--", label="printed")
        left.set_xticks(range(len(CLAIMED_BRANCHING)), [f"{size}x{size}" for size in CLAIMED_BRANCHING])
        left.set_ylabel("legal moves, on average")
        left.legend(frameon=False, fontsize=9)
        left.set_title("Branching", loc="left", fontsize=10)
        left.grid(visible=False, axis="x")
        names: list[str] = []
        data: list[list[int]] = []
        for size, (low, high) in LENGTHS.items():
            right.fill_between(
                [len(names) + 0.55, len(names) + 2.45],
                low,
                high,
                color=BAND_COLOUR,
                alpha=0.35,
                label="printed" if not names else None,
            )
            for player in PLAYER_BOTS:
                names.append(f"{size}x{size}\n{'random' if player == 'random' else 'classic'}")
                data.append(finding.series["lengths"][f"{size} {player}"])
        ink = {"color": INK}
        right.boxplot(
            data,
            whis=(5, 95),
            showfliers=False,
            widths=0.5,
            medianprops={"color": OUR_COLOUR, "linewidth": 2},
            boxprops=ink,
            whiskerprops=ink,
            capprops=ink,
        )
        right.set_xticks(range(1, len(names) + 1), names, fontsize=8)
        right.set_ylabel("plies (box: half of the games, whiskers: 90%)")
        right.set_ylim(0, 118)
        right.legend(frameon=False, fontsize=9, loc="upper left")
        right.set_title("Length", loc="left", fontsize=10)
        right.grid(visible=False, axis="x")


EXPERIMENTS = (QuoridorStatistics(),)
