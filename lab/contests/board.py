"""One game on a server through both players' clients: the bot to move thinks and sends its move."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cornered import engine
from cornered.bots.bot import Bot, Limit, Proven
from cornered.clients.sdk import Client, ClientError, CommandRefused, MatchView
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.time_management import clock_times, move_limit
from cornered.engine import CHANCE, State
from cornered.lab.contests.arena import agreed_winner, ask, effort_after, fault_of, hung_after_s, late_after_s
from cornered.lab.contests.blame import FAILURES, report_thinking
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, GameEnding, PlayedGame
from cornered.protocol.messages import Snapshot
from cornered.protocol.values import NoClock

__all__ = ["DAY_MS", "ServerGame"]

DAY_MS: Final = 86_400_000
"""Limit of a move in milliseconds when only the clock limits it."""


class ServerGame:
    """One game on the server, with the views of both players."""

    def __init__(
        self,
        terms: ContestTerms,
        fixture: Fixture,
        bots: Sequence[Bot],
        clients: Sequence[Client],
        views: Sequence[MatchView],
    ) -> None:
        self._terms = terms
        self._fixture = fixture
        self._bots = bots
        self._clients = clients
        self._views = views
        self._state: State = terms.load().start()
        self._moves: list[str] = []
        self._efforts = [Effort(), Effort()]
        self._claims: list[tuple[Proven | None, int]] = [(None, -1), (None, -1)]
        """By seat: the result that the latest thought proved, and its ply."""

    async def play(self) -> PlayedGame:
        opening = self._fixture.opening
        while True:
            snapshot = await self._level()
            if snapshot.over:
                return self._ended(snapshot)
            if self._state.to_move == CHANCE:
                await self._views[0].changed(self._views[0].version)
                continue
            seat = self._state.to_move
            if len(self._moves) < len(opening):
                await self._move(seat, opening[len(self._moves)])
                continue
            if len(self._moves) >= self._terms.longest:
                return await self._drawn("length")
            if (played := await self._turn(seat)) is not None:
                return played

    async def _level(self) -> Snapshot:
        """Wait until both players have the same newest snapshot, and apply its moves to the state."""
        one, other = self._views
        while one.snapshot.seq != other.snapshot.seq:
            late = min(self._views, key=lambda view: view.snapshot.seq)
            await late.changed(late.version)
        for move in one.snapshot.moves[len(self._moves) :]:
            self._state = engine.apply(self._state, move)
            self._moves.append(move)
        return one.snapshot

    async def _turn(self, seat: int) -> PlayedGame | None:
        """Let a bot think and move; return the game if a failure, an illegal move or agreed proofs end it."""
        terms, spec, limit = self._terms, self._fixture.players[seat], self._limit(seat)
        ply = len(self._moves) + 1
        report_thinking(seat, self._moves, hung_after_s(limit.time))
        try:
            thought, seconds = await asyncio.to_thread(ask, self._bots[seat], self._state, limit)
        except FAILURES as error:
            return await self._lost(seat, "crashed", fault_of(spec, error))
        self._efforts[seat] = effort_after(self._efforts[seat], thought, seconds, limit.time)
        if seconds > late_after_s(terms.time):
            return await self._lost(seat, "time", f"{spec} took {seconds:.2f} s for a move")
        try:
            await self._move(seat, thought.move)
        except CommandRefused as refusal:
            if refusal.code != "illegal_move":
                raise
            return await self._lost(seat, "illegal", f"{spec}: {refusal.text}")
        self._claims[seat] = thought.proven, ply
        if not terms.adjudicates or (verdict := agreed_winner(self._claims, ply)) is None or (await self._level()).over:
            return None
        return await (self._drawn("adjudicated") if verdict < 0 else self._lost(1 - verdict, "adjudicated"))

    def _limit(self, seat: int) -> Limit:
        """Return the limit of the terms, reduced to the time left on the clock."""
        terms, view = self._terms, self._views[seat]
        if isinstance(view.snapshot.clock, NoClock):
            return terms.limit()
        left, way = view.left(seat), self._clients[seat].round_trip
        limit = move_limit(view.snapshot.clock, left, way, terms.time or DAY_MS)
        clocks = clock_times(view.snapshot.clock, map(view.left, range(len(view.players))))
        return replace(limit, depth=terms.depth, nodes=terms.nodes, clocks=clocks)

    async def _move(self, seat: int, move: str) -> None:
        view, ply = self._views[seat], len(self._moves)
        try:
            await retry(lambda: view.play(move, ply))
        except CommandRefused as refusal:
            if refusal.code not in ("match_over", "too_late"):
                raise
            # The flag fell before the move arrived.
            await view.ended()

    async def _lost(self, seat: int, ending: GameEnding, why: str = "") -> PlayedGame:
        """End the game on the server by resignation of a seat, unless the server has ended it already."""
        with contextlib.suppress(CommandRefused):
            await retry(self._views[seat].resign)
        return self._over(1 - seat, ending, why)

    async def _drawn(self, ending: GameEnding) -> PlayedGame:
        """End the game on the server as a draw: by agreement where the game has draws, otherwise by a resignation."""
        offering, answering = self._views
        try:
            await retry(offering.offer_draw)
            await retry(lambda: answering.answer_draw(accept=True))
        except CommandRefused:
            with contextlib.suppress(CommandRefused):
                await retry(self._views[max(self._state.to_move, 0)].resign)
        return self._over(None, ending)

    def _ended(self, snapshot: Snapshot) -> PlayedGame:
        match snapshot.reason:
            case "rules":
                return self._over(snapshot.winner, "rules")
            case "time" if snapshot.winner is not None:
                return self._over(snapshot.winner, "time", f"{self._fixture.players[1 - snapshot.winner]} lost on time")
            case "expired" if self._state.to_move != CHANCE and not isinstance(snapshot.clock, NoClock):
                slow = self._state.to_move
                return self._over(1 - slow, "time", f"{self._fixture.players[slow]} took too long for its first move")
            case reason:
                raise ClientError(f"game {self._fixture.number} came to no end on the server: {reason}")

    def _over(self, winner: int | None, ending: GameEnding, why: str = "") -> PlayedGame:
        efforts = self._efforts[0], self._efforts[1]
        return PlayedGame(self._fixture, tuple(self._moves), winner, ending, efforts, why)
