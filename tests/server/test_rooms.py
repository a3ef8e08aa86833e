"""All rooms together: what a restart brings back, and what one damaged match does to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from protocol.commands import Join, Play
from protocol.events import MatchEvent, Resumed, Started
from protocol.messages import Refused, ServerMessage, Snapshot
from protocol.values import NO_CLOCK, Fischer, GameSpec, Player
from server.adapters.bus_local import LocalBus
from server.adapters.journal_memory import MemoryJournal
from server.dice import seed_of
from server.match import Match, Patience, open_match
from server.metrics import Counts
from server.ports import StoredMatch
from server.room import Services
from server.rooms import Rooms

PLAYERS = tuple(Player(id=name, name=name, kind="person") for name in ("a", "b"))


def begun(match: str, game: str = "trapgrid", *, secret: bytes = b"", **options: Any) -> tuple[MatchEvent, ...]:
    """Return the beginning of a match, of a game that there is not if need be."""
    spec = GameSpec(name="trapgrid", options={"size": 3})
    first, *_ = open_match(match, spec, PLAYERS, NO_CLOCK, seed_of(secret, match), now=1)
    assert isinstance(first, Started)
    return (first.model_copy(update={"game": GameSpec(name=game, options=options or spec.options)}),)


@pytest.mark.parametrize(("game", "options"), [("chess", {"size": 3}), ("trapgrid", {"sides": 3})])
async def test_a_live_match_that_cannot_be_replayed_stays_closed_and_harms_no_other(
    house: Any, stores: Any, pair: Any, game: str, options: dict[str, int]
) -> None:
    await stores.journal.append("bad", 0, begun("bad", game, **options))
    async with house() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        token = ann.welcome.token
    async with house() as running, running.client("Ann", token=token) as ann:
        assert ann.welcome.matches == (match,)
        await ann.do(Play, match=match, ply=0, move="a2")
        answer = await ann.ask(Join, match="bad")
        assert isinstance(answer, Refused)
        assert answer.code == "internal"
        assert "damaged" in answer.text


async def test_lists_pass_over_what_cannot_be_replayed() -> None:
    services = Services(MemoryJournal(), LocalBus(node="here"), Counts(), lambda: 1)
    async with asyncio.TaskGroup() as tasks:
        rooms = Rooms(services, b"", Patience(), tasks)
        stored = [StoredMatch(name, begun(name, game)) for name, game in (("a", "trapgrid"), ("b", "chess"))]
        stored += [StoredMatch("c", ()), StoredMatch("d", begun("d"))]
        assert [match.id for match in rooms.replayed(stored)] == ["a", "d"]


class Overtaken(MemoryJournal):
    """A journal where the refund of the server before arrives while this one stores its own."""

    def __init__(self) -> None:
        super().__init__()
        self.is_overtaking = False

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if self.is_overtaking:
            self.is_overtaking = False
            await super().append(match, expected_seq, events)
        await super().append(match, expected_seq, events)


async def test_a_write_that_arrives_during_the_restart_is_taken_over(house: Any, stores: Any, pair: Any) -> None:
    stores.journal = Overtaken()
    async with house() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, clock=Fischer(initial=60))
        token = ann.welcome.token
        await ann.do(Play, match=match, ply=0, move="a2")
        await ben.do(Play, match=match, ply=1, move="c2")
    stores.now.at += 30_000
    stores.journal.is_overtaking = True
    async with house() as running, running.client("Ann", token=token) as ann:
        assert (await ann.do(Play, match=match, ply=2, move="a1")).seq == 5
    kinds = [type(event) for event in await stores.journal.read(match)]
    assert kinds.count(Resumed) == 1


class Broadcaster(LocalBus):
    """A bus that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(node="here")
        self.told: list[ServerMessage] = []

    def publish_match(self, message: ServerMessage) -> None:
        self.told.append(message)


async def test_after_a_restart_the_world_outside_hears_no_more_of_a_delayed_match_than_its_spectators() -> None:
    journal, bus, now = MemoryJournal(), Broadcaster(), 1_000_000
    secret = await journal.secret()
    spec = GameSpec(name="trapgrid", options={"size": 3})
    log = list(open_match("m", spec, PLAYERS, NO_CLOCK, seed_of(secret, "m"), now=now, delay=300))
    for at in (now + 1_000, now + 200_000):
        match = Match.replay(log, seed_of(secret, "m"))
        move = Play(id="c", match="m", ply=match.ply, move=match.state.moves()[0])
        log += match.decide(move, match.to_move, at)
    await journal.append("m", 0, log)
    async with asyncio.TaskGroup() as tasks:
        rooms = Rooms(Services(journal, bus, Counts(), lambda: now + 400_000), secret, Patience(), tasks)
        rooms.on_opened = rooms.on_changed = rooms.on_ended = lambda _: None
        await rooms.recover(0)
        (said,) = bus.told
        assert isinstance(said, Snapshot)
        assert (said.seq, said.moves) == (2, match.moves)
        await rooms.close()
