"""Classes and clubs on running servers: code, roles, lines, and who may not; on one node and from another."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import pytest

from cornered.protocol import account as acc
from cornered.protocol.commands import (
    AskArchive,
    AskHeadToHead,
    AskHistory,
    AskMyMatches,
    AskOpening,
    AskStudy,
    AskTv,
    Join,
    Leave,
    Play,
    Resign,
    Say,
    WatchLobby,
)
from cornered.protocol.events import ClocksPaused, ClocksResumed, Ended
from cornered.protocol.groups import (
    AskGroup,
    AskGroups,
    ChangeGroup,
    CloseGroup,
    CreateGroup,
    GroupChanged,
    GroupMessage,
    GroupState,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    RenewGroupCode,
    RevokeGroupCode,
    SetGroupRole,
    TellGroup,
)
from cornered.protocol.messages import Happened, Paired
from cornered.protocol.moderation import Ban
from cornered.protocol.tournaments import (
    AskPairings,
    AskStandings,
    AskTournament,
    AskTournaments,
    CancelTournament,
    CreateTournament,
    ForfeitPlayer,
    JoinTournament,
    PairByHand,
    PauseTournament,
    ResumeTournament,
    StartTournament,
    TellTournament,
    TournamentChanged,
    TournamentFormat,
    TournamentMessage,
    TournamentSettings,
    WatchTournament,
)
from cornered.protocol.values import Command, Fischer
from cornered.server.runtime.guesses import ADDRESS_GUESSES, PLAYER_GUESSES, Guesses
from cornered.server.runtime.tallies import KEPT, Allowance, Tally
from cornered.server.streams.ports import StaleStream
from tests.server.conftest import SMALL, Client, Running, Start, Stores
from tests.server.test_accounts import register
from tests.server.test_moderation import admin_of
from tests.server.test_tournaments import crowd


@contextlib.asynccontextmanager
async def teacher_of(server: Running, name: str = "Tess") -> AsyncIterator[Client]:
    """Connect a player with an account."""
    async with server.client(name) as teacher:
        await register(teacher, name)
        yield teacher


async def created(teacher: Client, **fields: Any) -> tuple[str, str]:
    """Return a new group's id and code."""
    made = await teacher.do(CreateGroup, name="Class 7b", **fields)
    assert made.ref is not None
    code = (await state(teacher, made.ref)).code
    assert code is not None
    return made.ref, code


@contextlib.asynccontextmanager
async def class_of(server: Running) -> AsyncIterator[tuple[Client, Sequence[Client], str]]:
    """Connect a teacher and the three members of its group; yield them and the group's id."""
    async with teacher_of(server) as teacher, crowd(server, 3) as members:
        group, code = await created(teacher)
        for member in members:
            await member.do(JoinGroup, code=code)
        yield teacher, members, group


async def state(client: Client, group: str) -> GroupState:
    answer = await client.ask(AskGroup, group=group)
    assert isinstance(answer, GroupState), answer
    return answer


async def test_guests_join_by_the_code_and_hear_what_the_teacher_says(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        assert (await ann.do(JoinGroup, code=code.lower())).ref == group
        assert (await tess.hear(GroupChanged, lambda told: told.seq == 2)).group == group
        await tess.do(TellGroup, group=group, text="Round two begins")
        told = await ann.hear(GroupMessage)
        assert (told.name, told.line.text, told.line.by.name) == ("Class 7b", "Round two begins", "Tess")
        shown = await state(ann, group)
        assert [(one.player.name, one.role, one.here) for one in shown.members] == [
            ("Tess", "teacher", True),
            ("Ann", "member", True),
        ]
        assert shown.code is None
        assert [line.text for line in shown.told] == ["Round two begins"]
        (listed,) = (await ann.ask(AskGroups)).groups
        assert (listed.id, listed.members, listed.role) == (group, 2, "member")


async def test_a_group_is_created_with_an_account(running_server: Start) -> None:
    async with running_server() as server, server.client("Ann") as ann:
        assert await ann.refused(CreateGroup, name="Club") == "no_account"


async def test_an_export_has_ones_groups_and_what_one_is_there(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        other, _ = await created(tess)
        await ann.do(JoinGroup, code=code)
        await tess.do(CloseGroup, group=other)
        for client, role in ((tess, "teacher"), (ann, "member")):
            (found,) = json.loads((await client.ask(acc.AskExport)).text)["groups"]
            since = next(one.since for one in (await state(tess, group)).members if one.player.id == client.player.id)
            assert found == {"id": group, "name": "Class 7b", "role": role, "since": since}
        await ann.do(LeaveGroup, group=group)
        assert json.loads((await ann.ask(acc.AskExport)).text)["groups"] == []


async def test_a_repeated_command_makes_no_second_group(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess:
        first = await tess.do(CreateGroup, id="once", name="Club")
        assert (await tess.do(CreateGroup, id="once", name="Club")).ref == first.ref
        assert len((await tess.ask(AskGroups)).groups) == 1
        await tess.do(CloseGroup, group=first.ref)
        assert await tess.refused(CreateGroup, id="once", name="Club") == "conflict"


async def test_groups_are_the_same_after_a_restart(running_server: Start) -> None:
    async with running_server() as server:
        async with teacher_of(server) as tess, server.client("Ann") as ann:
            group, code = await created(tess)
            closed, _ = await created(tess)
            await tess.do(CloseGroup, group=closed)
            await ann.do(JoinGroup, code=code)
            before = await state(tess, group)
        token = tess.welcome.token
    async with running_server() as server, server.client(token=token) as tess:
        after = await state(tess, group)
        assert (after.seq, after.code, [one.player for one in after.members]) == (
            before.seq,
            code,
            [one.player for one in before.members],
        )
        assert [one.here for one in after.members] == [True, False]
        assert await tess.refused(AskGroup, group=closed) == "unknown_group"


async def test_two_nodes_see_one_group(running_server: Start) -> None:
    """Two servers over the same stores; each follows what the other one stores."""
    async with (
        running_server() as one,
        running_server() as two,
        teacher_of(one) as tess,
        two.client("Ann") as ann,
    ):
        group, code = await created(tess)
        await ann.do(JoinGroup, code=code)
        await tess.hear(GroupChanged, lambda told: told.seq == 2)
        await tess.do(TellGroup, group=group, text="Hello")
        assert (await ann.hear(GroupMessage)).line.text == "Hello"
        # A command that meets a newer state is decided again.
        await tess.do(ChangeGroup, group=group, name="Class 8b", guests=True)
        await ann.do(LeaveGroup, group=group)
        assert (await tess.hear(GroupChanged, lambda told: told.seq == 5)).is_over is False
        assert len((await state(tess, group)).members) == 1


async def test_a_removed_member_and_those_of_a_closed_group_hear_that_it_is_over(running_server: Start) -> None:
    async with (
        running_server() as server,
        teacher_of(server) as tess,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        group, code = await created(tess)
        for member in (ann, ben):
            await member.do(JoinGroup, code=code)
        await tess.do(RemoveMember, group=group, player=ann.player.id)
        assert (await ann.hear(GroupChanged, lambda told: told.is_over)).group == group
        assert await ann.refused(AskGroup, group=group) == "unknown_group"
        await tess.do(CloseGroup, group=group)
        assert (await ben.hear(GroupChanged, lambda told: told.is_over)).group == group
        assert (await ben.ask(AskGroups)).groups == ()


async def test_a_teacher_hands_over_to_a_member_with_an_account(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        await ann.do(JoinGroup, code=code)
        assert await tess.refused(LeaveGroup, group=group) == "last_teacher"
        hand_over = {"group": group, "player": ann.player.id, "role": "teacher"}
        assert await tess.refused(SetGroupRole, **hand_over) == "no_account"
        await register(ann)
        await tess.do(SetGroupRole, **hand_over)
        await tess.do(LeaveGroup, group=group)
        code = (await ann.do(RenewGroupCode, group=group)).ref or ""
        assert (await state(ann, group)).code == code
        # The name is today's.
        assert (await state(ann, group)).members[0].player.name == "Anna"


async def test_the_name_of_a_deleted_player_is_not_shown(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        await ann.do(JoinGroup, code=code)
        await ann.ask(acc.DeleteAccount)
        assert [one.player.name for one in (await state(tess, group)).members] == ["Tess", "deleted"]


async def test_a_muted_teacher_sends_no_lines_and_names_no_group(running_server: Start, stores: Stores) -> None:
    async with running_server() as server, admin_of(server, stores) as admin, teacher_of(server) as tess:
        group, _ = await created(tess)
        await admin.do(Ban, player=tess.player.id, measure="mute", grounds="Insults")
        assert await tess.refused(TellGroup, group=group, text="Hello") == "muted"
        assert await tess.refused(CreateGroup, name="Another class") == "muted"
        assert await tess.refused(ChangeGroup, group=group, name="Hello", guests=False) == "muted"
        await tess.do(ChangeGroup, group=group, name="Class 7b", guests=False)


async def test_codes_cannot_be_tried_for_long(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        for number in range(PLAYER_GUESSES):
            assert await ann.refused(JoinGroup, code=f"WRONG{number}") == "unknown_code"
        assert await ann.refused(JoinGroup, code=code) == "too_fast"
        async with server.client("Ben") as ben:
            assert (await ben.do(JoinGroup, code=code)).ref == group


async def test_wrong_codes_of_an_address_are_counted_whoever_names_them() -> None:
    guesses = Guesses()
    for number in range(ADDRESS_GUESSES):
        guesses.check(f"p{number}", "school")
        guesses.failed(f"p{number}", "school")
    with pytest.raises(Exception, match="too many codes"):
        guesses.check("another", "school")
    guesses.check("another", "home")


async def test_of_players_and_addresses_so_many_are_remembered() -> None:
    tally = Tally(player=Allowance(1, 1), address=Allowance(1, 1))
    for number in range(KEPT):
        tally.count(f"q{number}", f"a{number}")
    assert len(tally) == KEPT


TEACHERS: Final[dict[type[Command], dict[str, Any]]] = {
    ChangeGroup: {"name": "Mine", "guests": True},
    RenewGroupCode: {},
    RevokeGroupCode: {},
    SetGroupRole: {"role": "teacher"},
    RemoveMember: {},
    CloseGroup: {},
    TellGroup: {"text": "Hello"},
}


@pytest.mark.parametrize("kind", TEACHERS, ids=lambda kind: kind.__name__)
async def test_neither_members_nor_other_teachers_do_what_teachers_do_on_any_node(
    running_server: Start, stores: Stores, kind: type[Command]
) -> None:
    async with running_server() as one, running_server() as two, teacher_of(one) as tess, two.client("Ann") as ann:
        group, code = await created(tess)
        await ann.do(JoinGroup, code=code)
        fields = {"group": group, **TEACHERS[kind]}
        if "player" in kind.model_fields:
            fields["player"] = tess.player.id
        stored = await stores.streams.newest("group")
        for server in (one, two):
            async with server.client(token=ann.welcome.token) as member, teacher_of(server, f"Tom{id(server)}") as tom:
                await tom.do(CreateGroup, name="Other")
                stored += 1
                assert await member.refused(kind, **fields) == "not_permitted"
                assert await tom.refused(kind, **fields) == "unknown_group"
                assert await tom.refused(AskGroup, group=group) == "unknown_group"
        assert await stores.streams.newest("group") == stored


async def test_a_node_that_is_behind_decides_again(running_server: Start, stores: Stores) -> None:
    append, calls = stores.streams.append, 0

    async def stale(kind: str, stream: str, expected: int, bodies: Any, *, is_closed: bool = False) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise StaleStream(stream)
        return await append(kind, stream, expected, bodies, is_closed=is_closed)

    stores.streams.append = stale  # type: ignore[method-assign]
    async with running_server() as server, teacher_of(server) as tess:
        group, _ = await created(tess)
        await tess.do(TellGroup, group=group, text="Hello")
        assert [line.text for line in (await state(tess, group)).told] == ["Hello"]


async def test_a_group_that_is_damaged_harms_no_other(running_server: Start, stores: Stores) -> None:
    async with running_server() as server, teacher_of(server) as tess:
        lost, _ = await created(tess)
        kept, _ = await created(tess)
        await stores.streams.append("group", lost, 1, ['{"type": "from another version"}'])
        await tess.do(TellGroup, group=kept, text="Hello")
        assert await tess.refused(AskGroup, group=lost) == "unknown_group"
        token = tess.welcome.token
    async with running_server() as server, server.client(token=token) as tess:
        assert await tess.refused(AskGroup, group=lost) == "unknown_group"
        assert [line.text for line in (await state(tess, kept)).told] == ["Hello"]


# Events of a group


async def event_of(teacher: Client, group: str, format: TournamentFormat = "by_hand") -> str:
    """Return a new tournament of a group."""
    settings = TournamentSettings(
        name="Tuesday", format=format, game=SMALL, clock=Fischer(initial=60), pause=None, group=group
    )
    return (await teacher.do(CreateTournament, settings=settings)).ref or ""


async def test_a_teacher_pairs_by_hand_and_pauses_the_clocks_of_all_boards(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, crowd(server, 4) as members:
        group, code = await created(tess)
        for member in members:
            await member.do(JoinGroup, code=code)
        event = await event_of(tess, group)
        for member in members:
            await member.do(JoinTournament, tournament=event)
        await tess.do(StartTournament, tournament=event)
        first, second, third, fourth = (member.player.id for member in members)
        await tess.do(PairByHand, tournament=event, pairs=((first, second), (third, fourth)))
        matches = [(await member.hear(Paired)).match for member in members]
        for member, match in zip(members, matches, strict=True):
            await member.join(match)
        await tess.do(PauseTournament, tournament=event)
        for member in members:
            await member.hear(Happened, lambda told: any(isinstance(one, ClocksPaused) for one in told.events))
        assert await members[0].refused(Play, match=matches[0], ply=0, move="a2") == "paused"
        await tess.do(ResumeTournament, tournament=event)
        for member in members:
            await member.hear(Happened, lambda told: any(isinstance(one, ClocksResumed) for one in told.events))
        await members[0].do(Play, match=matches[0], ply=0, move="a2")


async def test_only_members_see_and_enter_an_event_of_a_group_on_any_node(running_server: Start) -> None:
    async with (
        running_server() as one,
        running_server() as two,
        teacher_of(one) as tess,
        two.client("Ann") as ann,
        two.client("Eve") as eve,
    ):
        group, code = await created(tess)
        event = await event_of(tess, group)
        await ann.do(JoinGroup, code=code)
        await ann.do(JoinTournament, tournament=event)
        assert len((await ann.ask(AskTournaments, group=group)).tournaments) == 1
        for kind, fields in (
            (AskTournament, {"tournament": event}),
            (JoinTournament, {"tournament": event}),
            (AskTournaments, {"group": group}),
        ):
            assert await eve.refused(kind, **fields) == "unknown_group"
        settings = TournamentSettings(name="Mine", format="swiss", game=SMALL, clock=Fischer(initial=60), group=group)
        assert await ann.refused(CreateTournament, settings=settings) == "not_permitted"
        assert await eve.refused(CreateTournament, settings=settings) == "unknown_group"
        # Who is no member any more sees it no more.
        await tess.do(RemoveMember, group=group, player=ann.player.id)
        await ann.hear(GroupChanged, lambda told: told.is_over)
        assert await ann.refused(AskTournament, tournament=event) == "unknown_group"


async def first_match_of(teacher: Client, event: str, players: tuple[Client, Client]) -> str:
    """Start an event that is paired by hand, and return its first match."""
    for player in players:
        await player.do(JoinTournament, tournament=event)
    await teacher.do(StartTournament, tournament=event)
    await teacher.do(PairByHand, tournament=event, pairs=(tuple(player.player.id for player in players),))
    for player in players:
        match = (await player.hear(Paired)).match
    return match


async def test_a_live_game_of_an_event_is_watched_by_its_group_alone(
    running_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.runtime.lobby_service.WELL_KNOWN_PLIES", 1)
    async with (
        running_server() as server,
        class_of(server) as (tess, (ann, ben, cas), group),
        server.client("Eve") as eve,
    ):
        match = await first_match_of(tess, await event_of(tess, group), (ann, ben))
        for watcher in (tess, cas):
            assert (await watcher.join(match)).private
        await ann.do(Play, match=match, ply=0, move="a2")
        await cas.hear(Happened)
        assert len((await cas.ask(AskHistory, match=match)).moves) == 1
        await cas.do(Say, match=match, room="spectators", text="Well played")
        for stranger in (cas, eve):
            # Members see the game where they look for it, and it is on no list of everybody's.
            assert (await stranger.ask(AskTv)).matches == ()
            assert (await stranger.ask(WatchLobby)).matches == ()
        for kind in (Join, AskHistory):
            assert await eve.refused(kind, match=match) == "private"
        # A watcher may be the player in another window; to strangers a refusal would tell of the game.
        position = {"game": SMALL, "position": "x../0../..1 1"}
        assert await cas.refused(AskStudy, **position) == "not_now"
        assert await eve.refused(AskStudy, **position) == "no_analyst"
        # Who is no member any more sees the game no more.
        await tess.do(RemoveMember, group=group, player=cas.player.id)
        assert (await cas.hear(GroupChanged, lambda told: told.is_over)).group == group
        for kind in (Join, AskHistory):
            assert await cas.refused(kind, match=match) == "private"
        assert await cas.refused(Say, match=match, room="spectators", text="Hello") == "private"
        await ann.do(Resign, match=match)
        await tess.hear(Happened, lambda told: any(isinstance(one, Ended) for one in told.events))
        await cas.ask(AskGroups)
        assert not any(isinstance(message, Happened) for message in cas.heard)


async def test_the_organiser_watches_the_games_of_a_group_that_is_closed(running_server: Start) -> None:
    async with running_server() as server, class_of(server) as (tess, (ann, ben, cas), group):
        match = await first_match_of(tess, await event_of(tess, group), (ann, ben))
        for watcher in (tess, ann, cas):
            await watcher.join(match)
        await tess.do(CloseGroup, group=group)
        await cas.hear(GroupChanged, lambda told: told.is_over)
        await ann.do(Play, match=match, ply=0, move="a2")
        for watcher in (tess, ann):
            await watcher.hear(Happened)
        await cas.ask(AskGroups)
        assert not any(isinstance(message, Happened) for message in cas.heard)


async def test_a_finished_game_of_an_event_is_found_by_its_group_alone(running_server: Start) -> None:
    async with (
        running_server() as server,
        class_of(server) as (tess, (ann, ben, cas), group),
        server.client("Eve") as eve,
    ):
        event = await event_of(tess, group)
        match = await first_match_of(tess, event, (ann, ben))
        await cas.join(match)
        await ann.do(Play, match=match, ply=0, move="a2")
        await ben.do(Resign, match=match)
        await cas.hear(Happened, lambda told: any(isinstance(one, Ended) for one in told.events))
        await cas.do(Leave, match=match)

        both = {"player": ann.player.id, "opponent": ben.player.id}
        for asker in (cas, eve):
            for fields in ({}, both):
                assert (await asker.ask(AskArchive, **fields)).matches == ()
            assert (await asker.ask(AskHeadToHead, **both)).games == ()
            assert (await asker.ask(AskOpening, game=SMALL, moves=())).games == 0
        assert (await server.fetch(f"/matches/{match}.txt")).status == 404
        assert match not in (await server.fetch("/archive.jsonl")).body
        assert await eve.refused(Join, match=match) == "private"
        assert await eve.refused(AskPairings, tournament=event) == "unknown_group"
        assert (await server.fetch(f"/tournaments/{event}.csv")).status == 404

        # Its players find it among their own, and the group by the event.
        assert [one.id for one in (await ann.ask(AskArchive, player=ann.player.id)).matches] == [match]
        assert [one.id for one in (await ben.ask(AskMyMatches)).finished] == [match]
        (pairing,) = (await cas.ask(AskPairings, tournament=event)).pairings
        assert (pairing.match, pairing.points) == (match, (1.0, 0.0))
        assert [one.points for one in (await cas.ask(AskStandings, tournament=event)).standings] == [1.0, 0.0]
        assert (await cas.join(match)).private


LEADERS: Final[dict[type[Command], dict[str, Any]]] = {
    StartTournament: {},
    CancelTournament: {},
    PairByHand: {"pairs": (("a", "b"),)},
    PauseTournament: {},
    ResumeTournament: {},
    TellTournament: {"text": "Hello"},
    ForfeitPlayer: {"player": "a"},
}


@pytest.mark.parametrize("kind", LEADERS, ids=lambda kind: kind.__name__)
async def test_an_event_is_led_by_the_teachers_of_its_group_alone_on_any_node(
    running_server: Start, kind: type[Command]
) -> None:
    async with running_server() as one, running_server() as two, teacher_of(one) as tess, two.client("Ann") as ann:
        group, code = await created(tess)
        event = await event_of(tess, group)
        await ann.do(JoinGroup, code=code)
        fields = {"tournament": event, **LEADERS[kind]}
        for server in (one, two):
            async with server.client(token=ann.welcome.token) as member, teacher_of(server, f"Tom{id(server)}") as tom:
                await tom.do(CreateGroup, name="Other")
                assert await member.refused(kind, **fields) == "not_yours"
                assert await tom.refused(kind, **fields) == "unknown_group"


async def test_another_teacher_of_the_group_leads_its_event_too(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, teacher_of(server, "Tom") as tom:
        group, code = await created(tess)
        event = await event_of(tess, group)
        await tom.do(JoinGroup, code=code)
        assert await tom.refused(CancelTournament, tournament=event) == "not_yours"
        await tess.do(SetGroupRole, group=group, player=tom.player.id, role="teacher")
        await tom.do(CancelTournament, tournament=event)


async def test_who_is_removed_from_a_group_leads_and_watches_its_events_no_more(running_server: Start) -> None:
    async with (
        running_server() as server,
        teacher_of(server) as tess,
        teacher_of(server, "Tom") as tom,
        server.client("Ann") as ann,
    ):
        group, code = await created(tess)
        for member in (tom, ann):
            await member.do(JoinGroup, code=code)
        await tess.do(SetGroupRole, group=group, player=tom.player.id, role="teacher")
        event = await event_of(tom, group)
        for watcher in (tess, ann):
            await watcher.ask(WatchTournament, tournament=event)
        for member in (tom, ann):
            await tess.do(RemoveMember, group=group, player=member.player.id)
        assert await tom.refused(CancelTournament, tournament=event) == "unknown_group"
        await tess.do(JoinTournament, tournament=event)
        await tess.hear(TournamentChanged)
        await ann.ask(AskGroups)
        assert not any(isinstance(message, TournamentChanged) for message in ann.heard)


async def test_who_is_removed_from_a_group_gets_no_lines_of_its_events(running_server: Start) -> None:
    async with (
        running_server() as server,
        teacher_of(server) as tess,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        group, code = await created(tess)
        event = await event_of(tess, group)
        for member in (ann, ben):
            await member.do(JoinGroup, code=code)
            await member.do(JoinTournament, tournament=event)
        await tess.do(RemoveMember, group=group, player=ann.player.id)
        await ann.hear(GroupChanged, lambda told: told.is_over)
        await tess.do(TellTournament, tournament=event, text="Round two begins")
        assert (await ben.hear(TournamentMessage)).text == "Round two begins"
        await ann.ask(AskGroups)
        assert not any(isinstance(message, TournamentMessage) for message in ann.heard)


async def test_the_organiser_of_an_event_leads_it_to_its_end_when_the_group_is_closed(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess:
        group, _ = await created(tess)
        event = await event_of(tess, group)
        await tess.do(CloseGroup, group=group)
        await tess.do(CancelTournament, tournament=event)
