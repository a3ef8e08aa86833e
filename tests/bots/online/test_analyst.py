"""What an analyst tells: thoughts, pictures and trees in the protocol's words, for every game."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered import engine
from cornered.bots.bot import WIN, Limit, Line, Thought
from cornered.bots.online.analyst import (
    FIRST_SEARCH_MS,
    picture_of,
    report_of,
    search_times_ms,
    serve_analysis,
    tree_of,
)
from cornered.bots.online.traces import searched
from cornered.bots.overlay import Overlay, overlays
from cornered.bots.pool.pool import Pool
from cornered.engine.text import PositionText
from cornered.protocol.analysis import MAX_LINE_PLIES, MAX_OVERLAYS, MAX_TREE_NODES
from cornered.protocol.codec import MAX_FRAME, MSGPACK
from cornered.protocol.commands import Analysed
from cornered.protocol.messages import Analyse, TraceSearch
from cornered.protocol.traces import MAX_TRACE_LINES, TraceSettings
from cornered.protocol.values import GameSpec
from tests.bots.online.scenes import accept_analyst
from tests.bots.scenes import random_game
from tests.clients.sdk.scripted import Wire, connected, scripted

GAMES = ("trapgrid", "isolation", "bamboo", "quoridor")


def position(game: str, plies: int) -> engine.State:
    state: engine.State = random_game(engine.load(game), 1, plies + 1)[-1]
    return state


@given(st.integers(1, 120_000))
def test_the_looks_fill_the_time_and_grow(milliseconds: int) -> None:
    looks = list(search_times_ms(milliseconds))
    assert sum(looks) == milliseconds
    assert looks == sorted(looks)
    assert looks[0] == (FIRST_SEARCH_MS if len(looks) > 1 else milliseconds)
    assert list(search_times_ms(5_000)) == [200, 800, 4_000]


def test_lines_that_are_only_bounds_are_not_told() -> None:
    lines = (
        Line("a1", 2.0, depth=3, pv=("a1", "b2")),
        Line("a2", 1.0, is_bound=True),
        Line("a3", None),
        Line("a4", 0.5, "draw", 4, pv=("a4",)),
        Line("a5", 0.25, pv=("a5",)),
    )
    report = report_of(Thought("a1", 2.0, 3, 100, 50, ("a1", "b2"), deepest=5, hits=7, seconds=0.5, lines=lines), 2)
    assert [(line.move, line.score, line.proven, line.plies) for line in report.lines] == [
        ("a1", 2.0, None, None),
        ("a4", 0.5, "draw", 4),
    ]
    assert (report.depth, report.deepest, report.nodes, report.pruned, report.hits) == (3, 5, 100, 50, 7)
    assert (report.efficiency, report.speed, report.seconds) == (33.3, 200.0, 0.5)


def test_a_thought_without_lines_is_a_line_and_what_is_too_much_is_cut() -> None:
    (line,) = report_of(Thought("pass"), 3).lines
    assert (line.move, line.score, line.pv) == ("pass", None, ("pass",))
    thought = Thought("a1", 1e300, pv=("a1", *["b2"] * 99), proven="win", plies=100)
    report = report_of(thought, 1)
    assert report.score == 1e6
    assert len(report.lines[0].pv) == MAX_LINE_PLIES
    assert report_of(Thought("a1", -WIN), 1).score == -WIN


@pytest.mark.parametrize("game", GAMES)
def test_pictures_have_the_boards_shape(game: str) -> None:
    state = position(game, 5)
    text = PositionText.parse(str(state))
    drawn = overlays(state)
    assert len(drawn) <= MAX_OVERLAYS
    for overlay in drawn:
        picture = picture_of(overlay, text)
        assert [len(row) for row in picture.cells.split("/")] == [len(row) for row in text.rows]
        assert len(picture.cells.replace("/", "").replace(".", "")) == len(overlay.zones or overlay.heat)
        numbers = {
            text.name(row, column): int(number)
            for row, line in enumerate(picture.numbers.split("/"))
            for column, number in enumerate(line.split(","))
            if number
        }
        assert numbers == overlay.numbers
    word = Analysed(id="x" * 40, job="y" * 32, overlays=tuple(picture_of(overlay, text) for overlay in drawn))
    assert len(MSGPACK.encode(word)) < MAX_FRAME


def test_each_cell_of_a_picture_is_where_the_position_has_it() -> None:
    for text in (PositionText.parse(str(engine.load(game).start())) for game in ("trapgrid", "bamboo")):
        for row, column in ((row, column) for row, line in enumerate(text.rows) for column in range(len(line))):
            name = text.name(row, column)
            zones = picture_of(Overlay("z", "Zones", "", zones={name: "both"}), text)
            heat = picture_of(Overlay("h", "Heat", "", heat={name: 0.5}), text)
            assert [zones.cells.split("/")[row][column], heat.cells.split("/")[row][column]] == ["b", "4"]
            assert zones.cells.count("b") == heat.cells.count("4") == 1


@pytest.mark.parametrize("game", GAMES)
def test_a_tree_is_legal_bounded_and_has_one_best_line(game: str) -> None:
    state = position(game, 4)
    tree = tree_of(state, MAX_TREE_NODES)
    assert 0 < len(tree) <= MAX_TREE_NODES
    reached = {-1: state}
    for number, node in enumerate(tree):
        assert node.parent < number
        assert reached[node.parent].is_legal(node.move)
        reached[number] = reached[node.parent].play(node.move)
        assert (node.proven is not None) == (reached[number].outcome is not None)
    best = [node.parent for node in tree if node.mark == "best"]
    assert len(best) == len(set(best)) > 0
    assert best[0] == -1
    assert len(MSGPACK.encode(Analysed(id="x" * 40, job="y" * 32, tree=tuple(tree)))) < MAX_FRAME


def test_a_decided_game_is_told_as_such_in_the_tree() -> None:
    states = [engine.load("trapgrid", size=3).start()]
    while states[-1].outcome is None:
        states.append(states[-1].play(states[-1].moves()[0]))
    end, before = states[-1], states[-2]
    tree = tree_of(before, MAX_TREE_NODES)
    assert end.outcome is not None
    won = end.outcome.winner == before.to_move
    assert {node.move: node.proven for node in tree}[before.moves()[0]] == ("win" if won else "loss")


async def test_an_analyst_ends_with_its_client() -> None:
    offered = asyncio.Event()

    async def script(wire: Wire) -> None:
        await accept_analyst(wire)
        offered.set()
        # The pong comes after the answer to the offer, so by then the analyst waits for jobs.
        await wire.pong()
        await wire.stay()

    async with scripted(script) as server:
        async with connected(server) as client:
            serving = asyncio.create_task(serve_analysis(client, cast("Pool", None), "random"))
            await offered.wait()
            await client.ping()
        await serving


async def test_an_answer_of_a_later_protocol_costs_an_analyst_one_job() -> None:
    answered: asyncio.Queue[str] = asyncio.Queue()

    async def script(wire: Wire) -> None:
        await accept_analyst(wire)
        game = GameSpec(name="trapgrid")
        for job in ("a", "b"):
            await wire.say(Analyse(job=job, game=game, position="?", lines=1, milliseconds=100, nodes=1))
            await wire.answer_in_a_later_version(await wire.hear(Analysed))
            answered.put_nowait(job)
            await wire.pong()
        await wire.stay()

    async with scripted(script) as server:
        async with connected(server) as client:
            serving = asyncio.create_task(serve_analysis(client, cast("Pool", None), "random"))
            for job in ("a", "b"):
                assert await answered.get() == job
                # The pong comes after the answer, so by then the analyst has handled it.
                await client.ping()
                assert not serving.done()
        await serving


Answer: TypeAlias = Callable[[Wire, list[Analysed]], Awaitable[None]]


class OneMovePool:
    """Thinks of the first move at once."""

    async def study(self, bot: str, state: engine.State, limit: Limit) -> Thought:
        return Thought(state.moves()[0], 0.5, 1, 7)


def small_job(milliseconds: int) -> Analyse:
    game = engine.load("trapgrid", size=3)
    spec = GameSpec(name="trapgrid", options=dict(game.options))
    return Analyse(
        job="a", game=spec, position=str(game.start()), lines=1, milliseconds=milliseconds, nodes=MAX_TREE_NODES
    )


def trace_job() -> TraceSearch:
    asked = small_job(3_000)
    settings = TraceSettings(search="mcts", playouts=10)
    return TraceSearch(
        job="a", game=asked.game, position=asked.position, settings=settings, milliseconds=3_000, lines=MAX_TRACE_LINES
    )


async def told(asked: Analyse | TraceSearch, answer: Answer) -> list[Analysed]:
    """Return what an analyst tells about a job while a server answers it, adding to the list."""
    heard: list[Analysed] = []
    is_told = asyncio.Event()

    async def script(wire: Wire) -> None:
        await accept_analyst(wire)
        await wire.say(asked)
        await answer(wire, heard)
        await wire.acknowledge(heard[-1])
        is_told.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server:
        async with connected(server) as client:
            serving = asyncio.create_task(serve_analysis(client, cast("Pool", OneMovePool()), "random"))
            await is_told.wait()
        await serving
    return heard


@pytest.mark.virtual_time
@pytest.mark.parametrize("asked", [small_job(1_100), small_job(100), trace_job()], ids=["long", "glance", "trace"])
async def test_an_analyst_that_is_too_fast_waits_and_tells_everything_once(asked: Analyse | TraceSearch) -> None:
    async def answer(wire: Wire, taken: list[Analysed]) -> None:
        while not taken or not taken[-1].final:
            if taken:
                await wire.acknowledge(taken[-1])
            refused = await wire.hear(Analysed)
            await wire.refuse(refused, "too_fast", retry_after=1)
            taken.append(await wire.hear(Analysed))
            assert taken[-1] == refused.model_copy(update={"id": taken[-1].id})

    taken = await told(asked, answer)
    assert not any(one.error for one in taken)
    assert any(one.report is not None for one in taken)
    if isinstance(asked, TraceSearch):
        assert [line for one in taken for line in one.trace or ()] == list(searched(asked).lines)


@pytest.mark.parametrize("refused_at", [0, 1, -1])
async def test_an_analyst_whose_results_are_refused_gives_the_job_back(refused_at: int) -> None:
    async def answer(wire: Wire, heard: list[Analysed]) -> None:
        heard.append(await wire.hear(Analysed))
        while not (len(heard) - 1 == refused_at or (refused_at < 0 and heard[-1].final)):
            await wire.acknowledge(heard[-1])
            heard.append(await wire.hear(Analysed))
        await wire.refuse(heard[-1], "illegal_move", "a9 is no move in this position")
        heard.append(await wire.hear(Analysed))

    last = (await told(small_job(1_100), answer))[-1]
    assert (last.final, last.error) == (True, "a9 is no move in this position")
