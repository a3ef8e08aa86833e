"""The specification's summary of Quoridor's boards, counted: state size, actions, branching factor and length."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from cornered import engine
from cornered.engine.encoding import encoding
from cornered.engine.games.quoridor import Position, QuoridorState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import no_opening, random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import BAND_COLOUR, OUR_COLOUR, PRINTED_COLOUR, SECOND_COLOUR
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import about, checked, exact, gap, mean
from cornered.lab.experiments.laboratory import Laboratory, opening_cluster
from cornered.lab.experiments.readings import settled
from cornered.lab.reports.plots import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorStatistics", "beside", "peer_shapes", "printed_bytes", "python_bytes", "shape"]

CLAIMED_BRANCHING: Final = {3: 8.0, 5: 25.0, 9: 70.0}
LENGTHS: Final = {3: (10.0, 20.0), 5: (20.0, 40.0), 9: (40.0, 100.0)}
ACTIONS: Final = {3: 17, 5: 57, 7: 121, 9: 209}
STATE_BYTES: Final = 200.0
COUNTED_WALLS: Final = 20
"""Walls of the board in the specification's count of bytes."""
DEPTHS_BY_SCALE: Final[Mapping[Scale, Mapping[int, tuple[int, ...]]]] = {
    "tiny": {3: (1, 2), 5: (1,), 9: (1,)},
    "quick": {3: (1, 2, 3, 4), 5: (1, 2, 3, 4), 9: (1, 2, 3)},
    "full": {3: (1, 2, 3, 4), 5: (1, 2, 3, 4), 9: (1, 2, 3, 4)},
}
RANDOM_GAMES: Final[Mapping[Scale, int]] = {"tiny": 20, "quick": 1000, "full": 5000}
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 4, 5: 4, 9: 4},
    "quick": {3: 300, 5: 200, 9: 100},
    "full": {3: 1000, 5: 1000, 9: 400},
}
"""Number of games of `quoridor-classic` by size."""
DEPTH_4_GAMES: Final = 150
"""Maximum number of games of depth 4 on 9x9, which take about a second each."""
OPENING_PLIES: Final = 2
"""Random plies before the deterministic `quoridor-classic`."""
PEER_GAMES: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 30, 5: 30, 9: 5},
    "quick": {3: 3000, 5: 3000, 9: 1000},
    "full": {3: 30_000, 5: 30_000, 9: 10_000},
}
"""Number of random games of OpenSpiel and as many of ours."""
PEER_CHUNK: Final = 250
"""Number of OpenSpiel's games in one item of work."""
PEER_PLIES_A_CELL: Final = 4
"""Plies a cell after which OpenSpiel's game is drawn."""
MISSING: Final = "The specification does not say whose games it averages over."


def shape(item: tuple[ContestTerms, tuple[str, ...]]) -> dict[str, float]:
    """Return a game's mean branching factor over all of its positions, and the bytes of its longest position text."""
    terms, moves = item
    state = position_after(terms, ())
    branching, longest = [], 0
    for move in moves:
        branching.append(len(state.moves()))
        longest = max(longest, len(str(state)))
        state = state.play(move)
    return {"branching": fmean(branching), "bytes": longest}


def peer_shapes(item: tuple[int, int, int, int]) -> list[dict[str, float]]:
    """Return the mean branching factor and the plies of each of OpenSpiel's random games, by board size, walls of each
    player, number of games and seed."""
    size, walls, games, seed = item
    game = _peer_game(size, walls)
    chance = random.Random(seed)
    shapes = []
    for _ in range(games):
        state, counts = game.new_initial_state(), []
        while not state.is_terminal():
            actions = state.legal_actions()
            counts.append(len(actions))
            state.apply_action(chance.choice(actions))
        shapes.append({"branching": fmean(counts), "plies": len(counts)})
    return shapes


@cache
def _peer_game(size: int, walls: int) -> Any:
    # OpenSpiel prints a warning each time it loads this game.
    return importlib.import_module("pyspiel").load_game("quoridor", {"board_size": size, "wall_count": walls})


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


def _actions() -> list[FigureRow]:
    """Return the numbers of actions. They could hardly differ, since their order is the specification's."""
    rows = []
    for size, actions in ACTIONS.items():
        counted = encoding(engine.load("quoridor", size=size)).count
        rows.append(checked(exact(f"actions {size}x{size}", str(actions), (actions, actions), counted)))
    return rows


def _states() -> list[FigureRow]:
    """Return the sizes of a state, by several ways to count them."""
    rows = []
    for size in CLAIMED_BRANCHING:
        start = engine.load("quoridor", size=size).start()
        assert isinstance(start, QuoridorState)
        walls = sum(start.stocks())
        row = exact(
            f"state {size}x{size}, by its own count",
            "~200",
            about(STATE_BYTES),
            printed_bytes(walls),
            1,
            "bytes",
            f"all {walls} walls on the board",
        )
        # The specification sums up the bytes of 20 walls itself.
        rows.append(
            checked(row)
            if walls == COUNTED_WALLS
            else row.because(
                "refuted",
                f"The 200 bytes are the specification's own sum for {COUNTED_WALLS} walls; this board has {walls}.",
            )
        )
    note = f"Python {sys.version_info.major}.{sys.version_info.minor}, all {COUNTED_WALLS} walls on the board"
    in_python = exact(
        "state 9x9, its class", "~200", about(STATE_BYTES), python_bytes(9, COUNTED_WALLS), 1, "bytes", note
    )
    rows.append(
        in_python.because(
            "definition",
            "The specification counts its integers as four bytes each, as state 9x9, by its own count; Python's sets, "
            "tuples and attributes take more.",
        )
    )
    words = len(Position._fields)
    rows.append(exact("state 9x9, our words", "", None, 8 * words, 1, "bytes", f"{words} words of 64 bits"))
    return rows


def _player(depth: int) -> str:
    return f"depth {depth}" if depth else "random"


def beside(label: str, ours: Sequence[float], theirs: Sequence[float], unit: str, note: str) -> FigureRow:
    """Return the row of our mean beside OpenSpiel's, with the comparison of the two in its note. It has no verdict,
    since OpenSpiel's figure is not the specification's."""
    row, other = (mean(label, "", None, figures, unit) for figures in (ours, theirs))
    less = gap("", "", (0.0, 0.0), row, other, unit)
    assert less.p is not None
    compared = (
        f"{note}, mean {other.ours:.4g} ({other.low:.4g} to {other.high:.4g}); ours less its {less.ours:+.3g} "
        f"({less.low:+.3g} to {less.high:+.3g}), p = {less.p:.2g}"
    )
    return checked(replace(row, claimed=f"OpenSpiel {other.ours:.4g}", note=compared))


class QuoridorStatistics(Experiment):
    name = "quoridor-statistics"
    title = "Quoridor's boards: state, actions, branching and length"
    source = "quoridor-specification.txt, Summary Statistics"
    place = 1

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows = [*_actions(), *_states()]
        lengths: dict[str, list[int]] = {}
        texts = []
        for size in CLAIMED_BRANCHING:
            first = engine.load("quoridor", size=size).start().perft(1)
            rows.append(exact(f"branching {size}x{size}, start", "", None, first, 1, "moves", "perft(1)"))
            readings = []
            for depth in (0, *DEPTHS_BY_SCALE[lab.scale][size]):
                found, series, text = self._games(lab, size, depth)
                readings.append(found)
                lengths[f"{size} {_player(depth)}"] = series
                texts.append(text)
            branching, plies = (list(group) for group in zip(*readings, strict=True))
            rows += settled(branching, f"{MISSING} The start has {first} moves; used walls leave fewer.")
            rows += settled(plies, MISSING)
        games = sum(map(len, lengths.values()))
        rows.append(exact("state 9x9, our text", "", None, max(texts), games, "bytes", "the longest text met"))
        compared, remark = self._peer(lab)
        rows += compared
        return rows, [*self._notes(rows), remark], {"lengths": lengths}

    def _games(self, lab: Laboratory, size: int, depth: int) -> tuple[tuple[FigureRow, FigureRow], list[int], float]:
        """Return the rows of branching and length of one player's games against itself; depth 0 is the random one."""
        terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
        count = GAMES_BY_SCALE[lab.scale][size] if depth else RANDOM_GAMES[lab.scale]
        if (size, depth) == (9, 4):
            count = min(count, DEPTH_4_GAMES)
        word = f"quoridor-classic:depth={depth}" if depth else "random"
        opening = random_plies(terms, OPENING_PLIES) if depth else no_opening
        fixtures = [Fixture(number, (word, word), opening(number)) for number in range(count)]
        step = f"depth-{depth}-{size}" if depth else f"random-{size}"
        games = lab.play(step, terms, fixtures)
        shapes = lab.measure(f"{step}-shape", shape, [(terms, played.moves) for played in games])
        claimed, (low, high) = CLAIMED_BRANCHING[size], LENGTHS[size]
        plies = [len(played.moves) for played in games]
        within = 100 * sum(low <= length <= high for length in plies) / count
        drawn = 100 * sum(played.winner is None for played in games) / count
        # After equal openings a deterministic player plays equal games.
        clusters = [opening_cluster(played) for played in games] if depth else None
        label = f"{size}x{size}, {_player(depth)}"
        branching = [figures["branching"] for figures in shapes]
        note = f"{within:.0f}% of the games within the range, {drawn:.0f}% drawn"
        return (
            (
                mean(f"branching {label}", f"~{claimed:g}", about(claimed), branching, "moves", clusters=clusters),
                mean(f"length {label}", f"{low:g}-{high:g}", (low, high), plies, "plies", note, clusters),
            ),
            plies,
            max(figures["bytes"] for figures in shapes),
        )

    def _peer(self, lab: Laboratory) -> tuple[list[FigureRow], str]:
        """Return rows of random games beside OpenSpiel's under its rules, and a note. There are no rows where it is
        not installed."""
        if importlib.util.find_spec("pyspiel") is None:
            return [], "OpenSpiel is not installed, so the random games are not compared with those of its Quoridor."
        rows = []
        for size, count in PEER_GAMES[lab.scale].items():
            longest = PEER_PLIES_A_CELL * size**2
            terms = ContestTerms.of(
                "quoridor", {"size": size, "max_plies": longest, "no_progress": None}, seed=lab.seed
            )
            walls = int(str(terms.options["walls"]))
            fixtures = [Fixture(number, ("random", "random")) for number in range(count)]
            games = lab.play(f"peer-rules-{size}", terms, fixtures)
            shapes = lab.measure(f"peer-rules-{size}-shape", shape, [(terms, played.moves) for played in games])
            chunks = [
                (size, walls, min(PEER_CHUNK, count - begun), lab.seed + begun) for begun in range(0, count, PEER_CHUNK)
            ]
            theirs = [one for chunk in lab.measure(f"peer-{size}", peer_shapes, chunks) for one in chunk]
            note = f"OpenSpiel {metadata.version('open_spiel')}: {count} games, a draw after {longest} plies"
            label = f"{size}x{size}, random, OpenSpiel's rules"
            branching, plies = ([one[what] for one in theirs] for what in ("branching", "plies"))
            ours = [figures["branching"] for figures in shapes]
            rows.append(beside(f"branching {label}", ours, branching, "moves", note))
            rows.append(beside(f"length {label}", [len(played.moves) for played in games], plies, "plies", note))
        return rows, (
            "The rows of OpenSpiel's rules compare our random games with those of its Quoridor, whose only draw "
            f"rule is a limit of {PEER_PLIES_A_CELL} plies a cell. The figure beside ours is OpenSpiel's, not the "
            "specification's, so these rows have no verdict."
        )

    def _notes(self, rows: Sequence[FigureRow]) -> list[str]:
        by = {row.label: row for row in rows}
        largest = by["branching 9x9, start"].ours
        players = [row for row in rows if row.label.startswith("branching 9x9, ") and row.claimed.startswith("~")]
        told = ", ".join(f"{row.label.removeprefix('branching 9x9, ')} {row.ours:.0f}" for row in players)
        return [
            "A game's branching is the mean over all of its positions, and a row is the mean over games. The random "
            f"player starts from the first position, quoridor-classic at each depth after {OPENING_PLIES} random "
            "plies, which count as plies of the game; games with the same opening count once.",
            f"On 9x9 the start has exactly {largest:g} moves (perft(1)): 3 steps, 128 walls. Averaged over games it is "
            f"{told}: it depends on how soon the walls are used up, since a player without walls has 1 to 5 moves.",
            "The 200 bytes are counted as if all 20 walls of 9x9 were integers of four bytes. The same count gives "
            f"{printed_bytes(10)} bytes on 5x5 and {printed_bytes(4)} on 3x3, where the table says 200 again, and the "
            f"class as it is printed takes {by['state 9x9, its class'].ours:g} bytes in Python.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        by = {row.label: row for row in finding.rows}
        left, right = figure.subplots(1, 2)
        kinds = ("start", "random", *(f"depth {depth}" for depth in (1, 2, 3, 4)))
        colours = (SECOND_COLOUR, BAND_COLOUR, *COLOURS[2:4], *COLOURS[5:7])
        named = set()
        for place, (size, claimed) in enumerate(CLAIMED_BRANCHING.items()):
            for offset, (kind, colour) in enumerate(zip(kinds, colours, strict=True)):
                row = by.get(f"branching {size}x{size}, {kind}")
                if row is not None:
                    label = None if kind in named else kind
                    named.add(kind)
                    left.bar(place + 0.14 * (offset - 2.5), row.ours, 0.13, color=colour, label=label)
            left.plot([place - 0.45, place + 0.45], [claimed] * 2, color=PRINTED_COLOUR, linewidth=2, linestyle="--")
        left.plot([], [], color=PRINTED_COLOUR, linewidth=2, linestyle="--", label="printed")
        left.set_xticks(range(len(CLAIMED_BRANCHING)), [f"{size}x{size}" for size in CLAIMED_BRANCHING])
        left.set_ylabel("legal moves, on average")
        left.legend(frameon=False, fontsize=8)
        left.set_title("Branching", loc="left", fontsize=10)
        left.grid(visible=False, axis="x")
        names: list[str] = []
        data: list[list[int]] = []
        for size, (low, high) in LENGTHS.items():
            begun = len(names)
            for key, plies in finding.series["lengths"].items():
                if key.startswith(f"{size} "):
                    names.append(f"{size}x{size}, {key.split(' ', 1)[1]}")
                    data.append(plies)
            right.fill_between(
                [begun + 0.55, len(names) + 0.45],
                low,
                high,
                color=BAND_COLOUR,
                alpha=0.35,
                label=None if begun else "printed",
            )
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
        right.set_xticks(range(1, len(names) + 1), names, fontsize=8, rotation=90)
        right.set_ylabel("plies")
        right.set_ylim(0, 118)
        right.legend(frameon=False, fontsize=9, loc="upper left")
        right.set_title("Length (boxes: half of the games, whiskers: 90%)", loc="left", fontsize=8)
        right.grid(visible=False, axis="x")


EXPERIMENTS = (QuoridorStatistics(),)
