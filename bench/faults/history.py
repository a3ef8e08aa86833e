"""What a campaign observed: every client's log, the journal, the faults, and the time in which no move was served.

All times are seconds of one monotonic clock, that of the process which runs the clients and injects the faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from cornered.protocol.commands import Command
from cornered.protocol.events import MatchEvent

__all__ = [
    "Answered",
    "ClientLog",
    "Connected",
    "Entry",
    "FaultRecord",
    "History",
    "Lost",
    "Outage",
    "Saw",
    "Sent",
    "Shown",
    "as_json",
]


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection is welcomed. `connection` numbers the client's connections from 1."""

    at: float
    connection: int
    address: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A connection is closed, for `reason`."""

    at: float
    connection: int
    reason: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A command is sent, or sent again under the same id."""

    at: float
    connection: int
    command: Command


@dataclass(frozen=True, slots=True)
class Answered:
    """A command is answered. `code` is empty unless it is refused; `seq` numbers the event that it caused."""

    at: float
    connection: int
    id: str
    code: str = ""
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Saw:
    """Events of a match are received in one message."""

    at: float
    connection: int
    match: str
    events: tuple[MatchEvent, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A snapshot of a match is received, which stands for all events up to `seq`."""

    at: float
    connection: int
    match: str
    seq: int
    position: str
    ply: int
    over: bool


Entry: TypeAlias = Connected | Lost | Sent | Answered | Saw | Shown


@dataclass(slots=True)
class ClientLog:
    """One client's observations, in order. A player gets every event; a watcher may get snapshots in their place."""

    name: str
    player: str = ""
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class FaultRecord:
    """One fault as it was carried out. `ended` is when its cause was removed; the recovery takes longer."""

    number: int
    kind: str
    target: str
    began: float
    ended: float
    words: str = ""


@dataclass(frozen=True, slots=True)
class Outage:
    """A stretch in which matches could certainly not be served. `slots` are those of the matches; None for all."""

    began: float
    ended: float
    cause: str
    slots: frozenset[int] | None = None


@dataclass(slots=True)
class History:
    """Everything that the checker judges. `calm_at` is when the last fault had ended and every node was ready again."""

    journal: Mapping[str, Sequence[MatchEvent]]
    clients: Sequence[ClientLog]
    faults: Sequence[FaultRecord] = ()
    outages: Sequence[Outage] = ()
    complaints: Sequence[str] = ()
    """Lines of the nodes' logs that report a defect."""
    calm_at: float = 0.0


def as_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON-compatible values, with the name of its kind."""
    match entry:
        case Sent():
            values: dict[str, Any] = {"at": entry.at, "connection": entry.connection}
            values["command"] = entry.command.model_dump(mode="json")
        case Saw():
            values = {"at": entry.at, "connection": entry.connection, "match": entry.match}
            values["events"] = [event.model_dump(mode="json") for event in entry.events]
        case _:
            values = asdict(entry)
    return {"kind": type(entry).__name__.lower(), **values}
