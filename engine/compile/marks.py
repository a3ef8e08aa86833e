"""Marks in the cache of compiled kernels: what is compiled, for which sources, Python, numba and processor.

A mark is an empty file in the cache directory of the sources that it depends on, so that an edit leaves it behind.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock

from cornered.engine.compile.kernel import CACHE, IS_CACHED, IS_COMPILED, cache_of, target

__all__ = ["Mark", "drop_old_caches"]

CACHES_PER_MODULE_MAX: Final = 4
"""The cache of the current sources, and the last used ones of other checkouts and branches."""
_CACHE_NAME: Final = re.compile(r"([\w.]+)-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of `item`, or of all that the sources compile, in `directory`, which comes from `cache_of`."""

    directory: Path
    item: str = ""

    @property
    def path(self) -> Path:
        """The file of the mark."""
        item = re.sub(r"[^\w.=-]", "_", self.item)
        return self.directory / f"{'-'.join(filter(None, (target(), item)))}.warm"

    @property
    def is_set(self) -> bool:
        """Whether kernels are only loaded. Always true where they run as plain Python, never without a cache."""
        return not IS_COMPILED or (IS_CACHED and self.path.exists())

    def set(self) -> None:
        """Set the mark, for all processes: `item` is compiled."""
        if IS_CACHED:
            self.directory.mkdir(parents=True, exist_ok=True)
            self.path.touch()

    @contextmanager
    def compiling(self, lock: str = "lock") -> Iterator[bool]:
        """Run the block, which compiles or loads, in one process at a time until the mark is set; then sets it.

        Yields whether the block compiles. `lock` names the lock in the cache; the end of a process releases it. Without
        a cache there is no lock, since processes share nothing.
        """
        if self.is_set:
            yield False
            # `drop_old_caches` keeps the last used ones, and another process may do that now.
            with suppress(OSError):
                os.utime(self.directory)
        elif IS_CACHED:
            with FileLock(CACHE / lock, fallback_to_soft=False):
                yield not self.is_set
                self.set()
        else:
            yield True


def drop_old_caches() -> None:
    """Remove the caches of other sources but the last used ones; a process that still uses one compiles again."""
    by_module: dict[str, list[Path]] = {}
    # Another process may remove the same ones.
    with suppress(FileNotFoundError):
        for path in CACHE.iterdir() if IS_CACHED else ():
            if found := _CACHE_NAME.fullmatch(path.name):
                by_module.setdefault(found[1], []).append(path)
        for module, paths in by_module.items():
            current = cache_of(module)
            if current.exists():
                os.utime(current)
            others = sorted((path for path in paths if path != current), key=lambda path: path.stat().st_mtime)
            for path in others[: max(0, len(others) - CACHES_PER_MODULE_MAX + 1)]:
                shutil.rmtree(path, ignore_errors=True)
