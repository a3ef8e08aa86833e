"""Two whole nodes: what one of them has acknowledged is read from the other, also while no message passes."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from cornered.protocol import account as acc
from cornered.protocol import commands as cmd
from cornered.protocol import groups as grp
from cornered.protocol import messages as msg
from cornered.protocol import tournaments as trn
from cornered.protocol.passkeys import SignInByPasskey
from cornered.protocol.ratings import Profile, Rated
from cornered.protocol.social import BlockPlayer, Notified, SubscribePush
from cornered.protocol.values import Correspondence, Fischer, SeekSettings
from cornered.server import log
from cornered.server.adapters.social_sql import SqlSocialStore
from cornered.server.app import revoke_tokens
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.runtime.rating_service import RatingService
from cornered.server.settings import Settings
from tests.conftest import Mosquitto, Postgres
from tests.server.conftest import SMALL, Pair, Running, Start, started
from tests.server.push_service import Browser, PushService, push_service
from tests.server.scenes import OTHER, PASSWORD, REVOKED, closing, fix_and_register, refusal, register, token_of
from tests.server.test_bot_versions import declare, finish
from tests.server.test_passkeys import authenticator, challenge, enrol, page
from tests.waiting import until

pytestmark = [pytest.mark.mqtt, pytest.mark.postgres]
in_module = pytest.mark.asyncio(loop_scope="module")


@contextlib.asynccontextmanager
async def linked(folder: Path, **settings: Any) -> AsyncIterator[tuple[Running, Running]]:
    """Run two nodes that are linked; each has slots."""
    async with contextlib.AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(started(folder / name, node=name, **settings)) for name in ("one", "two")
        ]
        for node in (one, two):
            await node.metrics_once(
                lambda found: found["cornered_links"] == 1 and 0 < found["cornered_slots"] < len(ALL_SLOTS)
            )
        yield one, two


@pytest.fixture
async def two_nodes(
    postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path, compiled: None
) -> AsyncIterator[tuple[Running, Running]]:
    """Two nodes of the test's own."""
    async with linked(database=postgres.new_database(), mqtt=mosquitto.url, folder=tmp_path) as nodes:
        yield nodes


@dataclass(frozen=True)
class Nodes:
    """Two linked nodes for all tests in the loop of the module, with the address of their database."""

    one: Running
    two: Running
    database: str
    push: PushService

    def __iter__(self) -> Iterator[Running]:
        return iter((self.one, self.two))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_nodes(
    postgres: Postgres,
    mosquitto_program: Path,
    tmp_path_factory: pytest.TempPathFactory,
    many_passwords: None,
    compiled: None,
) -> AsyncIterator[Nodes]:
    database, folder = postgres.new_database(), tmp_path_factory.mktemp("nodes")
    with tempfile.TemporaryDirectory(prefix="cornered-mosquitto-") as brokers:
        broker = Mosquitto(Path(brokers), mosquitto_program, acl="")
        broker.start()
        try:
            async with push_service() as push:
                shared = {"push_origins": push.origin, "notice_seconds": 0, "message_rate": 30, "message_burst": 300}
                async with linked(database=database, mqtt=broker.url, folder=folder, **shared) as (one, two):
                    yield Nodes(one, two, database, push)
        finally:
            broker.kill()


@pytest.fixture
def nodes(module_nodes: Nodes) -> Nodes:
    log.configure("warning", "console")
    return module_nodes


@in_module
async def test_who_was_welcomed_by_one_node_is_challenged_from_the_other_at_once(
    nodes: Nodes,
) -> None:
    for here, there in (tuple(nodes), tuple(nodes)[::-1]):
        async with here.client("Ann") as ann:
            for _ in range(4):
                async with there.client("Ben") as ben:
                    await ann.do(cmd.Challenge, to=ben.player.id, game=SMALL)


@in_module
async def test_two_programs_that_play_as_one_bot_on_two_nodes_are_told(nodes: Nodes) -> None:
    here, there = nodes
    async with (
        here.client("Bot", kind="bot", instance="one") as one,
        there.client("Bot", token=one.welcome.token, kind="bot", instance="two") as two,
    ):
        for program in (one, two):
            notice = await program.hear(msg.Notice)
            assert notice.code == "also_here"
            assert "another program plays as Bot" in notice.text


async def test_what_one_node_has_acknowledged_is_read_from_the_other_also_without_a_broker(
    two_nodes: tuple[Running, Running], mosquitto: Mosquitto, pair: Pair
) -> None:
    one, two = two_nodes
    async with one.client("Ann") as ann, two.client("Ben") as ben:
        token = ben.welcome.token
        # The match is on the node of who accepts the challenge: of Ben, who begins.
        match, other = [await pair(ann, ben, seat=1) for _ in range(2)]
        async with one.client("Cas") as cas, two.client("Dan") as dan:
            snapshot = await cas.join(match)
            await cas.join(other)
            await dan.join(match)
            mosquitto.kill()
            played = await ben.do(cmd.Play, match=match, ply=0, move="a2")
            assert played.seq == snapshot.seq + 1
            async with one.client("Ben", token=token) as again:
                answer = await again.ask(cmd.Join, match=match, since=played.seq)
                assert isinstance(answer, msg.Acknowledged)
                assert answer.seq == played.seq
            # Whoever was there already gets what was read.
            for client in (ann, cas):
                happened = await client.hear(msg.Happened)
                assert [event.seq for event in happened.events] == [played.seq]
            answer = await ann.ask(cmd.AskMoves, match=match, ply=1)
            assert isinstance(answer, msg.Moves)
            # A position that the other node has shown is studied at once.
            await ben.do(cmd.Play, match=other, ply=0, move="a2")
            answer = await cas.ask(cmd.AskVariation, match=other, ply=1, moves=("c2",))
            assert isinstance(answer, msg.Variation)
            assert await cas.refused(cmd.AskVariation, match=other, ply=2, moves=("c2",)) == "stale_ply"
            # A number that no event has: the client gets the match as it is stored.
            assert isinstance(await cas.ask(cmd.Join, match=other, since=1_000), msg.Snapshot)


@in_module
async def test_a_reading_for_a_client_that_claims_to_have_seen_more_is_paid_for(nodes: Nodes, pair: Pair) -> None:
    one, two = nodes
    answers = dict[str, int]()
    async with one.client("Ann") as ann, two.client("Ben") as ben:
        # The match is on node two; node one reads for whoever names a ply that it does not know.
        match = await pair(ann, ben)
        for node in nodes:
            async with node.client("Cas") as cas:
                await cas.join(match)
                while (code := await cas.refused(cmd.AskVariation, match=match, ply=50, moves=("a1",))) != "too_fast":
                    assert code == "stale_ply"
                    answers[node.address] = answers.get(node.address, 0) + 1
    assert 2 * answers[one.address] < answers[two.address]


@in_module
async def test_matches_of_both_nodes_are_rated_once_and_all_clients_are_told(nodes: Nodes, pair: Pair) -> None:
    one, two = nodes
    async with one.client("Ann") as ann, two.client("Ben") as ben, one.client("Cas") as cas:
        # A match is on the node of who accepts its challenge.
        matches = [await pair(ann, ben, rated=True, seat=0) for _ in range(3)]
        matches += [await pair(ben, ann, rated=True, seat=1) for _ in range(3)]
        for match in matches:
            await cas.join(match)
            await ann.do(cmd.Play, match=match, ply=0, move="a2")
            await ben.do(cmd.Play, match=match, ply=1, move="c2")
        for match in matches:
            await ann.tell(cmd.Resign(id=f"resign-{match}", match=match))
        told = [{(await client.hear(Rated)).match for _ in matches} for client in (ann, ben, cas)]
        assert told == [set(matches)] * 3
        for client in (ann, ben):
            pool = "trapgrid:size=3:untimed"
            course = await client.ask(cmd.AskRatingHistory, player=client.player.id, pool=pool)
            assert [point.games for point in course.points] == [1, 2, 3, 4, 5, 6]
    rated = [(await node.metrics())["cornered_matches_rated_total"] for node in nodes]
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
            await ann.do(cmd.Play, match=match, ply=0, move="a2")
            await ben.do(cmd.Play, match=match, ply=1, move="c2")
            await ann.do(cmd.Resign, match=match)
            token = ben.welcome.token
    async with start(**shared, node="two", data=tmp_path / "two") as two, two.client("Ben", token=token) as ben:
        await ben.join(match)
        assert (await ben.hear(Rated)).changes[1].after == 1662


@in_module
async def test_a_block_made_on_one_node_holds_on_the_other_too(
    nodes: Nodes, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = nodes
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
        await ben.do(cmd.Say, match=match, room="players", text="Hello")
        for client in (ann, again):
            assert (await client.hear(msg.Said)).text == "Hello"
        read.clear()
        await ann.do(BlockPlayer, player=ben.player.id)
        # Each node reads the block from the database once it is told of it.
        await until(lambda: read.count((ann.player.id,)) == 2)
        await ben.do(cmd.Say, match=match, room="players", text="Still there?")
        # The match is on their node: a line is there before the next command is answered.
        await again.ask(cmd.Ping)
        assert not any(isinstance(message, msg.Said) for message in again.heard)
        await ann.ask(cmd.Ping)
        assert not any(isinstance(message, msg.Said) for message in ann.heard)
        await ben.do(cmd.Challenge, to=ann.player.id, game=SMALL)
        await again.ask(cmd.Ping)
        challenges = [message for message in (*ann.heard, *again.heard) if isinstance(message, msg.Challenged)]
        assert [one for one in challenges if one.by.id == ben.player.id] == []


def _is_of(match: str, message: msg.Happened | Notified) -> bool:
    return message.match == match


@in_module
async def test_of_two_nodes_one_announces_a_turn_and_both_tell_the_player(nodes: Nodes, pair: Pair) -> None:
    service = nodes.push
    async with nodes.one.client("Ann") as ann, nodes.two.client("Ben") as ben:
        # Of matches on either node.
        for first, second in ((ann, ben), (ben, ann)):
            match = await pair(first, second, clock=Correspondence(days=1))
            in_it = partial(_is_of, match)
            browser = Browser()
            await second.do(SubscribePush, endpoint=service.endpoint(match), **browser.keys)
            await first.do(cmd.Play, match=match, ply=0, move="a2")
            await second.hear(msg.Happened, in_it)
            # Who looks at the game, on whichever node, is not notified; who goes away is.
            await second.do(cmd.Play, match=match, ply=1, move="c2")
            await second.do(cmd.Leave, match=match)
            await first.hear(msg.Happened, in_it)
            await first.hear(msg.Happened, in_it)
            await first.do(cmd.Play, match=match, ply=2, move="a1")
            await second.hear(Notified, in_it)
            while not any(one.target.endswith(match) for one in service.received):
                await service.wait_for(len(service.received) + 1)
            sent = [browser.read(one.body) for one in service.received if one.target.endswith(match)]
            assert [(one["kind"], one["match"]) for one in sent] == [("turn", match)]


@in_module
async def test_the_version_of_a_bot_on_another_node_is_known_and_kept_by_the_match(nodes: Nodes, pair: Pair) -> None:
    for here, there in ((nodes.one, nodes.two), (nodes.two, nodes.one)):
        async with here.client("Ann") as ann, there.client("Crusher", kind="bot") as bot:
            await declare(bot, "3.0")
            match = await pair(ann, bot, rated=True)
            async with there.client("Cas") as cas:
                snapshot = await cas.join(match)
            assert [seat.version for seat in snapshot.seats] == [None, "3.0"]
            await finish(match, ann, bot)
            profile = await ann.ask(cmd.AskProfile, player=bot.player.id)
            assert isinstance(profile, Profile)
            assert [one.version for one in profile.ratings[0].versions] == ["3.0"]


@in_module
async def test_an_account_is_one_on_both_nodes_and_what_ends_ends_on_both(nodes: Nodes) -> None:
    one, two = nodes
    async with one.client("Guest") as ann, two.client("Guest", token=ann.welcome.token) as window:
        codes = (await register(ann)).codes
        assert await closing(window) == REVOKED
        async with two.client(token=await token_of(two)) as there:
            assert there.player.id == ann.player.id
            await ann.do(acc.ChangePassword, old=PASSWORD, password=OTHER)
            assert await closing(there) == REVOKED

        async def recover(server: Running) -> Any:
            async with server.socket() as door:
                return await door.ask(acc.Recover, name="Anna", code=codes[0], password=PASSWORD)

        async def sign_up(server: Running) -> Any:
            async with server.socket() as door:
                return await door.ask(acc.Register, name="Zoe", password=PASSWORD)

        answers = await asyncio.gather(recover(one), recover(two))
        assert sorted(type(answer).__name__ for answer in answers) == ["Refused", "SignedIn"]
        assert await closing(ann) == REVOKED
        names = await asyncio.gather(sign_up(one), sign_up(two))
        assert sorted(type(answer).__name__ for answer in names) == ["Refused", "Registered"]


@in_module
async def test_what_hangs_on_a_right_ends_at_the_other_node_too(nodes: Nodes) -> None:
    async with nodes.one.client("Tess") as tess, nodes.two.client("Ann") as ann:
        await register(tess, "Teresa")
        group = (await tess.do(grp.CreateGroup, name="Class 7b")).ref
        code = (await tess.ask(grp.AskGroup, group=group)).code
        clock = Fischer(initial=60)
        event = trn.TournamentSettings(name="Tuesday", format="by_hand", game=SMALL, clock=clock, group=group)
        tournament = (await tess.do(trn.CreateTournament, settings=event)).ref
        await tess.ask(trn.WatchTournament, tournament=tournament)
        await ann.do(grp.JoinGroup, code=code)
        await tess.hear(grp.GroupChanged, lambda told: told.seq == 2)
        await ann.do(trn.JoinTournament, tournament=tournament)
        await tess.hear(trn.TournamentChanged, lambda told: len(told.standings) == 1)
        await tess.ask(cmd.WatchLobby)
        lasting = SeekSettings(game=SMALL, clock=Correspondence(days=1))
        seek = (await ann.do(cmd.CreateSeek, settings=lasting)).ref
        await tess.hear(msg.LobbyChanged, lambda told: seek in {one.id for one in told.seeks})
        await ann.ask(acc.DeleteAccount)
        await tess.hear(msg.LobbyChanged, lambda told: seek in told.seeks_gone)
        await tess.hear(trn.TournamentChanged, lambda told: told.standings == ())
        await tess.hear(grp.GroupChanged, lambda told: told.seq == 3)
        assert len((await tess.ask(grp.AskGroup, group=group)).members) == 1


@in_module
async def test_a_token_from_before_a_registration_is_the_accounts_on_no_node(nodes: Nodes) -> None:
    await fix_and_register(nodes.one, nodes.two, "Bertha")


@in_module
async def test_a_token_that_is_revoked_is_refused_and_disconnected_on_every_node(nodes: Nodes, tmp_path: Path) -> None:
    one, two = nodes
    async with (
        one.client("Revoked") as here,
        two.client("Revoked", token=here.welcome.token) as there,
        two.client("Ann") as ann,
    ):
        assert there.player.id == here.player.id
        await revoke_tokens(Settings(database=nodes.database, data=tmp_path), "Revoked")
        assert await refusal(one, here.welcome.token) == await refusal(two, here.welcome.token) == "bad_token"
        assert await closing(here) == await closing(there) == REVOKED
        assert isinstance(await ann.ask(cmd.Ping), msg.Pong)


@in_module
async def test_a_challenge_of_one_node_to_a_passkey_is_answered_at_the_other_and_used_once(nodes: Nodes) -> None:
    one, two = nodes
    device = authenticator(one)
    async with page(one, "Guest") as ann:
        await enrol(ann, device, "Keyholder")
    async with page(one) as first, page(two) as second:
        asked = await challenge(first, "sign_in")
        device.origin = authenticator(two).origin
        assert isinstance(await second.ask(SignInByPasskey, passkey=device.prove(asked)), acc.SignedIn)
        device.origin = authenticator(one).origin
        assert await first.refused(SignInByPasskey, passkey=device.prove(asked)) == "bad_credentials"
