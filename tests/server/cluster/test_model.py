"""Any interleaving of moves, appends, deliveries, take-overs, lapsed leases and crashes keeps what was acknowledged.

The nodes are the real ones, matches, mirrors, forwarder and bus, in one event loop with virtual time; the store, the
table of slots and the network are in memory and do what the machine tells them.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from cornered import engine
from cornered.protocol.commands import Join, Play
from cornered.protocol.events import EVENT, Ended, MatchEvent, Played
from cornered.protocol.values import NO_CLOCK, Fischer, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.nodes_local import LocalNetwork
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.ports import JournalUnavailable, NotOwner, StaleSequence
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.match_room import MatchRoom
from cornered.server.runtime.task_group import TaskGroup
from tests.server.nodes import FencedJournal, Line, LocalNode, SlotTable, TableOwnership
from tests.virtual_time import VirtualTimeLoop, after

T = TypeVar("T")
MATCH: Final = "m1"
SPEC: Final = GameSpec(name="trapgrid", options={"size": 5})
PLAYERS: Final = tuple(Player(id=name, name=name, kind="person") for name in ("ann", "ben"))
TRANSIENT: Final = frozenset({"internal", "shutting_down", "too_fast"})
NODES: Final = ("a", "b")
CALM_S: Final = 40.0
"""Virtual seconds in which the match has to be played to its end once nothing fails any more."""


class HeldJournal(FencedJournal):
    """A node's way to the store, on which appends wait until the machine decides what becomes of them."""

    def __init__(self, store: MemoryJournal, table: SlotTable, ownership: TableOwnership) -> None:
        super().__init__(store, table, ownership)
        self._store = store
        self.is_held = False
        self.written: list[tuple[tuple[str, int | None], tuple[str, int] | None]] = []
        """Who wrote each append, and who owned its slot then; both with the epoch."""
        self.pending: list[tuple[asyncio.Future[None], str, int, Sequence[MatchEvent], int | None]] = []

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        epoch = self._ownership.epoch_of(slot_of(match))
        if not self.is_held:
            await asyncio.sleep(0)
            if not self._admits(match, epoch):
                raise NotOwner(match)
            await self._write(match, expected_seq, events, epoch)
            return
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pending.append((answer, match, expected_seq, events, epoch))
        await answer

    def _admits(self, match: str, epoch: int | None) -> bool:
        """Return whether the store takes an append of this node under `epoch`: the fence."""
        return self._table.owners.get(slot_of(match)) == (self._ownership.here.name, epoch)

    async def _write(self, match: str, expected_seq: int, events: Sequence[MatchEvent], epoch: int | None) -> None:
        await self._store.append(match, expected_seq, events)
        self.written.append(((self._ownership.here.name, epoch), self._table.owners.get(slot_of(match))))

    async def carry_out(self, *, is_stored: bool, is_answered: bool) -> None:
        """Store the oldest append or lose it, and answer it or lose the answer."""
        answer, match, expected_seq, events, epoch = self.pending.pop(0)
        failure: Exception | None = None
        if not is_stored:
            failure = JournalUnavailable("lost")
        elif not self._admits(match, epoch):
            failure = NotOwner(match)
        else:
            try:
                await self._write(match, expected_seq, events, epoch)
            except StaleSequence as error:
                failure = error
        if not is_answered:
            failure = JournalUnavailable("the answer is lost")
        if not answer.done():
            if failure is None:
                answer.set_result(None)
            else:
                answer.set_exception(failure)


class LeasedOwnership(TableOwnership):
    """A node's belief about ownership, with a lease that it knows to have run out."""

    has_lapsed = False

    def lapse(self) -> None:
        """Give up every slot for now; appends that are under way have their epochs still."""
        assert self.observer is not None
        owned = self.owned()
        self.has_lapsed = self.is_paused = True
        self.known = {slot: owner for slot, owner in self.known.items() if owner[0] != self.here.name}
        self.observer.lost(owned)


class HeldNode(LocalNode):
    """A node with a journal that waits and a lease that lapses."""

    ownership_kind = LeasedOwnership
    journal_kind = HeldJournal


class Person:
    """A player with one socket at a time, which folds what it is told and repeats what is not answered."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.node: LocalNode | None = None
        self.client: ClientConnection | None = None
        self.line: Line | None = None
        self.log: list[MatchEvent] = []
        self.pending: Play | None = None
        self.acknowledged: list[tuple[str, int | None]] = []
        self.refused: list[tuple[str, str]] = []
        self.told: list[int] = []
        """Numbers of the events on the present socket."""
        self._read = 0

    @property
    def ply(self) -> int:
        return sum(isinstance(event, Played) for event in self.log)

    def hear(self) -> None:
        """Take what was written to the socket since."""
        if self.line is None:
            return
        new, self._read = self.line.written[self._read :], len(self.line.written)
        for message in new:
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "happened":
            for raw in message["events"]:
                event = EVENT.validate_python(raw, strict=False)
                self.told.append(event.seq)
                if event.seq == len(self.log) + 1:
                    self.log.append(event)
        elif message["type"] in ("acknowledged", "refused") and self.pending and message["id"] == self.pending.id:
            if message["type"] == "acknowledged":
                self.acknowledged.append((message["id"], message["seq"]))
                self.pending = None
            elif message["code"] not in TRANSIENT:
                self.refused.append((message["id"], message["code"]))
                self.pending = None

    def hang_up(self) -> None:
        if self.client is not None and self.node is not None:
            for room in tuple(self.client.matches.values()):
                room.leave(self.client)
            self.node.registry.forwarder.left(self.client)
        self.node = self.client = self.line = None
        self.told = []
        self._read = 0


class ClusterMachine(RuleBasedStateMachine):
    """Two players, some nodes, one match."""

    clock: Any = NO_CLOCK
    node_kind: type[HeldNode] = HeldNode

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTimeLoop()
        asyncio.set_event_loop(self.loop)
        self.names = itertools.count()
        self.numbers = itertools.count(1)
        self.nodes: dict[str, LocalNode] = {}
        self.lives: dict[str, asyncio.Task[None]] = {}
        self.groups: dict[str, TaskGroup] = {}
        self.dead_journals: list[HeldJournal] = []
        self.people = [Person(player) for player in PLAYERS]

    # Running the loop

    def _run(self, work: Any) -> Any:
        return self.loop.run_until_complete(asyncio.wait_for(work, CALM_S))

    def _do(self, act: Callable[[], T]) -> T:
        """Call what needs the loop to run."""

        async def call() -> T:
            return act()

        found: T = self._run(call())
        return found

    def _turns(self, number: int) -> None:
        async def turns() -> None:
            for _ in range(number):
                await asyncio.sleep(0)

        self._run(turns())
        self._hear()

    def _pass(self, seconds: float) -> None:
        self._run(after(seconds))
        self._hear()

    def _hear(self) -> None:
        for person in self.people:
            person.hear()

    @initialize(clock=st.sampled_from([NO_CLOCK, Fischer(initial=600, increment=1)]))
    def begin(self, clock: Any) -> None:
        self.table, self.network, self.store = SlotTable(), LocalNetwork(), MemoryJournal()
        self.slot = slot_of(MATCH)
        self.table.assign(ALL_SLOTS, NODES[0])
        for name in NODES:
            self._add(name)
        made = MatchMade(MATCH, SPEC, PLAYERS, clock, False, 0)
        self._run(self.nodes[NODES[0]].registry.open_new(made))
        for person, name in zip(self.people, NODES, strict=True):
            self._do(lambda person=person, name=name: self._connect(person, self.nodes[name]))  # type: ignore[misc]
        self._pass(1.0)

    def _now(self) -> int:
        return 1_000_000 + int(self.loop.time() * 1000)

    def _add(self, name: str) -> None:
        """Start a node in a task of its own, whose end is the node's."""
        ready = self.loop.create_future()

        async def live() -> None:
            async with TaskGroup() as tasks:
                node = self.node_kind(name, self.table, self.network, self.store, tasks, self._now)
                node.ownership.known = dict(self.table.owners)
                await node.start()
                self.nodes[name] = node
                for each in self.nodes.values():
                    each.router.nodes_changed()
                ready.set_result(tasks)
                await asyncio.get_running_loop().create_future()

        self.lives[name] = self.loop.create_task(live(), name=f"node {name}")
        self.groups[name] = self._run(ready)
        self._pass(1.0)

    def _node(self, at: int) -> LocalNode:
        """Return the owner for 0 to 2, where there is one, and otherwise any node."""
        owner = self._owner()
        return owner if at < 3 and owner is not None else list(self.nodes.values())[at % len(self.nodes)]

    def _owner(self) -> LocalNode | None:
        return self.nodes.get(self.table.owners[self.slot][0])

    def _connect(self, person: Person, node: LocalNode) -> None:
        person.hang_up()
        person.node = node
        person.client, person.line = node.client(person.player.id)
        client, line = person.client, person.line
        since = len(person.log)
        number = next(self.numbers)

        async def join() -> None:
            try:
                room = await node.registry.find(MATCH)
            except Refusal:
                # The store is away or the node ends: the player tries again.
                if person.client is client:
                    person.hang_up()
                return
            if person.client is client:
                room.join(client, Join(id=f"j{number}", match=MATCH, since=since))
                person.hear()
                if person.pending is not None:
                    self._submit(person, room)

        self.groups[node.name].create_task(join(), name=f"join {line.id}")

    def _submit(self, person: Person, room: MatchRoom) -> None:
        assert person.client is not None
        assert person.pending is not None
        try:
            room.submit(person.client, person.pending, self.loop.time())
        except Refusal as refusal:
            if refusal.code not in TRANSIENT:
                person.refused.append((person.pending.id, refusal.code))
                person.pending = None

    def _joined(self, person: Person) -> MatchRoom | None:
        room = None if person.client is None else person.client.matches.get(MATCH)
        return room if isinstance(room, MatchRoom) else None

    # What clients do

    @rule(which=st.integers(0, 1), turns=st.integers(0, 6), pick=st.integers(0, 20))
    def play(self, which: int, turns: int, pick: int) -> None:
        """A player whose turn it is moves; one whose move is not answered sends it again."""
        person = self.people[which]
        room = self._joined(person)
        if room is None:
            return
        if person.pending is None:
            state = _position(person.log)
            if not person.log or state.to_move != which or state.outcome is not None:
                return
            moves = state.moves()
            move = moves[pick % len(moves)]
            person.pending = Play(id=f"c{next(self.numbers)}", match=MATCH, ply=person.ply, move=move)
        self._do(lambda: self._submit(person, room))
        self._turns(turns)

    @rule(moves=st.integers(1, 4), pick=st.integers(0, 20))
    def play_on(self, moves: int, pick: int) -> None:
        """The players move in turn, with time for the answers."""
        for _ in range(moves):
            for which in (0, 1):
                self.play(which, 3, pick)
                self._pass(0.05)

    @rule(which=st.integers(0, 1), at=st.integers(0, 5), turns=st.integers(0, 6))
    def reconnect(self, which: int, at: int, turns: int) -> None:
        nodes = list(self.nodes.values())
        self._do(lambda: self._connect(self.people[which], nodes[at % len(nodes)]))
        self._turns(turns)

    # What time and the network do

    @rule(seconds=st.sampled_from([0.001, 0.01, 0.3, 1.0, 2.5, 6.0]))
    def wait(self, seconds: float) -> None:
        self._pass(seconds)

    @rule(turns=st.integers(1, 12))
    def turn(self, turns: int) -> None:
        self._turns(turns)

    def _pair(self, one: int, other: int) -> tuple[str, str] | None:
        names = list(self.nodes)
        first, second = names[one % len(names)], names[other % len(names)]
        return None if first == second else (first, second)

    @rule(one=st.integers(0, 5), other=st.integers(0, 5), is_both=st.booleans())
    def cut(self, one: int, other: int, is_both: bool) -> None:
        if pair := self._pair(one, other):
            (self.network.cut_both if is_both else self.network.cut)(*pair)

    @rule(one=st.integers(0, 5), other=st.integers(0, 5))
    def mend(self, one: int, other: int) -> None:
        if pair := self._pair(one, other):
            self.network.mend(*pair)

    @rule(one=st.integers(0, 5), other=st.integers(0, 5), batches=st.integers(1, 3))
    def drop(self, one: int, other: int, batches: int) -> None:
        if pair := self._pair(one, other):
            self.network.drop(*pair, batches)

    @rule(one=st.integers(0, 5), other=st.integers(0, 5), seconds=st.sampled_from([0.05, 0.7, 3.0]))
    def delay(self, one: int, other: int, seconds: float) -> None:
        if pair := self._pair(one, other):
            self.network.delay(*pair, seconds)

    # What the store does

    @rule(at=st.integers(0, 5))
    def hold(self, at: int) -> None:
        """Appends of one node wait from now on."""
        _journal(self._node(at)).is_held = True

    @rule(at=st.integers(0, 5), is_stored=st.booleans(), is_answered=st.booleans(), turns=st.integers(0, 6))
    def carry_out(self, at: int, is_stored: bool, is_answered: bool, turns: int) -> None:
        """The oldest waiting append of one node, which may be dead, is stored or lost, and answered or not."""
        journals = [*(_journal(node) for node in self.nodes.values()), *self.dead_journals]
        waiting = [journal for journal in journals if journal.pending]
        if waiting:
            journal = waiting[at % len(waiting)]
            self._run(journal.carry_out(is_stored=is_stored, is_answered=is_answered))
            self._turns(turns)

    @rule(at=st.integers(0, 5))
    def release(self, at: int) -> None:
        self._release(_journal(self._node(at)))

    def _release(self, journal: HeldJournal) -> None:
        journal.is_held = False
        while journal.pending:
            self._run(journal.carry_out(is_stored=True, is_answered=True))

    # What becomes of nodes

    @rule(at=st.integers(0, 5))
    def lapse(self, at: int) -> None:
        """A node's lease runs out by its own clock, and it learns nothing of what others do then."""
        node = self._node(at)
        if not _ownership(node).has_lapsed:
            self._do(_ownership(node).lapse)

    @rule(at=st.integers(0, 5), turns=st.integers(0, 6))
    def take_over(self, at: int, turns: int) -> None:
        """A living node takes the slots of one that is dead or whose lease ran out."""
        node, owner = list(self.nodes.values())[at % len(self.nodes)], self._owner()
        if node is owner or _ownership(node).has_lapsed:
            return
        if owner is None or _ownership(owner).has_lapsed:
            self.table.assign(ALL_SLOTS, node.name)
            self._do(lambda: node.ownership.learn_all(self._now()))
            self._turns(turns)

    @rule(at=st.integers(0, 5), pick=st.integers(0, 20), turns=st.integers(0, 6), arrives=st.booleans())
    def overtake(self, at: int, pick: int, turns: int, arrives: bool) -> None:
        """An append of the owner is on its way to the store for longer than its lease, and another node takes over.

        By chance alone these steps seldom come in this order.
        """
        owner = self._owner()
        heirs = [node for node in self.nodes.values() if node is not owner and not _ownership(node).has_lapsed]
        if owner is None or _ownership(owner).has_lapsed or not heirs:
            return
        _journal(owner).is_held = True
        for which in (0, 1):
            self.play(which, 3, pick)
        self._pass(0.05)
        self._do(_ownership(owner).lapse)
        self.take_over([*self.nodes.values()].index(heirs[at % len(heirs)]), turns)
        if arrives and _journal(owner).pending:
            self._run(_journal(owner).carry_out(is_stored=True, is_answered=True))
            self._turns(turns)

    @rule(at=st.integers(0, 5), turns=st.integers(0, 6))
    def renew(self, at: int, turns: int) -> None:
        """A node whose lease ran out reaches the database again."""
        node = list(self.nodes.values())[at % len(self.nodes)]
        if _ownership(node).has_lapsed:
            self._do(lambda: self._renew(node))
            self._turns(turns)

    def _renew(self, node: LocalNode) -> None:
        _ownership(node).has_lapsed = node.ownership.is_paused = False
        node.ownership.learn(self._now())

    @rule(at=st.integers(0, 5), turns=st.integers(0, 6))
    def hand_over(self, at: int, turns: int) -> None:
        """The owner gives its slots to another living node as planned."""
        owner, node = self._owner(), list(self.nodes.values())[at % len(self.nodes)]
        if owner is None or node is owner or _ownership(owner).has_lapsed or _ownership(node).has_lapsed:
            return
        if _journal(owner).is_held:
            # Its commands under way could not be answered, and the hand-over would wait for ever.
            return
        self._run(owner.ownership.give(ALL_SLOTS, node.name))
        self._turns(turns)

    @precondition(lambda self: len(self.nodes) < 3)
    @rule()
    def join(self) -> None:
        """A new node comes."""
        self._add(f"n{next(self.names)}")

    @precondition(lambda self: len(self.nodes) > 1)
    @rule(at=st.integers(0, 5), turns=st.integers(0, 6))
    def crash(self, at: int, turns: int) -> None:
        """A node ends without a word; what it sent to the store may still arrive there."""
        node = self._node(at)
        self._do(lambda: self._crash(node))
        self._turns(turns)

    def _crash(self, node: LocalNode) -> None:
        for person in self.people:
            if person.node is node:
                # The sockets of a dead process close without a message.
                person.node = person.client = person.line = None
                person.hang_up()
        del self.nodes[node.name]
        node.ownership.die()
        self.dead_journals.append(_journal(node))
        self.lives.pop(node.name).cancel()
        for other in self.nodes.values():
            other.router.nodes_changed()

    # What holds

    @invariant()
    def only_the_owner_of_a_slot_writes(self) -> None:
        for journal in (*self.dead_journals, *(_journal(node) for node in self.nodes.values())):
            for writer, owner in journal.written:
                assert writer == owner, f"{writer} wrote what {owner} owns"

    @invariant()
    def what_was_acknowledged_is_stored_once(self) -> None:
        if not hasattr(self, "store"):
            return
        stored = self.store._logs[MATCH].events if MATCH in self.store._logs else []
        assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
        causes = Counter(event.cause for event in stored if isinstance(event, Played))
        assert not [cause for cause, times in causes.items() if times > 1], "a move was carried out twice"
        _position(stored)
        for person in self.people:
            assert person.refused == [], "a legal move was refused for good"
            for cause, seq in person.acknowledged:
                assert seq is not None
                assert getattr(stored[seq - 1], "cause", None) == cause, "an acknowledged move is lost"
            assert person.log == stored[: len(person.log)], "a player was told what is not stored"
            gaps = [pair for pair in itertools.pairwise(person.told) if pair[1] > pair[0] + 1]
            assert not gaps, f"{person.player.id} missed events: {person.told}"

    def teardown(self) -> None:
        if not hasattr(self, "store"):
            return
        try:
            self._calm_down()
            self._play_to_the_end()
        finally:
            for node in tuple(self.nodes.values()):
                self._do(lambda node=node: self._crash(node))  # type: ignore[misc]
            self._turns(20)
            self.loop.close()
            asyncio.set_event_loop(None)

    def _calm_down(self) -> None:
        """Nothing fails any more."""
        for journal in (*self.dead_journals, *(_journal(node) for node in self.nodes.values())):
            self._release(journal)
        for one, other in itertools.combinations(self.nodes, 2):
            self.network.mend(one, other)
        self._do(self._renew_all)
        self._pass(5.0)
        for _ in range(3):
            self._do(self._connect_all)
            self._pass(3.0)

    def _renew_all(self) -> None:
        for node in self.nodes.values():
            if _ownership(node).has_lapsed:
                self._renew(node)
        if self._owner() is None:
            next(iter(self.nodes.values())).ownership.take(ALL_SLOTS, self._now())

    def _connect_all(self) -> None:
        for person in self.people:
            if person.client is None:
                self._connect(person, next(iter(self.nodes.values())))

    def _play_to_the_end(self) -> None:
        until = self.loop.time() + CALM_S
        while not all(any(isinstance(event, Ended) for event in person.log) for person in self.people):
            assert self.loop.time() < until, f"the match does not go on: {[person.log[-1:] for person in self.people]}"
            for which in (0, 1):
                self.play(which, 3, 0)
            self._pass(0.2)
        self.what_was_acknowledged_is_stored_once()
        self.only_the_owner_of_a_slot_writes()
        assert [person.pending for person in self.people] == [None, None]


def _journal(node: LocalNode) -> HeldJournal:
    assert isinstance(node.journal, HeldJournal)
    return node.journal


def _ownership(node: LocalNode) -> LeasedOwnership:
    assert isinstance(node.ownership, LeasedOwnership)
    return node.ownership


def _position(events: Sequence[MatchEvent]) -> engine.State:
    """Return the position after these events. Raises IllegalMove."""
    state = engine.load(SPEC.name, **SPEC.options).start()
    for event in events:
        if isinstance(event, Played):
            state = engine.apply(state, event.move)
    return state


TestCluster = ClusterMachine.TestCase
TestCluster.settings = settings(
    max_examples=30, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)


class UnfencedJournal(HeldJournal):
    """A way to a store that does not check epochs."""

    def _admits(self, match: str, epoch: int | None) -> bool:
        return True


class UnfencedNode(HeldNode):
    journal_kind = UnfencedJournal


class UnfencedMachine(ClusterMachine):
    node_kind = UnfencedNode


def test_a_store_without_a_fence_is_found_within_the_ordinary_number_of_examples() -> None:
    ordinary = settings(TestCluster.settings, database=None, derandomize=True, phases=[Phase.generate])
    with pytest.raises(AssertionError, match="wrote what"):
        run_state_machine_as_test(UnfencedMachine, settings=ordinary)
