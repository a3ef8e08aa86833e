"""Commands and answers about order: reports of players, bans and mutes, and the log of what was decided."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.account import Role
from cornered.protocol.values import (
    ONE_LINE,
    SPEECH,
    ChatRoom,
    Command,
    CommandId,
    Key,
    Made,
    Milliseconds,
    Ordinal,
    Player,
)

__all__ = [
    "MAX_BAN_SECONDS",
    "AccountInfo",
    "AccountList",
    "AskAccounts",
    "AskAudit",
    "AskBans",
    "AskReport",
    "AskReports",
    "Audit",
    "AuditEntry",
    "Ban",
    "BanInfo",
    "Bans",
    "CloseReport",
    "Grounds",
    "Measure",
    "ModerationAnswer",
    "ModerationCommand",
    "ReportDetails",
    "ReportInfo",
    "ReportPlayer",
    "ReportedLine",
    "Reports",
    "Unban",
]

MAX_BAN_SECONDS: Final = 10 * 366 * 86_400
"""The longest time of a ban that ends by itself."""

Measure: TypeAlias = Literal["ban", "mute"]
"""`ban`: the player, or everybody from an address, is not let in. `mute`: the player's chat lines are refused."""
Grounds: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=300)]
"""Why something is reported or decided, in one line."""


class ReportPlayer(Command):
    """Report a player to those who run the server, where it is about a game with the `match`."""

    type: Literal["report_player"] = "report_player"
    player: Key
    match: Key | None = None
    grounds: Grounds


class Ban(Command):
    """Ban or mute a player; for administrators. The acknowledgement's `ref` is the ban's number.

    Connections that it excludes are closed on all nodes within a second. With `address` nobody is let in from the
    address of the player's newest connection either; the player must be in the lobby for that.
    """

    type: Literal["ban"] = "ban"
    player: Key
    measure: Measure = "ban"
    address: bool = False
    seconds: Annotated[int, Field(ge=1, le=MAX_BAN_SECONDS)] | None = None
    """How long it lasts; null until it is lifted."""
    grounds: Grounds


class Unban(Command):
    """Lift a ban or mute; for administrators."""

    type: Literal["unban"] = "unban"
    ban: Ordinal
    grounds: Grounds


class AskBans(Command, json_schema_extra={"answers": ["bans"]}):
    """Ask for the bans and mutes that hold, newest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_bans"] = "ask_bans"
    after: Ordinal | None = None


class AskReports(Command, json_schema_extra={"answers": ["reports"]}):
    """Ask for the open reports, oldest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_reports"] = "ask_reports"
    after: Ordinal | None = None


class AskReport(Command, json_schema_extra={"answers": ["report"]}):
    """Ask for an open report with the chat that its reporter saw; for administrators."""

    type: Literal["ask_report"] = "ask_report"
    report: Ordinal


class CloseReport(Command):
    """Close a report, with what was decided; for administrators. Its reporter is told, once, that it was looked at."""

    type: Literal["close_report"] = "close_report"
    report: Ordinal
    grounds: Grounds


class AskAudit(Command, json_schema_extra={"answers": ["audit"]}):
    """Ask for what was reported and decided, newest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_audit"] = "ask_audit"
    after: Ordinal | None = None


class AskAccounts(Command, json_schema_extra={"answers": ["account_list"]}):
    """Search accounts by the beginning of their names, and any player by its id; for administrators.

    Names are compared as folded ones are. `after` is an earlier page's `more`.
    """

    type: Literal["ask_accounts"] = "ask_accounts"
    text: Annotated[str, ONE_LINE, Field(max_length=64)] = ""
    after: Annotated[str, Field(max_length=128)] | None = None


class BanInfo(Made):
    """A ban or mute that holds. `until` is null where it lasts until it is lifted."""

    number: int
    player: Player
    measure: Measure
    address: bool
    since: Milliseconds
    until: Milliseconds | None
    by: str
    """The administrator's name, or `operator` for a command on the server's machine."""
    grounds: str


class ReportedLine(Made):
    """A chat line that is kept with a report."""

    by: Player
    room: ChatRoom
    text: str
    at: Milliseconds


class AccountInfo(Made):
    """A player as administrators see it: `role` is null for a guest, and `seen` when a token of it was last used."""

    player: Player
    role: Role | None
    since: Milliseconds | None
    """When the account was made; null for a guest."""
    seen: Milliseconds
    """To the hour; 0 where that is not known."""
    closed: bool
    bans: tuple[int, ...]
    """The numbers of the bans and mutes that hold."""


class ReportInfo(Made):
    """An open report."""

    number: int
    player: Player
    match: Key | None
    by: Player
    at: Milliseconds
    grounds: str


class AuditEntry(Made):
    """One entry of the log. `seal` is a hash over the entry and the seal before it."""

    number: int
    at: Milliseconds
    by: str
    what: str
    """The entry as a sentence."""
    seal: str


class Bans(Made):
    """The answer to `ask_bans`."""

    type: Literal["bans"] = "bans"
    id: CommandId
    bans: tuple[BanInfo, ...]
    more: int | None


class Reports(Made):
    """The answer to `ask_reports`."""

    type: Literal["reports"] = "reports"
    id: CommandId
    reports: tuple[ReportInfo, ...]
    more: int | None


class ReportDetails(Made):
    """The answer to `ask_report`."""

    type: Literal["report"] = "report"
    id: CommandId
    report: ReportInfo
    chat: tuple[ReportedLine, ...]
    """The newest lines of the match that the reporter could read when it reported, oldest first."""
    verified: bool
    """Whether words and chat are those of which the log has digests."""


class AccountList(Made):
    """The answer to `ask_accounts`."""

    type: Literal["account_list"] = "account_list"
    id: CommandId
    accounts: tuple[AccountInfo, ...]
    more: str | None


class Audit(Made):
    """The answer to `ask_audit`. `broken` is the first entry whose seal is not that of what it says; null for none."""

    type: Literal["audit"] = "audit"
    id: CommandId
    entries: tuple[AuditEntry, ...]
    broken: int | None
    more: int | None


ModerationCommand: TypeAlias = (
    ReportPlayer | Ban | Unban | AskBans | AskReports | AskReport | CloseReport | AskAudit | AskAccounts
)
ModerationAnswer: TypeAlias = Bans | Reports | ReportDetails | AccountList | Audit
