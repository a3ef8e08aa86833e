"""Work on this machine: every item has one result, however its process dies."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from cornered.lab.contests.arena import lost
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.execution import processes
from cornered.lab.execution.processes import Batch, Part, Processes, WorkerDied
from cornered.lab.execution.workforce import Death, Workforce, in_order
from tests.conftest import program_group, wait_until
from tests.lab.errands import act, exit_on, play, refuse, square, tell_and_die, work, work_where

ROOT = Path(__file__).resolve().parents[3]

# The tests share two workers, and the modules that those have loaded.
pytestmark = pytest.mark.xdist_group("workforce")


@pytest.fixture(scope="module")
def workforce() -> Iterator[Workforce]:
    with Workforce.open(2) as workforce:
        yield workforce


def fate(item: str, death: Death) -> str:
    """Return a description of a lost item."""
    return f"{item} is lost: {death.cause} ({death.words})"


def results(workforce: Workforce, items: list[str], patience: float | None = None) -> list[str]:
    done = list(workforce.carry_out(act, items, lost=fate, patience=patience))
    assert sorted(place for place, _ in done) == list(range(len(items)))
    return [result for _, result in sorted(done)]


def test_every_item_is_done_once_and_results_can_be_had_in_order(
    workforce: Workforce, subtests: pytest.Subtests
) -> None:
    for batch in (None, 1, 7):
        with subtests.test(batch=batch):
            done = list(workforce.carry_out(square, range(500), batch=batch))
            assert sorted(done) == [(number, number * number) for number in range(500)]
    assert list(workforce.carry_out(square, [])) == []
    assert list(in_order(workforce.carry_out(square, range(300), batch=3))) == [
        number * number for number in range(300)
    ]
    assert list(in_order([(2, "c"), (0, "a"), (1, "b")])) == ["a", "b", "c"]


def test_only_so_many_items_are_taken_ahead(workforce: Workforce) -> None:
    # Two workers with two batches each, and as many finished results waiting to be taken.
    most = 20 + 2 * 2 * 2 * 5

    def endless() -> Iterator[int]:
        for number in itertools.count():
            if number > most:
                pytest.fail("nobody has asked for so much")
            # Slower than the workers, whose results must not accumulate.
            work(0.002)
            yield number

    working = workforce.carry_out(square, endless(), batch=5)
    for _ in range(20):
        next(working)
    working.close()


def test_who_stops_iterating_cancels_what_has_not_begun(workforce: Workforce, tmp_path: Path) -> None:
    told = tmp_path / "told"
    working = workforce.carry_out(act, ["fine", "work 0.5", "work 0.5", f"tell {told}"], batch=1)
    assert next(working) == (0, "fine is done")
    working.close()
    # The same workers reach this after everything submitted before.
    assert results(workforce, ["work 0.1"] * 4) == ["work 0.1 is done"] * 4
    assert not told.exists()


def test_a_batch_that_takes_long_is_shared_again(workforce: Workforce) -> None:
    done = dict(workforce.carry_out(work_where, [0.3] * 8, batch=8))
    assert sorted(done) == list(range(8))
    assert len(set(done.values())) == 2


def test_what_a_function_raises_is_raised_here_and_the_workers_go_on(workforce: Workforce) -> None:
    with pytest.raises(TypeError):
        list(workforce.carry_out(square, [1, "two", 3]))  # type: ignore[arg-type]
    # Also an error that cannot be pickled.
    with pytest.raises(RuntimeError, match="Unsendable"):
        list(workforce.carry_out(act, ["raise"]))
    assert results(workforce, ["fine"]) == ["fine is done"]


def test_two_errands_may_be_under_way_at_once(workforce: Workforce) -> None:
    first = workforce.carry_out(act, ["work 0.01", "exit 3", "work 0.02"] * 3, lost=fate)
    second = workforce.carry_out(square, range(40), batch=4)
    begun = [next(first), next(second)]
    assert sorted(place for place, _ in [begun[0], *first]) == list(range(9))
    assert sorted([begun[1], *second]) == [(number, number * number) for number in range(40)]


def test_an_item_that_ends_every_process_is_lost_and_no_other_is(workforce: Workforce) -> None:
    items = [f"item {number}" for number in range(30)]
    items[3], items[17], items[29] = "exit 5", "segfault", "exit 0"
    expected = [f"{item} is done" for item in items]
    expected[3] = "exit 5 is lost: ended with exit code 5 (about to exit 5)"
    expected[17] = "segfault is lost: was ended by SIGSEGV ()"
    expected[29] = "exit 0 is lost: ended with exit code 0 (about to exit 0)"
    assert results(workforce, items) == expected


def test_an_item_whose_process_dies_once_is_done_by_another_and_one_that_goes_on_dying_is_named(
    workforce: Workforce, tmp_path: Path
) -> None:
    item = f"exit-once {tmp_path / 'tries'}"
    assert results(workforce, ["a", item, "b"]) == ["a is done", f"{item} is done", "b is done"]
    with pytest.raises(ChildProcessError, match="'exit 5' dies; the last one ended with exit code 5"):
        list(workforce.carry_out(act, ["fine", "exit 5"]))


def test_an_item_is_tried_three_times_and_the_last_two_times_alone(workforce: Workforce, tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    done = dict(workforce.carry_out(tell_and_die, [str(tries), "other"], lost=lambda item, death: death.cause))
    assert done == {0: "ended with exit code 9", 1: "other"}
    pids = tries.read_text().splitlines()
    assert len(pids) == len(set(pids)) == 3


def test_patience_is_with_the_time_between_signs_of_life_and_not_with_an_item(workforce: Workforce) -> None:
    items = ["a", "hang 0.3", "b", "c"]
    lost_one = "hang 0.3 is lost: gave no sign of life any more (about to hang)"
    assert results(workforce, items) == ["a is done", lost_one, "b is done", "c is done"]

    # Alive for 1.5 s, with a heartbeat due every second.
    assert results(workforce, ["slow"]) == ["slow is done"]
    lost_one = "wait is lost: gave no sign of life any more ()"
    assert results(workforce, ["wait", "fine"], patience=0.3) == [lost_one, "fine is done"]


def test_a_worker_that_is_killed_costs_no_result(workforce: Workforce, tmp_path: Path) -> None:
    told = tmp_path / "told"
    working = workforce.carry_out(act, [f"tell {told}", *["work 0.02"] * 40], lost=fate, batch=1)
    done = [next(working)]
    while not (told.exists() and told.read_text()):
        # Another worker may be the first to finish.
        done.append(next(working))
    os.kill(int(told.read_text()), signal.SIGKILL)
    done += working
    assert sorted(place for place, _ in done) == list(range(41))
    assert all(result.endswith("is done") for _, result in done)


def test_a_worker_that_is_killed_while_it_rests_is_replaced(workforce: Workforce, tmp_path: Path) -> None:
    told = tmp_path / "told"
    results(workforce, [f"tell {told}"])
    process = psutil.Process(int(told.read_text()))
    process.kill()
    psutil.wait_procs([process], timeout=60)
    assert results(workforce, ["a", "b", "c"]) == ["a is done", "b is done", "c is done"]


def test_a_worker_that_is_killed_in_the_middle_of_a_long_result_is_replaced_and_closing_does_not_wait_for_it(
    tmp_path: Path,
) -> None:
    with Workforce.open(1) as workforce:
        done = results(workforce, ["a", f"cut-once {tmp_path / 'tries'}", "b"])
    assert done == ["a is done", "x" * 1_000_000, "b is done"]


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Processes]:
    processes = Processes(1, tmp_path)
    yield processes
    processes.close()


def batch_of(item: str) -> Batch[str, str]:
    return Batch(0, act, [(0, item)], None, 1.0)


def settled(one: Processes, future: Future[Part[str]]) -> None:
    """Receive what workers send until a future is done, as an errand does."""
    deadline = time.monotonic() + 60
    while not future.done():
        assert time.monotonic() < deadline
        one.wait(0.02)


def fault(one: Processes, future: Future[Part[str]]) -> WorkerDied:
    """Wait for a future as an errand does; return how the process died that had the batch."""
    settled(one, future)
    died = future.exception()
    assert isinstance(died, WorkerDied)
    return died


def wait_for_death(folder: Path) -> None:
    """Wait until the only process has ended, whose heartbeat file in the folder has its id for a name."""
    (pid,) = (int(file.name) for file in folder.iterdir() if file.name.isdigit())
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(60)


def test_a_batch_that_comes_when_its_process_has_died_at_work_is_known_to_be_lost(
    one: Processes, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    dying = one.submit(Batch(0, exit_on, [(0, str(go))], None, 1.0))
    # Opening the pipe waits for the worker, which has begun the item then.
    go.write_text("go")
    wait_for_death(tmp_path)
    late = one.submit(batch_of("fine"))
    assert fault(one, dying).death.cause == "ended with exit code 6"
    assert fault(one, late).death.cause == "ended with exit code 6"
    assert part(one, one.submit(batch_of("again"))) == ["again is done"]


def test_a_batch_that_comes_when_its_process_has_died_at_rest_is_known_to_be_lost(
    one: Processes, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    part(one, one.submit(batch_of(f"tell {told}")))
    os.kill(int(told.read_text()), signal.SIGKILL)
    wait_for_death(tmp_path)
    assert fault(one, one.submit(batch_of("fine"))).death.cause == "was ended by SIGKILL"
    assert part(one, one.submit(batch_of("again"))) == ["again is done"]


def part(one: Processes, future: Future[Part[str]]) -> list[str]:
    """Wait for a future as an errand does; return its results."""
    settled(one, future)
    return future.result().results


def test_a_long_batch_and_a_long_result_do_not_wait_for_each_other(one: Processes) -> None:
    # Longer than what the pipe holds, in both directions at once.
    words = ["x" * 1_000_000, "y" * 1_000_000]
    futures = [one.submit(batch_of(word)) for word in words]
    assert [part(one, future) for future in futures] == [[f"{word} is done"] for word in words]


def test_a_bot_that_ends_its_process_or_hangs_loses_its_games_and_no_other_game_changes(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 5}, seed=3)
    sound = [Fixture(number, ("random", "greedy") if number % 2 else ("greedy", "random")) for number in range(24)]
    without = dict(told(workforce, terms, sound))
    fixtures = [*sound, Fixture(24, ("greedy", "fatal")), Fixture(25, ("fatal", "random"), ("a4", "e2"))]
    fixtures.insert(5, Fixture(26, ("fatal:when=preparing", "greedy")))
    with_them = dict(told(workforce, terms, fixtures))
    assert len(with_them) == 27
    for number, (moves, winner, ending, fault) in without.items():
        assert with_them[number] == (moves, winner, ending, fault)
    moves, winner, ending, fault = with_them[24]
    assert (len(moves), winner, ending) == (5, 0, "crashed")
    assert fault == "fatal: the process was ended by SIGSEGV while it was its turn"
    moves, winner, ending, fault = with_them[25]
    assert (moves[:2], len(moves), winner, ending) == (("a4", "e2"), 6, 1, "crashed")
    moves, winner, ending, fault = with_them[26]
    assert (moves, winner, ending) == ((), 1, "crashed")
    assert fault == "fatal:when=preparing: the process ended with exit code 7 while it was its turn"


def test_a_bot_that_never_moves_loses_on_time(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4}, seed=3, time=400)
    fixtures = [Fixture(0, ("random", "hanging")), Fixture(1, ("random", "random")), Fixture(2, ("hanging", "random"))]
    games = dict(told(workforce, terms, fixtures))
    assert [games[number][1:3] for number in (0, 2)] == [(0, "time"), (1, "time")]
    assert games[1][2] == "rules"
    advice = r"hanging: choose did not return within 1\d\.\d+ s: does it loop without looking at limit\.remaining\?"
    assert re.fullmatch(advice, games[0][3])


def told(
    workforce: Workforce, terms: ContestTerms, fixtures: list[Fixture]
) -> Iterator[tuple[int, tuple[tuple[str, ...], int | None, str, str]]]:
    for _, played in workforce.carry_out(partial(play, terms), fixtures, lost=partial(lost, terms)):
        yield played.fixture.number, (played.moves, played.winner, played.ending, played.fault)


def test_an_error_says_so_when_no_process_can_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "batch_runner", refuse)
    with pytest.raises(ChildProcessError, match="before they begin to work; the last one ended with exit code 4"):
        carry_out_somewhere()


def carry_out_somewhere() -> None:
    with Workforce.open(2) as workforce:
        list(workforce.carry_out(square, [1]))


def test_a_batch_has_items(workforce: Workforce) -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="1 item or more"):
            list(workforce.carry_out(square, [1], batch=wrong))


PROGRAM = """
import sys, time
from cornered.lab.execution.workforce import Workforce
from tests.lab.errands import act
def main():
    try:
        with Workforce.open(2) as workforce:
            print("begins", flush=True)
            for _ in workforce.carry_out(act, [f"tell {sys.argv[1]}"] * 8 + ["wait"] * 9, batch=1):
                print("works", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program with two workers that work for minutes, in a process group of its own."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, file, tmp_path / "told"],
        cwd=ROOT,
        # A killed process leaves files behind.
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with program_group(process):
        # The reader of its output reaches the end of the pipe also when it is killed.
        too_late = threading.Timer(60, process.kill)
        too_late.start()
        try:
            yield process
        finally:
            too_late.cancel()


def hear(process: subprocess.Popen[str], word: str) -> list[psutil.Process]:
    """Wait for a line of the program; return its processes at that time."""
    assert process.stdout is not None
    assert any(line.strip() == word for line in process.stdout)
    return psutil.Process(process.pid).children(recursive=True)


def busy(process: psutil.Process) -> float:
    return float(process.cpu_times().user)


@pytest.mark.parametrize("word", ["begins", "works"])
def test_ctrl_c_ends_all_processes_soon_and_without_a_word(program: subprocess.Popen[str], word: str) -> None:
    hear(program, word)
    if word == "begins":
        # While the process loads from which all workers come.
        wait_until(lambda: max(map(busy, psutil.Process(program.pid).children()), default=0) > 0.3, program)
    workers = psutil.Process(program.pid).children(recursive=True)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == 130
    assert errors == ""
    assert psutil.wait_procs(workers, timeout=60)[1] == []


def test_workers_do_not_outlive_a_program_that_is_killed(program: subprocess.Popen[str]) -> None:
    workers = hear(program, "works")
    assert len(workers) >= 3
    program.kill()
    program.wait(10)
    assert psutil.wait_procs(workers, timeout=60)[1] == []
