"""What was reported and decided, as events of one log whose entries seal each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final, Literal, TypeAlias, assert_never

from pydantic import Field, TypeAdapter

from cornered.protocol.moderation import Measure

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
    "broken_seal",
    "concerned",
    "seal_of",
    "sentence",
]

NO_SEAL: Final = ""
"""The seal before the first entry."""
OPERATOR: Final = "operator"
"""Who decides by a command on the server's machine; no player has this id, and no account may have this name."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A player has reported another one, from an address of which `address` is a digest.

    `grounds` and `chat` are digests of what is kept beside the log, as `evidence.py` makes them.
    """

    player: str
    match: str | None
    reporter: str
    grounds: str
    chat: str = ""
    address: str = ""
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

    player: str
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
    """One entry of the log: `number` counts from 1 without gaps, `by` is the id of who decided, or `OPERATOR`."""

    number: int
    at: int
    by: str
    event: ModerationEvent
    seal: str


def seal_of(before: str, number: int, at: int, by: str, event: ModerationEvent) -> str:
    """Return an entry's seal, SHA-256 over the seal `before` and the entry: an edit breaks all seals from there on."""
    body = MODERATION_EVENT.dump_json(event)
    return sha256(b"\n".join((before.encode(), str(number).encode(), str(at).encode(), by.encode(), body))).hexdigest()


def concerned(entry: Entry) -> set[str]:
    """Return the ids of the players whom an entry names."""
    found = {entry.by} - {OPERATOR}
    match entry.event:
        case Reported():
            found |= {entry.event.player, entry.event.reporter}
        case Banned():
            found.add(entry.event.player)
        case ReportClosed() | Lifted():
            pass
        case _:
            assert_never(entry.event)
    return found


def sentence(event: ModerationEvent, names: Mapping[str, str]) -> str:
    """Return an event as one line for people, with the players' names of today by their ids."""
    match event:
        case Reported():
            about = f" in match {event.match}" if event.match else ""
            who, whom = (names.get(one, one) for one in (event.reporter, event.player))
            return f"{who} reports {whom} ({event.player}){about}"
        case ReportClosed():
            return f"report {event.report} is closed: {event.grounds}"
        case Banned():
            what = "muted" if event.measure == "mute" else "banned"
            with_address = " with the address" if event.address else ""
            whom = names.get(event.player, event.player)
            return f"{whom} ({event.player}) is {what}{with_address}: {event.grounds}"
        case Lifted():
            return f"ban {event.ban} is lifted: {event.grounds}"
        case _:
            assert_never(event)


def broken_seal(entries: Iterable[Entry], before: str = NO_SEAL, number: int = 0) -> int | None:
    """Return the first number at which entries do not follow the one called `number`, whose seal is `before`."""
    for entry in entries:
        number += 1
        before = seal_of(before, number, entry.at, entry.by, entry.event)
        if (entry.number, entry.seal) != (number, before):
            return number
    return None
