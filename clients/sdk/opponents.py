"""Finds opponents in the lobby by their names."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from typing import Final

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import NoOpponent
from cornered.protocol.values import Clock, Presence

__all__ = ["BOT_TIMEOUT_S", "find_opponent", "name_order", "plays"]

BOT_TIMEOUT_S: Final = 3.0
"""Time to wait for a bot, since house bots connect a moment after their server starts."""
MAX_NEAR: Final = 3
"""Names that an error suggests."""
MAX_LISTED: Final = 20
"""Names that an error lists."""


def plays(presence: Presence, game: str, clock: Clock) -> bool:
    """Return whether a bot has declared `game` on `clock`."""
    return any(accepts.game == game and clock.kind in accepts.clocks for accepts in presence.accepts)


def name_order(name: str) -> tuple[tuple[int, str], ...]:
    """Return the key that sorts names as people do: level-2 before level-10."""
    return tuple(
        (int(part), "") if part.isdecimal() else (-1, part.casefold()) for part in re.split(r"([0-9]{1,9})", name)
    )


async def find_opponent(
    client: Client,
    name: str,
    games: Sequence[str],
    clock: Clock,
    *,
    with_people: bool = False,
    patience: float | None = BOT_TIMEOUT_S,
) -> tuple[Presence, list[str]]:
    """Return the bot of this name, in upper or lower case, and which of `games` it plays on `clock`.

    `with_people` a person of this name will do too, who plays all of them. It waits `patience` seconds for one to come,
    or for ever. Raises NoOpponent, whose text has the names that are near.
    """
    lobby = await retry(client.lobby)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while True:
                seen = lobby.version
                here = [one for one in lobby.players.values() if one.player.id != client.player.id]
                named = [one for one in here if one.player.name.casefold() == name.casefold()]
                # Two players' names may differ in upper and lower case alone.
                for one in sorted(named, key=lambda one: one.player.name != name):
                    if found := _played(one, games, clock, with_people=with_people):
                        return one, found
                if lobby.unseen("players") and lobby.cursors["players"] is not None:
                    await retry(partial(client.more_of_lobby, "players"))
                else:
                    await lobby.changed(seen)
    names = sorted(
        {one.player.name for one in here if _played(one, games, clock, with_people=with_people)}, key=name_order
    )
    raise NoOpponent(_missing(name, games, names, with_people=with_people))


def _played(one: Presence, games: Sequence[str], clock: Clock, *, with_people: bool) -> list[str]:
    """Return those of `games` to which this player can be challenged."""
    if one.player.kind == "person":
        return list(games) if with_people else []
    return [game for game in games if plays(one, game, clock)]


def _missing(name: str, games: Sequence[str], names: Sequence[str], *, with_people: bool) -> str:
    """Return what an error says about an opponent who is not there."""
    kind = "player" if with_people else "bot"
    what = " or ".join(games)
    known = {one.casefold(): one for one in names}
    near = [known[one] for one in get_close_matches(name.casefold(), known, n=MAX_NEAR)]
    link = f"; did you mean {' or '.join(near)}? There" if near else "; there"
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    listed = f"{', '.join(names[:MAX_LISTED])}{more}" if names else "none"
    return f"no {kind} {name!r} plays {what} here{link} are {listed}"
