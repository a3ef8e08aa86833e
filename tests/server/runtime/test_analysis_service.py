"""Analyses over sockets: permissions, assignment, and the messages of both sides."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import SecretStr

from cornered.protocol.analysis import OverlayPicture, Report, ScoredLine, TreeNode
from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.commands import (
    AcceptChallenge,
    Analysed,
    AskAnalysis,
    AskVariation,
    CancelAnalysis,
    Challenge,
    CreateSeek,
    JoinSeek,
    OfferAnalysis,
    Play,
    Resign,
)
from cornered.protocol.messages import Analyse, Analysis, StopAnalysis
from cornered.protocol.values import GameSpec, SeekSettings
from cornered.server.analysis.queue import REPLY_GRACE_MS, THINKING_TIME_MS
from tests.server.conftest import ANALYST_KEY, Pair, PlayOut, Running, Start

SOON = (THINKING_TIME_MS + REPLY_GRACE_MS) / 2_000
"""Seconds: long before a job's time is over, so that nothing here happens because of that."""
SMALL = GameSpec(name="trapgrid", options={"size": 3})


def report(move: str = "a2") -> Report:
    return Report(
        score=-2.25,
        proven="loss",
        plies=6,
        depth=3,
        deepest=4,
        nodes=2**40,
        pruned=5,
        efficiency=33.3,
        speed=100.0,
        hits=2,
        seconds=0.1,
        lines=(ScoredLine(move=move, score=-2.25, proven="loss", plies=6, pv=(move,)),),
    )


PICTURE = OverlayPicture(name="heat", title="Heat", legend="where it burns", kind="heat", cells="0../.9./..5")
TREE = (TreeNode(parent=-1, move="a2", score=1.0, proven="win"), TreeNode(parent=0, move="c2", score=0.5))


async def offer(bot: Any, jobs: int = 1) -> None:
    await bot.do(OfferAnalysis, games=("trapgrid", "isolation"), jobs=jobs, name="deep thinker", key=ANALYST_KEY)


async def finish(bot: Any, **fields: Any) -> Analyse:
    job: Analyse = await bot.hear(Analyse)
    await bot.do(Analysed, job=job.job, report=report(), final=True, **fields)
    return job


@pytest.fixture
async def scene(running: Any, pair: Pair, play_out: PlayOut) -> Any:
    """A finished match between Ann and Ben, the spectator Cas, and a bot that has not offered analysis yet."""
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Cas", MSGPACK) as cas,
        running.client("Bot", kind="bot") as bot,
    ):
        running.ann, running.ben, running.cas, running.bot = ann, ben, cas, bot
        running.match = await pair(ann, ben)
        running.plies = len(await play_out(running.match, (ann, ben)))
        yield running


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_a_finished_game_is_studied_at_once(scene: Any, codec: Codec) -> None:
    async with scene.client("Deep", codec, kind="bot") as bot:
        await offer(bot)
        for asker in (scene.ann, scene.cas):
            asked = await asker.do(AskAnalysis, match=scene.match, ply=0, lines=2)
            first = await asker.hear(Analysis)
            assert (first.analysis, first.ahead, first.final, first.report) == (asked.ref, 0, False, None)
        job = await bot.hear(Analyse)
        assert (job.game.name, job.position, job.lines) == ("trapgrid", "0../.../..1 0", 2)
        await bot.do(Analysed, job=job.job, report=report())
        await bot.do(Analysed, job=job.job, overlays=(PICTURE,))
        await bot.do(Analysed, job=job.job, tree=TREE)
        await bot.do(Analysed, job=job.job, final=True)
        for asker in (scene.ann, scene.cas):
            last = await asker.hear(Analysis, lambda said: said.final)
            assert (last.by, last.report, last.overlays, last.tree) == ("deep thinker", report(), (PICTURE,), TREE)
            assert (last.position, last.error) == (job.position, "")


async def test_what_was_found_is_known_again_without_an_analyst(scene: Any) -> None:
    await offer(scene.bot)
    asked = await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    await finish(scene.bot)
    await offer(scene.bot, jobs=0)
    again = await scene.cas.do(AskAnalysis, match=scene.match, ply=0)
    assert again.ref == asked.ref
    assert (await scene.cas.hear(Analysis)).report == report()
    assert await scene.cas.refused(AskAnalysis, match=scene.match, ply=0, lines=1) == "no_analyst"


async def test_news_in_between_is_told_a_few_times_a_second(scene: Any) -> None:
    await offer(scene.bot)
    await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    began = asyncio.get_running_loop().time()
    for number in range(8):
        await scene.bot.do(Analysed, job=job.job, report=report().model_copy(update={"depth": number}))
    told = await scene.ann.hear(Analysis, lambda said: said.report is not None and said.report.depth == 7)
    assert not told.final
    passed = asyncio.get_running_loop().time() - began
    assert len([said for said in scene.ann.heard if isinstance(said, Analysis)]) <= 2 + passed / 0.25


async def test_an_address_waits_for_a_share_of_the_queue(
    running: Running, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.runtime.analysis_service.MOST_JOBS_OF_ADDRESS", 3)
    await offer(scene.bot)
    for asker, lines in ((scene.ann, 1), (scene.ann, 2), (scene.ben, 3)):
        await asker.do(AskAnalysis, match=scene.match, ply=0, lines=lines)
    assert await scene.cas.refused(AskAnalysis, match=scene.match, ply=0, lines=4) == "busy"
    same = await scene.cas.do(AskAnalysis, match=scene.match, ply=0, lines=3)
    await scene.ben.do(CancelAnalysis, analysis=same.ref)
    await scene.cas.do(CancelAnalysis, analysis=same.ref)
    await scene.cas.do(AskAnalysis, match=scene.match, ply=0, lines=4)


async def test_who_plays_gets_no_help(running: Running, pair: Pair) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Cas") as cas,
        running.client("Bot", kind="bot") as bot,
    ):
        await offer(bot)
        match = await pair(ann, ben)
        for player in (ann, ben):
            assert await player.refused(AskAnalysis, match=match, ply=0) == "not_now"
            assert await player.refused(AskVariation, match=match, ply=0, moves=("a2",)) == "not_now"
        await cas.do(AskAnalysis, match=match, ply=0)
        assert await cas.refused(AskAnalysis, match=match, ply=1) == "stale_ply"
        async with running.client("Ann", token=ann.welcome.token) as other_window:
            assert await other_window.refused(AskAnalysis, match=match, ply=0) == "not_now"


async def test_a_position_of_a_live_match_cannot_be_analysed_by_way_of_another_match(
    running: Running, pair: Pair
) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Bot", kind="bot") as bot,
    ):
        await offer(bot)
        old = await pair(ann, ben)
        await ann.do(Resign, match=old)
        new = await pair(ann, ben)
        assert await ann.refused(AskAnalysis, match=old, ply=0) == "not_now"
        await ann.do(Play, match=new, ply=0, move="a2")
        await ann.do(AskAnalysis, match=old, ply=0)


async def test_a_watcher_asks_as_far_as_the_delay_lets_one_see(running: Running) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Cas") as cas,
        running.client("Bot", kind="bot") as bot,
    ):
        await offer(bot)
        seek = (await ann.do(CreateSeek, settings=SeekSettings(game=SMALL, seat=0, delay=600))).ref
        match = (await ben.do(JoinSeek, seek=seek)).ref
        await ann.do(Play, match=match, ply=0, move="a2")
        assert await cas.refused(AskAnalysis, match=match, ply=1) == "stale_ply"
        assert await cas.refused(AskVariation, match=match, ply=1, moves=("c2",)) == "stale_ply"
        await cas.do(AskAnalysis, match=match, ply=0)
        await ann.do(Resign, match=match)
        await cas.do(AskAnalysis, match=match, ply=1)


async def test_a_private_match_is_studied_for_its_players_alone(running: Running) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Cas") as cas,
        running.client("Bot", kind="bot") as bot,
    ):
        await offer(bot)
        seek = (await ann.do(CreateSeek, settings=SeekSettings(game=SMALL, private=True))).ref
        match = (await ben.do(JoinSeek, seek=seek)).ref
        assert await cas.refused(AskAnalysis, match=match, ply=0) == "private"
        await ann.do(Resign, match=match)
        assert await cas.refused(AskAnalysis, match=match, ply=0) == "private"
        assert await cas.refused(AskVariation, match=match, ply=0, moves=("a2",)) == "private"
        await ben.do(AskAnalysis, match=match, ply=0)


async def test_where_the_game_is_decided_there_is_nothing_to_study(scene: Any) -> None:
    await offer(scene.bot)
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=scene.plies) == "nothing_to_analyse"
    await scene.ann.do(AskAnalysis, match=scene.match, ply=scene.plies - 1)


async def test_where_dice_are_rolled_the_position_after_the_roll_is_studied(running: Running) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Bot", kind="bot") as bot,
    ):
        await offer(bot)
        dice = GameSpec(name="isolation", options={"width": 5, "height": 5, "dice": True})
        sent = await ann.do(Challenge, to=ben.player.id, game=dice, seat=0)
        match = (await ben.do(AcceptChallenge, challenge=sent.ref)).ref
        assert match is not None
        for ply, (player, cell) in enumerate(((ann, "a1"), (ben, "e5"))):
            await player.do(Play, match=match, ply=ply, move=cell)
        snapshot = await ann.join(match)
        assert snapshot.ply == 3
        await ann.do(Resign, match=match)
        await ann.do(AskAnalysis, match=match, ply=2)
        assert (await bot.hear(Analyse)).position == snapshot.position


async def test_only_a_bot_studies(scene: Any) -> None:
    assert await scene.ann.refused(OfferAnalysis, games=("trapgrid",), jobs=1, name="me") == "not_a_bot"
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=0) == "no_analyst"
    assert await scene.ann.refused(Analysed, job="nothing", final=True) == "unknown_analysis"


@pytest.mark.parametrize("key", [None, "the-key-of-somebody-else", ANALYST_KEY + "!", ANALYST_KEY[:-1], "\u00e9" * 20])
async def test_a_bot_without_the_key_of_the_operator_studies_nothing(scene: Any, key: str | None) -> None:
    asking = OfferAnalysis(id="k", games=("trapgrid",), jobs=1, name="stockfish", key=key)
    await scene.bot.tell(asking)
    answer = await scene.bot.answer("k")
    assert answer.code == "not_allowed"
    assert "CORNERED_ANALYST_KEY" in answer.text
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=0) == "no_analyst"


async def test_a_server_without_a_key_has_no_analysts(start: Start) -> None:
    async with start(analyst_key=SecretStr("")) as running, running.client("Bot", kind="bot") as bot:
        for key in (None, ANALYST_KEY):
            assert await bot.refused(OfferAnalysis, games=("trapgrid",), jobs=1, name="me", key=key) == "not_allowed"


async def test_an_offer_is_taken_back_without_the_key(scene: Any) -> None:
    await offer(scene.bot)
    await scene.bot.do(OfferAnalysis, games=(), jobs=0, name="deep thinker")
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=0) == "no_analyst"


def test_the_key_is_not_in_the_text_of_an_offer() -> None:
    assert ANALYST_KEY not in repr(OfferAnalysis(id="k", games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY))


async def test_a_job_of_an_analyst_that_dies_goes_to_another(scene: Any) -> None:
    async with scene.client("Dying", kind="bot") as dying:
        await offer(dying)
        await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
        lost = await dying.hear(Analyse)
        dying.socket.transport.abort()
    await offer(scene.bot)
    async with asyncio.timeout(SOON):
        assert (await finish(scene.bot)).job == lost.job
    assert (await scene.ann.hear(Analysis, lambda said: said.final)).report == report()


async def test_a_cancelled_analysis_makes_room(scene: Any) -> None:
    await offer(scene.bot)
    asked = await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    waiting = await scene.cas.do(AskAnalysis, match=scene.match, ply=1)
    assert (await scene.cas.hear(Analysis)).ahead == 1
    await scene.ann.do(CancelAnalysis, analysis=asked.ref)
    assert (await scene.bot.hear(StopAnalysis)).job == job.job
    assert (await scene.bot.hear(Analyse)).job == waiting.ref
    assert (await scene.cas.hear(Analysis)).ahead == 0
    assert await scene.bot.refused(Analysed, job=job.job, report=report()) == "unknown_analysis"


async def test_an_asker_who_disconnects_makes_room(scene: Any) -> None:
    await offer(scene.bot)
    async with scene.client("Dan") as dan:
        await dan.do(AskAnalysis, match=scene.match, ply=0)
        job = await scene.bot.hear(Analyse)
    async with asyncio.timeout(SOON):
        assert (await scene.bot.hear(StopAnalysis)).job == job.job


async def test_an_analyst_that_gives_up_says_why(scene: Any) -> None:
    await offer(scene.bot)
    await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    await scene.bot.do(Analysed, job=job.job, final=True, error="the board is too large")
    last = await scene.ann.hear(Analysis, lambda said: said.final)
    assert last.report is None
    assert last.error == "deep thinker could not study this: the board is too large"


async def test_a_report_of_illegal_moves_is_not_forwarded(scene: Any) -> None:
    await offer(scene.bot)
    await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    assert await scene.bot.refused(Analysed, job=job.job, report=report("c3")) == "illegal_move"
    wide = PICTURE.model_copy(update={"cells": "0"})
    assert await scene.bot.refused(Analysed, job=job.job, overlays=(wide,)) == "malformed"
    await scene.bot.do(Analysed, job=job.job, report=report(), final=True)
    assert (await scene.ann.hear(Analysis, lambda said: said.final)).overlays == ()


async def test_a_line_is_tried_out_without_playing_it(scene: Any) -> None:
    shown = await scene.cas.ask(AskVariation, match=scene.match, ply=0, moves=("a2", "c2"))
    assert shown.positions == ("x../0../..1 1", "x../0.1/..x 0")
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=0, moves=("a2", "a1")) == "illegal_move"
    last = scene.plies
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=last, moves=("a1",)) == "illegal_move"
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=last + 1, moves=("a1",)) == "stale_ply"


async def test_analyses_are_counted(scene: Any) -> None:
    await offer(scene.bot)
    for _ in range(2):
        await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
        if not any(isinstance(said, Analysis) and said.final for said in scene.ann.heard):
            await finish(scene.bot)
    metrics = (await scene.fetch("/metrics")).body
    for name in ("analyses_asked", "analyses_answered", "analyses_remembered"):
        assert f"cornered_{name}_total 1.0" in metrics
    assert "cornered_analysts 1.0" in metrics
