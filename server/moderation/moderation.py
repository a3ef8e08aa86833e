"""Decides reports, bans and mutes: commands become events or refusals, events become state. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from cornered.protocol.moderation import Ban, CloseReport, ReportPlayer, Unban
from cornered.protocol.values import Player
from cornered.server.moderation.events import OPERATOR, Banned, Entry, Lifted, ModerationEvent, ReportClosed, Reported
from cornered.server.moderation.evidence import ReportText
from cornered.server.refusal import Refusal

__all__ = [
    "MAX_BANS",
    "MAX_REPORTS",
    "MAX_REPORTS_OF_ADDRESS",
    "MAX_REPORTS_OF_PLAYER",
    "TELL_MS",
    "Decision",
    "Moderation",
    "unknown_report",
]

MAX_REPORTS: Final = 1_000
"""Open reports of all players."""
MAX_REPORTS_OF_PLAYER: Final = 5
"""Open reports of one player."""
MAX_REPORTS_OF_ADDRESS: Final = 20
"""Open reports of all players of one address, which may be a class."""
TELL_MS: Final = 30 * 24 * 60 * 60 * 1000
"""For how long a reporter who comes back is told that a report was looked at."""
MAX_BANS: Final = 10_000
"""Bans and mutes that hold at once."""

Decision: TypeAlias = ReportPlayer | CloseReport | Ban | Unban
"""The commands that change something."""


@dataclass(slots=True)
class Moderation:
    """The bans that hold and the reports that are open, by their numbers; `newest` and `seal` are of the last entry."""

    newest: int = 0
    seal: str = ""
    bans: dict[int, Entry] = field(default_factory=dict)
    reports: dict[int, Entry] = field(default_factory=dict)
    _of_player: dict[str, dict[int, None]] = field(default_factory=dict)
    _of_address: dict[str, dict[int, None]] = field(default_factory=dict)
    # Closed reports with their reporters and the times of closing.
    _untold: dict[int, tuple[str, int]] = field(default_factory=dict)

    def decide(
        self,
        command: Decision,
        subject: Player | None,
        by: Player | None,
        address: str,
        now: int,
        text: ReportText | None = None,
    ) -> ModerationEvent:
        """Return the event of a command by a player at `now`, or by the operator for None. Raises Refusal.

        `subject` is the player whom a report or ban is about, and `address` the digest of the address to be banned, or
        from which is reported; empty where that is not known. `text` is what is kept of a report beside the log.
        """
        match command:
            case ReportPlayer():
                return self._report(command, subject, by, address, text or ReportText(command.grounds))
            case CloseReport():
                if command.report not in self.reports:
                    raise unknown_report()
                return ReportClosed(command.report, command.grounds)
            case Ban():
                if subject is None:
                    raise _no_player()
                if by is not None and subject.id == by.id:
                    raise Refusal("yourself", "you cannot ban yourself")
                if command.address and command.measure == "mute":
                    raise Refusal("bad_options", "a mute is of a player alone; leave `address` out")
                if command.address and not address:
                    raise Refusal("unknown_player", "the address is known while the player is here; leave it out")
                if len(self.bans) >= MAX_BANS:
                    raise Refusal("server_full", f"{MAX_BANS} bans hold already; lift some first")
                until = None if command.seconds is None else now + 1000 * command.seconds
                return Banned(subject.id, command.measure, until, command.grounds, address if command.address else "")
            case Unban():
                if command.ban not in self.bans:
                    raise Refusal("unknown_ban", "there is no such ban; it may be lifted already, or past its time")
                self._check_lifting(self.bans[command.ban], by)
                return Lifted(command.ban, command.grounds)
            case _:
                assert_never(command)

    def _check_lifting(self, entry: Entry, by: Player | None) -> None:
        """Refuse to lift what the operator has decided, or a ban or mute of one's own."""
        if by is None:
            return
        if entry.by == OPERATOR:
            raise Refusal("not_permitted", "the operator has decided this, and lifts it")
        if isinstance(entry.event, Banned) and entry.event.player == by.id:
            raise Refusal("yourself", "another administrator lifts what concerns yourself")

    def _report(
        self, command: ReportPlayer, subject: Player | None, by: Player | None, address: str, text: ReportText
    ) -> Reported:
        if subject is None or by is None:
            raise _no_player()
        if subject.id == by.id:
            raise Refusal("yourself", "you cannot report yourself")
        own = [one.event for one in self.reports.values() if isinstance(one.event, Reported)]
        if sum(one.reporter == by.id for one in own) >= MAX_REPORTS_OF_PLAYER:
            raise Refusal("busy", f"{MAX_REPORTS_OF_PLAYER} of your reports are open; wait until somebody reads them")
        if any((one.reporter, one.player, one.match) == (by.id, subject.id, command.match) for one in own):
            raise Refusal("busy", "you have reported this already; it is not read yet")
        if address and sum(one.address == address for one in own) >= MAX_REPORTS_OF_ADDRESS:
            raise Refusal("busy", "many reports from your address are open; wait until somebody reads them")
        if len(self.reports) >= MAX_REPORTS:
            raise Refusal("server_full", "too many reports are not read yet; try again another day")
        return Reported(subject.id, command.match, by.id, text.grounds_digest, text.chat_digest, address)

    def evolve(self, entry: Entry) -> None:
        """Fold the next entry of the log in."""
        self.newest, self.seal = entry.number, entry.seal
        match entry.event:
            case Reported():
                self.reports[entry.number] = entry
            case ReportClosed(report):
                closed = self.reports.pop(report, None)
                if closed is not None and isinstance(closed.event, Reported):
                    self._untold[report] = (closed.event.reporter, entry.at)
            case Banned(player, _, _, _, address):
                self.bans[entry.number] = entry
                self._of_player.setdefault(player, {})[entry.number] = None
                if address:
                    self._of_address.setdefault(address, {})[entry.number] = None
            case Lifted(ban):
                self._forget(ban)
            case _:
                assert_never(entry.event)

    @property
    def untold(self) -> Mapping[int, str]:
        """The reporters of closed reports that were perhaps not told, by the reports' numbers."""
        return {report: reporter for report, (reporter, _) in self._untold.items()}

    def told(self, report: int) -> None:
        """A reporter was told, by whichever node, that its report is closed."""
        self._untold.pop(report, None)

    def tick(self, now: int) -> None:
        """Forget the bans whose time is over, and to tell reporters who have not come for a long time."""
        for report in [report for report, (_, at) in self._untold.items() if at + TELL_MS <= now]:
            del self._untold[report]
        for number in [number for number, entry in self.bans.items() if _has_ended(entry, now)]:
            self._forget(number)

    def ban_of(self, player: str, address: str, now: int) -> Entry | None:
        """Return a ban that excludes a player, or everybody from an address; the one that lasts longest."""
        numbers = {**self._of_player.get(player, {}), **self._of_address.get(address, {})}
        return _longest(self._holding(numbers, "ban", now))

    def mute_of(self, player: str, now: int) -> Entry | None:
        """Return a mute of a player; the one that lasts longest."""
        return _longest(self._holding(self._of_player.get(player, {}), "mute", now))

    def bans_of(self, player: str, now: int) -> tuple[int, ...]:
        """Return the numbers of a player's bans and mutes that hold."""
        return tuple(number for number in self._of_player.get(player, {}) if not _has_ended(self.bans[number], now))

    def _holding(self, numbers: dict[int, None], measure: str, now: int) -> Iterator[Entry]:
        for number in numbers:
            entry = self.bans[number]
            assert isinstance(entry.event, Banned)
            if entry.event.measure == measure and not _has_ended(entry, now):
                yield entry

    def _forget(self, ban: int) -> None:
        entry = self.bans.pop(ban, None)
        if entry is None:
            return
        assert isinstance(entry.event, Banned)
        for index, key in ((self._of_player, entry.event.player), (self._of_address, entry.event.address)):
            known = index.get(key)
            if known is not None:
                known.pop(ban, None)
                if not known:
                    del index[key]


def _has_ended(entry: Entry, now: int) -> bool:
    return isinstance(entry.event, Banned) and entry.event.until is not None and entry.event.until <= now


def _longest(entries: Iterator[Entry]) -> Entry | None:
    def end(entry: Entry) -> float:
        assert isinstance(entry.event, Banned)
        return float("inf") if entry.event.until is None else entry.event.until

    return max(entries, key=end, default=None)


def unknown_report() -> Refusal:
    """Return the refusal of a command about a report that is not open."""
    return Refusal("unknown_report", "there is no such report; it may be closed already")


def _no_player() -> Refusal:
    return Refusal("unknown_player", "there is no such player")
