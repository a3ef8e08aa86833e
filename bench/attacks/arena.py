"""Runs attacks one after the other on real server processes, and measures the bystanders' latencies meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from cornered.bench.attacks.bystanders import Bystanders
from cornered.bench.attacks.servers import Installation, Servers
from cornered.bench.attacks.stage import Attack
from cornered.bench.attacks.trials import AttackTrial
from cornered.bench.attacks.verdict import AttackRow, judge
from cornered.services.running import passing_services

__all__ = ["Arena"]

CALM_SECONDS: Final = 0.5
CLEANUP_TIMEOUT_S: Final = 3.0
"""Seconds within which an attack's sockets and tasks have to be released."""
LAZY_TASKS: Final = 2
"""Tasks that a server starts on first use, such as the journal's."""
STANDING: Final = ("sockets", "tasks", "players", "match_tasks", "mirrors")
CONNECTIONS: Final = "open connections"
POOLED_CONNECTIONS: Final = 12
"""Connections to the database that a node of several opens on first use."""
SAMPLE_SECONDS: Final = 0.05
PREPARE_SECONDS: Final = 60.0


class Arena:
    """Keeps the servers for each combination of settings, and replaces those that failed an attack."""

    def __init__(self, slack: float, installation: Installation) -> None:
        self._slack = slack
        self._installation = installation
        self._stacks: dict[frozenset[tuple[str, str]], contextlib.AsyncExitStack] = {}
        self._servers: dict[frozenset[tuple[str, str]], Servers] = {}
        """Servers by their settings; `_stacks` has what ends each."""
        self._networks = itertools.count(10)
        """Numbers of loopback networks: every attack has addresses without charged tokens."""

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, *, slack: float = 1.0, nodes: int = 1) -> AsyncIterator[Arena]:
        """Run servers inside the block; the bounds of latencies are multiplied by `slack`.

        With several nodes each server is that many, on services of its own. The attacker is at the first, the
        bystanders are at all.
        """
        with passing_services() if nodes > 1 else contextlib.nullcontext() as services:
            arena = cls(slack, Installation(nodes, services))
            try:
                yield arena
            finally:
                for key in tuple(arena._servers):
                    await arena._drop(key)

    async def servers(self, settings: Mapping[str, str]) -> Servers:
        """Return running servers with these settings that have withstood all earlier attacks."""
        key = frozenset(settings.items())
        if key not in self._servers:
            stack = contextlib.AsyncExitStack()
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cornered-attack-"))
            starting = self._installation.start(Path(folder), **settings)
            self._servers[key] = await stack.enter_async_context(starting)
            self._stacks[key] = stack
        return self._servers[key]

    async def _drop(self, key: frozenset[tuple[str, str]]) -> None:
        self._servers.pop(key)
        await self._stacks.pop(key).aclose()

    async def run(
        self, attack: Attack, *, seconds: float, scale: float = 1.0, options: Mapping[str, str] | None = None
    ) -> AttackRow:
        """Run one attack beside bystanders, and judge it. An attack that failed by latency alone is repeated once,
        which excludes a delay of the machine."""
        try:
            row = await self._run(attack, seconds, scale, options or {})
        except RuntimeError as error:
            row = AttackRow(attack.name, faults=[str(error)])
        if row.was_only_slow:
            row = await self._run(attack, seconds, scale, options or {})
        if not row.is_withstood:
            await self._drop(frozenset(attack.settings.items()))
        return row

    async def try_out(self, trial: AttackTrial, *, scale: float = 1.0) -> AttackRow:
        """Run one trial, on servers of its own."""
        row = AttackRow(trial.name)
        try:
            await trial.run(row, self._installation, scale)
        except (OSError, TimeoutError, RuntimeError) as error:
            row.faults.append(f"it could not be carried out: {error!r}")
        return row

    async def _run(self, attack: Attack, seconds: float, scale: float, options: Mapping[str, str]) -> AttackRow:
        servers = await self.servers(attack.settings)
        row = AttackRow(attack.name)
        before = await self._standing(servers)
        if attack.keeps_matches:
            before = {name: number for name, number in before.items() if not name.startswith(("match_tasks", "tasks"))}
        seen = [len(node.log) for node in servers.nodes]
        stage = {
            "addresses": servers.addresses,
            "broker": "" if servers.services is None else servers.services.mqtt,
            "network": f"127.{next(self._networks) % 240 + 10}.0",
            "seconds": seconds,
            "scale": scale,
            "options": dict(options),
        }
        # The attacker's process imports its modules while the bystanders begin to play.
        async with _process(attack) as process, Bystanders.at(servers.addresses) as bystanders:
            with contextlib.suppress(TimeoutError):
                await bystanders.settle()
            await _prepare(process, stage | {"players": [player.player for player in bystanders.players]})
            bystanders.turn(row.without)
            await asyncio.sleep(CALM_SECONDS if attack.is_timed else 0.0)
            bystanders.turn(row.during)
            row.growth, told = await self._attack(process, servers, seconds)
            row.did, row.faults = told["did"], told["faults"]
            await bystanders.finish()
            await _end(process)
            # Leftovers are counted after the attacker's sockets have closed, so that only the server can still hold
            # them.
            row.left = await self._left(servers, before, staying=len(bystanders.pairs) * 3)
        row.left |= await self._left(servers, before)
        row.log = [line for node, start in zip(servers.nodes, seen, strict=True) for line in node.log[start:]]
        if not servers.are_alive:
            row.faults.append("the server is dead")
        judge(row, is_timed=attack.is_timed, slack=self._slack)
        return row

    async def _attack(
        self, process: asyncio.subprocess.Process, servers: Servers, seconds: float
    ) -> tuple[int, dict[str, Any]]:
        """Run the attack; return the peak growth of a node's memory in bytes, and the attacker's result."""
        assert process.stdin is not None
        assert process.stdout is not None
        before = [node.resident for node in servers.nodes]
        growth = 0
        process.stdin.write(b"begin\n")
        result = asyncio.ensure_future(process.stdout.readline())
        async with asyncio.timeout(seconds + PREPARE_SECONDS):
            while not result.done():
                growth = max(growth, *(node.resident - was for node, was in zip(servers.nodes, before, strict=True)))
                await asyncio.wait([result], timeout=SAMPLE_SECONDS)
        line = await result
        told = json.loads(line) if line else {"did": "", "faults": ["the attacker's process failed"]}
        return growth, told

    async def _standing(self, servers: Servers) -> dict[str, float]:
        """Return the gauges of all nodes that have to return to their values after an attack."""
        known: dict[str, float] = {}
        for suffix, node in servers.named():
            gauges = await node.gauges()
            known |= {f"{name}{suffix}": gauges[name] for name in STANDING if name in gauges}
            known[f"{CONNECTIONS}{suffix}"] = float(node.handles["sockets"])
        return known

    async def _left(self, servers: Servers, before: dict[str, float], *, staying: int = 0) -> dict[str, float]:
        """Return the increase of each gauge over `before`, after waiting for resources to be released."""
        loop = asyncio.get_running_loop()
        until = loop.time() + CLEANUP_TIMEOUT_S
        while True:
            try:
                now = await self._standing(servers)
            except (OSError, TimeoutError):
                return {"answers to /metrics": -1.0}
            allowed = dict.fromkeys(before, staying)
            for suffix, _ in servers.named():
                allowed[f"tasks{suffix}"] = 2 * staying + LAZY_TASKS
                if servers.services is not None:
                    allowed[f"{CONNECTIONS}{suffix}"] = staying + POOLED_CONNECTIONS
            left = {
                name: now[name] - number - allowed[name]
                for name, number in before.items()
                if now[name] > number + allowed[name]
            }
            if not left or loop.time() > until:
                return left
            await asyncio.sleep(SAMPLE_SECONDS)


@contextlib.asynccontextmanager
async def _process(attack: Attack) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the attacker's process inside the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", attack.module, attack.name),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        await _end(process)


async def _prepare(process: asyncio.subprocess.Process, stage: Mapping[str, object]) -> None:
    """Send the attacker's process its stage, and wait until it is prepared."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{json.dumps(stage)}\n".encode())
    async with asyncio.timeout(PREPARE_SECONDS):
        if await process.stdout.readline() != b"ready\n":
            raise RuntimeError("the attack could not be prepared")


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the attacker's process, which closes its sockets."""
    if process.returncode is None:
        process.kill()
    await process.wait()
