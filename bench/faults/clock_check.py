"""Checks what players were charged against what the clients saw: no clock runs while no move can be served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cornered.bench.faults.history import Outage
from cornered.bench.faults.observed import Observations
from cornered.bench.faults.violation import Violation
from cornered.protocol.events import Ended, MatchEvent, Played, Started, TakenBack
from cornered.protocol.values import Clock, Fischer, PerMove
from cornered.server.cluster.slots import slot_of

__all__ = ["OUTAGE_TOLERANCE_S", "TOLERANCE_S", "clocks_are_fair"]

TOLERANCE_S: Final = 1.5
"""Seconds that a turn may cost beside the time in which it could be served: a stall of a second counts as play."""
OUTAGE_TOLERANCE_S: Final = 2.5
"""Seconds that each outage may cost: the last sign of life is a second old, and so is a node's last heartbeat."""


def clocks_are_fair(seen: Observations) -> Iterator[Violation]:
    """No turn costs more than the time in which it could be served, and every clock's sums are right."""
    for match, events in seen.journal.items():
        if events and isinstance(started := events[0], Started) and isinstance(started.clock, Fischer | PerMove):
            yield from _clocks_of(seen, match, events, started)


def _clocks_of(seen: Observations, match: str, events: Sequence[MatchEvent], started: Started) -> Iterator[Violation]:
    clock = started.clock
    left: tuple[int | None, ...] = (_initial(clock),) * len(started.players)
    outages = [one for one in seen.history.outages if one.slots is None or slot_of(match) in one.slots]
    moved: set[int] = set()
    turn_began: float | None = None
    """The earliest time at which the present turn can have begun; None where no command of a client began it."""
    to_move = -1
    for event in events[1:]:
        if isinstance(event, Played):
            runs = isinstance(clock, PerMove) or len(moved) == len(started.players)
            due = _after(clock, left, event.seat, event.spent) if runs else left
            if event.left != due:
                text = f"the clocks of match {match} are {event.left} after event {event.seq}, and should be {due}"
                yield seen.violation("clocks", text, match, event.seq)
            if runs and turn_began is not None:
                yield from _fair(seen, match, event, event.spent, turn_began, outages)
            left = event.left
            moved.add(event.seat)
            player = seen.player_in(match, event.seat)
            sent = seen.sent.get((player.name, event.cause)) if player is not None else None
            turn_began = None if sent is None else sent.at
            to_move = event.seat
        elif isinstance(event, TakenBack):
            left, turn_began = event.left, None
        elif isinstance(event, Ended) and event.reason == "time" and turn_began is not None:
            flagged = event.places.index(max(event.places)) if event.places else to_move
            budget = left[flagged] if len(left) > flagged else None
            yield from _fair(seen, match, event, budget or 0, turn_began, outages)


def _fair(
    seen: Observations, match: str, event: MatchEvent, charged: int, turn_began: float, outages: Sequence[Outage]
) -> Iterator[Violation]:
    """Yield a violation where a turn that ended with `event` was charged for time in which it could not be served."""
    known_at = seen.first_seen.get((match, event.seq))
    if known_at is None:
        return
    away, number = _overlap(turn_began, known_at, outages)
    allowed = known_at - turn_began - away + TOLERANCE_S + OUTAGE_TOLERANCE_S * number
    if charged / 1000 > allowed:
        text = (
            f"event {event.seq} of match {match} was charged {charged / 1000:.1f} s; of the"
            f" {known_at - turn_began:.1f} s of its turn {away:.1f} s could not be served, so {allowed:.1f} s are due"
        )
        yield seen.violation("clocks", text, match, event.seq, seen.player_in(match, getattr(event, "seat", None)))


def _overlap(since: float, until: float, outages: Sequence[Outage]) -> tuple[float, int]:
    """Return how much of the time lies in at least one outage, and how many separate stretches that are."""
    total, reached, number = 0.0, since, 0
    for outage in sorted(outages, key=lambda one: one.began):
        began, ended = max(outage.began, reached), min(outage.ended, until)
        if began < ended:
            total, reached, number = total + ended - began, ended, number + 1
    return total, number


def _initial(clock: Clock) -> int | None:
    return (
        clock.initial * 1000
        if isinstance(clock, Fischer)
        else clock.seconds * 1000
        if isinstance(clock, PerMove)
        else None
    )


def _after(clock: Clock, left: tuple[int | None, ...], seat: int, spent: int) -> tuple[int | None, ...]:
    """Return every seat's time after a move that was charged `spent`."""
    budget = left[seat]
    if not isinstance(clock, Fischer) or budget is None:
        return left
    return (*left[:seat], budget - spent + round(clock.increment * 1000), *left[seat + 1 :])
