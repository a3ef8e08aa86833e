"""Requests for analysis, and analysis jobs: across lost connections, and until they are cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornered.clients.sdk import Closed, CommandRefused
from cornered.protocol import messages
from cornered.protocol.analysis import Report, ScoredLine
from cornered.protocol.commands import Analysed, AskAnalysis, CancelAnalysis, OfferAnalysis, Ping
from cornered.protocol.messages import Analyse, Analysis, StopAnalysis
from cornered.protocol.values import GameSpec
from tests.clients.sdk.scripted import Wire, connected, scripted
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

REPORT = Report(
    score=0.5,
    proven=None,
    plies=None,
    depth=2,
    deepest=2,
    nodes=7,
    pruned=0,
    efficiency=0.0,
    speed=0.0,
    hits=0,
    seconds=0.0,
    lines=(ScoredLine(move="a2", score=0.5, pv=("a2",)),),
)


def news(name: str = "x", *, final: bool = False, report: Report | None = None, ahead: int = 0) -> Analysis:
    return Analysis(
        analysis=name,
        position="0../.../..1 0",
        ahead=ahead,
        final=final,
        by="deep",
        report=report,
        overlays=(),
        tree=(),
        error="",
    )


def job(name: str) -> Analyse:
    spec = GameSpec(name="trapgrid", options={"size": 3})
    return Analyse(job=name, game=spec, position="0../.../..1 0", lines=3, milliseconds=5_000, nodes=84)


async def test_an_analysis_is_followed_to_its_last_word() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        command = await wire.hear(AskAnalysis)
        assert (command.match, command.ply, command.lines) == ("m", 4, 2)
        await wire.acknowledge(command, ref="x")
        await wire.say(news(ahead=1))
        await after(0.05)
        await wire.say(news(report=REPORT))
        await after(0.05)
        await wire.say(news("another", final=True), news(report=REPORT, final=True))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        told = [analysis async for analysis in client.ask_analysis("m", 4, lines=2)]
    assert [(one.ahead, one.report, one.final) for one in told] == [
        (1, None, False),
        (0, REPORT, False),
        (0, REPORT, True),
    ]


async def test_a_refused_analysis_is_raised() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        command = await wire.hear(AskAnalysis)
        await wire.say(messages.Refused(id=command.id, code="no_analyst", text="nobody studies this"))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        with pytest.raises(CommandRefused, match="nobody studies this"):
            await anext(client.ask_analysis("m", 0))


async def test_after_a_lost_connection_it_is_asked_for_again() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(AskAnalysis), ref="x")
        await wire.say(news(report=REPORT))
        await after(0.05)
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(AskAnalysis), ref="y")
        await wire.say(news("y", final=True, report=REPORT))
        await wire.stay()

    async with asyncio.timeout(60), scripted(first, second) as server, connected(server) as client:
        told = [analysis.analysis async for analysis in client.ask_analysis("m", 0)]
    assert told == ["x", "y"]


async def test_who_stops_listening_tells_the_server() -> None:
    cancelled: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(AskAnalysis), ref="x")
        await wire.say(news())
        command = await wire.hear(CancelAnalysis)
        cancelled.set_result(command.analysis)
        await wire.acknowledge(command)
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        listening = client.ask_analysis("m", 0)
        await anext(listening)
        await listening.aclose()  # type: ignore[attr-defined]
        assert await cancelled == "x"


async def test_who_is_cancelled_waits_for_no_answer() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(AskAnalysis), ref="x")
        await wire.say(news())
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        listening = client.ask_analysis("m", 0)
        await anext(listening)
        waiting = asyncio.ensure_future(anext(listening))
        await after(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_an_analyst_gets_jobs_answers_them_and_gets_their_cancellation() -> None:
    told: list[Analysed] = []

    async def script(wire: Wire) -> None:
        await wire.welcome()
        offer = await wire.hear(OfferAnalysis)
        assert (offer.games, offer.jobs, offer.name) == (("trapgrid",), 2, "deep")
        await wire.acknowledge(offer)
        await wire.say(job("one"), job("two"), StopAnalysis(job="two"))
        told.append(await wire.hear(Analysed))
        await wire.acknowledge(told[-1])
        told.append(await wire.hear(Analysed))
        await wire.say(messages.Refused(id=told[-1].id, code="unknown_analysis", text="this is not your job"))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        await client.jobs.offer(["trapgrid"], 2, "deep")
        jobs = aiter(client.jobs)
        assert (await anext(jobs)).job == "one"
        assert client.jobs.is_wanted("one")
        await client.jobs.tell("one", report=REPORT)
        waiting = asyncio.ensure_future(client.jobs.stopped("one"))
        with pytest.raises(CommandRefused, match="not your job"):
            await client.jobs.tell("one", final=True)
        await waiting
        assert not client.jobs.is_wanted("one")
        assert not client.jobs.is_wanted("two")
    assert [(one.job, one.final, one.report) for one in told] == [("one", False, REPORT), ("one", True, None)]


async def test_a_result_that_comes_too_fast_is_told_again_and_its_job_is_not_done_before() -> None:
    told: list[Analysed] = []

    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(OfferAnalysis))
        await wire.say(job("one"))
        for _ in range(2):
            told.append(await wire.hear(Analysed))
            refused = messages.Refused(id=told[-1].id, code="too_fast", text="slow down", retry_after=700)
            await wire.say(refused)
        told.append(await wire.hear(Analysed))
        await wire.acknowledge(told[-1])
        await wire.stay()

    clock = asyncio.get_running_loop().time
    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        await client.jobs.offer(["trapgrid"], 1, "deep")
        assert (await anext(aiter(client.jobs))).job == "one"
        stopped = asyncio.ensure_future(client.jobs.stopped("one"))
        begun = clock()
        await client.jobs.tell("one", report=REPORT, final=True)
        assert clock() - begun >= 1.4, "the pauses that the server names"
        await stopped
    assert [(one.final, one.report) for one in told] == [(True, REPORT)] * 3
    assert len({one.id for one in told}) == 3


async def test_a_job_is_wanted_while_its_last_result_is_told_again() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(OfferAnalysis))
        await wire.say(job("one"))
        told = await wire.hear(Analysed)
        await wire.say(messages.Refused(id=told.id, code="too_fast", text="slow down", retry_after=5_000))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        await client.jobs.offer(["trapgrid"], 1, "deep")
        assert (await anext(aiter(client.jobs))).job == "one"
        telling = asyncio.ensure_future(client.jobs.tell("one", report=REPORT, final=True))
        await after(1)
        assert client.jobs.is_wanted("one")
        assert not telling.done()
        telling.cancel()


@pytest.mark.parametrize(
    ("code", "fields", "is_wanted"),
    [
        ("unknown_analysis", {"report": REPORT}, False),
        ("malformed", {"report": REPORT}, True),
        ("malformed", {"report": REPORT, "final": True}, True),
        ("malformed", {"error": "too large", "final": True}, False),
    ],
)
async def test_a_refused_result_leaves_the_job_to_an_error_and_a_refused_error_does_not(
    code: messages.ErrorCode, fields: dict[str, Any], is_wanted: bool
) -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(OfferAnalysis))
        await wire.say(job("one"))
        await wire.say(messages.Refused(id=(await wire.hear(Analysed)).id, code=code, text="no"))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        await client.jobs.offer(["trapgrid"], 1, "deep")
        assert (await anext(aiter(client.jobs))).job == "one"
        with pytest.raises(CommandRefused):
            await client.jobs.tell("one", **fields)
        assert client.jobs.is_wanted("one") == is_wanted


async def test_an_offer_is_made_again_on_every_connection_and_old_jobs_are_not_done() -> None:
    offers: list[OfferAnalysis] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        offers.append(await wire.hear(OfferAnalysis))
        await wire.acknowledge(offers[-1])
        await wire.say(job("lost"))
        await after(0.05)
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        offers.append(await wire.hear(OfferAnalysis))
        await wire.acknowledge(offers[-1])
        await wire.say(job("new"))
        await wire.stay()

    async with asyncio.timeout(60), scripted(first, second) as server:
        async with connected(server) as client:
            await client.jobs.offer(["trapgrid"], 1, "deep")
            jobs = aiter(client.jobs)
            assert (await anext(jobs)).job == "lost"
            assert (await anext(jobs)).job == "new"
            assert not client.jobs.is_wanted("lost")
        with pytest.raises(Closed):
            await anext(jobs)
    assert [offer.games for offer in offers] == [("trapgrid",), ("trapgrid",)]
    assert offers[0].id != offers[1].id


async def test_an_offer_is_made_again_with_its_key_and_a_refusal_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    offers: list[OfferAnalysis] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        offers.append(await wire.hear(OfferAnalysis))
        await wire.acknowledge(offers[-1])
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        offers.append(await wire.hear(OfferAnalysis))
        await wire.say(messages.Refused(id=offers[-1].id, code="not_allowed", text="another key"))
        await wire.say(messages.Pong(id=(await wire.hear(Ping)).id, sent=0, now=1))
        await wire.stay()

    with caplog.at_level("WARNING", "cornered.sdk"):
        async with asyncio.timeout(60), scripted(first, second) as server, connected(server) as client:
            await client.jobs.offer(["trapgrid"], 1, "deep", key="the-key-of-the-operator")
            await client.ping()
    assert [offer.key for offer in offers] == ["the-key-of-the-operator"] * 2
    (record,) = caplog.records
    assert "another key" in record.getMessage()
