"""Compiles rules with numba: `kernel` compiles a function at its first call and caches the result on disk.

numba notices edits only in the file that holds a function, so the cache directory of a module carries the hash of its
own source and of every `cornered` source that it imports, directly or not: no other code can end up in its kernels.
Each process computes the hashes from the sources that it runs, since inherited ones could be older. Without numba, or
with NUMBA_DISABLE_JIT=1, the same source runs as plain Python.
"""

from __future__ import annotations

import hashlib
import os
import pkgutil
import platform
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar, cast

import platformdirs

try:
    import numba
except ModuleNotFoundError as error:
    # The extra `fast` is missing. A broken installation of numba is an error.
    if error.name != "numba":
        raise
    HAS_COMPILER = False
else:
    HAS_COMPILER = True

__all__ = ["CACHE", "HAS_COMPILER", "IS_CACHED", "IS_COMPILED", "cache_of", "kernel", "modules_of", "target"]

_PATH: Final = Path(__file__).absolute().parents[3]
_IMPORT: Final = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+([\w.]+))", re.MULTILINE)


def _file_of(module: str) -> Path | None:
    """Return the file of a module of `cornered`, None for any other module."""
    path = _PATH.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of `cornered` that a module names in its import statements."""
    file = _file_of(module)
    found = []
    for source, names, plain in _IMPORT.findall(file.read_text(encoding="utf-8")) if file else ():
        parts = re.findall(r"\w+", names)
        found += [source or plain, *(f"{source}.{part}" for part in parts)]
    return tuple(name for name in found if _file_of(name))


@cache
def _hash_of(modules: tuple[str, ...]) -> str:
    """Return a hash that changes with any file whose code can end up in a kernel of `modules`."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += _imports(module)
    digest = hashlib.sha256()
    for module in sorted(seen):
        file = _file_of(module)
        text = file.read_bytes() if file else b""
        digest.update(f"{module}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:16]


def _can_write(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


CACHE: Final = (
    Path(os.environ["CORNERED_KERNELS"])
    if os.environ.get("CORNERED_KERNELS")
    else platformdirs.user_cache_path("cornered") / "kernels"
)
"""The directory of compiled kernels, with one directory for each module and state of its sources."""

IS_COMPILED: Final = HAS_COMPILER and not numba.config.DISABLE_JIT  # type: ignore[attr-defined]  # set at run time

IS_CACHED: Final = IS_COMPILED and _can_write(CACHE)
"""Whether compiled kernels outlive the process; without a writable CACHE each process compiles them."""


def cache_of(*modules: str) -> Path:
    """Return where kernels of the first of `modules` are kept when code of all of them can end up in them."""
    return CACHE / f"{modules[0]}-{_hash_of(modules)}"


def modules_of(package: ModuleType) -> tuple[str, ...]:
    """Return the names of all modules below a package, which is what `cache_of` takes."""
    return tuple(sorted(module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")))


def target() -> str:
    """Return the Python, numba and processor that kernels are compiled for."""
    import llvmlite.binding

    return f"{platform.python_version()}-{numba.__version__}-{llvmlite.binding.get_host_cpu_name()}"


F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` lazily, once per machine; releases the GIL while it runs.

    Call it with the same argument types everywhere: a second set of types is a second compilation. Without numba
    `function` itself is returned.
    """
    if not HAS_COMPILER:
        return function
    # numba reads the setting here; the environment would be too late where numba is imported already.
    numba.config.CACHE_DIR = str(cache_of(function.__module__))  # type: ignore[attr-defined]
    compiled: Any = numba.njit(cache=IS_CACHED, nogil=True, boundscheck=False)(function)
    return cast(F, compiled)
