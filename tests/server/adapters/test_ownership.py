"""The contract of ownership for a node that is alone, applied to every adapter."""

from __future__ import annotations

import asyncio
import contextlib

from cornered.server.adapters.ownership_local import LocalOwnership
from cornered.server.cluster.ports import Node
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT
from tests.server.adapters.observer import Recorder

HERE = Node("home", "incarnation", "")


async def test_a_node_that_is_alone_owns_every_slot_from_joining_to_leaving() -> None:
    ownership, observer = LocalOwnership(HERE, lambda: 7, alive_ms=5), Recorder()
    assert not ownership.owns(0)
    assert ownership.epoch_of(0) is None
    assert ownership.nodes == {}
    await ownership.join(observer)
    keeping = asyncio.create_task(ownership.keep())
    await asyncio.sleep(0)
    assert ownership.here == HERE
    assert ownership.nodes == {"home": HERE}
    assert set(ownership.owned()) == set(ALL_SLOTS) == observer.slots
    assert observer.alive == dict.fromkeys(ALL_SLOTS, 5)
    assert observer.changes
    for slot in (0, LOBBY_SLOT):
        assert ownership.owns(slot)
        assert ownership.owner_of(slot) == "home"
        assert ownership.epoch_of(slot) is not None
    assert not ownership.owns(LOBBY_SLOT + 1)
    assert await ownership.time() == 7
    ownership.look()
    keeping.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await keeping
    observer.may_release.clear()
    leaving = asyncio.create_task(ownership.leave())
    await asyncio.sleep(0)
    assert not ownership.owns(0)
    assert ownership.epoch_of(0) is not None, "what is under way is still stored"
    observer.may_release.set()
    await leaving
    assert observer.slots == set()
    assert observer.told == ["gained", "releasing", "lost"]
    assert ownership.owner_of(0) is None
    assert ownership.epoch_of(0) is None
