"""All match tasks: recovery after a restart, and isolation of damaged matches."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from cornered.protocol.commands import AcceptChallenge, Challenge, Join, Leave, Play, Rematch, Resign, WatchLobby
from cornered.protocol.events import Ended, MatchEvent, Played, Rematched, Resumed, Started
from cornered.protocol.messages import Acknowledged, Paired, ServerMessage, Snapshot
from cornered.protocol.values import NO_CLOCK, Fischer, GameSpec, PerMove, Player
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.lobby.events import MatchMade
from cornered.server.match.catalogue import settle
from cornered.server.match.dice import seed_of
from cornered.server.match.match import Match, Patience, open_match
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts
from cornered.server.ports import JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.timekeeping import Sign, last_sign
from tests.server.conftest import TIMEOUT_S, Pair, Running, Start, Stores, StubbornJournal
from tests.server.runtime.observer import Recorder
from tests.server.runtime.seats import seated
from tests.server.turns import watched_loop
from tests.virtual_time import after
from tests.waiting import until

PLAYERS = tuple(Player(id=name, name=name, kind="person") for name in ("a", "b"))
SMALL = GameSpec(name="trapgrid", options={"size": 3})


def begun(match: str, game: str = "trapgrid", *, secret: bytes = b"", **options: Any) -> tuple[MatchEvent, ...]:
    """Return the first event of a match, possibly of a game that does not exist."""
    spec = GameSpec(name="trapgrid", options={"size": 3})
    first, *_ = open_match(Opening(match, spec, PLAYERS, NO_CLOCK), seed_of(secret, match), now=1)
    assert isinstance(first, Started)
    return (first.model_copy(update={"game": GameSpec(name=game, options=options or spec.options)}),)


async def test_live_matches_that_cannot_be_replayed_stay_closed_and_harm_no_other(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    await stores.journal.append("bad", 0, begun("bad", "chess", size=3))
    await stores.journal.append("worse", 0, begun("worse", "trapgrid", sides=3))
    async with seated(running_server(), pair) as (ann, _, _, match):
        token = ann.welcome.token
    async with running_server() as running, running.client("Ann", token=token) as ann:
        assert ann.welcome.matches == (match,)
        await ann.do(Play, match=match, ply=0, move="a2")
        for damaged in ("bad", "worse"):
            answer = await ann.ask(Join, match=damaged)
            assert (answer.code, "damaged" in answer.text) == ("internal", True)


async def test_lists_pass_over_what_cannot_be_replayed() -> None:
    journal = MemoryJournal()
    for name, game in (("a", "trapgrid"), ("b", "chess"), ("d", "trapgrid")):
        await journal.append(name, 0, begun(name, game, secret=await journal.secret()))
    async with registry(journal, lambda: 1) as matches:
        assert [listed.id for listed in await matches.summaries(["a", "b", "c", "d"])] == ["a", "d"]


class Overtaken(MemoryJournal):
    """A journal in which the previous server's refund arrives while this server stores its own."""

    def __init__(self) -> None:
        super().__init__()
        self.is_overtaking = False

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if self.is_overtaking:
            self.is_overtaking = False
            await super().append(match, expected_seq, events)
        await super().append(match, expected_seq, events)


async def test_a_write_that_arrives_during_the_restart_is_taken_over(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    stores.journal = Overtaken()
    async with seated(running_server(), pair, clock=Fischer(initial=60)) as (ann, ben, _, match):
        token = ann.welcome.token
        await ann.do(Play, match=match, ply=0, move="a2")
        await ben.do(Play, match=match, ply=1, move="c2")
    stores.now.at += 30_000
    stores.journal.is_overtaking = True
    async with running_server() as running, running.client("Ann", token=token) as ann:
        assert (await ann.do(Play, match=match, ply=2, move="a1")).seq == 5
    kinds = [type(event) for event in await stores.journal.read(match)]
    assert kinds.count(Resumed) == 1


class Broadcaster(LocalBus):
    """A bus that records what is published."""

    def __init__(self) -> None:
        super().__init__(node="here")
        self.told: list[ServerMessage] = []

    def publish_match(self, message: ServerMessage) -> None:
        self.told.append(message)


async def test_after_a_restart_the_bus_gets_no_more_of_a_delayed_match_than_its_spectators() -> None:
    journal, bus, now = MemoryJournal(), Broadcaster(), 1_000_000
    secret = await journal.secret()
    spec = GameSpec(name="trapgrid", options={"size": 3})
    log = list(open_match(Opening("m", spec, PLAYERS, NO_CLOCK, delay=300), seed_of(secret, "m"), now=now))
    for at in (now + 1_000, now + 200_000):
        match = Match.replay(log, seed_of(secret, "m"))
        move = Play(id="c", match="m", ply=match.ply, move=match.state.moves()[0])
        log += match.decide(move, match.to_move, at)
    await journal.append("m", 0, log)
    async with asyncio.TaskGroup() as tasks:
        services = Services(journal, bus, Counts(), lambda: now + 400_000)
        matches = MatchRegistry(services, secret, Patience(), tasks, Recorder())
        await gain(matches, 0)
        await matches.all_loaded.wait()
        (said,) = bus.told
        assert isinstance(said, Snapshot)
        assert (said.seq, said.moves) == (2, match.moves)
        await matches.close()


class Gated(StubbornJournal):
    """A journal that delays the reading of matches until the test allows it, and counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.read_matches: list[str] = []

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        await self.is_open.wait()
        self.read_matches.append(match)
        return await super().read(match, since)


async def store_live(journal: MemoryJournal, match: str, now: int) -> None:
    """Store a match between a and b whose clock of ten minutes runs since `now`."""
    secret = await journal.secret()
    spec = GameSpec(name="trapgrid", options={"size": 3})
    log = list(open_match(Opening(match, spec, PLAYERS, Fischer(initial=600)), seed_of(secret, match), now=now))
    for _ in range(2):
        folded = Match.replay(log, seed_of(secret, match))
        move = Play(id=f"c{folded.ply}", match=match, ply=folded.ply, move=folded.state.moves()[0])
        log += folded.decide(move, folded.to_move, now)
    await journal.append(match, 0, log)


@contextlib.asynccontextmanager
async def registry(
    journal: MemoryJournal, now: Callable[[], int], recorder: Recorder | None = None
) -> AsyncIterator[MatchRegistry]:
    services = Services(journal, LocalBus(node="here"), Counts(), now)
    async with asyncio.TaskGroup() as tasks:
        matches = MatchRegistry(services, await journal.secret(), Patience(), tasks, recorder or Recorder())
        yield matches
        await matches.close()


async def gain(matches: MatchRegistry, alive_at: int) -> None:
    """Have a registry own every slot, whose former owner lived until then, and index its matches."""
    matches.gained(dict.fromkeys(ALL_SLOTS, alive_at))
    await matches.recover()


async def test_a_start_reads_no_match_and_knows_who_plays_where() -> None:
    journal, recorder = Gated(), Recorder()
    for name in ("m1", "m2"):
        await store_live(journal, name, 1_000)
    journal.is_open.clear()
    async with registry(journal, lambda: 2_000, recorder) as matches:
        await gain(matches, 1_000)
        assert recorder.indexed == ["m1", "m2"]
        assert matches.live_of("a") == ("m1", "m2")
        assert matches.open_tasks_of("a") == ()
        assert not matches.all_loaded.is_set()
        journal.is_open.set()
        await matches.all_loaded.wait()
        assert [match_task.match.id for match_task in matches.open_tasks_of("b")] == ["m1", "m2"]


async def test_a_match_to_which_no_player_comes_is_loaded_and_refunded(stores: Stores, running_server: Start) -> None:
    await store_live(stores.journal, "m", stores.now.at)
    stores.now.at += 3_600_000
    async with running_server():
        async with asyncio.timeout(TIMEOUT_S):
            while len(await stores.journal.read("m")) <= 3:  # noqa: ASYNC110 - nothing announces it
                await asyncio.sleep(0)
    assert (await stores.journal.read("m"))[-1] == Resumed(seq=4, at=stores.now.at, refunded=3_600_000)


async def test_the_refund_lasts_until_the_match_is_loaded() -> None:
    journal, now = Gated(), 1_000_000
    for name in ("asked", "left"):
        await store_live(journal, name, now)
    alive_at, journal.failures = now + 5_000, []
    async with registry(journal, lambda: now) as matches:
        journal.is_open.clear()
        now += 60_000
        await gain(matches, alive_at)
        now += 30_000
        journal.is_open.set()
        match_task = await matches.find("asked")
        await matches.all_loaded.wait()
        refunds = {
            name: event.refunded
            for name in ("asked", "left")
            for event in await journal.read(name)
            if isinstance(event, Resumed)
        }
        assert refunds == {"asked": 85_000, "left": 85_000}
        # Seat 0 had thought for five seconds at the previous server's last heartbeat.
        assert match_task.match.timer.left_at(now) == (595_000, 600_000)


class Sluggish(MemoryJournal):
    """A journal whose writes advance the match clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.takes_ms = 1_000_000, 0

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        await super().append(match, expected_seq, events)
        self.now += self.takes_ms


@pytest.mark.parametrize(("takes_ms", "refunds"), [(1_000, [60_000]), (5_000, [60_000, 5_000])])
async def test_the_refund_covers_the_time_in_which_it_is_stored_if_that_is_worth_an_event(
    takes_ms: int, refunds: list[int]
) -> None:
    journal = Sluggish()
    await store_live(journal, "m", journal.now)
    journal.now, journal.takes_ms = journal.now + 60_000, takes_ms
    async with registry(journal, lambda: journal.now) as matches:
        await gain(matches, 0)
        match_task = await matches.find_owned("m")
        assert match_task is not None
        journal.takes_ms = 0
        await match_task.drained()
        assert [event.refunded for event in await journal.read("m") if isinstance(event, Resumed)] == refunds


async def test_no_time_runs_while_the_beginning_of_a_match_is_stored() -> None:
    journal = Sluggish()
    journal.takes_ms = 2_000
    async with registry(journal, lambda: journal.now) as matches:
        await matches.open_new(MatchMade("m", SMALL, PLAYERS, PerMove(seconds=1), False, 0))
        match_task = matches.owned("m")
        assert match_task is not None
        journal.takes_ms = 0
        await match_task.drained()
        assert not match_task.match.over
        assert match_task.match.timer.since == journal.now


async def test_the_players_coming_loads_a_match_before_all_others() -> None:
    journal = Gated()
    for number in range(200):
        await store_live(journal, f"m{number}", 1_000)
    carl = Player(id="carl", name="Carl", kind="person")
    started = (await journal.read("m0"))[0].model_copy(update={"match": "last", "players": (carl, PLAYERS[0])})
    await journal.append("last", 0, [started])
    journal.read_matches.clear()
    journal.is_open.clear()
    async with registry(journal, lambda: 2_000) as matches:
        await gain(matches, 1_000)
        tasks = matches.bring("carl")
        journal.is_open.set()
        await asyncio.wait(tasks)
        assert [match_task.match.id for match_task in matches.open_tasks_of("carl")] == ["last"]
        assert len(journal.read_matches) < 50
        assert matches.bring("carl") == ()


async def test_a_store_that_goes_away_while_matches_are_loaded_delays_them_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cornered.server.runtime.match_loader.RETRY_SECONDS", 0.01)
    journal, now = Gated(), 1_000_000
    await store_live(journal, "m", now)
    journal.failures = ["before", "before", "after"]
    async with registry(journal, lambda: now) as matches:
        now += 10_000
        await gain(matches, 0)
        await asyncio.wait_for(matches.all_loaded.wait(), 30)
        assert matches.get("m") is not None
    assert [type(event) for event in await journal.read("m")].count(Resumed) == 1


async def test_after_two_crashes_in_a_row_no_time_is_lost(
    stores: Stores, running_server: Start, tmp_path: Path
) -> None:
    """The first server's heartbeat stays until the second one has loaded everything."""
    stores.journal = journal = Gated()
    await store_live(journal, "m", stores.now.at)
    file = tmp_path / "alive"
    file.write_text(f"{stores.now.at} m 3")
    first = last_sign(file)
    journal.is_open.clear()
    async with running_server(database=""):
        await asyncio.sleep(0)
        assert last_sign(file) == first
    stores.now.at += 3_600_000
    journal.is_open.set()
    async with running_server(database="") as running, running.client("Cas") as cas:
        await cas.join("m")
        await until(lambda: last_sign(file) != first)
    (refund,) = [event for event in await journal.read("m") if isinstance(event, Resumed)]
    assert refund.refunded == 3_600_000


async def test_a_restored_backup_is_not_charged_for_the_time_since(
    stores: Stores, running_server: Start, tmp_path: Path
) -> None:
    await store_live(stores.journal, "m", began := stores.now.at)
    backup = deepcopy(stores.journal)
    await store_live(stores.journal, "later", stores.now.at)
    stores.now.at += 86_400_000
    async with running_server(database=""):
        await until(lambda: last_sign(tmp_path / "alive") is not None)
    stores.journal = backup
    async with running_server(database="") as running, running.client("Cas") as cas:
        assert not (await cas.join("m")).over
    (refund,) = [event for event in await backup.read("m") if isinstance(event, Resumed)]
    assert refund.refunded == stores.now.at - began


async def test_a_server_that_stored_nothing_leaves_signs_of_the_event_that_the_last_one_stored(
    stores: Stores, running_server: Start, tmp_path: Path
) -> None:
    await store_live(stores.journal, "m", stores.now.at)
    ended = Ended(seq=4, at=stores.now.at, winner=None, places=(), reason="expired", seed="5" * 64)
    await stores.journal.append("m", 3, [ended])
    stores.journal.newest = None
    (tmp_path / "alive").write_text(f"{stores.now.at} m 4")
    stores.now.at += 1
    async with running_server(database=""):
        await until(lambda: last_sign(tmp_path / "alive") == Sign(stores.now.at, "m", 4))


async def test_a_long_match_is_replayed_in_slices_and_the_list_of_matches_only_once() -> None:
    journal, now = Gated(), 1_000
    secret = await journal.secret()
    names = ("one", "two")
    for name in names:
        await journal.append(name, 0, log := long_match(name, secret))
    began = time.thread_time()
    Match.replay(log, seed_of(secret, "two"))
    at_once = time.thread_time() - began
    async with registry(journal, lambda: now) as matches:
        async with watched_loop() as turns:
            listed = await matches.summaries(names)
            assert [summary.ply for summary in listed] == [2_000, 2_000]
        assert max(turns) < at_once / 2
        journal.read_matches.clear()
        assert await matches.summaries(names) == listed
        assert journal.read_matches == []
        # A match that was read is not replayed for the next reading.
        for _ in range(3):
            match_task = await matches.find("one")
            match_task.check_emptiness()
        assert journal.read_matches == ["one"]


def long_match(name: str, secret: bytes) -> list[MatchEvent]:
    """Return a finished match of 2,000 plies, in which both pawns of Quoridor walk to and fro."""
    _, spec = settle(GameSpec(name="quoridor"))
    log = list(open_match(Opening(name, spec, PLAYERS, NO_CLOCK), seed_of(secret, name), now=1))
    match = Match.replay(log, b"")
    for ply in range(2_000):
        move = ("e2", "e8", "e1", "e9")[ply % 4]
        event = Played(seq=ply + 2, at=1, seat=ply % 2, cause=f"c{ply}", ply=ply, move=move, spent=0, left=(None, None))
        match = match.evolve(event)
        log.append(event)
    log.append(match.ended(match.seq + 1, 2, None, (), "agreement"))
    return log


class Doubtful(MemoryJournal):
    """A journal that loses the answers to chosen writes, or refuses them, and fails some reads."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: type[MatchEvent] | None = None
        self.lost: type[MatchEvent] | None = None
        self.failing_reads = 0

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if self.refused is not None and isinstance(events[0], self.refused):
            raise JournalUnavailable("the store is away")
        await super().append(match, expected_seq, events)
        if self.lost is not None and isinstance(events[0], self.lost):
            raise JournalUnavailable("the store went away before it confirmed")

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        if self.failing_reads:
            self.failing_reads -= 1
            raise JournalUnavailable("the store cannot be read")
        return await super().read(match, since)


@pytest.mark.parametrize(("refused", "lost"), [(Rematched, None), (None, Rematched), (None, Started)])
async def test_a_rematch_that_is_stored_opens_whatever_became_of_the_word_that_leads_to_it(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch, refused: Any, lost: Any
) -> None:
    monkeypatch.setattr("cornered.server.runtime.new_matches.RETRY_SECONDS", 0.01)
    stores.journal = journal = Doubtful()
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await ann.do(Resign, match=match)
        await ann.do(Rematch, match=match)
        journal.refused, journal.lost, journal.failing_reads = refused, lost, 2
        assert await ben.refused(Rematch, id="yes", match=match) == "internal"
        journal.refused = journal.lost = None
        new = await ann.hear(Paired)
        assert (await ben.hear(Paired)).match == new.match
        assert isinstance(await ben.ask(Rematch, id="yes", match=match), Acknowledged)
        assert (await ann.join(match)).next == new.match


@pytest.mark.virtual_time
async def test_a_rematch_that_was_over_before_the_event_that_leads_to_it_leaves_its_players_free(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.runtime.new_matches.RETRY_SECONDS", 0.01)
    stores.journal = journal = Doubtful()
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await ann.do(Resign, match=match)
        await ann.do(Rematch, match=match)
        journal.refused = Rematched
        assert await ben.refused(Rematch, match=match) == "internal"
        journal.refused = None
        new = (await ann.hear(Paired)).match
        await ann.do(Resign, match=new)
        await ben.do(Rematch, match=match)
        async with asyncio.timeout(TIMEOUT_S):
            while any(one.playing for one in (await ann.ask(WatchLobby)).players):
                await after(0.02)


async def test_a_new_match_that_was_not_confirmed_opens_when_the_store_is_back(
    running_server: Start, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.runtime.new_matches.RETRY_SECONDS", 0.01)
    stores.journal = journal = Doubtful()
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        sent = await ann.do(Challenge, to=ben.player.id, game=SMALL, seat=0)
        journal.lost, journal.failing_reads = Started, 3
        assert await ben.refused(AcceptChallenge, challenge=sent.ref) == "internal"
        journal.lost = None
        match = (await ann.hear(Paired)).match
        await ann.do(Play, match=match, ply=0, move="a2")


async def test_a_new_match_that_was_not_stored_is_looked_for_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.runtime.new_matches.RETRY_SECONDS", 0.0)
    journal = Doubtful()
    journal.refused = Started
    async with registry(journal, lambda: 1_000) as matches:
        with pytest.raises(JournalUnavailable):
            await matches.open_new(MatchMade("m", SMALL, PLAYERS, NO_CLOCK, False, 0))
        await until(lambda: not [task for task in asyncio.all_tasks() if task.get_name() == "doubtful matches"])
        assert matches.all() == ()


async def test_a_refused_command_to_a_finished_match_leaves_no_match_task_open(running: Running, pair: Pair) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben, running.client("Cas") as cas:
        match = await pair(ann, ben)
        await ann.do(Resign, match=match)
        for client in (ann, ben):
            await client.do(Leave, match=match)
        assert await cas.refused(Resign, match=match) == "not_a_player"
        metrics = await running.fetch("/metrics")
        assert "cornered_match_tasks 0.0" in metrics.body.splitlines()


class Ending(Gated):
    """A journal in which a match ends after the list of live matches is read."""

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        found = await super().live(slots)
        for started in found:
            log = await self.read(started.match)
            folded = Match.replay(log, seed_of(await self.secret(), started.match))
            await self.append(started.match, folded.seq, [folded.ended(folded.seq + 1, 2_000, None, (), "agreement")])
        return found


async def test_a_match_that_turns_out_to_be_over_is_in_memory_for_requests() -> None:
    journal = Ending()
    for name in ("asked", "left"):
        await store_live(journal, name, 1_000)
    async with registry(journal, lambda: 3_000) as matches:
        await gain(matches, 1_000)
        match_task = await matches.find("asked")
        assert match_task is matches.get("asked")
        await matches.all_loaded.wait()
        assert matches.all() == (match_task,)
        match_task.check_emptiness()
        assert matches.all() == ()


async def test_the_memory_of_a_closed_match_task_is_freed_at_once() -> None:
    """A server ends dozens of matches a second: memory that only the garbage collector frees would accumulate."""
    journal = MemoryJournal()
    await journal.append("m", 0, long_match("m", await journal.secret()))
    async with registry(journal, lambda: 1_000) as matches:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            match_task = await matches.find("m")
            alive = weakref.ref(match_task)
            await asyncio.sleep(0)
            match_task.check_emptiness()
            del match_task
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert alive() is None
        finally:
            if was_enabled:
                gc.enable()


@pytest.mark.virtual_time
async def test_a_match_that_is_stored_while_the_server_stops_leaves_no_task() -> None:
    class Slow(MemoryJournal):
        """A journal that answers on demand."""

        answers = asyncio.Event()

        async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            await super().append(match, expected_seq, events)
            await self.answers.wait()

    journal = Slow()
    async with registry(journal, lambda: 1_000) as matches:
        opening = asyncio.create_task(matches.open_new(MatchMade("m", SMALL, PLAYERS, NO_CLOCK, False, 0)))
        await after(0.01)
        assert not opening.done()
        await matches.close()
        journal.answers.set()
        with pytest.raises(Refusal, match="restarts"):
            await opening
        assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("room[")]


async def test_a_match_that_is_over_learns_of_its_players_until_nobody_is_interested() -> None:
    journal = MemoryJournal()
    await store_live(journal, "m", 1_000)
    async with registry(journal, lambda: 2_000) as matches:
        await gain(matches, 1_000)
        await matches.all_loaded.wait()
        (match_task,) = matches.open_tasks_of("a")
        matches.ended(match_task)
        assert matches.live_of("a") == ()
        assert matches.open_tasks_of("a") == matches.open_tasks_of("b") == (match_task,)
        matches.emptied(match_task)
        assert matches.open_tasks_of("a") == matches.open_tasks_of("b") == ()
