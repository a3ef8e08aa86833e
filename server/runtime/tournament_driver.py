"""Drives tournaments on the node that decides for the lobby: results, rounds, matches and the end.

A pairing is stored with the ids of its matches before these are opened, and a match that is not stored is opened at the
next look, so a crash in between is mended by whichever node looks next. Two nodes that take themselves for the owner
append under the same number, and one of them is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, Protocol

import structlog

from cornered.protocol.values import MAX_PAUSE_SECONDS, Player
from cornered.server.lobby.events import MatchMade
from cornered.server.metrics import Counts
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.following import follow
from cornered.server.runtime.tournament_book import TournamentBook
from cornered.server.streams.ports import StaleStream, StreamsUnavailable
from cornered.server.tournament.events import Result, TournamentEvent
from cornered.server.tournament.outcome import result_of, void_result
from cornered.server.tournament.rounds import drafted, replays
from cornered.server.tournament.state import TournamentState
from cornered.server.tournament.tournament import ARENA_GATHER_MS, is_round_due, pair_round, resulted, tick

__all__ = ["LOOK_SECONDS", "LobbyView", "MatchOrders", "TournamentDriver"]

LOOK_SECONDS: Final = 0.5
"""Seconds between two looks at all tournaments; the end of a match of one is looked at at once."""
OPENED_TOGETHER: Final = 16
"""Matches that are opened at once."""
THREAD_PLAYERS: Final = 32
"""Players from whose number on a round is paired in a thread: 30 take 1 ms, 200 up to 60 ms."""

log = structlog.get_logger("tournaments")


async def _settle_nothing(_: str) -> None:
    """Take nobody out."""


class LobbyView:
    """What the driver needs of the lobby and of the nodes."""

    def __init__(
        self,
        *,
        is_deciding: Callable[[], bool],
        is_here: Callable[[str], bool],
        was_away: Callable[[str, int], bool],
        is_live: Callable[[str], bool],
        new_id: Callable[[str], str],
        open_match: Callable[[MatchMade], Awaitable[bool]],
        versions_of: Callable[[Sequence[Player]], tuple[str | None, ...]] = lambda _: (),
    ) -> None:
        """`is_deciding` says whether this node decides for the lobby, `is_live` whether a match is known to go on, and
        `was_away` whether a player had no connection at a time that has just passed; not where that is unknown.
        """
        self.is_deciding = is_deciding
        self.is_here = is_here
        self.was_away = was_away
        self.is_live = is_live
        self.new_id = new_id
        self.open_match = open_match
        self.versions_of = versions_of


class MatchOrders(Protocol):
    """An organiser's orders for matches, which change nothing where it is so already. All raise Refusal."""

    async def pause(self, match: str, seconds: int) -> None: ...

    async def resume(self, match: str) -> None: ...

    async def take_out(self, match: str, seat: int) -> None: ...


class TournamentDriver:
    """The driver of one node, idle while another node decides for the lobby."""

    def __init__(
        self,
        book: TournamentBook,
        journal: Journal,
        lobby: LobbyView,
        counts: Counts,
        *,
        now: Callable[[], int],
        orders: Callable[[], MatchOrders] | None = None,
        settle: Callable[[str], Awaitable[None]] = _settle_nothing,
    ) -> None:
        """Without `orders` the matches go on whatever the organiser decides.

        `settle` takes out of a tournament who has lost the right to be in it, before others are paired with them.
        """
        self._book = book
        self._journal = journal
        self._lobby = lobby
        self._counts = counts
        self._now = now
        self._orders = orders
        self._settle = settle
        self._wake = asyncio.Event()
        # When the players of an arena were paired last.
        self._paired_at: dict[str, int] = {}
        # Whether the clocks of a match were paused by this driver.
        self._paused: dict[str, bool] = {}

    def look(self) -> None:
        """Look at all tournaments soon."""
        self._wake.set()

    async def run(self) -> None:
        """Follow the streams, and drive what is this node's to drive, until cancelled."""
        await follow("tournaments", self._look, self._pause, (StreamsUnavailable, JournalUnavailable))

    async def _pause(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._wake.wait()
        self._wake.clear()

    async def _look(self) -> None:
        await self._book.catch_up()
        if self._lobby.is_deciding():
            await self._drive_all()

    async def _drive_all(self) -> None:
        for state in tuple(self._book.live.values()):
            try:
                await self.drive(state)
            except StaleStream:
                # Another node was faster, or a command came in between: the next look decides again.
                await self._book.catch_up()
                self.look()
            except (StreamsUnavailable, JournalUnavailable):
                raise
            except Exception:
                # A defect in one tournament must not stop the others.
                log.exception("a tournament could not be driven", tournament=state.id)
        await self._release_clocks()
        for known in (self._paired_at, self._paused):
            for key in [key for key in known if not self._is_known(key) and not self._is_held(key)]:
                del known[key]

    def _is_known(self, key: str) -> bool:
        return key in self._book.live or any(key in state.pending for state in self._book.live.values())

    def _is_held(self, match: str) -> bool:
        """Return whether the clocks of a match are paused and could not be released yet."""
        return self._paused.get(match, False) and self._lobby.is_live(match)

    async def drive(self, state: TournamentState) -> None:
        """Take what has changed for one tournament one step further. Raises StaleStream and what a store raises."""
        await self._take_out(state)
        results, missing = await self._look_at_matches(state)
        await self._store(state, resulted(state, results, self._now()))
        if self._may_pair(state):
            await self._settle(state.id)
        await self._store(state, self._tick(state))
        if is_round_due(state, self._now()):
            await self._pair(state)
        await self._open(state, missing)
        await self._set_clocks(state)

    async def _look_at_matches(self, state: TournamentState) -> tuple[list[Result], list[str]]:
        """Return the results of matches that have ended, and the matches that are not stored."""
        results, missing = [], []
        for match in tuple(state.pending):
            if self._lobby.is_live(match):
                continue
            try:
                events = await self._journal.read(match)
            except DamagedMatch:
                results.append(void_result(match))
                continue
            if not events:
                missing.append(match)
            elif (result := result_of(match, events, self._absence_in(state, match))) is not None:
                results.append(result)
        return results, missing

    def _may_pair(self, state: TournamentState) -> bool:
        """Return whether this look may start a tournament, or pair its players."""
        if state.status == "open":
            starts_at = state.settings.starts_at
            return starts_at is not None and self._now() >= starts_at
        return is_round_due(state, self._now()) or self._is_arena_due(state) or bool(replays(state))

    def _is_arena_due(self, state: TournamentState) -> bool:
        is_gathered = self._now() - self._paired_at.get(state.id, 0) >= ARENA_GATHER_MS
        return state.status == "running" and state.settings.format == "arena" and is_gathered

    def _absence_in(self, state: TournamentState, match: str) -> Callable[[int, int], bool]:
        """Return the function that says whether the player in a seat of a match was away at a time."""
        pairing = state.pairing_of(match)
        players = () if pairing is None else pairing.players
        return lambda seat, at: seat < len(players) and self._lobby.was_away(players[seat], at)

    def _tick(self, state: TournamentState) -> Sequence[TournamentEvent]:
        now = self._now()
        here: Collection[str] = ()
        if self._is_arena_due(state):
            here = {player for player in state.entries if self._lobby.is_here(player)}
            self._paired_at[state.id] = now
        return tick(state, now, self._lobby.new_id, here)

    async def _pair(self, state: TournamentState) -> None:
        began, seq = time.perf_counter(), state.seq
        work = drafted(state)
        drafts = await asyncio.to_thread(work) if len(state.entries) >= THREAD_PLAYERS else work()
        self._counts.pairing_seconds += time.perf_counter() - began
        if state.seq == seq:
            self._counts.rounds_paired += 1
            await self._store(state, pair_round(state, drafts, self._now(), self._lobby.new_id))

    async def _store(self, state: TournamentState, events: Sequence[TournamentEvent]) -> None:
        if events:
            await self._book.append(state.id, state.seq, events)
            self.look()

    async def _open(self, state: TournamentState, matches: Sequence[str]) -> None:
        """Open matches that are stored as pairings only. Those that cannot be opened now are tried at the next look."""
        for first in range(0, len(matches), OPENED_TOGETHER):
            openings = [self._open_one(state, match) for match in matches[first : first + OPENED_TOGETHER]]
            await asyncio.gather(*openings)

    async def _open_one(self, state: TournamentState, match: str) -> None:
        pairing = state.pairing_of(match)
        if pairing is None:
            return
        settings = state.settings
        players = tuple(state.entries[player].player for player in pairing.players)
        made = MatchMade(
            match,
            settings.game,
            players,
            settings.clock,
            # Strangers see neither the event of a group nor its games.
            private=settings.group is not None,
            rated=settings.rated,
            tournament=state.id,
            versions=self._lobby.versions_of(players),
        )
        try:
            if not await self._lobby.open_match(made):
                log.warning("a match of a tournament could not be opened", tournament=state.id, match=match)
        except Refusal as refusal:
            log.warning("a match of a tournament is not opened", match=match, reason=refusal.text)

    async def _take_out(self, state: TournamentState) -> None:
        """End the games that go on of players whom the organiser has taken out: their results are there already."""
        if self._orders is None:
            return
        for match, seat in state.taken_out.items():
            if self._lobby.is_live(match):
                try:
                    await self._orders().take_out(match, seat)
                except Refusal as refusal:
                    log.warning("a game of a player who is out goes on", match=match, reason=refusal.text)

    async def _set_clocks(self, state: TournamentState) -> None:
        if self._orders is None or state.paused_at is None:
            return
        for match in tuple(state.pending):
            # A node that has taken over orders once more, which changes nothing where it is so.
            if self._paused.get(match) is not state.is_paused and self._lobby.is_live(match):
                await self._set_clock(self._orders(), match, is_paused=state.is_paused)

    async def _release_clocks(self) -> None:
        """Have the games go on whose tournament ended in a pause: nobody can resume it any more."""
        left = [match for match, is_paused in self._paused.items() if is_paused and not self._is_known(match)]
        for match in left:
            if self._orders is not None and self._lobby.is_live(match):
                await self._set_clock(self._orders(), match, is_paused=False)

    async def _set_clock(self, orders: MatchOrders, match: str, *, is_paused: bool) -> None:
        try:
            if is_paused:
                await orders.pause(match, MAX_PAUSE_SECONDS)
            else:
                await orders.resume(match)
        except Refusal as refusal:
            log.warning("clocks of a tournament stay as they are", match=match, reason=refusal.text)
        else:
            self._paused[match] = is_paused
