"""One lobby on several nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest

from cornered.protocol import commands
from cornered.protocol.events import MatchEvent
from cornered.protocol.text import MAX_NAME
from cornered.protocol.values import MAX_VALUES, Accepts, ClockKind, GameSpec, Player, SeekSettings
from cornered.server.cluster.messages import FollowLobby, LobbyPart, MatchOver, NodeMessage, Visitor, Visitors
from cornered.server.cluster.slots import LOBBY_SLOT, slot_of
from cornered.server.lobby.acceptance import check_declared
from cornered.server.lobby.events import DEPARTURE_DELAY_MS
from cornered.server.lobby.pools import offered_pools
from cornered.server.match.match import rematch_id
from cornered.server.ports import JournalUnavailable
from cornered.server.runtime import lobby_stream
from cornered.server.runtime.forwarder import FORWARD_SECONDS
from cornered.server.runtime.lobby_owner import MAX_ENDED
from cornered.server.runtime.match_room import MatchRoom
from cornered.server.runtime.pairing_rounds import ROUND_S
from cornered.server.runtime.player_search import ANSWER_SECONDS, MAX_SEARCHES
from tests.server.lobby_nodes import SOON, Client, Cluster, cluster
from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.virtual_time

SMALL = GameSpec(name="trapgrid", options={"size": 3})
TABLE = SeekSettings(game=SMALL)
POOL = offered_pools()[0].id
DEPARTURE_S = DEPARTURE_DELAY_MS / 1000
WIDE = {ord("0") + digit: chr(0x20000 + digit) for digit in range(10)}
"""Digits as letters that take four bytes each."""


def state(made: Cluster, name: str) -> tuple[Any, ...]:
    """Return what a node shows, for comparison with another one."""
    facts = made[name].lobby.facts
    return (
        {player: guest.presence() for player, guest in facts.guests.items()},
        dict(facts.away),
        facts.tables,
        dict(facts.challenges),
        facts.matches,
    )


def agree(made: Cluster) -> None:
    first, *others = made.nodes
    for other in others:
        assert state(made, other) == state(made, first)


def heard(client: Client, *kinds: str) -> list[dict[str, Any]]:
    return client.line.of(*kinds)


def answered(client: Client, command_id: str) -> dict[str, Any]:
    answer = client.answer_to(command_id)
    assert answer is not None, f"{command_id} is not answered"
    return answer


async def matched(challenger: Client, other: Client) -> str:
    """Have a player challenge another one, who accepts; return the match."""
    challenge = await challenger.ask(commands.Challenge, to=other.player.id, game=SMALL)
    match: str = await other.ask(commands.AcceptChallenge, challenge=challenge)
    return match


async def room_of(client: Client, match: str) -> MatchRoom:
    """Have a client join a match at its node."""
    room = await client.node.registry.find(match)
    room.join(client.connection, commands.Join(id="join", match=match))
    return room


async def test_every_node_shows_the_tables_players_and_matches_of_all(three: Cluster) -> None:
    ann, ben = await three["b"].come("ann"), await three["c"].come("ben")
    await ben.tell(commands.WatchLobby(id="watch"))
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    await after(1)
    assert [one["id"] for one in heard(ben, "lobby_changed")[-1]["seeks"]] == [seek]
    agree(three)
    match = await ben.ask(commands.JoinSeek, seek=seek)
    for client in (ann, ben):
        assert [one["match"] for one in heard(client, "paired")] == [match]
    agree(three)
    assert three["a"].lobby.facts.live_of("ann") == (match,)
    assert list(three["b"].lobby.facts.tables) == []


async def test_a_seat_is_sold_once_to_players_on_two_nodes(three: Cluster) -> None:
    ann, ben, cas = await three["a"].come("ann"), await three["b"].come("ben"), await three["c"].come("cas")
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    await asyncio.gather(ben.tell(commands.JoinSeek(id="b", seek=seek)), cas.tell(commands.JoinSeek(id="c", seek=seek)))
    await after(SOON)
    answers = [ben.answer_to("b"), cas.answer_to("c")]
    assert sorted(one["type"] for one in answers if one) == ["acknowledged", "refused"]
    assert len(await three.store.live()) == 1
    agree(three)


async def test_a_challenge_crosses_nodes_and_its_end_too(three: Cluster) -> None:
    ann, ben = await three["b"].come("ann"), await three["c"].come("ben")
    challenge = await ann.ask(commands.Challenge, to="ben", game=SMALL)
    for client in (ann, ben):
        assert [one["challenge"] for one in heard(client, "challenged")] == [challenge]
    match = await ben.ask(commands.AcceptChallenge, challenge=challenge)
    for client in (ann, ben):
        assert [(one["how"], one["match"]) for one in heard(client, "challenge_closed")] == [("accepted", match)]
        assert [one["match"] for one in heard(client, "paired")] == [match]


async def test_a_match_is_opened_by_the_node_of_who_made_it(two: Cluster) -> None:
    two.table.assign([slot for slot in range(LOBBY_SLOT) if slot % 2], "b")
    two["a"].ownership.learn_all()
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    for challenger, other in ((ann, ben), (ben, ann)) * 3:
        challenge = await challenger.ask(commands.Challenge, to=other.player.id, game=SMALL)
        match = await other.ask(commands.AcceptChallenge, challenge=challenge)
        assert two.table.owners[slot_of(match)][0] == other.node.name
        assert other.node.registry.owned(match) is not None
    agree(two)


async def test_a_bots_places_count_on_all_nodes(three: Cluster) -> None:
    bot = await three["b"].come("bot", kind="bot")
    ann, ben = await three["a"].come("ann"), await three["c"].come("ben")
    await bot.ask(commands.Declare, accepts=(Accepts(game="trapgrid", options={"size": (3,)}),), concurrency=1)
    challenge = await ann.ask(commands.Challenge, to="bot", game=SMALL)
    await bot.ask(commands.AcceptChallenge, challenge=challenge)
    assert await ben.ask(commands.Challenge, to="bot", game=SMALL) == "busy"
    agree(three)


async def test_the_longest_declarations_of_many_bots_reach_every_node() -> None:
    """A message that is too large is dropped, and its receiver does not learn that there was one."""
    longest: ClockKind = "correspondence"
    clocks = (longest,) * len(get_args(ClockKind))
    accepts = Accepts(game="isolation", options={"dice": (False,) * MAX_VALUES}, clocks=clocks)
    check_declared(accepts)
    async with cluster("a", "b") as made:
        for number in range(210):
            name = f"{number:0>{MAX_NAME}}".translate(WIDE)
            bot = Player(id=f"{number:0>32}", name=name, kind="bot")
            visitor = Visitor(player=bot, address="2001:db8:1234:5678::/64", accepts=(accepts,) * 16, concurrency=200)
            made["b"].lobby.came(visitor)
        await after(2)
        made.network.cut_both("a", "b")
        await made["a"].come("ann")
        made["b"].lobby.went(bot.id)
        await after(5)
        made.network.mend("a", "b")
        await after(5)
        agree(made)
        assert len(made["a"].lobby.facts.guests) == 211
        assert not made["a"].lobby.facts.is_here(bot.id)
        assert all(len(guest.accepts) == 16 for guest in made["b"].lobby.facts.guests.values() if guest.concurrency)


async def test_a_player_on_two_nodes_is_here_until_both_are_left_or_dead(three: Cluster) -> None:
    one, two, _ = await three["b"].come("ann"), await three["c"].come("ann"), await three["c"].come("ben")
    one.leave()
    await after(SOON)
    assert three["a"].lobby.facts.is_here("ann")
    two.leave()
    await after(SOON)
    assert not three["a"].lobby.facts.is_here("ann")
    assert three["b"].lobby.facts.is_here("ben")
    await three.die("c", "b")
    assert not three["b"].lobby.facts.is_here("ben")
    agree(three)
    await after(DEPARTURE_S + 1)
    assert not three["b"].lobby.facts.guests
    agree(three)


async def test_names_are_unique_on_all_nodes(three: Cluster) -> None:
    three.network.delay("a", "b", 0.2)
    three.network.delay("a", "c", 0.2)
    one, two = await three["b"].come("x1", shown="Ann"), await three["c"].come("x2", shown="Ann")
    await after(1)
    assert {one.connection.player.name, two.connection.player.name} == {"Ann", "Ann (2)"}
    agree(three)


async def test_a_lost_change_is_noticed_and_the_whole_lobby_comes_again(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    await ben.tell(commands.WatchLobby(id="watch"))
    two.network.drop("a", "b", 1)
    challenge = await ann.ask(commands.Challenge, to="ben", game=SMALL)
    await after(2)
    agree(two)
    assert [one["challenge"] for one in heard(ben, "challenged")] == [challenge]
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    await after(2)
    shown = heard(ben, "lobby")[-1]["seeks"] + [one for each in heard(ben, "lobby_changed") for one in each["seeks"]]
    assert seek in [one["id"] for one in shown]


async def test_nodes_that_were_cut_off_agree_again(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    two.network.cut_both("a", "b")
    await ann.ask(commands.CreateSeek, settings=TABLE)
    gone = await two["b"].come("cas")
    gone.leave()
    await two["b"].come("dee")
    await ben.tell(commands.CreateSeek(id="late", settings=TABLE))
    await after(5)
    two.network.mend("a", "b")
    await after(3)
    agree(two)
    assert set(two["a"].lobby.facts.guests) == {"ann", "ben", "dee"}
    answer = answered(ben, "late")
    assert answer["ref"] in two["a"].lobby.facts.tables


async def test_the_lobby_outlives_its_owner(three: Cluster) -> None:
    ann, ben, bot = (
        await three["b"].come("ann"),
        await three["c"].come("ben"),
        await three["c"].come("bot", kind="bot"),
    )
    twin = await three["c"].come("ann2", shown="Ann")
    await bot.ask(commands.Declare, accepts=(Accepts(game="trapgrid"),), concurrency=5)
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    challenge = await ann.ask(commands.Challenge, to="ben", game=SMALL)
    before = state(three, "b")
    await three.die("a", "b")
    await after(3)
    agree(three)
    assert state(three, "b") == before
    assert twin.connection.player.name == "Ann (2)"
    match = await ben.ask(commands.AcceptChallenge, challenge=challenge)
    assert [one["match"] for one in heard(ann, "paired")] == [match]
    assert len(heard(ben, "challenged")) == 1
    assert await bot.ask(commands.JoinSeek, seek=seek) in three["c"].lobby.facts.matches
    agree(three)


async def test_a_command_waits_for_the_next_owner_and_is_refused_for_now_without_one(three: Cluster) -> None:
    ben = await three["c"].come("ben")
    three["a"].kill()
    await ben.tell(commands.CreateSeek(id="early", settings=TABLE))
    await after(FORWARD_SECONDS + 2)
    assert answered(ben, "early")["code"] == "internal"
    await ben.tell(commands.CreateSeek(id="late", settings=TABLE))
    await after(3)
    assert ben.answer_to("late") is None
    await three.die("a", "b")
    await after(4)
    assert list(three["b"].lobby.facts.tables) == [answered(ben, "late")["ref"]]


async def test_an_acknowledged_command_that_is_repeated_at_the_next_owner_is_carried_out_once(three: Cluster) -> None:
    ben = await three["c"].come("ben")
    three.network.cut("a", "c")
    await ben.tell(commands.CreateSeek(id="once", settings=TABLE))
    await after(SOON)
    assert len(three["b"].lobby.facts.tables) == 1
    await three.die("a", "b")
    await after(4)
    answer = answered(ben, "once")
    assert list(three["b"].lobby.facts.tables) == [answer["ref"]]
    agree(three)


async def test_a_match_that_was_agreed_is_opened_by_the_next_owner(three: Cluster) -> None:
    three.table.assign(range(LOBBY_SLOT), "c")
    three["a"].ownership.learn_all()
    ann, ben = await three["b"].come("ann"), await three["c"].come("ben")
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    three.network.cut("a", "c")
    await ben.tell(commands.JoinSeek(id="join", seek=seek))
    await after(SOON)
    assert await three.store.live() == []
    await three.die("a", "b")
    await after(4)
    answer = answered(ben, "join")
    assert [one.match for one in await three.store.live()] == [answer["ref"]]
    for client in (ann, ben):
        assert [one["match"] for one in heard(client, "paired")] == [answer["ref"]]
    agree(three)


async def test_a_planned_handover_loses_nothing(three: Cluster) -> None:
    ann, ben = await three["a"].come("ann"), await three["c"].come("ben")
    seek = await ann.ask(commands.CreateSeek, settings=TABLE)
    waiting = [
        three.tasks.create_task(ben.tell(commands.CreateSeek(id=f"t{number}", settings=TABLE))) for number in range(4)
    ]
    await three["a"].ownership.give([LOBBY_SLOT], "b")
    await asyncio.gather(*waiting)
    await after(5)
    refs = {answer["ref"] for number in range(4) if (answer := ben.answer_to(f"t{number}")) is not None}
    assert set(three["b"].lobby.facts.tables) == {seek, *refs}
    assert len(refs) == 4
    agree(three)
    assert await ann.ask(commands.JoinSeek, seek=next(iter(refs))) in three["c"].lobby.facts.matches


async def test_an_owner_that_was_overtaken_unknowingly_tells_nothing_that_is_not_stored(three: Cluster) -> None:
    ann, ben = await three["a"].come("ann"), await three["c"].come("ben")
    three["a"].ownership.is_paused = True
    three["b"].ownership.take([LOBBY_SLOT])
    await after(3)
    await ann.tell(commands.CreateSeek(id="late", settings=TABLE))
    await after(1)
    assert ann.answer_to("late") is None
    assert three["a"].lobby.facts.tables == {}
    three["a"].ownership.is_paused = False
    three["a"].ownership.learn()
    await after(4)
    answer = answered(ann, "late")
    assert list(three["c"].lobby.facts.tables) == [answer["ref"]]
    assert await ben.ask(commands.JoinSeek, seek=answer["ref"]) is not None
    agree(three)


async def test_what_is_not_stored_is_told_on_no_node(two: Cluster) -> None:
    ben = await two["b"].come("ben")
    two["a"].log.is_away = True
    await ben.tell(commands.CreateSeek(id="late", settings=TABLE))
    await after(3)
    assert two["a"].lobby.facts.tables == two["b"].lobby.facts.tables == {}
    two["a"].log.is_away = False
    await after(3)
    answer = answered(ben, "late")
    assert list(two["b"].lobby.facts.tables) == [answer["ref"]]


async def test_a_private_table_is_known_by_its_invitation_on_every_node(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    seek = await ann.ask(commands.CreateSeek, settings=SeekSettings(game=SMALL, private=True))
    two["b"].service.ask_seek(ben.connection, commands.AskSeek(id="x", seek=seek))
    assert [info["seek"]["id"] for info in ben.line.of("seek_info")] == [seek]
    assert await ben.ask(commands.JoinSeek, seek=seek) is not None
    two["b"].service.ask_seek(ben.connection, commands.AskSeek(id="gone", seek=seek))
    await after(SOON)
    assert [answer["code"] for answer in ben.line.of("refused")] == ["unknown_seek"]


async def test_a_table_that_is_not_known_here_yet_is_asked_for_at_the_owner(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    two.network.delay("a", "b", 1.0)
    seek = await ann.ask(commands.CreateSeek, settings=SeekSettings(game=SMALL, private=True))
    assert seek not in two["b"].lobby.facts.tables
    two["b"].service.ask_seek(ben.connection, commands.AskSeek(id="x", seek=seek))
    await after(2.5)
    assert [info["seek"]["id"] for info in ben.line.of("seek_info")] == [seek]


async def test_a_large_lobby_comes_in_parts_with_the_changes_between(
    two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_stream, "PART_EVENTS", 40)
    clients = [await two["a"].come(f"p{number}") for number in range(60)]
    for client in clients[:20]:
        await client.tell(commands.CreateSeek(id="t", settings=TABLE))
    two.network.drop("a", "b", 1)
    for number, client in enumerate(clients):
        await client.tell(commands.CreateSeek(id=f"u{number}", settings=TABLE))
        await after(0.01)
    await after(3)
    agree(two)
    assert len(two["b"].lobby.facts.tables) == 80


async def fill(made: Cluster, monkeypatch: pytest.MonkeyPatch) -> list[LobbyPart]:
    """Fill the lobby of `a` with more than ten parts; return the list to which each that it sends is added."""
    parts = list[LobbyPart]()
    send = made["a"].nodes.send

    def record(node: str, message: NodeMessage) -> None:
        if isinstance(message, LobbyPart):
            parts.append(message)
        send(node, message)

    for number in range(25):
        await (await made["a"].come(f"p{number}")).tell(commands.CreateSeek(id="t", settings=TABLE))
    await after(SOON)
    monkeypatch.setattr(lobby_stream, "PART_EVENTS", 5)
    monkeypatch.setattr(made["a"].nodes, "send", record)
    return parts


async def test_a_lobby_whose_parts_come_twice_at_once_lacks_none(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = await fill(two, monkeypatch)
    two.network.cut("a", "b")
    two["a"].lobby.received("b", FollowLobby())
    await until(lambda: parts and parts[-1].is_last)
    assert [part.number for part in parts] == list(range(10))
    mixed = [part for pair in zip(parts[:3], parts[7:], strict=True) for part in pair]
    for part in (*parts[:7], *mixed):
        two["b"].lobby.received("a", part)
    agree(two)
    for part in parts[3:]:
        two["b"].lobby.received("a", part)
    agree(two)
    two.network.mend("a", "b")
    await two["a"].come("late")
    agree(two)


async def test_a_follower_that_asks_again_is_sent_the_lobby_once(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = await fill(two, monkeypatch)
    for _ in range(3):
        two["b"].lobby.link_restored("a")
    two["a"].lobby.link_restored("b")
    await after(SOON)
    assert [part.is_last for part in parts].count(True) == 1
    agree(two)


async def test_a_change_is_not_missed_that_comes_before_the_first_part(
    two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(two["b"].nodes, "send", lambda *_: None)
        two["b"].lobby.link_restored("a")
    two["a"].lobby.received("b", FollowLobby())
    await two["a"].come("ann")
    assert "ann" in two["b"].lobby.facts.guests
    agree(two)


async def test_a_lobby_comes_also_where_that_takes_long_and_it_changes(
    two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = await fill(two, monkeypatch)
    monkeypatch.setattr(lobby_stream, "PART_PAUSE_S", 0.5)
    two["b"].lobby.link_restored("a")
    for number in range(10):
        await two["a"].come(f"late{number}")
    await after(3)
    assert [part.number for part in parts] == list(range(len(parts)))
    agree(two)


async def test_a_lobby_that_stops_coming_is_asked_for_again(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = await fill(two, monkeypatch)
    two["b"].lobby.link_restored("a")
    await until(lambda: len(parts) == 5)
    two.network.drop("a", "b", 1)
    await two["a"].come("late")
    await after(3)
    agree(two)


async def test_a_seat_is_empty_where_its_player_is_on_no_node(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    match = await matched(ann, ben)
    await room_of(ann, match)
    assert heard(ann, "snapshot")[-1]["connected"] == [True, True]
    ben.leave()
    await after(SOON)
    assert [one["connected"] for one in heard(ann, "seat_presence")] == [False]


async def test_a_player_finds_the_matches_of_all_nodes(two: Cluster) -> None:
    ann, ben = await two["b"].come("ann"), await two["b"].come("ben")
    two.table.assign([slot for slot in range(LOBBY_SLOT) if slot % 2], "b")
    two["a"].ownership.learn_all()
    matches = set()
    for number in range(6):
        challenge = await ann.ask(commands.Challenge, to="ben", game=SMALL)
        matches.add(await ben.ask(commands.AcceptChallenge, challenge=challenge, id=f"yes{number}"))
    for name in ("a", "b"):
        shown = await two[name].service.my_matches(ann.connection, commands.AskMyMatches(id="mine"))
        assert {one.id for one in shown.live} == matches


async def test_a_player_whom_one_node_has_welcomed_is_challenged_from_every_other_at_once(three: Cluster) -> None:
    ann, cas = await three["a"].come("ann"), await three["b"].come("cas")
    # What node c tells comes later than the commands of the other nodes.
    three.network.delay("c", "a", SOON * 1.5)
    for challenger, player in ((ann, "ben"), (cas, "dee")):
        challenged = await three["c"].come(player)
        challenge = await challenger.ask(commands.Challenge, seconds=2, to=player, game=SMALL)
        assert [one["challenge"] for one in heard(challenged, "challenged")] == [challenge]
    agree(three)


async def test_a_player_of_whom_the_lobby_has_heard_nothing_is_found(three: Cluster) -> None:
    ann = await three["b"].come("ann")
    three.network.cut("c", "a")
    ben = await three["c"].come("ben")
    await ann.tell(commands.Challenge(id="x", to="ben", game=SMALL))
    three.network.mend("a", "c")
    await after(2)
    assert [one["by"]["id"] for one in heard(ben, "challenged")] == ["ann"]


async def test_a_command_of_a_player_of_whom_the_lobby_has_not_heard_is_carried_out(two: Cluster) -> None:
    ann = await two["b"].come("ann")
    two["b"].nodes.send("a", Visitors(went=("ann",)))
    await after(DEPARTURE_S + 1)
    assert "ann" not in two["a"].lobby.facts.guests
    assert await ann.ask(commands.CreateSeek, seconds=2, settings=TABLE) in two["a"].lobby.facts.tables


async def test_a_player_who_is_on_no_node_is_refused_when_all_that_live_have_answered_or_had_time_to(
    three: Cluster,
) -> None:
    ann, ben = await three["a"].come("ann"), await three["b"].come("ben")
    for client in (ann, ben):
        assert await client.ask(commands.Challenge, to="nobody", game=SMALL) == "unknown_player"
    three.network.cut("c", "a")
    waiting = three.tasks.create_task(ben.tell(commands.Challenge(id="x", to="nobody", game=SMALL)))
    await after(ANSWER_SECONDS - 0.2)
    assert ben.answer_to("x") is None
    await after(0.4)
    await waiting
    assert answered(ben, "x")["code"] == "unknown_player"
    await ben.tell(commands.Challenge(id="y", to="nobody", game=SMALL))
    await after(0.1)
    await three.die("c", "b")
    assert answered(ben, "y")["code"] == "unknown_player"


async def test_the_searches_for_players_are_bounded(three: Cluster) -> None:
    clients = [await three["b"].come(f"p{number}") for number in range(MAX_SEARCHES // 16 + 1)]
    three.network.cut("c", "a")
    for client in clients:
        for number in range(16):
            await client.tell(commands.Challenge(id=f"x{number}", to=f"nobody{number}", game=SMALL))
    await after(ANSWER_SECONDS / 2)
    answers = [client.answer_to(f"x{number}") for client in clients for number in range(16)]
    assert [answer["code"] for answer in answers if answer is not None] == ["internal"] * 16
    await after(ANSWER_SECONDS)
    answers = [client.answer_to(f"x{number}") for client in clients for number in range(16)]
    assert [answer["code"] for answer in answers if answer is not None].count("unknown_player") == MAX_SEARCHES


async def test_a_node_without_the_lobby_keeps_no_ends_of_matches(two: Cluster) -> None:
    two["b"].lobby.received("a", MatchOver(match="m"))
    assert not two["b"].lobby._owner._ended_meanwhile


async def test_a_match_that_ended_on_another_node_stays_ended_where_it_was_before() -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        match = await matched(ann, ben)
        made["b"].ownership.take([slot_of(match)])
        await after(SOON)
        room = await room_of(ben, match)
        room.submit(ben.connection, commands.Resign(id="resign", match=match), 0.0)
        await after(SOON)
        made["a"].ownership.take([slot_of(match)])
        await after(SOON)
        made["a"].lobby.link_restored("c")
        await after(SOON)
        assert match not in made["c"].lobby.facts.matches
        assert [len(heard(client, "paired")) for client in (ann, ben)] == [1, 1]
        agree(made)


async def agreed_rematch(made: Cluster, ann: Client, ben: Client) -> str:
    """Have two players of `a` agree on a rematch; return its id."""
    match = await matched(ann, ben)
    room = await made["a"].registry.find(match)
    for client in (ann, ben):
        room.join(client.connection, commands.Join(id="join", match=match))
    room.submit(ann.connection, commands.Resign(id="resign", match=match), 0.0)
    for client in (ann, ben):
        room.submit(client.connection, commands.Rematch(id="rematch", match=match), 0.0)
    return rematch_id(match)


@pytest.mark.parametrize("is_stored", [True, False])
async def test_a_rematch_that_one_node_could_not_store_goes_on_where_it_is_stored(
    monkeypatch: pytest.MonkeyPatch, *, is_stored: bool
) -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        append = made["a"].journal.append

        async def fail(match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            if expected_seq == 0:
                if is_stored:
                    await append(match, expected_seq, events)
                raise JournalUnavailable("the store is away")
            await append(match, expected_seq, events)

        new = await agreed_rematch(made, ann, ben)
        monkeypatch.setattr(made["a"].journal, "append", fail)
        await until(lambda: heard(ann, "refused") or heard(ben, "refused"))
        made["b"].ownership.take([slot_of(new)])
        await after(SOON)
        assert (new in made["c"].lobby.facts.matches) == is_stored
        made["a"].lobby.link_restored("c")
        await after(3)
        assert (new in made["c"].lobby.facts.matches) == is_stored
        agree(made)


async def test_a_rematch_that_is_released_late_goes_on(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["a"].come("ben")
    new = await agreed_rematch(two, ann, ben)
    await after(SOON)
    two["b"].service.release_rematch(new)
    await after(3)
    assert two["a"].lobby.facts.matches[new].is_open
    agree(two)


async def test_a_match_is_over_whose_node_was_started_again_before_it_said_so() -> None:
    async with cluster("b", "a", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        match = await matched(ann, ben)
        room = await room_of(ben, match)
        made.network.cut("b", "a")
        room.submit(ben.connection, commands.Resign(id="resign", match=match), 0.0)
        await until(lambda: room.match.over)
        made["b"].kill()
        assert match in made["a"].lobby.facts.matches
        made["b"].ownership.here = replace(made["b"].ownership.here, incarnation="b-2")
        made["a"].ownership.learn()
        await after(SOON)
        assert match not in made["a"].lobby.facts.matches


async def test_ends_of_matches_during_a_take_over_are_bounded_and_none_is_shown_for_ever(
    two: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, ben = await two["a"].come("ann"), await two["a"].come("ben")
    match = await matched(ann, ben)
    room = await room_of(ann, match)
    b = two["b"]
    read_live, have_read, may_go_on = b.journal.live, asyncio.Event(), asyncio.Event()

    async def live(*slots: Any) -> Any:
        found = await read_live(*slots)
        have_read.set()
        await may_go_on.wait()
        return found

    monkeypatch.setattr(b.journal, "live", live)
    b.ownership.take([LOBBY_SLOT])
    await have_read.wait()
    for number in range(MAX_ENDED + 10):
        b.lobby.received("a", MatchOver(match=f"x{number}"))
    assert len(b.lobby._owner._ended_meanwhile) == MAX_ENDED
    room.submit(ann.connection, commands.Resign(id="resign", match=match), 0.0)
    await after(SOON)
    assert room.match.over
    assert match not in b.lobby._owner._ended_meanwhile
    may_go_on.set()
    await after(5)
    assert b.lobby.is_here
    assert match not in b.lobby.facts.matches
    agree(two)


# Pools


async def test_players_on_two_nodes_are_paired(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    for player in (ann, ben):
        assert await player.ask(commands.EnterPool, pool=POOL) is None
    assert ben.line.of("waiting")[-1]["pool"] == POOL
    await after(ROUND_S + SOON)
    (first,), (second,) = ann.line.of("paired"), ben.line.of("paired")
    assert first["match"] == second["match"]
    assert {first["seat"], second["seat"]} == {0, 1}
    assert ben.line.of("waiting")[-1]["pool"] is None
    assert not len(two["b"].lobby.facts.pools)


async def test_the_wait_in_a_pool_outlives_the_lobbys_owner(two: Cluster) -> None:
    ann = await two["b"].come("ann")
    await ann.ask(commands.EnterPool, pool=POOL)
    since = ann.line.of("waiting")[-1]["since"]
    await two.die("a", "b")
    await after(3)
    ben = await two["b"].come("ben")
    await ben.ask(commands.EnterPool, pool=POOL)
    await after(ROUND_S + SOON)
    assert len(ann.line.of("paired")) == 1
    assert all(one["since"] == since for one in ann.line.of("waiting") if one["pool"])


async def test_who_comes_back_is_told_of_the_wait(two: Cluster) -> None:
    ann = await two["a"].come("ann")
    await ann.ask(commands.EnterPool, pool=POOL)
    again = await two["b"].come("ann")
    (waiting,) = again.line.of("waiting")
    assert waiting == ann.line.of("waiting")[-1]
