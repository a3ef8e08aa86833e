"""One arena for all attacks, and one of two nodes: a server process is reused as long as it withstands them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cornered.bench.attacks.arena import Arena
from cornered.bench.attacks.stage import Attack
from cornered.bench.attacks.trials import TRIALS_BY_NAME
from cornered.bench.attacks.verdict import AttackRow
from cornered.server.app import new_event_loop

SECONDS = 1.2
SLACK = 2.0
"""Factor on the bounds of latency: shared machines stall now and then, while the attacks stalled the server for
seconds."""


@contextlib.contextmanager
def arena_of(nodes: int) -> Iterator[Callable[[Attack], AttackRow]]:
    """Return the function that runs one attack beside bystanders."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        opened = Arena.open(slack=SLACK, nodes=nodes)
        arena = runner.run(opened.__aenter__())
        yield lambda attack: runner.run(arena.run(attack, seconds=SECONDS))
        runner.run(opened.__aexit__(None, None, None))


def try_all(nodes: int) -> dict[str, AttackRow]:
    """Return the results of all trials, most of which run concurrently since they mostly wait."""
    trials = TRIALS_BY_NAME.values()

    async def run() -> list[AttackRow]:
        async with Arena.open(nodes=nodes) as arena:
            rows = await asyncio.gather(*(arena.try_out(trial) for trial in trials if not trial.runs_alone))
            return [*rows, *[await arena.try_out(trial) for trial in trials if trial.runs_alone]]

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return {row.attack: row for row in runner.run(run())}


@pytest.fixture(scope="session")
def carry_out() -> Iterator[Callable[[Attack], AttackRow]]:
    """Return the function that runs one attack on one server."""
    with arena_of(1) as carry_out:
        yield carry_out


@pytest.fixture(scope="session")
def tried() -> dict[str, AttackRow]:
    """Return the results of all trials on one server."""
    return try_all(1)


@pytest.fixture(scope="session")
def carry_out_on_two_nodes(mosquitto_program: Path, postgres_programs: Path) -> Iterator[Callable[[Attack], AttackRow]]:
    """Return the function that runs one attack on two nodes."""
    with arena_of(2) as carry_out:
        yield carry_out


@pytest.fixture(scope="session")
def tried_on_two_nodes(mosquitto_program: Path, postgres_programs: Path) -> dict[str, AttackRow]:
    """Return the results of all trials on two nodes."""
    return try_all(2)
