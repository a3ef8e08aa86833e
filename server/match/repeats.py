"""Whether a command repeats the one that an event names as its cause. Pure.

The event has the content of its command, so that no journal needs a digest of it, and those of earlier versions are
compared too.
"""

from __future__ import annotations

from typing import assert_never

from cornered.protocol.commands import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    Claim,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    MatchCommand,
    OfferDraw,
    Play,
    Rematch,
    RequestTakeback,
    Resign,
)
from cornered.protocol.events import (
    Agreed,
    DrawDeclined,
    DrawOffered,
    Eliminated,
    Ended,
    MatchEvent,
    Played,
    RematchDeclined,
    Rematched,
    RematchOffered,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.protocol.values import Reason

__all__ = ["is_repeat"]


def is_repeat(command: MatchCommand, event: MatchEvent) -> bool:
    """Return whether `command` has the content of the command under the same id that caused `event`.

    The reason of a declined rematch does not count: the operator's filter may have changed it.
    """
    match command:
        case Play():
            return isinstance(event, Played) and (event.ply, event.move) == (command.ply, command.move)
        case Resign():
            return _reason(event) == "resignation"
        case Abort():
            return _reason(event) == "aborted"
        case Claim():
            return _reason(event) == "gone"
        case OfferDraw():
            # Two offers are an agreement.
            return isinstance(event, DrawOffered) or _is_draw(event)
        case AcceptDraw():
            return _is_draw(event)
        case DeclineDraw():
            return isinstance(event, DrawDeclined)
        case RequestTakeback():
            # With help a request takes back at once.
            return isinstance(event, TakebackRequested | TakenBack)
        case AcceptTakeback():
            return isinstance(event, TakenBack) or (isinstance(event, Agreed) and event.to == "takeback")
        case DeclineTakeback():
            return isinstance(event, TakebackDeclined)
        case Rematch():
            return isinstance(event, RematchOffered | Rematched)
        case DeclineRematch():
            return isinstance(event, RematchDeclined)
        case _:
            assert_never(command)


def _reason(event: MatchEvent) -> Reason | None:
    return event.reason if isinstance(event, Ended | Eliminated) else None


def _is_draw(event: MatchEvent) -> bool:
    return _reason(event) == "agreement" or (isinstance(event, Agreed) and event.to == "draw")
