"""`cornered bench search`: node counts and speed of the compiled search on one core, beside C programs of it.

The first table is of the search as it plays, with hand-written evaluations and with the networks that ship. Its node
total is the `Bench: N` of commits: it changes exactly when the search or an evaluation does. The second is of the same
template with minimal evaluations, beside a C program of the same search, whose node counts have to be equal.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from cornered import engine
from cornered.bench.evaluations import PLAIN_KERNELS
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import SELECTIVE, Limit, Searcher, learnt_style
from cornered.bots.search.specialise import NO_NETWORK, SCRATCH, SpecialisedSearch, hooks, specialise
from cornered.bots.search.template import INFINITE_SCORE
from cornered.bots.search.warming import warm
from cornered.engine.compile.kernel import cache_of

__all__ = ["EXPECTED_NODES", "Beside", "Figures", "NodeCount", "as_json", "beside_c", "count", "lines", "run", "total"]

EXPECTED_NODES: Final = 1_083_660
"""The node total of `BENCH_POSITIONS` for the current sources."""

BENCH_POSITIONS: Final[Mapping[str, tuple[tuple[str, int], ...]]] = {
    "trapgrid": (
        ("", 14),
        ("b7 f1 c7 e1", 14),
        ("a6 g2 b6 g3 c6 g4 c5 g5 d5", 14),
        ("a6 f1 a5 f2 b5 g2 b4 g3 a4 f3 a3 f4 a2 e4", 14),
    ),
    "isolation": (
        ("b5 d5", 7),
        ("d3 a3 d7 e7 c6 d6", 7),
        ("d1 b1 c1 a1 g5 a6 e5 e2 d5 d3", 8),
        ("d1 c4 c1 c7 a3 d7 a5 f5 b4 d5 c3 e5 f3 e4", 10),
    ),
    "bamboo": (
        ("", 3),
        ("g2 k1 e5 j7 a5 g3 b1 d8", 3),
        ("g10 d7 k1 g9 g8 h4 b6 b5 j2 c8 h5 c1 i6 h9 e6 e9 c4 i5 j3 a5", 4),
    ),
    "quoridor": (
        ("", 5),
        ("d1 e4h c1 a2v d6v g4v", 5),
        ("e2 f9 d2 e4v d3 d3v a2v g9 d2 f9 c2 e1h", 5),
        ("f8v a7v g2v f9 e2 g5v d2 e9 h7h b7v g4h d9 c2 e9 c3 f9 d3 e7v d2 c8h f2v f8 e2h h2v", 5),
    ),
}
"""Moves from the start of the default options, and the search depth."""

NETWORK_PLIES: Final = 3
"""So many plies deeper go the searches with a network, or they would be too short for a speed."""
SEARCHES: Final = (
    *((game, "by hand") for game in BENCH_POSITIONS),
    *((game, "network") for game in ("isolation", "bamboo", "quoridor")),
)

PLAIN_DEPTHS: Final[Mapping[str, int]] = {"trapgrid": 30, "isolation": 10, "bamboo": 7, "quoridor": 8}
"""Search depth from the start of each game with minimal evaluations."""
REPEATS: Final = 9
UNLIMITED_NODES: Final = (1 << 62) - 1

OPENSPIEL_NODES: Final = 0.9e6
OPENSPIEL_EVALUATIONS: Final = 6_400
"""OpenSpiel's Quoridor driven from Python: nodes per second of a tree walk, and evaluations per second of its
alpha-beta."""
OPENSPIEL: Final = "published figures, not measured here"
WALK_DEPTH: Final = 3
"""Depth of the walk over Quoridor's tree, in plies."""


@dataclass(frozen=True, slots=True)
class NodeCount:
    """The search's figures on one game's positions. `evaluation` is "by hand" or "network"."""

    game: str
    evaluation: str
    positions: int
    nodes: int
    seconds: float

    @property
    def rate(self) -> float:
        """Millions of nodes per second."""
        return self.nodes / self.seconds / 1e6


@dataclass(frozen=True, slots=True)
class Beside:
    """The minimal search of one game's start and the C program's, the best of several runs; None without a compiler."""

    game: str
    depth: int
    nodes: int
    seconds: float
    c_seconds: float | None

    @property
    def rate(self) -> float:
        """Millions of nodes per second."""
        return self.nodes / self.seconds / 1e6

    @property
    def c_rate(self) -> float | None:
        """Millions of nodes per second in C."""
        return None if self.c_seconds is None else self.nodes / self.c_seconds / 1e6


@dataclass(frozen=True, slots=True)
class Figures:
    """Both tables, and positions per second of a walk over Quoridor's tree, None when it was not requested."""

    counted: list[NodeCount]
    beside: list[Beside]
    walked: float | None


def run(
    games: tuple[str, ...] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Figures:
    """Measure `games`, or all; `tell` receives what is measured next.

    Raises RuntimeError when C counts something else.
    """
    chosen = games or tuple(BENCH_POSITIONS)
    for game in chosen:
        if game not in BENCH_POSITIONS:
            raise ValueError(f"there is no such benchmark as {game!r}; there are {', '.join(BENCH_POSITIONS)}")
    warm(*chosen)
    walked = None
    if "quoridor" in chosen:
        tell("quoridor: walking the tree")
        walked = walk()
    counted, beside = [], []
    for game, evaluation in SEARCHES:
        if game in chosen:
            tell(f"{game}: searching as it plays, {evaluation}")
            counted.append(count(game, evaluation))
    for game in chosen:
        tell(f"{game}: searching plainly, beside C")
        beside.append(beside_c(game))
    return Figures(counted, beside, walked)


def total(counted: list[NodeCount]) -> int | None:
    """Return the node total of all searches, None when one is missing."""
    return sum(one.nodes for one in counted) if len(counted) == len(SEARCHES) else None


def as_json(figures: Figures) -> dict[str, Any]:
    """Return the figures as JSON-compatible values."""
    return {
        "bench": total(figures.counted),
        "expected": EXPECTED_NODES,
        "counted": [{**asdict(one), "rate": one.rate} for one in figures.counted],
        "beside": [{**asdict(one), "rate": one.rate, "c_rate": one.c_rate} for one in figures.beside],
        "walked": figures.walked,
        "published": {"openspiel_nodes": OPENSPIEL_NODES, "openspiel_evaluations": OPENSPIEL_EVALUATIONS},
    }


def lines(figures: Figures) -> Iterator[str]:
    """Return the figures as tables."""
    yield "The search as it plays, fixed positions and depths, CPU seconds:"
    yield f"{'game':<10} {'evaluation':<10} {'positions':>9} {'nodes':>12} {'seconds':>8} {'M nodes/s':>10}"
    for one in figures.counted:
        name = f"{one.game:<10} {one.evaluation:<10}"
        yield f"{name} {one.positions:>9} {one.nodes:>12} {one.seconds:>8.3f} {one.rate:>10.2f}"
    found = total(figures.counted)
    if found is not None:
        yield f"Bench: {found}" + ("" if found == EXPECTED_NODES else f"  (expected {EXPECTED_NODES})")
    yield ""
    yield "The same search with the plainest of evaluations, beside C, CPU seconds:"
    yield f"{'game':<10} {'depth':>9} {'nodes':>12} {'seconds':>8} {'M nodes/s':>10} {'C':>8} {'of C':>5}"
    for two in figures.beside:
        c_part = f"{two.c_rate:8.2f} {two.rate / two.c_rate:5.0%}" if two.c_rate else f"{'-':>8} {'-':>5}"
        yield f"{two.game:<10} {two.depth:>9} {two.nodes:>12} {two.seconds:>8.3f} {two.rate:>10.2f} {c_part}"
    if any(two.c_seconds is None for two in figures.beside):
        yield "C is missing where there is no compiler called cc."
    if figures.walked is not None:
        yield ""
        yield f"Quoridor beside OpenSpiel's, driven from Python ({OPENSPIEL}):"
        yield (
            f"walking the tree {figures.walked / 1e6:.0f} M positions/s, {figures.walked / OPENSPIEL_NODES:.0f} times "
            f"its {OPENSPIEL_NODES / 1e6} M (aim: 50)"
        )
        for title, rates in (
            ("searching plainly", [two.rate for two in figures.beside if two.game == "quoridor"]),
            ("searching as it plays", [one.rate for one in figures.counted if one.game == "quoridor"]),
        ):
            for rate in rates:
                yield (
                    f"{title} {rate:.2f} M nodes/s, {rate * 1e6 / OPENSPIEL_EVALUATIONS:.0f} times its "
                    f"{OPENSPIEL_EVALUATIONS} alpha-beta evaluations/s (aim: 500)"
                )


def walk() -> float:
    """Return positions per second of a walk over Quoridor's tree with the rules."""
    state, best = engine.load("quoridor").start(), 0.0
    for _ in range(REPEATS):
        started = time.thread_time()
        leaves = state.perft(WALK_DEPTH)
        best = max(best, leaves / (time.thread_time() - started))
    return best


def count(game: str, evaluation: str) -> NodeCount:
    """Search the game's positions, each with an empty transposition table."""
    loaded = engine.load(game)
    searcher = Searcher(loaded, SearchMemory.private())
    style, deeper = (learnt_style(game), NETWORK_PLIES) if evaluation == "network" else (SELECTIVE, 0)
    nodes, seconds = 0, 0.0
    for moves, depth in BENCH_POSITIONS[game]:
        state = loaded.start()
        for move in moves.split():
            state = engine.apply(state, move)
        searcher.memory.clear()
        started = time.thread_time()
        nodes += searcher.search(state, Limit(depth=depth + deeper), style).nodes
        seconds += time.thread_time() - started
    return NodeCount(game, evaluation, len(BENCH_POSITIONS[game]), nodes, seconds)


def plain(game: str) -> SpecialisedSearch:
    """Return the search template instantiated with a game's minimal evaluation."""
    cached_in = cache_of(
        f"cornered.bench.search.{game}",
        "cornered.bots.search.template",
        "cornered.bench.evaluations",
        f"cornered.engine.games.{game}",
    )
    made_of = {**hooks(game), **PLAIN_KERNELS[game], "HAS_NETWORK": False, **NO_NETWORK}
    return specialise(f"bench_{game}", made_of, engine.load(game).start(), SCRATCH, cached_in)


def beside_c(game: str) -> Beside:
    """Search a game's start with the minimal evaluation, here and in C alternately."""
    depth = PLAIN_DEPTHS[game]
    made = plain(game)
    with _c_program(game) as program:
        nodes, seconds, c_seconds = 0, float("inf"), float("inf")
        for _ in range(REPEATS):
            nodes, taken = _search(made, game, depth)
            seconds = min(seconds, taken)
            if program is not None:
                c_nodes, taken = _search_in_c(program, depth)
                c_seconds = min(c_seconds, taken)
                if c_nodes != nodes:
                    raise RuntimeError(f"{game} to depth {depth}: the template counts {nodes} nodes, C {c_nodes}")
    return Beside(game, depth, nodes, seconds, None if program is None else c_seconds)


def _search(made: SpecialisedSearch, game: str, depth: int) -> tuple[int, float]:
    """Return nodes and CPU seconds of iterative deepening from an empty transposition table, as in C."""
    state = engine.load(game).start()
    position: Any = state.position  # type: ignore[attr-defined]  # every game of ours has one
    memory = SearchMemory.private()
    memory.clear()
    workspace, scratch = memory.own, memory.scratch(state.game, made.scratch)
    SELECTIVE.write(workspace, has_network=False)
    workspace.limit = UNLIMITED_NODES
    workspace.killers[:] = -1
    started = time.thread_time()
    for reached in range(1, depth + 1):
        made.search(position, reached, -INFINITE_SCORE, INFINITE_SCORE, 0, workspace, memory.table, scratch)
    return int(workspace.nodes), time.thread_time() - started


def _search_in_c(program: Path, depth: int) -> tuple[int, float]:
    answer = subprocess.run(
        [program, str(depth), "1"], capture_output=True, encoding="utf-8", check=True
    ).stdout.split()
    return int(answer[0]), float(answer[2])


@contextmanager
def _c_program(game: str) -> Iterator[Path | None]:
    """Compile the C program of a game, where a compiler is installed."""
    compiler = shutil.which("cc")
    if compiler is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="cornered-bench-") as folder:
        program = Path(folder) / game
        source = Path(__file__).with_name("search.c")
        command = [compiler, "-O3", "-march=native", f"-D{game.upper()}", str(source), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True)
        yield program
