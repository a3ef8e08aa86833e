"""What the owner of a bot reads about it: games from the journal, incidents from their store, links to the page."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

import structlog

from cornered.protocol.archive import ArchiveFilter
from cornered.protocol.bot_reports import (
    AskBotLink,
    AskBotReport,
    AskBotRequests,
    BotGame,
    BotIncident,
    BotLink,
    BotReport,
    BotRequests,
    ReportFailure,
)
from cornered.protocol.commands import AskProfile
from cornered.protocol.messages import Acknowledged
from cornered.protocol.ratings import PoolRating, Profile
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts, AccountsUnavailable
from cornered.server.archive.search import Cursor, Search
from cornered.server.bot.games import cursor_of, game_of, requests_of, seat_of
from cornered.server.bot.incidents import BotIncidents, Incident, IncidentsUnavailable, incident_id
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.match_room import MatchRoom
from cornered.server.runtime.rating_answers import RatingAnswers
from cornered.server.runtime.signed_texts import BadSignature, TextSigner

__all__ = ["LINK_SECONDS", "BotService"]

LINK_SECONDS: Final = 7 * 24 * 60 * 60
"""For how long a link to a bot's page is good."""
MAX_GAMES: Final = 20
"""Games of one page."""
MAX_EVENTS: Final = 2_000
"""Events after which a page ends with the game that has them."""
WRITE_SECONDS: Final = 1.0
"""Seconds between two writes of what was noted: a bot that is refused all the time costs one transaction each."""
MAX_WAITING: Final = 256
"""Incidents that wait to be written; a newer one is dropped."""
MAX_WAITING_OF_BOT: Final = 10
_PURPOSE: Final = "bot page"

log = structlog.get_logger("bots")


class BotService:
    """The reports of all bots, as the clients of one node ask for them."""

    def __init__(
        self,
        store: BotIncidents,
        journal: Journal,
        accounts: Accounts,
        ratings: RatingAnswers,
        secret: bytes,
        *,
        clients_of: Callable[[str], tuple[ClientConnection, ...]],
        is_anywhere: Callable[[str], bool],
        now: Callable[[], int],
    ) -> None:
        """`clients_of` returns a player's connections to this node; `now` is the time in milliseconds since 1970."""
        self._store = store
        self._journal = journal
        self._accounts = accounts
        self._ratings = ratings
        self._signer = TextSigner(secret, now=now)
        self._clients_of = clients_of
        self._is_anywhere = is_anywhere
        self._now = now
        self._waiting: deque[Incident] = deque()
        self._waiting_of = Counter[str]()
        self._has_come = asyncio.Event()
        self._numbers = 0

    # Incidents that the server sees

    def note(self, client: ClientConnection, what: BotIncident) -> None:
        """Have an incident of a bot written soon. Beyond the bounds it is dropped; nothing waits for it."""
        player = client.player.id
        if len(self._waiting) >= MAX_WAITING or self._waiting_of[player] >= MAX_WAITING_OF_BOT:
            return
        self._numbers += 1
        self._waiting.append(Incident.noted(incident_id(player, f"{client.id} {self._numbers}"), player, what))
        self._waiting_of[player] += 1
        self._has_come.set()

    async def run(self) -> None:
        """Write what was noted until cancelled."""
        while True:
            await self._has_come.wait()
            await self.write()
            await asyncio.sleep(WRITE_SECONDS)

    async def write(self) -> None:
        """Write all that was noted; what the store does not take is lost, and logged."""
        self._has_come.clear()
        noted = tuple(self._waiting)
        self._waiting.clear()
        self._waiting_of.clear()
        try:
            await self._store.add(noted)
        except IncidentsUnavailable as error:
            log.warning("incidents of bots are lost", number=len(noted), reason=str(error))
        except Exception:
            # A defect here must not end the server.
            log.exception("incidents of bots are lost", number=len(noted))

    # Commands

    async def report_failure(self, bot: Player, room: MatchRoom, command: ReportFailure) -> Acknowledged:
        """Store a failure that a bot's program reports of a match of its own. Raises Refusal."""
        _check_seat(bot, room)
        player = bot.id
        what = BotIncident(
            at=self._now(),
            kind=command.failure,
            text=command.text,
            match=command.match,
            ply=command.ply,
            limit=command.limit,
        )
        try:
            # Under an id that was used for another failure it is another incident.
            cause = f"{command.id} {command.digest()}"
            await self._store.add([Incident.noted(incident_id(player, cause), player, what)])
        except IncidentsUnavailable:
            raise _unavailable() from None
        return Acknowledged(id=command.id)

    def link(self, client: ClientConnection, command: AskBotLink) -> BotLink:
        """Return a link to the page of the bot that asks. Raises Refusal."""
        facts = {"player": _bot(client).id, "session": client.identity.session}
        code = self._signer.sign(_PURPOSE, facts, seconds=LINK_SECONDS)
        return BotLink(id=command.id, code=code, expires=self._now() + LINK_SECONDS * 1000)

    async def subject(self, client: ClientConnection, link: str | None) -> Player:
        """Return the bot that a command is about: the one that a link names, or the client itself. Raises Refusal."""
        if link is None:
            return _bot(client)
        try:
            facts = self._signer.verify(_PURPOSE, link).facts
        except BadSignature:
            raise _bad_link() from None
        try:
            tokens = await self._accounts.tokens(facts["player"])
            player = await self._accounts.by_id(facts["player"])
        except AccountsUnavailable:
            raise _unavailable() from None
        if player is None or all(one.id != facts["session"] for one in tokens):
            raise _bad_link()
        return player

    async def report(self, player: Player, command: AskBotReport, replayed: Callable[[int], None]) -> BotReport:
        """Return how a bot fares; `replayed` is told the events of each match that was read. Raises Refusal."""
        after = None
        if command.after is not None and (after := Cursor.parse(command.after)) is None:
            raise Refusal("malformed", "`after` is what an earlier answer gave as `more`; leave it out for the first")
        try:
            games, more = await self._games(player.id, after, replayed)
            incidents = tuple(await self._store.newest(player.id)) if after is None else ()
        except (JournalUnavailable, IncidentsUnavailable):
            raise _unavailable() from None
        ratings: tuple[PoolRating, ...] = ()
        if after is None:
            profile = await self._ratings.answer(AskProfile(id=command.id, player=player.id))
            assert isinstance(profile, Profile)
            ratings = profile.ratings
        lags = [client.lag for client in self._clients_of(player.id) if client.lag]
        return BotReport(
            id=command.id,
            player=player,
            is_connected=self._is_anywhere(player.id),
            round_trip=lags[-1] if lags else None,
            ratings=ratings,
            games=games,
            incidents=incidents,
            more=None if more is None else str(more),
        )

    async def _games(
        self, player: str, after: Cursor | None, replayed: Callable[[int], None]
    ) -> tuple[tuple[BotGame, ...], Cursor | None]:
        search = Search(ArchiveFilter(player=player), player)
        names, more = await self._journal.search(search, MAX_GAMES, after)
        games, total = list[BotGame](), 0
        for name in names:
            try:
                events = await self._journal.read(name)
            except DamagedMatch:
                # It is logged and reported where it is opened.
                continue
            replayed(len(events))
            games.append(game_of(events, player))
            total += len(events)
            if total > MAX_EVENTS and name != names[-1]:
                return tuple(games), cursor_of(events)
        return tuple(games), more

    async def requests(self, player: Player, room: MatchRoom, command: AskBotRequests) -> BotRequests:
        """Return what a bot was asked in a finished match of its own. Raises Refusal."""
        _check_seat(player, room)
        if not room.match.over:
            raise Refusal("not_now", "the match goes on; ask for its requests when it is over")
        try:
            incidents = await self._store.newest(player.id)
        except IncidentsUnavailable:
            raise _unavailable() from None
        return requests_of(room.match, room.events, player.id, incidents, id=command.id, since=command.since)


def _bot(client: ClientConnection) -> Player:
    """Return the player of a connection. Raises a Refusal where it is no bot."""
    if client.player.kind != "bot":
        raise Refusal("not_a_bot", "this is about bots: connect with a bot's token, or open a link to its page")
    return client.player


def _check_seat(player: Player, room: MatchRoom) -> None:
    """Raise a Refusal where a player has no seat in a match."""
    if seat_of(room.events, player.id) is None:
        raise Refusal("not_a_player", f"{player.name} does not play in this match")


def _bad_link() -> Refusal:
    return Refusal("bad_credentials", "this link is not valid any more; `cornered bot-report NAME --link` makes one")


def _unavailable() -> Refusal:
    return Refusal("internal", "what is stored about the bot cannot be read or written just now; try again")
