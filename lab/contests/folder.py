"""The folder of long work, with the plan of what it holds, for one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from cornered.engine.records.files import replacing

__all__ = ["PLAN", "held"]

PLAN: Final = "plan.json"


@contextmanager
def held(folder: Path, plan: Mapping[str, Any], what: str, results: str) -> Iterator[None]:
    """Hold a folder inside the block, and write the plan into it; create the folder if it is missing.

    `what` is what the plan is of, in words, and `results` a pattern of the files that are made by the plan. Raises a
    ValueError when the folder has another plan, has results without one, or is in use.
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
            known = json.loads(path.read_text())
        except ValueError:
            raise ValueError(f"{path} cannot be read; choose another folder with --out") from None
        if known != json.loads(json.dumps(plan)):
            raise ValueError(
                f"{path} is the plan of another {what}; repeat its command to go on with it, "
                "or choose another folder with --out"
            )
        return
    for found in sorted(path.parent.glob(results)):
        if found.stat().st_size:
            raise ValueError(f"{found} has games whose plan, {path.name}, is gone; choose another folder with --out")
    with replacing(path, sync=True) as part:
        part.write_text(json.dumps(plan, indent=2) + "\n")
