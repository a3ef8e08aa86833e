"""The scenarios for servers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Final

from websockets.exceptions import ConnectionClosed

from cornered.cli.conformance.peer import Peer, connected, expect_refusal, shown
from cornered.cli.conformance.server_stage import ServerMatch, ServerStage
from cornered.cli.conformance.verdict import Scenario, Violation
from cornered.protocol.codec import JSON, MAX_FRAME, MAX_NESTING, MSGPACK
from cornered.protocol.commands import (
    AcceptChallenge,
    AcceptTakeback,
    AskGames,
    Challenge,
    Declare,
    Hello,
    Join,
    Ping,
    Play,
    RequestTakeback,
)
from cornered.protocol.events import Ended, TakenBack
from cornered.protocol.messages import Acknowledged, Happened, Paired, Pong, Refused, Snapshot
from cornered.protocol.values import Accepts, PerMove

__all__ = ["SERVER_SCENARIOS"]

SETTLE_S: Final = 0.3
"""Seconds in which a second answer would come."""
OPEN_CHALLENGES: Final = 5
"""Open challenges that one player may have sent."""
EARLY_S: Final = 0.6
"""A move after so much of a clock of one second is in time."""
LATEST_S: Final = 1.0 + 0.5 + 1.0
"""The flag's second, the compensation of lag, and as much again for a busy machine."""
FLOOD: Final = 120
"""Long answers that a reader asks for and does not read."""
QUICK_S: Final = 2.0
"""Seconds in which others are served meanwhile."""
BEYOND: Final = 100_000
"""A `since` beyond every event."""


async def hello(stage: ServerStage) -> None:
    async with stage.peer() as peer:
        player, token = peer.player, peer.token
        if not token:
            raise Violation("`welcome` has no token for a new guest")
    async with stage.peer(token=token) as peer:
        if peer.player.id != player.id:
            raise Violation(f"the token of player {player.id} made the player {peer.player.id}")
    async with connected(stage.url) as stranger:
        expect_refusal(await stranger.ask(Ping), "hello_first", "`ping` before `hello`")
        await stranger.tell(Hello(token="x" * 40))
        expect_refusal(await stranger.next("the answer to `hello`"), "bad_token", "`hello` with an unknown token")


async def acknowledgements(stage: ServerStage) -> None:
    async with stage.match() as match:
        for _ in range(6):
            done = await match.play()
            newest = max(match.mover.seen(match.match), default=0)
            if done.seq != newest:
                raise Violation(f"a move was acknowledged with seq {done.seq}, and its event has {newest}")
        for player in match.players:
            await player.quiet(SETTLE_S)
            _require_whole(player, match.match)
            answered = [message.id for message in player.log if isinstance(message, Acknowledged | Refused)]
            if twice := [one for one in answered if answered.count(one) > 1]:
                raise Violation(f"the command {twice[0]} was answered {answered.count(twice[0])} times")


async def stale_ply(stage: ServerStage) -> None:
    async with stage.match() as match:
        await match.play()
        await match.play()
        move = await match.legal()
        for ply in (0, match.ply + 1):
            await match.mover.refused("stale_ply", Play, match=match.match, ply=ply, move=move)
        await _require_nothing(match)
        await match.play(move)


async def duplicate_id(stage: ServerStage) -> None:
    async with stage.match() as match:
        mover, ply, move = match.mover, match.ply, await match.legal()
        number = mover.new_id()
        first = await match.play(move, id=number)
        again = await mover.do(Play, id=number, match=match.match, ply=ply, move=move)
        async with stage.peer(token=mover.token) as elsewhere:
            later = await elsewhere.do(Play, id=number, match=match.match, ply=ply, move=move)
        if not first.seq == again.seq == later.seq:
            raise Violation(f"one command got the seqs {first.seq}, {again.seq} and, on another socket, {later.seq}")
        await mover.refused("id_reused", Play, id=number, match=match.match, ply=match.ply, move=move)
        await _require_nothing(match)


async def resume(stage: ServerStage) -> None:
    async with stage.match() as match:
        await match.play()
        await match.play()
        here, away = match.players
        known = max(away.seen(match.match))
        away.socket.transport.abort()
        move = await match.legal()
        await here.do(Play, match=match.match, ply=match.ply, move=move)
        newest = (await here.do(RequestTakeback, match=match.match)).seq or 0
        async with stage.peer(token=away.token) as back:
            answer = await back.ask(Join, match=match.match, since=known)
            if not isinstance(answer, Acknowledged):
                raise Violation(f"`join` since {known} was answered by {shown(answer)}")
            await back.quiet(SETTLE_S)
            if (missed := back.seen(match.match)) != list(range(known + 1, newest + 1)):
                raise Violation(f"`join` since {known} brought the events {missed}, and there are {newest}")
            for since in (None, BEYOND):
                answer = await back.ask(Join, match=match.match, since=since)
                if not isinstance(answer, Snapshot) or answer.seq != newest:
                    raise Violation(f"`join` since {since} was answered by {shown(answer)}")


async def restart(stage: ServerStage) -> None:
    async with stage.match() as match:
        await match.play()
        seq = (await match.play()).seq or 0
        first = match.players[0]
        position, ply, _ = first.newest(match.match)
        await stage.restart()
        async with await stage.back(first.token) as back:
            if back.player.id != first.player.id:
                raise Violation("the token of before the restart is another player's")
            answer = await back.ask(Join, match=match.match)
            if not isinstance(answer, Snapshot):
                raise Violation(f"`join` of a match of before the restart was answered by {shown(answer)}")
            if answer.seq < seq or (answer.position, answer.ply) != (position, ply):
                raise Violation(f"event {seq} was acknowledged, and the restarted server has {answer.seq}")


async def takeback(stage: ServerStage) -> None:
    async with stage.match() as match:
        asks, agrees = match.players
        before = asks.newest(match.match)[0]
        await match.play()
        await match.play()
        move = await match.legal()
        await asks.do(RequestTakeback, match=match.match)
        await agrees.do(AcceptTakeback, match=match.match)
        for player in match.players:
            happened = await match.sees(
                player, lambda one: any(isinstance(event, TakenBack) for event in one.events), "the event `taken_back`"
            )
            if (happened.position, happened.ply, happened.to_move) != (before, 0, 0):
                raise Violation(f"after `taken_back` to the start the match is at ply {happened.ply}")
        await asks.refused("stale_ply", Play, match=match.match, ply=2, move=move)
        await match.play()


async def clock_edge(stage: ServerStage) -> None:
    loop = asyncio.get_running_loop()
    async with stage.match(clock=PerMove(seconds=1)) as match:
        await match.play()
        move = await match.legal()
        await asyncio.sleep(EARLY_S)
        await match.play(move)
        began, mover, ply, late = loop.time(), match.mover, match.ply, await match.legal()
        ended = await match.sees(mover, lambda one: _end_of(one) is not None, "the end by time")
        took = loop.time() - began
        end = _end_of(ended)
        assert end is not None
        if end.reason != "time" or end.winner != match.players.index(mover) ^ 1:
            raise Violation(f"a flag fell, and the match ended by {end.reason} with winner {end.winner}")
        if not 1.0 - SETTLE_S <= took <= LATEST_S:
            raise Violation(f"the flag of a clock of 1 s fell after {took:.1f} s")
        await mover.refused("match_over", Play, match=match.match, ply=ply, move=late)


async def capacity(stage: ServerStage) -> None:
    async with stage.peer() as person, stage.peer(name="Conformance", kind="bot") as bot:
        game = await stage.game(person)
        challenge = {"to": bot.player.id, "game": game}
        await person.refused("not_accepted", Challenge, **challenge)
        accepts = (Accepts(game=game.name, clocks=("none",)),)
        await bot.do(Declare, accepts=accepts, concurrency=1)
        clock = PerMove(seconds=9)
        await person.refused("not_accepted", Challenge, **challenge, clock=clock)
        sent = await person.do(Challenge, **challenge)
        await bot.do(AcceptChallenge, challenge=sent.ref or "")
        await person.hear(Paired)
        await person.refused("busy", Challenge, **challenge)
        async with stage.peer() as other:
            for _ in range(OPEN_CHALLENGES):
                await person.do(Challenge, to=other.player.id, game=game)
            await person.refused("busy", Challenge, to=other.player.id, game=game)


async def malformed_frames(stage: ServerStage) -> None:
    nested = "[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1)
    frames = {
        "not JSON": ("{no", "malformed"),
        "a list": ("[1]", "malformed"),
        "a message without `id`": ('{"type": "ping"}', "malformed"),
        "a message that nests too deep": (f'{{"type": "ping", "id": {nested}}}', "too_deep"),
        "a message that is too long": (json.dumps({"type": "ping", "id": "x" * MAX_FRAME}), "too_large"),
        "an unknown type": ('{"type": "sneeze", "id": "x1"}', "unknown_type"),
    }
    async with stage.peer() as peer, stage.peer() as other:
        for what, (payload, code) in frames.items():
            await peer.tell_raw(payload)
            answer = await peer.hear(Refused, what=f"the refusal of {what}")
            expect_refusal(answer, code, what)
            await _require_pong(peer, f"after {what}")
        # A frame with a reserved opcode ends this connection, and no other.
        peer.socket.transport.write(b"\x8f\x80\x00\x00\x00\x00")
        with contextlib.suppress(ConnectionClosed):
            async with asyncio.timeout(QUICK_S):
                while True:
                    await peer.socket.recv()
        await _require_pong(other, "after another socket's broken frame")


async def unknown_fields(stage: ServerStage) -> None:
    async with stage.match() as match:
        mover, move = match.mover, await match.legal()
        play = {"type": "play", "match": match.match, "ply": match.ply, "move": move}
        wrong = {
            "an unknown field": {**play, "later": 1},
            "a number in quotes": {**play, "ply": str(match.ply)},
            "a fraction": {**play, "ply": match.ply + 0.5},
        }
        for what, message in wrong.items():
            number = mover.new_id()
            await mover.tell_raw(json.dumps({**message, "id": number}))
            expect_refusal(await mover.answer(number, what=f"the refusal of {what}"), "malformed", what)
        await _require_nothing(match)


async def slow_reader(stage: ServerStage) -> None:
    loop = asyncio.get_running_loop()
    async with stage.match() as match, stage.peer() as watcher:
        await watcher.ask(Join, match=match.match)
        transport = watcher.socket.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        for _ in range(FLOOD):
            await watcher.tell(AskGames(id=watcher.new_id()))
        for _ in range(4):
            began = loop.time()
            await match.play()
            if (took := loop.time() - began) > QUICK_S:
                raise Violation(f"beside a reader that does not read a move took {took:.1f} s")
        newest = max(match.players[0].seen(match.match))
        transport.resume_reading()
        with contextlib.suppress(ConnectionClosed):
            while _newest_seq(watcher, match.match) < newest:
                await watcher.next("the newest event, or a snapshot, for a reader that reads again")


async def encodings(stage: ServerStage) -> None:
    async with stage.match(codecs=(JSON, MSGPACK)) as match:
        for _ in range(4):
            await match.play()
        texts, packs = (
            [one for one in player.log if isinstance(one, Happened) and one.match == match.match]
            for player in match.players
        )
        if texts != packs:
            raise Violation("the messages in JSON and in msgpack differ")


def _end_of(happened: Happened) -> Ended | None:
    return next((event for event in happened.events if isinstance(event, Ended)), None)


def _newest_seq(peer: Peer, match: str) -> int:
    snapshots = [one.seq for one in peer.log if isinstance(one, Snapshot) and one.match == match]
    return max([*snapshots, *peer.seen(match)], default=0)


def _require_whole(peer: Peer, match: str) -> None:
    """Raise Violation where the events of a match came not in order, twice, or with a gap."""
    seen = peer.seen(match)
    if seen and seen != list(range(seen[0], seen[0] + len(seen))):
        raise Violation(f"the events came with the seqs {seen}")


async def _require_nothing(match: ServerMatch) -> None:
    """Raise Violation where another event comes, or a player has not seen each event once."""
    before = match.ply
    for player in match.players:
        await player.quiet(SETTLE_S)
        _require_whole(player, match.match)
    if match.ply != before:
        raise Violation("a command that changes nothing has changed the match")


async def _require_pong(peer: Peer, when: str) -> None:
    answer = await peer.ask(Ping)
    if not isinstance(answer, Pong):
        raise Violation(f"{when} `ping` was answered by {shown(answer)}")


SERVER_SCENARIOS: Final[tuple[Scenario[ServerStage], ...]] = (
    Scenario(
        "hello",
        "`hello` comes first; a token makes the same player, and an unknown one is refused",
        "PROTOCOL.md#connecting",
        "Refuse with `hello_first` and `bad_token`; keep players by their tokens.",
        hello,
    ),
    Scenario(
        "acknowledgements",
        "each command is answered once, and each event comes once, in order, to both players",
        "PROTOCOL.md#commands-and-answers",
        "Decide, store, acknowledge and publish one command of a match at a time; count its events without gaps.",
        acknowledgements,
    ),
    Scenario(
        "stale-ply",
        "a move for an earlier or later ply is refused with `stale_ply` and changes nothing",
        "PROTOCOL.md#commands-and-answers",
        "Compare the `ply` of `play` with the match's before anything else.",
        stale_ply,
    ),
    Scenario(
        "duplicate-id",
        "a repeated command gets its first answer, also on another socket; another one under its id is refused",
        "PROTOCOL.md#commands-and-answers",
        "Remember the newest 64 commands of each seat by their ids, with the seq of the answer and their content.",
        duplicate_id,
    ),
    Scenario(
        "resume",
        "`join` with `since` brings exactly the missed events; one beyond the newest event brings a snapshot",
        "PROTOCOL.md#resuming",
        "Answer `acknowledged`, then one `happened` with the events after `since`.",
        resume,
    ),
    Scenario(
        "restart",
        "what was acknowledged before a restart is there after it, and the token is the same player's",
        "PROTOCOL.md#commands-and-answers",
        "Store events, and players, before they are acknowledged.",
        restart,
    ),
    Scenario(
        "takeback",
        "an accepted takeback brings back the earlier position, its ply and the side to move",
        "PROTOCOL.md#taken_back",
        "Fold the events without those that were taken back; moves for the later ply are stale.",
        takeback,
    ),
    Scenario(
        "clock-edge",
        "a move before the flag counts; after it the match is over, and a move is refused with `match_over`",
        "PROTOCOL.md#matches",
        "Let the server's clock alone decide, with at most 500 ms of compensation for a move.",
        clock_edge,
    ),
    Scenario(
        "capacity",
        "challenges beyond a bot's declaration, and a player's sixth open one, are refused",
        "PROTOCOL.md#limits",
        "Refuse with `not_accepted` what is not declared, and with `busy` what exceeds a number.",
        capacity,
    ),
    Scenario(
        "malformed-frames",
        "each is refused with its code on a socket that stays open, and harms no other socket",
        "PROTOCOL.md#limits",
        "Bound size and nesting before decoding; answer `refused`, with the `id` where it could be read.",
        malformed_frames,
    ),
    Scenario(
        "unknown-fields",
        "unknown fields, numbers in quotes and fractions are refused as `malformed`, and change nothing",
        "PROTOCOL.md#limits",
        "Validate commands strictly.",
        unknown_fields,
    ),
    Scenario(
        "slow-reader",
        "a reader that does not read delays no other client, and is brought up to date or closed",
        "PROTOCOL.md#limits",
        "Bound what waits for each socket; skip watchers that are behind, and send them a snapshot later.",
        slow_reader,
    ),
    Scenario(
        "encodings",
        "JSON and msgpack carry exactly the same messages",
        "PROTOCOL.md#connecting",
        "Encode one message by both codecs.",
        encodings,
    ),
)
"""The scenarios for servers, in the order in which they are played."""
