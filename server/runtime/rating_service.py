"""Rates finished matches, in the order of their ends, and has the clients of each told.

Every node rates whatever waits when one of its matches ends, and now and then anyway. The store accepts what was
computed from the newest ratings only, so of nodes that rate together one succeeds and the others look again: each
result is rated once, a result whose node died too, and no node waits for another one.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import structlog

from cornered.protocol.ratings import Rated
from cornered.protocol.values import Clock, GameSpec, Player, SeatRating
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts
from cornered.server.rating.anchors import anchor_of
from cornered.server.rating.pools import pool_of
from cornered.server.rating.ports import Backlog, NumberTaken, Pending, Ratings, RatingsUnavailable
from cornered.server.rating.ratings import NEW, Change, Rating, change_of, rate, renewed, seat_rating

__all__ = ["RatingService", "rate_all"]

SWEEP_SECONDS: Final = 2.0
"""How often results are looked for that no match of this node has left: their node died, or the store was away."""
PAGE: Final = 32
"""Results of one transaction: some milliseconds, in which no move is stored."""
MAX_TRIES: Final = 20
RETRY_SECONDS: Final = 0.01
"""How much longer a node waits at most after each time that another one was faster."""
MAX_AWAITED: Final = 10_000
"""Matches whose change is to be told. The clients of further ones get it when they join again."""

log = structlog.get_logger("ratings")


class RatingService:
    """The rating of one node. Without a store nothing is rated."""

    def __init__(
        self,
        store: Ratings | None = None,
        counts: Counts | None = None,
        now: Callable[[], int] = lambda: 0,
        *,
        knows_house_bots: bool = False,
    ) -> None:
        """`now` is the match clock in milliseconds. Ratings of house bots begin at their measured strength where the
        server `knows_house_bots`: without an operator's key any bot may have their names.
        """
        self._knows_house_bots = knows_house_bots
        self.store = store
        self._counts = counts or Counts()
        self._now = now
        self.deliver: Callable[[Rated], None] = lambda _: None
        """Gets the change of each match whose clients wait for it here."""
        self._awaited: dict[str, None] = {}
        self._wake = asyncio.Event()
        self._backlog = Backlog(0, 0)

    @property
    def waiting(self) -> int:
        """How many results were not rated at the last look."""
        return self._backlog.waiting

    @property
    def behind(self) -> float:
        """For how many seconds the oldest of them has waited."""
        return max(0, self._now() - self._backlog.oldest) / 1000 if self._backlog.waiting else 0.0

    async def at_start(self, opening: Opening) -> tuple[SeatRating, ...]:
        """Return each seat's rating as a rated match begins; none in a casual one, or where the store does not answer.

        A match may begin without them: its result is rated by what is stored at its end.
        """
        if self.store is None or not opening.rated:
            return ()
        pool, now = pool_of(opening.spec, opening.clock), self._now()
        keys = [(player.id, pool) for player in opening.players]
        try:
            known = await self.store.current(keys)
        except RatingsUnavailable as error:
            log.warning("a match begins without its players' ratings", match=opening.id, reason=str(error))
            return ()
        versions = opening.versions or [None] * len(keys)
        return tuple(
            seat_rating(renewed(known[key], version), now) if key in known else self._beginning(player, pool)
            for key, player, version in zip(keys, opening.players, versions, strict=True)
        )

    def _beginning(self, player: Player, pool: str) -> SeatRating:
        """Return where a rating begins. The match's first event keeps it, so that a recomputation begins there too."""
        anchor = anchor_of(player, pool) if self._knows_house_bots else None
        return seat_rating(NEW, 0) if anchor is None else SeatRating(rating=anchor, provisional=True, anchored=True)

    async def ratings_of(self, spec: GameSpec, clock: Clock, players: Collection[Player]) -> Mapping[str, float]:
        """Return the ratings of players, by id, in the games of a settled `spec` and a clock.

        Raises RatingsUnavailable.
        """
        pool = pool_of(spec, clock)
        known = {} if self.store is None else await self.store.current([(player.id, pool) for player in players])
        return {
            player.id: known[player.id, pool].rating
            if (player.id, pool) in known
            else float(self._beginning(player, pool).rating)
            for player in players
        }

    def tell(self, match: str) -> None:
        """Have the change of a match whose result counts delivered, as soon as it is known."""
        if self.store is None or len(self._awaited) >= MAX_AWAITED:
            return
        self._awaited[match] = None
        self._wake.set()

    async def run(self) -> None:
        """Rate until cancelled; what ends during an outage of the store is rated after it."""
        if self.store is None:
            return
        is_away = False
        while True:
            self._wake.clear()
            try:
                await self._look(self.store)
            except RatingsUnavailable as error:
                if not is_away:
                    log.warning("results cannot be rated", reason=str(error))
                is_away = True
                await asyncio.sleep(SWEEP_SECONDS)
                continue
            except Exception:
                # A defect in rating must not end the server: games go on, and the alert tells what waits.
                log.exception("the rating failed")
                await asyncio.sleep(SWEEP_SECONDS)
                continue
            if is_away:
                log.info("results can be rated again")
            is_away = False
            try:
                async with asyncio.timeout(SWEEP_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def _look(self, store: Ratings) -> None:
        """Rate what waits, and deliver what is awaited. Raises RatingsUnavailable."""
        self._backlog = await store.backlog()
        # Whoever is awaited by now is rated afterwards, by this node or another one, or will never be.
        awaited = tuple(self._awaited)
        if self._backlog.waiting:
            await rate_all(store, self._rated)
            self._backlog = await store.backlog()
        for first in range(0, len(awaited), PAGE):
            page = awaited[first : first + PAGE]
            changes = await store.changes(page)
            for match in page:
                self._awaited.pop(match, None)
                if match in changes:
                    self._deliver(match, changes[match])

    def _rated(self, number: int) -> None:
        self._counts.rated += number

    def _deliver(self, match: str, changes: Sequence[Change]) -> None:
        try:
            self.deliver(Rated(match=match, pool=changes[0].pool, changes=tuple(map(change_of, changes))))
        except Exception:
            # A defect in one match must not end the rating of all.
            log.exception("the change of a match was not delivered", match=match)


async def rate_all(store: Ratings, rated: Callable[[int], None] = lambda _: None) -> None:
    """Rate everything that waits; `rated` is called with the number of results of each transaction.

    Raises RatingsUnavailable, also where what is stored contradicts itself, so that nothing can be added.
    """
    tries = 0
    while True:
        # The number is read first: of what another node stores later, it is noticed that it is newer.
        newest = await store.newest()
        pending = await store.pending(PAGE)
        if not pending:
            return
        try:
            await store.store(newest, await _rate(store, pending))
        except NumberTaken:
            tries += 1
            if tries == MAX_TRIES:
                text = f"match {pending[0].match} or one after it cannot be rated; try `cornered admin ratings check`"
                raise RatingsUnavailable(text) from None
            # Another node is faster; both would go on to meet if they began at once.
            await asyncio.sleep(random.uniform(0, tries * RETRY_SECONDS))
            continue
        tries = 0
        rated(len(pending))


async def _rate(store: Ratings, pending: Sequence[Pending]) -> list[tuple[str, Sequence[Change]]]:
    """Return the changes of results that follow each other."""
    results = [one.result for one in pending if one.result is not None]
    keys = {(player.id, result.pool) for result in results for player in result.players}
    ratings = dict[tuple[str, str], Rating](await store.current(keys))
    rated: list[tuple[str, Sequence[Change]]] = []
    for one in pending:
        changes: tuple[Change, ...] = ()
        if one.result is not None:
            changes = rate(one.result, one.result.before(ratings))
            ratings |= {(change.player, change.pool): change.after for change in changes}
        rated.append((one.match, changes))
    return rated
