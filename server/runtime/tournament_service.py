"""The tournament service: carries out and answers commands about tournaments, and sends their updates.

Every node folds all tournaments. A command is decided on the newest state and stored under the next number of the
tournament's stream: where another node was faster, it is decided again.
"""

from __future__ import annotations

import asyncio
import hmac
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final, Protocol, TypeAlias, TypeVar, assert_never

import structlog

from cornered.protocol.account import Creators
from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.tournaments import (
    TOURNAMENT_PAGE,
    TOURNAMENTS_PAGE,
    AskPairings,
    AskStandings,
    AskTournament,
    AskTournaments,
    CancelTournament,
    CreateTournament,
    FinishTournament,
    ForfeitPlayer,
    JoinTournament,
    LeaveTournament,
    PairByHand,
    PairingInfo,
    Pairings,
    PauseTournament,
    ResumeTournament,
    Standing,
    Standings,
    StartTournament,
    TellTournament,
    TournamentChanged,
    TournamentCommand,
    TournamentInfo,
    TournamentMessage,
    Tournaments,
    TournamentSettings,
    WatchTournament,
    WithdrawFromTournament,
)
from cornered.protocol.tournaments import TournamentState as StateMessage
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts, AccountsUnavailable
from cornered.server.match.catalogue import settle
from cornered.server.rating.ports import RatingsUnavailable
from cornered.server.refusal import Refusal, id_reused, milliseconds
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.tallies import Allowance, Tally
from cornered.server.runtime.tournament_book import TournamentBook
from cornered.server.runtime.tournament_driver import LobbyView, MatchOrders, TournamentDriver
from cornered.server.runtime.tournament_rights import GroupRights, TournamentRights
from cornered.server.runtime.tournament_watchers import TournamentWatchers
from cornered.server.streams.ports import EventStreams, StaleStream, StreamsUnavailable
from cornered.server.tournament.events import Created, Joined, Told, TournamentEvent
from cornered.server.tournament.standings import Place, places
from cornered.server.tournament.state import TournamentState
from cornered.server.tournament.tournament import TournamentDecision, check_settings, decide
from cornered.server.tournament.views import info, pairing_info, round_pairings, standing

__all__ = ["Groups", "NoGroups", "Peers", "TournamentService"]

MAX_LIVE: Final = 200
"""Tournaments that are open or running."""
MAX_LIVE_OF_ORGANISER: Final = 5
"""Those of one organiser; administrators have no bound of their own."""
MAX_LIVE_OF_ADDRESS: Final = 50
"""Those that were created from one address, so that nobody takes the places of all with ever new names."""
CREATED_BY_PLAYER: Final = Allowance(20, 20 / (24 * 60 * 60))
CREATED_FROM_ADDRESS: Final = Allowance(200, 200 / (24 * 60 * 60))
"""Tournaments that are created at once, and so many more a day: those that are cancelled are stored for good too."""
MAX_ENTERED: Final = 10
"""Tournaments that are open or running, in which one player takes part."""
LOOKED_THROUGH: Final = 100
"""Tournaments among which one page of those of a group, or of no group, is looked for."""
MAX_TOLD: Final = 1_000
"""Organisers' lines that wait to be sent; a further one takes the place of the oldest."""
ATTEMPTS: Final = 8
"""How often a command is decided again because another node was faster."""
FLUSH_SECONDS: Final = 0.25
"""How often it is looked which watchers may get an update."""

T = TypeVar("T")
Peers: TypeAlias = Callable[[str], Iterable[ClientConnection]]
"""Returns a player's connections to this node."""

log = structlog.get_logger("tournaments")


class Groups(GroupRights, Protocol):
    """The classes and clubs of this server, as far as tournaments need them. The checks raise Refusal."""

    def is_open(self, group: str) -> bool:
        """Return whether there is such a group, which is not closed."""

    async def check_member(self, group: str, player: Player) -> None:
        """Raise unless a player belongs to a group."""

    async def check_leader(self, group: str, player: Player) -> None:
        """Raise unless a player may create a tournament for a group."""


class NoGroups:
    """No classes and no clubs."""

    def is_open(self, group: str) -> bool:
        return False

    async def is_closed(self, group: str) -> bool:
        return False

    async def outsiders(self, group: str, players: Collection[str]) -> Collection[str]:
        return ()

    async def check_member(self, group: str, player: Player) -> None:
        raise Refusal("unknown_tournament", "there is no such tournament")

    async def check_leader(self, group: str, player: Player) -> None:
        raise Refusal("bad_options", "there are no classes here; leave `group` out")


class TournamentService:
    """The tournaments of one node."""

    def __init__(
        self,
        streams: EventStreams,
        services: Services,
        accounts: Accounts,
        lobby: LobbyView,
        *,
        creators: Creators = "everybody",
        groups: Groups | None = None,
        orders: Callable[[], MatchOrders] | None = None,
        peers_of: Peers,
        secret: bytes = b"",
    ) -> None:
        """`secret` is the store's. Without `groups` tournaments are for everybody; without `orders` a pause only keeps
        back pairings.
        """
        self._services = services
        self._accounts = accounts
        self._lobby = lobby
        self._creators = creators
        self._secret = secret
        self._groups = groups or NoGroups()
        self._peers_of = peers_of
        self._book = TournamentBook(streams, accounts, self._folded)
        self._watchers = TournamentWatchers()
        self._rights = TournamentRights(
            self._book, self._groups, services.rights, now=services.now, changed=lambda: self._driver.look()
        )
        self._driver = TournamentDriver(
            self._book,
            services.journal,
            lobby,
            services.counts,
            now=services.now,
            orders=orders,
            settle=self._rights.settle,
        )
        self._created = Tally(player=CREATED_BY_PLAYER, address=CREATED_FROM_ADDRESS)
        self._turn = asyncio.Lock()
        # Lines that are not sent yet, the oldest first.
        self._told: deque[tuple[TournamentState, TournamentMessage]] = deque(maxlen=MAX_TOLD)
        # The standings of the newest state of a tournament.
        self._places: dict[str, tuple[int, list[Place]]] = {}

    @property
    def live(self) -> int:
        """How many tournaments are open or running."""
        return len(self._book.live)

    @property
    def watchers(self) -> int:
        """How many clients of this node watch a tournament."""
        return len(self._watchers)

    # Life

    async def begin(self) -> None:
        """Read the tournaments, before players are admitted. Raises AccountsUnavailable and StreamsUnavailable."""
        await self._book.begin()
        await self._rights.begin()

    async def run(self) -> None:
        """Follow, drive and send until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._driver.run(), name="tournament driver")
            tasks.create_task(self._rights.run(), name="tournament rights")
            tasks.create_task(self._send_updates(), name="tournament updates")

    def look(self) -> None:
        """A match has ended, which may be one of a tournament."""
        self._driver.look()

    def forget_names(self) -> None:
        """A player may be called otherwise."""
        self._book.forget_names()
        self._places.clear()

    def leave(self, client: ClientConnection) -> None:
        """A connection is closed."""
        self._watchers.leave(client)

    def _folded(self, state: TournamentState, event: TournamentEvent) -> None:
        self._watchers.changed(state.id)
        if isinstance(event, Joined):
            self._rights.came(state, event.player.id)
        if isinstance(event, Told):
            message = TournamentMessage(
                tournament=state.id, name=state.settings.name, by=state.organiser, text=event.text
            )
            self._told.append((state, message))

    async def _send_told(self) -> None:
        """Send the organisers' lines to the participants: of a group, to those who are members still."""
        while self._told:
            state, message = self._told.popleft()
            broadcast = Broadcast(message)
            for player in tuple(state.entries):
                for client in tuple(self._peers_of(player)):
                    with suppress(Refusal):
                        await self._check_sight(state, client.player)
                        client.deliver(broadcast)

    async def _send_updates(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self._send_told()
            except Exception:
                # A defect here must not end the server.
                log.exception("an organiser's line was not sent to all")
            for tournament in self._watchers.due():
                try:
                    state = await self._book.find(tournament)
                    for client in self._watchers.of(tournament):
                        # Of a group a watcher may be no member any more.
                        try:
                            await self._check_sight(state, client.player)
                        except Refusal:
                            self._watchers.leave(client)
                    await self._watchers.send(tournament, self._changed(state))
                except (AccountsUnavailable, StreamsUnavailable, Refusal):
                    continue
                except Exception:
                    # A defect here must not end the server.
                    log.exception("an update of a tournament was not sent", tournament=tournament)

    # Commands

    async def answer(self, command: TournamentCommand, client: ClientConnection) -> ServerMessage:
        """Carry out a command and return its answer. Raises Refusal."""
        player = client.player
        try:
            match command:
                case CreateTournament():
                    return Acknowledged(id=command.id, ref=await self._create(command, client))
                case AskTournaments():
                    return await self._list(command, player)
                case AskTournament():
                    return self._whole(await self._seen(command.tournament, player), command.id, player)
                case WatchTournament():
                    state = await self._seen(command.tournament, player)
                    self._watchers.watch(client, state.id)
                    return self._whole(state, command.id, player)
                case LeaveTournament():
                    self._watchers.leave(client)
                    return Acknowledged(id=command.id)
                case AskStandings():
                    return self._standings(await self._seen(command.tournament, player), command)
                case AskPairings():
                    return self._pairings(await self._seen(command.tournament, player), command)
                case (
                    JoinTournament()
                    | WithdrawFromTournament()
                    | StartTournament()
                    | FinishTournament()
                    | CancelTournament()
                    | PairByHand()
                    | PauseTournament()
                    | ResumeTournament()
                    | TellTournament()
                    | ForfeitPlayer()
                ):
                    await self._carry_out(command, client)
                    return Acknowledged(id=command.id)
                case _:
                    assert_never(command)
        except (AccountsUnavailable, RatingsUnavailable, StreamsUnavailable):
            raise _unreachable() from None

    async def _create(self, command: CreateTournament, client: ClientConnection) -> str:
        player, settings = client.player, command.settings
        # A command that is repeated after a reconnection makes the same tournament.
        tournament = sha256(f"{player.id}:{command.id}".encode()).hexdigest()[:16]
        is_admin = await self._is_admin(client)
        if self._creators == "admins" and not is_admin:
            raise Refusal("not_permitted", "only administrators create tournaments here")
        if self._creators == "accounts" and await self._accounts.account(player.id) is None:
            raise Refusal("no_account", "only players with an account create tournaments here; register or sign in")
        if settings.group is not None:
            await self._groups.check_leader(settings.group, player)
        await self._services.readiness.of(settings.game.name)
        game, spec = settle(settings.game)
        now = self._services.now()
        check_settings(settings, game.seats, now)
        mark = hmac.new(self._secret, f"tournament's address {client.address}".encode(), sha256).hexdigest()[:16]
        wished = settings.model_copy(update={"game": spec})
        async with self._turn:
            known = self._book.live.get(tournament)
            if known is not None:
                return _repeated(known, wished)
            self._check_room(player, mark, is_admin=is_admin)
            wait = 0.0 if is_admin else self._created.wait(player.id, mark)
            if wait:
                text = "you, or others at your address, have created many tournaments lately; try again later"
                raise Refusal("too_fast", text, retry_after=milliseconds(wait))
            try:
                await self._book.append(tournament, 0, (Created(now, wished, player, mark),))
            except StaleStream:
                return _repeated(await self._book.find(tournament), wished)
            self._created.count(player.id, mark)
        log.info("tournament", tournament=tournament, by=player.id, format=settings.format)
        return tournament

    def _check_room(self, player: Player, address: str, *, is_admin: bool) -> None:
        """Refuse one more tournament of the server, of an organiser, or of an address."""
        live = self._book.live.values()
        if len(live) >= MAX_LIVE:
            raise Refusal("server_full", f"{MAX_LIVE} tournaments are open or go on; try again another day")
        if is_admin:
            return
        own = sum(state.organiser.id == player.id for state in live)
        if own >= MAX_LIVE_OF_ORGANISER:
            raise Refusal("busy", f"{own} of your tournaments are open or go on; end one first")
        if sum(state.address == address for state in live) >= MAX_LIVE_OF_ADDRESS:
            text = f"{MAX_LIVE_OF_ADDRESS} tournaments that were created from your address are open or go on"
            raise Refusal("server_full", f"{text}; end one first")

    async def _carry_out(self, command: TournamentDecision, client: ClientConnection) -> None:
        player, rating = client.player, 0
        state = await self._book.find(command.tournament)
        # Who takes part may always withdraw, and is told nothing by that.
        if not (isinstance(command, WithdrawFromTournament) and player.id in state.entries):
            await self._check_sight(state, player)
        if not isinstance(command, JoinTournament | WithdrawFromTournament):
            await self._check_organiser(state, client)
        if isinstance(command, StartTournament | PairByHand):
            await self._rights.settle(state.id)
        if isinstance(command, JoinTournament):
            known = await self._services.ratings.ratings_of(state.settings.game, state.settings.clock, (player,))
            rating = round(known[player.id])
            self._check_entries(state, player)
        is_admin = player.id != state.organiser.id and (
            await self._is_admin(client) or await self._leads(state.settings.group, player)
        )
        async with self._turn:
            for _ in range(ATTEMPTS):
                state = await self._book.find(command.tournament)
                events = decide(
                    state,
                    command,
                    player,
                    self._services.now(),
                    rating=rating,
                    new_id=self._lobby.new_id,
                    is_admin=is_admin,
                )
                if not events:
                    return
                try:
                    await self._book.append(state.id, state.seq, events)
                except StaleStream:
                    await self._book.catch_up()
                    continue
                self._driver.look()
                return
        raise Refusal("internal", "others change it at the same time; try again", retry_after=1000)

    async def _check_organiser(self, state: TournamentState, client: ClientConnection) -> None:
        """Refuse an organiser who has lost the right to lead: to lead the group, or to create tournaments at all."""
        group = state.settings.group
        if client.player.id != state.organiser.id:
            return
        if group is not None and self._groups.is_open(group):
            await self._groups.check_leader(group, client.player)
        elif self._creators == "admins" and not await self._is_admin(client):
            raise Refusal("not_permitted", "only administrators lead tournaments here")

    def _check_entries(self, joined: TournamentState, player: Player) -> None:
        """Refuse one more tournament of a player, whose games in them have no other bound."""
        others = sum(
            (entry := one.entries.get(player.id)) is not None and not entry.is_out
            for one in self._book.live.values()
            if one is not joined
        )
        if others >= MAX_ENTERED:
            text = f"you take part in {MAX_ENTERED} tournaments that are open or go on; leave one first"
            raise Refusal("busy", text)

    async def _leads(self, group: str | None, player: Player) -> bool:
        """Return whether a player leads the group whose tournament it is, and so may do what the organiser may."""
        try:
            if group is not None:
                await self._groups.check_leader(group, player)
        except Refusal:
            return False
        return group is not None

    async def _is_admin(self, client: ClientConnection) -> bool:
        """Return whether a client is an administrator's, by a token that permits what administrators do."""
        if "admin" not in client.identity.scopes:
            return False
        known = await self._accounts.account(client.player.id)
        return known is not None and known.role == "admin" and not known.is_closed

    # Answers

    async def _seen(self, tournament: str, player: Player) -> TournamentState:
        """Return a tournament that a player may see. Raises Refusal."""
        state = await self._book.find(tournament)
        await self._check_sight(state, player)
        return state

    async def _check_sight(self, state: TournamentState, player: Player) -> None:
        """Raise a Refusal unless a player may see a tournament."""
        group = state.settings.group
        if group is not None and self._is_for_members(state, group, player.id):
            await self._groups.check_member(group, player)

    def _is_for_members(self, state: TournamentState, group: str, player: str) -> bool:
        """Return whether a player sees a group's tournament as a member only.

        Of a group that is closed, the organiser and those who take part see it to its end.
        """
        if self._groups.is_open(group):
            return True
        entry = None if state.is_over else state.entries.get(player)
        return player != state.organiser.id and (entry is None or entry.is_outsider)

    async def shows(self, tournament: str | None, player: Player) -> bool:
        """Return whether a player may see the private matches of a tournament. Raises Refusal in an outage."""
        if tournament is None:
            return False
        try:
            await self._seen(tournament, player)
        except Refusal:
            return False
        except (AccountsUnavailable, StreamsUnavailable):
            raise _unreachable() from None
        return True

    def hides(self, tournament: str | None, group: str, player: str) -> bool:
        """Return whether a player who is no member of a group any more may not see the private matches of a tournament.

        One that is over, and not in memory, is taken for the group's: whoever may see it asks for it again.
        """
        if tournament is None:
            return False
        state = self._book.known(tournament)
        return state is None or (state.settings.group == group and self._is_for_members(state, group, player))

    async def public(self, tournament: str) -> TournamentState | None:
        """Return a tournament that everybody may see, or None. Raises AccountsUnavailable and StreamsUnavailable."""
        with suppress(Refusal):
            state = await self._book.find(tournament)
            return state if state.settings.group is None else None
        return None

    async def _list(self, command: AskTournaments, player: Player) -> Tournaments:
        if command.group is not None:
            await self._groups.check_member(command.group, player)
        if not command.over:
            own = [info(one, ()) for one in self._book.live.values() if one.settings.group == command.group]
            first = command.after or 0
            page = own[::-1][first : first + TOURNAMENTS_PAGE]
            more = first + TOURNAMENTS_PAGE if len(own) > first + TOURNAMENTS_PAGE else None
            return Tournaments(id=command.id, tournaments=tuple(page), more=more)
        found: list[TournamentInfo] = []
        after = command.after
        for _ in range(LOOKED_THROUGH // TOURNAMENTS_PAGE):
            some, after = await self._book.over(after, TOURNAMENTS_PAGE)
            for number, one in some:
                if one.settings.group == command.group:
                    found.append(one)
                if len(found) == TOURNAMENTS_PAGE:
                    is_last = after is None and number == some[-1][0]
                    more = None if is_last else number
                    return Tournaments(id=command.id, tournaments=tuple(found), more=more)
            if after is None:
                break
        return Tournaments(id=command.id, tournaments=tuple(found), more=after)

    def _ranked(self, state: TournamentState) -> list[Place]:
        known = self._places.get(state.id)
        if known is None or known[0] != state.seq:
            known = self._places[state.id] = state.seq, places(state)
            for other in [name for name in self._places if name != state.id and name not in self._book.live]:
                del self._places[other]
        return known[1]

    def _first_standings(self, state: TournamentState) -> tuple[Standing, ...]:
        return tuple(standing(state, place) for place in self._ranked(state)[:TOURNAMENT_PAGE])

    def _first_pairings(self, state: TournamentState) -> tuple[PairingInfo, ...]:
        found = round_pairings(state, state.round)[:TOURNAMENT_PAGE]
        return tuple(pairing_info(state, state.round, pairing) for pairing in found)

    def _whole(self, state: TournamentState, command_id: str, player: Player) -> StateMessage:
        own = next((place for place in self._ranked(state) if place.entry.player.id == player.id), None)
        return StateMessage(
            id=command_id,
            tournament=info(state, self._ranked(state)),
            standings=self._first_standings(state),
            pairings=self._first_pairings(state),
            own=None if own is None else standing(state, own),
        )

    def _changed(self, state: TournamentState) -> TournamentChanged:
        return TournamentChanged(
            tournament=info(state, self._ranked(state)),
            standings=self._first_standings(state),
            pairings=self._first_pairings(state),
        )

    def _standings(self, state: TournamentState, command: AskStandings) -> Standings:
        page, more = _page(self._ranked(state), command.after)
        rows = tuple(standing(state, place) for place in page)
        return Standings(id=command.id, tournament=state.id, standings=rows, more=more)

    def _pairings(self, state: TournamentState, command: AskPairings) -> Pairings:
        round_ = state.round if command.round is None else command.round
        page, more = _page(round_pairings(state, round_), command.after)
        rows = tuple(pairing_info(state, round_, pairing) for pairing in page)
        return Pairings(id=command.id, tournament=state.id, round=round_, pairings=rows, more=more)


def _repeated(known: TournamentState, wished: TournamentSettings) -> str:
    """Return the id of the tournament that the same command created before. Raises Refusal where it was another one."""
    if known.settings != wished:
        raise id_reused()
    return known.id


def _unreachable() -> Refusal:
    return Refusal("internal", "tournaments cannot be reached just now; try again")


def _page(rows: Sequence[T], after: int | None) -> tuple[Sequence[T], int | None]:
    first = after or 0
    last = first + TOURNAMENT_PAGE
    return rows[first:last], last if len(rows) > last else None
