"""The lobby on the node that owns its slot: the take-over, and what other nodes tell of their players and matches."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import structlog

from cornered.protocol.events import Started
from cornered.protocol.values import PairingPool, Player
from cornered.server.accounts import AccountsUnavailable
from cornered.server.cluster.messages import AskVisitors, Visitors
from cornered.server.cluster.ports import LobbyLog
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import MatchMade
from cornered.server.lobby.lobby import Lobby
from cornered.server.ports import JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.lobby_authority import LobbyAuthority
from cornered.server.runtime.lobby_presence import LobbyPresence
from cornered.server.runtime.lobby_replica import LobbyReplica
from cornered.server.runtime.lobby_stream import LobbyStream
from cornered.server.runtime.lobby_visitors import LobbyVisitors
from cornered.server.runtime.match_placement import MatchPlacement
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.player_search import PlayerSearch

__all__ = ["GATHER_SECONDS", "MAX_ENDED", "LobbyOwner"]

READ_AGAIN_S: Final = 1.0
"""How long a new owner waits before it reads a log again that could not be read."""
GATHER_SECONDS: Final = 2.0
"""How long a new owner waits for the players of the other nodes."""
MAX_ENDED: Final = 10_000
"""Matches that may end while a new owner reads which go on. Further ones are shown until their nodes report them again,
which they do as long as the lobby shows them."""

log = structlog.get_logger("lobby")


class LobbyOwner:
    """The owner's side of the lobby, idle while another node owns it.

    A new owner decides when it has folded the log and the matches that go on, and the living nodes have told which
    players are connected to them.
    """

    def __init__(
        self,
        services: Services,
        registry: MatchRegistry,
        replica: LobbyReplica,
        presence: LobbyPresence,
        lobby_log: LobbyLog,
        tasks: asyncio.TaskGroup,
        *,
        bounds: Bounds,
    ) -> None:
        self._services = services
        self._nodes = services.nodes
        self._replica = replica
        self._presence = presence
        self._log = lobby_log
        self._tasks = tasks
        self._bounds = bounds
        self._loop = asyncio.get_running_loop()
        self._stream = LobbyStream(replica, services.nodes, tasks)
        self.placement = MatchPlacement(registry, services.nodes, services.journal, tasks, self._reserve)
        """Opens the matches that the lobby makes, on this node or on others."""
        self.authority: LobbyAuthority | None = None
        """Decides for the lobby, or is about to; None while another node does."""
        # True when the authority has folded the log and the matches that go on.
        self._is_folded = False
        self._taking_over: asyncio.Task[None] | None = None
        self._visitors = LobbyVisitors()
        self._search = PlayerSearch(services.nodes)
        # Set when a node has told who is there, or is gone.
        self._gathered = asyncio.Event()
        # The incarnations of the living nodes by name: one that was started again at once has reported its last matches
        # as little as one that is gone.
        self._living: dict[str, str] = {}
        # Matches that ended while `_prepare` read which go on.
        self._ended_meanwhile: set[str] = set()

    @property
    def is_deciding(self) -> bool:
        """Whether the authority carries out commands."""
        authority = self.authority
        return authority is not None and self._stream.is_open and not authority.is_lost and self._nodes.owns_lobby()

    @property
    def players(self) -> int:
        """How many players are connected to any node, each counted once; 0 while another node decides."""
        return self._visitors.number

    @property
    def takes_reports(self) -> bool:
        """Whether the authority can be told of matches."""
        return self.authority is not None and self._is_folded

    # Life

    async def recover(self, live: Iterable[MatchMade]) -> None:
        """Fold what is stored and the matches that go on, and decide from then on. Raises JournalUnavailable."""
        self.authority = authority = self._new_authority()
        self._living = self._nodes.incarnations()
        await authority.recover()
        await self._fold_matches(authority, live)
        self._open(authority)

    async def drained(self) -> None:
        """Return when every change so far is stored, or cannot be for too long."""
        if self.authority is not None:
            await self.authority.drained()

    def close(self) -> None:
        """Stop every timer and task."""
        self._stream.close()
        if self._taking_over is not None:
            self._taking_over.cancel()
        if self.authority is not None:
            self.authority.close()

    # Ownership

    def gained(self) -> None:
        """This node decides for the lobby now."""
        self.lost()
        self.authority = authority = self._new_authority()
        self._living = self._nodes.incarnations()
        self._taking_over = self._tasks.create_task(self._take_over(authority), name="lobby take-over")

    def lost(self) -> None:
        """Another node decides for the lobby now."""
        if self._taking_over is not None:
            self._taking_over.cancel()
            self._taking_over = None
        authority, self.authority = self.authority, None
        self._is_folded = False
        self._stream.stop()
        self._visitors = LobbyVisitors()
        self._ended_meanwhile.clear()
        if authority is not None:
            authority.lose()

    def nodes_changed(self) -> None:
        """The living nodes are different now."""
        authority = self.authority
        if authority is None:
            return
        living = self._nodes.others()
        before, self._living = self._living, self._nodes.incarnations()
        has_died = any(self._living.get(node) != incarnation for node, incarnation in before.items())
        self._stream.keep(living)
        for player in self._visitors.keep(living | {self._nodes.here}):
            if self._is_folded:
                authority.disconnect(player)
        self._search.keep(living)
        self._gathered.set()
        if has_died and self._is_folded:
            self._tasks.create_task(self._reconcile(authority), name="lobby reconcile")

    # Taking over

    def _new_authority(self) -> LobbyAuthority:
        return LobbyAuthority(
            Lobby(self._replica.new_names(), bounds=self._bounds),
            self._log,
            now=self._services.now,
            new_id=self.draw_id,
            tell=self._stream.tell,
            open_match=self.placement.open,
            on_loss=self._nodes.look,
            ratings_of=self._ratings_of,
            blocks_of=self._services.blocks_of,
            is_excluded=lambda player: self._services.rights.why_excluded(player) is not None,
            tasks=self._tasks,
        )

    async def _ratings_of(self, pool: PairingPool, players: Collection[Player]) -> Mapping[str, float]:
        return await self._services.ratings.ratings_of(pool.game, pool.clock, players)

    def draw_id(self, player: str) -> str:
        """Return an id; as that of a match it puts it on a node of the player."""
        return self.placement.draw_id(self._visitors.node_of(player) or self._nodes.here)

    async def _take_over(self, authority: LobbyAuthority) -> None:
        for node in self._nodes.others():
            self._nodes.send(node, AskVisitors())
        while True:
            try:
                await self._prepare(authority)
            except JournalUnavailable:
                log.warning("the lobby's log cannot be read just now")
                await asyncio.sleep(READ_AGAIN_S)
                authority = self.authority = self._new_authority()
            else:
                break
        deadline = self._loop.time() + GATHER_SECONDS
        while not self._visitors.knows(self._nodes.others()) and self._loop.time() < deadline:
            self._gathered.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._gathered.wait()
            except TimeoutError:
                log.warning("some nodes have not told who is there")
        self._open(authority)
        log.info("the lobby is here", tables=len(authority.lobby.tables), players=len(authority.lobby.guests))

    async def _prepare(self, authority: LobbyAuthority) -> None:
        """Fold what is stored, and the matches that go on. Raises JournalUnavailable."""
        self._ended_meanwhile.clear()
        await authority.recover()
        live = await self._services.journal.live()
        await self._fold_matches(authority, (_made(one) for one in live if one.match not in self._ended_meanwhile))

    async def _fold_matches(self, authority: LobbyAuthority, live: Iterable[MatchMade]) -> None:
        for made in live:
            authority.match_began(made)
        self._is_folded = True
        self._visitors.take(self._nodes.here, self._presence.everyone())
        for visitor in self._visitors.all():
            authority.arrive(visitor)
        await authority.check_unopened(self._is_stored)

    async def _is_stored(self, made: MatchMade) -> bool:
        return await self._services.journal.holds(made.match, 1)

    def _open(self, authority: LobbyAuthority) -> None:
        """Decide and tell from now on."""
        self._stream.open(authority.lobby)
        authority.start()
        self._tasks.create_task(self._exclude_all(authority), name="lobby rights")

    async def _exclude_all(self, authority: LobbyAuthority) -> None:
        """Exclude those whose rights ended while nobody decided, or whose end died with the owner before."""
        while self.authority is authority:
            try:
                for player in await self._services.rights.excluded(authority.lobby.waiting()):
                    authority.exclude(player)
            except AccountsUnavailable:
                await asyncio.sleep(READ_AGAIN_S)
            else:
                return

    def exclude(self, player: str) -> None:
        """A player may begin nothing here any more, and what it has begun ends."""
        if self.authority is not None and self._is_folded:
            self.authority.exclude(player)

    async def _reconcile(self, authority: LobbyAuthority) -> None:
        """End the matches that a node ended which died before it said so."""
        known = [match for match, made in authority.lobby.matches.items() if made.is_open]
        try:
            live = {started.match for started in await self._services.journal.live()}
        except JournalUnavailable:
            return
        if self.authority is authority:
            for match in known:
                if match not in live:
                    authority.match_over(match)

    # The other nodes

    def asked_to_send(self, node: str) -> None:
        """A follower asks for the whole lobby."""
        if self.is_deciding:
            self._stream.send_whole(node)

    def take_visitors(self, node: str, told: Visitors) -> None:
        """Take which players have come to a node, and which have gone."""
        authority = self.authority
        if authority is None:
            return
        went = self._visitors.take(node, told)
        if self._is_folded:
            for visitor in told.came:
                authority.arrive(visitor)
            for player in went:
                authority.disconnect(player)
        if told.search is not None:
            self._search.answered(node, told.search, is_found=bool(told.came))
        self._gathered.set()

    async def look_for(self, player: str) -> None:
        """Return when the lobby knows a player who is connected to any node. Raises Refusal."""
        if self.authority is not None and player not in self.authority.lobby.guests:
            await self._search.find(player)

    def has(self, node: str, player: str) -> bool:
        """Return whether a node has told that a player is there."""
        return self._visitors.has(node, player)

    # Matches

    def match_began(self, made: MatchMade) -> None:
        """A match is stored and goes on."""
        if self.authority is not None and self._is_folded:
            self.authority.match_began(made)

    def match_over(self, match: str) -> None:
        """A match is over, or never was."""
        if self.authority is not None and self._is_folded:
            self.authority.match_over(match)
        elif self.authority is not None and len(self._ended_meanwhile) < MAX_ENDED:
            self._ended_meanwhile.add(match)

    def match_released(self, match: str) -> None:
        """A rematch was not stored by the node that reserved its places."""
        if self.authority is not None:
            self.authority.release(match)

    def _reserve(self, made: MatchMade) -> None:
        """Take the places of a rematch. Raises Refusal."""
        authority = self.authority
        if authority is None or not self.is_deciding:
            raise Refusal("internal", "the lobby is on its way to another node; try again")
        authority.reserve(made)


def _made(started: Started) -> MatchMade:
    return MatchMade(
        started.match,
        started.game,
        started.players,
        started.clock,
        started.private,
        started.delay,
        is_open=True,
        with_help=started.with_help,
        rated=started.rated,
        tournament=started.tournament,
    )
