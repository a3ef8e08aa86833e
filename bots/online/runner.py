"""Runs bots of the roster as ordinary clients: they answer challenges, and optionally play exhibition games."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.bots.online.host import BotHost, HostConfig, HostedBot
from cornered.bots.pool.pool import Pool
from cornered.clients.sdk import TokenStore, unwrapped_errors
from cornered.engine import games

__all__ = ["run_bots"]


async def run_bots(
    names: Sequence[str],
    config: HostConfig,
    *,
    server: str,
    token: str | None = None,
    store: TokenStore | None = None,
    workers: int | None = None,
) -> None:
    """Connect bots to `server` until cancelled; they think in `workers` processes, by default one a core but one.

    `names` are those of the roster, with settings if wanted: `bamboo-mcts:iterations=200`. Each is the same player
    every time, by the token in `store` or, for a single bot, by `token`. Raises ValueError for a name that is not a
    bot's and for a bot without a game, EngineFailed for a program that does not start, and CommandRefused for a `token`
    that the server does not know.
    """
    if token is not None and len(names) != 1:
        raise ValueError("one token is for one bot: name one bot, or leave the token out")
    guests = HostedBot.all_of(names)
    for guest in guests:
        # A program is asked for its games here, before anything waits for its answer. Raises EngineFailed.
        if not any(guest.bot.plays(game.name) for game in games()):
            raise ValueError(f"{guest.name} plays none of the games {', '.join(game.name for game in games())}")
    with unwrapped_errors():
        async with Pool.open(workers, names, at_once=True) as pool:
            await BotHost(guests, pool, config).run(server, token, store)
