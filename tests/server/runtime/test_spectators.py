"""Spectators: many, slow and late ones, with stand-ins for sockets that record what is written."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornered.protocol.codec import JSON
from cornered.protocol.commands import Play, Resign
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.match import views
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.limits import PlayerLimits
from cornered.server.runtime.spectators import MAX_ROUNDS, SLICE_SOCKETS, Spectators
from cornered.server.settings import Settings
from tests.server.nodes import Line

SPEC = GameSpec(name="isolation", options={"width": 8, "height": 8, "players": 2, "dice": False})


def kinds(line: Line) -> list[str]:
    return [said["type"] for said in line.written]


def peer_on(line: Line, number: int = 0) -> ClientConnection:
    player = Player(id=f"p{number}", name="Somebody", kind="person")
    return ClientConnection(line, JSON, player, PlayerLimits(Settings(), 0.0), Counts())


class Show:
    """A match with spectators, one move after the other."""

    def __init__(self, *, delay: int = 0) -> None:
        players = [Player(id=name, name=name, kind="person") for name in ("a", "b")]
        self.log = list(open_match(Opening("m", SPEC, players, NO_CLOCK, delay=delay), b"s" * 32, now=0))
        self.match = Match.replay(self.log, b"s" * 32)
        self.counts = Counts()
        self.announced: list[Any] = []
        self.has_announced = asyncio.Event()
        self.now = 0
        self.spectators = self.open()

    def open(self) -> Spectators:
        """Return the `Spectators` of a match task that is opened now."""
        return Spectators(
            self.match,
            self.log,
            now=lambda: self.now,
            snapshot=lambda match: views.snapshot(match, None, connected=(True, True), watchers=0),
            counts=self.counts,
            crowd_changed=lambda: None,
            announce=self.announce,
        )

    def announce(self, message: Any) -> None:
        self.announced.append(message)
        self.has_announced.set()

    def move(self) -> None:
        command = Play(id="c", match="m", ply=self.match.ply, move=self.match.state.moves()[0])
        events = self.match.decide(command, self.match.to_move, self.now)
        for event in events:
            self.match = self.match.evolve(event)
        self.log += events
        self.spectators.publish(Broadcast(views.happened(self.match, events)), self.match)

    def come(self, count: int) -> list[Line]:
        lines = [Line("s") for _ in range(count)]
        for number, line in enumerate(lines):
            self.spectators.add(peer_on(line, number))
        return lines


@pytest.fixture
async def show() -> Any:
    show = Show()
    yield show
    show.spectators.close()


async def rounds(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_slow_watcher_misses_events_and_gets_a_snapshot_when_it_reads_again(show: Show) -> None:
    quick, slow = Line("s"), Line("s")
    client = peer_on(slow, 1)
    show.spectators.add(peer_on(quick))
    show.spectators.add(client)
    show.move()
    slow.is_behind = True
    show.spectators.fell_behind(client)
    show.move()
    show.move()
    assert (quick.seqs(), slow.seqs()) == ([2, 3, 4], [2])
    slow.is_behind = False
    show.move()
    assert slow.seqs() == [2], "events after a hole would be no use"
    show.spectators.caught_up(client)
    assert slow.written[-1]["type"] == "snapshot"
    assert slow.written[-1]["seq"] == 5
    show.move()
    assert slow.seqs() == [2, 6]
    assert show.counts.behind == 1


async def test_who_comes_while_behind_gets_a_snapshot_later(show: Show) -> None:
    line = Line("s")
    line.is_behind = True
    client = peer_on(line)
    show.spectators.add(client)
    show.move()
    assert line.written == []
    show.spectators.caught_up(client)
    assert kinds(line) == ["snapshot"]
    assert len(show.spectators) == 1


async def test_several_windows_of_one_person_are_one_watcher(show: Show) -> None:
    windows = [peer_on(Line("s"), number) for number in (1, 1, 2)]
    counts = []
    for change, window in (
        (show.spectators.add, 0),
        (show.spectators.add, 1),
        (show.spectators.add, 1),
        (show.spectators.add, 2),
        (show.spectators.remove, 0),
        (show.spectators.remove, 1),
    ):
        change(windows[window])
        counts.append(show.spectators.people)
    assert counts == [1, 1, 1, 2, 2, 1]


async def test_many_spectators_are_written_to_in_slices_and_in_order(show: Show) -> None:
    lines = show.come(2 * SLICE_SOCKETS + 1)
    show.move()
    show.move()
    assert not any(line.written for line in lines), "the players' task goes on first"
    await rounds(2)
    assert [bool(line.written) for line in (lines[0], lines[-1])] == [True, False]
    await rounds(6)
    assert all(line.seqs() == [2, 3] for line in lines)


async def test_a_spectator_who_joins_during_a_round_gets_only_new_events(show: Show) -> None:
    lines = show.come(SLICE_SOCKETS + 1)
    show.move()
    (late,) = show.come(1)
    show.move()
    await rounds(8)
    assert lines[-1].seqs() == [2, 3]
    assert late.seqs() == [3]


async def test_a_spectator_who_leaves_during_a_round_gets_nothing_more(show: Show) -> None:
    show.come(SLICE_SOCKETS)
    line = Line("s")
    client = peer_on(line, 999)
    show.spectators.add(client)
    show.move()
    show.spectators.remove(client)
    await rounds(4)
    assert line.written == []


async def test_spectators_who_fall_behind_the_play_get_one_snapshot(show: Show) -> None:
    lines = show.come(SLICE_SOCKETS + 1)
    for _ in range(MAX_ROUNDS + 1):
        show.move()
    await rounds(8)
    assert all(kinds(line) == ["snapshot"] for line in lines)
    assert lines[0].written[0]["seq"] == show.match.seq


async def test_a_delay_holds_everything_back_and_the_world_outside_too() -> None:
    show = Show(delay=60)
    (line,) = show.come(1)
    show.move()
    assert (line.written, show.announced, show.spectators.shown.ply) == ([], [], 0)
    show.spectators.close()


async def test_a_match_that_is_opened_again_keeps_its_delay() -> None:
    show = Show(delay=60)
    for show.now in (10_000, 20_000, 69_999):
        show.move()
    show.spectators.close()
    show.spectators = show.open()
    (line,) = show.come(1)
    assert (show.spectators.shown.ply, show.announced) == (0, [])
    show.spectators.close()
    show.now = 79_999
    show.spectators = show.open()
    assert (show.spectators.shown.ply, show.announced) == (1, [])
    (line,) = show.come(1)
    show.now = 80_000
    async with asyncio.timeout(60):
        await show.has_announced.wait()
    assert [event.seq for said in show.announced for event in said.events] == line.seqs() == [3]
    assert show.spectators.shown.ply == 2
    show.spectators.close()


async def test_that_a_delayed_match_begins_is_known_at_once_and_its_end_too() -> None:
    show = Show(delay=60)
    assert show.open().shown == show.match
    show.move()
    for event in show.match.decide(Resign(id="r", match="m"), 0, 0):
        show.log.append(event)
        show.match = show.match.evolve(event)
    assert show.open().shown == show.match
    show.spectators.close()
