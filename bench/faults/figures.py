"""The figures of a campaign: how long clients waited, and how long it took until play went on after a fault."""

from __future__ import annotations

import bisect
from collections import Counter
from dataclasses import dataclass, field

from cornered.bench.faults.history import Answered, Connected, History, Saw, Sent
from cornered.protocol.commands import Play
from cornered.protocol.events import Played, Resumed

__all__ = ["Figures", "Recovery", "figures_of"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds from the beginning of a fault until any client received the next move.

    Moves received within 50 ms of it count as under way.
    """

    fault: int
    kind: str
    target: str
    seconds: float


@dataclass(slots=True)
class Figures:
    """What happened, in numbers. Times are in seconds."""

    faults: dict[str, int] = field(default_factory=dict)
    matches: int = 0
    events: int = 0
    acknowledged: int = 0
    """Moves that were acknowledged to their players."""
    repeated: int = 0
    """Commands that were sent more than once."""
    connections: int = 0
    refunds: int = 0
    refunded: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    worst_waits: dict[str, float] = field(default_factory=dict)
    """For each client the longest time from the first sending of a command to its last answer."""
    recoveries: list[Recovery] = field(default_factory=list)


def figures_of(history: History) -> Figures:
    """Return the figures of what was observed."""
    found = Figures(faults=dict(Counter(record.kind for record in history.faults)))
    found.matches = len(history.journal)
    found.events = sum(map(len, history.journal.values()))
    moves: list[float] = []
    refused: Counter[str] = Counter()
    for log in history.clients:
        sent: dict[str, Sent] = {}
        times: Counter[str] = Counter()
        worst = 0.0
        for entry in log.entries:
            if isinstance(entry, Sent):
                sent.setdefault(entry.command.id, entry)
                times[entry.command.id] += 1
            elif isinstance(entry, Answered) and entry.id in sent:
                worst = max(worst, entry.at - sent[entry.id].at)
                if entry.code:
                    refused[entry.code] += 1
                elif isinstance(sent[entry.id].command, Play):
                    found.acknowledged += 1
            elif isinstance(entry, Connected):
                found.connections += 1
            elif isinstance(entry, Saw) and any(isinstance(event, Played) for event in entry.events):
                moves.append(entry.at)
        found.repeated += sum(number > 1 for number in times.values())
        found.worst_waits[log.name] = round(worst, 3)
    found.refused = dict(refused.most_common())
    refunds = [event for events in history.journal.values() for event in events if isinstance(event, Resumed)]
    found.refunds, found.refunded = len(refunds), sum(event.refunded for event in refunds) / 1000
    moves.sort()
    for record in history.faults:
        if record.kind in ("kill", "pause", "kill database", "pause database"):
            # A message that was on its way when the fault began arrives within this time.
            index = bisect.bisect(moves, record.began + 0.05)
            if index < len(moves):
                seconds = round(moves[index] - record.began, 3)
                found.recoveries.append(Recovery(record.number, record.kind, record.target, seconds))
    return found
