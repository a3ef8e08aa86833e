"""An arena of one server, and one of two nodes: a server process is reused as long as it withstands the attacks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from cornered.bench.attacks.arena import Arena
from cornered.bench.attacks.stage import Attack
from cornered.bench.attacks.trials import AttackTrial
from cornered.bench.attacks.verdict import AttackRow
from cornered.server.app import new_event_loop

__all__ = ["Trials"]

SECONDS = 0.7
LONG_SECONDS = 1.2
SLACK = 2.0
"""Factor on the bounds of latency: shared machines stall now and then, while the attacks stalled the server for
seconds."""


class Trials:
    """Carries out attacks and trials in one arena."""

    def __init__(self, runner: asyncio.Runner, arena: Arena, nodes: int, seconds: float) -> None:
        self._runner = runner
        self._arena = arena
        self.nodes = nodes
        self._seconds = seconds

    def attack(self, attack: Attack) -> AttackRow:
        """Carry out one attack beside bystanders."""
        return self._runner.run(self._arena.run(attack, seconds=self._seconds))

    def try_out(self, trials: Sequence[AttackTrial]) -> list[AttackRow]:
        """Carry out trials, most of them concurrently, since they mostly wait."""

        async def run() -> list[AttackRow]:
            rows = await asyncio.gather(*(self._arena.try_out(trial) for trial in trials if not trial.runs_alone))
            return [*rows, *[await self._arena.try_out(trial) for trial in trials if trial.runs_alone]]

        return self._runner.run(run())


@pytest.fixture(
    scope="module",
    params=[1, pytest.param(2, marks=[pytest.mark.mqtt, pytest.mark.postgres])],
    ids=["one server", "two nodes"],
)
def trials(request: pytest.FixtureRequest, *, is_long: bool) -> Iterator[Trials]:
    if request.param > 1:
        for program in ("mosquitto_program", "postgres_programs"):
            request.getfixturevalue(program)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        opened = Arena.open(slack=SLACK, nodes=request.param)
        arena = runner.run(opened.__aenter__())
        yield Trials(runner, arena, request.param, LONG_SECONDS if is_long else SECONDS)
        runner.run(opened.__aexit__(None, None, None))
