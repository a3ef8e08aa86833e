"""Every command of the protocol, sent by the SDK to a running server: each is answered, and `Client.ask` settles."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pytest

from cornered.clients.sdk import Client, CommandRefused
from cornered.protocol import (
    account,
    bot_reports,
    commands,
    groups,
    messages,
    moderation,
    oidc,
    passkeys,
    ratings,
    social,
    tournaments,
)
from cornered.protocol.commands import Command, Hello
from cornered.protocol.credentials import NewPasskey, PasskeyProof
from cornered.protocol.messages import (
    Acknowledged,
    Archive,
    Games,
    HeadToHead,
    History,
    Line,
    LobbyPage,
    LobbyState,
    Moves,
    MyMatches,
    Opening,
    PlayerFound,
    Pong,
    RecordRead,
    SeekInfo,
    Snapshot,
    Tv,
    Variation,
)
from cornered.protocol.ratings import Leaderboard, Pools, Profile, RatingHistory
from cornered.protocol.traces import TraceSettings
from cornered.protocol.values import Accepts, Fischer, GameSpec, SeekSettings, Value
from tests.protocol.conftest import COMMANDS, MESSAGES
from tests.server.conftest import ANALYST_KEY, SMALL, TIMEOUT_S, Running

THREE: Final = GameSpec(name="isolation", options={"players": 3})
WITH_DRAWS: Final = GameSpec(name="quoridor", options={"size": 3, "max_plies": 20})


NUMBERS: Final = itertools.count(1)


@dataclass
class Scene:
    """Two players, Ann and Ben, and a bot, Deep, who meet nobody else on their server."""

    ann: Client
    ben: Client
    deep: Client
    number: int = field(init=False, default_factory=NUMBERS.__next__)

    async def do(self, client: Client, kind: type[Command], **fields: Any) -> str:
        """Send a command; return the reference in its acknowledgement."""
        return (await client.ask(kind(id=client.new_id(), **fields), Acknowledged)).ref or ""

    async def seek(self, game: GameSpec = SMALL, **settings: Any) -> str:
        """Return a new seek of Ann's."""
        return await self.ann.seek(SeekSettings(game=game, **settings))

    async def register(self) -> account.Registered:
        """Give Ann an account."""
        command = account.Register(id=self.ann.new_id(), name=f"Anna{self.number}", password=PASSWORD)
        return await self.ann.ask(command, account.Registered)

    async def challenge(self, game: GameSpec = SMALL) -> str:
        """Return a new challenge of Ann's to Ben."""
        return await self.do(self.ann, commands.Challenge, to=self.ben.player.id, game=game, seat=0)

    async def match(self, *moves: str, game: GameSpec = SMALL) -> str:
        """Return a new match between Ann, who moves first, and Ben."""
        match = await self.do(self.ben, commands.AcceptChallenge, challenge=await self.challenge(game))
        for ply, move in enumerate(moves):
            client = self.ben if ply % 2 else self.ann
            await self.do(client, commands.Play, match=match, ply=ply, move=move)
        return match

    async def finished(self) -> str:
        """Return a match that Ben has resigned."""
        match = await self.match()
        await self.do(self.ben, commands.Resign, match=match)
        return match

    async def offer(self) -> None:
        """Let Deep offer analysis of TrapGrid."""
        await self.do(
            self.deep, commands.OfferAnalysis, games=("trapgrid",), jobs=1, name="deep thinker", key=ANALYST_KEY
        )

    async def analysis(self) -> str:
        """Return a new analysis for Ann."""
        match = await self.finished()
        await self.offer()
        return await self.do(self.ann, commands.AskAnalysis, match=match, ply=0)


Fields = Awaitable[tuple[Client, dict[str, Any]]]
Arrange = Callable[[Scene], Fields]


@dataclass(frozen=True)
class Case:
    """A command's sender and fields, and the expected answer: a message or, as text, a refusal's code."""

    arrange: Arrange
    answer: type[Value] | str = Acknowledged


def says(who: str = "ann", answer: type[Value] | str = Acknowledged, **fields: Any) -> Case:
    """Return the case of a command that needs its fields alone."""

    async def arrange(scene: Scene) -> tuple[Client, dict[str, Any]]:
        return getattr(scene, who), fields

    return Case(arrange, answer)


def says_of(
    name: str,
    make: Callable[[Scene], Awaitable[str]],
    who: str = "ann",
    answer: type[Value] | str = Acknowledged,
    **fields: Any,
) -> Case:
    """Return the case of a command whose field `name` is the id of what `make` makes."""

    async def arrange(scene: Scene) -> tuple[Client, dict[str, Any]]:
        return getattr(scene, who), {name: await make(scene), **fields}

    return Case(arrange, answer)


def in_match(*moves: str, who: str = "ann", answer: type[Value] | str = Acknowledged, **fields: Any) -> Case:
    return says_of("match", lambda scene: scene.match(*moves), who, answer, **fields)


def in_finished(answer: type[Value] | str = Acknowledged, **fields: Any) -> Case:
    return says_of("match", Scene.finished, "ann", answer, **fields)


async def _bens_id(scene: Scene) -> str:
    return scene.ben.player.id


async def _joined(scene: Scene) -> str:
    seek = await scene.seek(THREE)
    await scene.ben.join_seek(seek)
    return seek


async def _enough(scene: Scene) -> str:
    seek = await scene.seek(THREE, minimum=2)
    await scene.ben.join_seek(seek)
    return seek


async def _with_draws(scene: Scene) -> str:
    return await scene.match(game=WITH_DRAWS)


async def _draw_offered(scene: Scene) -> str:
    match = await _with_draws(scene)
    await scene.do(scene.ann, commands.OfferDraw, match=match)
    return match


async def _rematch_offered(scene: Scene) -> str:
    match = await scene.finished()
    await scene.do(scene.ann, commands.Rematch, match=match)
    return match


async def _takeback_requested(scene: Scene) -> str:
    match = await scene.match("b3")
    await scene.do(scene.ann, commands.RequestTakeback, match=match)
    return match


async def _to_ben(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"to": scene.ben.player.id, "game": SMALL}


PASSWORD: Final = "correct horse battery"


def in_account(answer: type[Value] | str = Acknowledged, **fields: Any) -> Case:
    """Return the case of a command of Ann's, who has an account; a callable field gets the answer to `register`."""

    async def arrange(scene: Scene) -> tuple[Client, dict[str, Any]]:
        made = await scene.register()
        return scene.ann, {name: value(made) if callable(value) else value for name, value in fields.items()}

    return Case(arrange, answer)


async def _group(scene: Scene) -> str:
    """Return a new group of Ann's, who gets an account."""
    await scene.register()
    return await scene.do(scene.ann, groups.CreateGroup, name="Class 7b")


async def _renamed_group(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"group": await _group(scene), "name": "Class 8b", "guests": False}


async def _group_code(scene: Scene) -> str:
    group = groups.AskGroup(id=scene.ann.new_id(), group=await _group(scene))
    return (await scene.ann.ask(group, groups.GroupState)).code or ""


async def _joined_group(scene: Scene) -> str:
    return await scene.do(scene.ben, groups.JoinGroup, code=await _group_code(scene))


async def _member(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"group": await _joined_group(scene), "player": scene.ben.player.id, "role": "member"}


async def _removed(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"group": await _joined_group(scene), "player": scene.ben.player.id}


async def _session(scene: Scene) -> tuple[Client, dict[str, Any]]:
    name = (await scene.register()).player.name
    await scene.ann.ask(account.SignIn(id=scene.ann.new_id(), name=name, password=PASSWORD), account.SignedIn)
    sessions = await scene.ann.ask(account.AskSessions(id=scene.ann.new_id()), account.Sessions)
    return scene.ann, {"session": next(one.session for one in sessions.sessions if not one.is_current)}


async def _token(scene: Scene) -> tuple[Client, dict[str, Any]]:
    await scene.register()
    command = account.CreateToken(id=scene.ann.new_id(), label="a bot", scopes=("play",), password=PASSWORD)
    return scene.ann, {"token": (await scene.ann.ask(command, account.TokenCreated)).token.token}


async def _report(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"player": scene.ben.player.id, "grounds": "Insults"}


async def _job(scene: Scene) -> tuple[Client, dict[str, Any]]:
    await scene.analysis()
    async for job in scene.deep.jobs:
        return scene.deep, {"job": job.job, "error": "Deep gives up", "final": True}
    raise AssertionError("the client has closed")


async def _own_profile(scene: Scene) -> tuple[Client, dict[str, Any]]:
    return scene.ann, {"player": scene.ann.player.id}


async def _bots_match(scene: Scene) -> tuple[Client, dict[str, Any]]:
    """Let Deep resign a match against Ann."""
    await scene.do(scene.deep, commands.Declare, accepts=(Accepts(game="trapgrid"),), concurrency=1)
    challenge = await scene.do(scene.ann, commands.Challenge, to=scene.deep.player.id, game=SMALL, seat=0)
    match = await scene.do(scene.deep, commands.AcceptChallenge, challenge=challenge)
    await scene.do(scene.deep, commands.Resign, match=match)
    return scene.deep, {"match": match}


async def _bots_failure(scene: Scene) -> tuple[Client, dict[str, Any]]:
    deep, fields = await _bots_match(scene)
    return deep, {**fields, "failure": "crash", "ply": 3, "text": "ValueError: no move"}


SWISS: Final = tournaments.TournamentSettings(
    name="Spring open", format="swiss", game=SMALL, clock=Fischer(initial=60, increment=1)
)


async def _tournament(scene: Scene) -> str:
    return await scene.do(scene.ann, tournaments.CreateTournament, settings=SWISS)


async def _entered(scene: Scene) -> str:
    tournament = await _tournament(scene)
    await scene.do(scene.ben, tournaments.JoinTournament, tournament=tournament)
    return tournament


def in_tournament(who: str = "ann", answer: type[Value] | str = Acknowledged, **fields: Any) -> Case:
    """Return the case of a command about a tournament of Ann's, which is open."""
    return says_of("tournament", _tournament, who, answer, **fields)


NEW_PASSKEY: Final = NewPasskey(credential="a2V5", client_data="e30", attestation="oA")
PROOF: Final = PasskeyProof(credential="a2V5", client_data="e30", authenticator_data="AA", signature="AA")
"""What a program without a browser sends: test_passkeys.py has the answers to those of a page."""


CASES: Final[dict[type[Command], Case]] = {
    commands.Ping: says(answer=Pong, sent=7),
    commands.AskGames: says(answer=Games),
    commands.AskMyMatches: says(answer=MyMatches),
    commands.AskArchive: says(answer=Archive, game="trapgrid", order="longest"),
    commands.AskHeadToHead: says(answer=HeadToHead, player="ann", opponent="ben"),
    commands.AskOpening: says(answer=Opening, game=SMALL, moves=("b3",)),
    commands.AskSeek: says_of("seek", Scene.seek, "ben", SeekInfo),
    commands.AskLobby: says(answer=LobbyPage, section="seeks"),
    commands.AskTv: says(answer=Tv),
    bot_reports.AskBotReport: says("deep", bot_reports.BotReport),
    bot_reports.AskBotRequests: Case(_bots_match, bot_reports.BotRequests),
    bot_reports.AskBotLink: says("deep", bot_reports.BotLink),
    bot_reports.ReportFailure: Case(_bots_failure),
    commands.FindPlayer: says(answer=PlayerFound, name="Ann"),
    commands.AskPools: says(answer=Pools),
    commands.AskProfile: Case(_own_profile, Profile),
    commands.AskRatingHistory: says(answer=RatingHistory, player="ann", pool="trapgrid:blitz"),
    commands.AskLeaderboard: says(answer=Leaderboard, pool="trapgrid:size=5:blitz"),
    commands.Declare: says("deep", accepts=(Accepts(game="trapgrid"),), concurrency=1),
    commands.WatchLobby: says(answer=LobbyState),
    commands.LeaveLobby: says(),
    commands.CreateSeek: says(settings=SeekSettings(game=SMALL)),
    commands.JoinSeek: says_of("seek", Scene.seek, "ben"),
    commands.LeaveSeek: says_of("seek", _joined, "ben"),
    commands.StartSeek: says_of("seek", _enough),
    commands.CancelSeek: says_of("seek", Scene.seek),
    commands.Challenge: Case(_to_ben),
    commands.AcceptChallenge: says_of("challenge", Scene.challenge, "ben"),
    commands.DeclineChallenge: says_of("challenge", Scene.challenge, "ben"),
    commands.CancelChallenge: says_of("challenge", Scene.challenge),
    commands.EnterPool: says(pool="trapgrid-3-2"),
    commands.LeavePool: says(),
    commands.Join: in_match(answer=Snapshot),
    commands.Leave: in_match(),
    commands.AskMoves: in_match(answer=Moves, ply=0),
    commands.AskHistory: in_match(answer=History),
    commands.AskVariation: in_finished(Variation, ply=0, moves=("b3",)),
    commands.AskAnalysis: in_finished("no_analyst", ply=0),
    commands.AskTrace: says(answer="no_analyst", game=SMALL, settings=TraceSettings(search="minimax")),
    commands.AskLine: says(answer=Line, game=SMALL, moves=("a2",)),
    commands.AskStudy: says(answer="no_analyst", game=SMALL, position="0../.../..1 0"),
    commands.ReadRecord: says(answer=RecordRead, text='[Game "trapgrid"]\n\n*'),
    commands.CancelAnalysis: says_of("analysis", Scene.analysis),
    commands.OfferAnalysis: says("deep", games=("trapgrid",), jobs=1, name="deep thinker", key=ANALYST_KEY),
    commands.Analysed: Case(_job),
    commands.Play: in_match(ply=0, move="b3"),
    commands.Resign: in_match(),
    commands.OfferDraw: says_of("match", _with_draws),
    commands.AcceptDraw: says_of("match", _draw_offered, "ben"),
    commands.DeclineDraw: says_of("match", _draw_offered, "ben"),
    commands.Abort: in_match(),
    commands.RequestTakeback: in_match("b3"),
    commands.AcceptTakeback: says_of("match", _takeback_requested, "ben"),
    commands.DeclineTakeback: says_of("match", _takeback_requested, "ben"),
    commands.Claim: in_match(answer="opponent_here"),
    commands.Rematch: in_finished(),
    commands.DeclineRematch: says_of("match", _rematch_offered, "ben", reason="not now"),
    commands.Say: in_match(text="Hello", room="players"),
    account.AskPolicies: says(answer=account.Policies),
    account.Register: says(answer=account.Registered, name="Anna", password=PASSWORD),
    account.SignIn: in_account(account.SignedIn, name=lambda made: made.player.name, password=PASSWORD),
    account.Recover: in_account(
        account.SignedIn,
        name=lambda made: made.player.name,
        code=lambda made: made.codes[0],
        password="another " + PASSWORD,
    ),
    account.AskSignInLink: in_account("not_accepted"),
    account.SignInByLink: says(answer="bad_credentials", code="code.seal"),
    account.AskAccount: says(answer=account.Account),
    account.Rename: in_account(account.Account, name="Berta"),
    account.ChangePassword: in_account(old=PASSWORD, password="another " + PASSWORD),
    account.RenewCodes: in_account(account.RecoveryCodes, password=PASSWORD),
    account.AskSessions: says(answer=account.Sessions),
    account.SignOut: says(),
    account.EndSession: Case(_session),
    account.EndOtherSessions: says(),
    account.CreateToken: in_account(account.TokenCreated, label="a bot", scopes=("play", "read"), password=PASSWORD),
    account.AskTokens: says(answer=account.Tokens),
    account.RevokeToken: Case(_token),
    account.AskExport: says(answer=account.Export),
    account.DeleteAccount: in_account(password=PASSWORD),
    account.CreateInvitation: says(answer="not_permitted"),
    passkeys.AskPasskeyChallenge: says(answer="no_passkeys", purpose="sign_in"),
    passkeys.RegisterByPasskey: says(answer="no_passkeys", name="Clara", passkey=NEW_PASSKEY),
    passkeys.SignInByPasskey: says(answer="bad_credentials", passkey=PROOF),
    passkeys.AskPasskeys: says(answer=passkeys.Passkeys),
    passkeys.AddPasskey: in_account("no_passkeys", label="a key", passkey=NEW_PASSKEY, password=PASSWORD),
    passkeys.RemovePasskey: in_account("unknown_passkey", passkey="0123456789abcdef"),
    oidc.BeginOidc: says(answer="no_oidc"),
    oidc.FinishOidc: says(answer="no_oidc", code="code", secret="secret"),
    oidc.UnlinkOidc: in_account("no_oidc"),
    moderation.ReportPlayer: Case(_report),
    moderation.Ban: says(answer="not_permitted", player="ben", grounds="Insults"),
    moderation.Unban: says(answer="not_permitted", ban=1, grounds="Sorry"),
    moderation.AskBans: says(answer="not_permitted"),
    moderation.AskReports: says(answer="not_permitted"),
    moderation.AskReport: says(answer="not_permitted", report=1),
    moderation.AskAccounts: says(answer="not_permitted", text="Ann"),
    moderation.CloseReport: says(answer="not_permitted", report=1, grounds="Read"),
    moderation.AskAudit: says(answer="not_permitted"),
    groups.CreateGroup: in_account(name="Class 7b"),
    groups.ChangeGroup: Case(_renamed_group),
    groups.RenewGroupCode: says_of("group", _group),
    groups.RevokeGroupCode: says_of("group", _group),
    groups.JoinGroup: says_of("code", _group_code, "ben"),
    groups.AskGroups: says(answer=groups.Groups),
    groups.AskGroup: says_of("group", _group, answer=groups.GroupState),
    groups.SetGroupRole: Case(_member),
    groups.RemoveMember: Case(_removed),
    groups.LeaveGroup: says_of("group", _joined_group, "ben"),
    groups.CloseGroup: says_of("group", _group),
    groups.TellGroup: says_of("group", _group, text="Hello"),
    tournaments.CreateTournament: says(settings=SWISS),
    tournaments.AskTournaments: says(answer=tournaments.Tournaments),
    tournaments.AskTournament: in_tournament(answer=tournaments.TournamentState),
    tournaments.AskStandings: in_tournament(answer=tournaments.Standings),
    tournaments.AskPairings: in_tournament(answer=tournaments.Pairings),
    tournaments.JoinTournament: in_tournament("ben"),
    tournaments.WithdrawFromTournament: says_of("tournament", _entered, "ben"),
    tournaments.StartTournament: in_tournament(answer="not_now"),
    tournaments.FinishTournament: in_tournament(answer="not_now"),
    tournaments.CancelTournament: in_tournament(),
    tournaments.PairByHand: in_tournament(answer="not_now", pairs=(("ann", "ben"),)),
    tournaments.PauseTournament: in_tournament(answer="not_now"),
    tournaments.ResumeTournament: in_tournament(),
    tournaments.TellTournament: in_tournament(text="Welcome"),
    tournaments.ForfeitPlayer: in_tournament(answer="unknown_player", player="ben"),
    tournaments.WatchTournament: in_tournament(answer=tournaments.TournamentState),
    tournaments.LeaveTournament: in_tournament("ben"),
    social.FollowPlayer: says_of("player", _bens_id),
    social.UnfollowPlayer: says_of("player", _bens_id),
    social.BlockPlayer: says_of("player", _bens_id),
    social.UnblockPlayer: says_of("player", _bens_id),
    social.AskFriends: says(answer=social.Friends),
    social.AskBlocked: says(answer=social.Blocked),
    social.AskNotices: says(answer=social.Notices),
    social.SetNotices: says(push=("turn",)),
    social.SubscribePush: says(
        answer="not_allowed", endpoint="https://example.org/push", p256dh="A" * 87, auth="A" * 22
    ),
    social.UnsubscribePush: says(),
    social.SetMail: says(answer="not_allowed", address="ann@example.org"),
    social.ConfirmMail: says(answer="not_allowed", code="123456"),
    social.EndMails: says(answer="not_allowed", player="ben", mark="0" * 32),
}


ROLES: Final[tuple[tuple[str, Literal["person", "bot"]], ...]] = (("Ann", "person"), ("Ben", "person"), ("Deep", "bot"))


@asynccontextmanager
async def scene_at(server: Running) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        kits = [Client.connect(server.url, name=name, kind=kind) for name, kind in ROLES]
        yield Scene(*[await stack.enter_async_context(kit) for kit in kits])


@pytest.mark.asyncio(loop_scope="module")
async def test_every_command_is_answered_and_ask_settles_with_it(shared: Running, subtests: pytest.Subtests) -> None:
    assert set(CASES) == {*COMMANDS} - {Hello}, "add to CASES who sends a command, and what answers it"
    for kind, case in CASES.items():
        with subtests.test(kind.__name__):
            async with asyncio.timeout(TIMEOUT_S), scene_at(shared) as scene:
                client, fields = await case.arrange(scene)
                command = kind(id=client.new_id(), **fields)
                if isinstance(case.answer, str):
                    with pytest.raises(CommandRefused) as refusal:
                        await client.ask(command, Value)
                    assert refusal.value.code == case.answer
                else:
                    answer = await client.ask(command, Value)
                    assert type(answer) is case.answer
                    assert getattr(answer, "id", None) == command.id
                    assert case.answer.model_fields["type"].default in kind.model_json_schema()["answers"]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_join_with_since_is_answered_as_well(shared: Running) -> None:
    async with asyncio.timeout(TIMEOUT_S), scene_at(shared) as scene:
        match = await scene.match("b3")
        for since in (1, 2, 9):
            command = commands.Join(id=scene.ann.new_id(), match=match, since=since)
            answer = await scene.ann.ask(command, Value)
            assert isinstance(answer, Snapshot if since > 2 else Acknowledged)
            assert answer.id == command.id


@pytest.mark.asyncio(loop_scope="module")
async def test_an_analysis_is_asked_for_where_a_bot_offers_it(shared: Running) -> None:
    async with asyncio.timeout(TIMEOUT_S), scene_at(shared) as scene:
        assert await scene.analysis()


def test_every_class_of_a_message_is_in_its_union() -> None:
    kinds = {
        kind
        for module in (
            commands,
            messages,
            account,
            bot_reports,
            groups,
            moderation,
            oidc,
            passkeys,
            ratings,
            social,
            tournaments,
        )
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Value) and "type" in kind.model_fields
        if kind.__module__ == module.__name__
    }
    assert kinds == {*COMMANDS, *MESSAGES}
