"""The moderation service: carries out reports and bans, keeps out who is banned, and follows other nodes' decisions.

Every node folds the one log. A decision is made on the newest state and stored under the next number: where another
node was faster, the log is read and the command decided again.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Protocol, assert_never

import structlog

from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.moderation import (
    AskAudit,
    AskBans,
    AskReports,
    Audit,
    AuditEntry,
    Ban,
    BanInfo,
    Bans,
    CloseReport,
    ModerationCommand,
    ReportInfo,
    ReportPlayer,
    Reports,
    Unban,
)
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts, AccountsUnavailable
from cornered.server.moderation.events import OPERATOR, Banned, Entry, ModerationEvent, Reported, seal_of, sentence
from cornered.server.moderation.moderation import Decision, Moderation
from cornered.server.moderation.ports import EntryTaken, ModerationLog, ModerationUnavailable
from cornered.server.refusal import Refusal

__all__ = ["LOOK_SECONDS", "ConnectedPlayers", "ModerationService", "address_mark"]

LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for other nodes' decisions: with a query's time, a ban holds everywhere within a second."""
READ_PAGE: Final = 500
PAGE: Final = 50
"""Entries of one answer."""
ATTEMPTS: Final = 8
"""How often a command is decided again because another node was faster."""

log = structlog.get_logger("moderation")


class ConnectedPlayers(Protocol):
    """Who is connected to this node."""

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
    ) -> None:
        """`secret` is the store's, `now` the time in milliseconds since 1970."""
        self._log = moderation_log
        self._accounts = accounts
        self._connected = connected
        self._secret = secret
        self._now = now
        self._state = Moderation()
        # True from a ban's folding until its connections are closed.
        self._is_closing_due = False
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
        is_blind = False
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._state.tick(self._now())
            try:
                await self._catch_up()
            except ModerationUnavailable as error:
                if not is_blind:
                    log.warning("bans cannot be looked for", reason=str(error))
                is_blind = True
                continue
            except Exception:
                # A defect here must not end the server, nor keep the next ban from being found.
                log.exception("bans could not be looked for")
                continue
            is_blind = False

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
                        self._state.evolve(entry)
                        self._is_closing_due |= isinstance(entry.event, Banned)
                if len(entries) < READ_PAGE:
                    break
        finally:
            if self._is_closing_due:
                self._connected.put_out(self._reason_against)
                self._is_closing_due = False

    # Who is let in

    def check(self, player: str, address: str) -> None:
        """Raise a Refusal where a player, or everybody from an address, is banned."""
        if reason := self._reason_against(player, address):
            raise Refusal("banned", reason)

    def _reason_against(self, player: str, address: str) -> str:
        entry = self._state.ban_of(player, address_mark(self._secret, address), self._now())
        return "" if entry is None else f"you are banned {_duration(entry)}"

    def check_chat(self, player: str) -> None:
        """Raise a Refusal where a player is muted."""
        entry = self._state.mute_of(player, self._now())
        if entry is not None:
            raise Refusal("muted", f"you are muted {_duration(entry)}")

    # Commands

    async def answer(self, command: ModerationCommand, by: Player) -> ServerMessage:
        """Carry out a command of a player, whose role is checked here, and return its answer. Raises Refusal."""
        try:
            if not isinstance(command, ReportPlayer):
                await self._require_admin(by)
            match command:
                case ReportPlayer() | CloseReport() | Ban() | Unban():
                    entry = await self._carry_out(command, by)
                    return Acknowledged(id=command.id, ref=str(entry.number))
                case AskBans():
                    found, more = _page(tuple(self._state.bans.values())[::-1], command.after, newest_first=True)
                    return Bans(id=command.id, bans=tuple(map(_ban_info, found)), more=more)
                case AskReports():
                    found, more = _page(tuple(self._state.reports.values()), command.after, newest_first=False)
                    return Reports(id=command.id, reports=tuple(map(_report_info, found)), more=more)
                case AskAudit():
                    entries = await self._log.before(command.after, PAGE + 1)
                    more = entries[PAGE - 1].number if len(entries) > PAGE else None
                    return Audit(id=command.id, entries=tuple(map(_audit_entry, entries[:PAGE])), more=more)
                case _:
                    assert_never(command)
        except (AccountsUnavailable, ModerationUnavailable):
            raise Refusal("internal", "the log of moderation cannot be reached just now; try again") from None

    async def order(self, command: Ban | Unban) -> Entry:
        """Carry out a command of the operator's. Raises Refusal, AccountsUnavailable and ModerationUnavailable."""
        return await self._carry_out(command, None)

    async def _require_admin(self, player: Player) -> None:
        known = await self._accounts.account(player.id)
        if known is None or known.role != "admin" or known.is_closed:
            raise Refusal("not_permitted", "only administrators do that")

    async def _carry_out(self, command: Decision, by: Player | None) -> Entry:
        subject = await self._accounts.by_id(command.player) if isinstance(command, ReportPlayer | Ban) else None
        if isinstance(command, Ban) and by is not None and subject is not None:
            known = await self._accounts.account(subject.id)
            if known is not None and known.role == "admin":
                raise Refusal("not_permitted", "an administrator is banned by the operator")
        address = ""
        if isinstance(command, Ban) and command.address and subject is not None:
            where = self._connected.address_of(subject.id)
            if where and by is not None and where == self._connected.address_of(by.id):
                raise Refusal("not_permitted", "you come from that address too, and would be kept out")
            address = address_mark(self._secret, where) if where else ""
        async with self._turn:
            for _ in range(ATTEMPTS):
                now = self._now()
                self._state.tick(now)
                event = self._state.decide(command, subject, by, address, now)
                entry = self._entry(event, by, now)
                try:
                    await self._log.append(entry)
                except EntryTaken:
                    await self._catch_up()
                    continue
                await self._catch_up()
                log.info("moderation", number=entry.number, by=entry.by, what=type(event).__name__)
                return entry
        raise Refusal("internal", "others decide too at the same time; try again", retry_after=1000)

    def _entry(self, event: ModerationEvent, by: Player | None, now: int) -> Entry:
        number, name = self._state.newest + 1, OPERATOR if by is None else by.name
        return Entry(number, now, name, event, seal_of(self._state.seal, number, now, name, event))


def _duration(entry: Entry) -> str:
    assert isinstance(entry.event, Banned)
    until = entry.event.until
    end = "" if until is None else f"until {datetime.fromtimestamp(until / 1000, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{end or 'here'}: {entry.event.grounds}"


def _page(entries: Sequence[Entry], after: int | None, *, newest_first: bool) -> tuple[Sequence[Entry], int | None]:
    if after is not None:
        entries = [one for one in entries if (one.number < after if newest_first else one.number > after)]
    return entries[:PAGE], entries[PAGE - 1].number if len(entries) > PAGE else None


def _ban_info(entry: Entry) -> BanInfo:
    event = entry.event
    assert isinstance(event, Banned)
    return BanInfo(
        number=entry.number,
        player=event.player,
        measure=event.measure,
        address=bool(event.address),
        since=entry.at,
        until=event.until,
        by=entry.by,
        grounds=event.grounds,
    )


def _report_info(entry: Entry) -> ReportInfo:
    event = entry.event
    assert isinstance(event, Reported)
    return ReportInfo(
        number=entry.number,
        player=event.player,
        match=event.match,
        by=event.reporter,
        at=entry.at,
        grounds=event.grounds,
    )


def _audit_entry(entry: Entry) -> AuditEntry:
    return AuditEntry(number=entry.number, at=entry.at, by=entry.by, what=sentence(entry.event), seal=entry.seal)
