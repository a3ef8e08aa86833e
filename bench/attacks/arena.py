"""Runs attacks one after the other on real server processes, and measures the bystanders' latencies meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from cornered.bench.attacks.attackers import Attackers
from cornered.bench.attacks.bystanders import Bystanders
from cornered.bench.attacks.servers import Installation, Servers
from cornered.bench.attacks.stage import Attack
from cornered.bench.attacks.trials import AttackTrial
from cornered.bench.attacks.verdict import AttackRow, judge
from cornered.services.running import passing_services

__all__ = ["Arena"]

CALM_SECONDS: Final = 0.3
CLEANUP_TIMEOUT_S: Final = 10.0
"""Seconds within which an attack's sockets and tasks have to be released."""
LAZY_TASKS: Final = 2
"""Tasks that a server starts on first use, such as the journal's."""
STANDING: Final = ("sockets", "tasks", "players", "match_tasks", "mirrors")
CONNECTIONS: Final = "open connections"
POOLED_CONNECTIONS: Final = 12
"""Connections to the database that a node of several opens on first use."""
SAMPLE_SECONDS: Final = 0.05
RESULT_SECONDS: Final = 60.0
"""Seconds after its time within which an attack has to tell its result."""


class Arena:
    """Keeps the servers for each combination of settings, and replaces those that failed an attack."""

    def __init__(self, slack: float, installation: Installation, lasting: contextlib.AsyncExitStack) -> None:
        self._slack = slack
        self._installation = installation
        self._lasting = lasting
        """Ends what lasts as long as the arena."""
        self._attackers: dict[str, Attackers] = {}
        """Processes of attackers by their module."""
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
        async with contextlib.AsyncExitStack() as lasting:
            services = lasting.enter_context(passing_services()) if nodes > 1 else None
            arena = cls(slack, Installation(nodes, services), lasting)
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

    async def _attackers_of(self, module: str) -> Attackers:
        if module not in self._attackers:
            self._attackers[module] = await self._lasting.enter_async_context(Attackers.open(module))
        return self._attackers[module]

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
        servers, attackers = await self.servers(attack.settings), await self._attackers_of(attack.module)
        row = AttackRow(attack.name)
        before = await self._standing(servers)
        if attack.keeps_matches:
            before = {name: number for name, number in before.items() if not name.startswith(("match_tasks", "tasks"))}
        seen = [len(node.log) for node in servers.nodes]
        stage = {
            "attack": attack.name,
            "addresses": servers.addresses,
            "broker": "" if servers.services is None else servers.services.mqtt,
            "network": f"127.{next(self._networks) % 240 + 10}.0",
            "seconds": seconds,
            "scale": scale,
            "options": dict(options),
        }
        async with Bystanders.at(servers.addresses) as bystanders:
            with contextlib.suppress(TimeoutError):
                await bystanders.settle()
            async with attackers.attack(stage | {"players": [player.player for player in bystanders.players]}):
                bystanders.turn(row.without)
                await asyncio.sleep(CALM_SECONDS if attack.is_timed else 0.0)
                bystanders.turn(row.during)
                row.growth, told = await self._attack(attackers, servers, seconds)
                row.did, row.faults = told["did"], told["faults"]
                await bystanders.finish()
            # Leftovers are counted after the attacker's sockets have closed, so that only the server can still hold
            # them.
            row.left = await self._left(servers, before, staying=len(bystanders.pairs) * 3)
        row.left |= await self._left(servers, before)
        row.log = [line for node, start in zip(servers.nodes, seen, strict=True) for line in node.log[start:]]
        if not servers.are_alive:
            row.faults.append("the server is dead")
        judge(row, is_timed=attack.is_timed, slack=self._slack)
        return row

    async def _attack(self, attackers: Attackers, servers: Servers, seconds: float) -> tuple[int, dict[str, Any]]:
        """Run the attack; return the peak growth of a node's memory in bytes, and the attacker's result."""
        before = [node.resident for node in servers.nodes]
        growth = 0
        result = asyncio.ensure_future(attackers.result())
        async with asyncio.timeout(seconds + RESULT_SECONDS):
            while not result.done():
                growth = max(growth, *(node.resident - was for node, was in zip(servers.nodes, before, strict=True)))
                await asyncio.wait([result], timeout=SAMPLE_SECONDS)
        return growth, await result

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
