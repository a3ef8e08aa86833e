"""A bot as an analyst: takes positions from the server's queue, searches them in the pool, and reports interim
results."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from cornered import engine
from cornered.bots.bot import Line, Proven, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.evaluate.chance import scale_of
from cornered.bots.online.full_lines import in_full
from cornered.bots.online.traces import send_trace
from cornered.bots.overlay import Overlay, overlays
from cornered.bots.overlay.gametree import Tree, build_tree
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import create, names
from cornered.clients.sdk import (
    Client,
    Closed,
    CommandRefused,
    Limit,
    NotUnderstood,
    TokenStore,
    stay_as,
    unwrapped_errors,
)
from cornered.engine import State
from cornered.engine.text import PositionText
from cornered.protocol.analysis import MAX_LINE_PLIES, MAX_OVERLAYS, OverlayPicture, Report, ScoredLine, TreeNode
from cornered.protocol.messages import Analyse, TraceSearch

__all__ = [
    "analyst_bot",
    "picture_of",
    "report_of",
    "run_analyst",
    "search_times_ms",
    "serve_analysis",
    "told_lines",
    "tree_of",
]

FIRST_SEARCH_MS: Final = 200
"""Milliseconds of the first search, so that a first result is quick."""
TIME_RATIO: Final = 4
"""Ratio of the times of successive searches."""
TREE_PLIES: Final = 3
TREE_MOVES: Final = 4
"""Plies and moves per position of the game tree, limited to what a picture can show."""
MAX_SCORE: Final = 1_000_000.0
DECIMALS: Final = 3

log = logging.getLogger("cornered.analyst")


def analyst_bot() -> str:
    """Return the name of the strongest bot that plays every game."""
    return "champion" if "champion" in names() else "minimax"


def search_times_ms(milliseconds: int) -> Iterator[int]:
    """Yield the times of the searches of one job in milliseconds: growing, the last one with all remaining time."""
    step = FIRST_SEARCH_MS
    while milliseconds > step * (TIME_RATIO + 1):
        yield step
        milliseconds -= step
        step *= TIME_RATIO
    if milliseconds > 0:
        yield milliseconds


async def serve_analysis(
    client: Client, pool: Pool, bot: str, *, jobs: int = 1, name: str | None = None, key: str | None = None
) -> None:
    """Offer analysis of positions by `bot` to the server's players, `jobs` at once, until the client closes.

    `name` is the displayed name, by default the bot's label; `key` is the server operator's. Raises CommandRefused,
    with `not_allowed` for a wrong key.
    """
    player = create(bot)
    games = [game.name for game in await client.games() if player.plays(game.name)]
    await client.jobs.offer(games, jobs, name or player.label, key=key, traces=True)
    log.info("%s studies %s", bot, ", ".join(games))
    # Shown searches are plain Python: several at once would only take turns, with the rest of this process too.
    thread = ThreadPoolExecutor(1, "trace")
    # `contextlib.suppress` takes exception groups only from Python 3.12 on.
    try:
        async with asyncio.TaskGroup() as tasks:
            async for job in client.jobs:
                tasks.create_task(_run_job(client, pool, thread, bot, job), name=f"study[{job.job}]")
    except* Closed:
        pass
    finally:
        # The loop does not wait for the thread, which ends soon: every search was stopped.
        thread.shutdown(wait=False)


async def run_analyst(
    server: str,
    *,
    bot: str | None = None,
    jobs: int = 1,
    store: TokenStore | None = None,
    workers: int | None = 1,
    key: str | None = None,
) -> None:
    """Analyse positions for the players of `server` until cancelled, in `workers` processes of its own."""
    which = bot or analyst_bot()

    async def play(client: Client) -> None:
        await serve_analysis(client, pool, which, jobs=jobs, key=key)

    with unwrapped_errors():
        async with Pool.open(workers) as pool:
            await stay_as(f"{which}-analyst", play, server=server, store=store)


async def _run_job(client: Client, pool: Pool, thread: Executor, bot: str, job: Analyse | TraceSearch) -> None:
    """Carry out one job until it is done or the server stops it."""
    looking = asyncio.create_task(_analyse(client, pool, thread, bot, job), name=f"look[{job.job}]")
    stopped = asyncio.create_task(client.jobs.stopped(job.job), name=f"stopped[{job.job}]")
    try:
        await asyncio.wait({looking, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        looking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await looking


async def _analyse(client: Client, pool: Pool, thread: Executor, bot: str, job: Analyse | TraceSearch) -> None:
    """Analyse a position, or show a search of it, and report a failure to the player who asked."""
    try:
        try:
            if isinstance(job, TraceSearch):
                thought = await send_trace(client, job, thread)
                await client.jobs.tell(job.job, report=report_of(thought, 1), final=True)
            else:
                await _report_all(client, pool, bot, job)
        except (CommandRefused, ValueError) as error:
            if isinstance(error, CommandRefused) and not client.jobs.is_wanted(job.job):
                raise
            log.warning("%s cannot study %s: %s", bot, job.position, error)
            await client.jobs.tell(job.job, final=True, error=_reason(error)[:200])
    except CommandRefused as refusal:
        # The job has expired or was withdrawn.
        log.info("a job is lost: %s", refusal.text)
    except NotUnderstood as error:
        log.warning("a job is lost: %s", error)


def _reason(error: CommandRefused | ValueError) -> str:
    return error.text if isinstance(error, CommandRefused) else str(error)


async def _report_all(client: Client, pool: Pool, bot: str, job: Analyse) -> None:
    """Report all results about a position, the quick ones first.

    Raises CommandRefused, NotUnderstood and ValueError.
    """
    state = engine.load(job.game.name, **job.game.options).parse(job.position)
    scale = scale_of(state.game)
    if job.milliseconds < FIRST_SEARCH_MS:
        # One of many positions of a pass over a game.
        glance = await pool.study(bot, state, Limit(time=job.milliseconds, lines=job.lines))
        await client.jobs.tell(job.job, report=report_of(glance, job.lines, scale), final=True)
        return
    for step in search_times_ms(job.milliseconds):
        thought = await pool.study(bot, state, Limit(time=step, lines=job.lines))
        await client.jobs.tell(job.job, report=report_of(thought, job.lines, scale))
        if step == FIRST_SEARCH_MS:
            # Overlays do not depend on the search, so they follow its first result.
            await client.jobs.tell(job.job, overlays=await asyncio.to_thread(_pictures, state))
            await client.jobs.tell(job.job, tree=await asyncio.to_thread(tree_of, state, job.nodes, thought.lines))
        if thought.proven is not None and all(line.proven is not None for line in thought.lines[: job.lines]):
            break
    found = thought.lines
    if state.game.seats == 2:
        full = await in_full(state, told_lines(thought, job.lines), MAX_LINE_PLIES, partial(pool.study, bot))
        await client.jobs.tell(job.job, report=report_of(replace(thought, lines=full), job.lines, scale))
        found = (*full, *(line for line in found if line.move not in {each.move for each in full}))
    await client.jobs.tell(job.job, tree=await asyncio.to_thread(tree_of, state, job.nodes, found), final=True)


def told_lines(thought: Thought, lines: int) -> tuple[Line, ...]:
    """Return up to `lines` lines of exact score, or else the one of the chosen move."""
    exact = tuple(line for line in thought.lines if line.score is not None and not line.is_bound)[:lines]
    return exact or (Line(thought.move, thought.score, thought.proven, thought.plies, thought.depth, thought.pv),)


def report_of(thought: Thought, lines: int, scale: float | None = None) -> Report:
    """Return a thought as a protocol report, with up to `lines` lines of exact score."""
    return Report(
        score=_score(thought.score),
        proven=thought.proven,
        plies=thought.plies,
        depth=thought.depth,
        deepest=max(thought.deepest, thought.depth),
        nodes=thought.nodes,
        pruned=thought.pruned,
        efficiency=round(thought.efficiency, 1),
        speed=round(thought.speed, 1),
        hits=thought.hits,
        seconds=round(thought.seconds, DECIMALS),
        lines=tuple(_scored_line(line) for line in told_lines(thought, lines)),
        scale=scale,
    )


def _scored_line(line: Line) -> ScoredLine:
    return ScoredLine(
        move=line.move,
        score=_score(line.score),
        proven=line.proven,
        plies=line.plies,
        pv=(line.pv or (line.move,))[:MAX_LINE_PLIES],
    )


def _score(score: float | None) -> float | None:
    return None if score is None else round(max(-MAX_SCORE, min(MAX_SCORE, float(score))), DECIMALS)


def _pictures(state: State) -> tuple[OverlayPicture, ...]:
    text = PositionText.parse(str(state))
    return tuple(picture_of(overlay, text) for overlay in overlays(state)[:MAX_OVERLAYS])


def picture_of(overlay: Overlay, text: PositionText) -> OverlayPicture:
    """Return an overlay as a protocol picture: one character for each cell of the board."""
    if overlay.zones:
        marks = {cell: "b" if zone == "both" else zone for cell, zone in overlay.zones.items()}
    else:
        marks = {cell: str(round(9 * max(0.0, min(1.0, degree)))) for cell, degree in overlay.heat.items()}
    rows = (
        "".join(marks.get(text.name(row, column), ".") for column in range(len(line)))
        for row, line in enumerate(text.rows)
    )
    numbers = (
        ",".join(str(overlay.numbers.get(text.name(row, column), "")) for column in range(len(line)))
        for row, line in enumerate(text.rows)
    )
    return OverlayPicture(
        name=overlay.name[:40],
        title=overlay.title[:40],
        legend=overlay.legend[:200],
        kind="zones" if overlay.zones else "heat",
        cells="/".join(rows),
        low=overlay.ends[0],
        high=overlay.ends[1],
        numbers="/".join(numbers) if overlay.numbers else "",
    )


def tree_of(state: State, nodes: int, lines: Sequence[Line] = ()) -> list[TreeNode]:
    """Return the first plies of the game tree in breadth-first order, at most `nodes` nodes.

    `lines` are what a search has found for the moves of its root.
    """
    evaluate = evaluator(state.game.name).evaluate
    root = build_tree(state, TREE_PLIES, TREE_MOVES, evaluate, most=nodes + 1, lines=lines)
    told: list[TreeNode] = []
    level = [(-1, child) for child in root.children]
    while level:
        below: list[tuple[int, Tree]] = []
        for parent, node in level:
            below += [(len(told), child) for child in node.children]
            told.append(_node(parent, node))
        level = below
    return told


def _node(parent: int, node: Tree) -> TreeNode:
    decided: Proven | None = node.proven
    if decided is None and node.is_over:
        decided = "draw" if not node.score else "win" if node.score > 0 else "loss"
    mark: Literal["best", "cut"] | None = "best" if node.is_best else "cut" if node.is_cut else None
    return TreeNode(
        parent=parent, move=node.move or "", score=_score(node.score), proven=decided, plies=node.plies, mark=mark
    )
