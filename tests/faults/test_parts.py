"""The parts of an installation that faults are done to: wall clocks, disks, and the figures of a history."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cornered.bench.faults.disk import Disk, LimitedFiles, OwnFileSystem
from cornered.bench.faults.figures import figures_of
from cornered.bench.faults.history import Answered, ClientLog, FaultRecord, History, Saw, Sent
from cornered.bench.faults.wall_clock import WallClock
from cornered.protocol.commands import Play
from cornered.protocol.events import Played
from tests.conftest import IN_CI

TELL_TIMES = """
import sys, time
while sys.stdin.readline():
    print(time.time(), time.monotonic(), flush=True)
"""
WRITE = """
import sys, pathlib
while name := sys.stdin.readline().strip():
    try:
        with open(pathlib.Path(sys.argv[1]) / name, "wb") as file:
            file.write(b"x" * 100_000)
        print(0, flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")
def test_a_wall_clock_is_stepped_while_a_process_runs_and_its_monotonic_clock_is_not(tmp_path: Path) -> None:
    library = WallClock.build(tmp_path)
    if library is None:
        if IN_CI:
            pytest.fail("there is no C compiler")
        pytest.skip("there is no C compiler")
    clock = WallClock(library, tmp_path, "n1")
    with subprocess.Popen(
        [sys.executable, "-c", TELL_TIMES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | clock.environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for ahead in (0.0, 3_600.5, -86_400.25, 0.0):
            clock.step_to(ahead)
            process.stdin.write("\n")
            process.stdin.flush()
            wall, steady = map(float, process.stdout.readline().split())
            assert wall == pytest.approx(time.time() + ahead, abs=5.0)
            assert steady == pytest.approx(time.monotonic(), abs=5.0)
        process.stdin.close()
        process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="needs namespaces and prlimit")
@pytest.mark.parametrize(("kind", "failure"), [(OwnFileSystem, errno.ENOSPC), (LimitedFiles, errno.EFBIG)])
def test_a_full_disk_refuses_writes_until_it_is_freed(kind: type[Disk], failure: int, tmp_path: Path) -> None:
    if kind is OwnFileSystem and not OwnFileSystem.is_possible():
        pytest.skip("this user may mount nothing in a namespace")
    disk = kind(tmp_path)
    with subprocess.Popen(
        disk.command([sys.executable, "-c", WRITE, str(tmp_path)]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def write(name: str) -> int:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        assert write("one") == 0
        assert (disk.seen_from_here(process.pid) / "one").stat().st_size == 100_000
        disk.fill(process.pid, process.pid)
        assert write("two") == failure
        disk.free(process.pid, process.pid)
        assert write("three") == 0
        process.stdin.close()
        process.wait()


def test_the_figures_count_waits_repeats_and_recoveries() -> None:
    play = Play(id="c0", match="m0", ply=0, move="a1")
    played = Played(seq=2, at=1, seat=0, cause="c0", ply=0, move="a1", spent=1, left=(None, None))
    log = ClientLog("one", "p0")
    log.entries = [
        Sent(1.0, 1, play),
        Sent(3.0, 2, play),
        Answered(4.5, 2, "c0", seq=2),
        Saw(4.5, 2, "m0", (played,)),
        Sent(5.0, 2, play.model_copy(update={"id": "c1"})),
        Answered(5.5, 2, "c1", "stale_ply"),
    ]
    faults = [FaultRecord(1, "kill", "n1", 1.5, 2.5), FaultRecord(2, "reset", "clients>n1", 2.0, 2.0)]
    figures = figures_of(History({"m0": [played]}, [log], faults))
    assert (figures.acknowledged, figures.repeated, figures.matches, figures.events) == (1, 1, 1, 1)
    assert figures.worst_waits == {"one": 3.5}
    assert figures.refused == {"stale_ply": 1}
    assert [(one.fault, one.seconds) for one in figures.recoveries] == [(1, 3.0)]
    assert figures.faults == {"kill": 1, "reset": 1}
