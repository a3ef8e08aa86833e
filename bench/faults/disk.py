"""A node's disk that can be full: a file system in memory of the node's own, or else a limit on its files' size."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["Disk", "LimitedFiles", "OwnFileSystem", "disk_for"]

SIZE_MIB: Final = 64
BALLAST: Final = "ballast"
BLOCK: Final = b"\0" * 65_536
LEAST_FILE_BYTES: Final = 4_096


class Disk:
    """The disk of one node's data directory. `pid` is any process of the node, `server` the running one."""

    name = "none"

    def __init__(self, data: Path) -> None:
        self.data = data

    def command(self, command: Sequence[str]) -> list[str]:
        """Return the command that runs `command` with this disk."""
        return list(command)

    def seen_from_here(self, pid: int) -> Path:
        """Return the path of the data directory for this process."""
        return self.data

    def fill(self, pid: int, server: int) -> None:
        """Leave no space."""
        raise NotImplementedError

    def free(self, pid: int, server: int) -> None:
        """Leave space again."""
        raise NotImplementedError


class OwnFileSystem(Disk):
    """A tmpfs in a mount namespace of the node's processes, which ends with them. A full one answers ENOSPC."""

    name = "tmpfs"

    def command(self, command: Sequence[str]) -> list[str]:
        return [
            *_unshare(),
            "sh",
            "-c",
            f'mount -t tmpfs -o size={SIZE_MIB}m,mode=700 none "$0" && exec "$@"',
            str(self.data),
            *command,
        ]

    def seen_from_here(self, pid: int) -> Path:
        return Path(f"/proc/{pid}/root{self.data.resolve()}")

    def fill(self, pid: int, server: int) -> None:
        with (self.seen_from_here(pid) / BALLAST).open("wb", buffering=0) as file:
            for block in (BLOCK, BLOCK[:512]):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(block)

    def free(self, pid: int, server: int) -> None:
        (self.seen_from_here(pid) / BALLAST).unlink(missing_ok=True)

    @staticmethod
    def is_possible() -> bool:
        """Return whether this user may mount a file system in a namespace."""
        if shutil.which("unshare") is None:
            return False
        command = [*_unshare(), "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


class LimitedFiles(Disk):
    """A limit on the size of every file that the server writes: a write beyond it fails with EFBIG."""

    name = "file size limit"

    def fill(self, pid: int, server: int) -> None:
        self._limit(server, LEAST_FILE_BYTES)

    def free(self, pid: int, server: int) -> None:
        self._limit(server, resource.RLIM_INFINITY)

    @staticmethod
    def _limit(server: int, size: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(server, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _unshare() -> list[str]:
    return ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]


def disk_for(data: Path) -> Disk:
    """Return the most honest disk that this user can make full."""
    return OwnFileSystem(data) if OwnFileSystem.is_possible() else LimitedFiles(data)
