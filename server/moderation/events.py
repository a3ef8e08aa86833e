"""What was reported and decided, as events of one log whose entries seal each other. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final, Literal, TypeAlias, assert_never

from pydantic import Field, TypeAdapter

from cornered.protocol.moderation import Measure
from cornered.protocol.values import Player

__all__ = [
    "MODERATION_EVENT",
    "NO_SEAL",
    "OPERATOR",
    "Banned",
    "Entry",
    "Lifted",
    "ModerationEvent",
    "ReportClosed",
    "Reported",
    "seal_of",
    "sentence",
]

NO_SEAL: Final = ""
"""The seal before the first entry."""
OPERATOR: Final = "operator"
"""Who decides by a command on the server's machine; no account may have this name."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A player has reported another one."""

    player: Player
    match: str | None
    reporter: Player
    grounds: str
    type: Literal["reported"] = field(default="reported", kw_only=True)


@dataclass(frozen=True, slots=True)
class ReportClosed:
    """Report number `report` is closed."""

    report: int
    grounds: str
    type: Literal["report_closed"] = field(default="report_closed", kw_only=True)


@dataclass(frozen=True, slots=True)
class Banned:
    """A player is banned or muted until a time in milliseconds since 1970, or until that is lifted.

    `address` is a digest of the address that is banned too; empty where none is.
    """

    player: Player
    measure: Measure
    until: int | None
    grounds: str
    address: str = ""
    type: Literal["banned"] = field(default="banned", kw_only=True)


@dataclass(frozen=True, slots=True)
class Lifted:
    """The ban or mute that is entry number `ban` is lifted."""

    ban: int
    grounds: str
    type: Literal["lifted"] = field(default="lifted", kw_only=True)


ModerationEvent: TypeAlias = Reported | ReportClosed | Banned | Lifted
MODERATION_EVENT: Final[TypeAdapter[ModerationEvent]] = TypeAdapter(
    Annotated[ModerationEvent, Field(discriminator="type")]
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log: `number` counts from 1 without gaps, `by` is the name of who decided."""

    number: int
    at: int
    by: str
    event: ModerationEvent
    seal: str


def seal_of(before: str, number: int, at: int, by: str, event: ModerationEvent) -> str:
    """Return an entry's seal, SHA-256 over the seal `before` and the entry: an edit breaks all seals from there on."""
    body = MODERATION_EVENT.dump_json(event)
    return sha256(b"\n".join((before.encode(), str(number).encode(), str(at).encode(), by.encode(), body))).hexdigest()


def sentence(event: ModerationEvent) -> str:
    """Return an event as one line for people."""
    match event:
        case Reported():
            about = f" in match {event.match}" if event.match else ""
            return f"{event.reporter.name} reports {event.player.name} ({event.player.id}){about}: {event.grounds}"
        case ReportClosed():
            return f"report {event.report} is closed: {event.grounds}"
        case Banned():
            what = "muted" if event.measure == "mute" else "banned"
            with_address = " with the address" if event.address else ""
            return f"{event.player.name} ({event.player.id}) is {what}{with_address}: {event.grounds}"
        case Lifted():
            return f"ban {event.ban} is lifted: {event.grounds}"
        case _:
            assert_never(event)
