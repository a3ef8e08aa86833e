"""Runs tests against mutants: a program that collects the tests once and forks for each mutant.

    python executor.py SPECIFICATION.json

Each line of standard input is a mutant with its tests, each line of standard output what became of it. A child process
gets the code of the mutated functions before it runs their tests: neither packages nor tests are imported again. While
it runs, the file has the mutated source too, for modules that are imported late and for processes that tests start.
The root has to be a copy: the file is restored after each mutant, but a killed executor leaves the last one.

It needs no module of this project, since the copy can be of another state of it. Linux only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

Json: TypeAlias = dict[str, Any]

TICK_HZ: Final = os.sysconf("SC_CLK_TCK")
PAGE: Final = os.sysconf("SC_PAGE_SIZE")
PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
POLL_S: Final = 0.2
CPU_LIMIT_S: Final = 5.0
CPU_FACTOR: Final = 10.0
"""A test may take so many times its recorded CPU seconds, and CPU_LIMIT_S more: what needs that much never ends."""
IDLE_S: Final = 15.0
"""Seconds without any CPU time after which a test waits for what never comes. Its recorded time is added."""
MEMORY_BYTES: Final = 3 << 30
"""What a child may take on top of the memory that it shares."""
SHARED_SCOPES: Final = frozenset({"class", "module", "package"})


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process, its ended children and its living descendants."""
    total = 0.0
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        total = sum(map(int, fields[11:15])) / TICK_HZ
        for thread in Path(f"/proc/{pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                total += sum(cpu_of(int(child)) for child in thread.read_text().split())
    return total


def memory_of(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * PAGE
    return 0


def kill_children() -> None:
    """Kill all descendants. Those whose parents end become children of this process, the subreaper."""
    while True:
        for thread in Path("/proc/self/task").glob("*/children"):
            for child in thread.read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def places(source: str, path: Path) -> dict[tuple[str, int], types.CodeType]:
    """Return the code objects of a source by their places, without several lambdas of one line."""
    codes = list(codes_in(compile(source, str(path), "exec", dont_inherit=True)))
    counts = Counter(map(place_of, codes))
    return {place_of(code): code for code in codes if counts[place_of(code)] == 1}


def place_of(code: types.CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


Functions: TypeAlias = dict[str, list[types.FunctionType]]


def live_functions() -> Functions:
    """Return all functions by their files."""
    found: Functions = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is types.FunctionType:
            found[each.__code__.co_filename].append(each)
    by_file: Functions = defaultdict(list)
    for name, functions in found.items():
        by_file[os.path.realpath(name)] += functions
    return by_file


def exchange(functions: list[types.FunctionType], path: Path, before: str, after: str) -> int:
    """Give the functions of a module the code of its mutated source; return how many changed."""
    old, new = places(before, path), places(after, path)
    changed = {place: code for place, code in new.items() if place in old and old[place] != code}
    count = 0
    for function in functions:
        code = changed.get(place_of(function.__code__))
        if code is not None:
            # Raises ValueError where the change needs another closure.
            function.__code__ = code.replace(co_filename=function.__code__.co_filename)
            count += 1
    return count


class Watch:
    """Reports to the executor what a child runs, and ends the child at the first failure."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def say(self, **what: object) -> None:
        os.write(self._pipe, f"{json.dumps(what)}\n".encode())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.say(starts=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not hasattr(report, "wasxfail"):
            errors = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
            self.say(fails=report.nodeid, text=errors[0][1:].strip()[:200] if errors else "")
            os._exit(1)


class Executor:
    """The plugin that runs mutants in the place of the tests."""

    def __init__(self, specification: Json, replies: int) -> None:
        self.root = Path(os.path.realpath(specification["root"]))
        self.scratch = Path(specification["scratch"])
        self.cpu_limit_s = specification.get("cpu_limit_s", CPU_LIMIT_S)
        self.replies = os.fdopen(replies, "w", encoding="utf-8")
        self.count = 0
        self.items: dict[str, pytest.Item] = {}
        self.is_sharing: dict[str, bool] = {}
        self.functions: Functions = {}

    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        # What a failing mutant leaves in the data base must not find the next one, and a run again must say the same.
        settings.register_profile(
            "mutants",
            settings.default,
            database=None,
            derandomize=True,
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
        )
        settings.load_profile("mutants")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.reply(uncollected=report.nodeid, text=report.longreprtext[-2000:])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.items.setdefault(item.nodeid, item)
            info = getattr(item, "_fixtureinfo", None)
            scopes = {each.scope for each in (info.name2fixturedefs.values() if info else ()) for each in each}
            self.is_sharing[item.nodeid] = not SHARED_SCOPES.isdisjoint(scopes)
        self.reply(collected=len(self.items), peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)
        gc.collect()
        self.functions = live_functions()
        gc.freeze()
        for line in sys.stdin:
            self.reply(**self.judge(json.loads(line)))
        return True

    def reply(self, **what: object) -> None:
        self.replies.write(f"{json.dumps(what)}\n")
        self.replies.flush()

    def judge(self, job: Json) -> Json:
        """Run the tests of one mutant."""
        chosen = [each for each in job["tests"] if each in self.items]
        of_shared = {each.partition("::")[0] for each in chosen}
        chosen += [
            each
            for each in job.get("siblings", ())
            if self.is_sharing.get(each) and each.partition("::")[0] in of_shared and each not in chosen
        ]
        chosen += [each for each in job.get("then", ()) if each in self.items]
        if not chosen:
            return {"key": job["key"], "status": "survived", "ran": 0, "cpu_s": 0.0}
        file = self.root / job["path"]
        before = file.read_bytes()
        is_unchanged = job.get("is_in_place", False) or job.get("is_in_memory", False)
        stat = file.stat()
        self.count += 1
        scratch = self.scratch / str(self.count)
        scratch.mkdir(parents=True)
        begin = time.monotonic()
        try:
            if not is_unchanged:
                file.write_text(job["source"], "utf-8")
                # A compiled file is as new as its source says: no two mutants have the same time.
                os.utime(file, (self.count, int(time.time()) % 10**8 * 10 + self.count))
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                self.run_child(job, file, before.decode(), chosen, scratch, write)
            os.close(write)
            result = self.watch(child, read, job["limits"])
        finally:
            kill_children()
            if not is_unchanged:
                file.write_bytes(before)
                os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            shutil.rmtree(scratch, ignore_errors=True)
        return {"key": job["key"], **result, "wall_s": round(time.monotonic() - begin, 2)}

    def run_child(self, job: Json, file: Path, before: str, chosen: list[str], scratch: Path, pipe: int) -> None:
        """Run the tests in this process, and end it."""
        watch = Watch(pipe)
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = str(scratch)
            tempfile.tempdir = str(scratch)
            if not job.get("is_in_place", False):
                try:
                    watch.say(exchanged=exchange(self.functions[str(file)], file, before, job["source"]))
                except ValueError:
                    watch.say(exchanged=0)
                    os._exit(0)
            items = [self.items[each] for each in chosen]
            config = items[0].config
            config.pluginmanager.register(watch)
            for item, follower in zip(items, [*items[1:], None], strict=True):
                config.hook.pytest_runtest_protocol(item=item, nextitem=follower)
            watch.say(ran=len(items))
            os._exit(0)
        except BaseException as error:
            watch.say(fails="", text=f"{type(error).__name__}: {error}"[:300])
            os._exit(1)

    def watch(self, child: int, pipe: int, limits: dict[str, float]) -> Json:
        """Wait for a child; kill it where a test takes too long, waits for ever or takes too much memory."""
        result: Json = {"status": "survived", "ran": 0}
        rest, current, at_start, last_cpu, last_change = b"", "", 0.0, -1.0, time.monotonic()
        own_memory = memory_of(os.getpid())
        while True:
            cpu, now = cpu_of(child), time.monotonic()
            result["cpu_s"] = round(cpu, 2)
            if cpu > last_cpu + 0.02:
                last_cpu, last_change = cpu, now
            if select.select([pipe], [], [], POLL_S)[0]:
                data = os.read(pipe, 65536)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    said = json.loads(line)
                    if "starts" in said:
                        current, at_start, last_change = said["starts"], cpu, now
                        result["ran"] += 1
                    elif "fails" in said:
                        result |= {"status": "killed", "how": "fails", "by": said["fails"], "text": said["text"]}
                    else:
                        result |= said
                if not data:
                    break
                continue
            recorded = limits.get(current, 1.0)
            if cpu - at_start > self.cpu_limit_s + CPU_FACTOR * recorded:
                how = "loops"
            elif now - last_change > IDLE_S + recorded:
                how = "waits"
            elif memory_of(child) > own_memory + MEMORY_BYTES:
                how = "takes memory"
            else:
                continue
            result |= {"status": "killed", "how": how, "by": current}
            os.killpg(child, signal.SIGKILL)
            break
        os.close(pipe)
        _, code = os.waitpid(child, 0)
        if result["status"] == "survived" and code != 0:
            result |= {"status": "killed", "how": f"crashes with {code}", "by": current}
        return result


def stop(*_: object) -> None:
    kill_children()
    os._exit(1)


def main(path: str) -> None:
    specification = json.loads(Path(path).read_text("utf-8"))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Where the measurement is killed, this ends too, with what it runs.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, stop)
    os.chdir(specification["root"])
    sys.path[0] = specification["root"]
    replies = os.dup(1)
    os.dup2(2, 1)
    arguments = ["-q", "-p", "no:cacheprovider", "--capture=no", "--no-header"]
    executor = Executor(specification, replies)
    pytest.main([*arguments, *specification["files"]], plugins=[executor])


if __name__ == "__main__":
    main(sys.argv[1])
