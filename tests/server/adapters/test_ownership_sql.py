"""Several nodes share the slots of one PostgreSQL database."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import text

from cornered.server.adapters.database import Database, address_of
from cornered.server.adapters.ownership_sql import SqlOwnership
from cornered.server.adapters.postgres import POSTGRES_ERRORS
from cornered.server.adapters.slot_table import Change, changing
from cornered.server.cluster.assignment import LEASE_MS
from cornered.server.cluster.ports import Node, NodesUnlinked, NodeTaken
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT
from cornered.server.ports import JournalUnavailable
from tests.conftest import Postgres
from tests.server.adapters.observer import Recorder
from tests.server.adapters.processes import hold_slots, other_process
from tests.waiting import until as once

pytestmark = pytest.mark.postgres

LEASE_S = LEASE_MS / 1000


class Clock:
    """A monotonic clock that a test can set forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


class Member:
    """A node of the cluster."""

    def __init__(self, url: str, name: str, *, incarnation: str = "1", address: str = "host:1") -> None:
        self.url = url
        self.clock = Clock()
        self.ownership = SqlOwnership(url, Node(name, incarnation, address), clock=self.clock)
        self.observer = Recorder()
        self.keeping: asyncio.Task[None] | None = None

    async def join(self) -> None:
        await self.ownership.join(self.observer)
        self.keeping = asyncio.create_task(self.ownership.keep())

    async def end(self) -> None:
        """Stop without a word, as a process that is killed does."""
        if self.keeping is not None:
            self.keeping.cancel()
            await asyncio.wait((self.keeping,))
            self.keeping = None

    async def leave(self) -> None:
        await self.end()
        await self.ownership.leave()

    @property
    def slots(self) -> set[int]:
        """The slots that it owns by its own account, which its observer shares."""
        own = set(self.ownership.owned())
        assert own == self.observer.slots | self.observer.released or not self.observer.may_release.is_set()
        return own


Join = Callable[..., "contextlib.AbstractAsyncContextManager[Member]"]


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


@contextlib.asynccontextmanager
async def joined(url: str, name: str, **options: str) -> AsyncIterator[Member]:
    member = Member(url, name, **options)
    await member.join()
    try:
        yield member
    finally:
        await member.leave()


async def owners(database: Database) -> dict[int, tuple[str | None, int, int]]:
    async with database.reading() as connection:
        rows = (await connection.execute(text("SELECT slot, owner, epoch, alive_ms FROM slots"))).all()
    return {slot: (owner, epoch, alive) for slot, owner, epoch, alive in rows}


async def seen(database: Database, name: str) -> int:
    async with database.reading() as connection:
        query = text("SELECT seen_ms FROM nodes WHERE name = :name")
        return int((await connection.execute(query, {"name": name})).scalar_one())


async def shown(database: Database, name: str) -> int:
    """Return what the match clock of a node showed when it renewed its lease last."""
    async with database.reading() as connection:
        query = text("SELECT clock_ms FROM nodes WHERE name = :name")
        return int((await connection.execute(query, {"name": name})).scalar_one())


async def expire(database: Database, name: str) -> None:
    """Let the lease of a node that is dead have begun as long ago as it runs."""
    async with database.writing() as connection:
        query = text("UPDATE nodes SET seen_ms = seen_ms - :lease WHERE name = :name")
        await connection.execute(query, {"name": name, "lease": LEASE_MS})


async def cut(database: Database) -> None:
    """End the database's side of all other connections, as a failing network does."""
    async with database.reading() as connection:
        everyone = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        await connection.execute(text(f"SELECT pg_terminate_backend(pid) {everyone}"))


def balanced(*members: Member) -> bool:
    """Return whether the members own every slot once, in shares that differ by at most one."""
    shares = [set(member.ownership.owned()) for member in members]
    sizes = [len(share) for share in shares]
    return sum(sizes) == len(ALL_SLOTS) == len(set().union(*shares)) and max(sizes) - min(sizes) <= 1


async def until(is_so: Callable[[], object]) -> None:
    """Wait for what nodes do by way of the database, and leave them the processor."""
    await once(is_so, every=0.005)


async def renewed(database: Database, *names: str, look: Callable[[], None] = lambda: None) -> None:
    """Return when these nodes have renewed their leases; call `look` until then."""
    last = {name: await seen(database, name) for name in names}
    async with asyncio.timeout(60):
        for name in names:
            while await seen(database, name) == last[name]:
                look()
                async with database.reading() as connection:
                    await connection.execute(text("SELECT pg_sleep(0.01)"))


async def test_the_first_node_owns_every_slot_when_it_has_joined(url: str, database: Database) -> None:
    async with joined(url, "a") as a:
        assert a.slots == set(ALL_SLOTS)
        assert set(a.observer.alive.values()) == {0}
        assert a.ownership.owner_of(LOBBY_SLOT) == "a"
        assert a.ownership.owns(LOBBY_SLOT)
        assert a.ownership.epoch_of(0) == 1
        assert set(a.ownership.nodes) == {"a"}
        assert set((await owners(database)).values()) == {("a", 1, 0)}
        assert abs(await a.ownership.time() - time.time() * 1000) < 60_000
    assert a.observer.told == ["gained", "releasing", "lost"]
    assert a.ownership.owner_of(0) is None
    stored = await owners(database)
    assert {owner for owner, _, _ in stored.values()} == {None}
    assert {epoch for _, epoch, _ in stored.values()} == {2}


async def test_nodes_that_join_get_a_share_that_was_drained_before(url: str) -> None:
    async with joined(url, "a") as a, joined(url, "b") as b:
        a.clock.ahead += LEASE_S
        await until(lambda: balanced(a, b))
        assert a.observer.told == ["gained", "releasing", "lost"]
        assert LOBBY_SLOT in a.slots
        assert all(a.ownership.owner_of(slot) == "b" for slot in b.slots)
        assert all(b.ownership.epoch_of(slot) == 2 for slot in b.slots)
        assert all(a.ownership.epoch_of(slot) is None for slot in b.slots)
        assert b.slots.isdisjoint(a.slots)
        b.clock.ahead += LEASE_S
        before = a.slots, b.slots
        async with joined(url, "c") as c:
            await until(lambda: balanced(a, b, c))
            assert a.slots < before[0]
            assert b.slots < before[1]
            await until(lambda: set(a.ownership.nodes) == set(c.ownership.nodes) == {"a", "b", "c"})
        await until(lambda: balanced(a, b))
        assert "c" not in a.ownership.nodes


async def test_slots_under_release_take_no_decisions_but_what_is_under_way_is_stored(url: str) -> None:
    async with joined(url, "a") as a:
        a.observer.may_release.clear()
        a.clock.ahead += LEASE_S
        async with joined(url, "b") as b:
            await until(lambda: "releasing" in a.observer.told)
            leaving = set(ALL_SLOTS) - a.observer.slots
            assert len(leaving) == 512
            assert not any(a.ownership.owns(slot) for slot in leaving)
            assert all(a.ownership.epoch_of(slot) == 1 for slot in leaving)
            assert not b.slots
            a.observer.may_release.set()
            await until(lambda: b.slots == leaving)


async def test_a_node_that_does_not_finish_hands_over_all_the_same(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.adapters.ownership_sql.RELEASE_SECONDS", 0.05)
    async with joined(url, "a") as a:
        a.observer.may_release.clear()
        a.clock.ahead += LEASE_S
        async with joined(url, "b") as b:
            await until(lambda: balanced(a, b))
        a.observer.may_release.set()


async def test_the_slots_of_a_killed_node_come_to_the_others_with_its_last_renewal(
    url: str, database: Database
) -> None:
    async with joined(url, "a") as a, joined(url, "b") as b:
        a.clock.ahead += LEASE_S
        await until(lambda: balanced(a, b))
        b.clock.ahead += LEASE_S
        orphans = a.slots
        await a.end()
        last = await shown(database, "a")
        await expire(database, "a")
        await until(lambda: b.slots == set(ALL_SLOTS))
        assert {b.observer.alive[slot] for slot in orphans} == {last}
        assert all(b.ownership.epoch_of(slot) == 2 for slot in orphans)
        assert set(b.ownership.nodes) == {"b"}


async def test_the_match_clock_is_handed_on_whatever_the_databases_clock_shows(url: str, database: Database) -> None:
    """An hour ahead of the database's clock, which somebody has set back."""
    async with joined(url, "a") as a:
        a.clock.ahead += 3600
        ahead = await a.ownership.time()
        while await shown(database, "a") < ahead:
            await renewed(database, "a", look=a.ownership.look)
        async with joined(url, "b") as b:
            assert await a.ownership.time() >= await b.ownership.time() >= ahead
            await a.end()
            last = await shown(database, "a")
            await expire(database, "a")
            b.clock.ahead += LEASE_S
            await until(lambda: b.slots == set(ALL_SLOTS))
            assert set(b.observer.alive.values()) >= {last}
            last = await b.ownership.time()
    async with joined(url, "c") as c:
        assert await c.ownership.time() >= last, "all nodes were away"


async def test_two_of_three_share_the_slots_of_the_third(url: str, database: Database) -> None:
    async with joined(url, "a") as a, joined(url, "b") as b, joined(url, "c") as c:
        for member in (a, b, c):
            member.clock.ahead += LEASE_S
        await until(lambda: balanced(a, b, c))
        before = a.slots, b.slots
        await c.end()
        await expire(database, "c")
        await until(lambda: balanced(a, b))
        assert a.slots > before[0]
        assert b.slots > before[1]


async def test_no_slot_is_lost_by_nodes_whose_database_was_away(
    postgres: Postgres, url: str, database: Database
) -> None:
    async with joined(url, "a") as a, joined(url, "b") as b:
        a.clock.ahead += LEASE_S
        await until(lambda: balanced(a, b))
        before, shares = await owners(database), (a.slots, b.slots)
        postgres.kill()
        try:
            with pytest.raises(JournalUnavailable):
                await SqlOwnership(url, Node("c", "1", "host:9")).time()
            # All leases have run out when the database is back.
            await until(lambda: min(a.ownership.lease_age, b.ownership.lease_age) > LEASE_S)
        finally:
            postgres.start()
        await renewed(database, "a", "b")
        assert (a.slots, b.slots) == shares
        assert await owners(database) == before


async def test_a_node_whose_database_is_back_gives_the_others_the_time_of_a_lease(
    postgres: Postgres, url: str, database: Database
) -> None:
    async with joined(url, "a") as a, joined(url, "b") as b:
        a.clock.ahead += LEASE_S
        await until(lambda: balanced(a, b))
        before, shares = await owners(database), (a.slots, b.slots)
        await b.end()
        postgres.kill()
        try:
            deadline = time.monotonic() + LEASE_S
            await until(lambda: time.monotonic() > deadline)
        finally:
            postgres.start()
        await until(lambda: a.slots)
        for _ in range(3):
            await renewed(database, "a", look=a.ownership.look)
        assert a.slots == shares[0]
        b.keeping = asyncio.create_task(b.ownership.keep())
        await until(lambda: b.slots == shares[1])
        assert await owners(database) == before


async def test_a_connection_that_is_cut_is_replaced_without_losing_anything(url: str, database: Database) -> None:
    async with joined(url, "a") as a:
        await cut(database)
        await renewed(database, "a")
        assert a.observer.told == ["gained"]


async def test_a_node_that_was_suspended_finds_its_slots_taken(url: str, database: Database) -> None:
    async with joined(url, "a") as a:
        a.clock.ahead += LEASE_S
        async with joined(url, "b") as b:
            await until(lambda: balanced(a, b))
            b.clock.ahead += LEASE_S
            taken = a.slots
            await a.end()
            await expire(database, "a")
            await until(lambda: b.slots == set(ALL_SLOTS))
            a.keeping = asyncio.create_task(a.ownership.keep())
            await until(lambda: balanced(a, b))
            assert all(a.ownership.epoch_of(slot) == 3 for slot in a.slots & taken)


async def test_a_second_process_of_the_same_name_is_refused_while_the_first_one_lives(url: str) -> None:
    async with joined(url, "a") as a:
        second = Member(url, "a", incarnation="2")
        with pytest.raises(NodeTaken):
            await second.join()
        assert second.observer.told == []
        assert a.slots == set(ALL_SLOTS)


@pytest.mark.usefixtures("forks")
async def test_a_node_that_was_killed_starts_again_at_once_with_its_slots(url: str, database: Database) -> None:
    async with other_process(hold_slots, url, "a") as first:
        await first.says("held")
        await first.kill()
        last, before = await shown(database, "a"), await seen(database, "a")
        async with joined(url, "a") as a:
            assert await seen(database, "a") < before + LEASE_MS, "before the lease of the killed process ended"
            assert a.slots == set(ALL_SLOTS)
            assert set(a.observer.alive.values()) == {last}
            assert a.ownership.epoch_of(0) == 2


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("off_s", [-3600.0, 3600.0], ids=["behind", "ahead"])
async def test_a_node_whose_wall_clock_is_wrong_neither_takes_a_living_nodes_slots_nor_loses_its_own(
    url: str, database: Database, monkeypatch: pytest.MonkeyPatch, off_s: float
) -> None:
    right = time.time
    async with other_process(hold_slots, url, "a") as first:
        await first.says("held")
        monkeypatch.setattr(time, "time", lambda: right() + off_s)
        async with joined(url, "b") as b:
            assert abs(await b.ownership.time() / 1000 - right()) < 60
            b.clock.ahead += LEASE_S
            # The other node hands over what is above its share; nothing is taken from it.
            await until(lambda: len(b.slots) == len(ALL_SLOTS) // 2)
            await renewed(database, "a", look=b.ownership.look)
            assert len(b.slots) == len(ALL_SLOTS) // 2
            assert set(b.ownership.nodes) == {"a", "b"}
            await first.kill()
            last = await shown(database, "a")
            await expire(database, "a")
            await until(lambda: b.slots == set(ALL_SLOTS))
            assert last in b.observer.alive.values()
    stored = await owners(database)
    assert {epoch for _, epoch, _ in stored.values()} == {3}, "taken once, after the other node's death"


@pytest.mark.usefixtures("forks")
async def test_a_stopped_process_loses_its_name_to_the_next_one(url: str) -> None:
    async with other_process(hold_slots, url, "a") as first:
        await first.says("held")
        os.kill(first.pid, signal.SIGSTOP)
        async with joined(url, "a") as a:
            assert a.slots == set(ALL_SLOTS)
            os.kill(first.pid, signal.SIGCONT)
            assert await first.ended() == 1


async def test_a_node_whose_name_another_process_took_ends(url: str, database: Database) -> None:
    async with joined(url, "a") as a:
        async with database.writing() as connection:
            await connection.execute(text("UPDATE nodes SET incarnation = '2'"))
        a.ownership.look()
        assert a.keeping is not None
        with pytest.raises(NodeTaken):
            await asyncio.wait_for(a.keeping, 30)
        assert not a.slots
        a.keeping = None
        async with database.writing() as connection:
            await connection.execute(text("DELETE FROM nodes"))


async def test_nodes_that_cannot_hear_of_each_other_are_refused_unless_the_first_was_killed(url: str) -> None:
    for first, second in (("", ""), ("host:1", ""), ("", "host:2")):
        async with joined(url, "a", address=first) as a:
            with pytest.raises(NodesUnlinked, match="the node a uses"):
                await Member(url, "b", address=second).join()
            assert a.slots == set(ALL_SLOTS)
    killed = Member(url, "a", address="")
    await killed.join()
    await killed.end()
    async with joined(url, "b", address="") as b:
        assert b.slots == set(ALL_SLOTS)
    await killed.leave()


async def test_a_node_whose_change_is_cut_off_while_it_joins_joins_again(
    url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the database does where the process stood still for longer than it waits."""
    enter, cuts = Change.enter, [cut]

    async def cut_once(self: Change, backend: tuple[int, int], at: int) -> None:
        if cuts:
            await cuts.pop()(database)
        await enter(self, backend, at)

    monkeypatch.setattr(Change, "enter", cut_once)
    async with joined(url, "a") as a:
        assert cuts == []
        assert a.slots == set(ALL_SLOTS)


async def test_a_database_that_cannot_be_reached_is_named(postgres: Postgres, url: str) -> None:
    postgres.kill()
    try:
        with pytest.raises(JournalUnavailable):
            await Member(url, "a").join()
    finally:
        postgres.start()


async def test_a_process_that_stops_amid_a_change_keeps_the_others_waiting_for_a_moment_only(
    url: str, database: Database
) -> None:
    stopped = changing(address_of(url), Node("stopped", "1", "host:9"))
    await stopped.__aenter__()
    # It holds the lock, and says nothing any more until the other has joined.
    async with joined(url, "a") as a:
        assert a.slots == set(ALL_SLOTS)
    with pytest.raises(POSTGRES_ERRORS):
        await stopped.__aexit__(None, None, None)
