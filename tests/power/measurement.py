"""Runs tests without and with mutants, in several processes at a time; what is known stays in files."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from coverage import CoverageData

from tests.power.mutation import Mutant, mutated_sources
from tests.power.selection import Contexts, Json, Test, job_of
from tests.power.snapshot import Mode, Options, environment, say

__all__ = ["KERNELS", "Run", "measure_contexts"]

HERE: Final = Path(__file__).resolve().parent
LEFT_OUT: Final = ("attacks", "bench", "data", "docs", "e2e", "examples", "faults", "power")
"""Folders of tests that measure, or start browsers and programs. Tests in no folder are about the repository."""
KERNELS: Final = "engine"
"""The package whose functions numba compiles. Its mutants run without numba first, by the tests of this folder."""
SHARES: Final = 4
"""Parts of the tests for each worker, of which an interrupted run repeats one."""
LIMIT_S: Final[dict[Mode, float]] = {"compiled": 300.0, "plain": 4.0}
"""CPU seconds after which a test is left out: without numba some count millions of positions."""
REIMPORT_FILES: Final = 6
"""Files of tests that a mutant of code that runs at the import is tried on, in a process of its own."""
COLLECT: Final = """
import json, sys, pytest
class Ids:
    def pytest_collection_finish(self, session):
        with open(sys.argv[1], "w") as file:
            json.dump([item.nodeid for item in session.items], file)
sys.path[0] = ""
pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider"], plugins=[Ids()])
"""

T = TypeVar("T")


class EndedError(Exception):
    """An executor has ended, or cannot collect all tests."""


def in_threads(work: Callable[[int], None], count: int) -> None:
    """Call `work` in threads with their numbers, and raise the first error of any."""
    errors = list[BaseException]()

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        # A join without a limit would not see Ctrl-C.
        while thread.is_alive():
            thread.join(0.2)
    if errors:
        raise errors[0]


def taken(waiting: queue.SimpleQueue[T]) -> Iterator[T]:
    """Yield what is in a queue until it is empty; several threads share it."""
    with contextlib.suppress(queue.Empty):
        while True:
            yield waiting.get_nowait()


def test_files(options: Options, tree: Path, mode: Mode) -> list[str]:
    """Return the files of the tests, relative to the tree."""
    named = [tree / each for each in options.tests] if options.tests else [tree / "tests"]
    found = {file for each in named for file in (each.rglob("test_*.py") if each.is_dir() else [each])}
    relative = sorted(file.relative_to(tree).as_posix() for file in found)
    if not options.tests:
        relative = [file for file in relative if file.count("/") > 1 and file.split("/")[1] not in LEFT_OUT]
    return [file for file in relative if mode == "compiled" or file.startswith(f"tests/{KERNELS}/")]


def shares(files: Sequence[str], weights: Mapping[str, float], count: int) -> list[list[str]]:
    """Divide files into at most `count` shares of about the same weight."""
    parts: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for file in sorted(files, key=lambda each: -weights.get(each, 1.0)):
        lightest = sums.index(min(sums))
        parts[lightest].append(file)
        sums[lightest] += weights.get(file, 1.0)
    return [sorted(part) for part in parts if part]


def core_of(options: Options, tree: Path) -> Path:
    """Return the file with the ids of the core: what the tree's own rules collect where nothing is named."""
    file = options.state / "core.json"
    if not file.is_file():
        command = [sys.executable, "-c", COLLECT, str(file)]
        env = environment(options, tree, "compiled")
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
        if not file.is_file():
            raise SystemExit(f"the tests cannot be collected:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return file


def measure_contexts(options: Options, tree: Path, mode: Mode, workers: int) -> Contexts:
    """Run the tests under coverage, unless an interrupted run has done so."""
    folder = options.state / f"contexts-{mode}"
    folder.mkdir(exist_ok=True)
    core = core_of(options, tree)
    files = test_files(options, tree, mode)
    durations = tree / "tests" / "durations.json"
    weights = (
        {name: each["all"] for name, each in json.loads(durations.read_text()).items()} if durations.is_file() else {}
    )
    parts = shares(files, weights, min(len(files), workers * SHARES))
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(parts)):
        if not (folder / f"{number}.json").is_file():
            waiting.put(number)

    def work(_: int) -> None:
        for number in taken(waiting):
            what = {
                "root": str(tree),
                "output": str(folder / str(number)),
                "files": parts[number],
                "limit_s": LIMIT_S[mode],
            }
            specification = folder / f"{number}.specification"
            specification.write_text(json.dumps(what | {"only": str(core) if options.is_core_only else None}), "utf-8")
            with (folder / f"{number}.log").open("w") as log:
                command = [sys.executable, str(HERE / "contexts.py"), str(specification)]
                env = environment(options, tree, mode)
                subprocess.run(command, env=env, stdout=log, stderr=log, check=False, cwd=tree)
            say(f"lines of the tests ({mode}): {waiting.qsize()} of {len(parts)} parts left", end="")

    in_threads(work, workers)
    if missing := [number for number in range(len(parts)) if not (folder / f"{number}.json").is_file()]:
        raise SystemExit(f"the tests could not be run: see {folder / str(missing[0])}.log")
    of_core = set(json.loads(core.read_text("utf-8")))
    tests, failed, data = dict[str, Test](), list[str](), list[CoverageData]()
    for number in range(len(parts)):
        for name, one in json.loads((folder / f"{number}.json").read_text("utf-8")).items():
            if one["passes"]:
                tests[name] = Test(one["cpu_s"], name in of_core)
            else:
                failed.append(name)
        data.append(CoverageData(str(folder / f"{number}.coverage")))
        data[-1].read()
    if failed:
        say(f"{len(failed)} tests fail without a mutant ({mode}) and are left out: {' '.join(sorted(failed)[:9])}")
    return Contexts(tests, data, Path(os.path.realpath(tree)))


class Executor:
    """A process that runs mutants, on a copy of the tree of its own."""

    def __init__(self, options: Options, tree: Path, files: Sequence[str], mode: Mode, name: str) -> None:
        scratch = options.state / f"scratch-{name}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        specification = scratch / "specification.json"
        what = {"root": str(tree), "scratch": str(scratch), "files": list(files)}
        specification.write_text(json.dumps(what), "utf-8")
        self._log = (options.state / f"executor-{name}.log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "executor.py"), str(specification)],
            cwd=tree,
            env=environment(options, tree, mode),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            # Ctrl-C reaches this process alone, which then ends the other.
            start_new_session=True,
        )

    def ask(self, job: Json | None) -> Json:
        """Return the answer about a mutant; without one, that about the collection."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if job is not None:
            self._process.stdin.write(f"{json.dumps(job)}\n")
            self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline() or "{}")
        if not answer or "uncollected" in answer:
            raise EndedError(f"{answer.get('text', 'an executor has ended')}\nsee {self._log.name}")
        return answer

    def close(self) -> None:
        """End the process; what it runs ends with it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


class Run:
    """One measurement: the mutants, what is known of each, and the workers."""

    def __init__(self, options: Options, mutants: Sequence[Mutant], workers: int) -> None:
        self.options, self.mutants, self.workers = options, mutants, workers
        self.known: dict[str, dict[str, Json]] = defaultdict(dict)
        """The results by key and by phase."""
        self._results = options.state / "results.jsonl"
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self._workplaces: set[int] = set()
        self._alone: dict[tuple[Mode, str], bool] = {}
        """Whether a test passes without a mutant where it runs alone."""
        if self._results.is_file():
            for line in self._results.read_text("utf-8").splitlines():
                # The last line of a killed run may be cut.
                with contextlib.suppress(ValueError):
                    result = json.loads(line)
                    self.known[result["key"]][result["phase"]] = result

    def is_killed(self, mutant: Mutant) -> bool:
        return any(result["status"] == "killed" for result in self.known[mutant.key].values())

    def run(self, contexts: Mapping[Mode, Contexts]) -> None:
        """Run each mutant until it is killed or has survived all its tests.

        Those of kernels run as plain Python alone: what runs otherwise is machine code, of which no line has a context.
        """
        sources = self._sources()
        engine = [each for each in self.mutants if each.path.startswith(f"{KERNELS}/")]
        others = [each for each in self.mutants if each not in engine]

        def jobs_of(mutants: Sequence[Mutant], mode: Mode, without: str = "") -> list[Json]:
            return [
                job_of(
                    each, contexts[mode], sources[each.key], self.options.budget_s, self.options.is_core_only, without
                )
                for each in mutants
                if not self.is_killed(each)
            ]

        self._execute("plain", "plain", jobs_of(engine, "plain"))
        jobs = jobs_of([each for each in engine if not each.is_kernel], "compiled", f"tests/{KERNELS}/")
        # A change in the file would have each process that a test starts compile all kernels again.
        jobs = [job | {"is_in_memory": True} for job in jobs]
        self._execute("compiled", "compiled", [*jobs, *jobs_of(others, "compiled")])
        self._reimport("plain", jobs_of(engine, "plain"))
        self._reimport("compiled", jobs_of(others, "compiled"))

    def _sources(self) -> dict[str, str]:
        keys: dict[str, list[str]] = defaultdict(list)
        for mutant in self.mutants:
            keys[mutant.path].append(mutant.key)
        tree = self.options.state / "tree"
        return {
            key: source
            for path, of_path in keys.items()
            for key, source in mutated_sources(path, (tree / path).read_text("utf-8"), of_path).items()
        }

    def _note(self, result: Json, phase: str, left: int) -> None:
        with self._lock:
            self.known[result["key"]][phase] = result | {"phase": phase}
            with self._results.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(self.known[result['key']][phase])}\n")
            killed = sum(map(self.is_killed, self.mutants))
            done = sum(bool(self.known[mutant.key]) for mutant in self.mutants)
            minutes = (time.monotonic() - self._begin) / 60
            progress = f"{done} of {len(self.mutants)} mutants, {killed} killed"
            say(f"{progress}; {phase}: {left} left, {minutes:.1f} min", end="")

    def _tree_of(self, worker: int) -> Path:
        """Return the copy of the tree that a worker changes. A worker that was killed leaves its last mutant there."""
        own = self.options.state / f"worker-{worker}"
        if worker not in self._workplaces:
            shutil.rmtree(own, ignore_errors=True)
            shutil.copytree(self.options.state / "tree", own, symlinks=True)
            self._workplaces.add(worker)
        return own

    def _waiting(self, phase: str, jobs: Sequence[Json]) -> queue.SimpleQueue[Json]:
        waiting: queue.SimpleQueue[Json] = queue.SimpleQueue()
        for job in jobs:
            if phase not in self.known[job["key"]]:
                waiting.put(job)
        return waiting

    def _execute(self, phase: str, mode: Mode, jobs: Sequence[Json]) -> None:
        """Run mutants in processes that have collected all their tests."""
        waiting = self._waiting(phase, [job for job in jobs if job["runs_in_tests"]])
        files = sorted({name.partition("::")[0] for job in jobs for name in job["limits"]})

        def work(number: int) -> None:
            executor = Executor(self.options, self._tree_of(number), files, mode, f"{phase}-{number}")
            try:
                executor.ask(None)
                for job in taken(waiting):
                    self._note(self._judged(executor, job, mode), phase, waiting.qsize())
            finally:
                executor.close()

        try:
            in_threads(work, min(self.workers, waiting.qsize()))
        except EndedError as error:
            raise SystemExit(f"an executor failed: {error}") from None

    def _judged(self, executor: Executor, job: Json, mode: Mode) -> Json:
        """Return what became of a mutant. A test that fails where it runs alone without a mutant counts for nothing."""
        while True:
            result = executor.ask(job)
            killer = (mode, result.get("by", ""))
            if result["status"] != "killed" or result["how"] != "fails" or not killer[1]:
                return result
            if killer not in self._alone:
                control = {"siblings": [], "then": [], "tests": [killer[1]], "is_in_place": True}
                self._alone[killer] = executor.ask(job | control)["status"] == "survived"
            if self._alone[killer]:
                return result
            job = job | {
                part: [each for each in job[part] if each != killer[1]] for part in ("tests", "siblings", "then")
            }

    def _reimport(self, mode: Mode, jobs: Sequence[Json]) -> None:
        """Run survivors that may have run before their change, with the change in the file from the start."""
        phase = f"reimport-{mode}"

        def is_needed(job: Json) -> bool:
            results = self.known[job["key"]].values()
            return job["runs_at_import"] or (
                job["runs_in_tests"] and not any(each.get("exchanged") for each in results)
            )

        waiting = self._waiting(phase, [job for job in jobs if is_needed(job) and job["limits"]])

        def work(number: int) -> None:
            for job in taken(waiting):
                self._note(self._reimported(job, number, mode, phase), phase, waiting.qsize())

        in_threads(work, min(self.workers, waiting.qsize()))

    def _reimported(self, job: Json, worker: int, mode: Mode, phase: str) -> Json:
        names = [*job["tests"], *job["then"]]
        files = list(dict.fromkeys(name.partition("::")[0] for name in names))[:REIMPORT_FILES]
        tree = self._tree_of(worker)
        file = tree / job["path"]
        before, stat = file.read_bytes(), file.stat()
        executor = None
        try:
            file.write_text(job["source"], "utf-8")
            # A compiled file is as new as its source says: no two mutants have the same time.
            os.utime(file, (0, int(time.time() * 10) % 10**9))
            executor = Executor(self.options, tree, files, mode, f"{phase}-{worker}")
            executor.ask(None)
            return executor.ask(job | {"is_in_place": True})
        except EndedError as error:
            result: Json = {"key": job["key"], "status": "killed", "how": "import fails", "by": names[0]}
            return result | {"text": str(error)[-300:]}
        finally:
            if executor is not None:
                executor.close()
            file.write_bytes(before)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
