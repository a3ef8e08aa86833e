"""Analyses with the asker, the analyst and the queue on different nodes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cornered.protocol import commands
from cornered.protocol.analysis import MAX_ANALYSIS_MS, Report, ScoredLine
from cornered.protocol.traces import TraceSettings
from cornered.protocol.values import Accepts, GameSpec, SeekSettings
from cornered.server.analysis.queue import REPLY_GRACE_MS
from cornered.server.cluster.messages import Forward, NodeMessage
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.refusal import Refusal
from cornered.server.runtime.analysis_service import INTERRUPTED
from tests.server.conftest import ANALYST_KEY
from tests.server.lobby_nodes import SOON, Client, Cluster, Node, cluster
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

SMALL = GameSpec(name="trapgrid", options={"size": 3})
LINE = ScoredLine(move="a2", score=-2.25, proven="loss", plies=6, pv=("a2",))
REPORT = Report(
    score=-2.25,
    proven="loss",
    plies=6,
    depth=3,
    deepest=4,
    nodes=7,
    pruned=5,
    efficiency=33.3,
    speed=100.0,
    hits=2,
    seconds=0.1,
    lines=(LINE,),
)


async def order(client: Client, command: commands.Command) -> dict[str, Any]:
    """Send a command as a session does, and return its answer."""
    analyses, connection = client.node.service.analyses, client.connection
    try:
        match command:
            case commands.OfferAnalysis():
                analyses.offer(connection, command)
            case commands.Analysed():
                analyses.analysed(connection, command)
            case commands.CancelAnalysis():
                analyses.cancel(connection, command)
            case commands.AskAnalysis():
                room = await client.node.registry.find(command.match)
                await client.node.service.ask_analysis(connection, command, room)
                room.check_emptiness()
            case commands.AskTrace():
                await client.node.service.ask_trace(connection, command)
            case _:
                raise AssertionError(command)
    except Refusal as refusal:
        connection.refuse(command.id, refusal.code, refusal.text)
    await after(SOON)
    answer = client.answer_to(command.id)
    assert answer is not None, f"{command} is not answered"
    return answer


def new(client: Client) -> str:
    return f"c{next(client.node.cluster.numbers)}"


async def offer(bot: Client, jobs: int = 1, key: str | None = ANALYST_KEY) -> dict[str, Any]:
    return await order(bot, commands.OfferAnalysis(id=new(bot), games=("trapgrid",), jobs=jobs, name="deep", key=key))


async def ask(client: Client, match: str, lines: int = 3) -> dict[str, Any]:
    return await order(client, commands.AskAnalysis(id=new(client), match=match, ply=0, lines=lines))


async def report(bot: Client, job: str, *, final: bool = True) -> dict[str, Any]:
    return await order(bot, commands.Analysed(id=new(bot), job=job, report=REPORT, final=final))


def jobs(bot: Client) -> list[str]:
    return [one["job"] for one in bot.line.of("analyse")]


def results(client: Client) -> list[tuple[str, bool, bool, str]]:
    """Return the id, whether it is final and has a report, and the error of every message about an analysis."""
    told = client.line.of("analysis")
    return [(one["analysis"], one["final"], one["report"] is not None, one["error"]) for one in told]


async def finished(made: Cluster) -> str:
    """Return a match of the first node that is over, which no node has in memory."""
    node = next(iter(made.nodes.values()))
    ann, ben = await node.come("p1"), await node.come("p2")
    seek = await ann.ask(commands.CreateSeek, settings=SeekSettings(game=SMALL, seat=0))
    match: str = await ben.ask(commands.JoinSeek, seek=seek)
    room = await node.registry.find(match)
    room.submit(ann.connection, commands.Resign(id="resign", match=match), 0.0)
    await after(SOON)
    room.check_emptiness()
    assert all(each.registry.get(match) is None for each in made.nodes.values())
    return match


@contextlib.asynccontextmanager
async def asking(*nodes: str) -> AsyncIterator[tuple[Cluster, Client, Client, str, str]]:
    """Nodes of which `c` has the queue, a player at `a` and an analyst at `b`, a match, and the question about it."""
    async with cluster(*nodes, lobby="c") as made:
        match = await finished(made)
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        await offer(bot)
        yield made, ann, bot, match, (await ask(ann, match))["ref"]


class Sent:
    """What a node sends to the others."""

    def __init__(self, node: Node) -> None:
        self.messages: list[NodeMessage] = []
        send = node.bus.send

        def record(receiver: str, message: NodeMessage) -> None:
            self.messages.append(message)
            send(receiver, message)

        node.bus.send = record  # type: ignore[method-assign, assignment]


async def test_asker_analyst_and_queue_are_on_three_nodes() -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        match = await finished(made)
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        sent = Sent(made["b"])
        assert (await offer(bot))["type"] == "acknowledged"
        assert made["c"].service.analysis_service.analysts == 1
        forwards = [one.command for one in sent.messages if isinstance(one, Forward)]
        assert [one.key for one in forwards if isinstance(one, commands.OfferAnalysis)] == [None]
        asked = (await ask(ann, match))["ref"]
        assert results(ann) == [(asked, False, False, "")] * len(results(ann))
        assert jobs(bot) == [asked]
        assert made["c"].registry.get(match) is None
        await report(bot, asked, final=False)
        await after(1)
        assert results(ann)[-1] == (asked, False, True, "")
        await report(bot, asked)
        assert results(ann)[-1] == (asked, True, True, "")
        assert [one["job"] for one in bot.line.of("stop_analysis")] == [asked]
        assert made["c"].service.analysis_service.jobs == 0
        # From the cache, on another node.
        ben = await made["b"].come("ben")
        assert (await ask(ben, match))["ref"] == asked
        assert results(ben) == [(asked, True, True, "")]


@pytest.mark.parametrize("with_help", [True, False])
async def test_a_match_of_another_node_has_the_help_of_its_terms(with_help: bool) -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        bot = await made["c"].come("bot", kind="bot")
        await offer(bot)
        other = await made["c"].come("other", kind="bot")
        await other.ask(commands.Declare, accepts=(Accepts(game="trapgrid"),), concurrency=2)
        ann, cas = await made["b"].come("ann"), await made["b"].come("cas")
        challenge = await ann.ask(commands.Challenge, to="other", game=SMALL, seat=0, with_help=with_help)
        match = await other.ask(commands.AcceptChallenge, challenge=challenge)
        assert made["b"].registry.owned(match) is None
        helped = await ask(ann, match)
        assert (helped["type"], helped.get("code")) == (("acknowledged", None) if with_help else ("refused", "not_now"))
        for client in (cas, other):
            assert (await ask(client, match))["code"] == "not_now"


async def test_a_search_is_shown_over_three_nodes() -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        command = commands.OfferAnalysis(
            id=new(bot), games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY, traces=True
        )
        await order(bot, command)
        settings = TraceSettings(search="minimax", depth=1)
        asked = (await order(ann, commands.AskTrace(id=new(ann), game=SMALL, settings=settings)))["ref"]
        (job,) = bot.line.of("trace_search")
        assert (job["job"], job["position"]) == (asked, "0../.../..1 0")
        lines = ("+ -1 . * *", "+ 0 a2 * *", "- 1 0 0 * *", "- 0 0 * * *")
        await order(bot, commands.Analysed(id=new(bot), job=asked, trace=lines))
        await report(bot, asked)
        last = ann.line.of("traced")[-1]
        assert (last["analysis"], last["final"], tuple(last["lines"]), len(last["positions"])) == (
            asked,
            True,
            lines,
            2,
        )


async def test_a_search_to_be_shown_ends_where_the_queue_is_lost() -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        command = commands.OfferAnalysis(
            id=new(bot), games=("trapgrid",), jobs=1, name="deep", key=ANALYST_KEY, traces=True
        )
        await order(bot, command)
        settings = TraceSettings(search="minimax", depth=1)
        asked = (await order(ann, commands.AskTrace(id=new(ann), game=SMALL, settings=settings)))["ref"]
        made["a"].service.analyses.link_restored("c")
        last = ann.line.of("traced")[-1]
        assert (last["analysis"], last["final"], last["error"]) == (asked, True, INTERRUPTED)


@pytest.mark.parametrize(("asker", "analyst", "queue"), [("a", "a", "b"), ("b", "a", "a"), ("a", "b", "a")])
async def test_an_analysis_on_two_nodes(asker: str, analyst: str, queue: str) -> None:
    async with cluster("a", "b", lobby=queue) as made:
        match = await finished(made)
        bot = await made[analyst].come("bot", kind="bot")
        await offer(bot)
        ann = await made[asker].come("ann")
        asked = (await ask(ann, match))["ref"]
        await report(bot, asked)
        assert results(ann)[-1] == (asked, True, True, "")


async def test_refusals_are_those_of_one_node() -> None:
    async with cluster("a", "b", lobby="b") as made:
        match = await finished(made)
        ann, bot = await made["a"].come("ann"), await made["a"].come("bot", kind="bot")
        assert (await ask(ann, match))["code"] == "no_analyst"
        assert (await offer(bot, key="another key than the server's"))["code"] == "not_allowed"
        assert (await offer(ann))["code"] == "not_a_bot"
        await offer(bot)
        for lines in (1, 2, 3, 4):
            assert (await ask(ann, match, lines))["type"] == "acknowledged"
        assert (await ask(ann, match, 5))["code"] == "busy"
        assert (await report(bot, "none"))["code"] == "unknown_analysis"


async def test_a_cancelled_analysis_stops_its_analyst() -> None:
    async with asking("a", "b", "c") as (made, ann, bot, _, asked):
        await order(ann, commands.CancelAnalysis(id=new(ann), analysis=asked))
        assert [one["job"] for one in bot.line.of("stop_analysis")] == [asked]
        assert made["c"].service.analysis_service.jobs == 0


@pytest.mark.parametrize("has_crashed", [False, True], ids=["the socket closes", "the node dies"])
async def test_questions_end_with_their_socket(has_crashed: bool) -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        match = await finished(made)
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        await offer(bot)
        await ask(ann, match)
        assert made["c"].service.analysis_service.jobs == 1
        if has_crashed:
            await made.die("a", "b")
        else:
            ann.leave()
            await after(SOON)
        assert made["c"].service.analysis_service.jobs == 0
        assert len(bot.line.of("stop_analysis")) == 1


@pytest.mark.parametrize("has_crashed", [False, True], ids=["the socket closes", "the node dies"])
async def test_a_lost_analysts_job_goes_to_another(has_crashed: bool) -> None:
    async with asking("a", "b", "c", "d") as (made, ann, bot, _, asked):
        other = await made["d"].come("other", kind="bot")
        await offer(other)
        if has_crashed:
            await made.die("b", "a")
        else:
            bot.leave()
            await after(SOON)
        assert jobs(other) == [asked]
        await report(other, asked)
        assert results(ann)[-1] == (asked, True, True, "")


@pytest.mark.parametrize("has_crashed", [False, True], ids=["handed over", "after a crash"])
async def test_with_a_new_owner_analysts_offer_again_and_questions_may_be_repeated(has_crashed: bool) -> None:
    async with cluster("a", "b", "c", "d", lobby="c") as made:
        match = await finished(made)
        ann, bot = await made["a"].come("ann"), await made["b"].come("bot", kind="bot")
        heir = await made["d"].come("heir", kind="bot")
        await offer(bot)
        await offer(heir)
        asked = (await ask(ann, match))["ref"]
        answers = [len(one.line.of("acknowledged")) for one in (bot, heir)]
        if has_crashed:
            await made.die("c", "d")
        else:
            await made["c"].ownership.give([LOBBY_SLOT], "d")
        await after(3)
        assert results(ann)[-1] == (asked, True, False, INTERRUPTED)
        assert [one["job"] for one in bot.line.of("stop_analysis")] == [asked]
        assert made["d"].service.analysis_service.analysts == 2
        assert answers == [len(one.line.of("acknowledged")) for one in (bot, heir)]
        again = (await ask(ann, match))["ref"]
        assert again != asked
        worker = next(one for one in (bot, heir) if again in jobs(one))
        await report(worker, again)
        assert results(ann)[-1] == (again, True, True, "")
        assert len([one for one in results(ann) if one[1]]) == 2


async def test_the_owners_own_clients_go_on_with_the_new_owner(two: Cluster) -> None:
    match = await finished(two)
    ann, bot = await two["a"].come("ann"), await two["a"].come("bot", kind="bot")
    await offer(bot)
    asked = (await ask(ann, match))["ref"]
    await two["a"].ownership.give([LOBBY_SLOT], "b")
    await after(3)
    assert results(ann)[-1] == (asked, True, False, INTERRUPTED)
    again = (await ask(ann, match))["ref"]
    assert jobs(bot) == [asked, again]
    await report(bot, again)
    assert results(ann)[-1] == (again, True, True, "")


async def test_what_is_asked_without_an_owner_waits_for_the_next_one() -> None:
    async with cluster("a", "b", lobby="b") as made:
        match = await finished(made)
        bot = await made["a"].come("bot", kind="bot")
        ann = await made["a"].come("ann")
        made["b"].kill()
        late = commands.OfferAnalysis(id="late", games=("trapgrid",), jobs=2, name="deep", key=ANALYST_KEY)
        made["a"].service.analyses.offer(bot.connection, late)
        question = commands.AskAnalysis(id="q", match=match, ply=0)
        room = await made["a"].registry.find(match)
        await made["a"].service.ask_analysis(ann.connection, question, room)
        made.nodes.pop("b").ownership.die()
        made["a"].ownership.take([LOBBY_SLOT])
        await after(3)
        answer = ann.answer_to("q")
        assert answer is not None
        assert jobs(bot) == [answer["ref"]]
        assert bot.answer_to("late") is not None
        assert made["a"].service.analysis_service.analysts == 1
        await order(ann, commands.CancelAnalysis(id="cancel", analysis=answer["ref"]))
        assert made["a"].service.analysis_service.jobs == 0
        await ask(ann, match)
        ann.leave()
        await after(SOON)
        assert made["a"].service.analysis_service.jobs == 0


@pytest.mark.parametrize("is_final", [False, True])
async def test_lost_messages_end_an_analysis_with_an_error(is_final: bool) -> None:
    async with asking("a", "b", "c") as (made, ann, bot, _, asked):
        made.network.drop("c", "a", 1)
        await report(bot, asked, final=is_final)
        await after(2)
        assert results(ann)[-1] == (asked, True, False, INTERRUPTED)
        assert made["c"].service.analysis_service.jobs == 0


async def test_a_lost_offer_is_repeated() -> None:
    async with cluster("a", "b", lobby="b") as made:
        bot = await made["a"].come("bot", kind="bot")
        await offer(bot)
        made.network.cut_both("a", "b")
        await after(3)
        made.network.mend("a", "b")
        await after(2)
        assert made["b"].service.analysis_service.analysts == 1
        bot.leave()
        await after(SOON)
        assert made["b"].service.analysis_service.analysts == 0


async def test_a_job_is_over_in_time_without_an_answer() -> None:
    async with asking("a", "b", "c") as (_, ann, _, _, asked):
        await after((MAX_ANALYSIS_MS + REPLY_GRACE_MS) / 1000 + 1)
        assert results(ann)[-1][:3] == (asked, True, False)
