"""Servers that break a promise on purpose, which a campaign has to catch. Only a campaign's own process can be one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cornered.protocol.events import MatchEvent, Played
from cornered.server.adapters import journal_rows
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.match.match import Match
from cornered.server.match.state import MatchState

__all__ = ["BUILDS", "Build"]

WRITE_BEHIND_S: Final = 0.3
TWICE_EVERY: Final = 25
"""Every so many appends of a move are stored twice."""


@dataclass(frozen=True, slots=True)
class Build:
    """One broken server. `check` names the check of the checker that finds it, `apply` breaks this process's server.

    `kinds` are the faults under which the difference shows, `nodes` how many nodes that needs.
    """

    words: str
    check: str
    apply: Callable[[], None]
    kinds: tuple[str, ...] = ("kill", "reset")
    nodes: int = 1


def _acknowledge_first() -> None:
    """Append in the background: a journal with a write-behind buffer."""
    append = SqlJournal.append
    waiting: asyncio.Queue[tuple[SqlJournal, str, int, Sequence[MatchEvent]]] = asyncio.Queue()
    writing: list[asyncio.Task[None]] = []

    async def write_behind() -> None:
        while True:
            late = await waiting.get()
            await asyncio.sleep(WRITE_BEHIND_S)
            batch = [late, *(waiting.get_nowait() for _ in range(waiting.qsize()))]
            await asyncio.gather(*(append(*one) for one in batch), return_exceptions=True)

    async def buffered(self: SqlJournal, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if expected_seq == 0:
            await append(self, match, expected_seq, events)
            return
        if not writing:
            writing.append(asyncio.create_task(write_behind(), name="write behind"))
        waiting.put_nowait((self, match, expected_seq, tuple(events)))

    _replace(SqlJournal, "append", buffered)


def _append_twice() -> None:
    """Store some moves a second time, as the next events: a retry that does not look for the first attempt."""
    append = SqlJournal.append
    moves = 0

    async def twice(self: SqlJournal, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        nonlocal moves
        await append(self, match, expected_seq, events)
        if len(events) == 1 and isinstance(events[0], Played):
            moves += 1
            if moves % TWICE_EVERY == 0:
                again = events[0].model_copy(update={"seq": expected_seq + 2})
                await append(self, match, expected_seq + 1, (again,))

    _replace(SqlJournal, "append", twice)


def _forget_causes() -> None:
    """Recognise no repeated command."""
    _replace(MatchState, "answered", lambda self, seat, command_id: None)


def _refund_nothing() -> None:
    """Charge the players for every outage."""
    _replace(Match, "refund", lambda self, now, away: ())


def _ignore_epochs() -> None:
    """Store what a node believes: neither the epoch of a slot nor another node's event at the same number stops it."""
    added = "AS e (match, seq, body)\n"
    fence = journal_rows._FENCE.replace("WHERE s.epoch = f.epoch ", "")
    unfenced = fence.replace(added, f"{added}    ON CONFLICT (match, seq) DO UPDATE SET body = excluded.body\n")
    assert len(unfenced) > len(fence) < len(journal_rows._FENCE), "the statement is another one now"
    journal_rows._FENCE = unfenced  # type: ignore[misc]


def _replace(owner: type, name: str, function: Callable[..., Any]) -> None:
    setattr(owner, name, function)


BUILDS: Final[Mapping[str, Build]] = {
    "acknowledge-first": Build("acknowledges before it appends", "lost", _acknowledge_first),
    "append-twice": Build("appends some moves twice", "twice", _append_twice),
    "forget-causes": Build("recognises no repeated command", "twice", _forget_causes, ("delay", "reset")),
    "ignore-epochs": Build("stores without a look at the slot's epoch", "sequence", _ignore_epochs, ("pause",), 2),
    "refund-nothing": Build("refunds no outage", "clocks", _refund_nothing),
}
