"""A bot whose commands are deferred or whose opponent leaves, and its errors when `choose` fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView, TokenStore, stay_as
from cornered.clients.sdk import player as playing
from cornered.clients.sdk.choosing import BotFailed, Choose
from cornered.protocol import commands, messages
from cornered.protocol.bot_reports import ReportFailure
from cornered.protocol.codec import MSGPACK
from cornered.protocol.events import DrawOffered, Ended, MatchEvent, Played, RematchDeclined, RematchOffered, TakenBack
from cornered.protocol.messages import Challenged, Happened, SeatPresence, Snapshot
from cornered.protocol.values import NO_CLOCK, Accepts, Correspondence, GameSpec, SeatInfo
from tests.clients.sdk.scripted import (
    ANN,
    BOB,
    CLOCKS,
    POSITIONS,
    TOKEN,
    Script,
    Wire,
    client_of,
    connected,
    scripted,
    snapshot,
)
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

NOW = 1_000_000
"""The scripted server's time in `welcome`."""


async def no_move(match: MatchView, limit: Limit) -> str:
    raise AssertionError("it is not the bot's turn")


async def played_by_bot(*scenes: Script, choose: Choose = no_move, **settings: Any) -> None:
    """Run a bot on a server whose connections follow the scenes, until the last one ends."""
    done = asyncio.Event()

    async def last(wire: Wire) -> None:
        try:
            await scenes[-1](wire)
        finally:
            done.set()

    async with scripted(*scenes[:-1], last) as server, connected(server) as client:
        player = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid")], **settings)
        task = asyncio.ensure_future(player.run())
        await done.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def absent(command_id: str) -> Snapshot:
    """Return the match of the script with Bob to move, who is disconnected."""
    return snapshot(command_id, seq=2).model_copy(update={"connected": (True, False)})


PERSON = BOB.model_copy(update={"kind": "person"})
ENDED: dict[str, Any] = {
    "over": True,
    "seq": 3,
    "winner": 0,
    "seats": (SeatInfo(player=ANN, place=1), SeatInfo(player=PERSON, place=2)),
}
"""A match against a person that is over, by the fields of its snapshot."""


def happened(event: MatchEvent, plies: int = 1) -> Happened:
    return Happened(match="m", events=(event,), position=POSITIONS[plies], ply=plies, to_move=plies % 2, clocks=CLOCKS)


def challenged(name: str) -> Challenged:
    """Return a person's challenge to the bot."""
    spec = GameSpec(name="trapgrid")
    return Challenged(challenge=name, by=PERSON, to=ANN, game=spec, clock=NO_CLOCK, seat=None, expires=NOW + 60_000)


def gone(claim_at: int | None) -> SeatPresence:
    return SeatPresence(match="m", seat=1, connected=False, at=NOW, claim_at=claim_at)


async def end(wire: Wire) -> None:
    """Receive the claim and the bot's departure."""
    claim = await wire.hear(commands.Claim)
    ended = Ended(seq=3, at=1, cause=claim.id, seat=0, winner=0, places=(1, 2), reason="gone", seed="0" * 64)
    await wire.say(happened(ended))
    await wire.acknowledge(claim, seq=3)
    await wire.acknowledge(await wire.hear(commands.Leave))


async def no_claim(wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await wire.hear(commands.Claim)


async def play_out(script: Callable[[Wire], Awaitable[None]], concurrency: int = 4, **match: object) -> None:
    """Let the bot join the match of `absent`, changed, and follow the script."""

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.say(absent((await wire.hear(commands.Join)).id).model_copy(update=match))
        await script(wire)

    await played_by_bot(scene, concurrency=concurrency)


async def test_a_bot_claims_victory_when_the_server_says_that_it_may() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(gone(NOW))
        await end(wire)

    await play_out(script)


@pytest.fixture
def claims_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "CLAIM_INTERVAL_S", 0.01)


@pytest.mark.usefixtures("claims_often")
async def test_a_bot_that_was_away_itself_claims_without_being_told_and_again_after_a_refusal() -> None:
    async def script(wire: Wire) -> None:
        await wire.refuse(await wire.hear(commands.Claim), "opponent_here", "nobody is gone")
        await end(wire)

    await play_out(script)


@pytest.mark.usefixtures("claims_often")
async def test_nothing_is_claimed_over_a_player_who_is_back_nor_ever_with_days_for_a_move() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(SeatPresence(match="m", seat=1, connected=True, at=NOW))
        await no_claim(wire)

    await play_out(script, connected=(True, True))
    await play_out(no_claim, clock=Correspondence(days=3))


async def offered(wire: Wire, seq: int) -> None:
    """Say that Bob, a person here, offers a rematch."""
    event = RematchOffered(seq=seq, at=NOW, seat=1, cause="b")
    await wire.say(happened(event))


async def test_a_bot_answers_an_offer_of_a_rematch_of_an_opponent_who_was_away() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(SeatPresence(match="m", seat=1, connected=False, at=NOW))
        await after(50)
        await wire.say(SeatPresence(match="m", seat=1, connected=True, at=NOW))
        await offered(wire, 4)
        assert (await wire.hear(commands.Rematch)).match == "m"

    await play_out(script, **ENDED)


async def test_a_bot_that_the_server_refuses_a_rematch_declines_it_with_the_reason() -> None:
    async def script(wire: Wire) -> None:
        await offered(wire, 4)
        await wire.refuse(await wire.hear(commands.Rematch), "busy", "Ann is in 50 live matches")
        declined = await wire.hear(commands.DeclineRematch)
        assert declined.reason == "Ann is in 50 live matches"
        over = RematchDeclined(seq=5, at=NOW, seat=0, cause=declined.id, reason=declined.reason)
        await wire.say(happened(over))
        await wire.acknowledge(declined, seq=5)

    await play_out(script, **ENDED)


async def test_a_bot_that_plays_as_many_games_as_it_takes_declines_a_rematch_and_says_so() -> None:
    async def script(wire: Wire) -> None:
        await offered(wire, 4)
        assert (await wire.hear(commands.DeclineRematch)).reason == "Ann plays as many games as it takes"

    await play_out(script, concurrency=0, **ENDED)


async def test_a_bot_stays_at_a_bounded_number_of_ended_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MAX_ENDED_MATCHES", 2)

    async def scene(wire: Wire) -> None:
        await wire.welcome("m1", "m2", "m3")
        for _ in range(3):
            join = await wire.hear(commands.Join)
            await wire.say(absent(join.id).model_copy(update={**ENDED, "match": join.match}))
        assert (await wire.hear(commands.Leave)).match == "m1"

    await played_by_bot(scene)


async def too_fast(wire: Wire, command: Any) -> float:
    """Refuse a command of the bot for seven seconds, and return when."""
    await wire.refuse(command, "too_fast", "slow down", retry_after=7_000)
    return asyncio.get_running_loop().time()


async def test_a_bot_that_cannot_accept_a_challenge_declines_it_and_again_when_the_server_says() -> None:
    waited: list[float] = []

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(challenged("c"))
        await wire.refuse(await wire.hear(commands.AcceptChallenge), "busy", "Ann plays as many games as it takes")
        refused = await too_fast(wire, await wire.hear(commands.DeclineChallenge))
        again = await wire.hear(commands.DeclineChallenge)
        assert (again.challenge, again.reason) == ("c", "Ann plays as many games as it takes")
        waited.append(asyncio.get_running_loop().time() - refused)
        await wire.acknowledge(again)

    await played_by_bot(scene)
    assert waited[0] >= 7


async def test_accepted_challenges_count_among_the_games_of_a_bot() -> None:
    """Challenges that came at once are answered before the news of the first match."""

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(*(challenged(name) for name in "abc"))
        answers = dict[str, str]()
        while len(answers) < 3:
            # Between them it joins the matches, whose answers do not come.
            command = MSGPACK.decode_command(await wire.socket.recv())
            if isinstance(command, commands.AcceptChallenge | commands.DeclineChallenge):
                answers[command.challenge] = command.type
                await wire.acknowledge(command, ref=f"m{command.challenge}")
        assert answers == {"a": "accept_challenge", "b": "accept_challenge", "c": "decline_challenge"}

    await played_by_bot(scene, games=2)


async def test_a_bot_answers_an_offer_again_when_the_server_says() -> None:
    waited: list[float] = []

    async def script(wire: Wire) -> None:
        event = DrawOffered(seq=3, at=NOW, seat=1, cause="b")
        await wire.say(happened(event))
        refused = await too_fast(wire, await wire.hear(commands.DeclineDraw))
        await wire.hear(commands.DeclineDraw)
        waited.append(asyncio.get_running_loop().time() - refused)

    await play_out(script, connected=(True, True))
    assert waited[0] >= 7


async def test_the_author_of_a_bot_that_runs_twice_is_told_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    notice = messages.Notice(code="also_here", text="another program plays as Ann too")

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(notice, notice)
        await wire.pong()

    async with client_of(scene) as client:
        player = BotPlayer(client, no_move, accepts=[Accepts(game="trapgrid")])
        task = asyncio.ensure_future(player.run())
        await client.ping()
        while not any("first one counts" in record.getMessage() for record in caplog.records):
            await after(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    told = [record.getMessage() for record in caplog.records if record.name == "cornered.bot"]
    assert told == [playing.TWIN_ADVICE % "Ann"]
    assert "CORNERED_TOKEN" in told[0]


async def test_a_bot_chooses_again_where_a_takeback_led_to_another_position_of_the_same_ply() -> None:
    asked = asyncio.Event()

    async def choose(match: MatchView, limit: Limit) -> str:
        first = match.snapshot.position
        if not asked.is_set():
            asked.set()
            while match.snapshot.position == first:
                await match.changed(match.version)
            return "b2"
        return "c3"

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.join(seq=3)
        await asked.wait()
        back = TakenBack(seq=4, at=1, seat=1, cause="x", ply=1, left=(None, None))
        other = Played(seq=5, at=1, seat=1, cause="y", ply=1, move="b1", spent=0, left=(None, None))
        position = str(engine.load("trapgrid", size=3).parse(POSITIONS[1]).play("b1"))
        events = (back, other)
        await wire.say(Happened(match="m", events=events, position=position, ply=2, to_move=0, clocks=CLOCKS))
        play = await wire.hear(commands.Play)
        assert (play.ply, play.move) == (2, "c3")

    await played_by_bot(scene, choose=choose)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits before repeated commands a millisecond."""
    monkeypatch.setattr("cornered.clients.sdk.errors.RETRY_DELAY_S", 0.001)


@pytest.mark.usefixtures("hasty")
async def test_a_match_that_cannot_be_joined_just_now_is_joined_later() -> None:
    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        for code in ("too_fast", "internal"):
            await wire.refuse(await wire.hear(commands.Join), code, retry_after=1)
        await wire.say(absent((await wire.hear(commands.Join)).id), gone(NOW))
        await end(wire)

    await played_by_bot(scene)


async def test_a_bot_joins_its_matches_a_few_at_a_time() -> None:
    async def scene(wire: Wire) -> None:
        await wire.welcome(*(f"m{number}" for number in range(3 * playing.MAX_CONCURRENT_JOINS)))
        for _ in range(playing.MAX_CONCURRENT_JOINS):
            await wire.hear(commands.Join)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await wire.hear(commands.Join)

    await played_by_bot(scene)


@pytest.mark.usefixtures("hasty")
async def test_a_declaration_that_is_refused_for_now_is_made_again() -> None:
    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.refuse(await wire.hear(commands.Declare), "too_fast", "later")
        await wire.acknowledge(await wire.hear(commands.Declare))

    async with client_of(scene) as client:
        await BotPlayer(client, no_move, accepts=[Accepts(game="trapgrid")]).declare()


async def test_a_bot_whose_server_lost_its_accounts_comes_back_as_a_new_player(tmp_path: Path) -> None:
    hellos: list[commands.Hello] = []

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))
        await wire.hear(commands.Ping)
        wire.cut()

    async def lost(wire: Wire) -> None:
        hellos.append(await wire.hear(commands.Hello))
        await wire.refuse(None, "bad_token", "nobody has this token")

    async def new(wire: Wire) -> None:
        hellos.append(await wire.welcome(token="another-token-of-this-length"))
        await wire.pong()

    async def play(client: Client) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(client.ping())

    store = TokenStore(tmp_path / "tokens.json")
    async with asyncio.timeout(60), scripted(first, lost, new) as server:
        await stay_as("Ann", play, server=server.url, store=store)
    assert [hello.token for hello in hellos] == [None, TOKEN, None]
    assert store.get(server.url, "Ann") == "another-token-of-this-length"


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no text either")


def resignation(resign: commands.Resign) -> Happened:
    fields: dict[str, Any] = {"winner": 1, "places": (2, 1), "reason": "resignation", "seed": "0" * 64}
    return happened(Ended(seq=2, at=1, cause=resign.id, seat=0, **fields), plies=0)


async def test_a_bot_resigns_and_says_in_a_short_line_what_choose_returned(
    caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.join()
        await wire.acknowledge(await wire.hear(ReportFailure))
        resign = await wire.hear(commands.Resign)
        await wire.say(resignation(resign))
        await wire.acknowledge(resign, seq=2)

    for wrong in (None, "", "x" * 1_000_000, 7, {"a": [1] * 10_000}, Rude(), "\x1b]0;hello\x07"):

        async def choose(match: MatchView, limit: Limit, wrong: object = wrong) -> Any:
            return wrong

        caplog.clear()
        with subtests.test(type=type(wrong)), caplog.at_level("ERROR", "cornered.bot"):
            await played_by_bot(scene, choose=choose)
            (record,) = caplog.records
            told = record.getMessage()
            assert told.startswith("Ann (ann) resigns match m of trapgrid at ply 0: choose returned ")
            assert type(wrong).__name__ in told
            assert len(told) < 300
            assert told.isprintable()


async def test_an_answer_that_a_bot_cannot_decode_costs_it_nothing_else() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.answer_in_a_later_version(await wire.hear(commands.Join))
        for name in ("c1", "c2"):
            await wire.say(challenged(name))
            accepted = await wire.hear(commands.AcceptChallenge)
            assert accepted.challenge == name
            await wire.answer_in_a_later_version(accepted)
        await wire.say(messages.Paired(match="n", seat=0))
        assert (await wire.hear(commands.Join)).match == "n"

    await played_by_bot(script)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (BotFailed("it hung", is_hang=True, crash="it hung"), "hang"),
        (BotFailed("it died", crash="it died"), "crash"),
        (BotFailed("no move"), "illegal"),
    ],
)
async def test_what_kept_a_bot_from_a_move_is_reported_as_what_it_was(failure: BotFailed, kind: str) -> None:
    async def choose(match: MatchView, limit: Limit) -> Any:
        raise failure

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.join()
        assert (await wire.hear(ReportFailure)).failure == kind

    await played_by_bot(scene, choose=choose)


async def test_a_bot_that_resigns_is_not_asked_again_before_it_hears_of_the_end() -> None:
    asked = 0

    async def choose(match: MatchView, limit: Limit) -> Any:
        nonlocal asked
        asked += 1

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.join()
        await wire.acknowledge(await wire.hear(ReportFailure))
        resign = await wire.hear(commands.Resign)
        # As the server has it: what is stored is acknowledged first, and published then.
        await wire.acknowledge(resign, seq=2)
        await after(50)
        await wire.say(resignation(resign))
        await wire.hear(commands.Leave)

    await played_by_bot(scene, choose=choose)
    assert asked == 1
