"""The commands for which `./run` installs the laboratory's packages are those whose imports reach one of them.

The imports are read from the syntax trees: of the command line by function, since its modules hold several commands,
and of all other modules as a whole, deferred imports included.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from typer.core import TyperGroup
from typer.main import get_command

from cornered.cli.main import app
from tests.test_run import run

__all__ = ["run"]

ROOT = Path(__file__).resolve().parent.parent


def locked(lock_file: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+)==", (ROOT / lock_file).read_text(encoding="utf-8"), re.MULTILINE))


@cache
def lab_modules() -> set[str]:
    """Return the top-level modules of the packages that only the laboratory's lock file has."""
    packages = {re.sub(r"[-_.]+", "-", name) for name in locked("requirements-lab.lock") - locked("requirements.lock")}
    return {
        module
        for module, distributions in packages_distributions().items()
        if any(re.sub(r"[-_.]+", "-", name).lower() in packages for name in distributions)
    }


Imports: TypeAlias = list[tuple[str, str, str]]
"""Local name, module and member of each import."""


@cache
def tree(module: str) -> ast.Module | None:
    path = ROOT.joinpath(*module.split(".")[1:])
    files = [path.with_suffix(".py"), path / "__init__.py"] if module.startswith("cornered.") else []
    found = next((file for file in files if file.is_file()), None)
    return None if found is None else ast.parse(found.read_text(encoding="utf-8"))


def imported(node: ast.AST) -> Imports:
    """Return every import below a node, except imports for type checkers."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return []
    found: Imports = []
    if isinstance(node, ast.Import):
        found += ((alias.asname or alias.name.split(".")[0], alias.name, "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        found += ((alias.asname or alias.name, node.module, alias.name) for alias in node.names)
    # Expressions have no imports.
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            found += imported(child)
    return found


@cache
def reached_from(module: str, name: str) -> tuple[frozenset[tuple[str, str]], frozenset[str]]:
    """Return the next places that a function of the command line, or else a whole module, reaches by its imports, and
    the packages that are not ours."""
    source = tree(module)
    if source is None:
        return frozenset(), frozenset({module.split(".")[0]})
    places: set[tuple[str, str]] = set()
    if not module.startswith("cornered.cli."):
        found = imported(source)
        found += [("", f"{origin}.{member}", "") for _, origin, member in found if tree(f"{origin}.{member}")]
    else:
        definitions = {
            node.name: node
            for node in source.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        if name not in definitions:
            return frozenset(), frozenset()
        used = {node.id for node in ast.walk(definitions[name]) if isinstance(node, ast.Name)}
        outside = ast.Module([node for node in source.body if node not in definitions.values()], [])
        found = [each for each in imported(outside) if each[0] in used] + imported(definitions[name])
        places |= {(module, other) for other in used & definitions.keys()}
    places |= {(origin, member if origin.startswith("cornered.cli.") else "") for _, origin, member in found}
    return frozenset(places), frozenset()


def needs(module: str, name: str) -> set[str]:
    """Return the packages that a function of the command line reaches."""
    waiting, seen, packages = [(module, name)], {(module, name)}, set[str]()
    while waiting:
        places, others = reached_from(*waiting.pop())
        packages |= others
        waiting += places - seen
        seen |= places
    return packages


def callbacks(group: TyperGroup) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the function of every command, with the top level's name for it."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from ((name, inner) for _, inner in callbacks(command))
        else:
            assert command.callback is not None
            yield name, inspect.unwrap(command.callback)


def test_the_commands_that_reach_a_package_of_the_laboratory_are_listed(run: ModuleType) -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    needing = {
        name for name, function in callbacks(group) if needs(function.__module__, function.__name__) & lab_modules()
    }
    assert needing == run.LAB_COMMANDS
