"""Where and by what software a finding was made."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

__all__ = ["commit", "processor", "provenance"]

LIBRARIES: Final = ("numpy", "numba", "llvmlite", "open_spiel", "matplotlib")
"""Packages that measure or draw."""
SOURCES: Final = ("contests", "engine", "protocol", "bots", "clients", "lab", "cli", "pyproject.toml")
"""What a result can depend on; a report that is written into the checkout does not make the sources differ."""
GIT_SECONDS: Final = 20


def provenance(now: datetime) -> dict[str, Any]:
    """Return the versions of the project, Python and libraries, the machine, and the date in UTC, as JSON-compatible
    values."""
    return {
        "version": version("cornered"),
        "commit": commit(Path(__file__).resolve().parents[2]),
        "python": platform.python_version(),
        "libraries": {name: found for name in LIBRARIES if (found := _version(name))},
        "processor": processor(),
        "system": platform.platform(terse=True),
        "date": now.astimezone(UTC).isoformat(timespec="seconds"),
    }


def commit(root: Path) -> str | None:
    """Return the Git commit of the sources in `root`, with "-dirty" where they have changed since; None where `root` is
    no checkout of its own."""
    top = _git(root, ["rev-parse", "--show-toplevel"])
    if top is None or Path(top).resolve() != root.resolve():
        return None
    head = _git(root, ["rev-parse", "HEAD"])
    changed = _git(root, ["status", "--porcelain", "--", *SOURCES])
    return head if head is None or not changed else f"{head}-dirty"


def processor() -> str:
    """Return the model name of the processor, or its architecture where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _git(root: Path, arguments: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
