"""The rating of one node: outages, defects and bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from cornered.protocol.events import Ended, Started
from cornered.protocol.ratings import Rated
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.match.catalogue import settle
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts
from cornered.server.rating.ports import Backlog, RatingsUnavailable
from cornered.server.runtime import rating_service
from cornered.server.runtime.rating_service import SWEEP_SECONDS, RatingService
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

SPEC = settle(GameSpec(name="trapgrid"))[1]
PLAYERS = tuple(Player(id=name, name=name.title(), kind="person") for name in ("ann", "ben"))


class Stubborn(MemoryRatings):
    """Ratings in memory whose next looks fail."""

    def __init__(self, journal: MemoryJournal) -> None:
        super().__init__(journal)
        self.failures: list[Exception] = []
        self.looks = 0

    async def backlog(self) -> Backlog:
        self.looks += 1
        if self.failures:
            raise self.failures.pop(0)
        return await super().backlog()


class Scene:
    """A journal in memory and the service that rates its results."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.store = Stubborn(self.journal)
        self.counts = Counts()
        self.told: list[Rated] = []
        self.service = RatingService(self.store, self.counts, lambda: 90_000)
        self.service.deliver = self.told.append

    async def end(self, match: str) -> None:
        begun = Started(
            seq=1, at=1, match=match, game=SPEC, players=PLAYERS, clock=NO_CLOCK, commitment="c", rated=True
        )
        over = Ended(seq=2, at=5_000, winner=0, places=(1, 2), reason="rules", seed="5", rated=True)
        await self.journal.append(match, 0, [begun, over])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.service.run())
        try:
            yield
        finally:
            assert not task.done()
            task.cancel()


async def test_a_match_is_rated_and_told_at_once_here_and_found_by_the_next_look_elsewhere() -> None:
    scene = Scene()
    async with scene.running():
        await after(0.1)
        await scene.end("a")
        scene.service.tell("a")
        await after(0.01)
        assert [one.match for one in scene.told] == ["a"]
        scene.service.tell("casual")
        await after(SWEEP_SECONDS)
    assert len(scene.told) == 1
    scene = Scene()
    async with scene.running():
        await after(0.1)
        await scene.end("a")
        await after(SWEEP_SECONDS)
    assert (scene.counts.rated, scene.told) == (1, [])


@pytest.mark.parametrize("failure", [RatingsUnavailable("away"), ZeroDivisionError("a defect")], ids=["away", "defect"])
async def test_neither_an_outage_nor_a_defect_ends_the_rating(failure: Exception) -> None:
    scene = Scene()
    scene.store.failures = [failure] * 3
    await scene.end("a")
    scene.service.tell("a")
    async with scene.running():
        await after(2.5 * SWEEP_SECONDS)
        assert scene.told == []
        await after(SWEEP_SECONDS)
        assert [one.match for one in scene.told] == ["a"]
    assert (scene.service.waiting, scene.service.behind) == (0, 0)


async def test_a_client_that_fails_keeps_no_other_waiting() -> None:
    scene = Scene()
    for match in ("a", "b"):
        await scene.end(match)
        scene.service.tell(match)

    def deliver(message: Rated) -> None:
        scene.told.append(message)
        raise ZeroDivisionError

    scene.service.deliver = deliver
    async with scene.running():
        await after(0.1)
    assert [one.match for one in scene.told] == ["a", "b"]


async def test_the_age_of_what_waits_is_told() -> None:
    scene = Scene()
    await scene.end("a")

    async def store(*_: object) -> None:
        raise RatingsUnavailable("away")

    scene.store.store = store  # type: ignore[assignment, method-assign]
    async with scene.running():
        await after(0.1)
        assert (scene.service.waiting, scene.service.behind) == (1, 85.0)


async def test_matches_that_are_awaited_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_service, "MAX_AWAITED", 3)
    scene = Scene()
    for number in range(5):
        await scene.end(f"m{number}")
        scene.service.tell(f"m{number}")
    async with scene.running():
        await after(0.1)
    assert [one.match for one in scene.told] == ["m0", "m1", "m2"]
    assert scene.counts.rated == 5


async def test_a_match_begins_without_ratings_where_the_store_is_away() -> None:
    scene = Scene()

    async def current(_: object) -> None:
        raise RatingsUnavailable("away")

    opening = Opening("m", SPEC, PLAYERS, NO_CLOCK, rated=True)
    assert [one.rating for one in await scene.service.at_start(opening)] == [1500, 1500]
    scene.store.current = current  # type: ignore[assignment, method-assign]
    assert await scene.service.at_start(opening) == ()
    assert await RatingService().at_start(opening) == ()
