"""A tournament as messages show it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.protocol.tournaments import PairingHow, PairingInfo, Standing, TournamentInfo
from cornered.server.tournament.events import Pairing
from cornered.server.tournament.standings import TIE_BREAKS, Place
from cornered.server.tournament.state import TournamentState

__all__ = ["info", "pairing_info", "round_pairings", "standing"]


def info(state: TournamentState, best: Sequence[Place]) -> TournamentInfo:
    """Return a tournament as lists show it; `best` begins with the first of its standings, where it is finished."""
    return TournamentInfo(
        id=state.id,
        settings=state.settings,
        organiser=state.organiser,
        status=state.status,
        players=len(state.entries),
        round=state.round,
        rounds=state.rounds,
        pending=len(state.pending),
        is_paused=state.is_paused,
        created=state.created,
        started=state.started,
        ends_at=state.ends_at,
        ended=state.ended,
        next_round_at=state.next_round_at,
        winner=best[0].entry.player if state.status == "finished" and best and best[0].entry.points else None,
        tie_breaks=TIE_BREAKS[state.settings.format],
    )


def standing(state: TournamentState, place: Place) -> Standing:
    """Return a row of the standings."""
    entry = place.entry
    played = [one.share for one in entry.settled if one.how == "played"]
    return Standing(
        rank=place.rank,
        player=entry.player,
        rating=entry.rating,
        points=entry.points,
        tie_breaks=place.tie_breaks,
        games=len(played),
        wins=played.count(1.0),
        draws=played.count(0.5),
        losses=played.count(0.0),
        streak=entry.streak,
        is_out=entry.is_out,
        is_absent=state.is_absent(entry),
    )


def round_pairings(state: TournamentState, round_: int) -> Sequence[Pairing]:
    """Return the pairings of a round; none of one that there is not."""
    return state.pairings[round_ - 1] if 1 <= round_ <= state.round else ()


def pairing_info(state: TournamentState, round_: int, pairing: Pairing) -> PairingInfo:
    """Return a pairing with what it gave."""
    how: PairingHow
    points: tuple[float, ...]
    result = None if pairing.match is None else state.results.get(pairing.match)
    if result is not None:
        how, points = ("forfeit" if result.is_forfeit else "played"), tuple(result.shares)
    elif pairing.points:
        how, points = ("bye" if len(pairing.players) == 1 else "forfeit"), pairing.points
    else:
        how, points = ("pending" if pairing.match in state.pending else "void"), ()
    return PairingInfo(
        round=round_,
        board=pairing.board,
        players=tuple(state.entries[player].player for player in pairing.players),
        match=pairing.match,
        how=how,
        points=points,
    )
