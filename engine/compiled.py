"""The one door to numba: `kernel` compiles a rule the first time it is called and keeps the result on disk.

numba notices edits only in the file that holds a function, so the cache directory carries the hash of every source
whose code can end up in a kernel. Every process works the hash out for itself, from the sources that it is about to
run: one inherited from a parent could be older than they are. With NUMBA_DISABLE_JIT=1 the same source runs as plain
Python.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import platformdirs
from numba import njit
from numba.core import config

__all__ = ["CACHE", "IS_CACHED", "IS_COMPILED", "kernel"]

_PROJECT: Final = Path(__file__).resolve().parent.parent


def _sources_hash() -> str:
    """Return a hash that changes with the name or text of any file whose code can end up in a kernel."""
    digest = hashlib.sha256()
    for folder in ("engine", "bots/search", "bots/evaluate"):
        for path in sorted((_PROJECT / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(_PROJECT).as_posix()}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> Path:
    root = os.environ.get("CORNERED_KERNELS")
    return (Path(root) if root else platformdirs.user_cache_path("cornered") / "kernels") / _sources_hash()


def _can_write(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


CACHE: Final = _cache_directory()
"""Where compiled kernels of exactly these sources live; CORNERED_KERNELS moves the directory above it."""

IS_COMPILED: Final = not config.DISABLE_JIT  # type: ignore[attr-defined]  # numba fills it in at run time

IS_CACHED: Final = IS_COMPILED and _can_write(CACHE)
"""Whether compiled kernels outlive the process. A machine that lets us write nowhere compiles them each time."""

# The setting is made here, not in the environment, so that it holds even when somebody imported numba first.
config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` lazily, once per machine; releases the GIL while it runs.

    Call it with the same argument types everywhere: a second set of types is a second compilation.
    """
    compiled: Any = njit(cache=IS_CACHED, nogil=True, boundscheck=False)(function)
    return cast(F, compiled)
