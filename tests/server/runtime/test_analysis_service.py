"""Analyses over sockets: permissions, assignment, and the messages of both sides."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from cornered import engine
from cornered.protocol.analysis import (
    LEAST_ANALYSED_DELAY,
    MAX_ANALYSIS_MS,
    MAX_OPEN_ANALYSES,
    OverlayPicture,
    Report,
    ScoredLine,
    TreeNode,
)
from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.commands import (
    AcceptChallenge,
    Analysed,
    AskAnalysis,
    AskLine,
    AskStudy,
    AskTrace,
    AskVariation,
    CancelAnalysis,
    Challenge,
    CreateSeek,
    Declare,
    JoinSeek,
    OfferAnalysis,
    Play,
    Resign,
)
from cornered.protocol.messages import Analyse, Analysis, StopAnalysis, Traced, TraceSearch
from cornered.protocol.traces import TraceSettings
from cornered.protocol.values import NO_CLOCK, Accepts, Clock, Correspondence, Fischer, GameSpec, SeekSettings
from cornered.server.analysis.queue import REPLY_GRACE_MS
from tests.server.conftest import ANALYST_KEY, Client, Pair, PlayOut, Running, Start

BOTS = ("one", "two", "bot")
SOON = (MAX_ANALYSIS_MS + REPLY_GRACE_MS) / 2_000
"""Seconds: long before a job's time is over, so that nothing here happens because of that."""
SMALL = GameSpec(name="trapgrid", options={"size": 3})
CLOCK = Fischer(initial=600)


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


STATE = engine.load("trapgrid", size=3).start()
PICTURE = OverlayPicture(name="heat", title="Heat", legend="where it burns", kind="heat", cells="0../.9./..5")
TREE = (TreeNode(parent=-1, move="a2", score=1.0, proven="win"), TreeNode(parent=0, move="c2", score=0.5))


async def offer(bot: Any, jobs: int = 1) -> None:
    await bot.do(OfferAnalysis, games=("trapgrid", "isolation"), jobs=jobs, name="deep thinker", key=ANALYST_KEY)


async def finish(bot: Any, **fields: Any) -> Analyse:
    job: Analyse = await bot.hear(Analyse)
    await bot.do(Analysed, job=job.job, report=report(), final=True, **fields)
    return job


class Club(dict[str, Client]):
    """Clients by their names: Ann, Ben and Cas, the bots One and Two that play, and a bot that studies, once it offers
    to. Of a finished match between Ann and Ben there is `match` with its `plies`."""

    match: str
    plies: int

    def __init__(self, running: Running) -> None:
        super().__init__()
        self.running = running

    def __getattr__(self, name: str) -> Client:
        return self[name]


@pytest.fixture
async def club(running: Running) -> AsyncIterator[Club]:
    club = Club(running)
    async with contextlib.AsyncExitStack() as stack:
        for name, kind in dict.fromkeys(("ann", "ben", "cas"), "person").items() | dict.fromkeys(BOTS, "bot").items():
            codec = MSGPACK if name == "cas" else JSON
            club[name] = await stack.enter_async_context(running.client(name.title(), codec, kind=kind))
        yield club


@pytest.fixture
async def scene(club: Club, pair: Pair, play_out: PlayOut) -> Club:
    club.match = await pair(club.ann, club.ben)
    club.plies = len(await play_out(club.match, (club.ann, club.ben)))
    return club


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_a_finished_game_is_studied_at_once(scene: Club, codec: Codec) -> None:
    async with scene.running.client("Deep", codec, kind="bot") as bot:
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


async def test_what_was_found_is_known_again_without_an_analyst_and_counted(scene: Club) -> None:
    await offer(scene.bot)
    asked = await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    await finish(scene.bot)
    metrics = (await scene.running.fetch("/metrics")).body
    assert "cornered_analysts 1.0" in metrics
    await offer(scene.bot, jobs=0)
    again = await scene.cas.do(AskAnalysis, match=scene.match, ply=0)
    assert again.ref == asked.ref
    assert (await scene.cas.hear(Analysis)).report == report()
    assert await scene.cas.refused(AskAnalysis, match=scene.match, ply=0, lines=1) == "no_analyst"
    metrics = (await scene.running.fetch("/metrics")).body
    for name in ("analyses_asked", "analyses_answered", "analyses_remembered"):
        assert f"cornered_{name}_total 1.0" in metrics


async def test_news_in_between_is_told_a_few_times_a_second(scene: Club) -> None:
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
    club: Club, scene: Club, monkeypatch: pytest.MonkeyPatch
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


async def test_who_plays_gets_no_help(club: Club, pair: Pair) -> None:
    ann, ben, cas, bot = club.ann, club.ben, club.cas, club.bot
    await offer(bot)
    match = await pair(ann, ben)
    for player in (ann, ben):
        assert await player.refused(AskAnalysis, match=match, ply=0) == "not_now"
        assert await player.refused(AskVariation, match=match, ply=0, moves=("a2",)) == "not_now"
    # Cas may be Ann in another browser. The rules are no secret, but what a bot thinks of the position is.
    assert await cas.refused(AskAnalysis, match=match, ply=0) == "not_now"
    tried = await cas.ask(AskVariation, match=match, ply=0, moves=("a2",))
    assert (tried.positions, tried.moves) == ((str(STATE.play("a2")),), tuple(STATE.play("a2").moves()))
    async with club.running.client("Ann", token=ann.welcome.token) as other_window:
        assert await other_window.refused(AskAnalysis, match=match, ply=0) == "not_now"


async def test_a_person_with_help_has_the_game_against_a_bot_studied(club: Club, pair: Pair) -> None:
    ann, cas, one, bot = club.ann, club.cas, club.one, club.bot
    await offer(bot, jobs=3)
    await one.do(Declare, accepts=(Accepts(game="trapgrid"),), concurrency=2)
    match = await pair(ann, one, with_help=True)
    assert (await cas.join(match)).with_help
    await ann.do(AskAnalysis, match=match, ply=0)
    await ann.do(Play, match=match, ply=0, move="a2")
    # What the bot might answer tells why the move was bad.
    await ann.do(AskAnalysis, match=match, ply=1)
    assert (await ann.ask(AskVariation, match=match, ply=1, moves=("c2",))).positions
    assert await ann.refused(AskAnalysis, match=match, ply=2) == "stale_ply"
    # The help is the person's alone.
    for other in (one, cas):
        assert await other.refused(AskAnalysis, match=match, ply=0, lines=1) == "not_now"
    async with club.running.client("Ann", token=ann.welcome.token) as other_window:
        await other_window.do(AskAnalysis, match=match, ply=0)


async def test_help_in_one_game_is_no_help_in_another(club: Club, pair: Pair) -> None:
    ann, ben, one, bot = club.ann, club.ben, club.one, club.bot
    await offer(bot, jobs=4)
    await one.do(Declare, accepts=(Accepts(game="trapgrid"), Accepts(game="isolation")), concurrency=3)
    helped = await pair(ann, one, with_help=True)
    plain = await pair(ann, one, game=GameSpec(name="isolation"))
    await ann.do(AskAnalysis, match=helped, ply=0)
    assert await ann.refused(AskAnalysis, match=plain, ply=0) == "not_now"
    live = await pair(ann, ben)
    # Not even about another position: moves and takebacks lead from each to every other.
    await ann.do(Play, match=helped, ply=0, move="a2")
    assert await ann.refused(AskAnalysis, match=helped, ply=1) == "not_now"
    await ann.do(Resign, match=live)
    await ann.do(AskAnalysis, match=helped, ply=1)
    # A game that is over is looked at during one with help on the same board.
    await ann.do(AskAnalysis, match=live, ply=0, lines=2)


async def test_a_live_match_is_studied_where_nobody_but_bots_plays(club: Club, pair: Pair) -> None:
    ann, cas, one, two, bot = club.ann, club.cas, club.one, club.two, club.bot
    await offer(bot)
    for player in (one, two):
        await player.do(Declare, accepts=(Accepts(game="trapgrid", options={"size": (3,)}),), concurrency=2)
    among_bots = await pair(one, two)
    await cas.do(AskAnalysis, match=among_bots, ply=0)
    assert await cas.refused(AskAnalysis, match=among_bots, ply=1) == "stale_ply"
    against_ann = await pair(ann, one)
    assert await cas.refused(AskAnalysis, match=against_ann, ply=0) == "not_now"
    await ann.do(Resign, match=against_ann)
    await cas.do(AskAnalysis, match=against_ann, ply=0)


async def test_a_variation_is_studied_for_who_plays_no_such_game(club: Club, pair: Pair) -> None:
    ann, ben, cas, bot = club.ann, club.ben, club.cas, club.bot
    await offer(bot)
    old = await pair(ann, ben)
    await ann.do(Resign, match=old)
    await ann.do(AskAnalysis, match=old, ply=0, moves=("a2",), milliseconds=50)
    job = await bot.hear(Analyse)
    assert (job.position, job.milliseconds) == (str(STATE.play("a2")), 50)
    assert await ann.refused(AskAnalysis, match=old, ply=0, moves=("a2", "a2")) == "illegal_move"
    await pair(ann, ben)
    assert await ann.refused(AskAnalysis, match=old, ply=0, moves=("a2",)) == "not_now"
    await cas.do(AskAnalysis, match=old, ply=0, moves=("a2",))


async def test_other_limits_make_no_other_game(club: Club, pair: Pair) -> None:
    def corridor(limit: int | None) -> GameSpec:
        return GameSpec(name="quoridor", options={"size": 5, "max_plies": limit})

    ann, ben, bot = club.ann, club.ben, club.bot
    await bot.do(OfferAnalysis, games=("quoridor",), jobs=1, name="deep thinker", key=ANALYST_KEY)
    old = [await pair(ann, ben, game=corridor(limit)) for limit in (100, None)]
    for match in old:
        await ann.do(Play, match=match, ply=0, move="c2")
        await ann.do(Resign, match=match)
    new = await pair(ann, ben, game=corridor(99))
    await ann.do(Play, match=new, ply=0, move="c2")
    for match in old:
        assert await ann.refused(AskAnalysis, match=match, ply=1) == "not_now"
        assert await ann.refused(AskAnalysis, match=match, ply=0, moves=("c2",)) == "not_now"
        await ann.do(AskAnalysis, match=match, ply=0)


async def test_a_position_of_a_live_match_cannot_be_analysed_by_way_of_another_match(club: Club, pair: Pair) -> None:
    ann, ben, bot = club.ann, club.ben, club.bot
    await offer(bot)
    old = await pair(ann, ben)
    await ann.do(Resign, match=old)
    new = await pair(ann, ben)
    assert await ann.refused(AskAnalysis, match=old, ply=0) == "not_now"
    await ann.do(Play, match=new, ply=0, move="a2")
    await ann.do(AskAnalysis, match=old, ply=0)


async def test_a_watcher_asks_as_far_as_the_delay_lets_one_see(club: Club) -> None:
    ann, ben, cas, bot = club.ann, club.ben, club.cas, club.bot
    await offer(bot)
    table = SeekSettings(game=SMALL, clock=CLOCK, seat=0, delay=LEAST_ANALYSED_DELAY)
    seek = (await ann.do(CreateSeek, settings=table)).ref
    match = (await ben.do(JoinSeek, seek=seek)).ref
    await ann.do(Play, match=match, ply=0, move="a2")
    assert await cas.refused(AskAnalysis, match=match, ply=1) == "stale_ply"
    assert await cas.refused(AskVariation, match=match, ply=1, moves=("c2",)) == "stale_ply"
    # The moves that are withheld would lead to the position now.
    assert await cas.refused(AskAnalysis, match=match, ply=0, moves=("a2",)) == "not_now"
    await cas.do(AskAnalysis, match=match, ply=0)
    await ann.do(Resign, match=match)
    await cas.do(AskAnalysis, match=match, ply=1)
    await cas.do(AskAnalysis, match=match, ply=0, moves=("a2",))


async def test_a_delay_that_a_player_can_wait_out_lets_nobody_ask(club: Club) -> None:
    ann, ben, cas, bot = club.ann, club.ben, club.cas, club.bot
    await offer(bot, jobs=4)
    delays: list[tuple[Clock, int]] = [
        (CLOCK, 1),
        (CLOCK, LEAST_ANALYSED_DELAY - 1),
        (NO_CLOCK, 600),
        (Correspondence(days=1), 600),
    ]
    for number, (clock, delay) in enumerate(delays, 1):
        seek = (await ann.do(CreateSeek, settings=SeekSettings(game=SMALL, clock=clock, seat=0, delay=delay))).ref
        match = (await ben.do(JoinSeek, seek=seek)).ref
        answer = await cas.ask(AskAnalysis, match=match, ply=0, lines=number)
        assert answer.code == "not_now"
        assert f"{LEAST_ANALYSED_DELAY} seconds" in answer.text
        await ann.do(Resign, match=match)
        await cas.do(AskAnalysis, match=match, ply=0, lines=number)


async def test_a_private_match_is_studied_for_its_players_alone(club: Club) -> None:
    ann, ben, cas, bot = club.ann, club.ben, club.cas, club.bot
    await offer(bot)
    seek = (await ann.do(CreateSeek, settings=SeekSettings(game=SMALL, private=True))).ref
    match = (await ben.do(JoinSeek, seek=seek)).ref
    assert await cas.refused(AskAnalysis, match=match, ply=0) == "private"
    await ann.do(Resign, match=match)
    assert await cas.refused(AskAnalysis, match=match, ply=0) == "private"
    assert await cas.refused(AskVariation, match=match, ply=0, moves=("a2",)) == "private"
    await ben.do(AskAnalysis, match=match, ply=0)


async def test_where_dice_are_rolled_the_position_after_the_roll_is_studied(club: Club) -> None:
    ann, ben, bot = club.ann, club.ben, club.bot
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


async def test_only_a_bot_with_the_key_of_the_operator_studies(scene: Club) -> None:
    assert await scene.ann.refused(OfferAnalysis, games=("trapgrid",), jobs=1, name="me") == "not_a_bot"
    assert await scene.ann.refused(Analysed, job="nothing", final=True) == "unknown_analysis"
    for key in (None, "the-key-of-somebody-else", ANALYST_KEY + "!", ANALYST_KEY[:-1], "\u00e9" * 20):
        answer = await scene.bot.ask(OfferAnalysis, games=("trapgrid",), jobs=1, name="stockfish", key=key)
        assert answer.code == "not_allowed", key
        assert "CORNERED_ANALYST_KEY" in answer.text
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=0) == "no_analyst"
    await offer(scene.bot)
    # An offer is taken back without the key.
    await scene.bot.do(OfferAnalysis, games=(), jobs=0, name="deep thinker")
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=0) == "no_analyst"
    assert ANALYST_KEY not in repr(OfferAnalysis(id="k", games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY))


async def test_a_server_without_a_key_has_no_analysts(start: Start) -> None:
    async with start(analyst_key=SecretStr("")) as running, running.client("Bot", kind="bot") as bot:
        for key in (None, ANALYST_KEY):
            assert await bot.refused(OfferAnalysis, games=("trapgrid",), jobs=1, name="me", key=key) == "not_allowed"


async def test_a_job_of_an_analyst_that_dies_goes_to_another(scene: Club) -> None:
    async with scene.running.client("Dying", kind="bot") as dying:
        await offer(dying)
        await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
        lost = await dying.hear(Analyse)
        dying.socket.transport.abort()
    await offer(scene.bot)
    async with asyncio.timeout(SOON):
        assert (await finish(scene.bot)).job == lost.job
    assert (await scene.ann.hear(Analysis, lambda said: said.final)).report == report()


async def test_a_cancelled_analysis_and_an_asker_who_disconnects_make_room(scene: Club) -> None:
    await offer(scene.bot)
    asked = await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    async with scene.running.client("Dan") as dan:
        waiting = await dan.do(AskAnalysis, match=scene.match, ply=1)
        assert (await dan.hear(Analysis)).ahead == 1
        await scene.ann.do(CancelAnalysis, analysis=asked.ref)
        assert (await scene.bot.hear(StopAnalysis)).job == job.job
        assert (await scene.bot.hear(Analyse)).job == waiting.ref
        assert (await dan.hear(Analysis)).ahead == 0
        assert await scene.bot.refused(Analysed, job=job.job, report=report()) == "unknown_analysis"
    async with asyncio.timeout(SOON):
        assert (await scene.bot.hear(StopAnalysis)).job == waiting.ref


async def test_a_report_of_illegal_moves_is_not_forwarded_and_an_analyst_that_gives_up_says_why(scene: Club) -> None:
    await offer(scene.bot)
    await scene.ann.do(AskAnalysis, match=scene.match, ply=0)
    job = await scene.bot.hear(Analyse)
    assert await scene.bot.refused(Analysed, job=job.job, report=report("c3")) == "illegal_move"
    wide = PICTURE.model_copy(update={"cells": "0"})
    assert await scene.bot.refused(Analysed, job=job.job, overlays=(wide,)) == "malformed"
    await scene.bot.do(Analysed, job=job.job, report=report(), final=True)
    assert (await scene.ann.hear(Analysis, lambda said: said.final)).overlays == ()
    assert await scene.ann.refused(AskAnalysis, match=scene.match, ply=scene.plies) == "nothing_to_analyse"
    await scene.ann.do(AskAnalysis, match=scene.match, ply=scene.plies - 1)
    job = await scene.bot.hear(Analyse)
    await scene.bot.do(Analysed, job=job.job, final=True, error="the board is too large")
    last = await scene.ann.hear(Analysis, lambda said: said.final)
    assert last.report is None
    assert last.error == "deep thinker could not study this: the board is too large"


async def test_a_line_is_tried_out_without_playing_it(scene: Club) -> None:
    shown = await scene.cas.ask(AskVariation, match=scene.match, ply=0, moves=("a2", "c2"))
    assert shown.positions == ("x../0../..1 1", "x../0.1/..x 0")
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=0, moves=("a2", "a1")) == "illegal_move"
    last = scene.plies
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=last, moves=("a1",)) == "illegal_move"
    assert await scene.cas.refused(AskVariation, match=scene.match, ply=last + 1, moves=("a1",)) == "stale_ply"


SEARCH = TraceSettings(search="minimax", depth=1)
SMALLEST = GameSpec(name="trapgrid", options={"size": 3})
LINES = ("+ -1 . * *", "+ 0 a2 * *", "- 1 0 0 * *", "- 0 0 * * *")


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_a_search_is_shown_to_all_who_ask_for_it(scene: Club, codec: Codec) -> None:
    async with scene.running.client("Deep", codec, kind="bot") as bot:
        await bot.do(OfferAnalysis, games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY, traces=True)
        for asker in (scene.ann, scene.cas):
            asked = await asker.do(AskTrace, game=SMALLEST, settings=SEARCH)
            first = await asker.hear(Traced)
            assert (first.analysis, first.final, first.lines) == (asked.ref, False, ())
        job = await bot.hear(TraceSearch)
        assert (job.settings, job.position) == (SEARCH, "0../.../..1 0")
        await bot.do(Analysed, job=job.job, trace=LINES[:2])
        assert await bot.refused(Analysed, job=job.job, trace=("+ 0 b9 * *",)) == "illegal_move"
        await bot.do(Analysed, job=job.job, trace=LINES[2:])
        await bot.do(Analysed, job=job.job, report=report(), final=True)
        for asker in (scene.ann, scene.cas):
            last = await asker.hear(Traced, lambda said: said.final)
            assert (last.lines, last.report, last.error) == (LINES, report(), "")
            assert last.positions == ("0../.../..1 0", "x../0../..1 1")
        again = await scene.ann.do(AskTrace, game=SMALLEST, settings=SEARCH)
        assert (await scene.ann.hear(Traced)).final, "the answer is remembered"
        assert again.ref == last.analysis


async def test_players_see_no_search_of_the_board_that_they_play_on(scene: Club, pair: Pair) -> None:
    await scene.bot.do(OfferAnalysis, games=("trapgrid", "isolation"), jobs=1, name="d", key=ANALYST_KEY, traces=True)
    await pair(scene.ann, scene.ben)
    assert await scene.ann.refused(AskTrace, game=SMALLEST, settings=SEARCH) == "not_now"
    assert await scene.ben.refused(AskTrace, game=SMALLEST, moves=("a2",), settings=SEARCH) == "not_now"
    await scene.ann.do(AskTrace, game=GameSpec(name="trapgrid", options={"size": 4}), settings=SEARCH)
    await scene.cas.do(AskTrace, game=SMALLEST, settings=SEARCH)


async def test_searches_wait_in_the_queue_of_analyses_and_are_bounded_with_them(scene: Club) -> None:
    await scene.bot.do(OfferAnalysis, games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY, traces=True)
    for depth in range(1, MAX_OPEN_ANALYSES + 1):
        await scene.cas.do(AskTrace, game=SMALLEST, settings=TraceSettings(search="minimax", depth=depth))
    assert await scene.cas.refused(AskTrace, game=SMALLEST, settings=TraceSettings(search="mcts")) == "busy"
    assert await scene.cas.refused(AskAnalysis, match=scene.match, ply=0) == "busy"


async def test_any_position_is_studied_without_a_match(scene: Club) -> None:
    await offer(scene.bot)
    asked = await scene.cas.do(AskStudy, game=SMALLEST, position="x../0.1/..x 0", lines=2)
    job = await scene.bot.hear(Analyse)
    assert (job.game.options, job.position, job.lines) == ({"size": 3}, "x../0.1/..x 0", 2)
    assert (await scene.cas.hear(Analysis)).analysis == asked.ref
    assert await scene.cas.refused(AskStudy, game=SMALLEST, position="x../0../..x 0") == "bad_position"
    assert await scene.cas.refused(AskLine, game=SMALLEST, position="x../0.1/..x 0", moves=("c3",)) == "illegal_move"


async def test_who_plays_has_no_position_of_such_a_board_studied(scene: Club, pair: Pair) -> None:
    await offer(scene.bot)
    await pair(scene.ann, scene.ben)
    for player in (scene.ann, scene.ben):
        assert await player.refused(AskStudy, game=SMALLEST, position="x../0.1/..x 0") == "not_now"
    larger = GameSpec(name="trapgrid", options={"size": 4})
    await scene.ann.do(AskStudy, game=larger, position="0.../..../..../...1 0")
    # What is legal is no secret, and no advice.
    assert (await scene.ann.ask(AskLine, game=SMALLEST, position="x../0.1/..x 0")).moves == ("a1", "b2")


async def test_nobody_has_the_position_studied_that_people_play_in(
    scene: Club, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cas may be Ann in another browser."""
    monkeypatch.setattr("cornered.server.runtime.lobby_service.WELL_KNOWN_PLIES", 1)
    await offer(scene.bot)
    match = await pair(scene.ann, scene.ben)
    await scene.cas.do(AskStudy, game=SMALLEST, position="0../.../..1 0")
    await scene.ann.do(Play, match=match, ply=0, move="a2")
    assert await scene.cas.refused(AskStudy, game=SMALLEST, position="x../0../..1 1") == "not_now"
    await scene.cas.do(AskStudy, game=SMALLEST, position="x../0.1/..x 0")
    await scene.ann.do(Resign, match=match)
    await scene.cas.do(AskStudy, game=SMALLEST, position="x../0../..1 1")


async def test_a_refused_study_tells_nothing_of_a_private_match(scene: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.runtime.lobby_service.WELL_KNOWN_PLIES", 1)
    await offer(scene.bot)
    seek = (await scene.ann.do(CreateSeek, settings=SeekSettings(game=SMALLEST, private=True, seat=0))).ref
    match = (await scene.ben.do(JoinSeek, seek=seek)).ref
    await scene.ann.do(Play, match=match, ply=0, move="a2")
    await scene.cas.do(AskStudy, game=SMALLEST, position="x../0../..1 1")
