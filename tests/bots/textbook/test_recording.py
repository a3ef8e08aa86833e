"""A recorded search is the search: its steps replay to its value and its counts, without what was pruned."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest
from pydantic import TypeAdapter

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook import deepening, mcts
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.expectiminimax import expectiminimax
from cornered.bots.textbook.korf import NO_SEAT_ABOVE, max_n_shallow
from cornered.bots.textbook.maxn import max_n
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.ordered import sorted_alpha_beta
from cornered.bots.textbook.recording import ENDED_EARLY, MCTS_C, Recorded, Recording, record
from cornered.bots.textbook.search import TextbookSearch
from cornered.bots.textbook.star1 import star1
from cornered.engine import CHANCE, Game, State
from cornered.protocol.traces import MAX_TRACE_LINES, SearchName, TraceLine, TraceSettings
from tests.bots.scenes import fresh, positions

UNLIMITED = Limit()
LINES: TypeAdapter[tuple[TraceLine, ...]] = TypeAdapter(tuple[TraceLine, ...])
PLAIN = {
    "trapgrid": engine.load("trapgrid", size=4),
    "isolation": engine.load("isolation", width=3, height=3),
    "quoridor": engine.load("quoridor", size=3, max_plies=40),
    "bamboo": engine.load("bamboo", radius=1),
}
THREE = engine.load("isolation", width=3, height=3, players=3)
THREE_WITH_DICE = engine.load("isolation", width=3, height=3, players=3, dice=True)
FOUR = engine.load("isolation", width=3, height=3, players=4)
DICE = engine.load("isolation", width=4, height=3, dice=True)
WITHOUT_DICE: tuple[SearchName, ...] = ("minimax", "alphabeta", "sorted", "maxn", "korf")
CASES: dict[SearchName, tuple[Game, ...]] = {
    **dict.fromkeys(("minimax", "alphabeta", "deepening", "mcts"), (*PLAIN.values(), THREE)),
    "sorted": tuple(PLAIN.values()),
    **dict.fromkeys(("maxn", "korf"), (*PLAIN.values(), THREE, FOUR)),
    **dict.fromkeys(("expectiminimax", "star1"), (DICE,)),
}
SEARCHES: dict[SearchName, Callable[[State, int, TextbookSearch], Any]] = {
    "minimax": lambda state, depth, search: depth_limited(state, depth, 0, search),
    "alphabeta": lambda state, depth, search: alpha_beta(state, depth, -math.inf, math.inf, 0, search),
    "sorted": lambda state, depth, search: sorted_alpha_beta(state, depth, -math.inf, math.inf, 0, search),
    "expectiminimax": lambda state, depth, search: expectiminimax(state, depth, 0, search),
    "star1": lambda state, depth, search: star1(state, depth, -1.0, 1.0, 0, search),
    "maxn": lambda state, depth, search: max_n(state, depth, 0, search),
    "korf": lambda state, depth, search: max_n_shallow(state, depth, 0, NO_SEAT_ABOVE, 0, search),
}
"""The searches that look at every move that is not pruned."""


@dataclass
class Seen:
    """A node as the lines show it."""

    state: State
    alpha: float
    beta: float
    children: list[int] = field(default_factory=list)
    pruned: int = 0
    values: list[tuple[float, ...]] = field(default_factory=list)
    value: tuple[float, ...] = ()
    visits: int = 0
    mean: float = math.nan


@dataclass
class Replay:
    """The tree and the counts of a recording, from its lines alone."""

    nodes: list[Seen] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    playouts: int = 0
    playout_plies: int = 0

    @classmethod
    def of(cls, lines: tuple[str, ...], start: State) -> Replay:
        replay = cls()
        path: list[int] = []
        for line in lines:
            letter, *words = line.split(" ")
            if letter == "+":
                parent = int(words[0])
                alpha, beta = numbers(words[2])[0], numbers(words[3])[0]
                if parent < 0:
                    replay.roots.append(len(replay.nodes))
                    state = start
                    path.clear()
                else:
                    above = replay.nodes[parent]
                    assert above.state.is_legal(words[1])
                    state = above.state.play(words[1])
                    above.children.append(len(replay.nodes))
                path.append(len(replay.nodes))
                replay.nodes.append(Seen(state, alpha, beta))
            elif letter == "-":
                number = int(words[0])
                assert path.pop() == number
                replay.nodes[number].value = value = numbers(words[1])
                if path:
                    above = replay.nodes[path[-1]]
                    above.values.append(value)
                    alpha, beta = numbers(words[3])[0], numbers(words[4])[0]
                    if not math.isnan(alpha):
                        assert above.alpha <= alpha, "a window only closes"
                        assert beta <= above.beta, "a window only closes"
                        above.alpha, above.beta = alpha, beta
            elif letter == "x":
                assert path[-1] == int(words[0])
                assert int(words[1]) > 0, "a cut-off leaves something out"
                replay.nodes[int(words[0])].pruned += int(words[1])
            elif letter == "p":
                replay.playouts += 1
                replay.playout_plies += int(words[1])
            elif letter == "b":
                node = replay.nodes[int(words[0])]
                assert int(words[1]) == node.visits + 1
                node.visits, node.mean = int(words[1]), numbers(words[2])[0]
        return replay


def numbers(text: str) -> tuple[float, ...]:
    return tuple(math.nan if word == "*" else float(word) for word in text.split(","))


def close(left: tuple[float, ...], right: tuple[float, ...]) -> bool:
    """Return whether values are equal but for the digits that a line leaves out."""
    return len(left) == len(right) and all(math.isclose(a, b, abs_tol=1e-8) for a, b in zip(left, right, strict=True))


def settings_of(name: SearchName) -> TraceSettings:
    return TraceSettings(search=name, depth=3, playouts=40)


def searched(name: SearchName, state: State, depth: int) -> tuple[tuple[float, ...], TextbookSearch]:
    """Run a search to a depth with nobody listening: the root's value and the counts."""
    search = fresh(state)
    found = SEARCHES[name](state, depth, search)[0]
    return (found if isinstance(found, tuple) else (found,)), search


def check_counts(name: SearchName, recorded: Recorded, replay: Replay, state: State) -> None:
    """Check that a recording has the value and the counts of the search."""
    LINES.validate_python(recorded.lines)
    thought = recorded.thought
    assert len(replay.nodes) - len(replay.roots) + replay.playout_plies == thought.nodes
    assert sum(node.pruned for node in replay.nodes) == thought.pruned
    if name == "mcts":
        alone = mcts.think(state, UNLIMITED, 40, MCTS_C, random.Random(1))
        assert replay.playouts == replay.nodes[0].visits == 40
        assert (thought.move, thought.score, thought.nodes) == (alone.move, alone.score, alone.nodes)
    elif name == "deepening":
        alone = deepening.search(state, Limit(depth=3), evaluator(state.game.name), random.Random(1))
        assert (thought.pv, thought.score, thought.nodes) == (alone.pv, alone.score, alone.nodes)
        assert thought.score is not None
        assert close(replay.nodes[replay.roots[-1]].value, (thought.score,))
    else:
        value, search = searched(name, state, 3)
        assert close(replay.nodes[0].value, value)
        assert (thought.nodes, thought.pruned) == (search.nodes - 1, search.pruned)


def check_value(node: Seen, searcher: int) -> None:
    """Check that a node's value is made of the values below it."""
    if node.state.to_move == CHANCE:
        # A pruned mean is a bound.
        if not node.pruned:
            mean = sum(value[0] for value in node.values) / len(node.values)
            assert close(node.value, (mean,))
    elif len(node.value) > 1:
        seat = node.state.to_move
        assert node.value[seat] == max(value[seat] for value in node.values)
    else:
        choose = max if node.state.to_move == searcher else min
        assert close(node.value, choose(node.values))


@pytest.mark.parametrize("name", CASES)
def test_a_recording_replays_to_the_value_and_the_counts_of_the_search_without_what_was_pruned(
    name: SearchName, subtests: pytest.Subtests
) -> None:
    for game in (*CASES[name], *((DICE,) if name in ("deepening", "mcts") else ())):
        with subtests.test(repr(game)):
            pruned = 0
            for state in positions(game, 1, 6):
                recorded = record(state, settings_of(name), UNLIMITED, most=10**6)
                replay = Replay.of(recorded.lines, state)
                check_counts(name, recorded, replay, state)
                for node in replay.nodes:
                    if node.values and node.value:
                        check_value(node, state.to_move)
                    assert len(node.children) + node.pruned <= len(node.state.moves())
                    if name in SEARCHES and (node.children or node.pruned):
                        assert len(node.children) + node.pruned == len(node.state.moves())
                    pruned += node.pruned
            if name in ("minimax", "maxn", "expectiminimax", "mcts"):
                assert pruned == 0
            elif name in ("alphabeta", "korf", "star1") and game.seats == 2:
                assert pruned > 0
            stop = Event()
            stop.set()
            # It ends when nobody waits for it.
            assert record(game.start(), settings_of(name), UNLIMITED, stop=stop).thought.nodes == 0


def test_a_window_is_open_where_a_node_is_entered() -> None:
    for name in ("alphabeta", "sorted", "deepening"):
        for state in positions(PLAIN["isolation"], 4, 4):
            for line in record(state, settings_of(name), UNLIMITED, most=10**6).lines:
                if line.startswith("+"):
                    _, _, _, alpha, beta, *_ = line.split(" ")
                    assert float(alpha) < float(beta)


def test_a_full_recording_says_so_and_the_search_goes_on() -> None:
    state = PLAIN["isolation"].start()
    whole = record(state, settings_of("minimax"), UNLIMITED)
    short = record(state, settings_of("minimax"), UNLIMITED, most=50)
    assert ENDED_EARLY not in whole.lines
    assert len(whole.lines) <= MAX_TRACE_LINES
    assert short.lines == (*whole.lines[:49], ENDED_EARLY)
    assert (short.thought.score, short.thought.nodes) == (whole.thought.score, whole.thought.nodes)


def test_a_search_that_runs_out_of_nodes_shows_what_it_saw() -> None:
    names: tuple[SearchName, ...] = ("minimax", "deepening", "mcts")
    for name in names:
        recorded = record(PLAIN["isolation"].start(), settings_of(name), Limit(nodes=30))
        assert 29 <= recorded.thought.nodes <= 30
        assert recorded.lines
        LINES.validate_python(recorded.lines)
        assert recorded.thought.move
        assert name != "minimax" or recorded.thought.score is None


def test_equal_questions_have_equal_answers() -> None:
    for name in ("mcts", "deepening"):
        first, second = (record(PLAIN["quoridor"].start(), settings_of(name), UNLIMITED).lines for _ in range(2))
        assert first == second


def test_a_search_that_does_not_fit_the_game_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[SearchName, Game, str]] = [
        ("minimax", DICE, "choose expectiminimax or Monte Carlo tree search"),
        ("maxn", DICE, "choose expectiminimax or Monte Carlo tree search"),
        ("expectiminimax", THREE, r"choose max\^n"),
        ("star1", THREE, r"choose max\^n"),
        ("star1", THREE_WITH_DICE, "players; choose Monte Carlo tree search"),
        ("maxn", THREE_WITH_DICE, "dice; choose Monte Carlo tree search"),
    ]
    for name, game, way_out in cases:
        with subtests.test(f"{name} {game}"), pytest.raises(ValueError, match=f"this search .*{way_out}"):
            record(game.start(), settings_of(name), UNLIMITED)


def test_a_recording_never_exceeds_its_bound() -> None:
    recording = Recording(3)
    for depth in range(9):
        recording.iteration(depth)
    assert recording.lines == ["d 0", "d 1", ENDED_EARLY]
