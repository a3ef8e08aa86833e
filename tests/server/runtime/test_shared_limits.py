"""Limits of several nodes together, and the connections that each of them counts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.nodes_local import LocalNetwork
from cornered.server.cluster.messages import Usage, Used
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.refusal import Refusal
from cornered.server.runtime.limits import ACCOUNT_FAILURE_BURST, ADDRESS_FAILURE_BURST, MAX_IDLE
from cornered.server.runtime.shared_limits import MAX_TOLD
from cornered.server.runtime.sign_ins import SignIns
from cornered.server.runtime.task_group import TaskGroup
from tests.server.nodes import LocalNode, SlotTable
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


@contextlib.asynccontextmanager
async def nodes(*names: str) -> AsyncIterator[tuple[list[LocalNode], LocalNetwork]]:
    table, network, store = SlotTable(), LocalNetwork(), MemoryJournal()
    table.assign(ALL_SLOTS, names[0])
    async with TaskGroup() as tasks:
        made = [LocalNode(name, table, network, store, tasks, lambda: 0) for name in names]
        for node in made:
            await node.start()
        for node in made:
            node.router.nodes_changed()
        await after(2.0)
        yield made, network
        for node in made:
            await node.stop()


async def test_a_player_who_goes_to_two_nodes_gets_no_more_than_on_one() -> None:
    async with nodes("a", "b") as ((a, b), _):
        buckets = [node.limits.players.enter("ann").commands for node in (a, b)]
        now = asyncio.get_running_loop().time
        begun, spent = now(), 0
        while now() < begun + 20:
            for bucket in buckets:
                while bucket.take(now()):
                    spent += 1
            await after(0.01)
        rate, burst = buckets[0].rate, buckets[0].burst
        # Two bursts and an interval of both at once, before the nodes have told each other.
        assert 20 * rate <= spent <= 20 * rate * 1.05 + 2 * burst + 2 * rate


async def test_connections_are_counted_on_all_nodes_until_they_end_or_their_node_starts_again_or_dies() -> None:
    async with nodes("a", "b") as ((a, b), _):
        for _ in range(3):
            b.limits.addresses.enter("10.0.0.1")
            b.limits.players.enter("ann")
        await after(1.5)
        assert a.limits.addresses.connections("10.0.0.1") == a.limits.players.connections("ann") == 3
        a.limits.players.enter("ann")
        b.limits.players.leave("ann")
        await after(1.5)
        assert a.limits.players.connections("ann") == b.limits.players.connections("ann") == 3
        # A node that is started again at once has none of its connections.
        b.ownership.here = replace(b.ownership.here, incarnation="b-2")
        a.router.nodes_changed()
        assert a.limits.players.connections("ann") == 1
    async with nodes("a", "b") as ((a, b), _):
        b.limits.addresses.enter("10.0.0.1")
        await after(1.5)
        assert a.limits.addresses.connections("10.0.0.1") == 1
        b.ownership.die()
        a.router.nodes_changed()
        assert a.limits.addresses.connections("10.0.0.1") == 0


async def test_what_a_node_missed_is_told_again() -> None:
    async with nodes("a", "b") as ((a, b), network):
        network.cut_both("a", "b")
        b.limits.players.enter("ann")
        await after(5.0)
        assert a.limits.players.connections("ann") == 0
        network.mend("a", "b")
        await after(4.0)
        assert a.limits.players.connections("ann") == 1


async def test_every_name_is_told_though_more_change_than_one_message_takes() -> None:
    async with nodes("a", "b") as ((a, b), _):
        now = asyncio.get_running_loop().time
        late = "the last one"
        busy = [b.limits.players.enter(f"p{number}") for number in range(MAX_TOLD)]
        b.limits.players.enter(late)
        for _ in range(5):
            for limits in busy:
                limits.commands.take(now())
            await after(1.0)
        assert a.limits.players.connections(late) == 1


async def test_the_names_of_other_nodes_are_remembered_in_bounds() -> None:
    async with nodes("a", "b") as ((a, _), _):
        for number in range(MAX_IDLE + 100):
            used = Used(key=f"p{number}", connections=0, tokens=(5.0, 0.0))
            a.router.received("b", Usage(players=(used,)))
        assert len(a.limits.players) == MAX_IDLE
        assert a.limits.players.elsewhere("p1") == 0


async def test_failed_sign_ins_count_on_all_nodes() -> None:
    async with nodes("a", "b") as ((a, b), _):
        now = asyncio.get_running_loop().time
        here, there = (SignIns(node.limits) for node in (a, b))
        addresses = [node.limits.addresses.enter("10.0.0.1") for node in (a, b)]
        for _ in range(int(ACCOUNT_FAILURE_BURST)):
            with here.attempt("anna", addresses[0], ""):
                pass
        with pytest.raises(Refusal) as refused, here.attempt("anna", addresses[0], ""):
            raise AssertionError("it is refused before the password is looked at")
        assert refused.value.code == "too_fast"
        await after(1.5)
        with pytest.raises(Refusal), there.attempt("anna", addresses[1], ""):
            raise AssertionError("the other node has heard of the failures")
        with there.attempt("anna", addresses[1], "10.0.0.1") as attempt:
            attempt.succeeded()
        assert addresses[1].failures.wait(now(), ADDRESS_FAILURE_BURST) > 0
