"""Load as a user runs it: the report on the terminal and as files, Ctrl-C, and a server that stalls."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from cornered.bench.attacks.server_process import ServerProcess
from cornered.bench.raised_limits import environment
from cornered.bench.server import target
from cornered.bench.workload import profiles
from cornered.bench.workload.growth import GrowthPlan, grow
from cornered.bench.workload.growth import lines as growth_lines
from cornered.bench.workload.growth import write as write_growth
from cornered.bench.workload.plan import Table
from cornered.bench.workload.processes import Generators, usage_of
from cornered.bench.workload.profiles import LoadPlan, load
from cornered.bench.workload.report import lines
from cornered.bench.workload.servers import Servers, Store, given_servers
from tests.conftest import free_port

SHORT = ("--seconds", "1", "--warm-up", "0.3", "--pairs", "4", "--rate", "100")


def command(*arguments: str) -> Sequence[str]:
    return [sys.executable, "-m", "cornered", "bench", "load", *arguments]


def test_a_load_is_reported_as_lines_and_as_a_page_that_needs_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "report"
    arguments = ["play", *SHORT, "--watchers", "4", "--idle", "3", "--bot-pairs", "1", "--out", str(out)]
    done = subprocess.run(command(*arguments), check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "bare echo" in done.stdout
    assert "moves for each second of a core (server)" in done.stdout
    report = json.loads((out / "report.json").read_text())
    bare, own = report["phases"]
    assert (bare["is_bare"], own["is_bare"]) == (True, False)
    assert own["raw"]["due"] > 50
    assert own["acknowledged_ms"]["p50"] > 0
    assert own["cpu_us_per_move"]["server"] > 0
    assert own["raw"]["updates"] > 0
    page = (out / "report.html").read_text()
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page
    assert {path.name for path in out.glob("*.svg")} == {"latency.svg", "seconds.svg"}


def wait_for_players(process: subprocess.Popen[str], count: int) -> None:
    """Return when a generator process below `process` has that many connections."""
    deadline = time.monotonic() + 100
    is_ready = False
    while not is_ready:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                is_generator = "cornered.bench.workload.generator" in child.cmdline()
                is_ready = is_ready or (is_generator and len(child.net_connections("tcp")) >= count)


def test_ctrl_c_ends_with_the_figures_so_far() -> None:
    arguments = ["play", *SHORT, "--seconds", "300", "--no-baseline", "--json"]
    with subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_players(process, 8)
        time.sleep(3.0)
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    report = json.loads(printed)
    assert report["is_interrupted"] is True
    raw = report["phases"][-1]["raw"]
    assert raw["due"] > 20
    assert 1 < raw["seconds"] < 200


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Servers]:
    """A server for all profiles."""
    async with ServerProcess.start(tmp_path_factory.mktemp("load"), **environment()) as server:
        yield given_servers([server.address], [server.pid])


@pytest.mark.campaign
@pytest.mark.asyncio(loop_scope="module")
async def test_idle_connections_have_their_memory_told_beside_a_bare_server(servers: Servers) -> None:
    # Before the others, after which the server has memory to spare.
    report = await load("idle", LoadPlan(pairs=1, idle=300, seconds=0.5), servers)
    facts = {fact.name: fact.value for fact in report.facts}
    assert facts["bare server: connections held"] == facts["this server: connections held"] == 330
    [kib] = [value for name, value in facts.items() if name.startswith("this server: memory")]
    assert 0 < kib < 200
    assert not report.has_failed


@pytest.mark.campaign
@pytest.mark.asyncio(loop_scope="module")
async def test_watchers_are_counted_beside_a_bare_fan_out(servers: Servers) -> None:
    report = await load("watch", LoadPlan(pairs=1, watchers=120, rate=20, seconds=1.0, warm_up=0.3), servers)
    bare, own = report.phases
    assert bare.is_bare
    assert bare.delivered_share == own.delivered_share == 1.0
    assert own.result.watched.count > 0
    assert not report.has_failed
    assert any("reached 120 watchers" in line for line in lines(report))


@pytest.mark.campaign
@pytest.mark.asyncio(loop_scope="module")
async def test_latency_is_told_at_seventy_percent_of_the_capacity_where_there_is_one(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = LoadPlan(pairs=4, bound_ms=1e4, seconds=0.3, warm_up=0.1, probe_seconds=0.2, has_baseline=False)
    # No server answers in a microsecond.
    report = await load("capacity", replace(plan, bound_ms=0.001), servers)
    assert [phase.rate for phase in report.phases[::2]] == [500, 250, 125, 62.5, 31.25, 20]
    assert report.notes == ["no rate had a p99 of at most 0.001 ms"]
    monkeypatch.setattr(profiles, "FIRST_PROBE", 40.0)
    monkeypatch.setattr(profiles, "MAX_PROBES", 2)
    report = await load("capacity", plan, servers)
    capacity, moves = (fact.value for fact in report.facts)
    assert capacity == 80
    assert moves > 0
    assert [phase.rate for phase in report.phases] == pytest.approx([40, 80, 56])


@pytest.mark.campaign
async def test_a_server_that_stalls_shows_it_in_the_percentiles_of_its_moves() -> None:
    async with target("echo") as bare, Generators.start(1, lambda _: None) as generators:
        await generators.open_table(Table((bare.address,), pairs=5, matches=5, is_bare=True))

        async def stall() -> None:
            await asyncio.sleep(1.0)
            os.kill(bare.pid, signal.SIGSTOP)
            await asyncio.sleep(0.5)
            os.kill(bare.pid, signal.SIGCONT)

        stalling = asyncio.create_task(stall())
        result = await generators.make_trial(200, warm_up=0.0, seconds=2.5, seed=1)
        await stalling
    # A fifth of the time was a stall, in which five moves were under way and a hundred became due.
    slow = sum(one.count for one in result.by_second.values() if one.max > 0.2)
    assert result.acknowledged.count == result.due
    assert result.acknowledged.max > 0.4
    assert result.acknowledged.percentile(95) > 0.15
    assert slow > 50
    assert result.late.percentile(50) < 0.1


@pytest.mark.campaign
async def test_players_go_on_when_their_server_is_killed_and_started_again(tmp_path: Path) -> None:
    port = free_port()
    async with Generators.start(1, lambda _: None) as generators:
        async with ServerProcess.start(tmp_path, port, **environment()) as first:
            await generators.open_table(Table((first.address,), pairs=4, matches=4))
            running = asyncio.create_task(generators.make_trial(50, warm_up=0.0, seconds=6.0, seed=1))
            await asyncio.sleep(1.0)
            first.signal(signal.SIGKILL)
        async with ServerProcess.start(tmp_path, port, **environment()):
            result = await running
    assert generators.faults == []
    assert result.connections_lost >= 8
    assert result.unanswered == 0
    assert result.acknowledged.max > 0.5


@pytest.mark.campaign
async def test_growth_is_told_for_each_store_and_count(tmp_path: Path) -> None:
    numbers = itertools.count()

    @contextlib.contextmanager
    def new_store() -> Iterator[Store]:
        yield Store(tmp_path / f"store{next(numbers)}")

    plan = GrowthPlan(live=(4,), stored=(0, 500), rate=50, seconds=0.6, warm_up=0.2, repeats=1)
    report = await grow(plan, [("sqlite", new_store)])
    assert [(point.axis, point.count) for point in report.points] == [("live", 4), ("stored", 0), ("stored", 500)]
    assert all(point.server_us > 0 and point.p99_ms >= point.p50_ms > 0 for point in report.points)
    assert any("500 in relation to 0" in line for line in growth_lines(report))
    assert "<svg" in write_growth(report, tmp_path / "out").read_text()


def test_the_usage_of_a_process_includes_its_children() -> None:
    spin = "import time; end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {spin!r}]); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        alone, whole = usage_of(process.pid), usage_of(process.pid, with_children=True)
        process.kill()
    assert alone.cpu is not None
    assert whole.cpu is not None
    assert whole.cpu >= alone.cpu + 0.15
    assert usage_of(process.pid).cpu is None


def test_a_server_elsewhere_has_no_baseline() -> None:
    assert not Servers(("ws://127.0.0.1:1", "wss://play.example.org")).is_local
    assert Servers(("ws://127.0.0.1:1",)).is_local


async def test_the_work_is_shared_by_generator_processes() -> None:
    async with target("echo") as bare, Generators.start(2, lambda _: None) as generators:
        names = await generators.open_table(Table((bare.address,), pairs=7, matches=7, is_bare=True))
        result = await generators.make_trial(200, warm_up=0.0, seconds=1.0, seed=1)
    assert len(names) == 7
    assert result.due == pytest.approx(200, abs=60)
    assert result.acknowledged.count == result.due
