"""One lobby on several nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest

from cornered.protocol.commands import (
    AcceptChallenge,
    AskMyMatches,
    AskSeek,
    Challenge,
    CreateSeek,
    Declare,
    EnterPool,
    Join,
    JoinSeek,
    Rematch,
    Resign,
    WatchLobby,
)
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


async def test_every_node_shows_the_tables_players_and_matches_of_all() -> None:
    async with cluster("a", "b", "c") as made:
        ann, ben = await made["b"].come("ann"), await made["c"].come("ben")
        await ben.tell(WatchLobby(id="watch"))
        seek = await ann.ask(CreateSeek, settings=TABLE)
        await after(1)
        assert [one["id"] for one in heard(ben, "lobby_changed")[-1]["seeks"]] == [seek]
        agree(made)
        match = await ben.ask(JoinSeek, seek=seek)
        for client in (ann, ben):
            assert [one["match"] for one in heard(client, "paired")] == [match]
        agree(made)
        assert made["a"].lobby.facts.live_of("ann") == (match,)
        assert list(made["b"].lobby.facts.tables) == []


async def test_a_seat_is_sold_once_to_players_on_two_nodes() -> None:
    async with cluster("a", "b", "c") as made:
        ann, ben, cas = await made["a"].come("ann"), await made["b"].come("ben"), await made["c"].come("cas")
        seek = await ann.ask(CreateSeek, settings=TABLE)
        await asyncio.gather(ben.tell(JoinSeek(id="b", seek=seek)), cas.tell(JoinSeek(id="c", seek=seek)))
        await after(SOON)
        answers = [ben.answer_to("b"), cas.answer_to("c")]
        assert sorted(one["type"] for one in answers if one) == ["acknowledged", "refused"]
        assert len(await made.store.live()) == 1
        agree(made)


async def test_a_challenge_crosses_nodes_and_its_end_too() -> None:
    async with cluster("a", "b", "c") as made:
        ann, ben = await made["b"].come("ann"), await made["c"].come("ben")
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        for client in (ann, ben):
            assert [one["challenge"] for one in heard(client, "challenged")] == [challenge]
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        for client in (ann, ben):
            assert [(one["how"], one["match"]) for one in heard(client, "challenge_closed")] == [("accepted", match)]
            assert [one["match"] for one in heard(client, "paired")] == [match]


async def test_a_match_is_opened_by_the_node_of_who_made_it() -> None:
    async with cluster("a", "b") as made:
        made.table.assign([slot for slot in range(LOBBY_SLOT) if slot % 2], "b")
        made["a"].ownership.learn_all()
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        for challenger, other in ((ann, ben), (ben, ann)) * 3:
            challenge = await challenger.ask(Challenge, to=other.player.id, game=SMALL)
            match = await other.ask(AcceptChallenge, challenge=challenge)
            assert made.table.owners[slot_of(match)][0] == other.node.name
            assert other.node.registry.owned(match) is not None
        agree(made)


async def test_a_bots_places_count_on_all_nodes() -> None:
    async with cluster("a", "b", "c") as made:
        bot = await made["b"].come("bot", kind="bot")
        ann, ben = await made["a"].come("ann"), await made["c"].come("ben")
        await bot.ask(Declare, accepts=(Accepts(game="trapgrid", options={"size": (3,)}),), concurrency=1)
        challenge = await ann.ask(Challenge, to="bot", game=SMALL)
        await bot.ask(AcceptChallenge, challenge=challenge)
        assert await ben.ask(Challenge, to="bot", game=SMALL) == "busy"
        agree(made)


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


async def test_a_player_on_two_nodes_is_here_until_both_are_left() -> None:
    async with cluster("a", "b", "c") as made:
        one, two = await made["b"].come("ann"), await made["c"].come("ann")
        one.leave()
        await after(SOON)
        assert made["a"].lobby.facts.is_here("ann")
        two.leave()
        await after(SOON)
        assert not made["a"].lobby.facts.is_here("ann")
        await after(DEPARTURE_S + 1)
        assert not made["b"].lobby.facts.guests
        agree(made)


async def test_players_of_a_dead_node_are_away() -> None:
    async with cluster("a", "b", "c") as made:
        await made["c"].come("ann")
        assert made["b"].lobby.facts.is_here("ann")
        await made.die("c", "b")
        assert not made["b"].lobby.facts.is_here("ann")
        agree(made)


async def test_names_are_unique_on_all_nodes() -> None:
    async with cluster("a", "b", "c") as made:
        made.network.delay("a", "b", 0.2)
        made.network.delay("a", "c", 0.2)
        one, two = await made["b"].come("x1", shown="Ann"), await made["c"].come("x2", shown="Ann")
        await after(1)
        assert {one.connection.player.name, two.connection.player.name} == {"Ann", "Ann (2)"}
        agree(made)


async def test_a_lost_change_is_noticed_and_the_whole_lobby_comes_again() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        await ben.tell(WatchLobby(id="watch"))
        made.network.drop("a", "b", 1)
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        await after(2)
        agree(made)
        assert [one["challenge"] for one in heard(ben, "challenged")] == [challenge]
        seek = await ann.ask(CreateSeek, settings=TABLE)
        await after(2)
        shown = heard(ben, "lobby")[-1]["seeks"] + [
            one for each in heard(ben, "lobby_changed") for one in each["seeks"]
        ]
        assert seek in [one["id"] for one in shown]


async def test_nodes_that_were_cut_off_agree_again() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        made.network.cut_both("a", "b")
        await ann.ask(CreateSeek, settings=TABLE)
        gone = await made["b"].come("cas")
        gone.leave()
        await made["b"].come("dee")
        await ben.tell(CreateSeek(id="late", settings=TABLE))
        await after(5)
        made.network.mend("a", "b")
        await after(3)
        agree(made)
        assert set(made["a"].lobby.facts.guests) == {"ann", "ben", "dee"}
        answer = ben.answer_to("late")
        assert answer is not None
        assert answer["ref"] in made["a"].lobby.facts.tables


async def test_the_lobby_outlives_its_owner() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        ann, ben, bot = (
            await made["b"].come("ann"),
            await made["c"].come("ben"),
            await made["c"].come("bot", kind="bot"),
        )
        twin = await made["c"].come("ann2", shown="Ann")
        await bot.ask(Declare, accepts=(Accepts(game="trapgrid"),), concurrency=5)
        seek = await ann.ask(CreateSeek, settings=TABLE)
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        before = state(made, "b")
        await made.die("a", "b")
        await after(3)
        agree(made)
        assert state(made, "b") == before
        assert twin.connection.player.name == "Ann (2)"
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        assert [one["match"] for one in heard(ann, "paired")] == [match]
        assert len(heard(ben, "challenged")) == 1
        assert await bot.ask(JoinSeek, seek=seek) in made["c"].lobby.facts.matches
        agree(made)


async def test_a_command_waits_for_the_next_owner() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        ben = await made["c"].come("ben")
        made["a"].kill()
        await ben.tell(CreateSeek(id="late", settings=TABLE))
        await after(3)
        assert ben.answer_to("late") is None
        await made.die("a", "b")
        await after(4)
        answer = ben.answer_to("late")
        assert answer is not None
        assert list(made["b"].lobby.facts.tables) == [answer["ref"]]


async def test_a_command_that_no_owner_answers_is_refused_for_now() -> None:
    async with cluster("a", "b") as made:
        ben = await made["b"].come("ben")
        made["a"].kill()
        await ben.tell(CreateSeek(id="late", settings=TABLE))
        await after(FORWARD_SECONDS + 2)
        answer = ben.answer_to("late")
        assert answer is not None
        assert answer["code"] == "internal"


async def test_an_acknowledged_command_that_is_repeated_at_the_next_owner_is_carried_out_once() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        ben = await made["c"].come("ben")
        made.network.cut("a", "c")
        await ben.tell(CreateSeek(id="once", settings=TABLE))
        await after(SOON)
        assert len(made["b"].lobby.facts.tables) == 1
        await made.die("a", "b")
        await after(4)
        answer = ben.answer_to("once")
        assert answer is not None
        assert list(made["b"].lobby.facts.tables) == [answer["ref"]]
        agree(made)


async def test_a_match_that_was_agreed_is_opened_by_the_next_owner() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        made.table.assign(range(LOBBY_SLOT), "c")
        made["a"].ownership.learn_all()
        ann, ben = await made["b"].come("ann"), await made["c"].come("ben")
        seek = await ann.ask(CreateSeek, settings=TABLE)
        made.network.cut("a", "c")
        await ben.tell(JoinSeek(id="join", seek=seek))
        await after(SOON)
        assert await made.store.live() == []
        await made.die("a", "b")
        await after(4)
        answer = ben.answer_to("join")
        assert answer is not None
        assert [one.match for one in await made.store.live()] == [answer["ref"]]
        for client in (ann, ben):
            assert [one["match"] for one in heard(client, "paired")] == [answer["ref"]]
        agree(made)


async def test_a_planned_handover_loses_nothing() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["c"].come("ben")
        seek = await ann.ask(CreateSeek, settings=TABLE)
        waiting = [made.tasks.create_task(ben.tell(CreateSeek(id=f"t{number}", settings=TABLE))) for number in range(4)]
        await made["a"].ownership.give([LOBBY_SLOT], "b")
        await asyncio.gather(*waiting)
        await after(5)
        refs = {answer["ref"] for number in range(4) if (answer := ben.answer_to(f"t{number}")) is not None}
        assert set(made["b"].lobby.facts.tables) == {seek, *refs}
        assert len(refs) == 4
        agree(made)
        assert await ann.ask(JoinSeek, seek=next(iter(refs))) in made["c"].lobby.facts.matches


async def test_an_owner_that_was_overtaken_unknowingly_tells_nothing_that_is_not_stored() -> None:
    async with cluster("a", "b", "c", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["c"].come("ben")
        made["a"].ownership.is_paused = True
        made["b"].ownership.take([LOBBY_SLOT])
        await after(3)
        await ann.tell(CreateSeek(id="late", settings=TABLE))
        await after(1)
        assert ann.answer_to("late") is None
        assert made["a"].lobby.facts.tables == {}
        made["a"].ownership.is_paused = False
        made["a"].ownership.learn()
        await after(4)
        answer = ann.answer_to("late")
        assert answer is not None
        assert list(made["c"].lobby.facts.tables) == [answer["ref"]]
        assert await ben.ask(JoinSeek, seek=answer["ref"]) is not None
        agree(made)


async def test_what_is_not_stored_is_told_on_no_node() -> None:
    async with cluster("a", "b") as made:
        ben = await made["b"].come("ben")
        made["a"].log.is_away = True
        await ben.tell(CreateSeek(id="late", settings=TABLE))
        await after(3)
        assert made["a"].lobby.facts.tables == made["b"].lobby.facts.tables == {}
        made["a"].log.is_away = False
        await after(3)
        answer = ben.answer_to("late")
        assert answer is not None
        assert list(made["b"].lobby.facts.tables) == [answer["ref"]]


async def test_a_private_table_is_known_by_its_invitation_on_every_node() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        seek = await ann.ask(CreateSeek, settings=SeekSettings(game=SMALL, private=True))
        made["b"].service.ask_seek(ben.connection, AskSeek(id="x", seek=seek))
        assert [info["seek"]["id"] for info in ben.line.of("seek_info")] == [seek]
        assert await ben.ask(JoinSeek, seek=seek) is not None
        made["b"].service.ask_seek(ben.connection, AskSeek(id="gone", seek=seek))
        await after(SOON)
        assert [answer["code"] for answer in ben.line.of("refused")] == ["unknown_seek"]


async def test_a_table_that_is_not_known_here_yet_is_asked_for_at_the_owner() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        made.network.delay("a", "b", 1.0)
        seek = await ann.ask(CreateSeek, settings=SeekSettings(game=SMALL, private=True))
        assert seek not in made["b"].lobby.facts.tables
        made["b"].service.ask_seek(ben.connection, AskSeek(id="x", seek=seek))
        await after(2.5)
        assert [info["seek"]["id"] for info in ben.line.of("seek_info")] == [seek]


async def test_a_large_lobby_comes_in_parts_with_the_changes_between() -> None:
    async with cluster("a", "b") as made:
        ann = await made["a"].come("ann")
        clients = [await made["a"].come(f"p{number}") for number in range(300)]
        for client in clients[:100]:
            await client.tell(CreateSeek(id="t", settings=TABLE))
        made.network.drop("a", "b", 1)
        await ann.tell(CreateSeek(id="t1", settings=TABLE))
        for number, client in enumerate(clients[100:]):
            await client.tell(CreateSeek(id=f"u{number}", settings=TABLE))
            await after(0.01)
        await after(3)
        agree(made)
        assert len(made["b"].lobby.facts.tables) == 301


async def fill(made: Cluster, monkeypatch: pytest.MonkeyPatch) -> list[LobbyPart]:
    """Fill the lobby of `a` with more than ten parts; return the list to which each that it sends is added."""
    parts = list[LobbyPart]()
    send = made["a"].nodes.send

    def record(node: str, message: NodeMessage) -> None:
        if isinstance(message, LobbyPart):
            parts.append(message)
        send(node, message)

    for number in range(25):
        await (await made["a"].come(f"p{number}")).tell(CreateSeek(id="t", settings=TABLE))
    await after(SOON)
    monkeypatch.setattr(lobby_stream, "PART_EVENTS", 5)
    monkeypatch.setattr(made["a"].nodes, "send", record)
    return parts


async def test_a_lobby_whose_parts_come_twice_at_once_lacks_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster("a", "b") as made:
        parts = await fill(made, monkeypatch)
        made.network.cut("a", "b")
        made["a"].lobby.received("b", FollowLobby())
        await until(lambda: parts and parts[-1].is_last)
        assert [part.number for part in parts] == list(range(10))
        mixed = [part for pair in zip(parts[:3], parts[7:], strict=True) for part in pair]
        for part in (*parts[:7], *mixed):
            made["b"].lobby.received("a", part)
        agree(made)
        for part in parts[3:]:
            made["b"].lobby.received("a", part)
        agree(made)
        made.network.mend("a", "b")
        await made["a"].come("late")
        agree(made)


async def test_a_follower_that_asks_again_is_sent_the_lobby_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster("a", "b") as made:
        parts = await fill(made, monkeypatch)
        for _ in range(3):
            made["b"].lobby.link_restored("a")
        made["a"].lobby.link_restored("b")
        await after(SOON)
        assert [part.is_last for part in parts].count(True) == 1
        agree(made)


async def test_a_change_is_not_missed_that_comes_before_the_first_part(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster("a", "b") as made:
        with monkeypatch.context() as patch:
            patch.setattr(made["b"].nodes, "send", lambda *_: None)
            made["b"].lobby.link_restored("a")
        made["a"].lobby.received("b", FollowLobby())
        await made["a"].come("ann")
        assert "ann" in made["b"].lobby.facts.guests
        agree(made)


async def test_a_lobby_comes_also_where_that_takes_long_and_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster("a", "b") as made:
        parts = await fill(made, monkeypatch)
        monkeypatch.setattr(lobby_stream, "PART_PAUSE_S", 0.5)
        made["b"].lobby.link_restored("a")
        for number in range(10):
            await made["a"].come(f"late{number}")
        await after(3)
        assert [part.number for part in parts] == list(range(len(parts)))
        agree(made)


async def test_a_lobby_that_stops_coming_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster("a", "b") as made:
        parts = await fill(made, monkeypatch)
        made["b"].lobby.link_restored("a")
        await until(lambda: len(parts) == 5)
        made.network.drop("a", "b", 1)
        await made["a"].come("late")
        await after(3)
        agree(made)


async def test_a_seat_is_empty_where_its_player_is_on_no_node() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        room = await made["a"].registry.find(match)
        room.join(ann.connection, Join(id="join", match=match))
        assert heard(ann, "snapshot")[-1]["connected"] == [True, True]
        ben.leave()
        await after(SOON)
        assert [one["connected"] for one in heard(ann, "seat_presence")] == [False]


async def test_a_player_finds_the_matches_of_all_nodes() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["b"].come("ann"), await made["b"].come("ben")
        made.table.assign([slot for slot in range(LOBBY_SLOT) if slot % 2], "b")
        made["a"].ownership.learn_all()
        matches = set()
        for number in range(6):
            challenge = await ann.ask(Challenge, to="ben", game=SMALL)
            matches.add(await ben.ask(AcceptChallenge, challenge=challenge, id=f"yes{number}"))
        for name in ("a", "b"):
            shown = await made[name].service.my_matches(ann.connection, AskMyMatches(id="mine"))
            assert {one.id for one in shown.live} == matches


async def test_a_player_whom_one_node_has_welcomed_is_challenged_from_every_other_at_once() -> None:
    async with cluster("a", "b", "c") as made:
        ann, cas = await made["a"].come("ann"), await made["b"].come("cas")
        # What node c tells comes later than the commands of the other nodes.
        made.network.delay("c", "a", SOON * 1.5)
        for challenger, player in ((ann, "ben"), (cas, "dee")):
            challenged = await made["c"].come(player)
            challenge = await challenger.ask(Challenge, seconds=2, to=player, game=SMALL)
            assert [one["challenge"] for one in heard(challenged, "challenged")] == [challenge]
        agree(made)


async def test_a_player_of_whom_the_lobby_has_heard_nothing_is_found() -> None:
    async with cluster("a", "b", "c") as made:
        ann = await made["b"].come("ann")
        made.network.cut("c", "a")
        ben = await made["c"].come("ben")
        await ann.tell(Challenge(id="x", to="ben", game=SMALL))
        made.network.mend("a", "c")
        await after(2)
        assert [one["by"]["id"] for one in heard(ben, "challenged")] == ["ann"]


async def test_a_command_of_a_player_of_whom_the_lobby_has_not_heard_is_carried_out() -> None:
    async with cluster("a", "b") as made:
        ann = await made["b"].come("ann")
        made["b"].nodes.send("a", Visitors(went=("ann",)))
        await after(DEPARTURE_S + 1)
        assert "ann" not in made["a"].lobby.facts.guests
        assert await ann.ask(CreateSeek, seconds=2, settings=TABLE) in made["a"].lobby.facts.tables


async def test_a_player_who_is_on_no_node_is_refused_when_all_have_answered() -> None:
    async with cluster("a", "b", "c") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        for client in (ann, ben):
            assert await client.ask(Challenge, to="nobody", game=SMALL) == "unknown_player"


async def test_a_node_that_does_not_answer_delays_a_refusal_for_a_bounded_time() -> None:
    async with cluster("a", "b", "c") as made:
        ann = await made["b"].come("ann")
        made.network.cut("c", "a")
        waiting = made.tasks.create_task(ann.tell(Challenge(id="x", to="nobody", game=SMALL)))
        await after(ANSWER_SECONDS - 0.2)
        assert ann.answer_to("x") is None
        await after(0.4)
        await waiting
        assert (ann.answer_to("x") or {})["code"] == "unknown_player"


async def test_a_node_that_dies_is_not_waited_for() -> None:
    async with cluster("a", "b", "c") as made:
        ann = await made["b"].come("ann")
        made.network.cut("c", "a")
        await ann.tell(Challenge(id="x", to="nobody", game=SMALL))
        await after(0.1)
        await made.die("c", "b")
        assert (ann.answer_to("x") or {})["code"] == "unknown_player"


async def test_the_searches_for_players_are_bounded() -> None:
    async with cluster("a", "b", "c") as made:
        clients = [await made["b"].come(f"p{number}") for number in range(MAX_SEARCHES // 16 + 1)]
        made.network.cut("c", "a")
        for client in clients:
            for number in range(16):
                await client.tell(Challenge(id=f"x{number}", to=f"nobody{number}", game=SMALL))
        await after(ANSWER_SECONDS / 2)
        answers = [client.answer_to(f"x{number}") for client in clients for number in range(16)]
        assert [answer["code"] for answer in answers if answer is not None] == ["internal"] * 16
        await after(ANSWER_SECONDS)
        answers = [client.answer_to(f"x{number}") for client in clients for number in range(16)]
        assert [answer["code"] for answer in answers if answer is not None].count("unknown_player") == MAX_SEARCHES


async def test_a_node_without_the_lobby_keeps_no_ends_of_matches() -> None:
    async with cluster("a", "b", lobby="a") as made:
        made["b"].lobby.received("a", MatchOver(match="m"))
        assert not made["b"].lobby._owner._ended_meanwhile


async def test_a_match_that_ended_on_another_node_stays_ended_where_it_was_before() -> None:
    async with cluster("a", "b", "c", lobby="c") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        made["b"].ownership.take([slot_of(match)])
        await after(SOON)
        room = await made["b"].registry.find(match)
        room.join(ben.connection, Join(id="join", match=match))
        room.submit(ben.connection, Resign(id="resign", match=match), 0.0)
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
    challenge = await ann.ask(Challenge, to="ben", game=SMALL)
    match = await ben.ask(AcceptChallenge, challenge=challenge)
    room = await made["a"].registry.find(match)
    for client in (ann, ben):
        room.join(client.connection, Join(id="join", match=match))
    room.submit(ann.connection, Resign(id="resign", match=match), 0.0)
    for client in (ann, ben):
        room.submit(client.connection, Rematch(id="rematch", match=match), 0.0)
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


async def test_a_rematch_that_is_released_late_goes_on() -> None:
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        new = await agreed_rematch(made, ann, ben)
        await after(SOON)
        made["b"].service.release_rematch(new)
        await after(3)
        assert made["a"].lobby.facts.matches[new].is_open
        agree(made)


async def test_a_match_is_over_whose_node_was_started_again_before_it_said_so() -> None:
    async with cluster("b", "a", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        room = await made["b"].registry.find(match)
        room.join(ben.connection, Join(id="join", match=match))
        made.network.cut("b", "a")
        room.submit(ben.connection, Resign(id="resign", match=match), 0.0)
        await until(lambda: room.match.over)
        made["b"].kill()
        assert match in made["a"].lobby.facts.matches
        made["b"].ownership.here = replace(made["b"].ownership.here, incarnation="b-2")
        made["a"].ownership.learn()
        await after(SOON)
        assert match not in made["a"].lobby.facts.matches


async def test_ends_of_matches_during_a_take_over_are_bounded_and_none_is_shown_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with cluster("a", "b", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        challenge = await ann.ask(Challenge, to="ben", game=SMALL)
        match = await ben.ask(AcceptChallenge, challenge=challenge)
        room = await made["a"].registry.find(match)
        room.join(ann.connection, Join(id="join", match=match))
        b = made["b"]
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
        room.submit(ann.connection, Resign(id="resign", match=match), 0.0)
        await after(SOON)
        assert room.match.over
        assert match not in b.lobby._owner._ended_meanwhile
        may_go_on.set()
        await after(5)
        assert b.lobby.is_here
        assert match not in b.lobby.facts.matches
        agree(made)


# Pools


async def test_players_on_two_nodes_are_paired() -> None:
    async with cluster("a", "b", lobby="a") as made:
        ann, ben = await made["a"].come("ann"), await made["b"].come("ben")
        for player in (ann, ben):
            assert await player.ask(EnterPool, pool=POOL) is None
        assert ben.line.of("waiting")[-1]["pool"] == POOL
        await after(ROUND_S + SOON)
        (first,), (second,) = ann.line.of("paired"), ben.line.of("paired")
        assert first["match"] == second["match"]
        assert {first["seat"], second["seat"]} == {0, 1}
        assert ben.line.of("waiting")[-1]["pool"] is None
        assert not len(made["b"].lobby.facts.pools)


async def test_the_wait_in_a_pool_outlives_the_lobbys_owner() -> None:
    async with cluster("a", "b", lobby="a") as made:
        ann = await made["b"].come("ann")
        await ann.ask(EnterPool, pool=POOL)
        since = ann.line.of("waiting")[-1]["since"]
        await made.die("a", "b")
        await after(3)
        ben = await made["b"].come("ben")
        await ben.ask(EnterPool, pool=POOL)
        await after(ROUND_S + SOON)
        assert len(ann.line.of("paired")) == 1
        assert all(one["since"] == since for one in ann.line.of("waiting") if one["pool"])


async def test_who_comes_back_is_told_of_the_wait() -> None:
    async with cluster("a", "b", lobby="a") as made:
        ann = await made["a"].come("ann")
        await ann.ask(EnterPool, pool=POOL)
        again = await made["b"].come("ann")
        (waiting,) = again.line.of("waiting")
        assert waiting == ann.line.of("waiting")[-1]
