"""The MQTT feed of public matches: its topics, and the two documents that only MQTT carries."""

from __future__ import annotations

from typing import Final, Literal

from cornered.protocol.values import Clock, Clocks, GameSpec, Key, Player, Value

__all__ = [
    "LOBBY",
    "STATE_EXPIRY_S",
    "NodeStatus",
    "PublicMatchState",
    "events_topic",
    "match_of",
    "state_topic",
    "status_topic",
]

TOPIC_ROOT: Final = "cornered/v1"
LOBBY: Final = f"{TOPIC_ROOT}/pub/lobby"
MATCH_TOPICS: Final = f"{TOPIC_ROOT}/pub/match/"
STATE_EXPIRY_S: Final = 3_600
"""Message expiry of retained states, in seconds; the server publishes them again before it ends."""


def state_topic(match: str) -> str:
    """Return the topic of a match's retained `PublicMatchState`; `+` stands for every match."""
    return f"{MATCH_TOPICS}{match}/state"


def events_topic(match: str) -> str:
    """Return the topic of a match's events; `+` stands for every match."""
    return f"{MATCH_TOPICS}{match}/events"


def status_topic(node: str) -> str:
    """Return the topic of a server's retained `NodeStatus`."""
    return f"{TOPIC_ROOT}/node/{node}/status"


def match_of(topic: str) -> tuple[str, str] | None:
    """Return a topic's match id and `state` or `events`; None for every other topic."""
    match, _, kind = topic.removeprefix(MATCH_TOPICS).partition("/")
    return (match, kind) if topic.startswith(MATCH_TOPICS) and kind in ("state", "events") else None


class PublicMatchState(Value):
    """State of a public match, which a new watcher needs before the events."""

    match: Key
    seq: int
    """Sequence number of the newest event in this state."""
    game: GameSpec
    players: tuple[Player, ...]
    """The players in seat order."""
    clock: Clock
    position: str
    ply: int
    to_move: int
    """The seat to move, or -1 while the dice are rolled."""
    clocks: Clocks


class NodeStatus(Value):
    """Whether one server is online."""

    node: str
    status: Literal["online", "offline"]
