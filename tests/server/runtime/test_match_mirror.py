"""Matches with clients on several nodes: mirrors, changes of ownership, and what a node must not do."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import itertools
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from cornered.protocol.commands import Join, MatchCommand, Play, Rematch, Resign, Say
from cornered.protocol.events import MatchEvent, Played, Resumed, Started
from cornered.protocol.values import NO_CLOCK, Fischer, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.nodes_local import LocalNetwork
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import rematch_id
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.forwarder import FORWARD_SECONDS
from cornered.server.runtime.match_mirror import MatchMirror
from cornered.server.runtime.match_room import MatchRoom
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.tracing import NO_TRACER, Tracer
from tests.server.nodes import Line, LocalNode, SlotTable
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

SMALL = GameSpec(name="trapgrid", options={"size": 3})
ANN, BEN = (Player(id=name, name=name, kind="person") for name in ("ann", "ben"))
MOVES = ("a2", "c2", "a1", "c3")
"""How a game begins here."""
SOON = 0.4
"""Seconds in which messages between nodes arrive."""


class Cluster:
    """Nodes `a` and `b` (and more) over one store; every slot is `a`'s at first."""

    def __init__(self, tasks: TaskGroup, tracer: Callable[[str], Tracer]) -> None:
        self.tracer = tracer
        self.table, self.network, self.store = SlotTable(), LocalNetwork(), MemoryJournal()
        self.tasks = tasks
        self.nodes: dict[str, LocalNode] = {}
        self.numbers = itertools.count(1)

    def now(self) -> int:
        return 1_000_000 + int(asyncio.get_running_loop().time() * 1000)

    async def add(self, name: str) -> LocalNode:
        node = LocalNode(name, self.table, self.network, self.store, self.tasks, self.now, self.tracer(name))
        node.ownership.known = dict(self.table.owners)
        await node.start()
        self.nodes[name] = node
        for each in self.nodes.values():
            each.router.nodes_changed()
        await after(1.0)
        return node

    async def open(self, match: str = "m1", clock: object = NO_CLOCK, delay: int = 0) -> str:
        owner = self.nodes[self.table.owners[slot_of(match)][0]]
        await owner.registry.open_new(MatchMade(match, SMALL, (ANN, BEN), clock, False, delay))  # type: ignore[arg-type]
        return match

    async def join(
        self, node: LocalNode, player: str, match: str, *, legal: bool = False
    ) -> tuple[ClientConnection, Line]:
        client, line = node.client(player)
        room = await node.registry.find(match)
        room.join(client, Join(id="join", match=match, legal=legal))
        await after(SOON)
        return client, line

    async def do(self, node: LocalNode, client: ClientConnection, command: MatchCommand) -> None:
        room = await node.registry.find(command.match)
        room.submit(client, command, asyncio.get_running_loop().time())

    def play(self, match: str, ply: int, move: str | None = None) -> Play:
        return Play(id=f"p{ply}", match=match, ply=ply, move=move or MOVES[ply])

    async def stored(self, match: str) -> Sequence[object]:
        return await self.store.read(match)


@contextlib.asynccontextmanager
async def cluster(*names: str, tracer: Callable[[str], Tracer] = lambda _: NO_TRACER) -> AsyncIterator[Cluster]:
    async with TaskGroup() as tasks:
        made = Cluster(tasks, tracer)
        made.table.assign(ALL_SLOTS, names[0])
        for name in names:
            await made.add(name)
        yield made
        for node in made.nodes.values():
            await node.stop()


def acknowledged(line: Line) -> list[str]:
    return [message["id"] for message in line.of("acknowledged")]


def refusals(line: Line) -> list[tuple[str, str]]:
    return [(message["id"], message["code"]) for message in line.of("refused")]


@dataclass
class Person:
    """A player with one socket, at a node."""

    made: Cluster
    node: LocalNode
    client: ClientConnection
    line: Line
    match: str

    async def send(self, command: MatchCommand) -> None:
        await self.made.do(self.node, self.client, command)

    async def do(self, *commands: MatchCommand) -> None:
        """Send commands, each with the time that messages between nodes take."""
        for command in commands:
            await self.send(command)
            await after(SOON)

    async def play(self, ply: int, move: str | None = None) -> None:
        await self.do(self.made.play(self.match, ply, move))

    async def room(self) -> MatchRoom:
        return await self.node.registry.find(self.match)

    @property
    def acknowledged(self) -> list[str]:
        return acknowledged(self.line)

    @property
    def refusals(self) -> list[tuple[str, str]]:
        return refusals(self.line)

    @property
    def seqs(self) -> list[int]:
        return self.line.seqs()

    @property
    def last(self) -> dict[str, Any]:
        """The newest event that it was told."""
        event: dict[str, Any] = self.line.of("happened")[-1]["events"][-1]
        return event


async def come(made: Cluster, node: str, player: str, match: str = "m1", *, legal: bool = False) -> Person:
    client, line = await made.join(made.nodes[node], player, match, legal=legal)
    return Person(made, made.nodes[node], client, line, match)


@contextlib.asynccontextmanager
async def playing(
    ann: str = "a", ben: str = "b", *nodes: str, plies: int = 0, pause: float = SOON, legal: bool = False, **terms: Any
) -> AsyncIterator[tuple[Cluster, Person, Person]]:
    """A match that node `a` owns, with ann and ben at these nodes, after some moves."""
    async with cluster("a", "b", *nodes) as made:
        match = await made.open(**terms)
        people = [await come(made, node, name, match, legal=legal) for node, name in ((ann, "ann"), (ben, "ben"))]
        for ply in range(plies):
            await people[ply % 2].send(made.play(match, ply))
            await after(pause)
        yield made, people[0], people[1]


def held(node: LocalNode, name: str) -> asyncio.Event:
    """Have a call of a node's journal wait until the event is set, which is returned."""
    call, may_go_on = getattr(node.journal, name), asyncio.Event()

    @functools.wraps(call)
    async def late(*given: Any) -> Any:
        await may_go_on.wait()
        return await call(*given)

    setattr(node.journal, name, late)
    return may_go_on


async def test_players_on_two_nodes_play_a_game_and_talk() -> None:
    async with playing(plies=4) as (made, ann, ben):
        assert isinstance(ben.node.registry.get("m1"), MatchMirror)
        assert ann.seqs == ben.seqs == [2, 3, 4, 5]
        assert (ann.acknowledged, ben.acknowledged) == (["p0", "p2"], ["p1", "p3"])
        # First the answer, then what follows from it.
        assert [one["type"] for one in ben.line.of("acknowledged", "happened")][1:3] == ["acknowledged", "happened"]
        for _ in range(2):
            (await ben.room()).say(ben.client, Say(id="s1", match="m1", text="hello", room="players"))
            await after(SOON)
        later = await come(made, "b", "ben")
        for person in (ann, ben, later):
            assert [message["text"] for message in person.line.of("said")] == ["hello"]


async def test_a_seat_that_is_open_on_two_nodes_plays_once_and_both_see_the_same() -> None:
    async with playing() as (made, here, ben):
        there = await come(made, "b", "ann")
        await ben.play(0)
        assert ben.refusals == [("p0", "not_your_turn")]
        # One command by both connections, then two different moves for one ply, the far one first.
        await here.send(made.play("m1", 0))
        await there.play(0)
        await ben.play(1)
        await there.do(Play(id="there", match="m1", ply=2, move="a1"))
        await here.do(Play(id="here", match="m1", ply=2, move="b1"))
        assert (here.acknowledged, there.acknowledged) == (["p0"], ["p0", "there"])
        assert (here.refusals, there.refusals) == ([("here", "stale_ply")], [])
        played = [event for event in await made.stored("m1") if isinstance(event, Played)]
        assert [(event.ply, event.move) for event in played] == [(0, "a2"), (1, "c2"), (2, "a1")]
        assert here.seqs == there.seqs == [event.seq for event in played]


async def test_spectators_are_counted_across_nodes_and_see_what_others_see() -> None:
    async with cluster("a", "b", "c") as made:
        match = await made.open()
        people = [await come(made, node, name, match) for node, name in (("a", "ann"), ("b", "cas"), ("c", "dan"))]
        # Another window of one who watches is no other watcher.
        await come(made, "b", "cas", match)
        await after(3.0)
        assert [person.line.of("watchers")[-1]["count"] for person in people] == [2, 2, 2]
        await people[0].play(0)
        assert [person.seqs for person in people[1:]] == [[2], [2]]


async def test_spectators_of_a_delayed_match_wait_on_every_node() -> None:
    async with playing(delay=30) as (made, ann, _):
        cas = await come(made, "b", "cas")
        await ann.send(made.play("m1", 0))
        await after(29.0)
        assert cas.seqs == []
        await after(2.0)
        assert cas.seqs == [2]


async def test_a_gap_in_the_news_is_read_from_the_journal() -> None:
    async with playing(ben="a") as (made, ann, ben):
        cas = await come(made, "b", "cas")
        made.network.drop("a", "b", 3)
        await ann.send(made.play("m1", 0))
        await after(0.1)
        await ben.send(made.play("m1", 1))
        await after(3.0)
        assert cas.seqs == [2, 3]


async def test_a_planned_hand_over_interrupts_no_game() -> None:
    async with playing() as (made, ann, ben):
        await ann.send(made.play("m1", 0))
        handing = asyncio.create_task(ann.node.ownership.give([slot_of("m1")], "b"))
        await ben.send(made.play("m1", 1))
        await handing
        await after(SOON)
        await ann.play(2)
        await after(3.0)
        assert isinstance(ann.node.registry.get("m1"), MatchMirror)
        assert isinstance(ben.node.registry.get("m1"), MatchTask)
        assert ann.seqs == ben.seqs == [2, 3, 4]
        assert (ann.acknowledged, ben.acknowledged) == (["p0", "p2"], ["p1"])


async def test_legal_moves_come_from_every_node_also_after_a_hand_over() -> None:
    async with playing(plies=2, legal=True) as (_, ann, ben):
        await ann.node.ownership.give([slot_of("m1")], "b")
        await after(SOON)
        await ann.play(2)
        await after(3.0)
        assert isinstance(ben.node.registry.get("m1"), MatchTask)
        assert [bool(message.get("legal")) for message in ann.line.of("happened")] == [False, True, False]
        assert [bool(message.get("legal")) for message in ben.line.of("happened")] == [True, False, True]
        assert ann.line.of("snapshot")[0]["legal"] == ["a2", "b3"]


async def die(made: Cluster, name: str) -> int:
    """End a node without a word; return the time."""
    node = made.nodes.pop(name)
    await node.stop()
    node.ownership.die()
    return made.now()


async def test_a_dead_owner_is_followed_and_a_repeated_move_is_made_once() -> None:
    async with playing("b", plies=2, clock=Fischer(initial=60)) as (made, ann, _):
        # The move is stored, its answer is lost, and the owner dies.
        made.network.cut("a", "b")
        await ann.play(2)
        assert len(await made.stored("m1")) == 4
        assert ann.acknowledged == ["p0"]
        died = await die(made, "a")
        await after(3.0)
        ann.node.ownership.take(ALL_SLOTS, alive_at=died)
        await after(SOON)
        assert ann.acknowledged == ["p0", "p2"]
        events = await made.stored("m1")
        assert [type(event).__name__ for event in events] == ["Started", "Played", "Played", "Played", "Resumed"]
        refund = events[-1]
        assert isinstance(refund, Resumed)
        assert 3_000 <= refund.refunded <= 3_600
        assert ann.seqs == [2, 3, 4, 5]


async def test_a_match_that_is_asked_for_before_it_is_indexed_gets_back_the_gap_and_no_more() -> None:
    async with playing("b", plies=2, clock=Fischer(initial=60)) as (made, ann, _):
        await after(20.0)
        died = await die(made, "a")
        live = ann.node.journal.live

        async def late(slots: Collection[int] | None = None) -> Sequence[Started]:
            await after(1.0)
            return await live(slots)

        ann.node.journal.live = late  # type: ignore[method-assign]
        await after(3.0)
        ann.node.ownership.take(ALL_SLOTS, alive_at=died)
        await ann.play(2)
        (refund,) = [event for event in await made.stored("m1") if isinstance(event, Resumed)]
        assert 3_000 <= refund.refunded <= 3_600


async def test_the_commands_behind_one_that_shows_the_slots_to_be_lost_are_for_the_next_owner() -> None:
    async with playing() as (made, ann, ben):
        made.table.assign(ALL_SLOTS, "b")
        ben.node.ownership.learn()
        room = await ann.room()
        # The second one is legal once the first one is carried out, which is not so here.
        for command in (Resign(id="end", match="m1"), Rematch(id="again", match="m1")):
            room.submit(ann.client, command, 0.0)
        await after(SOON)
        ann.node.ownership.learn()
        await after(SOON)
        assert (ann.acknowledged, ann.refusals) == (["end", "again"], [])


async def test_a_node_that_lost_its_slots_without_knowing_acknowledges_nothing() -> None:
    async with playing() as (made, ann, ben):
        # The lease ran out while node a was stopped: it has not learnt so.
        made.table.assign(ALL_SLOTS, "b")
        ben.node.ownership.learn()
        await ann.play(0)
        assert ann.acknowledged == []
        assert ann.node.ownership.looks
        assert not [event for event in await made.stored("m1") if isinstance(event, Played)]
        ann.node.ownership.learn()
        await after(SOON)
        assert ann.acknowledged == ["p0"]
        assert ann.seqs == [2, 3]


async def test_a_move_that_was_being_stored_when_the_slots_were_lost_is_answered() -> None:
    """The task ends in the middle of the append, which may or may not have been carried out."""
    async with playing() as (made, ann, ben):
        a, b = ann.node, ben.node
        begun, is_stored = asyncio.Event(), False
        append = a.journal.append

        async def slow(match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            if is_stored:
                await append(match, expected_seq, events)
            begun.set()
            await asyncio.Event().wait()

        for ply in range(0, 4, 2):
            a.journal.append = slow  # type: ignore[method-assign]
            begun.clear()
            await ann.send(made.play("m1", ply))
            await begun.wait()
            b.ownership.take(ALL_SLOTS)
            a.journal.append = append  # type: ignore[method-assign]
            await after(FORWARD_SECONDS + SOON)
            assert ann.acknowledged.count(f"p{ply}") == 1
            await (await come(made, "b", "ben")).play(ply + 1)
            a.ownership.take(ALL_SLOTS)
            await after(SOON)
            is_stored = True
        stored = await a.journal.read("m1")
        assert [event.ply for event in stored if isinstance(event, Played)] == [0, 1, 2, 3]
        assert ann.seqs == [event.seq for event in stored[1:]]


async def test_a_command_whose_owner_cannot_be_reached_is_refused_and_may_be_repeated() -> None:
    async with playing("b") as (made, ann, _):
        made.network.cut_both("a", "b")
        await ann.send(made.play("m1", 0))
        await after(FORWARD_SECONDS + 2)
        assert ann.refusals == [("p0", "internal")]
        made.network.mend("a", "b")
        await after(3.0)
        await ann.play(0)
        assert ann.acknowledged == ["p0"]


async def test_another_command_under_the_id_of_one_that_is_forwarded_is_refused() -> None:
    async with playing("b") as (made, ann, _):
        await ann.send(made.play("m1", 0))
        room = await ann.room()
        with pytest.raises(Refusal, match="id_reused"):
            room.submit(ann.client, Resign(id="p0", match="m1"), 0.0)
        await after(SOON)
        room.submit(ann.client, Resign(id="p0", match="m1"), 0.0)
        await after(SOON)
        assert (ann.acknowledged, ann.refusals) == (["p0"], [("p0", "id_reused")])


async def test_a_command_that_is_forwarded_when_its_socket_is_gone_leaves_nothing() -> None:
    """Its match is looked up meanwhile: who comes, commands and goes could fill the memory."""
    async with cluster("a", "b") as made:
        b = made.nodes["b"]
        match = await made.open()
        client, line = b.client("ann")
        alive = weakref.ref(line)
        b.registry.forwarder.left(client)
        await made.do(b, client, made.play(match, 0))
        await after(SOON)
        assert acknowledged(line) == ["p0"]
        del client, line
        gc.collect()
        assert alive() is None


async def test_a_move_that_waits_for_the_store_is_repeated_without_harm() -> None:
    """The forwarding node asks again every second: none of that may refuse what is about to be stored."""
    async with playing("b") as (made, ann, _):
        is_back = held(made.nodes["a"], "append")
        await ann.send(made.play("m1", 0))
        await after(FORWARD_SECONDS - 0.5)
        assert not ann.refusals
        is_back.set()
        await after(SOON)
        assert (ann.acknowledged, ann.refusals) == (["p0"], [])


@pytest.mark.parametrize(
    ("initial", "pause", "silent", "thinking"), [(10, SOON, 30.0, 3.0), (10, SOON, 6.0, 6.0), (1, 0.02, 3.0, 0.6)]
)
async def test_time_without_a_link_costs_the_far_player_nothing(
    initial: int, pause: float, silent: float, thinking: float
) -> None:
    """In the last case the flag is due before the silence is a lost link."""
    async with playing(plies=3, pause=pause, clock=Fischer(initial=initial)) as (made, _, ben):
        made.network.cut_both("a", "b")
        await after(silent)
        made.network.mend("a", "b")
        await after(thinking)
        await ben.play(3)
        assert ben.acknowledged == ["p1", "p3"]


@pytest.mark.parametrize("is_dead", [False, True], ids=["silent", "dead"])
async def test_a_player_who_comes_over_from_a_silent_node_has_the_time_back(*, is_dead: bool) -> None:
    async with playing(plies=3, clock=Fischer(initial=10)) as (made, ann, ben):
        made.network.cut_both("a", "b")
        await after(34.0)
        if is_dead:
            ben.node.ownership.die()
            ann.node.router.nodes_changed()
            await after(1.0)
        again = await come(made, "a", "ben")
        await after(1.0)
        await again.play(3)
        assert again.acknowledged == ["p3"]
        if is_dead:
            await made.nodes.pop("b").stop()


async def test_the_silence_of_a_node_gives_a_player_of_another_no_time() -> None:
    async with playing(plies=2, clock=Fischer(initial=10)) as (made, ann, _):
        made.network.cut_both("a", "b")
        await after(7.0)
        made.network.mend("a", "b")
        await after(4.0)
        assert ann.last["reason"] == "time"


async def test_a_link_that_one_end_alone_lost_stops_no_clock() -> None:
    """Nothing is missed, so the other end learns nothing of it and does not subscribe again."""
    async with playing(plies=3, clock=Fischer(initial=10)) as (_, ann, _):
        ann.node.bus.reset()
        await after(12.0)
        assert ann.last.get("reason") == "time"


async def test_time_without_a_link_costs_the_near_player_what_it_takes() -> None:
    async with playing(plies=2, clock=Fischer(initial=10)) as (made, ann, _):
        made.network.cut_both("a", "b")
        await after(11.0)
        assert ann.last["reason"] == "time"


async def test_a_rematch_is_owned_by_the_node_of_its_match() -> None:
    new = rematch_id("f00d1234")
    assert slot_of(new) == slot_of("f00d1234")
    async with playing("b", match="f00d1234") as (made, ann, ben):
        await ann.do(Resign(id="r", match=ann.match))
        for person in (ann, ben):
            await person.do(Rematch(id="again", match=ann.match))
        assert ben.last["match"] == new
        assert made.nodes["a"].registry.owned(new) is not None
        assert (await ben.node.registry.find(new)).match.id == new


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_mirror_ends_with_its_last_client_and_the_owner_forgets_it_even_if_it_is_not_told(
    *, is_told: bool
) -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        cas = await come(made, "b", "cas", await made.open())
        await after(2.0)
        assert (await a.registry.find("m1")).watchers == 1
        if not is_told:
            made.network.drop("b", "a")
        (await cas.room()).leave(cas.client)
        await after(SOON if is_told else 2.0)
        assert b.registry.get("m1") is None
        assert (await a.registry.find("m1")).watchers == 0


async def test_a_match_that_is_loaded_for_a_mirror_that_ends_meanwhile_is_closed_again() -> None:
    async with playing(ben="a") as (made, ann, ben):
        await ann.do(Resign(id="r", match="m1"))
        c = await made.add("c")
        # Its new owner has nothing of it in memory, since it is over.
        c.ownership.take(ALL_SLOTS)
        is_back = held(c, "read")
        cas = await come(made, "b", "cas")
        for person in (cas, ann, ben):
            (await person.room()).leave(person.client)
        await after(SOON)
        is_back.set()
        await after(SOON)
        assert cas.node.registry.get("m1") is None
        assert c.registry.get("m1") is None
