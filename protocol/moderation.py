"""Commands and answers about order: reports of players, bans and mutes, and the log of what was decided."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import SPEECH, Command, CommandId, Key, Made, Milliseconds, Player

__all__ = [
    "MAX_BAN_SECONDS",
    "AskAudit",
    "AskBans",
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
    "ReportInfo",
    "ReportPlayer",
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
    ban: Annotated[int, Field(ge=1)]
    grounds: Grounds


class AskBans(Command, json_schema_extra={"answers": ["bans"]}):
    """Ask for the bans and mutes that hold, newest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_bans"] = "ask_bans"
    after: Annotated[int, Field(ge=1)] | None = None


class AskReports(Command, json_schema_extra={"answers": ["reports"]}):
    """Ask for the open reports, oldest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_reports"] = "ask_reports"
    after: Annotated[int, Field(ge=1)] | None = None


class CloseReport(Command):
    """Close a report, with what was decided; for administrators."""

    type: Literal["close_report"] = "close_report"
    report: Annotated[int, Field(ge=1)]
    grounds: Grounds


class AskAudit(Command, json_schema_extra={"answers": ["audit"]}):
    """Ask for what was reported and decided, newest first; for administrators. `after` is an earlier page's `more`."""

    type: Literal["ask_audit"] = "ask_audit"
    after: Annotated[int, Field(ge=1)] | None = None


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


class Audit(Made):
    """The answer to `ask_audit`."""

    type: Literal["audit"] = "audit"
    id: CommandId
    entries: tuple[AuditEntry, ...]
    more: int | None


ModerationCommand: TypeAlias = ReportPlayer | Ban | Unban | AskBans | AskReports | CloseReport | AskAudit
ModerationAnswer: TypeAlias = Bans | Reports | Audit
