"""Draws and takebacks: what players ask of each other, and what becomes of it. Pure; a part of `Match.decide`."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from cornered.protocol.commands import (
    AcceptDraw,
    AcceptTakeback,
    DeclineDraw,
    DeclineTakeback,
    OfferDraw,
    RequestTakeback,
)
from cornered.protocol.events import (
    Agreed,
    DrawDeclined,
    DrawOffered,
    MatchEvent,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.server.match.state import MatchState
from cornered.server.refusal import Refusal

__all__ = ["Negotiation", "negotiate"]

Negotiation: TypeAlias = OfferDraw | AcceptDraw | DeclineDraw | RequestTakeback | AcceptTakeback | DeclineTakeback


def negotiate(match: MatchState, command: Negotiation, seat: int, now: int) -> tuple[MatchEvent, ...]:
    """Return what a command about a draw or a takeback leads to, from a seat that is still in. Raises Refusal.

    All seats that are still in have to agree. A seat that declines its own offer withdraws it. In a match with help a
    person needs nobody's agreement to a takeback: each one takes moves back that count towards the bound of plies.
    """
    seq, cause, talks = match.seq + 1, command.id, match.talks
    match command:
        case OfferDraw():
            return _offer_draw(match, cause, seat, now)
        case AcceptDraw():
            if not talks.draw or seat in talks.draw:
                raise Refusal("nothing_offered", "nobody offers you a draw")
            return _agree_to_draw(match, cause, seat, now)
        case DeclineDraw():
            if not talks.draw:
                raise Refusal("nothing_offered", "nobody offers a draw")
            return (DrawDeclined(seq=seq, at=now, seat=seat, cause=cause),)
        case RequestTakeback() if match.terms.tournament is not None:
            raise Refusal("not_allowed", "nothing is taken back in a game of a tournament")
        case RequestTakeback() if match.terms.is_helped(seat):
            _check_flag(match, now)
            return _take_back(match, cause, seat, seat, now)
        case RequestTakeback():
            if talks.takeback or seat in talks.asked_takeback:
                raise Refusal("already_offered", "a takeback has been asked for already")
            if match.last_move_of(seat) is None:
                raise Refusal("nothing_to_take_back", "you have made no move that can be taken back")
            return (TakebackRequested(seq=seq, at=now, seat=seat, cause=cause),)
        case AcceptTakeback():
            return _accept_takeback(match, cause, seat, now)
        case DeclineTakeback():
            if not talks.takeback:
                raise Refusal("nothing_offered", "nobody asks for a takeback")
            return (TakebackDeclined(seq=seq, at=now, seat=seat, cause=cause),)
        case _:
            assert_never(command)


def _offer_draw(match: MatchState, cause: str, seat: int, now: int) -> tuple[MatchEvent, ...]:
    game, talks = match.terms.game, match.talks
    if not game.has_draws:
        raise Refusal("no_draws", f"{game.title} knows no draws under these options")
    if talks.draw and seat not in talks.draw:
        # Two offers are an agreement, whichever came first on the way.
        return _agree_to_draw(match, cause, seat, now)
    if talks.draw or seat in talks.asked_draw:
        raise Refusal("already_offered", "you have offered a draw already; make a move before the next offer")
    return (DrawOffered(seq=match.seq + 1, at=now, seat=seat, cause=cause),)


def _agree_to_draw(match: MatchState, cause: str, seat: int, now: int) -> tuple[MatchEvent, ...]:
    _check_flag(match, now)
    if len(match.talks.draw) + 1 < len(match.still_in):
        return (Agreed(seq=match.seq + 1, at=now, seat=seat, cause=cause, to="draw"),)
    places = tuple(1 if known is None else known[0] for known in match.out)
    return (match.ended(match.seq + 1, now, None, places, "agreement", cause, seat),)


def _accept_takeback(match: MatchState, cause: str, seat: int, now: int) -> tuple[MatchEvent, ...]:
    asked = match.talks.takeback
    if not asked or seat in asked:
        raise Refusal("nothing_offered", "nobody asks you for a takeback")
    _check_flag(match, now)
    if len(asked) + 1 < len(match.still_in):
        return (Agreed(seq=match.seq + 1, at=now, seat=seat, cause=cause, to="takeback"),)
    return _take_back(match, cause, seat, asked[0], now)


def _take_back(match: MatchState, cause: str, seat: int, asker: int, now: int) -> tuple[MatchEvent, ...]:
    """Return the takeback of the asker's last move that `seat` brings about. Raises Refusal where there is none.

    The clocks are those of that ply: neither what was thought since nor an increment counts.
    """
    ply = match.last_move_of(asker)
    if ply is None:
        made = "you have made no move" if seat == asker else "there is no move any more"
        raise Refusal("nothing_to_take_back", f"{made} that can be taken back")
    left = match.plies.left_at(ply)
    return (TakenBack(seq=match.seq + 1, at=now, seat=seat, cause=cause, ply=ply, left=left),)


def _check_flag(match: MatchState, now: int) -> None:
    """Refuse while the flag is down: only a move that is on its way can still be in time."""
    if match.timer.is_down(now):
        raise Refusal("too_late", "the flag has fallen")
