"""Matches with clients on several nodes: mirrors, changes of ownership, and what a node must not do."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Sequence

import pytest

from cornered.protocol.commands import Join, MatchCommand, Play, Rematch, Resign, Say
from cornered.protocol.events import MatchEvent, Played, Resumed, Started
from cornered.protocol.values import NO_CLOCK, Fischer, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.nodes_local import LocalNetwork
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import rematch_id
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.forwarder import FORWARD_SECONDS
from cornered.server.runtime.match_mirror import MatchMirror
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


async def test_players_on_two_nodes_play_a_game() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        assert isinstance(b.registry.get(match), MatchMirror)
        for ply in range(4):
            node, client = ((a, ann), (b, ben))[ply % 2]
            await made.do(node, client, made.play(match, ply))
            await after(SOON)
        assert at_a.seqs() == at_b.seqs() == [2, 3, 4, 5]
        assert (acknowledged(at_a), acknowledged(at_b)) == (["p0", "p2"], ["p1", "p3"])
        # First the answer, then what follows from it.
        assert [message["type"] for message in at_b.of("acknowledged", "happened")][1:3] == ["acknowledged", "happened"]


async def test_a_seat_that_is_open_on_two_nodes_plays_once_and_both_see_the_same() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        here, at_a = await made.join(a, "ann", match)
        there, at_b = await made.join(b, "ann", match)
        ben, _ = await made.join(b, "ben", match)
        # One command by both connections, then two different moves for one ply, the far one first.
        await made.do(a, here, made.play(match, 0))
        await made.do(b, there, made.play(match, 0))
        await after(SOON)
        await made.do(b, ben, made.play(match, 1))
        await after(SOON)
        await made.do(b, there, Play(id="there", match=match, ply=2, move="a1"))
        await after(SOON)
        await made.do(a, here, Play(id="here", match=match, ply=2, move="b1"))
        await after(SOON)
        assert (acknowledged(at_a), acknowledged(at_b)) == (["p0"], ["p0", "there"])
        assert (refusals(at_a), refusals(at_b)) == ([("here", "stale_ply")], [])
        played = [event for event in await made.stored(match) if isinstance(event, Played)]
        assert [(event.ply, event.move) for event in played] == [(0, "a2"), (1, "c2"), (2, "a1")]
        assert at_a.seqs() == at_b.seqs() == [event.seq for event in played]


async def test_what_the_rules_refuse_is_refused_on_every_node() -> None:
    async with cluster("a", "b") as made:
        match = await made.open()
        ben, line = await made.join(made.nodes["b"], "ben", match)
        await made.do(made.nodes["b"], ben, made.play(match, 0))
        await after(SOON)
        assert refusals(line) == [("p0", "not_your_turn")]


async def test_spectators_are_counted_across_nodes_and_see_what_others_see() -> None:
    async with cluster("a", "b", "c") as made:
        match = await made.open()
        ann, at_a = await made.join(made.nodes["a"], "ann", match)
        _, at_b = await made.join(made.nodes["b"], "cas", match)
        _, at_c = await made.join(made.nodes["c"], "dan", match)
        await after(3.0)
        assert [line.of("watchers")[-1]["count"] for line in (at_a, at_b, at_c)] == [2, 2, 2]
        await made.do(made.nodes["a"], ann, made.play(match, 0))
        await after(SOON)
        assert at_b.seqs() == at_c.seqs() == [2]


async def test_spectators_of_a_delayed_match_wait_on_every_node() -> None:
    async with cluster("a", "b") as made:
        match = await made.open(delay=30)
        ann, _ = await made.join(made.nodes["a"], "ann", match)
        _, at_b = await made.join(made.nodes["b"], "cas", match)
        await made.do(made.nodes["a"], ann, made.play(match, 0))
        await after(29.0)
        assert at_b.seqs() == []
        await after(2.0)
        assert at_b.seqs() == [2]


async def test_chat_reaches_every_node_once() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        _, at_a = await made.join(a, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        for _ in range(2):
            (await b.registry.find(match)).say(ben, Say(id="s1", match=match, text="hello", room="players"))
            await after(SOON)
        assert [message["text"] for message in at_a.of("said")] == ["hello"]
        assert [message["text"] for message in at_b.of("said")] == ["hello"]
        _, later = await made.join(b, "ben", match)
        assert [message["text"] for message in later.of("said")] == ["hello"]


async def test_a_gap_in_the_news_is_read_from_the_journal() -> None:
    async with cluster("a", "b") as made:
        a = made.nodes["a"]
        match = await made.open()
        ann, _ = await made.join(a, "ann", match)
        ben, _ = await made.join(a, "ben", match)
        _, at_b = await made.join(made.nodes["b"], "cas", match)
        made.network.drop("a", "b", 3)
        await made.do(a, ann, made.play(match, 0))
        await after(0.1)
        await made.do(a, ben, made.play(match, 1))
        await after(3.0)
        assert at_b.seqs() == [2, 3]


async def test_a_planned_hand_over_interrupts_no_game() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        await made.do(a, ann, made.play(match, 0))
        handing = asyncio.create_task(a.ownership.give([slot_of(match)], "b"))
        await made.do(b, ben, made.play(match, 1))
        await handing
        await after(SOON)
        await made.do(a, ann, made.play(match, 2))
        await after(3.0)
        assert isinstance(a.registry.get(match), MatchMirror)
        assert isinstance(b.registry.get(match), MatchTask)
        assert at_a.seqs() == at_b.seqs() == [2, 3, 4]
        assert (acknowledged(at_a), acknowledged(at_b)) == (["p0", "p2"], ["p1"])


async def test_legal_moves_come_from_every_node_also_after_a_hand_over() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match, legal=True)
        ben, at_b = await made.join(b, "ben", match, legal=True)
        await made.do(a, ann, made.play(match, 0))
        await after(SOON)
        await made.do(b, ben, made.play(match, 1))
        await after(SOON)
        await a.ownership.give([slot_of(match)], "b")
        await after(SOON)
        await made.do(a, ann, made.play(match, 2))
        await after(3.0)
        assert isinstance(b.registry.get(match), MatchTask)
        assert [bool(message.get("legal")) for message in at_a.of("happened")] == [False, True, False]
        assert [bool(message.get("legal")) for message in at_b.of("happened")] == [True, False, True]
        assert at_a.of("snapshot")[0]["legal"] == ["a2", "b3"]


async def test_a_dead_owner_is_followed_and_a_repeated_move_is_made_once() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open(clock=Fischer(initial=60))
        ann, at_b = await made.join(b, "ann", match)
        ben, _ = await made.join(b, "ben", match)
        for ply, client in enumerate((ann, ben)):
            await made.do(b, client, made.play(match, ply))
            await after(SOON)
        # The move is stored, its answer is lost, and the owner dies.
        made.network.cut("a", "b")
        await made.do(b, ann, made.play(match, 2))
        await after(SOON)
        assert len(await made.stored(match)) == 4
        assert acknowledged(at_b) == ["p0"]
        await a.stop()
        a.ownership.die()
        died = made.now()
        await after(3.0)
        b.ownership.take(ALL_SLOTS, alive_at=died)
        await after(SOON)
        assert acknowledged(at_b) == ["p0", "p2"]
        events = await made.stored(match)
        assert [type(event).__name__ for event in events] == ["Started", "Played", "Played", "Played", "Resumed"]
        refund = events[-1]
        assert isinstance(refund, Resumed)
        assert 3_000 <= refund.refunded <= 3_600
        assert at_b.seqs() == [2, 3, 4, 5]
        del made.nodes["a"]


async def test_a_match_that_is_asked_for_before_it_is_indexed_gets_back_the_gap_and_no_more() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open(clock=Fischer(initial=60))
        ann, _ = await made.join(b, "ann", match)
        ben, _ = await made.join(b, "ben", match)
        for ply, client in enumerate((ann, ben)):
            await made.do(b, client, made.play(match, ply))
            await after(SOON)
        await after(20.0)
        await a.stop()
        a.ownership.die()
        died, live = made.now(), b.journal.live

        async def late(slots: Collection[int] | None = None) -> Sequence[Started]:
            await after(1.0)
            return await live(slots)

        b.journal.live = late  # type: ignore[method-assign]
        await after(3.0)
        b.ownership.take(ALL_SLOTS, alive_at=died)
        await made.do(b, ann, made.play(match, 2))
        await after(SOON)
        (refund,) = [event for event in await made.stored(match) if isinstance(event, Resumed)]
        assert 3_000 <= refund.refunded <= 3_600
        del made.nodes["a"]


async def test_the_commands_behind_one_that_shows_the_slots_to_be_lost_are_for_the_next_owner() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
        made.table.assign(ALL_SLOTS, "b")
        b.ownership.learn()
        room = await a.registry.find(match)
        # The second one is legal once the first one is carried out, which is not so here.
        for command in (Resign(id="end", match=match), Rematch(id="again", match=match)):
            room.submit(ann, command, 0.0)
        await after(SOON)
        a.ownership.learn()
        await after(SOON)
        assert acknowledged(at_a) == ["end", "again"]
        assert at_a.of("refused") == []


async def test_a_node_that_lost_its_slots_without_knowing_acknowledges_nothing() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
        # The lease ran out while node a was stopped: it has not learnt so.
        made.table.assign(ALL_SLOTS, "b")
        b.ownership.learn()
        await made.do(a, ann, made.play(match, 0))
        await after(SOON)
        assert acknowledged(at_a) == []
        assert a.ownership.looks
        assert not [event for event in await made.stored(match) if isinstance(event, Played)]
        a.ownership.learn()
        await after(SOON)
        assert acknowledged(at_a) == ["p0"]
        assert at_a.seqs() == [2, 3]


async def test_a_move_that_was_being_stored_when_the_slots_were_lost_is_answered() -> None:
    """The task ends in the middle of the append, which may or may not have been carried out."""
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
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
            await made.do(a, ann, made.play(match, ply))
            await begun.wait()
            b.ownership.take(ALL_SLOTS)
            a.journal.append = append  # type: ignore[method-assign]
            await after(FORWARD_SECONDS + SOON)
            assert acknowledged(at_a).count(f"p{ply}") == 1
            ben, _ = await made.join(b, "ben", match)
            await made.do(b, ben, made.play(match, ply + 1))
            await after(SOON)
            a.ownership.take(ALL_SLOTS)
            await after(SOON)
            is_stored = True
        stored = await a.journal.read(match)
        assert [event.ply for event in stored if isinstance(event, Played)] == [0, 1, 2, 3]
        assert at_a.seqs() == [event.seq for event in stored[1:]]


async def test_a_command_whose_owner_cannot_be_reached_is_refused_and_may_be_repeated() -> None:
    async with cluster("a", "b") as made:
        match = await made.open()
        ann, at_b = await made.join(made.nodes["b"], "ann", match)
        made.network.cut_both("a", "b")
        await made.do(made.nodes["b"], ann, made.play(match, 0))
        await after(FORWARD_SECONDS + 2)
        assert refusals(at_b) == [("p0", "internal")]
        made.network.mend("a", "b")
        await after(3.0)
        await made.do(made.nodes["b"], ann, made.play(match, 0))
        await after(SOON)
        assert acknowledged(at_b) == ["p0"]


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
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_b = await made.join(b, "ann", match)
        append, is_back = a.journal.append, asyncio.Event()

        async def late(match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            await is_back.wait()
            await append(match, expected_seq, events)

        a.journal.append = late  # type: ignore[method-assign]
        await made.do(b, ann, made.play(match, 0))
        await after(FORWARD_SECONDS - 0.5)
        assert not refusals(at_b)
        is_back.set()
        await after(SOON)
        assert acknowledged(at_b) == ["p0"]
        assert not refusals(at_b)


@pytest.mark.parametrize(("silent", "thinking"), [(30.0, 3.0), (6.0, 6.0)])
async def test_time_without_a_link_costs_the_far_player_nothing(silent: float, thinking: float) -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open(clock=Fischer(initial=10))
        ann, _ = await made.join(a, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        for ply, (node, client) in enumerate(((a, ann), (b, ben), (a, ann))):
            await made.do(node, client, made.play(match, ply))
            await after(SOON)
        made.network.cut_both("a", "b")
        await after(silent)
        made.network.mend("a", "b")
        await after(thinking)
        await made.do(b, ben, made.play(match, 3))
        await after(SOON)
        assert acknowledged(at_b) == ["p1", "p3"]


@pytest.mark.parametrize("is_dead", [False, True], ids=["silent", "dead"])
async def test_a_player_who_comes_over_from_a_silent_node_has_the_time_back(*, is_dead: bool) -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open(clock=Fischer(initial=10))
        ann, _ = await made.join(a, "ann", match)
        ben, _ = await made.join(b, "ben", match)
        for ply, (node, client) in enumerate(((a, ann), (b, ben), (a, ann))):
            await made.do(node, client, made.play(match, ply))
            await after(SOON)
        made.network.cut_both("a", "b")
        await after(34.0)
        if is_dead:
            b.ownership.die()
            a.router.nodes_changed()
            await after(1.0)
        ben, at_a = await made.join(a, "ben", match)
        await after(1.0)
        await made.do(a, ben, made.play(match, 3))
        await after(SOON)
        assert acknowledged(at_a) == ["p3"]
        if is_dead:
            del made.nodes["b"]
            await b.stop()


async def test_a_flag_that_is_due_before_the_silence_is_a_lost_link_does_not_fall() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open(clock=Fischer(initial=1))
        ann, _ = await made.join(a, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        for ply, (node, client) in enumerate(((a, ann), (b, ben), (a, ann))):
            await made.do(node, client, made.play(match, ply))
            await after(0.02)
        made.network.cut_both("a", "b")
        await after(3.0)
        made.network.mend("a", "b")
        await after(0.6)
        await made.do(b, ben, made.play(match, 3))
        await after(SOON)
        assert acknowledged(at_b) == ["p1", "p3"]


async def begun_at_both(made: Cluster, *, plies: int) -> Line:
    """Begin a match of ten seconds each between ann at its owner `a` and ben at `b`; return ann's line."""
    match = await made.open(clock=Fischer(initial=10))
    ann, at_a = await made.join(made.nodes["a"], "ann", match)
    ben, _ = await made.join(made.nodes["b"], "ben", match)
    for ply in range(plies):
        node, client = (made.nodes["b"], ben) if ply % 2 else (made.nodes["a"], ann)
        await made.do(node, client, made.play(match, ply))
        await after(SOON)
    return at_a


async def test_the_silence_of_a_node_gives_a_player_of_another_no_time() -> None:
    async with cluster("a", "b") as made:
        at_a = await begun_at_both(made, plies=2)
        made.network.cut_both("a", "b")
        await after(7.0)
        made.network.mend("a", "b")
        await after(4.0)
        assert at_a.of("happened")[-1]["events"][-1]["reason"] == "time"


async def test_a_link_that_one_end_alone_lost_stops_no_clock() -> None:
    """Nothing is missed, so the other end learns nothing of it and does not subscribe again."""
    async with cluster("a", "b") as made:
        at_a = await begun_at_both(made, plies=3)
        made.nodes["a"].bus.reset()
        await after(12.0)
        assert at_a.of("happened")[-1]["events"][-1].get("reason") == "time"


async def test_time_without_a_link_costs_the_near_player_what_it_takes() -> None:
    async with cluster("a", "b") as made:
        at_a = await begun_at_both(made, plies=2)
        made.network.cut_both("a", "b")
        await after(11.0)
        assert at_a.of("happened")[-1]["events"][-1]["reason"] == "time"


async def test_a_rematch_is_owned_by_the_node_of_its_match() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open("f00d1234")
        new = rematch_id(match)
        assert slot_of(new) == slot_of(match)
        ann, _ = await made.join(b, "ann", match)
        ben, at_b = await made.join(b, "ben", match)
        await made.do(b, ann, Resign(id="r", match=match))
        await after(SOON)
        for client in (ann, ben):
            await made.do(b, client, Rematch(id="again", match=match))
            await after(SOON)
        assert at_b.of("happened")[-1]["events"][-1]["match"] == new
        assert a.registry.owned(new) is not None
        assert (await b.registry.find(new)).match.id == new


async def test_a_mirror_ends_with_its_last_client_and_the_owner_forgets_it() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        client, _ = await made.join(b, "cas", match)
        await after(2.0)
        assert (await a.registry.find(match)).watchers == 1
        (await b.registry.find(match)).leave(client)
        await after(SOON)
        assert b.registry.get(match) is None
        assert (await a.registry.find(match)).watchers == 0


async def test_the_owner_forgets_a_mirror_whose_end_it_was_not_told() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        client, _ = await made.join(b, "cas", match)
        await after(2.0)
        assert (await a.registry.find(match)).watchers == 1
        made.network.drop("b", "a")
        (await b.registry.find(match)).leave(client)
        await after(2.0)
        assert b.registry.get(match) is None
        assert (await a.registry.find(match)).watchers == 0


async def test_a_match_that_is_loaded_for_a_mirror_that_ends_meanwhile_is_closed_again() -> None:
    async with cluster("a", "b", "c") as made:
        a, b, c = (made.nodes[name] for name in "abc")
        match = await made.open()
        ann, _ = await made.join(a, "ann", match)
        await made.do(a, ann, Resign(id="r", match=match))
        await after(SOON)
        # Its new owner has nothing of it in memory, since it is over.
        c.ownership.take(ALL_SLOTS)
        read, is_back = c.journal.read, asyncio.Event()

        async def late(match: str, since: int = 0) -> Sequence[MatchEvent]:
            await is_back.wait()
            return await read(match, since)

        c.journal.read = late  # type: ignore[method-assign]
        client, _ = await made.join(b, "cas", match)
        (await b.registry.find(match)).leave(client)
        (await a.registry.find(match)).leave(ann)
        await after(SOON)
        is_back.set()
        await after(SOON)
        assert b.registry.get(match) is None
        assert c.registry.get(match) is None
