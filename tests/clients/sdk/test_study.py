"""Requests for analysis, and analysis jobs: across lost connections, and until they are cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornered.clients.sdk import Closed, CommandRefused
from cornered.protocol import messages
from cornered.protocol.analysis import Report, ScoredLine
from cornered.protocol.commands import Analysed, AskAnalysis, CancelAnalysis, OfferAnalysis
from cornered.protocol.messages import Analyse, Analysis, StopAnalysis
from cornered.protocol.values import GameSpec
from tests.clients.sdk.scripted import Wire, client_of, connected, scripted
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


async def ask(wire: Wire, ref: str = "x") -> None:
    """Acknowledge what asks for an analysis."""
    await wire.welcome()
    await wire.acknowledge(await wire.hear(AskAnalysis), ref=ref)


async def offer(wire: Wire, *jobs: str) -> OfferAnalysis:
    """Acknowledge an offer to analyse, and hand out jobs."""
    await wire.welcome()
    offered = await wire.hear(OfferAnalysis)
    await wire.acknowledge(offered)
    await wire.say(*map(job, jobs))
    return offered


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

    async with client_of(script) as client:
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
        await wire.refuse(command, "no_analyst", "nobody studies this")

    async with client_of(script) as client:
        with pytest.raises(CommandRefused, match="nobody studies this"):
            await anext(client.ask_analysis("m", 0))


async def test_after_a_lost_connection_it_is_asked_for_again() -> None:
    async def first(wire: Wire) -> None:
        await ask(wire)
        await wire.say(news(report=REPORT))
        await after(0.05)
        wire.cut()

    async def second(wire: Wire) -> None:
        await ask(wire, "y")
        await wire.say(news("y", final=True, report=REPORT))

    async with client_of(first, second) as client:
        told = [analysis.analysis async for analysis in client.ask_analysis("m", 0)]
    assert told == ["x", "y"]


async def test_who_stops_listening_tells_the_server() -> None:
    cancelled: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def script(wire: Wire) -> None:
        await ask(wire)
        await wire.say(news())
        command = await wire.hear(CancelAnalysis)
        cancelled.set_result(command.analysis)
        await wire.acknowledge(command)

    async with client_of(script) as client:
        listening = client.ask_analysis("m", 0)
        await anext(listening)
        await listening.aclose()  # type: ignore[attr-defined]
        assert await cancelled == "x"


async def test_who_is_cancelled_waits_for_no_answer() -> None:
    async def script(wire: Wire) -> None:
        await ask(wire)
        await wire.say(news())

    async with client_of(script) as client:
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
        offered = await offer(wire, "one", "two")
        assert (offered.games, offered.jobs, offered.name) == (("trapgrid",), 2, "deep")
        await wire.say(StopAnalysis(job="two"))
        told.append(await wire.hear(Analysed))
        await wire.acknowledge(told[-1])
        told.append(await wire.hear(Analysed))
        await wire.refuse(told[-1], "unknown_analysis", "this is not your job")

    async with client_of(script) as client:
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
        await offer(wire, "one")
        for _ in range(2):
            told.append(await wire.hear(Analysed))
            await wire.refuse(told[-1], "too_fast", retry_after=700)
        told.append(await wire.hear(Analysed))
        await wire.acknowledge(told[-1])

    clock = asyncio.get_running_loop().time
    async with scripted(script) as server, connected(server) as client:
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
        await offer(wire, "one")
        told = await wire.hear(Analysed)
        await wire.refuse(told, "too_fast", "slow down", retry_after=5_000)

    async with client_of(script) as client:
        await client.jobs.offer(["trapgrid"], 1, "deep")
        assert (await anext(aiter(client.jobs))).job == "one"
        telling = asyncio.ensure_future(client.jobs.tell("one", report=REPORT, final=True))
        await after(1)
        assert client.jobs.is_wanted("one")
        assert not telling.done()
        telling.cancel()


async def test_a_refused_result_leaves_the_job_to_an_error_and_a_refused_error_does_not(
    subtests: pytest.Subtests,
) -> None:
    rows: tuple[tuple[messages.ErrorCode, dict[str, Any], bool], ...] = (
        ("unknown_analysis", {"report": REPORT}, False),
        ("malformed", {"report": REPORT}, True),
        ("malformed", {"report": REPORT, "final": True}, True),
        ("malformed", {"error": "too large", "final": True}, False),
    )

    async def script(wire: Wire) -> None:
        await offer(wire, *(f"job{row}" for row in range(len(rows))))
        for code, _, _ in rows:
            await wire.refuse(await wire.hear(Analysed), code, "no")

    async with client_of(script) as client:
        await client.jobs.offer(["trapgrid"], 1, "deep")
        for row, (code, fields, is_wanted) in enumerate(rows):
            with subtests.test(code=code, fields=list(fields)):
                assert (await anext(aiter(client.jobs))).job == f"job{row}"
                with pytest.raises(CommandRefused):
                    await client.jobs.tell(f"job{row}", **fields)
                assert client.jobs.is_wanted(f"job{row}") == is_wanted


async def test_an_offer_is_made_again_on_every_connection_and_old_jobs_are_not_done() -> None:
    offers: list[OfferAnalysis] = []

    async def first(wire: Wire) -> None:
        offers.append(await offer(wire, "lost"))
        await after(0.05)
        wire.cut()

    async def second(wire: Wire) -> None:
        offers.append(await offer(wire, "new"))

    async with scripted(first, second) as server:
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
        offers.append(await offer(wire))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        offers.append(await wire.hear(OfferAnalysis))
        await wire.refuse(offers[-1], "not_allowed", "another key")
        await wire.pong()

    with caplog.at_level("WARNING", "cornered.sdk"):
        async with client_of(first, second) as client:
            await client.jobs.offer(["trapgrid"], 1, "deep", key="the-key-of-the-operator")
            await client.ping()
    assert [offer.key for offer in offers] == ["the-key-of-the-operator"] * 2
    (record,) = caplog.records
    assert "another key" in record.getMessage()
