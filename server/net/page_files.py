"""The page's files, read and compressed when the server starts, and again when they change."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gzip
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["CONTENT_TYPES", "PageFile", "PageFiles"]

CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
"""What the page's folder may hold; anything else in it is not served."""
_COMPRESSED_ALREADY: Final = (".png", ".ico")
_LEVEL: Final = 9
_UNREADABLE: Final = (OSError, ValueError, RuntimeError)
"""What pathlib raises for what cannot be read; RuntimeError for a circle of links, before Python 3.13."""


@functools.lru_cache(maxsize=256)
def _gzipped(body: bytes) -> bytes:
    """Compress a file; servers of one process share what they have compressed."""
    # Without the time, so that equal files stay equal.
    return gzip.compress(body, _LEVEL, mtime=0)


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the page as it was last read; `stamp` changes with the file."""

    stamp: tuple[int, int]
    kind: str
    body: bytes
    tag: str
    gzipped: bytes | None
    """The same with gzip; None where that saves nothing."""
    gzipped_tag: str
    """An entity tag names one representation (RFC 9110, 8.8.3), so each encoding has its own."""

    @classmethod
    def of(cls, path: Path, stamp: tuple[int, int]) -> PageFile:
        """Read and compress a file."""
        body = path.read_bytes()
        gzipped = None if path.suffix in _COMPRESSED_ALREADY else _gzipped(body)
        if gzipped is not None and len(gzipped) >= len(body):
            gzipped = None
        digest = hashlib.sha256(body).hexdigest()[:16]
        return cls(stamp, CONTENT_TYPES[path.suffix], body, f'"{digest}"', gzipped, f'"{digest}-gzip"')


class PageFiles:
    """The files below a folder, wherever a link in it leads, by the names that they were requested by."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._files: dict[str, PageFile] = {}

    async def read_all(self) -> None:
        """Read and compress all files, so that no request waits for that."""
        self._files = await asyncio.to_thread(self._read_all)

    def _read_all(self) -> dict[str, PageFile]:
        files: dict[str, PageFile] = {}
        for path in self._folder.rglob("*"):
            name = path.relative_to(self._folder).as_posix()
            # What cannot be read is not found by those who ask for it either.
            with contextlib.suppress(*_UNREADABLE):
                if (found := self._locate(name)) is not None:
                    files[name] = PageFile.of(*found)
        return files

    def __contains__(self, name: str) -> bool:
        """Return whether a file was read under this name."""
        return name in self._files

    async def find(self, name: str) -> PageFile | None:
        """Return a file as it is now. One that is new or has changed is read and compressed in a thread."""
        try:
            found = self._locate(name)
            if found is None:
                return None
            known = self._files.get(name)
            if known is None or known.stamp != found[1]:
                if not await asyncio.to_thread(self._is_listed, name):
                    return None
                known = self._files[name] = await asyncio.to_thread(PageFile.of, *found)
        except _UNREADABLE:
            return None
        return known

    def _is_listed(self, name: str) -> bool:
        """Return whether every part of `name` is spelled as its folder lists it.

        Disks that do not tell capitals apart find a file by many names, and each would take memory.
        """
        folder = self._folder
        for part in name.split("/"):
            if part not in os.listdir(folder):
                return False
            folder /= part
        return True

    def _locate(self, name: str) -> tuple[Path, tuple[int, int]] | None:
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder) or path.suffix not in CONTENT_TYPES or not path.is_file():
            return None
        stat = path.stat()
        return path, (stat.st_mtime_ns, stat.st_size)
