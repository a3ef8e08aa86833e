"""Searches: they stop in time, repeat themselves, and prove nothing false."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import WIN, Thought
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, SELECTIVE, Limit, Pruning, Searcher, Style, learnt_style
from cornered.bots.search.specialise import SpecialisedSearch, hooks, specialise, specialised_search
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of
from tests.bots.scenes import oracles, random_game
from tests.bots.search.choosy import narrow_to_two, never_quiet
from tests.engine.programs import ROOT, run_program, run_python

DEADLINE = 240.0
"""Seconds for a program that may have to compile a search of every game."""
NAMES = ("trapgrid", "isolation", "bamboo", "quoridor")
RASH = Style(
    pruning=Pruning(
        (40,) * 7,
        (2,) * 7,
        reduction_base=100,
        reduction_scale=80,
        full_depth_moves=1,
        pv_reduction=1,
        history_plies=300,
        unknown_depth=1,
    )
)
"""Leaves out far more than any player does."""
SMALL = {
    "trapgrid": [{"size": 3}, {"size": 4}],
    "isolation": [{"width": 3, "height": 3}],
    "bamboo": [{"radius": 1}],
    "quoridor": [{"size": 3, "players": 2, "walls": walls} for walls in range(5)],
}


def middle(name: str, plies: int = 6, **options: Any) -> State:
    """Return a position some plies into a random game."""
    state: State = random_game(engine.load(name, **options), random.Random(f"{name} {plies}"), plies + 1)[-1]
    return state


def exact_lines(name: str, count: int) -> Iterator[tuple[State, dict[str, Any]]]:
    """Yield positions of the oracles, solved by independent programs, with their results."""
    solved = [(state, line) for state, line in oracles(name) if line["options"] in SMALL[name]]
    yield from ((state, line) for state, line in solved[:: max(1, len(solved) // count)] if state.outcome is None)


def choosy(name: str) -> SpecialisedSearch:
    """Return a game's search that keeps at most two moves where permitted and trusts no evaluation."""
    made = hooks(name) | {"candidate_moves": narrow_to_two, "quiet": never_quiet}
    cached_in = cache_of(
        f"choosy.{name}",
        "cornered.bots.search.template",
        "tests.bots.search.choosy",
        f"cornered.engine.games.{name}",
        f"cornered.bots.evaluate.{name}",
    )
    return specialise(f"choosy_{name}", made, engine.load(name).start(), specialised_search(name).scratch, cached_in)


def is_line(state: State, moves: tuple[str, ...]) -> bool:
    for move in moves:
        if state.outcome is not None or not state.is_legal(move):
            return False
        state = state.play(move)
    return True


@pytest.mark.parametrize("name", NAMES)
def test_the_same_search_gives_the_same_thought_and_a_node_limit_is_met_exactly(name: str) -> None:
    state = middle(name)
    for limit in (Limit(depth=5), Limit(nodes=12_345), Limit(depth=4, lines=3)):
        first, again = (Searcher(state.game).search(state, limit) for _ in range(2))
        assert first == again
    for nodes in (1, 7, 1_000, 12_345):
        thought = Searcher(state.game).search(state, Limit(nodes=nodes))
        assert thought.nodes == nodes or thought.proven
        assert thought.nodes <= nodes
        assert thought.move in state.moves()


PROGRAM = """
import random, sys
from cornered import engine
from cornered.bots.search.searcher import *
for name in ("trapgrid", "isolation", "bamboo", "quoridor"):
    game = engine.load(name)
    state = game.start()
    for _ in range(5):
        state = state.play(state.moves()[0])
    for style in (SELECTIVE, FULL_WIDTH):
        thought = Searcher(game).search(state, Limit(nodes=20_000), style)
        print(name, thought.move, thought.score, thought.nodes, thought.pruned, thought.hits, thought.pv)
"""


CHILDREN = """
import multiprocessing, runpy, sys

if __name__ == "__main__":
    for method in {"spawn", "forkserver"} & set(multiprocessing.get_all_start_methods()):
        child = multiprocessing.get_context(method).Process(target=runpy.run_path, args=(sys.argv[1],))
        child.start()
        child.join(200)
        child.kill()
        child.join()
        assert child.exitcode == 0
"""


def test_fresh_processes_load_the_same_search_and_come_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    expected = run_python(PROGRAM).splitlines()
    assert len(expected) == 2 * len(NAMES)
    (tmp_path / "children.py").write_text(CHILDREN)
    children = run_program(str(tmp_path / "children.py"), str(path)).splitlines()
    assert children
    assert children == expected * (len(children) // len(expected))


@pytest.mark.parametrize("name", NAMES)
def test_a_stopped_search_looks_at_no_further_position(name: str) -> None:
    state, memory = middle(name, 4), SearchMemory.private()
    answers: list[Thought] = []
    searching = threading.Thread(
        target=lambda: answers.append(Searcher(state.game, memory).search(state, Limit())), daemon=True
    )
    searching.start()
    deadline = time.monotonic() + DEADLINE
    while memory.own.nodes < 1_000 and searching.is_alive() and time.monotonic() < deadline:
        os.sched_yield()
    memory.stop()
    nodes = int(memory.own.nodes)
    searching.join(60)
    assert not searching.is_alive()
    # It may have visited some nodes while this thread counted.
    assert answers[0].nodes - nodes <= 1_000
    assert answers[0].move in state.moves()


def test_a_search_that_was_stopped_before_it_began_answers_without_one() -> None:
    state, memory = middle("quoridor"), SearchMemory.private()
    memory.stop()
    thought = Searcher(state.game, memory).search(state, Limit(time=60_000))
    assert (thought.nodes, thought.depth, thought.score) == (0, 0, None)
    assert thought.move in state.moves()
    memory.resume()
    assert Searcher(state.game, memory).search(state, Limit(depth=2)).depth == 2


@pytest.mark.parametrize("name", NAMES)
def test_the_scores_of_all_lines_are_those_of_separate_searches(name: str) -> None:
    state = middle(name, 12)
    moves = state.moves()
    thought = Searcher(state.game).search(state, Limit(depth=3, lines=len(moves)), FULL_WIDTH)
    assert {line.move for line in thought.lines} == set(moves)
    for line in thought.lines:
        after = state.play(line.move)
        assert not line.is_bound
        assert line.depth == thought.depth
        if after.outcome is None:
            alone = Searcher(state.game).search(after, Limit(depth=2), FULL_WIDTH)
            assert line.score == pytest.approx(-beyond(alone.score))
    scores = [line.score for line in thought.lines]
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))
    few = Searcher(state.game).search(state, Limit(depth=3, lines=2), FULL_WIDTH)
    assert [line.score for line in few.lines[:2]] == scores[:2]
    assert len(few.lines) == len(moves)
    for line in few.lines[2:]:
        exact = next(other.score for other in thought.lines if other.move == line.move)
        assert exact is not None
        assert line.score is not None
        assert line.score >= exact if line.is_bound else line.score == exact


def beyond(score: float | None) -> float:
    """Return a score as seen one ply earlier."""
    assert score is not None
    if abs(score) > WIN / 2:
        return score - 1 if score > 0 else score + 1
    return score


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_legal_to_their_end_and_start_with_their_move(name: str) -> None:
    for plies, style in itertools.product((0, 5, 9), (SELECTIVE, RASH, FULL_WIDTH)):
        state = middle(name, plies)
        thought = Searcher(state.game).search(state, Limit(nodes=20_000, lines=3), style)
        assert thought.pv[0] == thought.move == thought.lines[0].move
        assert thought.pv == thought.lines[0].pv
        for line in thought.lines:
            assert line.pv[0] == line.move
            assert is_line(state, line.pv)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_not_answered(name: str) -> None:
    state = middle(name, 3)
    searcher = Searcher(state.game)
    best = searcher.search(state, Limit(depth=2)).move
    thought = searcher.search(state, Limit(depth=2), without={best})
    assert best not in {line.move for line in thought.lines}
    with pytest.raises(ValueError, match="no move left"):
        searcher.search(state, Limit(depth=2), without=state.moves())


@pytest.mark.parametrize("name", ["isolation", "bamboo", "quoridor"])
def test_a_network_is_written_for_the_searches_that_use_it_alone(name: str) -> None:
    state, memory, made = middle(name), SearchMemory.private(), specialised_search(name)
    searcher = Searcher(state.game, memory)
    for style in (SELECTIVE, FULL_WIDTH):
        searcher.search(state, Limit(depth=1), style)
    record = memory.scratch(state.game, made.scratch)
    assert not record.has_network
    assert not record.columns.any()
    found = searcher.search(state, Limit(depth=3), learnt_style(name))
    assert memory.scratch(state.game, made.scratch) is record
    assert record.has_network
    alone = Searcher(state.game).search(state, Limit(depth=3), learnt_style(name))
    assert found == alone
    assert found.score != searcher.search(state, Limit(depth=3), SELECTIVE).score


@pytest.mark.parametrize(
    "style",
    [SELECTIVE, RASH, FULL_WIDTH],
    ids=["selective", "rash", "full width"],
)
def test_distances_hold_wherever_the_table_met_the_position_before(style: Style) -> None:
    memory, seen = SearchMemory.private(), 0
    for state, line in exact_lines("quoridor", 40):
        searcher = Searcher(state.game, memory)
        for before in (state.play(move) for move in state.moves()):
            if before.outcome is None:
                searcher.search(before, Limit(depth=5), style)
        thought = searcher.search(state, Limit(depth=10, nodes=60_000, lines=len(state.moves())), style)
        for one in thought.lines:
            if one.proven:
                seen += 1
                exact = line["move_values"][one.move]
                assert one.plies is not None
                assert one.plies == abs(exact) if style is FULL_WIDTH else one.plies >= abs(exact)
    assert seen > 50


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("style", [SELECTIVE, RASH], ids=["selective", "rash"])
def test_what_is_called_proven_is_so_whatever_was_left_out(name: str, style: Style) -> None:
    proofs = 0
    for made in (specialised_search(name), choosy(name)):
        memory = SearchMemory.private()
        for state, line in exact_lines(name, 60):
            searcher = Searcher(state.game, memory, made)
            thought = searcher.search(state, Limit(nodes=20_000, lines=len(state.moves())), style)
            proofs += thought.proven is not None
            assert thought.proven in (None, "win" if line["value"] > 0 else "loss"), (str(state), thought)
            if thought.proven and "plies" in line:
                assert thought.plies is not None
                assert thought.plies >= line["plies"], (str(state), thought)
            for one in thought.lines:
                if one.proven:
                    assert (one.proven == "win") == (one.move in line["winning"]), (str(state), one)
    assert proofs > 20


@pytest.mark.parametrize("style", [SELECTIVE, RASH], ids=["selective", "rash"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_search_that_was_cut_off_calls_proven_is_so(name: str, style: Style) -> None:
    memory = SearchMemory.private()
    for state, line in exact_lines(name, 60):
        searcher = Searcher(state.game, memory)
        for nodes in (1, 20, 100, 500, 2_000):
            memory.clear()
            thought = searcher.search(state, Limit(nodes=nodes), style)
            assert thought.proven in (None, "win" if line["value"] > 0 else "loss"), (str(state), nodes, thought)
            for one in thought.lines:
                if one.proven:
                    assert (one.proven == "win") == (one.move in line["winning"]), (str(state), nodes, one)


def test_when_time_runs_out_a_refuted_move_is_not_played_while_others_are_open() -> None:
    game = engine.load("bamboo", radius=2)
    for text, won in ((".00/..1./...01/.1../... 0", "a1"), ("1../..../0.1.0/.0../.10 1", None)):
        state = game.parse(text)
        for nodes in (*range(50, 2_000, 50), 10_000):
            thought = Searcher(game).search(state, Limit(nodes=nodes))
            assert thought.proven != "loss", (text, nodes, thought)
        assert won is None or Searcher(game).search(state, Limit(nodes=500_000)).move == won


def test_a_bound_is_no_proof_of_a_win() -> None:
    state = engine.load("isolation", width=4, height=4).parse("..x./...1/.0../.xx. 1")
    thought = Searcher(state.game).search(state, Limit(depth=6))
    assert any(line.is_bound for line in thought.lines)
    assert all(line.proven != "win" for line in thought.lines if line.is_bound)


def test_moves_that_a_choosy_search_would_skip_are_searched_when_nothing_else_is_left() -> None:
    state = engine.load("quoridor").start()
    searcher = Searcher(state.game)
    chosen = {line.move for line in searcher.search(state, Limit(depth=1)).lines if line.score is not None}
    assert 0 < len(chosen) < len(state.moves())
    thought = searcher.search(state, Limit(depth=1), without=chosen)
    assert thought.move not in chosen
    assert thought.score is not None


def test_a_draw_is_never_called_proven() -> None:
    game = engine.load("quoridor", size=3, walls=0, max_plies=2)
    thought = Searcher(game).search(game.start(), Limit(depth=10), FULL_WIDTH)
    assert (thought.score, thought.proven) == (0.0, None)


def test_the_search_goes_no_deeper_once_the_game_is_decided() -> None:
    state, line = next((state, line) for state, line in exact_lines("trapgrid", 30) if line["value"] > 0)
    thought = Searcher(state.game).search(state, Limit(time=60_000))
    assert thought.proven == "win"
    assert thought.move in line["winning"]
    assert thought.depth < 100


def test_the_only_move_gets_a_quick_answer_and_a_score() -> None:
    state = next(state for plies in range(30) if len((state := middle("trapgrid", plies)).moves()) == 1)
    thought = Searcher(state.game).search(state, Limit(time=60_000))
    assert thought.score is not None
    assert thought.depth <= 4


def test_searches_that_share_a_table_come_to_the_values_of_a_lonely_one() -> None:
    program = """
import sys
from cornered import engine
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Limit, Searcher
game = engine.load("isolation", width=5, height=5)
state = game.parse(sys.argv[2])
memory = SearchMemory.attach(sys.argv[1], 1)
searcher = Searcher(game, memory)
print("ready", flush=True)
while not memory.is_stopped:
    searcher.search(state, Limit(depth=5), FULL_WIDTH)
memory.close()
"""
    state = middle("isolation", 5, width=5, height=5)
    game: Game = state.game
    expected = [Searcher(game).search(state, Limit(depth=depth), FULL_WIDTH).score for depth in range(1, 6)]
    with SearchMemory.create(2) as memory:
        command = [sys.executable, "-c", program, str(memory.name), str(state)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as helper:
            # The reader of its output reaches the end of the pipe also when it is killed.
            too_late = threading.Timer(DEADLINE, helper.kill)
            too_late.start()
            try:
                assert helper.stdout is not None
                assert helper.stdout.readline() == "ready\n"
                searcher = Searcher(game, memory)
                for _ in range(10):
                    for depth, score in enumerate(expected, start=1):
                        assert searcher.search(state, Limit(depth=depth), FULL_WIDTH).score == score
                memory.stop(1)
                assert helper.wait(60) == 0
            finally:
                too_late.cancel()
                helper.kill()
