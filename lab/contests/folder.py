"""The folder of long work, with the plan of what it holds, for one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from cornered.engine.records.files import replacing

__all__ = ["FILES", "PLAN", "held"]

PLAN: Final = "plan.json"
FILES: Final = "files"
"""The field of a plan with the digests of the files that its work is done by, by their names."""
DIFFERENCES_SHOWN: Final = 4
"""Differences between two plans that a refusal lists."""


@contextmanager
def held(folder: Path, plan: Mapping[str, Any], what: str, results: str) -> Iterator[None]:
    """Hold a folder inside the block, and write the plan into it; create the folder if it is missing.

    `what` is what the plan is of, in words, and `results` a pattern of the files that are made by the plan. Raises a
    ValueError when the folder has another plan, has results without one or by files that have changed, or is in use.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / ".lock", blocking=False, fallback_to_soft=False).acquire()
    except Timeout:
        raise ValueError(f"another process works on the {what} in {folder}; wait for it or end it") from None
    with lock:
        _settle(folder / PLAN, dict(plan), what, results)
        yield


def _settle(path: Path, plan: dict[str, Any], what: str, results: str) -> None:
    if path.exists():
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ValueError(f"{path} cannot be read; choose another folder with --out") from None
        wanted = json.loads(json.dumps(plan))
        # A plan of an earlier version has no digests; what its games were played by is unknown.
        before, now = known.pop(FILES, None), wanted.pop(FILES, None)
        if known != wanted:
            raise ValueError(
                f"{path} is the plan of another {what} ({_differences(known, wanted)}); repeat its command to go on "
                "with it, or choose another folder with --out"
            )
        if before is None or before == now:
            return
        if _results(path.parent, results):
            changed = [name for name, digest in (now or {}).items() if before.get(name) != digest]
            have = "has" if len(changed) == 1 else "have"
            raise ValueError(
                f"{' and '.join(changed)} {have} changed since the games in {path.parent} were played; choose another "
                f"folder with --out, or remove {path.parent}"
            )
    elif found := _results(path.parent, results):
        raise ValueError(f"{found[0]} has games whose plan, {path.name}, is gone; choose another folder with --out")
    with replacing(path, sync=True) as part:
        part.write_text(json.dumps(plan, indent=2) + "\n", encoding="utf-8")


def _results(folder: Path, pattern: str) -> list[Path]:
    """Return the files of results that hold some."""
    return [found for found in sorted(folder.glob(pattern)) if found.stat().st_size]


def _differences(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return in words where two plans differ, by the names of their values."""
    before, now = dict(_values(known)), dict(_values(wanted))
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    told = [f"{name} {json.dumps(before.get(name))} there, {json.dumps(now.get(name))} here" for name in names]
    more = [f"{len(told) - DIFFERENCES_SHOWN} more differences"] if len(told) > DIFFERENCES_SHOWN else []
    return "; ".join(told[:DIFFERENCES_SHOWN] + more) or "with other fields"


def _values(plan: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a plan by their names; those of a mapping inside it have their own."""
    for name, value in plan.items():
        if isinstance(value, dict):
            yield from _values(value)
        else:
            yield name, value
