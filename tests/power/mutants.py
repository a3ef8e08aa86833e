"""Measures the share of mutants that the tests kill: `./run mutants [PACKAGE ...]`.

It works on a copy of the checkout in build/mutants: there it records which tests run which lines (contexts.py), draws
a sample of mutants of each package (mutation.py), and runs the tests of a mutant's lines until one fails (executor.py).
A run that was interrupted continues with the same command, on the copy that it had.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from coverage import CoverageData

from tests.power.mutation import PACKAGES, Mutant, files_of, mutants_of, mutated_sources, sample

Json: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["compiled", "plain"]

ROOT: Final = Path(__file__).resolve().parents[2]
EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.json")
"""By key the mutants that behave as the original, with the function, the change and the reason: named by hand."""
EXECUTOR: Final = Path(__file__).with_name("executor.py")
CONTEXTS: Final = Path(__file__).with_name("contexts.py")
LEFT_OUT: Final = ("attacks", "bench", "data", "docs", "e2e", "examples", "faults", "power")
"""Folders of tests that measure, or start browsers and programs."""
KERNELS: Final = "engine"
"""The package whose functions numba compiles. Its mutants run without numba first, by the tests of this folder."""
FIRST_TESTS: Final = 30
"""Tests of different functions that come first; other parameters of the same functions rarely find more."""
REIMPORT_FILES: Final = 6
"""Files of tests that a mutant of code that runs at the import is tried on, in a process of its own."""


@dataclass(frozen=True, slots=True)
class Options:
    """What results depend on, but for the choice of mutants."""

    tree: Path
    state: Path
    tests: tuple[str, ...]
    budget_s: float
    is_core_only: bool

    def __str__(self) -> str:
        return json.dumps([str(self.tree), self.tests, self.budget_s, self.is_core_only])


@dataclass(slots=True)
class Test:
    cpu_s: float
    is_core: bool


@dataclass(slots=True)
class Contexts:
    """Which tests run which lines of a tree, in one mode."""

    tests: dict[str, Test]
    """The tests that pass."""
    data: list[CoverageData]
    root: Path
    _of_file: dict[str, dict[int, set[str]]] = field(default_factory=dict)

    def of_lines(self, path: str, lines: tuple[int, int]) -> set[str]:
        """Return the contexts that run one of the lines, the empty one too."""
        if path not in self._of_file:
            merged: dict[int, set[str]] = defaultdict(set)
            for each in self.data:
                for line, names in each.contexts_by_lineno(str(self.root / path)).items():
                    merged[line] |= {re.sub(r" \((setup|call|teardown)\)$", "", name) for name in names}
            self._of_file[path] = dict(merged)
        of_file = self._of_file[path]
        return {name for line in range(lines[0], lines[1] + 1) for name in of_file.get(line, ())}


def say(text: str, end: str = "\n") -> None:
    sys.stderr.write(f"\r\033[K[mutants] {text}{end}" if sys.stderr.isatty() else f"[mutants] {text}\n")
    sys.stderr.flush()


def files_in(tree: Path) -> list[str]:
    """Return the files that git knows or does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=tree, check=True, capture_output=True).stdout.decode()
    return [name for name in listed.split("\0") if name and (tree / name).is_file()]


def copy_tree(tree: Path, target: Path) -> None:
    """Copy the files of a checkout, with the links to the packages."""
    for name in files_in(tree):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, target / name, follow_symlinks=False)
    for link in (tree / "cornered").iterdir():
        if link.is_symlink() and not (target / "cornered" / link.name).exists():
            (target / "cornered" / link.name).symlink_to(os.readlink(link))


def environment(options: Options, tree: Path, mode: Mode) -> dict[str, str]:
    changed = {
        "PYTHONPATH": str(tree),
        "CORNERED_KERNELS": str(options.state / "kernels"),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTHONDONTWRITEBYTECODE"}}
    return kept | changed | ({"NUMBA_DISABLE_JIT": "1"} if mode == "plain" else {})


def test_files(options: Options, tree: Path, mode: Mode) -> list[str]:
    """Return the files of the tests, relative to the tree."""
    named = [tree / each for each in options.tests] if options.tests else [tree / "tests"]
    found = {file for each in named for file in (each.rglob("test_*.py") if each.is_dir() else [each])}
    relative = sorted(file.relative_to(tree).as_posix() for file in found)
    if not options.tests:
        relative = [file for file in relative if file.split("/")[1] not in LEFT_OUT]
    return [file for file in relative if mode == "compiled" or file.startswith(f"tests/{KERNELS}/")]


def shares(files: Sequence[str], weights: Mapping[str, float], count: int) -> list[list[str]]:
    """Divide files into shares of about the same weight."""
    parts: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for file in sorted(files, key=lambda each: -weights.get(each, 1.0)):
        lightest = sums.index(min(sums))
        parts[lightest].append(file)
        sums[lightest] += weights.get(file, 1.0)
    return [sorted(part) for part in parts if part]


def core_of(options: Options, tree: Path) -> set[str]:
    """Return the ids of the core: what is collected where nothing is named, in this state of the tree."""
    file = options.state / "core.json"
    if not file.is_file():
        done = subprocess.run(
            [sys.executable, "-c", COLLECT, str(file)],
            cwd=tree,
            env=environment(options, tree, "compiled"),
            capture_output=True,
            text=True,
            check=False,
        )
        if not file.is_file():
            raise SystemExit(f"the tests cannot be collected: {done.stdout[-2000:]}")
    return set(json.loads(file.read_text("utf-8")))


COLLECT: Final = """
import json, sys, pytest
class Ids:
    def pytest_collection_finish(self, session):
        with open(sys.argv[1], "w") as file:
            json.dump([item.nodeid for item in session.items], file)
sys.path[0] = ""
pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider"], plugins=[Ids()])
"""


def measure_contexts(options: Options, tree: Path, mode: Mode, workers: int) -> Contexts:
    """Run the tests under coverage, unless an interrupted run has done so."""
    folder = options.state / f"contexts-{mode}"
    folder.mkdir(exist_ok=True)
    files = test_files(options, tree, mode)
    durations = tree / "tests" / "durations.json"
    weights = {
        file: tests["all"] for file, tests in (json.loads(durations.read_text()) if durations.is_file() else {}).items()
    }
    # Small shares: what an interrupted run has finished is not measured again.
    waiting: queue.SimpleQueue[tuple[int, list[str]]] = queue.SimpleQueue()
    parts = shares(files, weights, max(1, min(len(files), workers * 4)))
    for number, part in enumerate(parts):
        if not (folder / f"{number}.json").is_file():
            waiting.put((number, part))

    def work() -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                number, part = waiting.get_nowait()
                with (folder / f"{number}.log").open("w") as log:
                    command = [sys.executable, str(CONTEXTS), str(tree), str(folder / str(number)), *part]
                    subprocess.run(
                        command, env=environment(options, tree, mode), stdout=log, stderr=log, check=False, cwd=tree
                    )
                say(f"recorded the lines of {len(part)} files of tests ({mode})")

    in_threads(work, workers)
    if missing := [number for number in range(len(parts)) if not (folder / f"{number}.json").is_file()]:
        raise SystemExit(f"the tests could not be run: see {folder / str(missing[0])}.log")
    core = core_of(options, tree)
    tests, data = dict[str, Test](), list[CoverageData]()
    failed = list[str]()
    for number in range(len(parts)):
        for name, one in json.loads((folder / f"{number}.json").read_text("utf-8")).items():
            if one["passes"]:
                tests[name] = Test(one.get("cpu_s", 1.0), name in core)
            else:
                failed.append(name)
        data.append(CoverageData(str(folder / f"{number}.coverage")))
        data[-1].read()
    if failed:
        say(f"{len(failed)} tests fail without a mutant ({mode}) and are left out: {', '.join(sorted(failed)[:5])} ...")
    return Contexts(tests, data, Path(os.path.realpath(tree)))


def in_threads(work: Any, count: int) -> None:
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)


def mirror_of(path: str) -> str:
    """Return the file that tests a module first, by the rule that tests mirror the source."""
    folder, _, name = path.rpartition("/")
    return f"tests/{folder}/test_{name}"


def in_order(mutant: Mutant, names: Iterable[str], tests: Mapping[str, Test], budget_s: float) -> list[str]:
    """Return the tests to run: the cheapest of different functions and of the module's own folder first, then others
    while the budget has CPU seconds for them. Tests of one file stay together, since they share fixtures."""
    own = mirror_of(mutant.path)

    def rank(name: str) -> tuple[bool, float, str]:
        return (not name.startswith(own.rpartition("/")[0]), tests[name].cpu_s, name)

    ranked = sorted(names, key=rank)
    functions, first, others = set[str](), list[str](), list[str]()
    for name in ranked:
        is_new = (function := name.partition("[")[0]) not in functions and len(first) < FIRST_TESTS
        functions.add(function)
        (first if is_new else others).append(name)
    taken, kept = sum(tests[name].cpu_s for name in first), list[str]()
    for name in others:
        taken += tests[name].cpu_s
        if taken > budget_s:
            break
        kept.append(name)
    return [*by_file(first), *by_file(kept)]


def by_file(names: Iterable[str]) -> list[str]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.partition("::")[0]].append(name)
    return [name for group in groups.values() for name in group]


def job_of(mutant: Mutant, contexts: Contexts, source: str, options: Options, without: str = "") -> Json:
    """Return what an executor needs for a mutant."""
    tests = contexts.tests
    names = contexts.of_lines(mutant.path, mutant.lines)
    covering = [name for name in names if name in tests and not (without and name.startswith(without))]
    core = in_order(mutant, (name for name in covering if tests[name].is_core), tests, options.budget_s)
    slow = [] if options.is_core_only else [name for name in covering if not tests[name].is_core]
    files = {name.partition("::")[0] for name in covering}
    # A fixture of a file runs in the context of its first test, and what it makes is judged by all.
    siblings = [
        name
        for name, test in tests.items()
        if name.partition("::")[0] in files and (test.is_core or not options.is_core_only) and name not in names
    ]
    then = in_order(mutant, slow, tests, options.budget_s)
    used = [*core, *siblings, *then]
    return {
        "key": mutant.key,
        "path": mutant.path,
        "source": source,
        "tests": core,
        "siblings": sorted(siblings, key=lambda name: tests[name].cpu_s)[: FIRST_TESTS * 2],
        "then": then,
        "limits": {name: tests[name].cpu_s for name in used},
        "runs_at_import": "" in names,
        "covered_by": len(covering),
    }


class Executor:
    """A process that runs mutants, on a copy of the tree of its own."""

    class EndedError(Exception):
        """The process has ended, or could not collect all tests."""

    def __init__(self, options: Options, tree: Path, files: Sequence[str], mode: Mode, name: str) -> None:
        scratch = options.state / f"scratch-{name}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        specification = scratch / "specification.json"
        specification.write_text(
            json.dumps({"root": str(tree), "scratch": str(scratch), "files": list(files)}), "utf-8"
        )
        self._log = (options.state / f"executor-{name}.log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, str(EXECUTOR), str(specification)],
            cwd=tree,
            env=environment(options, tree, mode),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
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
            raise self.EndedError(f"{answer.get('text', 'it has ended')}\nsee {self._log.name}")
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
        if self._results.is_file():
            for line in self._results.read_text("utf-8").splitlines():
                with contextlib.suppress(ValueError):
                    # The last line of a killed run may be cut.
                    result = json.loads(line)
                    self.known[result["key"]][result["phase"]] = result

    def is_killed(self, mutant: Mutant) -> bool:
        return any(result["status"] == "killed" for result in self.known[mutant.key].values())

    def note(self, result: Json, phase: str, waiting: int) -> None:
        with self._lock:
            self.known[result["key"]][phase] = result | {"phase": phase}
            with self._results.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(self.known[result['key']][phase])}\n")
            killed = sum(map(self.is_killed, self.mutants))
            done = sum(bool(self.known[mutant.key]) for mutant in self.mutants)
            minutes = (time.monotonic() - self._begin) / 60
            say(
                f"{done} of {len(self.mutants)} mutants, {killed} killed; {phase}: {waiting} left, {minutes:.1f} min",
                end="",
            )

    def tree_of(self, worker: int) -> Path:
        """Return the copy of the tree that a worker changes."""
        tree = self.options.state / "tree"
        if worker == 0:
            return tree
        own = self.options.state / f"tree-{worker}"
        if not own.is_dir():
            shutil.copytree(tree, own, symlinks=True)
        return own

    def run(self, contexts: Mapping[Mode, Contexts]) -> None:
        sources = self.sources()
        engine = [mutant for mutant in self.mutants if mutant.path.startswith(f"{KERNELS}/")]
        if engine:
            jobs = [job_of(each, contexts["plain"], sources[each.key], self.options) for each in engine]
            self.execute("plain", "plain", jobs)
        # A kernel's code that runs is machine code: no line of it has a context.
        rest = [each for each in self.mutants if not each.is_kernel and not self.is_killed(each)]
        without = f"tests/{KERNELS}/"
        jobs = [
            job_of(each, contexts["compiled"], sources[each.key], self.options, without if each in engine else "")
            for each in rest
        ]
        self.execute("compiled", "compiled", jobs)
        for mode in ("plain", "compiled"):
            of_mode = [each for each in self.mutants if (each in engine) == (mode == "plain")]
            jobs = [
                job_of(each, contexts[mode], sources[each.key], self.options)
                for each in of_mode
                if not self.is_killed(each)
            ]
            self.reimport(mode, [job for job in jobs if self.needs_import(job)])

    def needs_import(self, job: Json) -> bool:
        """Return whether a survivor may have run before its change: where its lines run at the import, or no live
        function has them."""
        results = self.known[job["key"]].values()
        return job["covered_by"] > 0 and (job["runs_at_import"] or any(not one.get("exchanged") for one in results))

    def sources(self) -> dict[str, str]:
        keys: dict[str, list[str]] = defaultdict(list)
        for mutant in self.mutants:
            keys[mutant.path].append(mutant.key)
        tree = self.options.state / "tree"
        return {
            key: source
            for path, of_path in keys.items()
            for key, source in mutated_sources(path, (tree / path).read_text("utf-8"), of_path).items()
        }

    def execute(self, phase: str, mode: Mode, jobs: Sequence[Json]) -> None:
        """Run mutants in processes that have collected all their tests."""
        waiting: queue.SimpleQueue[Json] = queue.SimpleQueue()
        for job in jobs:
            if phase not in self.known[job["key"]]:
                waiting.put(job)
        if waiting.empty():
            return
        files = sorted({name.partition("::")[0] for job in jobs for name in job["limits"]})
        numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(self.workers):
            numbers.put(number)
        errors = list[Exception]()

        def work() -> None:
            number = numbers.get()
            executor = Executor(self.options, self.tree_of(number), files, mode, f"{phase}-{number}")
            try:
                executor.ask(None)
                while True:
                    job = waiting.get_nowait()
                    self.note(executor.ask(job), phase, waiting.qsize())
            except queue.Empty:
                pass
            except Executor.EndedError as error:
                errors.append(error)
            finally:
                executor.close()

        in_threads(work, min(self.workers, waiting.qsize()))
        if errors:
            raise SystemExit(f"[mutants] an executor failed: {errors[0]}")

    def reimport(self, mode: Mode, jobs: Sequence[Json]) -> None:
        """Run mutants with the change in the file from the start, a process for each."""
        phase = f"reimport-{mode}"
        waiting: queue.SimpleQueue[Json] = queue.SimpleQueue()
        for job in jobs:
            if phase not in self.known[job["key"]]:
                waiting.put(job)
        numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(self.workers):
            numbers.put(number)

        def work() -> None:
            number = numbers.get()
            tree = self.tree_of(number)
            with contextlib.suppress(queue.Empty):
                while True:
                    self.reimport_one(waiting.get_nowait(), tree, mode, phase, number, waiting.qsize())

        in_threads(work, min(self.workers, waiting.qsize()))

    def reimport_one(self, job: Json, tree: Path, mode: Mode, phase: str, number: int, left: int) -> None:
        files = list(dict.fromkeys(name.partition("::")[0] for name in [*job["tests"], *job["then"]]))[:REIMPORT_FILES]
        file = tree / job["path"]
        before, stat = file.read_bytes(), file.stat()
        executor = None
        try:
            file.write_text(job["source"], "utf-8")
            os.utime(file, (0, int(time.time() * 10) % 10**9))
            executor = Executor(self.options, tree, files, mode, f"{phase}-{number}")
            executor.ask(None)
            result = executor.ask(job | {"is_in_place": True})
        except Executor.EndedError as error:
            first = (job["tests"] or job["then"])[0]
            result = {
                "key": job["key"],
                "status": "killed",
                "how": "import fails",
                "by": first,
                "text": str(error)[-300:],
            }
        finally:
            if executor is not None:
                executor.close()
            file.write_bytes(before)
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        self.note(result, phase, left)


def equivalent() -> dict[str, dict[str, str]]:
    """Return the mutants that no test can kill, by key."""
    named: dict[str, dict[str, str]] = json.loads(EQUIVALENT.read_text("utf-8"))
    return named


def verdicts(run: Run, contexts: Mapping[Mode, Contexts], packages: Mapping[str, Sequence[Mutant]]) -> Json:
    """Return the report: counts by package, and each mutant with what became of it."""
    tests = {name: test for one in contexts.values() for name, test in one.tests.items()}
    excluded = equivalent()
    report: Json = {"packages": {}, "mutants": []}
    for package, mutants in packages.items():
        counts = Counter[str]()
        for mutant in mutants:
            results = list(run.known[mutant.key].values())
            kill = next((one for one in results if one["status"] == "killed"), None)
            ran = sum(one.get("ran", 0) for one in results)
            if mutant.key in excluded:
                verdict = "equivalent"
            elif kill is None:
                verdict = "survived" if ran else "not run"
            else:
                verdict = "core" if (test := tests.get(kill.get("by", ""))) is None or test.is_core else "thorough"
            counts[verdict] += 1
            report["mutants"].append(
                {"package": package, "key": mutant.key, "verdict": verdict, "mutant": str(mutant), "ran": ran}
                | {name: kill[name] for name in ("by", "how", "text") if kill is not None and name in kill}
            )
        total = len(mutants) - counts["equivalent"]
        report["packages"][package] = {
            "mutants": total,
            "equivalent": counts["equivalent"],
            "killed by the core": counts["core"],
            "killed": counts["core"] + counts["thorough"],
            "survived": counts["survived"],
            "not run": counts["not run"],
        }
    return report


def table(report: Json) -> str:
    lines = [f"{'package':20} {'mutants':>8} {'core':>12} {'all':>12} {'survive':>8} {'not run':>8} {'equiv.':>7}"]
    for package, row in report["packages"].items():
        total = row["mutants"] or 1
        cells = [f"{row[name]} {row[name] / total:6.1%}" for name in ("killed by the core", "killed")]
        lines.append(
            f"{package:20} {row['mutants']:8} {cells[0]:>12} {cells[1]:>12} {row['survived']:8} {row['not run']:8} "
            f"{row['equivalent']:7}"
        )
    return "\n".join(lines)


def lost(before: Json, after: Json) -> Iterator[str]:
    """Yield the mutants that were killed before and are not now, and those that only the thorough tests kill now."""
    strength = {"core": 2, "thorough": 1}
    was = {one["key"]: one for one in before["mutants"]}
    for one in after["mutants"]:
        old = was.get(one["key"])
        if old is not None and strength.get(old["verdict"], 0) > strength.get(one["verdict"], 0):
            yield f"{one['key']} {old['verdict']} -> {one['verdict']}: {one['mutant']}; was killed by {old.get('by')}"


def is_same(tree: Path, copy: Path) -> bool:
    """Return whether all files of the tree have the times and sizes of the copy's."""

    def state_of(file: Path) -> tuple[int, int] | None:
        return (file.stat().st_size, file.stat().st_mtime_ns) if file.is_file() else None

    return all(state_of(tree / name) == state_of(copy / name) for name in files_in(tree))


def prepare(options: Options, *, is_fresh: bool) -> Path:
    """Return the copy of the tree: of an interrupted run with the same options, of an equal tree, or a new one."""
    state, tree = options.state, options.state / "tree"
    named, finished = state / "options.json", state / "finished"
    if not is_fresh and named.is_file() and named.read_text("utf-8") == str(options):
        if is_same(options.tree, tree):
            say("continues with what it knows of this state of the tree")
            finished.unlink(missing_ok=True)
            return tree
        if not finished.is_file():
            say("continues an interrupted run, on the copy that it made then; --fresh begins anew")
            return tree
    if state.is_dir() and not named.is_file() and any(state.iterdir()):
        raise SystemExit(f"{state} holds something else")
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    copy_tree(options.tree, tree)
    named.write_text(str(options), "utf-8")
    return tree


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./run mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(PACKAGES)}, or another folder")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each package (150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="the tests to run, instead of all")
    parser.add_argument("--core", action="store_true", help="only the tests of the core")
    parser.add_argument("--budget", type=float, default=60, help="recorded CPU seconds of tests for a mutant (60)")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="fail where an earlier report's kill is lost")
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--state", type=Path, help="where the copy and the results are (build/mutants)")
    parser.add_argument("--fresh", action="store_true", help="forget an interrupted run")
    parser.add_argument("--list", action="store_true", help="only print the sample")
    given = parser.parse_args(arguments)
    tree = given.tree.resolve()
    state = (given.state or ROOT / "build" / "mutants").resolve()
    options = Options(tree, state, tuple(given.tests), given.budget, given.core)
    if given.list:
        for package, mutants in chosen(tree, given).items():
            sys.stdout.write("".join(f"{mutant.key} {package} {mutant}\n" for mutant in mutants))
        return 0
    try:
        return measure(options, given)
    except KeyboardInterrupt:
        say("interrupted; the same command continues")
        return 130


@cache
def mutants_in(tree: Path, path: str) -> tuple[Mutant, ...]:
    return tuple(mutants_of(path, (tree / path).read_text("utf-8")))


def chosen(tree: Path, given: argparse.Namespace) -> dict[str, list[Mutant]]:
    """Return the sample of each package."""
    return {
        package: sample(
            [each for path in files_of(tree, package) for each in mutants_in(tree, path)], given.seed, given.sample
        )
        for package in (given.packages or PACKAGES)
    }


def measure(options: Options, given: argparse.Namespace) -> int:
    copy = prepare(options, is_fresh=given.fresh)
    packages = chosen(copy, given)
    excluded = equivalent()
    mutants = [each for of_package in packages.values() for each in of_package if each.key not in excluded]
    needed: tuple[Mode, ...] = ("plain", "compiled") if KERNELS in packages else ("compiled",)
    contexts = {mode: measure_contexts(options, copy, mode, given.workers) for mode in needed}
    run = Run(options, mutants, given.workers)
    run.run(contexts)
    (options.state / "finished").touch()
    report = verdicts(run, contexts, packages)
    report |= {"seed": given.seed, "sample": given.sample, "options": json.loads(str(options))}
    say("done")
    sys.stdout.write(f"{table(report)}\n")
    if given.json is not None:
        given.json.write_text(f"{json.dumps(report, indent=1)}\n", "utf-8")
    if given.compare is None:
        return 0
    missing = list(lost(json.loads(given.compare.read_text("utf-8")), report))
    sys.stdout.write("".join(f"{line}\n" for line in missing))
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
