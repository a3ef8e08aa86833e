"""Measures the lines and branches that the tests run, by package: `./run coverage [pytest's arguments]`.

All processes count: the workers of pytest-xdist, and servers and programs that tests start. Where no tests are named
the table is compared with tests/coverage.json, and a package that is more than a point lower is a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from coverage import Coverage, CoverageData

__all__ = ["FOLDERS", "Counts", "lower", "package_of"]

Table: TypeAlias = dict[str, dict[str, float]]

ROOT: Final = Path(__file__).resolve().parents[2]
RECORDED: Final = ROOT / "tests" / "coverage.json"
FOLDERS: Final = ("bots", "cli", "clients", "contests", "engine", "lab", "protocol", "server", "services")
"""What is measured. The measurements in bench are none of the product's code."""
WHOLE_CORE: Final = ("-n", "auto", "--dist", "loadgroup")
TOLERANCE: Final = 1.0
"""Points by which a package may be lower: which branches a race or a random game takes differs between runs."""
TOTAL: Final = "total"
PHASE: Final = re.compile(r" \((setup|call|teardown)\)$")
"""What pytest adds to the id of a test in the environment of the processes that the test starts."""
CONFIGURATION: Final = """\
[run]
branch = true
parallel = true
sigterm = true
patch = _exit, fork, subprocess
data_file = {data}
source = {sources}
disable_warnings = no-data-collected, module-not-imported, couldnt-parse

[report]
exclude_also =
    ^\\s*@kernel
    ^\\s*if TYPE_CHECKING:
    ^\\s*assert_never\\(
"""
"""A kernel runs as machine code, which no tracer sees. The others never run."""


@dataclass(slots=True)
class Counts:
    """Statements and branches, and how many of them ran."""

    lines: int = 0
    lines_run: int = 0
    branches: int = 0
    branches_run: int = 0

    def add(self, summary: Mapping[str, Any]) -> None:
        self.lines += summary["num_statements"]
        self.lines_run += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.branches_run += summary["covered_branches"]

    def percentages(self) -> dict[str, float]:
        return {
            "lines": round(100 * self.lines_run / self.lines, 2) if self.lines else 100.0,
            "branches": round(100 * self.branches_run / self.branches, 2) if self.branches else 100.0,
        }


def package_of(path: str) -> str:
    """Return the package of a file by its first two folders: `server/match`, or `server` for a file in it."""
    return "/".join(path.split("/")[:-1][:2])


def table_of(report: Mapping[str, Any], root: Path) -> Table:
    """Return the percentages by package from the JSON report of coverage."""
    counts: dict[str, Counts] = defaultdict(Counts)
    for file, found in report["files"].items():
        path = Path(file).resolve().relative_to(root).as_posix()
        for package in (package_of(path), TOTAL):
            counts[package].add(found["summary"])
    return {
        package: counts[package].percentages() for package in sorted(counts, key=lambda name: (name == TOTAL, name))
    }


def lower(table: Table, recorded: Table) -> Iterator[str]:
    """Yield what is lower than recorded by more than the tolerance."""
    for package, kinds in recorded.items():
        for kind, percent in kinds.items():
            now = table.get(package, {}).get(kind, percent)
            if now < percent - TOLERANCE:
                yield f"{package}: {now:.1f} % of the {kind}, {percent:.1f} % are recorded"


def printed(table: Table) -> str:
    rows = [f"{'package':28} {'lines':>7} {'branches':>9}"]
    rows += [f"{package:28} {row['lines']:7.1f} {row['branches']:9.1f}" for package, row in table.items()]
    return "\n".join(rows)


def measure(tree: Path, folder: Path, arguments: Sequence[str]) -> tuple[Table, int]:
    """Run pytest in a tree; return the table, and pytest's exit code."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = folder / "coverage.ini"
    sources = ",".join(str(tree / each) for each in FOLDERS)
    settings.write_text(CONFIGURATION.format(data=folder / "data", sources=sources), "utf-8")
    env = os.environ | {"COVERAGE_PROCESS_START": str(settings), "PYTHONPATH": str(tree)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    code = subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=tree, env=env, check=False).returncode
    return table_from(tree, folder, settings), code


def table_from(tree: Path, folder: Path, settings: Path) -> Table:
    """Return the table from the data of all processes."""
    combined = Coverage(config_file=str(settings), data_file=str(folder / "data"))
    combined.combine()
    report = folder / "report.json"
    combined.json_report(outfile=str(report), show_contexts=False)
    return table_of(json.loads(report.read_text("utf-8")), tree)


def table_of_contexts(tree: Path, folder: Path, recorded: Sequence[Path], tests: Container[str]) -> Table:
    """Return the table of some tests alone, from data with a context for each test. Imports count as run."""
    folder.mkdir(exist_ok=True)
    settings, data = folder / "coverage.ini", folder / "data"
    data.unlink(missing_ok=True)
    sources = ",".join(str(tree / each) for each in FOLDERS)
    settings.write_text(CONFIGURATION.format(data=data, sources=sources), "utf-8")
    merged = CoverageData(str(data))
    for each in recorded:
        part = CoverageData(str(each))
        part.read()
        merged.update(part)
    merged.close()
    # The library selects contexts by patterns alone.
    with contextlib.closing(sqlite3.connect(data)) as database, database:
        others = [row for row in database.execute("SELECT id, context FROM context") if row[1]]
        unwanted = [(number,) for number, name in others if PHASE.sub("", name) not in tests]
        database.executemany("DELETE FROM arc WHERE context_id = ?", unwanted)
    report = folder / "report.json"
    measured = Coverage(config_file=str(settings), data_file=str(data), data_suffix=False)
    measured.load()
    measured.json_report(outfile=str(report), show_contexts=False)
    return table_of(json.loads(report.read_text("utf-8")), tree.resolve())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./run coverage", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table")
    parser.add_argument("--save", action="store_true", help="write the table to tests/coverage.json")
    parser.add_argument("--against", type=Path, default=None, metavar="FILE", help="compare with another table")
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout")
    given, rest = parser.parse_known_args(arguments)
    tree = given.tree.resolve()
    begin = time.monotonic()
    is_whole = not any(each for each in rest if not each.startswith("-"))
    table, code = measure(tree, ROOT / "build" / "coverage", [*(WHOLE_CORE if not rest else ()), *rest])
    sys.stdout.write(f"\n{printed(table)}\n{time.monotonic() - begin:.0f} s\n")
    if given.json is not None:
        given.json.write_text(f"{json.dumps(table, indent=1)}\n", "utf-8")
    if given.save:
        RECORDED.write_text(f"{json.dumps(table, indent=1)}\n", "utf-8")
        return code
    against = given.against or (RECORDED if is_whole and RECORDED.is_file() else None)
    if against is None:
        return code
    found = list(lower(table, json.loads(against.read_text("utf-8"))))
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return code or (1 if found else 0)


if __name__ == "__main__":
    raise SystemExit(main())
