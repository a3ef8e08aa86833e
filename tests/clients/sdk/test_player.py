"""A bot whose commands are deferred or whose opponent leaves, and its errors when `choose` fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView, TokenStore, stay_as
from cornered.clients.sdk import player as playing
from cornered.clients.sdk.choosing import Choose
from cornered.protocol import messages
from cornered.protocol.bot_reports import ReportFailure
from cornered.protocol.commands import (
    AcceptChallenge,
    Claim,
    Declare,
    DeclineChallenge,
    DeclineDraw,
    DeclineRematch,
    Hello,
    Join,
    Leave,
    Ping,
    Play,
    Rematch,
    Resign,
)
from cornered.protocol.events import DrawOffered, Ended, Played, RematchDeclined, RematchOffered, TakenBack
from cornered.protocol.messages import Challenged, ErrorCode, Happened, Pong, SeatPresence, Snapshot
from cornered.protocol.values import NO_CLOCK, Accepts, Correspondence, GameSpec, SeatInfo
from tests.clients.sdk.scripted import ANN, BOB, CLOCKS, POSITIONS, TOKEN, Scripted, Wire, connected, scripted, snapshot
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

NOW = 1_000_000
"""The scripted server's time in `welcome`."""


async def no_move(match: MatchView, limit: Limit) -> str:
    raise AssertionError("it is not the bot's turn")


@asynccontextmanager
async def bot_at(server: Scripted, choose: Choose = no_move, concurrency: int = 4) -> AsyncIterator[None]:
    """Run a bot on the scripted server inside the block."""
    async with connected(server) as client:
        player = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid")], concurrency=concurrency)
        task = asyncio.ensure_future(player.run())
        try:
            yield
        finally:
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


def gone(claim_at: int | None) -> SeatPresence:
    return SeatPresence(match="m", seat=1, connected=False, at=NOW, claim_at=claim_at)


async def end(wire: Wire) -> None:
    """Receive the claim and the bot's departure."""
    claim = await wire.hear(Claim)
    ended = Ended(seq=3, at=1, cause=claim.id, seat=0, winner=0, places=(1, 2), reason="gone", seed="0" * 64)
    await wire.say(
        Happened(match="m", events=(ended,), position=POSITIONS[1], ply=1, to_move=1, clocks=CLOCKS),
    )
    await wire.acknowledge(claim, seq=3)
    await wire.acknowledge(await wire.hear(Leave))


async def no_claim(wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await wire.hear(Claim)


async def play_out(script: Callable[[Wire], Awaitable[None]], concurrency: int = 4, **match: object) -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        try:
            await wire.welcome("m")
            await wire.say(absent((await wire.hear(Join)).id).model_copy(update=match))
            await script(wire)
        finally:
            done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server, concurrency=concurrency):
        await done.wait()


async def test_a_bot_claims_victory_when_the_server_says_that_it_may() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(gone(NOW))
        await end(wire)

    await play_out(script)


async def test_a_bot_that_was_away_itself_claims_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "CLAIM_INTERVAL_S", 0.01)
    await play_out(end)


async def test_a_refused_claim_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "CLAIM_INTERVAL_S", 0.01)

    async def script(wire: Wire) -> None:
        claim = await wire.hear(Claim)
        await wire.say(messages.Refused(id=claim.id, code="opponent_here", text="nobody is gone"))
        await end(wire)

    await play_out(script)


async def test_nothing_is_claimed_over_a_player_who_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "CLAIM_INTERVAL_S", 0.01)

    async def script(wire: Wire) -> None:
        await wire.say(SeatPresence(match="m", seat=1, connected=True, at=NOW))
        await no_claim(wire)

    await play_out(script, connected=(True, True))


async def test_days_for_a_move_are_never_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "CLAIM_INTERVAL_S", 0.01)

    await play_out(no_claim, clock=Correspondence(days=3))


async def offered(wire: Wire, seq: int) -> None:
    """Say that Bob, a person here, offers a rematch."""
    event = RematchOffered(seq=seq, at=NOW, seat=1, cause="b")
    await wire.say(Happened(match="m", events=(event,), position=POSITIONS[1], ply=1, to_move=1, clocks=CLOCKS))


async def test_a_bot_answers_an_offer_of_a_rematch_of_an_opponent_who_was_away() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(SeatPresence(match="m", seat=1, connected=False, at=NOW))
        await after(50)
        await wire.say(SeatPresence(match="m", seat=1, connected=True, at=NOW))
        await offered(wire, 4)
        assert (await wire.hear(Rematch)).match == "m"

    await play_out(script, **ENDED)


async def test_a_bot_that_the_server_refuses_a_rematch_declines_it_with_the_reason() -> None:
    async def script(wire: Wire) -> None:
        await offered(wire, 4)
        asked = await wire.hear(Rematch)
        await wire.say(messages.Refused(id=asked.id, code="busy", text="Ann is in 50 live matches"))
        declined = await wire.hear(DeclineRematch)
        assert declined.reason == "Ann is in 50 live matches"
        over = RematchDeclined(seq=5, at=NOW, seat=0, cause=declined.id, reason=declined.reason)
        await wire.say(Happened(match="m", events=(over,), position=POSITIONS[1], ply=1, to_move=1, clocks=CLOCKS))
        await wire.acknowledge(declined, seq=5)

    await play_out(script, **ENDED)


async def test_a_bot_that_plays_as_many_games_as_it_takes_declines_a_rematch_and_says_so() -> None:
    async def script(wire: Wire) -> None:
        await offered(wire, 4)
        assert (await wire.hear(DeclineRematch)).reason == "Ann plays as many games as it takes"

    await play_out(script, concurrency=0, **ENDED)


async def test_a_bot_stays_at_a_bounded_number_of_ended_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MAX_ENDED_MATCHES", 2)
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        try:
            await wire.welcome("m1", "m2", "m3")
            for _ in range(3):
                join = await wire.hear(Join)
                await wire.say(absent(join.id).model_copy(update={**ENDED, "match": join.match}))
            assert (await wire.hear(Leave)).match == "m1"
        finally:
            done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server):
        await done.wait()


async def test_a_bot_that_cannot_accept_a_challenge_declines_it_with_the_reason() -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        try:
            await wire.welcome()
            spec = GameSpec(name="trapgrid")
            await wire.say(
                Challenged(challenge="c", by=PERSON, to=ANN, game=spec, clock=NO_CLOCK, seat=None, expires=NOW + 60_000)
            )
            accept = await wire.hear(AcceptChallenge)
            await wire.say(messages.Refused(id=accept.id, code="busy", text="Ann plays as many games as it takes"))
            decline = await wire.hear(DeclineChallenge)
            assert (decline.challenge, decline.reason) == ("c", "Ann plays as many games as it takes")
            await wire.acknowledge(decline)
        finally:
            done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server):
        await done.wait()


async def too_fast(wire: Wire, command: Any) -> float:
    """Refuse a command of the bot for seven seconds, and return when."""
    await wire.say(messages.Refused(id=command.id, code="too_fast", text="slow down", retry_after=7_000))
    return asyncio.get_running_loop().time()


async def test_a_bot_declines_a_challenge_again_when_the_server_says() -> None:
    waited: list[float] = []
    spec = GameSpec(name="trapgrid")
    challenged = Challenged(
        challenge="c", by=PERSON, to=ANN, game=spec, clock=NO_CLOCK, seat=None, expires=NOW + 60_000
    )

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(challenged)
        accept = await wire.hear(AcceptChallenge)
        await wire.say(messages.Refused(id=accept.id, code="busy", text="Ann plays as many games as it takes"))
        refused = await too_fast(wire, await wire.hear(DeclineChallenge))
        again = await wire.hear(DeclineChallenge)
        waited.append(asyncio.get_running_loop().time() - refused)
        await wire.acknowledge(again)
        done.set()
        await wire.stay()

    done = asyncio.Event()
    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server):
        await done.wait()
    assert waited[0] >= 7


async def test_a_bot_answers_an_offer_again_when_the_server_says() -> None:
    waited: list[float] = []

    async def script(wire: Wire) -> None:
        event = DrawOffered(seq=3, at=NOW, seat=1, cause="b")
        await wire.say(Happened(match="m", events=(event,), position=POSITIONS[1], ply=1, to_move=1, clocks=CLOCKS))
        refused = await too_fast(wire, await wire.hear(DeclineDraw))
        await wire.hear(DeclineDraw)
        waited.append(asyncio.get_running_loop().time() - refused)

    await play_out(script, connected=(True, True))
    assert waited[0] >= 7


async def test_the_author_of_a_bot_that_runs_twice_is_told_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    notice = messages.Notice(code="also_here", text="another program plays as Ann too")

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(notice, notice)
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=NOW))
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, connected(server) as client:
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
    done, asked = asyncio.Event(), asyncio.Event()

    async def choose(match: MatchView, limit: Limit) -> str:
        first = match.snapshot.position
        if not asked.is_set():
            asked.set()
            while match.snapshot.position == first:
                await match.changed(match.version)
            return "b2"
        return "c3"

    async def scene(wire: Wire) -> None:
        try:
            await wire.welcome("m")
            await wire.say(snapshot((await wire.hear(Join)).id, seq=3))
            await asked.wait()
            back = TakenBack(seq=4, at=1, seat=1, cause="x", ply=1, left=(None, None))
            other = Played(seq=5, at=1, seat=1, cause="y", ply=1, move="b1", spent=0, left=(None, None))
            position = str(engine.load("trapgrid", size=3).parse(POSITIONS[1]).play("b1"))
            events = (back, other)
            await wire.say(Happened(match="m", events=events, position=position, ply=2, to_move=0, clocks=CLOCKS))
            play = await wire.hear(Play)
            assert (play.ply, play.move) == (2, "c3")
        finally:
            done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server, choose):
        await done.wait()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits before repeated commands a millisecond."""
    monkeypatch.setattr("cornered.clients.sdk.errors.RETRY_DELAY_S", 0.001)


@pytest.mark.parametrize("code", ["too_fast", "internal"])
@pytest.mark.usefixtures("hasty")
async def test_a_match_that_cannot_be_joined_just_now_is_joined_later(code: ErrorCode) -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.say(messages.Refused(id=(await wire.hear(Join)).id, code=code, text="later", retry_after=1))
        await wire.say(absent((await wire.hear(Join)).id), gone(NOW))
        await end(wire)
        done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server):
        await done.wait()


async def test_a_bot_joins_its_matches_a_few_at_a_time() -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        await wire.welcome(*(f"m{number}" for number in range(3 * playing.MAX_CONCURRENT_JOINS)))
        for _ in range(playing.MAX_CONCURRENT_JOINS):
            await wire.hear(Join)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await wire.hear(Join)
        done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server):
        await done.wait()


@pytest.mark.usefixtures("hasty")
async def test_a_declaration_that_is_refused_for_now_is_made_again() -> None:
    async def scene(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(messages.Refused(id=(await wire.hear(Declare)).id, code="too_fast", text="later"))
        await wire.acknowledge(await wire.hear(Declare))
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, connected(server) as client:
        await BotPlayer(client, no_move, accepts=[Accepts(game="trapgrid")]).declare()


async def test_a_bot_whose_server_lost_its_accounts_comes_back_as_a_new_player(tmp_path: Path) -> None:
    hellos: list[Hello] = []

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))
        await wire.hear(Ping)
        wire.cut()

    async def lost(wire: Wire) -> None:
        hellos.append(await wire.hear(Hello))
        await wire.say(messages.Refused(id=None, code="bad_token", text="nobody has this token"))

    async def new(wire: Wire) -> None:
        hellos.append(await wire.welcome(token="another-token-of-this-length"))
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=NOW))
        await wire.stay()

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


@pytest.mark.parametrize("wrong", [None, "", "x" * 1_000_000, 7, {"a": [1] * 10_000}, Rude(), "\x1b]0;hello\x07"])
async def test_a_bot_resigns_and_says_in_a_short_line_what_choose_returned(
    wrong: object, caplog: pytest.LogCaptureFixture
) -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.say(snapshot((await wire.hear(Join)).id))
        await wire.acknowledge(await wire.hear(ReportFailure))
        resign = await wire.hear(Resign)
        ended = Ended(
            seq=2, at=1, cause=resign.id, seat=0, winner=1, places=(2, 1), reason="resignation", seed="0" * 64
        )
        await wire.say(
            Happened(match="m", events=(ended,), position=POSITIONS[0], ply=0, to_move=0, clocks=CLOCKS),
        )
        await wire.acknowledge(resign, seq=2)
        done.set()
        await wire.stay()

    async def choose(match: MatchView, limit: Limit) -> Any:
        return wrong

    with caplog.at_level("ERROR", "cornered.bot"):
        async with asyncio.timeout(60), scripted(scene) as server, bot_at(server, choose):
            await done.wait()
    (record,) = caplog.records
    told = record.getMessage()
    assert told.startswith("Ann (ann) resigns match m of trapgrid at ply 0: choose returned ")
    assert type(wrong).__name__ in told
    assert len(told) < 300
    assert told.isprintable()


async def test_an_answer_that_a_bot_cannot_decode_costs_it_nothing_else() -> None:
    def challenged(name: str) -> messages.Challenged:
        spec = GameSpec(name="trapgrid")
        return messages.Challenged(
            challenge=name, by=BOB, to=ANN, game=spec, clock=NO_CLOCK, seat=None, expires=NOW + 60_000
        )

    done = asyncio.Event()

    async def script(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.answer_in_a_later_version(await wire.hear(Join))
        for name in ("c1", "c2"):
            await wire.say(challenged(name))
            accepted = await wire.hear(AcceptChallenge)
            assert accepted.challenge == name
            await wire.answer_in_a_later_version(accepted)
        await wire.say(messages.Paired(match="n", seat=0))
        assert (await wire.hear(Join)).match == "n"
        done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, bot_at(server):
        await done.wait()


async def test_a_bot_that_resigns_is_not_asked_again_before_it_hears_of_the_end() -> None:
    done, asked = asyncio.Event(), 0

    async def choose(match: MatchView, limit: Limit) -> Any:
        nonlocal asked
        asked += 1

    async def scene(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.say(snapshot((await wire.hear(Join)).id))
        await wire.acknowledge(await wire.hear(ReportFailure))
        resign = await wire.hear(Resign)
        # As the server has it: what is stored is acknowledged first, and published then.
        await wire.acknowledge(resign, seq=2)
        await after(50)
        ended = Ended(
            seq=2, at=1, cause=resign.id, seat=0, winner=1, places=(2, 1), reason="resignation", seed="0" * 64
        )
        await wire.say(Happened(match="m", events=(ended,), position=POSITIONS[0], ply=0, to_move=0, clocks=CLOCKS))
        await wire.hear(Leave)
        done.set()
        await wire.stay()

    async with asyncio.timeout(60), scripted(scene) as server, bot_at(server, choose):
        await done.wait()
    assert asked == 1
