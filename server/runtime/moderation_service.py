"""The moderation service: carries out reports and bans, keeps out who is banned, and follows other nodes' decisions.

Every node folds the one log. A decision is made on the newest state and stored under the next number: where another
node was faster, the log is read and the command decided again.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Final, Protocol, assert_never

import structlog

from cornered.protocol.messages import Acknowledged, Notice, ServerMessage
from cornered.protocol.moderation import (
    AccountInfo,
    AccountList,
    AskAccounts,
    AskAudit,
    AskBans,
    AskReport,
    AskReports,
    Audit,
    AuditEntry,
    Ban,
    BanInfo,
    Bans,
    CloseReport,
    ModerationCommand,
    ReportDetails,
    ReportedLine,
    ReportInfo,
    ReportPlayer,
    Reports,
    Unban,
)
from cornered.protocol.values import ChatRoom, Player
from cornered.server.accounts import DELETED_NAME, Accounts, AccountsUnavailable
from cornered.server.moderation.chat_filter import NO_FILTER, ChatFilter
from cornered.server.moderation.events import (
    NO_SEAL,
    OPERATOR,
    Banned,
    Entry,
    ModerationEvent,
    Reported,
    broken_seal,
    concerned,
    seal_of,
    sentence,
)
from cornered.server.moderation.evidence import MAX_CHAT_LINES, ChatLine, ReportText
from cornered.server.moderation.moderation import Decision, Moderation, unknown_report
from cornered.server.moderation.ports import EntryTaken, ModerationLog, ModerationUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.account_search import find_accounts
from cornered.server.runtime.following import follow
from cornered.server.runtime.rights import RightEnded, Rights

__all__ = ["LOOK_SECONDS", "ConnectedPlayers", "ModerationService", "address_mark"]

LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for other nodes' decisions: with a query's time, a ban holds everywhere within a second."""
READ_PAGE: Final = 500
PAGE: Final = 50
"""Entries of one answer."""
ACCOUNTS_PAGE: Final = 20
REPORT_CLOSED: Final = "an administrator has looked at your report; thank you"
ATTEMPTS: Final = 8
"""How often a command is decided again because another node was faster."""

log = structlog.get_logger("moderation")


class ConnectedPlayers(Protocol):
    """Who is connected to this node."""

    def is_connected(self, player: str) -> bool:
        """Return whether a player has a connection to this node."""

    def notify(self, player: str, notice: Notice) -> None:
        """Send a notice to a player's connections to this node."""

    def address_of(self, player: str) -> str:
        """Return the address of a player's newest connection to any node, empty where that is not known."""

    def put_out(self, is_excluded: Callable[[str, str], str]) -> None:
        """Close the connections of this node for which `is_excluded` has a reason, by player and address."""


def address_mark(secret: bytes, address: str) -> str:
    """Return what is stored of a banned address: without the store's secret nobody can tell which it is."""
    return hmac.new(secret, f"banned address {address}".encode(), sha256).hexdigest()


class ModerationService:
    """The moderation of one node."""

    def __init__(
        self,
        moderation_log: ModerationLog,
        accounts: Accounts,
        connected: ConnectedPlayers,
        secret: bytes,
        *,
        now: Callable[[], int],
        words: Callable[[], ChatFilter] = lambda: NO_FILTER,
        rights: Rights | None = None,
    ) -> None:
        """`secret` is the store's, `now` the time in milliseconds since 1970, `words` the list of forbidden words.

        `rights` are told of bans.
        """
        self._log = moderation_log
        self._accounts = accounts
        self._connected = connected
        self._secret = secret
        self._now = now
        self._words = words
        self._state = Moderation()
        # The first entry whose seal is wrong, if there is one.
        self._broken: int | None = None
        self._rights = rights or Rights()
        self._rights.is_banned = self.is_banned
        # The players whose bans are folded, until their connections are closed.
        self._to_put_out: list[str] = []
        self._turn = asyncio.Lock()

    @property
    def bans(self) -> int:
        """How many bans and mutes hold."""
        return len(self._state.bans)

    @property
    def reports(self) -> int:
        """How many reports are open."""
        return len(self._state.reports)

    # Life

    async def begin(self) -> None:
        """Read the log, before players are admitted. Raises ModerationUnavailable."""
        await self._catch_up()

    async def run(self) -> None:
        """Follow the log until cancelled; what is decided during an outage of the store is found after it."""
        await follow("bans", self._look, partial(asyncio.sleep, LOOK_SECONDS), (ModerationUnavailable,))

    async def _look(self) -> None:
        self._state.tick(self._now())
        await self._catch_up()
        await self._tell_reporters()

    async def _tell_reporters(self) -> None:
        """Tell the reporters who are here, once on all nodes, that their reports were looked at."""
        for report, reporter in tuple(self._state.untold.items()):
            if self._connected.is_connected(reporter):
                self._state.told(report)
                if await self._log.mark_told(report):
                    self._connected.notify(reporter, Notice(code="report_closed", text=REPORT_CLOSED))

    async def _catch_up(self) -> None:
        """Fold what is new in the log, and close the connections that it excludes. Raises ModerationUnavailable."""
        try:
            while entries := await self._log.read(self._state.newest, READ_PAGE):
                if entries[0].number > self._state.newest + 1:
                    missing = self._state.newest + 1
                    raise ModerationUnavailable(f"entry {missing} is missing: run `cornered admin moderation log`")
                for entry in entries:
                    # Another look may have been faster.
                    if entry.number == self._state.newest + 1:
                        self._check_seal(entry)
                        self._state.evolve(entry)
                        if isinstance(entry.event, Banned):
                            self._to_put_out.append(entry.event.player)
                if len(entries) < READ_PAGE:
                    break
        finally:
            banned, self._to_put_out = self._to_put_out, []
            if banned:
                self._connected.put_out(self._reason_against)
            for player in filter(self.is_banned, banned):
                self._rights.ended(RightEnded("ban", player))

    def _check_seal(self, entry: Entry) -> None:
        if self._broken is None and broken_seal((entry,), self._state.seal, self._state.newest) is not None:
            self._broken = entry.number
            log.error("an entry of the log of moderation was changed after it was written", number=entry.number)

    # Who is let in

    def check(self, player: str, address: str) -> None:
        """Raise a Refusal where a player, or everybody from an address, is banned."""
        if reason := self._reason_against(player, address):
            raise Refusal("banned", reason)

    def _reason_against(self, player: str, address: str) -> str:
        entry = self._state.ban_of(player, address_mark(self._secret, address), self._now())
        return "" if entry is None else f"you are banned {_duration(entry)}"

    def is_banned(self, player: str) -> bool:
        """Return whether a player is banned, from whatever address."""
        return self._state.ban_of(player, "", self._now()) is not None

    def check_chat(self, player: str) -> None:
        """Raise a Refusal where a player is muted."""
        entry = self._state.mute_of(player, self._now())
        if entry is not None:
            raise Refusal("muted", f"you are muted {_duration(entry)}")

    def is_muted(self, player: str) -> bool:
        """Return whether a player is muted."""
        return self._state.mute_of(player, self._now()) is not None

    # What may be written

    def clean_line(self, text: str) -> str:
        """Return a line of people's text as it may be told. Raises Refusal where it may not."""
        return self._words().line(text)

    def clean_name(self, text: str) -> str:
        """Return the name of a player, table, group or tournament. Raises Refusal where it may not be borne."""
        return self._words().name(text)

    # Commands

    async def answer(
        self, command: ModerationCommand, by: Player, address: str = "", chat: Sequence[ChatLine] = ()
    ) -> ServerMessage:
        """Carry out a command of a player, whose role is checked here, and return its answer. Raises Refusal.

        A report comes from `address`, and is kept with the `chat` that its reporter sees.
        """
        try:
            if not isinstance(command, ReportPlayer):
                await self._require_admin(by)
            match command:
                case ReportPlayer():
                    text = ReportText(command.grounds, tuple(chat[-MAX_CHAT_LINES:]), secrets.token_hex(16))
                    mark = address_mark(self._secret, address) if address else ""
                    entry = await self._carry_out(command, by, mark, text)
                    return Acknowledged(id=command.id, ref=str(entry.number))
                case CloseReport() | Ban() | Unban():
                    entry = await self._carry_out(command, by)
                    return Acknowledged(id=command.id, ref=str(entry.number))
                case AskBans():
                    found, more = _page(tuple(self._state.bans.values())[::-1], command.after, newest_first=True)
                    names = await self._players(found)
                    return Bans(id=command.id, bans=tuple(_ban_info(one, names) for one in found), more=more)
                case AskReports():
                    found, more = _page(tuple(self._state.reports.values()), command.after, newest_first=False)
                    names = await self._players(found)
                    texts = await self._log.texts([one.number for one in found])
                    reports = tuple(_report_info(one, names, texts.get(one.number)) for one in found)
                    return Reports(id=command.id, reports=reports, more=more)
                case AskReport():
                    return await self._report(command)
                case AskAccounts():
                    return await self._search(command)
                case AskAudit():
                    return await self._audit(command)
                case _:
                    assert_never(command)
        except (AccountsUnavailable, ModerationUnavailable):
            raise Refusal("internal", "the log of moderation cannot be reached just now; try again") from None

    async def order(self, command: Ban | Unban | CloseReport) -> Entry:
        """Carry out a command of the operator's. Raises Refusal, AccountsUnavailable and ModerationUnavailable."""
        return await self._carry_out(command, None)

    async def _players(self, entries: Sequence[Entry], *more: str) -> Mapping[str, Player]:
        """Return the players whom entries name, and `more`, as they are called today; who is deleted is `deleted`."""
        return await self._accounts.by_ids(set(more).union(*map(concerned, entries)))

    async def _report(self, command: AskReport) -> ReportDetails:
        entry = self._state.reports.get(command.report)
        if entry is None or not isinstance(entry.event, Reported):
            raise unknown_report()
        text = (await self._log.texts([entry.number])).get(entry.number)
        lines = () if text is None else text.chat
        names = await self._players([entry], *(one.by for one in lines))
        return ReportDetails(
            id=command.id,
            report=_report_info(entry, names, text),
            chat=tuple(
                ReportedLine(by=_player(one.by, names), room=_room(one.room), text=one.text, at=one.at) for one in lines
            ),
            verified=text is not None
            and (text.grounds_digest, text.chat_digest) == (entry.event.grounds, entry.event.chat),
        )

    async def _audit(self, command: AskAudit) -> Audit:
        entries = await self._log.before(command.after, PAGE + 1)
        page, rest = entries[:PAGE], entries[PAGE:]
        # The page is of the store, which may have been changed since it was folded.
        begins = (rest[0].seal, rest[0].number) if rest else (NO_SEAL, 0)
        broken = self._broken or broken_seal(reversed(page), *begins)
        if broken is None and page and page[0].number == self._state.newest and page[0].seal != self._state.seal:
            broken = page[-1].number
        names = await self._players(page)
        return Audit(
            id=command.id,
            entries=tuple(_audit_entry(one, names) for one in page),
            broken=broken,
            more=page[-1].number if rest else None,
        )

    async def _search(self, command: AskAccounts) -> AccountList:
        found, more = await find_accounts(self._accounts, command.text, command.after, ACCOUNTS_PAGE)
        return AccountList(
            id=command.id,
            accounts=tuple(
                AccountInfo(
                    player=one.player,
                    role=one.role,
                    since=one.since,
                    seen=one.seen,
                    closed=one.is_closed,
                    bans=self._state.bans_of(one.player.id, self._now()),
                )
                for one in found
            ),
            more=more,
        )

    async def _require_admin(self, player: Player) -> None:
        known = await self._accounts.account(player.id)
        if known is None or known.role != "admin" or known.is_closed:
            raise Refusal("not_permitted", "only administrators do that")

    async def _carry_out(
        self, command: Decision, by: Player | None, address: str = "", text: ReportText | None = None
    ) -> Entry:
        """Decide and store a command. `address` is the mark of that from which a report comes."""
        subject = await self._accounts.by_id(command.player) if isinstance(command, ReportPlayer | Ban) else None
        if isinstance(command, Ban) and by is not None and subject is not None:
            known = await self._accounts.account(subject.id)
            if known is not None and known.role == "admin":
                raise Refusal("not_permitted", "an administrator is banned by the operator")
        if isinstance(command, Ban) and command.address and subject is not None:
            where = self._connected.address_of(subject.id)
            if where and by is not None and where == self._connected.address_of(by.id):
                raise Refusal("not_permitted", "you come from that address too, and would be kept out")
            address = address_mark(self._secret, where) if where else ""
        async with self._turn:
            for _ in range(ATTEMPTS):
                now = self._now()
                self._state.tick(now)
                event = self._state.decide(command, subject, by, address, now, text)
                entry = self._entry(event, by, now)
                try:
                    await self._log.append(entry, text)
                except EntryTaken:
                    await self._catch_up()
                    continue
                await self._catch_up()
                log.info("moderation", number=entry.number, by=entry.by, what=type(event).__name__)
                return entry
        raise Refusal("internal", "others decide too at the same time; try again", retry_after=1000)

    def _entry(self, event: ModerationEvent, by: Player | None, now: int) -> Entry:
        number, who = self._state.newest + 1, OPERATOR if by is None else by.id
        return Entry(number, now, who, event, seal_of(self._state.seal, number, now, who, event))


def _duration(entry: Entry) -> str:
    assert isinstance(entry.event, Banned)
    until = entry.event.until
    end = "" if until is None else f"until {datetime.fromtimestamp(until / 1000, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{end or 'here'}: {entry.event.grounds}"


def _page(entries: Sequence[Entry], after: int | None, *, newest_first: bool) -> tuple[Sequence[Entry], int | None]:
    if after is not None:
        entries = [one for one in entries if (one.number < after if newest_first else one.number > after)]
    return entries[:PAGE], entries[PAGE - 1].number if len(entries) > PAGE else None


def _player(player: str, names: Mapping[str, Player]) -> Player:
    return names.get(player) or Player(id=player, name=DELETED_NAME, kind="person")


def _by(entry: Entry, names: Mapping[str, Player]) -> str:
    return OPERATOR if entry.by == OPERATOR else _player(entry.by, names).name


def _room(stored: str) -> ChatRoom:
    return "players" if stored == "players" else "spectators"


def _ban_info(entry: Entry, names: Mapping[str, Player]) -> BanInfo:
    event = entry.event
    assert isinstance(event, Banned)
    return BanInfo(
        number=entry.number,
        player=_player(event.player, names),
        measure=event.measure,
        address=bool(event.address),
        since=entry.at,
        until=event.until,
        by=_by(entry, names),
        grounds=event.grounds,
    )


def _report_info(entry: Entry, names: Mapping[str, Player], text: ReportText | None) -> ReportInfo:
    event = entry.event
    assert isinstance(event, Reported)
    return ReportInfo(
        number=entry.number,
        player=_player(event.player, names),
        match=event.match,
        by=_player(event.reporter, names),
        at=entry.at,
        grounds="" if text is None else text.grounds,
    )


def _audit_entry(entry: Entry, names: Mapping[str, Player]) -> AuditEntry:
    called = {player: one.name for player, one in names.items()}
    return AuditEntry(
        number=entry.number, at=entry.at, by=_by(entry, names), what=sentence(entry.event, called), seal=entry.seal
    )
