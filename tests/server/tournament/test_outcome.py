"""What the end of a match gives its players: by moves, by reasons, and by who had a connection."""

from __future__ import annotations

from typing import Any

import pytest

from cornered.protocol.events import Ended, MatchEvent, Played, Started
from cornered.protocol.values import Clock, Correspondence, Fischer, GameSpec, Player
from cornered.server.tournament.outcome import result_of

AT = 9


def started(clock: Clock) -> MatchEvent:
    players = tuple(Player(id=name, name=name, kind="person") for name in ("ann", "ben"))
    game = GameSpec(name="trapgrid", options={"size": 3})
    return Started(seq=1, at=0, match="m", game=game, players=players, clock=clock, commitment="")


def moved(seat: int) -> MatchEvent:
    return Played(seq=2 + seat, at=1, seat=seat, cause="c", ply=seat, move="b3", spent=0, left=(1, 1))


def expired(**more: Any) -> MatchEvent:
    return Ended(seq=8, at=AT, **{"winner": None, "places": (), "reason": "expired", "seed": "", **more})


def lost(winner: int, reason: str) -> MatchEvent:
    return expired(winner=winner, places=(1, 2) if winner == 0 else (2, 1), reason=reason)


@pytest.mark.parametrize(
    ("events", "away", "shares", "absent"),
    [
        ([expired()], (), (0, 1), (0,)),
        ([expired()], (0,), (0, 1), (0,)),
        ([expired()], (0, 1), (0, 0), (0, 1)),
        # A player who has made a move was there, whatever became of the connection.
        ([moved(0), expired()], (0, 1), (1, 0), (1,)),
        ([lost(1, "gone")], (0, 1), (0, 0), (0, 1)),
        ([lost(0, "time")], (1,), (1, 0), (1,)),
        ([moved(0), lost(0, "gone")], (0, 1), (1, 0), (1,)),
        ([moved(0), moved(1), lost(1, "time")], (0, 1), (0, 1), ()),
        ([lost(1, "resignation")], (0, 1), (0, 1), ()),
    ],
)
def test_a_player_who_neither_moved_nor_was_connected_wins_nothing(
    events: list[MatchEvent], away: tuple[int, ...], shares: tuple[float, float], absent: tuple[int, ...]
) -> None:
    events = [started(Fischer(initial=60)), *events]
    result = result_of("m", events, lambda seat, at: at == AT and seat in away)
    assert result is not None
    assert (result.shares, result.absent, result.is_forfeit) == (shares, absent, bool(absent))


def test_in_a_game_by_days_the_player_who_was_not_to_move_wins_without_a_connection() -> None:
    result = result_of("m", [started(Correspondence(days=1)), lost(1, "time")], lambda seat, at: True)
    assert result is not None
    assert (result.shares, result.absent) == ((0, 1), (0,))
