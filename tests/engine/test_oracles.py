"""Positions, games and values that independent programs computed: the rules agree, compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cornered import engine
from cornered.cli.check import check_lines

ORACLES = Path(__file__).parents[1] / "data" / "oracles"

PLAIN = """
import json, sys
from cornered.cli.check import check_lines
from cornered.engine.compile.kernel import IS_COMPILED

assert not IS_COMPILED
with open(sys.argv[1], encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
for line in lines:
    line["perft"] = [count for count in line.get("perft", []) if count < 6000]
for verdict in check_lines(map(json.dumps, lines)):
    if verdict.problem:
        sys.exit(f"line {verdict.line}: {verdict.problem}")
print(len(lines))
"""

TABLES = """
from cornered import engine

for game, options, counts in (
    ("trapgrid", {"size": 8}, [2, 4, 8, 16, 40, 100, 240]),
    ("isolation", {"width": 8, "height": 8}, [64, 4032]),
    ("isolation", {"width": 3, "height": 3}, [9, 72, 376, 1600, 5232]),
    ("bamboo", {"radius": 2}, [19, 342, 4386]),
    ("bamboo", {"radius": 6}, [127, 127 * 126]),
    ("quoridor", {"size": 3}, [11, 77, 380, 1528]),
    ("quoridor", {"size": 9, "players": 4}, [131]),
    ("quoridor", {"size": 5, "players": 4}, [35, 1109]),
):
    start = engine.load(game, **options).start()
    assert [engine.perft(start, depth + 1) for depth in range(len(counts))] == counts, game
"""


def test_every_game_has_oracles() -> None:
    assert {path.stem for path in ORACLES.glob("*.jsonl")} == {game.name for game in engine.games()}


@pytest.mark.parametrize("path", sorted(ORACLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_compiled_rules_agree_with_every_oracle(path: Path) -> None:
    verdicts = list(check_lines(path.read_text(encoding="utf-8").splitlines()))
    assert len(verdicts) > 300
    assert [verdict for verdict in verdicts if verdict.problem] == []


@pytest.mark.parametrize("path", sorted(ORACLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_same_source_as_plain_python_agrees_with_every_oracle(path: Path, run_python: Callable[..., str]) -> None:
    checked = run_python(PLAIN, str(path), NUMBA_DISABLE_JIT="1")
    assert int(checked) > 300


def test_the_same_source_as_plain_python_counts_what_the_tables_say(run_python: Callable[..., str]) -> None:
    run_python(TABLES, NUMBA_DISABLE_JIT="1")
