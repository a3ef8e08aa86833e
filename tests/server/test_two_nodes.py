"""Two whole nodes: what one of them has acknowledged is read from the other, also while no message passes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping
from functools import partial
from pathlib import Path

import pytest

from cornered.protocol.commands import (
    AskMoves,
    AskRatingHistory,
    AskVariation,
    Challenge,
    Join,
    Leave,
    Ping,
    Play,
    Resign,
    Say,
)
from cornered.protocol.messages import Acknowledged, Challenged, Happened, Moves, Notice, Said, Snapshot, Variation
from cornered.protocol.ratings import Rated
from cornered.protocol.social import BlockPlayer, Notified, SubscribePush
from cornered.protocol.values import Correspondence
from cornered.server.adapters.social_sql import SqlSocialStore
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.runtime.rating_service import RatingService
from tests.conftest import Mosquitto, Postgres
from tests.server.conftest import SMALL, Pair, Running, Start
from tests.server.push_service import Browser, push_service
from tests.waiting import until

pytestmark = [pytest.mark.mqtt, pytest.mark.postgres]


@pytest.fixture
async def two_nodes(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path
) -> AsyncIterator[tuple[Running, Running]]:
    """Two nodes that are linked; each has slots."""
    shared = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    async with contextlib.AsyncExitStack() as stack:
        nodes = [
            await stack.enter_async_context(start(**shared, node=name, data=tmp_path / name)) for name in ("one", "two")
        ]
        for node in nodes:
            await node.metrics_once(
                lambda found: found["cornered_links"] == 1 and 0 < found["cornered_slots"] < len(ALL_SLOTS)
            )
        yield nodes[0], nodes[1]


async def test_who_was_welcomed_by_one_node_is_challenged_from_the_other_at_once(
    two_nodes: tuple[Running, Running],
) -> None:
    for here, there in (two_nodes, two_nodes[::-1]):
        async with here.client("Ann") as ann:
            for _ in range(4):
                async with there.client("Ben") as ben:
                    await ann.do(Challenge, to=ben.player.id, game=SMALL)


async def test_two_programs_that_play_as_one_bot_on_two_nodes_are_told(two_nodes: tuple[Running, Running]) -> None:
    here, there = two_nodes
    async with (
        here.client("Bot", kind="bot", instance="one") as one,
        there.client("Bot", token=one.welcome.token, kind="bot", instance="two") as two,
    ):
        for program in (one, two):
            notice = await program.hear(Notice)
            assert notice.code == "also_here"
            assert "another program plays as Bot" in notice.text


async def test_a_client_that_comes_to_another_node_sees_all_that_it_has_seen_before(
    two_nodes: tuple[Running, Running], mosquitto: Mosquitto, pair: Pair
) -> None:
    one, two = two_nodes
    async with one.client("Ann") as ann, two.client("Ben") as ben:
        token = ben.welcome.token
        # The match is on the node of who accepts the challenge: of Ben, who begins.
        match = await pair(ann, ben, seat=1)
        async with one.client("Cas") as cas, two.client("Dan") as dan:
            snapshot = await cas.join(match)
            await dan.join(match)
            mosquitto.kill()
            played = await ben.do(Play, match=match, ply=0, move="a2")
            assert played.seq == snapshot.seq + 1
            async with one.client("Ben", token=token) as again:
                answer = await again.ask(Join, match=match, since=played.seq)
                assert isinstance(answer, Acknowledged)
                assert answer.seq == played.seq
            # Whoever was there already gets what was read.
            for client in (ann, cas):
                happened = await client.hear(Happened)
                assert [event.seq for event in happened.events] == [played.seq]
            answer = await ann.ask(AskMoves, match=match, ply=1)
            assert isinstance(answer, Moves)


async def test_a_position_that_another_node_has_shown_is_studied_at_once(
    two_nodes: tuple[Running, Running], mosquitto: Mosquitto, pair: Pair
) -> None:
    one, two = two_nodes
    async with one.client("Ann") as ann, two.client("Ben") as ben, one.client("Cas") as cas:
        match = await pair(ann, ben, seat=1)
        await cas.join(match)
        mosquitto.kill()
        await ben.do(Play, match=match, ply=0, move="a2")
        answer = await cas.ask(AskVariation, match=match, ply=1, moves=("c2",))
        assert isinstance(answer, Variation)
        assert await cas.refused(AskVariation, match=match, ply=2, moves=("c2",)) == "stale_ply"
        # A number that no event has: the client gets the match as it is stored.
        assert isinstance(await cas.ask(Join, match=match, since=1_000), Snapshot)


async def test_a_reading_for_a_client_that_claims_to_have_seen_more_is_paid_for(
    two_nodes: tuple[Running, Running], pair: Pair
) -> None:
    one, two = two_nodes
    answers = dict[str, int]()
    async with one.client("Ann") as ann, two.client("Ben") as ben:
        # The match is on node two; node one reads for whoever names a ply that it does not know.
        match = await pair(ann, ben)
        for node in two_nodes:
            async with node.client("Cas") as cas:
                await cas.join(match)
                while (code := await cas.refused(AskVariation, match=match, ply=50, moves=("a1",))) != "too_fast":
                    assert code == "stale_ply"
                    answers[node.address] = answers.get(node.address, 0) + 1
    assert 2 * answers[one.address] < answers[two.address]


async def test_matches_of_both_nodes_are_rated_once_and_all_clients_are_told(
    two_nodes: tuple[Running, Running], pair: Pair
) -> None:
    one, two = two_nodes
    async with one.client("Ann") as ann, two.client("Ben") as ben, one.client("Cas") as cas:
        # A match is on the node of who accepts its challenge.
        matches = [await pair(ann, ben, rated=True, seat=0) for _ in range(3)]
        matches += [await pair(ben, ann, rated=True, seat=1) for _ in range(3)]
        for match in matches:
            await cas.join(match)
            await ann.do(Play, match=match, ply=0, move="a2")
            await ben.do(Play, match=match, ply=1, move="c2")
        for match in matches:
            await ann.tell(Resign(id=f"resign-{match}", match=match))
        told = [{(await client.hear(Rated)).match for _ in matches} for client in (ann, ben, cas)]
        assert told == [set(matches)] * 3
        for client in (ann, ben):
            pool = "trapgrid:size=3:untimed"
            course = await client.ask(AskRatingHistory, player=client.player.id, pool=pool)
            assert [point.games for point in course.points] == [1, 2, 3, 4, 5, 6]
    rated = [(await node.metrics())["cornered_matches_rated_total"] for node in two_nodes]
    assert sum(rated) == len(matches)


async def test_a_result_whose_node_died_before_it_was_rated_is_rated_by_another(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    with monkeypatch.context() as broken:

        async def rate_nothing(_: RatingService) -> None:
            await asyncio.Event().wait()

        broken.setattr(RatingService, "run", rate_nothing)
        async with (
            start(**shared, node="one", data=tmp_path / "one") as one,
            one.client("Ann") as ann,
            one.client("Ben") as ben,
        ):
            match = await pair(ann, ben, rated=True)
            await ann.do(Play, match=match, ply=0, move="a2")
            await ben.do(Play, match=match, ply=1, move="c2")
            await ann.do(Resign, match=match)
            token = ben.welcome.token
    async with start(**shared, node="two", data=tmp_path / "two") as two, two.client("Ben", token=token) as ben:
        await ben.join(match)
        assert (await ben.hear(Rated)).changes[1].after == 1662


async def test_a_block_made_on_one_node_holds_on_the_other_too(
    two_nodes: tuple[Running, Running], pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = two_nodes
    read = list[tuple[str, ...]]()
    blocks_of = SqlSocialStore.blocks_of

    async def noted(self: SqlSocialStore, players: Collection[str]) -> Mapping[str, frozenset[str]]:
        found = await blocks_of(self, players)
        read.append(tuple(players))
        return found

    monkeypatch.setattr(SqlSocialStore, "blocks_of", noted)
    async with one.client("Ann") as ann, two.client("Ben") as ben, two.client("Ann", token=ann.welcome.token) as again:
        match = await pair(ann, ben)
        await again.join(match)
        await ben.do(Say, match=match, room="players", text="Hello")
        for client in (ann, again):
            assert (await client.hear(Said)).text == "Hello"
        read.clear()
        await ann.do(BlockPlayer, player=ben.player.id)
        # Each node reads the block from the database once it is told of it.
        await until(lambda: read.count((ann.player.id,)) == len(two_nodes))
        await ben.do(Say, match=match, room="players", text="Still there?")
        # The match is on their node: a line is there before the next command is answered.
        await again.ask(Ping)
        assert not any(isinstance(message, Said) for message in again.heard)
        await ann.ask(Ping)
        assert not any(isinstance(message, Said) for message in ann.heard)
        await ben.do(Challenge, to=ann.player.id, game=SMALL)
        await again.ask(Ping)
        challenges = [message for message in (*ann.heard, *again.heard) if isinstance(message, Challenged)]
        assert [one for one in challenges if one.by.id == ben.player.id] == []


def _is_of(match: str, message: Happened | Notified) -> bool:
    return message.match == match


async def test_of_two_nodes_one_announces_a_turn_and_both_tell_the_player(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path, pair: Pair
) -> None:
    async with push_service() as service, contextlib.AsyncExitStack() as stack:
        shared = {"database": postgres.new_database(), "mqtt": mosquitto.url, "notice_seconds": 0}
        nodes = [
            await stack.enter_async_context(
                start(**shared, push_origins=service.origin, node=name, data=tmp_path / name)
            )
            for name in ("one", "two")
        ]
        for node in nodes:
            await node.metrics_once(lambda found: found["cornered_links"] == 1 and found["cornered_slots"] > 0)
        async with nodes[0].client("Ann") as ann, nodes[1].client("Ben") as ben:
            # Of matches on either node.
            for first, second in ((ann, ben), (ben, ann)):
                match = await pair(first, second, clock=Correspondence(days=1))
                in_it = partial(_is_of, match)
                browser = Browser()
                await second.do(SubscribePush, endpoint=service.endpoint(match), **browser.keys)
                await first.do(Play, match=match, ply=0, move="a2")
                await second.hear(Happened, in_it)
                # Who looks at the game, on whichever node, is not notified; who goes away is.
                await second.do(Play, match=match, ply=1, move="c2")
                await second.do(Leave, match=match)
                await first.hear(Happened, in_it)
                await first.hear(Happened, in_it)
                await first.do(Play, match=match, ply=2, move="a1")
                await second.hear(Notified, in_it)
                while not any(one.target.endswith(match) for one in service.received):
                    await service.wait_for(len(service.received) + 1)
                sent = [browser.read(one.body) for one in service.received if one.target.endswith(match)]
                assert [(one["kind"], one["match"]) for one in sent] == [("turn", match)]
