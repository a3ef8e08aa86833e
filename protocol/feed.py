"""What is told over MQTT about public matches: the topics, and the two documents that travel nowhere else."""

from __future__ import annotations

from typing import Final, Literal

from cornered.protocol.values import Clock, Clocks, GameSpec, Key, Player, Value

__all__ = ["LEASE", "LOBBY", "MatchState", "NodeStatus", "events_topic", "match_of", "state_topic", "status_topic"]

ROOT: Final = "cornered/v1"
LOBBY: Final = f"{ROOT}/pub/lobby"
MATCHES: Final = f"{ROOT}/pub/match/"
LEASE: Final = 3_600
"""Seconds for which a broker keeps a state that nobody tells again."""


def state_topic(match: str) -> str:
    """Return where a match's `MatchState` is kept; `+` stands for every match."""
    return f"{MATCHES}{match}/state"


def events_topic(match: str) -> str:
    """Return where a match's events are told; `+` stands for every match."""
    return f"{MATCHES}{match}/events"


def status_topic(node: str) -> str:
    """Return where a server's `NodeStatus` is kept."""
    return f"{ROOT}/node/{node}/status"


def match_of(topic: str) -> tuple[str, str] | None:
    """Return the match that a topic is about and `state` or `events`; None for every other topic."""
    match, _, kind = topic.removeprefix(MATCHES).partition("/")
    return (match, kind) if topic.startswith(MATCHES) and kind in ("state", "events") else None


class MatchState(Value):
    """Where a public match stands: what a watcher who comes now needs before the events."""

    match: Key
    seq: int
    """The number of the newest event that led here."""
    game: GameSpec
    players: tuple[Player, ...]
    """By seat."""
    clock: Clock
    position: str
    ply: int
    to_move: int
    """A seat, or -1 for the dice."""
    clocks: Clocks


class NodeStatus(Value):
    """Whether one server is there."""

    node: str
    status: Literal["online", "offline"]
