"""Measures the share of mutants that the tests kill: `./run mutants [PACKAGE ...]`.

It works on a copy of the checkout in build/mutants: there it records which tests run which lines (contexts.py), draws
a sample of mutants of each package (mutation.py), and runs the tests of a mutant's lines until one fails (executor.py).
A run that was interrupted continues with the same command, on the copy that it had.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.power.coverage_table import Table, table_of_contexts
from tests.power.measurement import KERNELS, Run, measure_contexts
from tests.power.mutation import PACKAGES, Mutant, files_of, mutants_of, sample
from tests.power.selection import Contexts, Json
from tests.power.snapshot import Mode, Options, prepare, say

__all__ = ["EQUIVALENT", "lost", "main"]

ROOT: Final = Path(__file__).resolve().parents[2]
EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.json")
"""By key the mutants that behave as the original, with the function, the change and the reason: named by hand."""


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


def absolute(path: str) -> Path:
    return Path(path).resolve()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./run mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(PACKAGES)}, or another folder")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each package (150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="the tests to run, instead of all")
    parser.add_argument("--core", action="store_true", help="only the tests of the core")
    parser.add_argument("--budget", type=float, default=60, help="recorded CPU seconds of tests for a mutant (60)")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=absolute, metavar="FILE", help="write the report")
    parser.add_argument("--compare", type=absolute, metavar="FILE", help="fail where an earlier report's kill is lost")
    parser.add_argument("--coverage", type=absolute, metavar="FILE", help="write which lines the recorded tests run")
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


def coverage_of(options: Options, contexts: Contexts) -> dict[str, Table]:
    """Return the percentages of lines and branches by package, of the core and of all tests that were recorded."""
    recorded = sorted((options.state / "contexts-compiled").glob("*.coverage"))
    core = {name for name, test in contexts.tests.items() if test.is_core}
    tiers = {"core": core, "all": set(contexts.tests)}
    return {
        tier: table_of_contexts(contexts.root, options.state / "coverage", recorded, tests)
        for tier, tests in tiers.items()
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
    if given.coverage is not None:
        given.coverage.write_text(f"{json.dumps(coverage_of(options, contexts['compiled']), indent=1)}\n", "utf-8")
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
