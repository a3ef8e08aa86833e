"""Installation advice for commands with missing packages. Imports only the standard library."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from importlib.metadata import requires
from importlib.util import find_spec

__all__ = ["advice", "require", "require_extras"]

_REQUIREMENT = re.compile(r"([\w.-]+).*\bextra\s*==\s*['\"]([\w-]+)['\"]")
_SHARED_EXTRAS = {"all", "fast"}
"""Extras without commands of their own, which are never advised."""


def require(*modules: str) -> None:
    """Raise ModuleNotFoundError for the first of `modules` that is not installed, without importing any."""
    for module in modules:
        if find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def require_extras(purpose: str, **extras: str) -> None:
    """Raise ValueError that names all of `extras`, each given with a module of it, where one is not installed."""
    if any(find_spec(module) is None for module in extras.values()):
        raise ValueError(f"{purpose}: pip install 'cornered[{','.join(extras)}]'")


def advice(error: ImportError) -> str | None:
    """Return the installation advice for a missing module, None for one that belongs to no extra."""
    parts = (error.name or "").split(".")
    if parts[:2] == ["cornered", "bench"]:
        return "the measurements are not in the package: run them from a checkout, with ./run cornered bench"
    extras = _extras_of().get(parts[0], ())
    if not extras:
        return None
    return f"this needs {parts[0]}, which is not installed: pip install 'cornered[{extras[0]}]'"


def _extras_of() -> dict[str, tuple[str, ...]]:
    """Return the extras of each top-level module, the smallest first. Metadata may list a requirement in both of two
    extras when one includes the other."""
    found = [match.groups() for text in requires("cornered") or () if (match := _REQUIREMENT.match(text))]
    size = Counter(extra for _, extra in found)
    extras: dict[str, set[str]] = defaultdict(set)
    for distribution, extra in found:
        if extra not in _SHARED_EXTRAS:
            extras[distribution.replace("-", "_")].add(extra)
    return {module: tuple(sorted(names, key=lambda name: (size[name], name))) for module, names in extras.items()}
