"""Decides from a campaign's observations whether the server kept its promises. Pure; the rules are the engine's own.

Every check yields its violations with the time at which the first evidence was observed; `check` sorts by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cornered.bench.faults.clock_check import clocks_are_fair
from cornered.bench.faults.history import ClientLog, History, Saw, Shown
from cornered.bench.faults.observed import Observations
from cornered.bench.faults.violation import Violation
from cornered.protocol.commands import MatchCommand, Play
from cornered.protocol.events import Played, Started

__all__ = ["CHECKS", "check"]

OPEN_CODES: Final = frozenset({"internal", "shutting_down"})
"""Refusals after which the command may be stored: the store was lost before it confirmed."""


def check(history: History) -> list[Violation]:
    """Return every violation, the earliest first; empty when every promise was kept."""
    seen = Observations(history)
    found = [violation for one in CHECKS for violation in one(seen)]
    return sorted(found, key=lambda violation: violation.at)


def journal_is_whole(seen: Observations) -> Iterator[Violation]:
    """Every match's events are numbered from 1 without a gap, begin with `started`, and time never goes back."""
    for match, events in seen.journal.items():
        for number, event in enumerate(events, 1):
            if event.seq != number:
                text = f"event {number} of match {match} is missing: event {event.seq} stands in its place"
                yield seen.violation("journal", text, match, number)
                break
            if (number == 1) != isinstance(event, Started):
                yield seen.violation("journal", f"event {number} of match {match} is {event.type!r}", match, number)
            if number > 1 and event.at < events[number - 2].at:
                back = events[number - 2].at - event.at
                yield seen.violation("journal", f"time goes back by {back} ms in match {match}", match, number)


def rules_are_kept(seen: Observations) -> Iterator[Violation]:
    """Every move is legal in its turn, and every result is that of the rules."""
    for match, replay in seen.replays.items():
        if replay.fault is not None:
            seq, text = replay.fault
            yield seen.violation("rules", f"match {match}, event {seq}: {text}", match, seq)


def acknowledged_are_stored(seen: Observations) -> Iterator[Violation]:
    """What was acknowledged is in the journal, as the event that the acknowledgement numbered."""
    for client, answer in seen.answers():
        sent = seen.sent.get((client.name, answer.id))
        if answer.code or answer.seq is None or sent is None or not isinstance(sent.command, MatchCommand):
            continue
        command = sent.command
        events = seen.journal.get(command.match, ())
        event = events[answer.seq - 1] if 0 < answer.seq <= len(events) else None
        if getattr(event, "cause", None) != command.id or (
            isinstance(command, Play)
            and not (isinstance(event, Played) and (event.ply, event.move) == (command.ply, command.move))
        ):
            text = f"{client.name}'s {type(command).__name__} {command.id} was acknowledged as event {answer.seq} of"
            text += f" match {command.match}, which {'is not stored' if event is None else 'is another one'}"
            yield seen.violation("lost", text, command.match, answer.seq, client, answer.at)


def commands_are_carried_out_once(seen: Observations) -> Iterator[Violation]:
    """No command is carried out twice, or after its refusal, and no player moves without having sent the move."""
    for match, events in seen.journal.items():
        carried_out: set[tuple[object, ...]] = set()
        for event in events:
            cause = getattr(event, "cause", None)
            if cause is None:
                continue
            seat = getattr(event, "by", None) if event.type == "eliminated" else getattr(event, "seat", None)
            key = (seat, cause, event.type)
            if key in carried_out:
                text = f"command {cause} of seat {seat} was carried out twice in match {match}"
                yield seen.violation("twice", text, match, event.seq)
            carried_out.add(key)
            client = seen.player_in(match, seat)
            if client is None:
                continue
            sent = seen.sent.get((client.name, cause))
            command = sent.command if sent is not None else None
            if command is None or getattr(command, "match", "") != match:
                text = f"event {event.seq} of match {match} has a cause that {client.name} never sent: {cause}"
                yield seen.violation("twice", text, match, event.seq, client)
            elif isinstance(event, Played) and (not isinstance(command, Play) or command.move != event.move):
                text = f"event {event.seq} of match {match} is another move than {client.name} sent"
                yield seen.violation("twice", text, match, event.seq, client)
            elif (last := seen.last_answer.get((client.name, cause))) and last.code and last.code not in OPEN_CODES:
                text = f"{client.name}'s {type(command).__name__} {cause} was refused ({last.code})"
                text += f" and yet is event {event.seq} of match {match}"
                yield seen.violation("twice", text, match, event.seq, client, last.at)


def sequences_equal_the_journal(seen: Observations) -> Iterator[Violation]:
    """Every client saw what is stored; players saw it without a gap, and to the end of every match they followed."""
    for client in seen.clients:
        yield from _sequence_of(seen, client)


def _sequence_of(seen: Observations, client: ClientLog) -> Iterator[Violation]:
    reached: dict[str, int] = {}
    here: dict[str, tuple[int, int]] = {}
    """The newest number of each match on one connection, and that connection."""
    for entry in client.entries:
        if not isinstance(entry, Saw | Shown):
            continue
        match, events = entry.match, seen.journal.get(entry.match, ())
        is_player = seen.is_player(client, match)
        if isinstance(entry, Shown):
            known = seen.replays[match].positions if match in seen.replays else {}
            if entry.seq > len(events) or known.get(entry.seq, entry.position) != entry.position:
                text = f"{client.name} was shown match {match} at event {entry.seq} as the journal does not have it"
                yield seen.violation("sequence", text, match, entry.seq, client, entry.at)
            last = entry.seq
        else:
            first, last = entry.events[0].seq, entry.events[-1].seq
            before, connection = here.get(match, (-1, -1))
            expected = before + 1 if connection == entry.connection else None
            if is_player and (first > reached.get(match, 0) + 1 or (expected is not None and first != expected)):
                wanted = expected if expected is not None else reached.get(match, 0) + 1
                text = f"{client.name} was told event {first} of match {match} where {wanted} was due"
                yield seen.violation("sequence", text, match, first, client, entry.at)
            for event in entry.events:
                if event.seq > len(events) or events[event.seq - 1] != event:
                    stored = "is not stored" if event.seq > len(events) else "is stored otherwise"
                    text = f"{client.name} was told event {event.seq} of match {match}, which {stored}"
                    yield seen.violation("sequence", text, match, event.seq, client, entry.at)
                    break
        here[match] = (last, entry.connection)
        reached[match] = max(reached.get(match, 0), last)
    for match, last in reached.items():
        ended = seen.ended.get(match)
        if ended is not None and seen.is_player(client, match) and last < ended.seq:
            text = f"{client.name} knows match {match} up to event {last} only; it ended with event {ended.seq}"
            yield seen.violation("sequence", text, match, ended.seq, client)


def nothing_is_stuck(seen: Observations) -> Iterator[Violation]:
    """Every command was answered in the end, and every match is over or went on after the last fault."""
    for (name, command_id), sent in seen.sent.items():
        if (name, command_id) not in seen.last_answer:
            text = f"{name}'s {type(sent.command).__name__} {command_id} was never answered"
            match = getattr(sent.command, "match", "")
            at = max(sent.at, seen.history.calm_at)
            yield seen.violation("stuck", text, match, 0, seen.by_name[name], at)
    for match, events in seen.journal.items():
        last = max((event.seq for event in events), default=0)
        if match not in seen.ended and seen.first_seen.get((match, last), math.inf) < seen.history.calm_at:
            text = f"match {match} did not go on after the last fault"
            yield seen.violation("stuck", text, match, last, at=seen.history.calm_at)


def nodes_report_no_defect(seen: Observations) -> Iterator[Violation]:
    """No node logged a defect: a traceback, or a line that is no log line."""
    for line in seen.history.complaints:
        yield Violation("log", line.partition("\n")[0], math.inf, tuple(line.split("\n")))


CHECKS: Final[Sequence[Callable[[Observations], Iterator[Violation]]]] = (
    acknowledged_are_stored,
    commands_are_carried_out_once,
    sequences_equal_the_journal,
    journal_is_whole,
    rules_are_kept,
    clocks_are_fair,
    nothing_is_stuck,
    nodes_report_no_defect,
)
