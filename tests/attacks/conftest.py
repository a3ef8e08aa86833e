"""One arena for all attacks: a server process is reused as long as it withstands them."""

from __future__ import annotations

import asyncio
import sys
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


@pytest.fixture(scope="session")
def carry_out() -> Iterator[Callable[[Attack], AttackRow]]:
    """Return the function that runs one attack beside bystanders."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        opened = Arena.open(slack=SLACK)
        arena = runner.run(opened.__aenter__())
        yield lambda attack: runner.run(arena.run(attack, seconds=SECONDS))
        runner.run(opened.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def tried() -> dict[str, AttackRow]:
    """Return the results of all trials, which run concurrently since they mostly wait."""

    async def try_all() -> list[AttackRow]:
        async with Arena.open() as arena:
            return await asyncio.gather(*(arena.try_out(trial) for trial in TRIALS_BY_NAME.values()))

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return {row.attack: row for row in runner.run(try_all())}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the campaigns without `--campaigns`, and run one attack at a time. They need Linux's loopback network and
    /proc, and an otherwise idle machine."""
    here = Path(__file__).parent
    campaigns = [item for item in items if item.path.is_relative_to(here)]
    if not config.getoption("--campaigns"):
        items[:] = [item for item in items if item not in campaigns]
        config.hook.pytest_deselected(items=campaigns)
        return
    for item in campaigns:
        item.add_marker(pytest.mark.attacks)
        item.add_marker(pytest.mark.xdist_group("attacks"))
        if sys.platform != "linux":
            item.add_marker(pytest.mark.skip(reason="needs Linux's loopback network and /proc"))
