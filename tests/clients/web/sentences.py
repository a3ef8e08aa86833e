"""The sentences that the server and the engine say to people: found in their sources, and heard in random games."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cornered import engine, server
from cornered.bots.overlay import overlays
from cornered.engine import State

__all__ = ["in_games", "in_sources", "of_explanations", "of_positions", "of_refusals"]

ROOT = Path(server.__file__).parents[1]
SERVER = Path(server.__file__).parent
GAMES = Path(engine.__file__).parent / "games"
SPEAKERS = ("server", "engine", "bots/overlay", "bots/online/host.py", "clients/sdk/player.py", "lab/puzzles")
"""Where sentences come from that the page shows."""
HOLE = "{}"
OF_PROGRAMS = {"leave"}
"""Functions of the games whose errors are those of programs."""
OPTIONS = {
    "trapgrid": ({"size": 3}, {"size": 4}),
    "isolation": (
        {"width": 3, "height": 3},
        {"width": 4, "height": 3, "dice": True},
        {"width": 4, "height": 4, "players": 3},
    ),
    "bamboo": ({"radius": 1}, {"radius": 2}),
    "quoridor": (
        {"size": 3, "walls": 2, "max_plies": 14},
        {"size": 3, "walls": 1, "no_progress": 12},
        {"size": 5, "players": 4},
    ),
}
"""Small boards of each game, with the options that have sentences of their own."""


def _shape(node: ast.expr, scope: ast.AST, names: frozenset[str] = frozenset()) -> set[str]:
    """Return the texts that an expression may be, with `{}` for values; of a name, those that `scope` assigns to it.

    `names` are those that are being looked up: a name may be assigned by way of itself.
    """
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.JoinedStr(values=parts):
            found = {""}
            for part in parts:
                value = part.value if isinstance(part, ast.FormattedValue) else part
                found = {text + piece for text in found for piece in _shape(value, scope, names) or {HOLE}}
            return found
        case ast.IfExp(body=one, orelse=other):
            return _shape(one, scope, names) | _shape(other, scope, names)
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            return {
                left + right
                for left in _shape(one, scope, names) or {HOLE}
                for right in _shape(other, scope, names) or {HOLE}
            }
        case ast.Name(id=name) if name not in names:
            return {text for value in _assigned(name, scope) for text in _shape(value, scope, names | {name})}
        case _:
            return set()


def _assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                yield value


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _functions(path: Path) -> tuple[ast.AST, ...]:
    """Return the functions of a module, and its constants."""
    tree = _tree(path)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    constants: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return (*functions, ast.Module(constants, []))


def of_refusals() -> set[tuple[str, str]]:
    """Return (code, text) of everything by which the server refuses something, or gives notice of it."""
    places = {"Refusal": (1, "text"), "Notice": (1, "text"), "AnalysisFindings": (1, "error"), "plain": (1, "text")}
    found = set()
    for path in sorted(SERVER.rglob("*.py")):
        for scope in _functions(path):
            for node in ast.walk(scope):
                match node:
                    case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in places:
                        place, keyword = places[name]
                        code = str(args[0].value) if args and isinstance(args[0], ast.Constant) else name
                        given = [each.value for each in keywords if each.arg == keyword] or args[place : place + 1]
                        found |= {(code, text) for value in given for text in _shape(value, scope)}
    return found


def of_explanations() -> set[str]:
    """Return the sentences with which the games refuse moves."""
    found = set()
    for path in sorted(GAMES.glob("*.py")):
        for scope in ast.walk(_tree(path)):
            if isinstance(scope, ast.FunctionDef) and "explain" in scope.name:
                body = [node for statement in scope.body for node in ast.walk(statement)]
                joined = [node for node in body if isinstance(node, ast.JoinedStr)]
                inside = {id(part) for node in joined for part in ast.walk(node) if part is not node}
                for node in body:
                    if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in inside:
                        found |= {text for text in _shape(node, scope) if " " in text}
    return found


def of_positions() -> set[str]:
    """Return what the games say of texts that are no positions, and of options that do not go together."""
    found = set()
    for path in (*sorted(GAMES.glob("*.py")), GAMES.parent / "text.py", GAMES.parent / "duel.py"):
        for scope in _functions(path):
            if getattr(scope, "name", "") in OF_PROGRAMS:
                continue
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ValueError":
                    found |= _shape(node.args[0], scope)
    return found


def in_sources() -> set[str]:
    """Return every text in the sources of those who say something, sentences and others."""
    found = set()
    for name in SPEAKERS:
        top = ROOT / name
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            for scope in _functions(path):
                for node in ast.walk(scope):
                    if isinstance(node, ast.JoinedStr | ast.Constant | ast.IfExp | ast.BinOp):
                        found |= _shape(node, scope)
    return found


def in_games() -> set[str]:
    """Return what the engine says of the games themselves and in random ones, as the page puts it together."""
    found = set()
    chance = random.Random(7)
    for kind in engine.games():
        found |= {kind.summary, *(option.title for option in kind.OPTIONS)}
        # The page has words of its own for the size of a board.
        for option in (one for one in kind.OPTIONS if one.name not in ("size", "width", "height", "radius")):
            title = option.title.lower()
            found.add(
                title
                if option.kind == "bool"
                else title.replace("this many", "9")
                if "this many" in title
                else f"9 {title}"
            )
        for options in OPTIONS.get(kind.name, ({},)):
            game = engine.load(kind.name, **options)
            for _ in range(6):
                state = game.start()
                while state.outcome is None:
                    found |= _said(state)
                    state = state.play(chance.choice(state.moves()))
                found |= _said(state)
    return found


def _said(state: State) -> set[str]:
    """Return what the engine says of a position."""
    moves = set(state.moves())
    cells = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 7)]
    found = {state.explain(move) for move in (*cells, *state.tempting(), "pass", "?") if move not in moves}
    found |= set(state.notes().values())
    for label, count in state.gauges():
        words = re.sub(r"s\b", "", label, count=1) if count == 1 else label
        found.add(f"{count} {words}" if count else label)
    if (ending := state.ending()) is not None:
        ways = ("", " in 1 move", " in 7 moves") if ending.is_race else ("",)
        found |= {words + way for words in (ending.you, ending.they) for way in ways}
    if (countdown := state.countdown()) is not None:
        found.add(countdown)
    if state.outcome is None:
        for picture in overlays(state):
            found |= {
                re.sub(r"\b(seat|pawn) \d", "Ann", text)
                for text in (picture.title, picture.legend, *picture.ends)
                if text
            }
    return found
