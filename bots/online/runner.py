"""Runs bots of the roster as ordinary clients: they answer challenges, and optionally play exhibition games."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.bots.online.host import BotHost, Guest
from cornered.bots.pool.pool import Pool
from cornered.clients.sdk import TokenStore, unwrapped_errors

__all__ = ["run_bots"]


async def run_bots(
    names: Sequence[str],
    *,
    server: str,
    token: str | None = None,
    concurrency: int = 4,
    exhibition: bool = False,
    seek: bool = False,
    store: TokenStore | None = None,
    workers: int | None = None,
    ponder: bool = True,
    analyse: str | None = None,
    analyst_key: str | None = None,
) -> None:
    """Connect bots to `server`, each for `concurrency` games at once, until cancelled.

    `names` are those of the roster, with settings if wanted: `bamboo-mcts:iterations=200`. Each is the same player
    every time, by the token in `store` or, for a single bot, by `token`. With `exhibition` two of them play whenever
    nothing moves in the public matches; with `seek` an idle bot opens a table. They think in `workers` processes, by
    default one a core but one; with `ponder` those that gain from it think while their opponents do, as long as nobody
    else needs the workers. Games join in as soon as they are compiled. The bot `analyse`, one of these or another that
    takes the first one's line, studies positions for players when nothing else is to be done, if `analyst_key` is the
    server's; with that key the bots also have the names that the server reserves.
    Raises ValueError for a name that is no bot's and Refused for a `token` that the server does not know.
    """
    if token is not None and len(names) != 1:
        raise ValueError("one token is one bot's")
    guests = Guest.all_of(names)
    with unwrapped_errors():
        async with Pool.open(workers, names) as pool:
            house = BotHost(
                guests,
                pool,
                concurrency,
                exhibition=exhibition,
                seek=seek,
                ponder=ponder,
                analyse=analyse,
                analyst_key=analyst_key,
            )
            await house.run(server, token, store)
