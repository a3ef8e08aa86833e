"""Files as people write them, and files that a killed process leaves readable: replaced as a whole, or lines of which
only the last can be torn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

__all__ = ["LineWriter", "read_lines", "read_text", "replacing"]


def read_text(path: Path) -> str:
    """Return a text that people write with any editor: UTF-8, without its byte order mark, its lines ended by `\\n`.

    Raises OSError, and a ValueError that names the line of another encoding.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}:{line}: this is no UTF-8 text; save it as UTF-8") from None


@contextmanager
def replacing(path: Path, *, mode: int | None = None, sync: bool = False) -> Iterator[Path]:
    """Yield a path beside `path`; the file that the block writes there replaces `path` atomically.

    `path` stays as it was when the block raises. The new file has the permissions `mode`; with `sync` its contents are
    on the disk before it takes the name.
    """
    # Several processes may replace one file: each writes a file of its own.
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        if mode is not None:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode))
        yield part
        if sync:
            with part.open("r+b") as file:
                os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read_lines(path: Path) -> tuple[list[bytes], bytes]:
    """Return the complete lines of a file, and the torn one at its end. A missing file has neither."""
    try:
        *lines, torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], b""
    return lines, torn


class LineWriter:
    """Appends lines to a file of one writer, each with one system call, so that a kill tears at most the last.

    Opening it removes a torn line, or with `keep=False` everything. With `sync_interval_s` the lines are on the disk
    after that time and when the writer is closed; without, they are with the operating system.
    """

    def __init__(self, path: Path, *, keep: bool = True, sync_interval_s: float | None = None) -> None:
        self._path = path
        self._sync_interval_s = sync_interval_s
        if keep and (torn := read_lines(path)[1]):
            os.truncate(path, path.stat().st_size - len(torn))
        self._file = path.open("ab" if keep else "wb", buffering=0)
        self._synced_at = monotonic()

    def append(self, line: str) -> None:
        """Write a line. Raises an OSError when the disk takes only a part of it."""
        content = f"{line}\n".encode()
        if (written := self._file.write(content)) != len(content):
            # A further line must not follow half of this one.
            raise OSError(f"{self._path} took {written} of {len(content)} bytes: the disk is full")
        if self._sync_interval_s is not None and monotonic() - self._synced_at > self._sync_interval_s:
            self._sync()

    def close(self) -> None:
        """Close the file. Raises an OSError when the lines cannot be brought to the disk."""
        with self._file:
            if self._sync_interval_s is not None:
                self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced_at = monotonic()
