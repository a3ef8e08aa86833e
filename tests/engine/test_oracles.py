"""Positions, games and values that independent programs computed: the rules agree, compiled and as plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered import engine
from cornered.cli.check import check_lines
from tests.engine.programs import run_python

ORACLES = Path(__file__).parents[1] / "data" / "oracles"

PLAIN = """
import json, sys
from cornered import engine
from cornered.cli.check import check_lines
from cornered.engine.compile.kernel import IS_COMPILED

assert not IS_COMPILED
problems = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        line["perft"] = [count for count in line.get("perft", []) if count < 6000]
    verdicts = list(check_lines(map(json.dumps, lines)))
    assert len(verdicts) > 300, path
    problems += [f"{path}, line {verdict.line}: {verdict.problem}" for verdict in verdicts if verdict.problem]
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
    found = [engine.perft(start, depth + 1) for depth in range(len(counts))]
    problems += [f"perft of {game} with {options}: {found}"] if found != counts else []
print("".join(f"{problem}\\n" for problem in problems), end="")
"""


def test_every_game_has_oracles() -> None:
    assert {path.stem for path in ORACLES.glob("*.jsonl")} == {game.name for game in engine.games()}


@pytest.mark.parametrize("path", sorted(ORACLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_compiled_rules_agree_with_every_oracle(path: Path) -> None:
    verdicts = list(check_lines(path.read_text(encoding="utf-8").splitlines()))
    assert len(verdicts) > 300
    assert [verdict for verdict in verdicts if verdict.problem] == []


def test_the_same_source_as_plain_python_agrees_with_every_oracle_and_table() -> None:
    assert run_python(PLAIN, *map(str, sorted(ORACLES.glob("*.jsonl"))), NUMBA_DISABLE_JIT="1") == ""
