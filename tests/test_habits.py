"""What every test keeps to: no pause outside tests/e2e, no private name of ours, no time that runs from the import
on, and an assertion in each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

TESTS = Path(__file__).parent
PAUSES = {"asyncio.sleep", "time.sleep"}
PAUSING = {"test_worker_process.py", "virtual_time.py", "waiting.py"}
"""Where a pause is one of an event loop whose clock jumps, lies between two looks at another process, or is that of a
process which does not run."""
OURS = {"cornered", "tests"}
PATCHING = {"setattr", "delattr", "patch", "object"}
ASSERTING = {"raises", "warns", "fail", "deprecated_call"}
"""What of pytest asserts, as `assert` does."""

Finding: TypeAlias = tuple[int, str]


def dotted(node: ast.expr) -> str:
    """Return a name with its dots; other expressions in it are question marks."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes below a module or a function."""
    return list(ast.walk(tree))


@cache
def origins(tree: ast.Module) -> dict[str, str]:
    """Return the full names of what a module imports, by the names that it has there."""
    names: dict[str, str] = {}
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname is not None}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def full_name(node: ast.expr, imported: dict[str, str]) -> str:
    """Return a name as the module has it that defines it; a string is the name that it holds."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    first, dot, rest = dotted(node).partition(".")
    return imported.get(first, first) + dot + rest


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def pauses(tree: ast.Module) -> Iterator[Finding]:
    """Yield the pauses: `asyncio.sleep(0)` is none, it only lets other tasks go on."""
    imported = origins(tree)
    for node in nodes(tree):
        match node:
            case ast.Call(func, [ast.Constant(0)]) if full_name(func, imported) == "asyncio.sleep":
                pass
            case ast.Call(func) if (name := full_name(func, imported)) in PAUSES:
                yield node.lineno, f"{name} is a pause: wait for the event, or use tests.virtual_time.after"
            case ast.Call(ast.Attribute(ast.Call(func), "wait"), [_]) if full_name(func, imported).endswith(".Event"):
                yield node.lineno, "nothing sets this event: it is a pause"


def replaced_private_names(tree: ast.Module) -> Iterator[Finding]:
    """Yield where a private name is patched, or assigned from outside; names of packages that are not ours are left."""
    imported = origins(tree)
    packages = {name.partition(".")[0] for name in (*imported.values(), "asyncio")} - OURS

    def is_foreign(owner: ast.expr) -> bool:
        return full_name(owner, imported).partition(".")[0] in packages

    for node in nodes(tree):
        match node:
            case ast.Call(func, [owner, *more]) if dotted(func).rpartition(".")[2] in PATCHING:
                names = [str(one.value) for one in (owner, *more[:1]) if isinstance(one, ast.Constant)]
                if any(map(is_private, names)) and not is_foreign(owner):
                    yield node.lineno, f"{names[-1]} is a private name: pass the dependency in"
            case ast.Attribute(owner, attribute, ast.Store() | ast.Del()) if is_private(attribute):
                if dotted(owner) not in {"self", "cls"} and not is_foreign(owner):
                    yield node.lineno, f"{dotted(node)} is a private name: pass the dependency in"


def imported_private_names(tree: ast.Module) -> Iterator[Finding]:
    """Yield where a private name of a module of ours is imported."""
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OURS:
            for alias in node.names:
                if is_private(alias.name):
                    yield node.lineno, f"{alias.name} is a private name: test what uses it, or make it public"


def early_limits(tree: ast.Module) -> Iterator[Finding]:
    """Yield the limits by time that are made as the module is imported: their time runs while other tests do."""
    imported = origins(tree)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Call(func, given, named) if full_name(func, imported).split(".")[-1] == "Limit":
                if given or any(keyword.arg == "time" for keyword in named):
                    yield node.lineno, ast.unparse(node)
        later: list[ast.AST] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            later = [*node.body]
        elif isinstance(node, ast.Lambda):
            later = [node.body]
        waiting += [child for child in ast.iter_child_nodes(node) if child not in later]


@dataclass(frozen=True)
class Called:
    """A function with whether it asserts something itself, and the names of what it calls."""

    name: str
    line: int
    has_assert: bool
    calls: frozenset[str]

    @property
    def is_test(self) -> bool:
        return self.name.startswith("test_")

    def asserts(self, asserting: set[str]) -> bool:
        """Return whether it asserts something, itself or by a call of one of `asserting`."""
        return self.has_assert or not self.calls.isdisjoint(asserting)


@cache
def functions(tree: ast.Module) -> list[Called]:
    found = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [
        Called(
            function.name,
            function.lineno,
            any(isinstance(node, ast.Assert) for node in nodes(function)),
            frozenset(dotted(node.func).rpartition(".")[2] for node in nodes(function) if isinstance(node, ast.Call)),
        )
        for function in found
    ]


@cache
def sources() -> dict[Path, ast.Module]:
    """Return the trees of all files. Every worker of pytest-xdist imports this module: they are parsed when used."""
    return {path: ast.parse(path.read_text()) for path in sorted(TESTS.rglob("*.py"))}


def visible_from(path: Path) -> set[Path]:
    """Return the files whose functions and methods a test file may call: those it imports, and its conftest.py."""
    modules = {name.rpartition(".")[0].replace(".", "/") for name in origins(sources()[path]).values()}
    imported = {TESTS.parent / f"{module}.py" for module in modules}
    return {path} | ((imported | {folder / "conftest.py" for folder in path.parents}) & sources().keys())


def asserting_by_file() -> dict[Path, set[str]]:
    """Return for each file the names of the functions that it can call and that assert, directly or by a call."""
    visible = {path: visible_from(path) for path in sources()}
    own = {path: set[str]() for path in sources()}
    is_growing = True
    while is_growing:
        known = {path: ASSERTING.union(*(own[other] for other in visible[path])) for path in sources()}
        grown = {
            path: {one.name for one in functions(tree) if not one.is_test and one.asserts(known[path])}
            for path, tree in sources().items()
        }
        own, is_growing = grown, grown != own
    return known


def found(look: Callable[[ast.Module], Iterator[Finding]], paths: list[Path]) -> list[str]:
    trees = [(path.relative_to(TESTS.parent), sources()[path]) for path in paths]
    return [f"{name}:{line}: {what}" for name, tree in trees for line, what in look(tree)]


def test_no_test_outside_e2e_pauses() -> None:
    timed = [path for path in sources() if path.parent.name != "e2e" and path.name not in PAUSING]
    assert found(pauses, timed) == []


def test_no_private_name_of_ours_is_replaced() -> None:
    assert found(replaced_private_names, list(sources())) == []


def test_no_private_name_of_ours_is_imported() -> None:
    assert found(imported_private_names, list(sources())) == []


def test_no_limit_by_time_is_made_at_import() -> None:
    assert found(early_limits, list(sources())) == []


def test_each_test_asserts_something() -> None:
    silent = [
        f"{path.relative_to(TESTS.parent)}:{function.line}: {function.name} asserts nothing"
        for path, asserting in asserting_by_file().items()
        if path.name.startswith("test_")
        for function in functions(sources()[path])
        if function.is_test and not function.asserts(asserting)
    ]
    assert silent == []
