"""The one door to numba: `kernel` compiles a rule the first time it is called and keeps the result on disk.

numba notices edits only in the file that holds a function, so the cache directory carries the hash of every source
whose code can end up in a kernel; child processes inherit it. With NUMBA_DISABLE_JIT=1 the same source runs as plain Python.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import platformdirs

__all__ = ["CACHE", "IS_COMPILED", "kernel"]

_ROOT: Final = Path(__file__).resolve().parent.parent


def _sources_hash() -> str:
    digest = hashlib.sha256()
    for folder in ("engine", "bots/search", "bots/evaluate"):
        for path in sorted((_ROOT / folder).rglob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> Path:
    inherited = os.environ.get("CORNERED_KERNELS")
    if inherited:
        return Path(inherited)
    return platformdirs.user_cache_path("cornered") / "kernels" / _sources_hash()


CACHE: Final = _cache_directory()
"""Where compiled kernels of exactly these sources live."""

os.environ["CORNERED_KERNELS"] = os.environ["NUMBA_CACHE_DIR"] = str(CACHE)

import numba  # noqa: E402 - numba reads NUMBA_CACHE_DIR when it is imported

IS_COMPILED: Final = not numba.config.DISABLE_JIT

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` lazily, once per machine; releases the GIL while it runs.

    Call it with the same argument types everywhere: a second set of types is a second compilation.
    """
    compiled: F = numba.njit(cache=True, nogil=True, boundscheck=False)(function)
    return compiled
