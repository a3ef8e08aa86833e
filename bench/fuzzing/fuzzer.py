"""`cornered bench fuzz`: random input at every level against a server process, while bystanders play."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cornered.bench.attacks.arena import Arena
from cornered.bench.attacks.stage import Attack, Stage
from cornered.bench.attacks.verdict import AttackRow
from cornered.server.app import new_event_loop

__all__ = ["FuzzFindings", "run"]

NO_RATE_LIMITS: Final[Mapping[str, str]] = {
    f"CORNERED_{name}": "1e9"
    for name in (*("MESSAGE_RATE", "MESSAGE_BURST", "ADDRESS_RATE", "ADDRESS_BURST", "GUEST_RATE", "GUEST_BURST"),)
} | {"CORNERED_HELLO_SECONDS": "2"}
"""Rate limits would keep most of the input from the code under test."""


@dataclass(frozen=True, slots=True)
class FuzzFindings:
    """The result of one run. `cases` is the file of the latest inputs, when a fault was found."""

    row: AttackRow
    cases: Path | None


async def _nothing(stage: Stage) -> str:
    raise NotImplementedError("the fuzzer runs in its own process")


async def _run(seconds: float, options: dict[str, str]) -> AttackRow:
    fuzz = Attack(
        "fuzz",
        "random input",
        _nothing,
        NO_RATE_LIMITS,
        keeps_matches=True,
        is_timed=False,
        module="cornered.bench.fuzzing.process",
    )
    async with Arena.open() as arena:
        return await arena.run(fuzz, seconds=seconds, options=options)


def run(seconds: float, *, seed: int, replay: Path | None, keep: Path) -> FuzzFindings:
    """Fuzz for `seconds`, or repeat the cases of the file `replay`; failing inputs are stored in the folder `keep`."""
    with (
        tempfile.TemporaryDirectory(prefix="cornered-fuzz-") as folder,
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        written = Path(folder) / "cases.jsonl"
        options = {"seed": str(seed), "replay": str(replay or ""), "keep": str(written)}
        row = runner.run(_run(seconds, options))
        if row.is_withstood or not written.exists():
            return FuzzFindings(row, None)
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"fuzz-{seed}.jsonl"
        path.write_bytes(written.read_bytes())
        return FuzzFindings(row, path)
