"""How a bot asks for its games: challenges of one opponent, one after the other, or an open table."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import CommandRefused, NoOpponent, NotUnderstood
from cornered.clients.sdk.opponents import BOT_TIMEOUT_S, find_opponent
from cornered.clients.sdk.player import BotPlayer
from cornered.protocol.messages import ErrorCode
from cornered.protocol.values import Clock, GameSpec, SeekSettings

__all__ = ["challenge_repeatedly", "keep_table"]

LOBBY_TIMEOUT_S: Final = 10.0
"""Seconds to wait for a new seek in the lobby before another attempt."""
ANSWER_TIMEOUT_S: Final = 120.0
"""Seconds to wait for the answer to a challenge, which may be lost with the connection; it expires before."""
PAUSE_S: Final = 5.0
"""Seconds before the next challenge of an opponent that could not play just now."""
MAX_DECLINED: Final = 5
"""Challenges in a row that a bot may decline, before the asking ends; a person is asked once."""
PASSING: Final[frozenset[ErrorCode]] = frozenset({"busy", "server_full", "shutting_down", "unknown_player"})
"""Refusals of a challenge or a table that a later one may not get."""

log = logging.getLogger("cornered.bot")


async def challenge_repeatedly(
    client: Client, player: BotPlayer, name: str, games: Mapping[str, GameSpec], clock: Clock, *, rated: bool
) -> None:
    """Challenge the opponent called `name`, again after each game, until `player` has its games.

    Each of `games`, by name, that the opponent plays has its turn. Raises NoOpponent where the opponent is not there at
    the beginning or keeps declining, and CommandRefused where it never takes such a game.
    """
    patience: float | None = BOT_TIMEOUT_S
    turn = declined = 0
    while True:
        await player.until(lambda: player.wants_more and not player.playing)
        opponent, able = await find_opponent(client, name, tuple(games), clock, with_people=True, patience=patience)
        # A player that was there once comes back, for example where its server restarts.
        patience = None
        before = player.begun
        try:
            game = games[able[turn % len(able)]]
            ask = partial(client.challenge, opponent.player.id, game.name, clock=clock, rated=rated, **game.options)
            challenge = await retry(ask)
            player.asked(challenge)
            reason = await _answer(player, challenge, before)
        except CommandRefused as refusal:
            if refusal.code not in PASSING:
                raise
            log.info("%s cannot be challenged just now: %s", name, refusal.text)
            await asyncio.sleep(PAUSE_S)
            continue
        if reason is None:
            turn, declined = turn + 1, 0
            continue
        declined += 1
        if opponent.player.kind == "person" or declined >= MAX_DECLINED:
            raise NoOpponent(f"{opponent.player.name} does not play: {reason}")
        log.warning("%s does not play just now: %s", opponent.player.name, reason)
        await asyncio.sleep(PAUSE_S * declined)


async def _answer(player: BotPlayer, challenge: str, before: int) -> str | None:
    """Return why a challenge led to no match; None once a match has begun after the first `before` ones."""

    def refusals() -> list[str]:
        return [one.reason or one.how for one in player.closed if one.challenge == challenge and one.how != "accepted"]

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            await player.until(lambda: player.begun > before or bool(refusals()))
    if player.begun > before:
        return None
    return next(iter(refusals()), "no answer")


async def keep_table(client: Client, player: BotPlayer, settings: Callable[[], SeekSettings]) -> None:
    """Keep a table open whenever `player` plays no match and wants one more, until cancelled."""
    lobby = await retry(client.lobby)
    told = ""
    while True:
        seen = lobby.version
        has_table = any(seek.by.id == client.player.id for seek in lobby.seeks.values())
        if not has_table and not player.playing and player.wants_more:
            try:
                table = await retry(partial(client.seek, settings()))
                async with asyncio.timeout(LOBBY_TIMEOUT_S):
                    while table not in lobby.seeks and not player.playing:
                        await lobby.changed(lobby.version)
                continue
            except CommandRefused as refusal:
                if told != refusal.text:
                    told = refusal.text
                    log.warning("the server opens no table: %s", told)
            except (NotUnderstood, TimeoutError):
                pass
        await lobby.changed(seen)
