"""Classes and clubs on running servers: code, roles, lines, and who may not; on one node and from another."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import pytest

from cornered.protocol import account as acc
from cornered.protocol import commands as cmd
from cornered.protocol import groups as grp
from cornered.protocol import tournaments as trn
from cornered.protocol.events import Ended
from cornered.protocol.messages import Happened, Paired
from cornered.protocol.moderation import Ban
from cornered.protocol.values import Command, Fischer
from cornered.server.runtime.guesses import ADDRESS_GUESSES, PLAYER_GUESSES, Guesses
from cornered.server.runtime.tallies import KEPT, Allowance, Tally
from cornered.server.streams.ports import StaleStream
from tests.server.conftest import PLENTY, SMALL, Client, Running, Start, Stores
from tests.server.scenes import PASSWORD, admin_of, crowd, register


@contextlib.asynccontextmanager
async def teacher_of(server: Running, name: str = "Tess") -> AsyncIterator[Client]:
    """Connect a player with an account."""
    async with server.client(name) as teacher:
        await register(teacher, name)
        yield teacher


async def created(teacher: Client, **fields: Any) -> tuple[str, str]:
    """Return a new group's id and code."""
    made = await teacher.do(grp.CreateGroup, name="Class 7b", **fields)
    assert made.ref is not None
    code = (await state(teacher, made.ref)).code
    assert code is not None
    return made.ref, code


Joins = Callable[..., Awaitable[None]]


@pytest.fixture
async def tess(server: Running) -> AsyncIterator[Client]:
    async with teacher_of(server) as tess:
        yield tess


@pytest.fixture
async def group(tess: Client) -> str:
    """A group of Tess's."""
    return (await created(tess))[0]


@pytest.fixture
async def join(tess: Client, group: str) -> Joins:
    """Return the function that makes clients members of the group."""
    code = (await state(tess, group)).code

    async def join(*members: Client) -> None:
        for member in members:
            await member.do(grp.JoinGroup, code=code)

    return join


@pytest.fixture
async def members(server: Running, join: Joins) -> AsyncIterator[list[Client]]:
    """Three members of the group."""
    async with crowd(server, 3) as members:
        await join(*members)
        yield members


async def state(client: Client, group: str) -> grp.GroupState:
    answer = await client.ask(grp.AskGroup, group=group)
    assert isinstance(answer, grp.GroupState), answer
    return answer


async def test_guests_join_by_the_code_and_hear_what_the_teacher_says(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        assert (await ann.do(grp.JoinGroup, code=code.lower())).ref == group
        assert (await tess.hear(grp.GroupChanged, lambda told: told.seq == 2)).group == group
        await tess.do(grp.TellGroup, group=group, text="Round two begins")
        told = await ann.hear(grp.GroupMessage)
        assert (told.name, told.line.text, told.line.by.name) == ("Class 7b", "Round two begins", "Tess")
        shown = await state(ann, group)
        assert [(one.player.name, one.role, one.here) for one in shown.members] == [
            ("Tess", "teacher", True),
            ("Ann", "member", True),
        ]
        assert shown.code is None
        assert [line.text for line in shown.told] == ["Round two begins"]
        (listed,) = (await ann.ask(grp.AskGroups)).groups
        assert (listed.id, listed.members, listed.role) == (group, 2, "member")


async def test_an_export_has_ones_groups_and_what_one_is_there(
    tess: Client, group: str, join: Joins, ann: Client
) -> None:
    other, _ = await created(tess)
    await join(ann)
    await tess.do(grp.CloseGroup, group=other)
    for client, role in ((tess, "teacher"), (ann, "member")):
        (found,) = json.loads((await client.ask(acc.AskExport)).text)["groups"]
        since = next(one.since for one in (await state(tess, group)).members if one.player.id == client.player.id)
        assert found == {"id": group, "name": "Class 7b", "role": role, "since": since}
    await ann.do(grp.LeaveGroup, group=group)
    assert json.loads((await ann.ask(acc.AskExport)).text)["groups"] == []


async def test_a_repeated_command_makes_no_second_group(tess: Client) -> None:
    first = await tess.do(grp.CreateGroup, id="once", name="Club")
    assert (await tess.do(grp.CreateGroup, id="once", name="Club")).ref == first.ref
    await tess.do(grp.ChangeGroup, group=first.ref, name="Team", guests=True)
    assert (await tess.do(grp.CreateGroup, id="once", name="Club")).ref == first.ref
    assert await tess.refused(grp.CreateGroup, id="once", name="Team") == "id_reused"
    assert len((await tess.ask(grp.AskGroups)).groups) == 1
    await tess.do(grp.CloseGroup, group=first.ref)
    assert await tess.refused(grp.CreateGroup, id="once", name="Club") == "conflict"


async def test_groups_are_the_same_after_a_restart(running_server: Start) -> None:
    async with running_server() as server:
        async with teacher_of(server) as tess, server.client("Ann") as ann:
            group, code = await created(tess)
            closed, _ = await created(tess)
            await tess.do(grp.CloseGroup, group=closed)
            await ann.do(grp.JoinGroup, code=code)
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
        assert await tess.refused(grp.AskGroup, group=closed) == "unknown_group"


async def test_two_nodes_see_one_group(running_server: Start) -> None:
    """Two servers over the same stores; each follows what the other one stores."""
    async with running_server() as one, running_server() as two, teacher_of(one) as tess, two.client("Ann") as ann:
        group, code = await created(tess)
        await ann.do(grp.JoinGroup, code=code)
        await tess.hear(grp.GroupChanged, lambda told: told.seq == 2)
        await tess.do(grp.TellGroup, group=group, text="Hello")
        assert (await ann.hear(grp.GroupMessage)).line.text == "Hello"
        # A command that meets a newer state is decided again.
        await tess.do(grp.ChangeGroup, group=group, name="Class 8b", guests=True)
        await ann.do(grp.LeaveGroup, group=group)
        assert (await tess.hear(grp.GroupChanged, lambda told: told.seq == 5)).is_over is False
        assert len((await state(tess, group)).members) == 1


async def test_a_removed_member_and_those_of_a_closed_group_hear_that_it_is_over(
    tess: Client, group: str, join: Joins, ann: Client, ben: Client
) -> None:
    await join(ann, ben)
    await tess.do(grp.RemoveMember, group=group, player=ann.player.id)
    assert (await ann.hear(grp.GroupChanged, lambda told: told.is_over)).group == group
    assert await ann.refused(grp.AskGroup, group=group) == "unknown_group"
    await tess.do(grp.CloseGroup, group=group)
    assert (await ben.hear(grp.GroupChanged, lambda told: told.is_over)).group == group
    assert (await ben.ask(grp.AskGroups)).groups == ()


async def test_a_teacher_hands_over_to_a_member_with_an_account(
    tess: Client, group: str, join: Joins, ann: Client
) -> None:
    await join(ann)
    assert await tess.refused(grp.LeaveGroup, group=group) == "last_teacher"
    hand_over = {"group": group, "player": ann.player.id, "role": "teacher"}
    assert await tess.refused(grp.SetGroupRole, **hand_over) == "no_account"
    await register(ann)
    await tess.do(grp.SetGroupRole, **hand_over)
    await tess.do(grp.LeaveGroup, group=group)
    code = (await ann.do(grp.RenewGroupCode, group=group)).ref or ""
    assert (await state(ann, group)).code == code
    # The name is today's.
    assert (await state(ann, group)).members[0].player.name == "Anna"


async def test_the_name_of_a_deleted_player_is_not_shown(server: Running, tess: Client, group: str) -> None:
    async with teacher_of(server, "Tom") as tom:
        await tom.do(grp.JoinGroup, code=(await state(tess, group)).code)
        await tess.do(grp.SetGroupRole, group=group, player=tom.player.id, role="teacher")
        await tom.do(grp.TellGroup, group=group, text="Hello")
        await tom.ask(acc.DeleteAccount, password=PASSWORD)
    assert [line.by.name for line in (await state(tess, group)).told] == ["deleted"]


async def test_a_muted_teacher_sends_no_lines_and_names_no_group(
    server: Running, stores: Stores, tess: Client, group: str
) -> None:
    async with admin_of(server, stores) as admin:
        await admin.do(Ban, player=tess.player.id, measure="mute", grounds="Insults")
    assert await tess.refused(grp.TellGroup, group=group, text="Hello") == "muted"
    assert await tess.refused(grp.CreateGroup, name="Another class") == "muted"
    assert await tess.refused(grp.ChangeGroup, group=group, name="Hello", guests=False) == "muted"
    await tess.do(grp.ChangeGroup, group=group, name="Class 7b", guests=False)


async def test_codes_cannot_be_tried_for_long(running_server: Start) -> None:
    async with running_server() as server, teacher_of(server) as tess, server.client("Ann") as ann:
        group, code = await created(tess)
        for number in range(PLAYER_GUESSES):
            assert await ann.refused(grp.JoinGroup, code=f"WRONG{number}") == "unknown_code"
        assert await ann.refused(grp.JoinGroup, code=code) == "too_fast"
        async with server.client("Ben") as ben:
            assert (await ben.do(grp.JoinGroup, code=code)).ref == group


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
        await tess.do(grp.TellGroup, group=group, text="Hello")
        assert [line.text for line in (await state(tess, group)).told] == ["Hello"]


async def test_a_group_that_is_damaged_harms_no_other(running_server: Start, stores: Stores) -> None:
    async with running_server() as server, teacher_of(server) as tess:
        lost, _ = await created(tess)
        kept, _ = await created(tess)
        await stores.streams.append("group", lost, 1, ['{"type": "from another version"}'])
        await tess.do(grp.TellGroup, group=kept, text="Hello")
        assert await tess.refused(grp.AskGroup, group=lost) == "unknown_group"
        token = tess.welcome.token
    async with running_server() as server, server.client(token=token) as tess:
        assert await tess.refused(grp.AskGroup, group=lost) == "unknown_group"
        assert [line.text for line in (await state(tess, kept)).told] == ["Hello"]


# Events of a group


async def event_of(teacher: Client, group: str, format: trn.TournamentFormat = "by_hand") -> str:
    """Return a new tournament of a group."""
    settings = trn.TournamentSettings(
        name="Tuesday", format=format, game=SMALL, clock=Fischer(initial=60), pause=None, group=group
    )
    return (await teacher.do(trn.CreateTournament, settings=settings)).ref or ""


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
        await ann.do(grp.JoinGroup, code=code)
        await ann.do(trn.JoinTournament, tournament=event)
        assert len((await ann.ask(trn.AskTournaments, group=group)).tournaments) == 1
        for kind, fields in (
            (trn.AskTournament, {"tournament": event}),
            (trn.JoinTournament, {"tournament": event}),
            (trn.AskTournaments, {"group": group}),
        ):
            assert await eve.refused(kind, **fields) == "unknown_group"
        settings = trn.TournamentSettings(
            name="Mine", format="swiss", game=SMALL, clock=Fischer(initial=60), group=group
        )
        assert await ann.refused(trn.CreateTournament, settings=settings) == "not_permitted"
        assert await eve.refused(trn.CreateTournament, settings=settings) == "unknown_group"
        # Who is no member any more sees it no more.
        await tess.do(grp.RemoveMember, group=group, player=ann.player.id)
        await ann.hear(grp.GroupChanged, lambda told: told.is_over)
        assert await ann.refused(trn.AskTournament, tournament=event) == "unknown_group"


async def first_match_of(teacher: Client, event: str, players: tuple[Client, Client]) -> str:
    """Start an event that is paired by hand, and return its first match."""
    for player in players:
        await player.do(trn.JoinTournament, tournament=event)
    await teacher.do(trn.StartTournament, tournament=event)
    await teacher.do(trn.PairByHand, tournament=event, pairs=(tuple(player.player.id for player in players),))
    for player in players:
        match = (await player.hear(Paired)).match
    return match


async def test_a_live_game_of_an_event_is_watched_by_its_group_alone(
    tess: Client, group: str, members: list[Client], eve: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cas = members
    monkeypatch.setattr("cornered.server.runtime.lobby_service.WELL_KNOWN_PLIES", 1)
    match = await first_match_of(tess, await event_of(tess, group), (ann, ben))
    for watcher in (tess, cas):
        assert (await watcher.join(match)).private
    await ann.do(cmd.Play, match=match, ply=0, move="a2")
    await cas.hear(Happened)
    assert len((await cas.ask(cmd.AskHistory, match=match)).moves) == 1
    await cas.do(cmd.Say, match=match, room="spectators", text="Well played")
    for stranger in (cas, eve):
        # Members see the game where they look for it, and it is on no list of everybody's.
        assert (await stranger.ask(cmd.AskTv)).matches == ()
        assert (await stranger.ask(cmd.WatchLobby)).matches == ()
    for kind in (cmd.Join, cmd.AskHistory):
        assert await eve.refused(kind, match=match) == "private"
    # A watcher may be the player in another window; to strangers a refusal would tell of the game.
    position = {"game": SMALL, "position": "x../0../..1 1"}
    assert await cas.refused(cmd.AskStudy, **position) == "not_now"
    assert await eve.refused(cmd.AskStudy, **position) == "no_analyst"
    # Who is no member any more sees the game no more.
    await tess.do(grp.RemoveMember, group=group, player=cas.player.id)
    assert (await cas.hear(grp.GroupChanged, lambda told: told.is_over)).group == group
    for kind in (cmd.Join, cmd.AskHistory):
        assert await cas.refused(kind, match=match) == "private"
    assert await cas.refused(cmd.Say, match=match, room="spectators", text="Hello") == "private"
    await ann.do(cmd.Resign, match=match)
    await tess.hear(Happened, lambda told: any(isinstance(one, Ended) for one in told.events))
    await cas.ask(grp.AskGroups)
    assert not any(isinstance(message, Happened) for message in cas.heard)


async def test_the_organiser_watches_the_games_of_a_group_that_is_closed(
    tess: Client, group: str, members: list[Client]
) -> None:
    ann, ben, cas = members
    match = await first_match_of(tess, await event_of(tess, group), (ann, ben))
    for watcher in (tess, ann, cas):
        await watcher.join(match)
    await tess.do(grp.CloseGroup, group=group)
    await cas.hear(grp.GroupChanged, lambda told: told.is_over)
    await ann.do(cmd.Play, match=match, ply=0, move="a2")
    for watcher in (tess, ann):
        await watcher.hear(Happened)
    await cas.ask(grp.AskGroups)
    assert not any(isinstance(message, Happened) for message in cas.heard)


async def test_a_finished_game_of_an_event_is_found_by_its_group_alone(
    server: Running, tess: Client, group: str, members: list[Client], eve: Client
) -> None:
    ann, ben, cas = members
    event = await event_of(tess, group)
    match = await first_match_of(tess, event, (ann, ben))
    await cas.join(match)
    await ann.do(cmd.Play, match=match, ply=0, move="a2")
    await ben.do(cmd.Resign, match=match)
    await cas.hear(Happened, lambda told: any(isinstance(one, Ended) for one in told.events))
    await cas.do(cmd.Leave, match=match)

    both = {"player": ann.player.id, "opponent": ben.player.id}
    for asker in (cas, eve):
        for fields in ({}, both):
            assert (await asker.ask(cmd.AskArchive, **fields)).matches == ()
        assert (await asker.ask(cmd.AskHeadToHead, **both)).games == ()
        assert (await asker.ask(cmd.AskOpening, game=SMALL, moves=())).games == 0
    assert (await server.fetch(f"/matches/{match}.txt")).status == 404
    assert match not in (await server.fetch("/archive.jsonl")).body
    assert await eve.refused(cmd.Join, match=match) == "private"
    assert await eve.refused(trn.AskPairings, tournament=event) == "unknown_group"
    assert (await server.fetch(f"/tournaments/{event}.csv")).status == 404

    # Its players find it among their own, and the group by the event.
    assert [one.id for one in (await ann.ask(cmd.AskArchive, player=ann.player.id)).matches] == [match]
    assert [one.id for one in (await ben.ask(cmd.AskMyMatches)).finished] == [match]
    (pairing,) = (await cas.ask(trn.AskPairings, tournament=event)).pairings
    assert (pairing.match, pairing.points) == (match, (1.0, 0.0))
    assert [one.points for one in (await cas.ask(trn.AskStandings, tournament=event)).standings] == [1.0, 0.0]
    assert (await cas.join(match)).private


TEACHERS: Final[tuple[tuple[type[Command], dict[str, Any]], ...]] = (
    (grp.ChangeGroup, {"name": "Mine", "guests": True}),
    (grp.RenewGroupCode, {}),
    (grp.RevokeGroupCode, {}),
    (grp.SetGroupRole, {"role": "teacher"}),
    (grp.RemoveMember, {}),
    (grp.CloseGroup, {}),
    (grp.TellGroup, {"text": "Hello"}),
)
LEADERS: Final[tuple[tuple[type[Command], dict[str, Any]], ...]] = (
    (trn.StartTournament, {}),
    (trn.CancelTournament, {}),
    (trn.PairByHand, {"pairs": (("a", "b"),)}),
    (trn.PauseTournament, {}),
    (trn.ResumeTournament, {}),
    (trn.TellTournament, {"text": "Hello"}),
    (trn.ForfeitPlayer, {"player": "a"}),
)


async def test_a_group_and_its_events_are_led_by_its_teachers_alone_on_any_node(
    running_server: Start, stores: Stores, subtests: pytest.Subtests
) -> None:
    async with (
        running_server(**PLENTY) as one,
        running_server(**PLENTY) as two,
        teacher_of(one) as tess,
        two.client("Ann") as ann,
    ):
        group, code = await created(tess)
        event = await event_of(tess, group)
        await ann.do(grp.JoinGroup, code=code)
        commands = [(kind, {"group": group, **fields}, "not_permitted") for kind, fields in TEACHERS]
        commands += [(kind, {"tournament": event, **fields}, "not_yours") for kind, fields in LEADERS]
        for server, name in ((one, "Tom"), (two, "Tim")):
            async with server.client(token=ann.welcome.token) as member, teacher_of(server, name) as other:
                await other.do(grp.CreateGroup, name="Other")
                assert await other.refused(grp.AskGroup, group=group) == "unknown_group"
                stored = [await stores.streams.newest(kind) for kind in ("group", "tournament")]
                for kind, fields, code in commands:
                    if kind in (grp.SetGroupRole, grp.RemoveMember):
                        fields["player"] = tess.player.id
                    with subtests.test(kind.__name__, server=name):
                        assert await member.refused(kind, **fields) == code
                        assert await other.refused(kind, **fields) == "unknown_group"
                assert [await stores.streams.newest(kind) for kind in ("group", "tournament")] == stored


async def test_another_teacher_of_the_group_leads_its_event_too(
    server: Running, tess: Client, group: str, join: Joins
) -> None:
    async with teacher_of(server, "Tom") as tom:
        event = await event_of(tess, group)
        await join(tom)
        assert await tom.refused(trn.CancelTournament, tournament=event) == "not_yours"
        await tess.do(grp.SetGroupRole, group=group, player=tom.player.id, role="teacher")
        await tom.do(trn.CancelTournament, tournament=event)


async def test_who_is_removed_from_a_group_leads_and_watches_its_events_no_more(
    server: Running, tess: Client, group: str, join: Joins, ann: Client
) -> None:
    async with teacher_of(server, "Tom") as tom:
        await join(tom, ann)
        await tess.do(grp.SetGroupRole, group=group, player=tom.player.id, role="teacher")
        event = await event_of(tom, group)
        for watcher in (tess, ann):
            await watcher.ask(trn.WatchTournament, tournament=event)
        for member in (tom, ann):
            await tess.do(grp.RemoveMember, group=group, player=member.player.id)
        assert await tom.refused(trn.CancelTournament, tournament=event) == "unknown_group"
        await tess.do(trn.JoinTournament, tournament=event)
        await tess.hear(trn.TournamentChanged)
        await ann.ask(grp.AskGroups)
        assert not any(isinstance(message, trn.TournamentChanged) for message in ann.heard)


async def test_who_is_removed_from_a_group_gets_no_lines_of_its_events(
    tess: Client, group: str, join: Joins, ann: Client, ben: Client
) -> None:
    event = await event_of(tess, group)
    await join(ann, ben)
    for member in (ann, ben):
        await member.do(trn.JoinTournament, tournament=event)
    await tess.do(grp.RemoveMember, group=group, player=ann.player.id)
    await ann.hear(grp.GroupChanged, lambda told: told.is_over)
    await tess.do(trn.TellTournament, tournament=event, text="Round two begins")
    assert (await ben.hear(trn.TournamentMessage)).text == "Round two begins"
    await ann.ask(grp.AskGroups)
    assert not any(isinstance(message, trn.TournamentMessage) for message in ann.heard)


async def test_the_organiser_of_an_event_leads_it_to_its_end_when_the_group_is_closed(
    tess: Client, group: str, members: list[Client]
) -> None:
    ann, ben, _ = members
    event = await event_of(tess, group)
    await first_match_of(tess, event, (ann, ben))
    await tess.do(grp.CloseGroup, group=group)
    await tess.do(trn.CancelTournament, tournament=event)
