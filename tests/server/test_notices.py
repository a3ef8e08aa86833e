"""Notifications of a running server: turns of games by days, challenges, push messages and who gets none."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cornered.protocol import social as soc
from cornered.protocol.commands import AskMyMatches, CancelChallenge, Challenge, Leave, OfferDraw, Ping, Play
from cornered.protocol.messages import Happened
from cornered.protocol.tournaments import CreateTournament, JoinTournament, StartTournament, TournamentSettings
from cornered.protocol.values import Correspondence, Fischer
from cornered.server.social.recent_challenges import MAX_PLAYERS, QUIET_MS, RecentChallenges
from tests.server.conftest import PLENTY, SMALL, Client, Pair, Running, Start, Stores
from tests.server.push_service import Browser, PushService, push_service

DAYS = Correspondence(days=1)
DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


@pytest.fixture
async def server(running_server: Start, service: PushService) -> AsyncIterator[Running]:
    async with running_server(notice_seconds=0, push_origins=service.origin, **PLENTY) as server:
        yield server


async def subscribe(client: Client, service: PushService, name: str = "one") -> Browser:
    browser = Browser()
    await client.do(soc.SubscribePush, endpoint=service.endpoint(name), label=name, **browser.keys)
    return browser


async def quiet(client: Client) -> bool:
    await client.ask(Ping)
    return not any(isinstance(message, soc.Notified) for message in client.heard)


async def test_who_is_away_is_notified_of_a_turn_by_push_and_who_looks_is_not(
    running_server: Start, service: PushService, pair: Pair
) -> None:
    async with running_server(notice_seconds=0, push_origins=service.origin) as server, server.client("Ann") as ann:
        async with server.client("Ben") as ben:
            match = await pair(ann, ben, clock=DAYS)
            browser = await subscribe(ben, service)
            # Both look at the game.
            await ann.do(Play, match=match, ply=0, move="a2")
            await ben.hear(Happened)
            assert await quiet(ben)
            await ben.do(Play, match=match, ply=1, move="c2")
            await ann.hear(Happened, lambda said: said.events[0].seq == 3)
        await ann.do(Play, match=match, ply=2, move="a1")
        [message] = await service.wait_for(1)
        assert browser.read(message.body) == {"kind": "turn", "game": "trapgrid", "by": "Ann", "match": match}
        assert "Ann" not in message.body.decode("latin-1")
        # An offer during the turn is no other turn.
        await ann.ask(OfferDraw, match=match)
        await ann.ask(Ping)
    assert len(service.received) == 1


async def test_who_is_connected_but_looks_elsewhere_is_told_in_the_page(ann: Client, ben: Client, pair: Pair) -> None:
    match = await pair(ann, ben, clock=DAYS)
    await ben.do(Leave, match=match)
    await ann.do(Play, match=match, ply=0, move="a2")
    notified = await ben.hear(soc.Notified)
    assert (notified.kind, notified.match, notified.by) == ("turn", match, ann.player)
    # A game by the clock needs no such notice.
    quick = await pair(ben, ann)
    await ann.do(Leave, match=quick)
    await ben.do(Play, match=quick, ply=0, move="a2")
    await ann.ask(Ping)
    assert not any(isinstance(message, soc.Notified) and message.match == quick for message in ann.heard)


async def test_a_turn_is_announced_once_also_when_the_server_is_started_again(
    running_server: Start, service: PushService, pair: Pair
) -> None:
    settings = {"notice_seconds": 0, "push_origins": service.origin}
    async with running_server(**settings) as server, server.client("Ann") as ann:
        async with server.client("Ben") as ben:
            match = await pair(ann, ben, clock=DAYS)
            browser = await subscribe(ben, service)
        await ann.do(Play, match=match, ply=0, move="a2")
        await service.wait_for(1)
        ann_token, ben_token = ann.welcome.token, ben.welcome.token
    async with running_server(**settings) as server, server.client(token=ben_token) as ben:
        # The match is loaded, and its turn looked at; only the next one is announced.
        await ben.join(match)
        await ben.do(Play, match=match, ply=1, move="c2")
        async with server.client(token=ann_token) as ann:
            await ann.join(match)
            await ben.do(Leave, match=match)
            await ann.do(Play, match=match, ply=2, move="a1")
            await ben.hear(soc.Notified)
        first, second = await service.wait_for(2)
        for message in (first, second):
            assert browser.read(message.body)["match"] == match


async def test_a_challenge_is_announced_to_the_challenged_player_alone(
    running_server: Start, service: PushService
) -> None:
    async with (
        running_server(push_origins=service.origin) as server,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        await subscribe(ann, service, "ann")
        browser = await subscribe(ben, service, "ben")
        await ann.do(Challenge, to=ben.player.id, game=SMALL)
        [message] = await service.wait_for(1)
        assert message.target == "/send/ben"
        assert browser.read(message.body) == {"kind": "challenge", "game": "trapgrid", "by": "Ann", "match": None}
        await ben.do(soc.SetNotices, push=("turn",))
        await ben.do(Challenge, to=ann.player.id, game=SMALL)
        await service.wait_for(2)
        await ann.do(Challenge, to=ben.player.id, game=SMALL)
        notices = await ben.ask(soc.AskNotices)
        assert (notices.push, notices.devices) == (("turn",), ("ben",))
    assert [message.target for message in service.received] == ["/send/ben", "/send/ann"]


async def test_who_challenges_and_cancels_again_and_again_is_announced_once(
    server: Running, ann: Client, service: PushService, stores: Stores
) -> None:
    async with server.client("Cleo") as cleo, server.client("Ben") as ben:
        browser = await subscribe(ben, service)
        for _ in range(5):
            made = await ann.do(Challenge, to=ben.player.id, game=SMALL)
            await ann.do(CancelChallenge, challenge=made.ref)
        await cleo.do(Challenge, to=ben.player.id, game=SMALL)
        said = [browser.read(message.body)["by"] for message in await service.wait_for(2)]
        assert sorted(said) == ["Ann", "Cleo"]
        found = await server.metrics_once(lambda found: found.get('cornered_notices_total{kind="repeated"}') == 4)
        assert found['cornered_notices_total{kind="challenge"}'] == 2
        stores.now.at += QUIET_MS
        await ann.do(Challenge, to=ben.player.id, game=SMALL)
        assert browser.read((await service.wait_for(3))[2].body)["by"] == "Ann"


async def test_one_players_challenges_are_announced_to_few_players_at_a_time() -> None:
    recent = RecentChallenges()
    assert all(recent.admit("ann", str(number), 0) for number in range(MAX_PLAYERS))
    assert not recent.admit("ann", "one more", QUIET_MS - 1)
    assert recent.admit("ben", "one more", QUIET_MS - 1)
    assert recent.admit("ann", "one more", QUIET_MS)


async def test_a_browser_that_the_push_service_does_not_know_any_more_is_forgotten(
    server: Running, ann: Client, ben: Client, service: PushService, stores: Stores
) -> None:
    service.status = "410 Gone"
    await subscribe(ben, service)
    await ann.do(Challenge, to=ben.player.id, game=SMALL)
    found = await server.metrics_once(lambda found: 'cornered_pushes_total{outcome="gone"}' in found)
    assert found['cornered_notices_total{kind="challenge"}'] == 1
    while (await ben.ask(soc.AskNotices)).devices:
        pass
    assert await stores.social.devices(ben.player.id) == []


async def test_browsers_are_bounded_and_each_has_one_player(
    ann: Client, ben: Client, service: PushService, stores: Stores
) -> None:
    for number in range(soc.MAX_DEVICES + 2):
        stores.now.at += 1
        await subscribe(ann, service, str(number))
    devices = (await ann.ask(soc.AskNotices)).devices
    assert devices == tuple(str(number) for number in range(soc.MAX_DEVICES + 1, 1, -1))
    # Who signs in to a browser after somebody else gets its messages, and the other one none of them.
    await subscribe(ben, service, devices[0])
    assert (await ann.ask(soc.AskNotices)).devices == devices[1:]
    await ann.do(soc.UnsubscribePush, endpoint=service.endpoint(devices[1]))
    assert (await ann.ask(soc.AskNotices)).devices == devices[2:]
    # Nobody unsubscribes another one's browser.
    await ann.do(soc.UnsubscribePush, endpoint=service.endpoint(devices[0]))
    assert (await ben.ask(soc.AskNotices)).devices == devices[:1]
    await ann.do(soc.UnsubscribePush)
    assert (await ann.ask(soc.AskNotices)).devices == ()


async def test_endpoints_of_strangers_are_refused(running: Running) -> None:
    async with running.client("Ann") as ann:
        for endpoint in ("https://169.254.169.254/latest", "https://example.org/push", "http://127.0.0.1:1/x"):
            assert await ann.refused(soc.SubscribePush, endpoint=endpoint, **Browser().keys) == "not_allowed"


async def test_a_server_without_push_offers_none(start: Start) -> None:
    async with start(push=False) as server, server.client("Ann") as ann:
        assert (await ann.ask(soc.AskNotices)).push_key is None
        keys = Browser().keys
        assert await ann.refused(soc.SubscribePush, endpoint="https://fcm.googleapis.com/x", **keys) == "not_allowed"


async def test_the_key_with_which_browsers_subscribe_outlives_the_server(running_server: Start) -> None:
    keys = set[str]()
    for _ in range(2):
        async with running_server() as server, server.client("Ann") as ann:
            keys.add((await ann.ask(soc.AskNotices)).push_key)
    assert len(keys) == 1


@pytest.mark.virtual_time
async def test_a_game_by_days_goes_on_without_its_players_until_a_flag_falls(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as server, server.client("Ann") as ann, server.client("Ben") as ben:
        match = await pair(ann, ben, clock=DAYS)
        await ann.do(Play, match=match, ply=0, move="a2")
        tokens = ann.welcome.token, ben.welcome.token
        begun = stores.now.at
    # Neither the absence of both nor a restart ends it, nor gives time away.
    async with running_server() as server:
        async with server.client(token=tokens[1]) as ben:
            # It is loaded for its player.
            assert len((await ben.ask(AskMyMatches)).live) == 1
        stores.now.at += DAY_MS - 60_000
        async with server.client(token=tokens[1]) as ben:
            [summary] = (await ben.ask(AskMyMatches)).live
            assert (summary.turn, summary.players[1].id) == (1, ben.player.id)
            assert summary.due == begun + DAY_MS
            await ben.join(match)
            await ben.do(Play, match=match, ply=1, move="c2")
        stores.now.at += DAY_MS + 60_000
        async with server.client(token=tokens[0]) as ann:
            await ann.join(match)
            # Time that has passed is looked at with the next command.
            assert await ann.refused(Play, match=match, ply=2, move="a1") == "too_late"
            await ann.hear(Happened, lambda said: said.events[-1].type == "ended")
            finished = (await ann.ask(AskMyMatches)).finished
            assert [(one.id, one.reason, one.winner, one.due) for one in finished] == [(match, "time", 1, None)]


async def test_a_game_of_a_tournament_is_announced_to_both_of_its_players(
    running_server: Start, service: PushService
) -> None:
    async with (
        running_server(push_origins=service.origin) as server,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        browsers = {
            f"/send/{client.player.name}": await subscribe(client, service, client.player.name) for client in (ann, ben)
        }
        settings = TournamentSettings(name="Cup", format="swiss", game=SMALL, clock=Fischer(initial=60), pause=0)
        made = await ann.do(CreateTournament, settings=settings)
        for client in (ann, ben):
            await client.do(JoinTournament, tournament=made.ref)
        await ann.do(StartTournament, tournament=made.ref)
        for message in await service.wait_for(2):
            said = browsers.pop(message.target).read(message.body)
            assert (said["kind"], said["game"], said["by"]) == ("round", "trapgrid", None)
    assert browsers == {}
