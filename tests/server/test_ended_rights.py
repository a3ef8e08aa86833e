"""Rights that end, and what hangs on them: the table of docs/security.md, on one node and on two."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import pytest

from cornered.protocol import account as acc
from cornered.protocol import commands as cmd
from cornered.protocol import groups as grp
from cornered.protocol import tournaments as trn
from cornered.protocol.messages import ChallengeClosed, Challenged, Happened, Paired
from cornered.protocol.moderation import Ban
from cornered.protocol.values import Correspondence, Fischer, SeekSettings
from cornered.server.lobby.pools import offered_pools
from cornered.server.runtime.rights import RightEnded
from tests.server.conftest import PLENTY, SMALL, Client, Running, Start, Stores
from tests.server.lobby_nodes import Cluster, cluster
from tests.server.scenes import admin_of, closing, crowd, register
from tests.server.test_groups import created, state, teacher_of
from tests.server.test_tournaments import create
from tests.virtual_time import after
from tests.waiting import found

pytestmark = pytest.mark.virtual_time

CLOCK: Final = Fischer(initial=60)
POOL: Final = offered_pools()[0].id
DAYS: Final = Correspondence(days=1)


@dataclass
class Scene:
    """Servers over the same stores: the teacher and an administrator are at the first one, the others at the last."""

    stores: Stores
    servers: list[Running]
    tess: Client
    admin: Client
    members: list[Client]
    group: str = ""
    code: str = ""

    async def begin_group(self, *members: Client) -> None:
        self.group, self.code = await created(self.tess)
        for member in members:
            await member.do(grp.JoinGroup, code=self.code)

    async def event(self, *players: Client, format: trn.TournamentFormat = "swiss") -> str:
        """Return a new event of the group in which players take part."""
        settings = trn.TournamentSettings(
            name="Tuesday", format=format, game=SMALL, clock=CLOCK, pause=None, group=self.group
        )
        event = (await self.tess.do(trn.CreateTournament, settings=settings)).ref or ""
        for player in players:
            await player.do(trn.JoinTournament, tournament=event)
        # Each node follows what is stored by the others.
        await once(self.tess, event, lambda shown: players_of(shown) == {player.player.id for player in players})
        return event

    def ann(self) -> Any:
        """Connect Ann, whose rights are to end."""
        return self.servers[-1].client("Ann")


@pytest.fixture(params=[1, 2], ids=["one node", "two nodes"])
async def scene(request: pytest.FixtureRequest, running_server: Start, stores: Stores) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(running_server(**PLENTY)) for _ in range(request.param)]
        tess = await stack.enter_async_context(teacher_of(servers[0]))
        admin = await stack.enter_async_context(admin_of(servers[0], stores))
        members = await stack.enter_async_context(crowd(servers[-1], 2))
        yield Scene(stores, servers, tess, admin, members)


async def leave(scene: Scene, ann: Client) -> None:
    await ann.do(grp.LeaveGroup, group=scene.group)


async def remove(scene: Scene, ann: Client) -> None:
    await scene.tess.do(grp.RemoveMember, group=scene.group, player=ann.player.id)


async def ban(scene: Scene, ann: Client) -> None:
    await scene.admin.do(Ban, player=ann.player.id, measure="ban", grounds="Insults")
    await closing(ann)


async def delete(scene: Scene, ann: Client) -> None:
    await ann.ask(acc.DeleteAccount)


async def close_account(scene: Scene, ann: Client) -> None:
    await register(ann, f"Anna {len(scene.stores.accounts._names)}")
    await scene.stores.accounts.close_account(ann.player.id, is_closed=True)
    await closing(ann)


async def revoke(scene: Scene, ann: Client) -> None:
    await scene.stores.accounts.revoke(ann.player.id)
    await closing(ann)


End = Callable[[Scene, Client], Awaitable[None]]
OF_MEMBERS: Final[tuple[End, ...]] = (leave, remove)
OF_PLAYERS: Final[tuple[End, ...]] = (ban, delete, close_account, revoke)


async def once(client: Client, event: str, is_so: Callable[[trn.TournamentState], object]) -> trn.TournamentState:
    """Return an event as soon as it is so at the client's node."""
    return await found(lambda: client.ask(trn.AskTournament, tournament=event), is_so)


def players_of(shown: trn.TournamentState) -> set[str]:
    return {row.player.id for row in shown.standings}


def out_of(shown: trn.TournamentState) -> set[str]:
    return {row.player.id for row in shown.standings if row.is_out}


async def test_whose_right_to_an_event_has_ended_is_in_it_no_more_when_it_begins(
    scene: Scene, subtests: pytest.Subtests
) -> None:
    for end in (*OF_MEMBERS, *OF_PLAYERS):
        with subtests.test(end.__name__):
            async with scene.ann() as ann:
                await scene.begin_group(ann, *scene.members)
                event = await scene.event(ann, *scene.members)
                await end(scene, ann)
                for watcher in (scene.tess, *scene.members):
                    await once(watcher, event, lambda shown: ann.player.id not in players_of(shown))
                await scene.tess.do(trn.StartTournament, tournament=event)
                begun = await once(scene.tess, event, lambda shown: shown.tournament.round == 1)
                (pairing,) = begun.pairings
                assert {one.id for one in pairing.players} == {one.player.id for one in scene.members}
                await scene.tess.do(trn.CancelTournament, tournament=event)


async def test_who_was_removed_a_moment_ago_is_not_paired(scene: Scene) -> None:
    async with scene.ann() as ann:
        await scene.begin_group(ann, *scene.members)
        swiss = await scene.event(ann, *scene.members)
        by_hand = await scene.event(ann, *scene.members, format="by_hand")
        await scene.tess.do(trn.StartTournament, tournament=by_hand)
        await remove(scene, ann)
        await scene.tess.do(trn.StartTournament, tournament=swiss)
        pair = (ann.player.id, scene.members[0].player.id)
        assert await scene.tess.refused(trn.PairByHand, tournament=by_hand, pairs=(pair,)) == "unknown_player"
        begun = await once(scene.tess, swiss, lambda shown: shown.tournament.round == 1)
        assert ann.player.id not in players_of(begun)


async def test_of_an_event_that_runs_one_leaves_though_the_right_to_see_it_has_ended(scene: Scene) -> None:
    async with scene.ann() as ann:
        await scene.begin_group(ann, *scene.members)
        event = await scene.event(ann, *scene.members, format="by_hand")
        await scene.tess.do(trn.StartTournament, tournament=event)
        await once(ann, event, lambda shown: shown.tournament.status == "running")
        await remove(scene, ann)
        await ann.hear(grp.GroupChanged, lambda told: told.is_over)
        assert await ann.refused(trn.AskTournament, tournament=event) == "unknown_group"
        await ann.do(trn.WithdrawFromTournament, tournament=event)
        shown = await once(scene.tess, event, lambda shown: ann.player.id in out_of(shown))
        assert players_of(shown) >= {ann.player.id}, "what was played counts"
    async with scene.servers[0].client("Eve") as eve:
        assert await eve.refused(trn.WithdrawFromTournament, tournament=event) == "unknown_group"


async def test_with_a_class_end_its_events_that_have_not_begun_and_the_others_are_left_at_will(scene: Scene) -> None:
    ann, ben = scene.members
    await scene.begin_group(ann, ben)
    waiting, running = await scene.event(ann), await scene.event(ann, ben, format="by_hand")
    await scene.tess.do(trn.StartTournament, tournament=running)
    async with scene.ann() as cas:
        await cas.do(grp.JoinGroup, code=scene.code)
        await scene.tess.do(grp.CloseGroup, group=scene.group)
        await cas.hear(grp.GroupChanged, lambda told: told.is_over)
        await once(scene.tess, waiting, lambda shown: shown.tournament.status == "cancelled")
        assert (await ann.ask(trn.AskTournament, tournament=running)).tournament.status == "running"
        assert await cas.refused(trn.AskTournament, tournament=running) == "unknown_group"
        assert await cas.refused(trn.JoinTournament, tournament=running) == "unknown_group"
        await ann.do(trn.WithdrawFromTournament, tournament=running)
        await scene.tess.do(trn.FinishTournament, tournament=running)


async def test_the_name_of_who_is_deleted_is_in_no_event_that_runs(scene: Scene) -> None:
    async with scene.ann() as ann:
        event = await create(ann, "by_hand")
        for player in (ann, *scene.members):
            await player.do(trn.JoinTournament, tournament=event)
        await ann.do(trn.StartTournament, tournament=event)
        await delete(scene, ann)
        for watcher in (scene.tess, scene.members[0]):
            shown = await once(watcher, event, lambda shown: "Ann" not in [row.player.name for row in shown.standings])
            assert shown.tournament.organiser.name == "deleted"


async def test_what_waits_for_an_organiser_who_may_not_come_back_is_cancelled(
    scene: Scene, subtests: pytest.Subtests
) -> None:
    for end in OF_PLAYERS:
        with subtests.test(end.__name__):
            async with scene.ann() as ann:
                event = await create(ann, "by_hand")
                await end(scene, ann)
            await once(scene.tess, event, lambda shown: shown.tournament.status == "cancelled")


async def test_an_organiser_who_is_no_teacher_any_more_leads_the_events_of_the_class_no_more(scene: Scene) -> None:
    async with teacher_of(scene.servers[-1], "Tom") as tom:
        await scene.begin_group(tom)
        role = {"group": scene.group, "player": tom.player.id}
        await scene.tess.do(grp.SetGroupRole, role="teacher", **role)
        await tom.hear(grp.GroupChanged, lambda told: told.seq == 3)
        settings = trn.TournamentSettings(name="Tom's", format="swiss", game=SMALL, clock=CLOCK, group=scene.group)
        event = (await tom.do(trn.CreateTournament, settings=settings)).ref
        await scene.tess.do(grp.SetGroupRole, role="member", **role)
        await tom.hear(grp.GroupChanged, lambda told: told.seq == 4)
        assert await tom.refused(trn.CancelTournament, tournament=event) == "not_permitted"
        await scene.tess.do(trn.CancelTournament, tournament=event)


async def test_a_deleted_member_leaves_the_class_and_a_deleted_last_teacher_closes_it(scene: Scene) -> None:
    async with scene.ann() as ann, teacher_of(scene.servers[-1], "Tom") as tom:
        await scene.begin_group(ann, *scene.members)
        await delete(scene, ann)
        await scene.tess.hear(grp.GroupChanged, lambda told: told.seq == 5)
        assert ann.player.id not in {one.player.id for one in (await state(scene.tess, scene.group)).members}
        group, code = await created(tom)
        await scene.members[0].do(grp.JoinGroup, code=code)
        await tom.ask(acc.DeleteAccount, password="correct horse battery")
        await scene.members[0].hear(grp.GroupChanged, lambda told: told.group == group and told.is_over)


async def test_rights_that_ended_while_no_node_ran_are_over_after_the_start(
    running_server: Start, stores: Stores
) -> None:
    async with running_server(**PLENTY) as server, server.client("Olga") as olga, server.client("Ann") as ann:
        event = await create(olga)
        await register(ann)
        for player in (olga, ann):
            await player.do(trn.JoinTournament, tournament=event)
        seek = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, clock=DAYS))).ref
    await stores.accounts.close_account(ann.player.id, is_closed=True)
    async with running_server(**PLENTY) as server, server.client(token=olga.welcome.token) as olga:
        shown = await olga.ask(trn.AskTournament, tournament=event)
        assert players_of(shown) == {olga.player.id}
        await found(lambda: olga.ask(cmd.AskSeek, seek=seek), lambda answer: answer.type == "refused")


# The lobby


async def test_what_a_player_has_begun_in_the_lobby_ends_with_the_right_to_be_there(
    running_server: Start, stores: Stores, subtests: pytest.Subtests
) -> None:
    async with (
        running_server(**PLENTY) as server,
        teacher_of(server) as tess,
        admin_of(server, stores) as admin,
        server.client("Ben") as ben,
    ):
        scene = Scene(stores, [server], tess, admin, [])
        for end in OF_PLAYERS:
            with subtests.test(end.__name__):
                async with scene.ann() as ann:
                    settings = SeekSettings(game=SMALL, clock=DAYS)
                    own = (await ann.do(cmd.CreateSeek, settings=settings)).ref
                    other = (await ben.do(cmd.CreateSeek, settings=settings)).ref
                    challenge = {"game": SMALL, "clock": CLOCK}
                    await ann.do(cmd.Challenge, to=ben.player.id, **challenge)
                    await ben.hear(Challenged)
                    await end(scene, ann)
                    assert (await ben.hear(ChallengeClosed)).how == "cancelled"
                    assert await ben.refused(cmd.AskSeek, seek=own) == "unknown_seek"
                    assert (await ben.ask(cmd.AskSeek, seek=other)).seek.joined == (ben.player,)
                    await ben.do(cmd.CancelSeek, seek=other)


async def test_a_rematch_that_is_offered_by_who_may_not_play_any_more_is_none(
    running_server: Start, stores: Stores
) -> None:
    async with (
        running_server(**PLENTY) as server,
        admin_of(server, stores) as admin,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        challenge = (await ann.do(cmd.Challenge, to=ben.player.id, game=SMALL, clock=CLOCK)).ref
        match = (await ben.do(cmd.AcceptChallenge, challenge=challenge)).ref
        await ann.do(cmd.Resign, match=match)
        await ann.do(cmd.Rematch, match=match)
        await admin.do(Ban, player=ann.player.id, measure="ban", grounds="Insults")
        await closing(ann)
        assert await ben.refused(cmd.Rematch, match=match) == "not_accepted"


@pytest.fixture
async def two() -> AsyncIterator[Cluster]:
    async with cluster("a", "b") as made:
        yield made


@pytest.mark.parametrize("dies", [False, True], ids=["the owner hears of it", "the owner dies of it"])
async def test_tables_pools_and_challenges_of_a_banned_player_end_at_the_lobbys_owner(two: Cluster, dies: bool) -> None:
    ann, ben = await two["b"].come("ann"), await two["b"].come("ben")
    seek = await ann.ask(cmd.CreateSeek, settings=SeekSettings(game=SMALL, clock=DAYS))
    await ann.ask(cmd.EnterPool, pool=POOL)
    await ann.ask(cmd.Challenge, to="ben", game=SMALL, clock=CLOCK)
    owner = two["b"] if dies else two["a"]
    for node in two.nodes.values():
        node.service._services.rights.is_banned = lambda player: player == "ann"
    if dies:
        await two.die("a", "b")
        await after(5)
    else:
        for node in two.nodes.values():
            node.service._services.rights.ended(RightEnded("ban", "ann"))
        await after(1)
    facts = owner.lobby.facts
    assert (seek in facts.tables, len(facts.challenges), facts.pools.entry("ann")) == (False, 0, None)
    assert await ann.ask(cmd.CreateSeek, settings=SeekSettings(game=SMALL, clock=DAYS)) == "not_permitted"
    assert [one["how"] for one in ben.line.of("challenge_closed")] == ["cancelled"]


# Games


async def test_a_game_of_an_event_is_its_players_to_the_end_also_of_one_who_was_removed(
    running_server: Start, stores: Stores
) -> None:
    async with running_server(**PLENTY) as server, teacher_of(server) as tess, crowd(server, 2) as members:
        scene = Scene(stores, [server], tess, tess, members)
        ann, ben = members
        await scene.begin_group(*members)
        event = await scene.event(ann, ben, format="by_hand")
        await tess.do(trn.StartTournament, tournament=event)
        await tess.do(trn.PairByHand, tournament=event, pairs=((ann.player.id, ben.player.id),))
        match = (await ann.hear(Paired)).match
        await remove(scene, ann)
        await ann.do(cmd.Play, match=match, ply=0, move="a2")
        await ben.do(cmd.Resign, match=match)
        shown = await once(tess, event, lambda shown: not shown.tournament.pending)
        assert (shown.standings[0].player.id, shown.standings[0].points) == (ann.player.id, 1.0)
        assert out_of(shown) == {ann.player.id}
        assert await tess.refused(trn.PairByHand, tournament=event, pairs=((ann.player.id, ben.player.id),)) != ""


async def test_who_was_removed_watches_the_games_of_an_event_that_is_over_no_more(
    running_server: Start, stores: Stores
) -> None:
    async with running_server(**PLENTY) as server, teacher_of(server) as tess, crowd(server, 3) as members:
        scene = Scene(stores, [server], tess, tess, members)
        ann, ben, cas = members
        await scene.begin_group(*members)
        event = await scene.event(ann, ben, format="by_hand")
        await tess.do(trn.StartTournament, tournament=event)
        await tess.do(trn.PairByHand, tournament=event, pairs=((ann.player.id, ben.player.id),))
        match = (await ann.hear(Paired)).match
        await cas.join(match)
        await tess.do(trn.CancelTournament, tournament=event)
        await remove(scene, cas)
        await ann.do(cmd.Play, match=match, ply=0, move="a2")
        await cas.ask(grp.AskGroups)
        assert not any(isinstance(message, Happened) for message in cas.heard)
