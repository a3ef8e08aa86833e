"""A campaign's observations with the indexes that the checks share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cornered.bench.faults.history import Answered, ClientLog, History, Saw, Sent, as_json
from cornered.bench.faults.replay import Replay, replay
from cornered.bench.faults.violation import Violation
from cornered.protocol.events import Ended, MatchEvent, Started

__all__ = ["Observations"]

LINES_AROUND: Final = 4
"""Lines of a log on each side of the evidence that are shown with it."""
SECONDS_AROUND: Final = 15.0
"""Faults that ended at most this long before the evidence are shown with it."""


class Observations:
    """The history, and for every command and event when it was first seen."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.journal: Mapping[str, Sequence[MatchEvent]] = history.journal
        self.clients = history.clients
        self.by_name = {client.name: client for client in history.clients}
        self.sent: dict[tuple[str, str], Sent] = {}
        """The first sending of each command, by the client's name and the command's id."""
        self.last_answer: dict[tuple[str, str], Answered] = {}
        self.first_seen: dict[tuple[str, int], float] = {}
        """When an event was first known to be stored, by match and number."""
        self.replays: dict[str, Replay] = {match: replay(events) for match, events in self.journal.items()}
        self.ended: dict[str, Ended] = {
            match: event for match, events in self.journal.items() for event in events if isinstance(event, Ended)
        }
        self._seats: dict[str, tuple[str, ...]] = {
            match: tuple(player.id for player in events[0].players)
            for match, events in self.journal.items()
            if events and isinstance(events[0], Started)
        }
        self._players = {client.player: client for client in history.clients if client.player}
        for client in history.clients:
            self._index(client)

    def _index(self, client: ClientLog) -> None:
        for entry in client.entries:
            if isinstance(entry, Sent):
                self.sent.setdefault((client.name, entry.command.id), entry)
            elif isinstance(entry, Answered):
                self.last_answer[client.name, entry.id] = entry
                sent = self.sent.get((client.name, entry.id))
                if sent is not None and entry.seq is not None and not entry.code:
                    self._note(getattr(sent.command, "match", ""), entry.seq, entry.at)
            elif isinstance(entry, Saw):
                for event in entry.events:
                    self._note(entry.match, event.seq, entry.at)

    def _note(self, match: str, seq: int, at: float) -> None:
        self.first_seen[match, seq] = min(at, self.first_seen.get((match, seq), math.inf))

    def answers(self) -> Iterator[tuple[ClientLog, Answered]]:
        """Yield every answer with the client that got it."""
        for client in self.clients:
            for entry in client.entries:
                if isinstance(entry, Answered):
                    yield client, entry

    def player_in(self, match: str, seat: object) -> ClientLog | None:
        """Return the log of a seat's player, if there is one."""
        seats = self._seats.get(match, ())
        return self._players.get(seats[seat]) if isinstance(seat, int) and seat < len(seats) else None

    def is_player(self, client: ClientLog, match: str) -> bool:
        """Return whether this client's player has a seat in the match."""
        return bool(client.player) and client.player in self._seats.get(match, ())

    def violation(
        self, check: str, text: str, match: str, seq: int, client: ClientLog | None = None, at: float | None = None
    ) -> Violation:
        """Return a violation about an event of a match, with its evidence; `client` is the one that noticed it `at`."""
        if at is None:
            at = self.first_seen.get((match, seq), math.inf)
        lines = [
            f"journal {match}: {event.model_dump_json(exclude_none=True)}"
            for event in self.journal.get(match, ())
            if abs(event.seq - seq) <= LINES_AROUND
        ]
        if client is not None:
            lines += self._lines_of(client, match, at)
        lines += [
            f"fault {one.number}, {one.began:.3f} to {one.ended:.3f}: {one.kind} of {one.target} {one.words}"
            for one in self.history.faults
            if one.began <= at <= one.ended + SECONDS_AROUND
        ]
        return Violation(check, text, at, tuple(lines))

    def _lines_of(self, client: ClientLog, match: str, at: float) -> list[str]:
        about = [
            entry
            for entry in client.entries
            if getattr(entry, "match", match) == match
            and (not isinstance(entry, Sent) or getattr(entry.command, "match", match) == match)
        ]
        near = sorted(range(len(about)), key=lambda index: abs(about[index].at - at))[: 2 * LINES_AROUND + 1]
        return [f"{client.name}: {as_json(about[index])}" for index in sorted(near)]
