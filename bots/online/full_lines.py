"""Proven lines in full: a search ends its line where its table knew the rest, so the bot is asked for the replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from cornered.bots.bot import Limit, Line, Proven, Thought
from cornered.engine import CHANCE, State

__all__ = ["in_full"]

REPLY_TIME_MS: Final = 60
"""Milliseconds for one reply."""
MAX_REPLIES: Final = 24
"""Replies that are asked for, for all lines together."""
OPPOSITE: Final[dict[Proven, Proven]] = {"win": "loss", "loss": "win", "draw": "draw"}

Study = Callable[[State, Limit], Awaitable[Thought]]


async def in_full(state: State, lines: tuple[Line, ...], plies: int, study: Study) -> tuple[Line, ...]:
    """Return lines of a game of two with the proven ones played on, as far as every reply is proven too.

    A line ends with the game, at the latest after `plies` plies. `study` searches a position.
    """
    left = MAX_REPLIES
    full = []
    for line in lines:
        pv, here = list(line.pv or (line.move,))[:plies], state
        for move in pv:
            here = here.play(move)
        mover = state.to_move
        while line.proven and left and here.outcome is None and len(pv) < plies and here.to_move != CHANCE:
            left -= 1
            expected = line.proven if here.to_move == mover else OPPOSITE[line.proven]
            reply = await study(here, Limit(time=REPLY_TIME_MS))
            if reply.proven != expected:
                break
            for move in (reply.pv or (reply.move,))[: plies - len(pv)]:
                here = here.play(move)
                pv.append(move)
        full.append(replace(line, pv=tuple(pv)))
    return tuple(full)
