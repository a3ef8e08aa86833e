"""Snapshots of matches that have just begun, for tests that depend on few of the fields."""

from __future__ import annotations

from typing import Any

from cornered import engine
from cornered.protocol.messages import Snapshot
from cornered.protocol.values import NO_CLOCK, Clocks, GameSpec, Player, SeatInfo


def beginning(game: engine.Game, players: tuple[Player, ...], **told: Any) -> Snapshot:
    """Return a match of `game` before its first move; the fields of `told` replace the defaults."""
    state = game.start()
    usual: dict[str, Any] = {
        "id": None,
        "match": "m1",
        "seq": 1,
        "game": GameSpec(name=game.name, options=dict(game.options)),
        "title": game.title,
        "clock": NO_CLOCK,
        "seats": tuple(SeatInfo(player=player) for player in players),
        "seat": 0,
        "position": str(state),
        "ply": 0,
        "to_move": state.to_move,
        "moves": (),
        "clocks": Clocks(left=tuple(None for _ in players), running=None, at=0),
        "connected": tuple(True for _ in players),
        "watchers": 0,
        "commitment": "0" * 64,
        "private": False,
        "delay": 0,
        "has_draws": False,
        "draw_offer": None,
        "takeback": None,
        "rematch": (),
        "over": False,
        "winner": None,
        "reason": None,
        "seed": None,
        "next": None,
    }
    return Snapshot(**(usual | told))
