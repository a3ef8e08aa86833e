"""Files that hold secrets, and their directory, are for the server's own user: 0600 and 0700. Windows has no modes."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import structlog

__all__ = ["NotPrivate", "create_private", "files_of_database", "make_private"]

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_SECRET_FILES: Final = ("alive", "house.json", "cornered.toml")

log = structlog.get_logger("files")


class NotPrivate(Exception):
    """Other users can read a file of secrets, and this process cannot change its mode. The text has the remedy."""


def create_private(path: Path) -> None:
    """Make an empty file that only this user can read, and its directory; one that is there stays as it is.

    A file that is there is not opened either: to close it would drop all locks that this process holds on it, and
    another process that reads the database would then delete the log that SQLite writes here.
    """
    path.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def files_of_database(path: Path) -> tuple[Path, ...]:
    """Return the files of an SQLite database: SQLite gives those that it makes the mode of the first."""
    return (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal", ".lock")))


def make_private(directory: Path, others: Iterable[Path] = (), *, has_modes: bool = os.name == "posix") -> None:
    """Make the data directory, and take away others' rights to it, to its secret files and to `others`.

    Without `has_modes` only the directory is made. Raises NotPrivate, and OSError when the directory cannot be made.
    """
    directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    if not has_modes:
        return
    files = (*(directory / name for name in _SECRET_FILES), *others)
    tightened = [path for path in (directory, *files) if _tighten(path)]
    if tightened:
        names = ", ".join(map(str, tightened))
        log.warning("other users could read these; from now on only this server's user can", files=names)


def _tighten(path: Path) -> bool:
    """Set the mode of a file or directory to its owner's alone; return whether it had another one.

    What belongs to root, as a mounted volume or a file of settings, may stay readable for a group: an operator chose
    its members. What all users can reach is refused where it cannot be changed, and so is what another user owns.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    if os.geteuid() != 0 and status.st_uid not in (0, os.geteuid()):
        raise NotPrivate(f"{path} belongs to another user (uid {status.st_uid}); chown it, or choose another directory")
    mode = stat.S_IMODE(status.st_mode)
    if not mode & 0o077:
        return False
    try:
        path.chmod(DIRECTORY_MODE if stat.S_ISDIR(status.st_mode) else FILE_MODE)
    except OSError as error:
        if status.st_uid == 0 and not mode & 0o007:
            log.warning("this belongs to root, and a group can reach it", file=str(path), group=status.st_gid)
            return False
        reason = f"other users can read {path} and its mode cannot be changed ({error.strerror})"
        raise NotPrivate(f"{reason}; run chmod go= on it, or choose another directory") from None
    return True
