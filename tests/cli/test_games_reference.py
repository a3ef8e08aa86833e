"""GAMES.md is what the rules generate, and its numbers and positions hold when they are read back."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from cornered import engine
from cornered.cli.games_reference import FILE, generate

TEXT = FILE.read_text(encoding="utf-8")


def rows(title: str, end: str) -> list[list[str]]:
    """Return the cells of all table rows of a section, without code marks."""
    section = TEXT.split(f"\n## {title}\n")[1].split(end)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:2] == "| "]


def counts() -> list[list[str]]:
    return [row for row in rows("Perft", "\n## ") if row[0].startswith("`")]


def examples() -> list[tuple[str, list[str]]]:
    """Return the rows of positions with the names of their games."""
    return [(kind.name, row) for kind in engine.games() for row in rows(kind.title, "\n## ") if row[0].startswith("`{")]


def test_the_committed_file_is_what_is_generated() -> None:
    assert generate() == TEXT, "run `python -m cornered.cli.games_reference`"


def test_each_perft_count_is_that_of_the_rules(subtests: pytest.Subtests) -> None:
    for game, options, told, *_ in counts():
        with subtests.test(f"{game} {options}"):
            start = engine.load(game.strip("`"), **json.loads(options.strip("`"))).start()
            numbers = [int(number) for number in told.split(", ")]
            assert numbers == [engine.perft(start, depth) for depth in range(1, len(numbers) + 1)]


def test_each_position_can_be_read_and_has_the_moves_shown(subtests: pytest.Subtests) -> None:
    for name, row in examples():
        with subtests.test(f"{name} {row[1]}"):
            state = engine.load(name, **json.loads(row[0].strip("`"))).parse(row[1].strip("`"))
            assert str(state) == row[1].strip("`")
            if row[2].startswith("none"):
                assert state.outcome is not None
                assert state.moves() == []
            else:
                assert row[2].replace("`", "").split() == state.moves()


def test_every_game_has_counts_and_examples_and_every_key_is_described() -> None:
    names = {kind.name for kind in engine.games()}
    assert {row[0].strip("`") for row in counts()} == names == {name for name, _ in examples()}
    shown = {word.partition("=")[0] for _, row in examples() for word in row[1].strip("`").split()[2:]}
    assert shown == {row[0].strip("`") for row in rows("Positions", "\n## ")[2:]}


def test_bamboo_can_be_written_from_the_programs_middles_of_cells_and_the_rule() -> None:
    code = TEXT.split("```python\n")[1].split("```")[0]
    space: dict[str, Any] = {}
    exec(code, space)
    start = engine.load("bamboo", radius=2).start()
    middles = space["centres"](str(start).split()[0].split("/"))
    assert set(middles) == set(start.moves())
    near = {
        name: {other for other, (a, b) in middles.items() if abs((a - x) ** 2 + (b - y) ** 2 - 1) < 0.01}
        for name, (x, y) in middles.items()
    }

    def fits(stones: frozenset[str]) -> bool:
        sizes, rest = [], set(stones)
        while rest:
            edge, size = [rest.pop()], 1
            while edge:
                found = near[edge.pop()] & rest
                rest -= found
                size += len(found)
                edge += found
            sizes.append(size)
        return max(sizes) <= len(sizes)

    def count(own: frozenset[str], other: frozenset[str], depth: int) -> int:
        if depth == 0:
            return 1
        placed = (own | {cell} for cell in middles if cell not in own and cell not in other)
        return sum(count(other, stones, depth - 1) for stones in placed if fits(stones))

    assert [count(frozenset(), frozenset(), depth) for depth in range(1, 4)] == [19, 342, 4386]
    for upper, lower in pairwise(str(start).split()[0].split("/")):
        assert abs(len(upper) - len(lower)) == 1
