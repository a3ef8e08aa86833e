"""Rounds of pairing, on the node that decides for the lobby: of people in pools once a second while some wait, and of
bots in the ladder every few seconds while some take part."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

import structlog

from cornered.contests.glicko import CENTRE
from cornered.protocol.values import PairingPool, Player
from cornered.server.lobby.blocks import Blocks, BlocksOf
from cornered.server.lobby.events import BotNamed, LobbyEvent
from cornered.server.lobby.ladder import Ladder
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.pools import Entry, offered_pools, pool_named
from cornered.server.refusal import Refusal
from cornered.server.social.ports import SocialUnavailable

__all__ = ["BOTS_EVERY_S", "BOT_AFTER_MS", "LADDER_EVERY_S", "ROUND_S", "PairingRounds", "RatingsOf", "unrated"]

ROUND_S: Final = 1.0
"""Seconds between two rounds: players who come within one round are compared with each other."""
BOT_AFTER_MS: Final = 15_000
"""The wait after which a bot is named."""
BOTS_EVERY_S: Final = 5.0
"""Seconds between two looks for bots."""
LADDER_EVERY_S: Final = 5.0
"""Seconds between two rounds of the ladder, each of which is of one pool."""

RatingsOf: TypeAlias = Callable[[PairingPool, Collection[Player]], Awaitable[Mapping[str, float]]]
"""Returns the ratings of players, by id, in the games of a pool; players without one have the rating of a beginning.
Raises RatingsUnavailable."""

log = structlog.get_logger("pairing")


async def unrated(_: PairingPool, players: Collection[Player]) -> Mapping[str, float]:
    """Return the ratings of players of whom none is rated."""
    return {player.id: CENTRE for player in players}


class PairingRounds:
    """Pairs the players who wait, and names bots to those who have waited for a while."""

    def __init__(
        self,
        lobby: Lobby,
        ratings_of: RatingsOf,
        blocks_of: BlocksOf,
        *,
        now: Callable[[], int],
        new_id: Callable[[str], str],
        carry_out: Callable[[Sequence[LobbyEvent]], object],
        is_full: Callable[[], bool],
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`carry_out` folds, stores and tells the events of a decision, and opens the match that they make.

        `is_full` returns whether too much waits for the store: then a round is left out.
        """
        self._lobby = lobby
        self._ratings_of = ratings_of
        self._blocks_of = blocks_of
        self._now = now
        self._new_id = new_id
        self._carry_out = carry_out
        self._is_full = is_full
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._pairing: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None
        self._next_search = 0.0
        self._ladder = Ladder()
        self._ladder_round: asyncio.Task[None] | None = None
        self._next_ladder_round = 0.0
        self._ladder_rounds = 0
        self._is_closed = False

    def look(self) -> None:
        """Have a round in a second, if there is anybody to be paired and none is due."""
        if self._timer is None and not self._is_closed and (len(self._lobby.pools) or len(self._lobby.ladder_bots) > 1):
            self._timer = self._loop.call_later(ROUND_S, self._round)

    def close(self) -> None:
        """Have no further rounds."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for task in (self._pairing, self._search, self._ladder_round):
            if task is not None:
                task.cancel()

    def _round(self) -> None:
        self._timer = None
        try:
            if not self._is_full():
                self._look_for_pairs()
                self._look_for_bots()
                self._look_at_the_ladder()
        except Exception:
            log.exception("a round of pairing failed")
        finally:
            self.look()

    def _look_for_pairs(self) -> None:
        is_pairing = self._pairing is not None and not self._pairing.done()
        if not is_pairing and len(self._lobby.pools):
            self._pairing = self._tasks.create_task(self._pair_all(), name="pairs of pools")

    async def _pair_all(self) -> None:
        """Pair in every pool those whose blocks are read; who comes meanwhile is paired in the next round."""
        try:
            asked = {entry.player.id for entry in self._lobby.pools.entries()}
            blocks = await self._blocks_of(asked)
            if self._is_full() or self._is_closed:
                return
            for pool in filter(None, map(pool_named, self._lobby.pools.occupied())):
                self._pair(pool, blocks, asked)
        except SocialUnavailable as error:
            # The next round may succeed.
            log.warning("nobody is paired: who blocks whom cannot be read", reason=str(error))
        except Exception:
            log.exception("a round of pairing failed")

    def _pair(self, pool: PairingPool, blocks: Blocks, asked: Collection[str]) -> None:
        pairs, leaving = self._lobby.pairs_in(pool.id, self._now(), blocks, asked)
        if leaving:
            self._carry_out(leaving)
        for players in pairs:
            self._meet(pool, players)

    def _meet(self, pool: PairingPool, players: tuple[Player, Player]) -> None:
        try:
            # Matches of this round may have taken the last places of an address.
            self._lobby.check_places(players)
        except Refusal:
            return
        new_id, random_number = self._new_id(players[0].id), secrets.randbits(64)
        self._carry_out(self._lobby.meet(pool, players, new_id=new_id, random_number=random_number))

    def _look_for_bots(self) -> None:
        now = self._loop.time()
        is_searching = self._search is not None and not self._search.done()
        if is_searching or now < self._next_search or not any(map(self._may_be_named_one, self._lobby.pools.entries())):
            return
        self._next_search = now + BOTS_EVERY_S
        self._search = self._tasks.create_task(self._name_bots(), name="bots for pools")

    def _may_be_named_one(self, entry: Entry) -> bool:
        return self._now() - entry.since >= BOT_AFTER_MS and self._lobby.is_here(entry.player.id)

    async def _name_bots(self) -> None:
        try:
            for pool in filter(None, map(pool_named, self._lobby.pools.occupied())):
                bots = [guest.player for guest in self._lobby.bots_for(pool)]
                ratings = await self._ratings_of(pool, bots) if bots else {}
                for entry in filter(self._may_be_named_one, self._lobby.pools.waiting_in(pool.id)):
                    bot = self._lobby.bot_for(entry, ratings)
                    if bot != entry.bot:
                        self._carry_out((BotNamed(entry.player.id, bot),))
        except Exception:
            # The players wait for each other all the same, and the next look may succeed.
            log.exception("no bots could be named to players who wait")

    # The ladder

    def _look_at_the_ladder(self) -> None:
        now = self._loop.time()
        is_pairing = self._ladder_round is not None and not self._ladder_round.done()
        if is_pairing or now < self._next_ladder_round or len(self._lobby.ladder_bots) < 2:
            return
        self._next_ladder_round = now + LADDER_EVERY_S
        self._ladder_round = self._tasks.create_task(self._pair_bots(), name="ladder")

    def _next_pool(self) -> tuple[PairingPool, list[Player]] | None:
        """Return the next pool in turn that two bots are free for, and these; None where there is none."""
        pools = offered_pools()
        for _ in pools:
            pool = pools[self._ladder_rounds % len(pools)]
            self._ladder_rounds += 1
            bots = [guest.player for guest in self._ladder.free(self._lobby, pool, self._now())]
            if len(bots) > 1:
                return pool, bots
        return None

    async def _pair_bots(self) -> None:
        try:
            chosen = self._next_pool()
            if chosen is None:
                return
            pool, bots = chosen
            ratings = await self._ratings_of(pool, bots)
            if self._is_full() or self._is_closed:
                return
            # Meanwhile some may have begun other games, or gone.
            free = self._ladder.free(self._lobby, pool, self._now())
            for players in self._ladder.pairs(self._lobby, free, ratings, self._now()):
                self._meet(pool, players)
        except Exception:
            # The next round may succeed.
            log.exception("the bots of the ladder could not be paired")
