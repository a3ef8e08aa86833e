"""Matches assembled from a broker's messages, as the server's feed makes them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import pytest

from cornered import engine
from cornered.clients.sdk import Closed
from cornered.clients.terminal.broadcast import BroadcastFeed
from cornered.clients.terminal.broadcast_match import BroadcastMatch
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.gallery_screen import GalleryScreen
from cornered.clients.terminal.match_source import NotPossible, Seen, Told
from cornered.protocol.events import Ended, MatchEvent, Played, Started
from cornered.protocol.messages import Happened, Snapshot
from cornered.protocol.values import NO_CLOCK, Clocks, GameSpec, Player
from cornered.server.adapters.feed import Feed, Publication
from tests.clients.terminal.tables import text_of

pytestmark = pytest.mark.virtual_time

NOBODY = Clocks(left=(None, None), running=None, at=0)


class Announcer:
    """Plays a match of TrapGrid 3x3 and makes the messages that the server publishes of it."""

    def __init__(self, match: str = "m1") -> None:
        self.match = match
        self.feed = Feed()
        self.state = engine.load("trapgrid", size=3).start()
        self.seq = 0
        self.ply = 0
        players = tuple(Player(id=name, name=name.capitalize(), kind="person") for name in ("ana", "bob"))
        spec = GameSpec(name="trapgrid", options={"size": 3})
        self.begins = self._happened(
            Started(seq=1, at=0, match=match, game=spec, players=players, clock=NO_CLOCK, commitment="0" * 64)
        )

    def plays(self, move: str) -> list[Publication]:
        seat = self.state.to_move
        self.state = engine.apply(self.state, move)
        self.ply += 1
        ply, seq = self.ply - 1, self.seq + 1
        played = Played(seq=seq, at=0, seat=seat, cause="c1", ply=ply, move=move, spent=0, left=(None, None))
        if self.state.outcome is None:
            return self._happened(played)
        winner = self.state.outcome.winner
        ended = Ended(seq=self.seq + 2, at=0, winner=winner, places=(1, 2), reason="rules", seed="00")
        return self._happened(played, ended)

    def _happened(self, *events: MatchEvent) -> list[Publication]:
        self.seq = events[-1].seq
        told = {"match": self.match, "position": str(self.state), "ply": self.ply, "to_move": self.state.to_move}
        self.feed.match(Happened.model_validate({**told, "events": events, "clocks": NOBODY}))
        publications = []
        while (publication := self.feed.take()) is not None:
            publications.append(publication)
        return publications


async def tell(broadcast: BroadcastFeed, publications: Sequence[Publication]) -> None:
    for publication in publications:
        await broadcast.take(publication.topic, publication.payload)


async def seen(table: BroadcastMatch) -> tuple[Snapshot, list[str]]:
    """Return the state of the table, and the lines that it showed on the way."""
    told, match = [], None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1):
            async for change in table.follow():
                if isinstance(change, Told):
                    told.append(change.text)
                elif isinstance(change, Seen):
                    match = change.match
    assert match is not None
    return match, told


async def begun() -> tuple[Announcer, BroadcastFeed, BroadcastMatch]:
    """Return a match that has begun, and its table."""
    announcer, broadcast = Announcer(), BroadcastFeed(lambda: 0)
    table = broadcast.table("m1")
    await tell(broadcast, announcer.begins)
    return announcer, broadcast, table


async def test_a_match_is_followed_from_its_beginning_to_its_end() -> None:
    announcer, broadcast, table = await begun()
    for move in ("a2", "b1", "a1"):
        await tell(broadcast, announcer.plays(move))
    match, told = await seen(table)
    assert match.moves == ("a2", "b1", "a1")
    assert match.position == str(announcer.state)
    assert not match.over
    assert "2. Bob plays b1." in told
    assert [live.position for live in broadcast.live()] == [str(announcer.state)]
    while announcer.state.outcome is None:
        last = announcer.plays(announcer.state.moves()[0])
        await tell(broadcast, last)
    assert last[-1].payload == b"", "no state tells the last position"
    match, told = await seen(table)
    assert match.over
    assert match.position == str(announcer.state)
    assert told[-1].endswith("won, by the rules of the game.")
    assert broadcast.live() == []


async def test_a_late_subscriber_starts_from_the_retained_state() -> None:
    announcer, broadcast = Announcer(), BroadcastFeed(lambda: 0)
    announcer.plays("a2")
    state = announcer.plays("b1")[-1]
    table = broadcast.table("m1")
    await broadcast.take(state.topic, state.payload)
    await tell(broadcast, announcer.plays("a1"))
    match, _ = await seen(table)
    assert match.moves == ("?", "?", "a1")
    assert match.position == str(announcer.state)


async def test_lost_events_are_noticed_by_their_numbers_and_repeated_ones_change_nothing() -> None:
    announcer, broadcast, table = await begun()
    first = announcer.plays("a2")
    for publications in (first, first, announcer.begins):
        await tell(broadcast, publications)
    match, _ = await seen(table)
    assert (match.moves, match.seq) == (("a2",), 2)
    announcer.plays("b1")
    await tell(broadcast, announcer.plays("a1"))
    match, told = await seen(table)
    assert told[-1] == "Lost on the way: 1 of the events, from number 3 on."
    assert match.position == str(announcer.state)
    assert match.ply == 3


async def test_lost_events_are_fetched_where_a_server_is_known() -> None:
    announcer = Announcer()
    asked: list[str] = []

    async def fetch(match: str) -> Snapshot:
        asked.append(match)
        if len(asked) == 1:
            raise NotPossible("not yet")
        return whole

    broadcast = BroadcastFeed(lambda: 0, fetch)
    table = broadcast.table("m1")
    await tell(broadcast, announcer.begins)
    whole = (await seen(table))[0].model_copy(update={"moves": ("a2", "b1"), "ply": 2, "seq": 3})
    announcer.plays("a2")
    await tell(broadcast, announcer.plays("b1"))
    match, _ = await seen(table)
    assert match.moves == ("a2", "b1")
    assert asked == ["m1", "m1"]


async def test_what_cannot_be_read_is_passed_over() -> None:
    announcer, broadcast = Announcer(), BroadcastFeed(lambda: 0)
    broadcast.table("m1")
    for topic in ("cornered/v1/pub/match/m1/state", "cornered/v1/pub/match/m1/events", "other/topic", "x"):
        await broadcast.take(topic, b"{nonsense")
    await tell(broadcast, announcer.begins)
    assert [live.id for live in broadcast.live()] == ["m1"]


async def test_an_end_that_was_lost_is_noticed_when_the_state_is_cleared() -> None:
    announcer, broadcast, table = await begun()
    while announcer.state.outcome is None:
        last = announcer.plays(announcer.state.moves()[0])
    await tell(broadcast, last[-1:])
    match, told = await seen(table)
    assert match.over
    assert told[-1].startswith("No more is told of this match")


async def test_a_match_that_ended_while_the_broker_was_away_is_over_once_it_has_told_what_it_keeps() -> None:
    announcer, other, broadcast = Announcer("m1"), Announcer("m2"), BroadcastFeed(lambda: 0)
    first, second = broadcast.table("m1"), broadcast.table("m2")
    await tell(broadcast, announcer.begins + other.begins)
    broadcast.begin()
    await tell(broadcast, other.begins)
    await broadcast.settle()
    assert (await seen(first))[0].over
    assert not (await seen(second))[0].over


async def test_a_closed_broadcast_tells_those_who_wait_and_accepts_no_moves() -> None:
    broadcast = BroadcastFeed(lambda: 0)
    table = broadcast.table("m1")
    for attempt in (table.play("a2", 0), table.do("resign"), table.say("hi")):
        with pytest.raises(NotPossible):
            await attempt
    broadcast.close()
    with pytest.raises(Closed):
        await broadcast.changed()


async def test_the_list_of_live_matches_watches_one_on_enter() -> None:
    first, second, broadcast = Announcer("m1"), Announcer("m2"), BroadcastFeed(lambda: 0)
    app = CorneredApp(GalleryScreen(broadcast), opener=broadcast.open)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "No match is under way" in text_of(app)
        await tell(broadcast, first.begins)
        await tell(broadcast, second.begins)
        await tell(broadcast, second.plays("a2"))
        await pilot.pause()
        assert text_of(app).count("Ana vs Bob") == 2
        await pilot.press("down", "enter")
        await pilot.pause()
        assert "Bob to move (◆)." in text_of(app)
        await tell(broadcast, second.plays("b1"))
        await pilot.pause()
        assert "Ana to move (●)." in text_of(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "Live matches" in text_of(app)
