"""`cornered bench load` and `cornered bench growth`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from cornered import engine
from cornered.cli.progress import progress
from cornered.cli.rules import Json, warm_up

if TYPE_CHECKING:
    from cornered.bench.workload.report import LoadReport
    from cornered.bench.workload.servers import Store

__all__ = ["register"]

STORES: Final = ("sqlite", "postgresql")
T = TypeVar("T")

Games = Annotated[list[str] | None, typer.Option("--game", help="A game to play; may be repeated.")]
Workers = Annotated[int, typer.Option("--workers", "-w", min=1, help="Generator processes.")]
StoreName = Annotated[
    str | None, typer.Option("--store", help="Of the server that it starts: sqlite, the default, or postgresql.")
]
Out = Annotated[Path | None, typer.Option(help="The folder for a page with plots, and all figures as JSON.")]


def register(bench: typer.Typer) -> None:
    """Add the commands to `cornered bench`."""
    bench.command("load")(load)
    bench.command("growth")(growth)


def load(
    profile: Annotated[str, typer.Argument(help="play, watch, idle or capacity.")] = "play",
    games: Games = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of players.")] = 50,
    matches: Annotated[int, typer.Option(min=0, help="Live matches at the same time; 0 is one a pair.")] = 0,
    watchers: Annotated[int | None, typer.Option(min=0, help="Watchers, spread over the matches.")] = None,
    bot_pairs: Annotated[int, typer.Option(min=0, help="Pairs in which one player is a declared bot.")] = 0,
    idle: Annotated[int | None, typer.Option(min=0, help="Connections that do nothing.")] = None,
    bound: Annotated[float, typer.Option(min=0.1, help="Of capacity: the highest p99 in ms.")] = 50.0,
    seconds: Annotated[float, typer.Option(min=0.1, help="Measured time, after the warm-up.")] = 20.0,
    warm_up_s: Annotated[float, typer.Option("--warm-up", min=0, help="Seconds that are not measured.")] = 5.0,
    rate: Annotated[float | None, typer.Option(min=0.1, help="Moves a second that become due.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of moves and of the times at which they are due.")] = 1,
    workers: Workers = 1,
    servers: Annotated[
        list[str] | None,
        typer.Option("--server", help="A server to load; may be repeated for several nodes. By default it starts one."),
    ] = None,
    place: Annotated[
        str,
        typer.Option(help="Whether the players of a pair are at one server: any, same, different."),
    ] = "any",
    pid: Annotated[
        list[int] | None,
        typer.Option(help="A server's process on this machine, to tell its CPU time; may be repeated."),
    ] = None,
    store: StoreName = None,
    baseline: Annotated[bool, typer.Option("--baseline/--no-baseline", help="Measure a bare server as well.")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a server is loaded.")] = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Load a server with players, watchers and idle connections, and measure latency from when each move was due.

    play: moves at --rate. watch: one match with --watchers and --rate moves a second. idle: the memory of --idle
    connections. capacity: the highest rate with a p99 within --bound, and the latency at 70% of it.
    """
    from cornered.bench.workload.plan import PLACES
    from cornered.bench.workload.profiles import PROFILES, LoadPlan
    from cornered.bench.workload.profiles import load as run_load
    from cornered.bench.workload.report import lines
    from cornered.bench.workload.servers import given_servers, own_server

    profile, place = _choice("a profile", profile, PROFILES), _choice("a place", place, PLACES)
    if store and servers:
        raise ValueError("--store is that of a server that this starts; those of --server have theirs")
    store = _choice("a store", store or "sqlite", STORES)
    names = tuple(games or ("trapgrid",))
    for name in names:
        engine.load(name)
    if pid and not servers:
        raise ValueError("--pid names processes of the servers that --server gives")
    if bot_pairs > pairs:
        raise ValueError(f"--bot-pairs {bot_pairs} are more than the {pairs} pairs")
    if matches and matches < pairs:
        raise ValueError(f"--matches {matches} leaves some of the {pairs} pairs without a match")
    is_watch, is_idle = profile == "watch", profile == "idle"
    plan = LoadPlan(
        pairs=1 if is_watch or is_idle else pairs,
        matches=0 if is_watch or is_idle else matches,
        bot_pairs=0 if is_watch or is_idle else bot_pairs,
        watchers=(1_000 if is_watch else 0) if watchers is None else 0 if is_idle else watchers,
        idle=(1_000 if is_idle else 0) if idle is None else idle,
        games=names,
        rate=(20.0 if is_watch else 500.0) if rate is None else rate,
        bound_ms=bound,
        seconds=seconds,
        warm_up=warm_up_s,
        seed=seed,
        workers=workers,
        place=place,
        has_baseline=baseline,
    )
    if is_watch and not plan.watchers:
        raise ValueError("watch needs --watchers")
    if is_watch and plan.rate * (warm_up_s + seconds) > (limit := 2_000 if servers else 10_000):
        raise ValueError(f"a match ends after {limit:,} moves: choose a lower --rate or fewer --seconds")
    if is_idle and not plan.idle:
        raise ValueError("idle needs --idle")
    warm_up(*names, "quoridor" if is_watch else names[0])
    if servers:
        given = given_servers(servers, pid or ())
        if not yes:
            _ask_owner(given.addresses, plan.sockets, 0.0 if is_idle else plan.rate)

    async def run(ended: asyncio.Event) -> LoadReport:
        with progress() as report:
            command = shlex.join(["cornered", *sys.argv[1:]])
            if servers:
                return await run_load(profile, plan, given, command=command, progress=report, ended=ended)
            with _store(store) as chosen:
                async with own_server(chosen, plan.sockets) as ours:
                    return await run_load(profile, plan, ours, command=command, progress=report, ended=ended)

    report = _until_interrupted(run)
    if out is not None:
        from cornered.bench.workload.page import write

        typer.echo(f"the report is {write(report, out)}", err=True)
    typer.echo(json.dumps(report.to_json()) if as_json else "\n".join(lines(report)))
    raise typer.Exit(130 if report.is_interrupted else 1 if report.has_failed else 0)


def growth(
    live: Annotated[list[int] | None, typer.Option(min=1, help="A number of live matches; may be repeated.")] = None,
    stored: Annotated[list[int] | None, typer.Option(min=0, help="A number of stored ones; may be repeated.")] = None,
    start: Annotated[int, typer.Option(min=0, help="Live matches for the time of a start; 0 for none.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, help="Measurements at each count; the best one counts.")] = 2,
    seconds: Annotated[float, typer.Option(min=1, help="Measured time at each count.")] = 15.0,
    warm_up_s: Annotated[float, typer.Option("--warm-up", min=0, help="Seconds that are not measured.")] = 5.0,
    rate: Annotated[float, typer.Option(min=1, help="Moves a second that become due.")] = 300.0,
    stores: Annotated[
        list[str] | None, typer.Option("--store", help="sqlite or postgresql; may be repeated. By default both.")
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Measure what a move costs with more and more live matches, and with more and more stored ones."""
    from cornered.bench.workload.growth import LIVE, STORED, GrowthPlan, GrowthReport, grow, lines, write

    names = [_choice("a store", name, STORES) for name in stores or STORES]
    is_default = live is None and stored is None
    plan = GrowthPlan(
        live=LIVE if is_default else tuple(live or ()),
        stored=STORED if is_default else tuple(stored or ()),
        rate=rate,
        seconds=seconds,
        warm_up=warm_up_s,
        repeats=repeats,
        start_matches=start,
    )
    warm_up(*(game.name for game in engine.games()))

    async def run(ended: asyncio.Event) -> GrowthReport:
        with progress() as report:
            command = shlex.join(["cornered", *sys.argv[1:]])
            chosen = [(name, partial(_store, name)) for name in names]
            return await grow(plan, chosen, command=command, progress=report, ended=ended)

    report = _until_interrupted(run)
    if out is not None:
        typer.echo(f"the report is {write(report, out)}", err=True)
    typer.echo(json.dumps(report.to_json()) if as_json else "\n".join(lines(report)))
    raise typer.Exit(130 if report.is_interrupted else 1 if report.faults else 0)


def _choice(what: str, given: str, choices: tuple[T, ...]) -> T:
    for choice in choices:
        if choice == given:
            return choice
    raise ValueError(f"{what} is one of {', '.join(map(str, choices))}, not {given!r}")


def _ask_owner(addresses: tuple[str, ...], sockets: int, rate: float) -> None:
    """Ask whether the user may load these servers. Raises ValueError unless the answer is yes."""
    where = " and ".join(addresses)
    moves = f" and {rate:,.0f} moves a second" if rate else ""
    typer.echo(f"This is a load test: {sockets:,} connections{moves} at {where}, which can make it slow for everybody.")
    try:
        is_owned = typer.confirm("Do you own it?", default=False)
    except typer.Abort:
        raise ValueError("nobody answered whether you own the server: add --yes in a script, where you do") from None
    if not is_owned:
        raise ValueError("a load test is for servers that you own")


@contextlib.contextmanager
def _store(name: str) -> Iterator[Store]:
    """Lend an empty store of this kind, which is deleted afterwards."""
    from cornered.bench.workload.servers import Store

    with tempfile.TemporaryDirectory(prefix="cornered-load-") as folder:
        data = Path(folder) / "data"
        if name == "sqlite":
            yield Store(data)
            return
        from cornered.services.postgres import Postgres

        # PostgreSQL may run as a user of its own, who has to get to its folder.
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder) / "postgresql")
        server.start()
        try:
            yield Store(data, server.database("load"), server.pid)
        finally:
            server.stop()


def _until_interrupted(run: Callable[[asyncio.Event], Awaitable[T]]) -> T:
    """Run until it ends; the first Ctrl-C sets its event, a second one interrupts."""
    from cornered.server.app import new_event_loop

    async def running() -> T:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def end() -> None:
            ended.set()
            loop.remove_signal_handler(signal.SIGINT)

        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, end)
        return await run(ended)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(running())
