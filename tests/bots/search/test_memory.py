"""Shared memory between processes: one reads what another wrote, nothing leaks, and only the owner removes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Limit, Searcher
from tests.engine.programs import run_program, run_python


def test_a_stop_reaches_one_slot_or_all_and_stays_until_resumed() -> None:
    with SearchMemory.create(3) as memory:
        others = [SearchMemory.attach(str(memory.name), workspace) for workspace in (1, 2)]
        memory.stop(2)
        assert [one.is_stopped for one in (memory, *others)] == [False, False, True]
        memory.stop()
        assert all(one.is_stopped for one in (memory, *others))
        memory.resume(1)
        assert [one.is_stopped for one in (memory, *others)] == [True, False, True]
        for other in others:
            other.close()


def test_an_attached_process_that_ends_takes_nothing_away() -> None:
    program = """
import sys
from cornered.bots.search.memory import SearchMemory
memory = SearchMemory.attach(sys.argv[1], 1)
memory.own.nodes = 42
memory.stop(0)
memory.close()
"""
    with SearchMemory.create(2) as memory:
        for _ in range(2):
            assert run_python(program, str(memory.name)) == ""
        assert memory.is_stopped
        again = SearchMemory.attach(str(memory.name), 1)
        assert again.own.nodes == 42
        again.close()


CHILDREN = """
import multiprocessing
from cornered.bots.search.memory import SearchMemory


def child(name, workspace):
    memory = SearchMemory.attach(name, workspace)
    memory.own.nodes = workspace
    memory.close()


if __name__ == "__main__":
    methods = [method for method in multiprocessing.get_all_start_methods() if method != "fork"]
    with SearchMemory.create(1 + len(methods)) as memory:
        for workspace, method in enumerate(methods, start=1):
            process = multiprocessing.get_context(method).Process(target=child, args=(memory.name, workspace))
            process.start()
            process.join(50)
            process.kill()
            process.join()
            other = SearchMemory.attach(memory.name, workspace)
            print(method, other.own.nodes == workspace)
            other.close()
"""


def test_children_of_every_start_method_attach_without_a_word(tmp_path: Path) -> None:
    program = tmp_path / "children.py"
    program.write_text(CHILDREN)
    said = run_program(str(program))
    assert said
    assert all(line.endswith("True") for line in said.splitlines())


def test_a_memory_that_is_given_back_is_gone() -> None:
    memory = SearchMemory.create(1)
    name = str(memory.name)
    memory.unlink()
    memory.close()
    memory.close()
    with pytest.raises(FileNotFoundError):
        SearchMemory.attach(name, 0)


def test_a_creator_that_ends_leaves_nothing_behind() -> None:
    said = run_python(
        "from cornered.bots.search.memory import SearchMemory\nwith SearchMemory.create(1) as m: print(m.name)"
    )
    with pytest.raises(FileNotFoundError):
        SearchMemory.attach(said.strip(), 0)


def test_only_slots_that_exist_can_be_taken() -> None:
    with (
        SearchMemory.create(2) as memory,
        pytest.raises(ValueError, match="no memory of this program with a workspace 2"),
    ):
        SearchMemory.attach(str(memory.name), 2)
    with pytest.raises(ValueError, match="1 workspace or more"):
        SearchMemory.create(0)


def test_entries_of_other_options_and_styles_never_answer() -> None:
    memory = SearchMemory.private()
    with_rule, without = engine.load("quoridor", size=3, max_plies=6), engine.load("quoridor", size=3)
    alone = Searcher(without, SearchMemory.private()).search(without.start(), Limit(depth=6), FULL_WIDTH)
    Searcher(without, memory).search(without.start(), Limit(depth=6))
    Searcher(with_rule, memory).search(with_rule.start(), Limit(depth=6), FULL_WIDTH)
    Searcher(with_rule, memory).search(with_rule.start(), Limit(depth=6))
    assert Searcher(without, memory).search(without.start(), Limit(depth=6), FULL_WIDTH) == alone


def test_a_cleared_memory_is_like_a_new_one() -> None:
    game = engine.load("trapgrid")
    searcher = Searcher(game)
    first = searcher.search(game.start(), Limit(depth=10))
    assert searcher.search(game.start(), Limit(depth=10)) != first
    searcher.memory.clear()
    assert searcher.search(game.start(), Limit(depth=10)) == first
