"""A match over messages, events or clocks names every class: a new one cannot be ignored silently."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cornered.protocol.commands import ClientMessage
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import ServerMessage
from cornered.protocol.values import Clock
from tests.protocol.conftest import members

ROOT = Path(__file__).parents[2]
FOLDERS = ("contests", "engine", "protocol", "server", "clients", "bots", "lab", "cli", "bench")
NAMES = frozenset(
    kind.__name__ for union in (ClientMessage, ServerMessage, MatchEvent, Clock) for kind in members(union)
)

CASE = re.compile(r"^ +case ", re.MULTILINE)


def open_matches(source: str) -> Iterator[int]:
    """Yield the line of every `case _` that ignores the remaining classes of a protocol union."""
    if CASE.search(source) is None:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Match) and any(_classes(case.pattern) & NAMES for case in node.cases):
            last = node.cases[-1]
            if _is_wildcard(last) and not _ends(last.body):
                yield last.pattern.lineno


def _classes(pattern: ast.pattern) -> set[str]:
    return {
        ast.unparse(inner.cls).rpartition(".")[2] for inner in ast.walk(pattern) if isinstance(inner, ast.MatchClass)
    }


def _is_wildcard(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _ends(body: list[ast.stmt]) -> bool:
    """Return whether a case always raises, by `assert_never` or by an error for all other values."""
    last = body[-1]
    return isinstance(last, ast.Raise) or (isinstance(last, ast.Expr) and ast.unparse(last).startswith("assert_never("))


def test_no_match_over_a_protocol_union_swallows_a_new_member() -> None:
    sources = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    found = [f"{path.relative_to(ROOT)}:{line}" for path in sources for line in open_matches(path.read_text())]
    assert found == [], "name the cases that are ignored, and end with `case _: assert_never(...)`"
    assert len(sources) > 300
    assert {"SeekInfo", "AskSeek", "RematchOffered", "Fischer"} <= NAMES


def test_a_swallowing_match_is_found() -> None:
    for last, is_open in (
        ("case _: pass", True),
        ("case other: print(other)", True),
        ("case _: assert_never(message)", False),
        ("case _: raise ValueError", False),
        ("case Moves(): pass", False),
    ):
        source = f"match message:\n    case messages.SeekInfo() if True: pass\n    {last}\n"
        assert list(open_matches(source)) == [3] * is_open, last
        assert list(open_matches(source.replace("SeekInfo", "Panel").replace("Moves", "Board"))) == []
