"""`cornered bench attacks`: runs the attacks of the registry in turn, and prints the bystanders' latencies as a
table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cornered.bench.attacks.arena import Arena
from cornered.bench.attacks.attacker import ATTACK_MODULES
from cornered.bench.attacks.bystanders import Phase
from cornered.bench.attacks.stage import ATTACKS
from cornered.bench.attacks.trials import TRIALS_BY_NAME
from cornered.bench.attacks.verdict import AttackRow, percentile
from cornered.server.app import new_event_loop

__all__ = ["ATTACK_MODULES", "as_json", "lines", "run"]


def run(
    names: Sequence[str],
    *,
    seconds: float,
    scale: float,
    tell: Callable[[str], None],
    nodes: int = 1,
) -> list[AttackRow]:
    """Carry out these attacks and trials, all without names. Raises ValueError for one that there is not.

    With one node those between nodes are left out.
    """
    known = (*(name for name, one in ATTACKS.items() if nodes > 1 or not one.needs_nodes), *TRIALS_BY_NAME)
    for name in names:
        if name in ATTACKS and name not in known:
            raise ValueError(f"{name} is an attack between nodes: add --nodes 2")
        if name not in known:
            raise ValueError(f"there is no attack {name!r}; there are {', '.join((*ATTACKS, *TRIALS_BY_NAME))}")

    async def carry_out(arena: Arena, name: str) -> AttackRow:
        tell(f"{name}: {(ATTACKS.get(name) or TRIALS_BY_NAME[name]).words}")
        if name in ATTACKS:
            row = await arena.run(ATTACKS[name], seconds=seconds, scale=scale)
        else:
            row = await arena.try_out(TRIALS_BY_NAME[name], scale=scale)
        tell("\n".join((f"    {row.did}", *(f"    - {fault}" for fault in row.faults))))
        return row

    async def attack_all() -> list[AttackRow]:
        async with Arena.open(nodes=nodes) as arena:
            return [await carry_out(arena, name) for name in names or known]

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(attack_all())


def _figures(phase: Phase) -> dict[str, float]:
    return {
        "moves": len(phase.moves),
        "p50_ms": percentile(phase.moves, 0.5) * 1000,
        "p99_ms": percentile(phase.moves, 0.99) * 1000,
        "worst_ms": max(phase.moves, default=0.0) * 1000,
    }


def as_json(rows: Sequence[AttackRow]) -> list[dict[str, Any]]:
    """Return the table as JSON-compatible values."""
    return [
        {
            "attack": row.attack,
            "did": row.did,
            "without": _figures(row.without),
            "with": _figures(row.during),
            "growth_mib": row.growth / 2**20,
            "log_lines": len(row.log),
            "left": row.left,
            "faults": row.faults,
        }
        for row in rows
    ]


def lines(rows: Sequence[AttackRow]) -> Iterator[str]:
    """Yield the table."""
    yield (
        f"{'attack':<22}{'bystander without, ms':>24}{'with, ms':>26}{'moves':>7}{'MiB':>6}{'log':>6}  verdict\n"
        f"{'':<22}{'p50 / p99 / worst':>24}{'p50 / p99 / worst':>26}"
    )
    for one in as_json(rows):
        without, attacked = (
            f"{part['p50_ms']:.1f} / {part['p99_ms']:.1f} / {part['worst_ms']:.0f}"
            for part in (one["without"], one["with"])
        )
        verdict = "withstood" if not one["faults"] else "FAILED"
        yield (
            f"{one['attack']:<22}{without:>24}{attacked:>26}"
            f"{one['with']['moves']:>7.0f}{one['growth_mib']:>6.0f}{one['log_lines']:>6}  {verdict}"
        )
        yield f"    {one['did']}"
        for fault in one["faults"]:
            yield f"    - {fault}"
