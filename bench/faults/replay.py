"""Replays one stored match by the rules; of the server's code for matches it uses only the roll of a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from cornered import engine
from cornered.engine.game import CHANCE, State
from cornered.protocol.events import (
    Eliminated,
    Ended,
    MatchEvent,
    Played,
    Rematched,
    RematchOffered,
    Rolled,
    Started,
    TakenBack,
)
from cornered.server.match.dice import roll

__all__ = ["Replay", "replay"]


@dataclass(slots=True)
class Replay:
    """A match as the rules see it. `positions` maps the number of each event to the position text after it."""

    positions: dict[int, str] = field(default_factory=dict)
    fault: tuple[int, str] | None = None
    """The number of the first event that the rules refuse, and the reason."""


class _Refused(Exception):
    """The rules refuse an event."""


def replay(events: Sequence[MatchEvent]) -> Replay:
    """Replay a match up to the first event that the rules refuse."""
    found = Replay()
    if not events or not isinstance(started := events[0], Started):
        found.fault = (1, "a match begins with `started`")
        return found
    states = [engine.load(started.game.name, **started.game.options).start()]
    rolls: list[tuple[Rolled, Sequence[str]]] = []
    ended: Ended | None = None
    for event in events[1:]:
        try:
            if ended is not None and not isinstance(event, RematchOffered | Rematched):
                raise _Refused("the match is over")
            if states[-1].outcome is not None and not isinstance(
                event, Ended | Eliminated | RematchOffered | Rematched
            ):
                raise _Refused("the game is over by the rules, and the match goes on")
            if isinstance(event, Played | Rolled):
                if isinstance(event, Rolled):
                    rolls.append((event, states[-1].moves()))
                states.append(_after(states, event))
            elif isinstance(event, Eliminated) and event.reason != "rules":
                states[-1] = states[-1].leave(event.seat)
            elif isinstance(event, TakenBack):
                if not 0 <= event.ply < len(states):
                    raise _Refused(f"ply {event.ply} cannot be taken back")
                del states[event.ply + 1 :]
            elif isinstance(event, Ended):
                _check_end(started, states[-1], event, rolls)
                ended = event
        except (_Refused, ValueError) as error:
            found.fault = (event.seq, str(error))
            return found
        found.positions[event.seq] = str(states[-1])
    if ended is None and states[-1].outcome is not None:
        found.fault = (events[-1].seq, "the game is over by the rules, and the match is not")
    return found


def _after(states: Sequence[State], event: Played | Rolled) -> State:
    state = states[-1]
    if event.ply != len(states) - 1:
        raise _Refused(f"it is ply {len(states) - 1}, not {event.ply}")
    seat = event.seat if isinstance(event, Played) else CHANCE
    if state.to_move != seat:
        raise _Refused(f"it is the turn of {state.to_move}, not of {seat}")
    # Raises a ValueError for an illegal move, and for a roll that the rules do not know.
    return engine.apply(state, event.move)


def _check_end(started: Started, state: State, ended: Ended, rolls: Sequence[tuple[Rolled, Sequence[str]]]) -> None:
    seed = bytes.fromhex(ended.seed)
    if hashlib.sha256(seed).hexdigest() != started.commitment:
        raise _Refused("the seed is not the one that `started` commits to")
    for event, sides in rolls:
        if event.move != roll(seed, started.match, event.ply, sides):
            raise _Refused(f"the roll of ply {event.ply} is not the seed's")
    outcome = state.outcome
    if len(started.players) == 2 and ended.reason in ("resignation", "time"):
        loser = ended.seat if ended.reason == "resignation" else state.to_move
        outcome = None if loser is None else state.leave(loser).outcome
        if outcome is None:
            raise _Refused(f"an end by {ended.reason} has a loser")
    elif ended.reason == "rules" and outcome is None:
        raise _Refused("the rules do not end the game here")
    elif ended.reason != "rules" and outcome is not None and len(started.players) == 2:
        raise _Refused(f"the rules end the game here, not {ended.reason}")
    if outcome is not None and (ended.winner, ended.places) != (outcome.winner, outcome.places):
        raise _Refused(f"the winner is {outcome.winner} by the rules, not {ended.winner}")
    if ended.reason in ("agreement", "aborted", "expired", "ply_limit") and ended.winner is not None:
        raise _Refused(f"an end by {ended.reason} has no winner")
