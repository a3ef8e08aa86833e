"""The scenarios for clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from websockets.exceptions import ConnectionClosed

from cornered.cli.conformance.client_stage import RETURN_S, ClientStage, Game
from cornered.cli.conformance.peer import PATIENCE_S, Peer, connected
from cornered.cli.conformance.proxy import Document
from cornered.cli.conformance.verdict import NotApplicable, Scenario, Violation
from cornered.protocol.commands import Join, Play, RequestTakeback
from cornered.protocol.events import Ended, TakenBack
from cornered.protocol.values import NO_CLOCK, Fischer, PerMove

__all__ = ["CLIENT_SCENARIOS"]

MOVES_OF_EACH_GAME: Final = 6
"""Moves of the client in each of its games."""
MOST_CONCURRENCY: Final = 8
"""A client that takes more games at once is not filled."""
MOST_ATTEMPTS: Final = 3
"""Commands about one thing that is refused; more are a loop."""
SETTLE_S: Final = 1.0
"""Seconds in which a client would go on with what it should not do."""
PONG_S: Final = 5.0
THINKING_S: Final = 0.3
"""Seconds after a move in which a client has begun to think about its answer."""
START_CLOCK: Final = Fischer(initial=90, increment=0)
"""Lasts longer than the start of a client."""
FLOOD_LINES: Final = 2_000
FREE_MAPS: Final = frozenset({"options", "refused", "notes"})
"""Fields that map any names to values, such as the options of a game."""


async def whole_games(stage: ClientStage) -> None:
    for spec in stage.games():
        async with stage.match(spec=spec) as game:
            for _ in range(MOVES_OF_EACH_GAME):
                # Walls, where the game has any: `e3h` and `e3v` are two walls.
                await game.move(prefers="h")
                if game.is_over():
                    break
                await game.reply()
                if game.is_over():
                    break


async def stale_ply(stage: ClientStage) -> None:
    async with stage.match(allowed=("stale_ply",)) as game:
        await game.exchange(1)
        ply = game.ply
        # Another connection of the same player makes the move first, and the client hears of it too late.
        since = _now(stage)
        stage.proxy.hold("up", _play(game.match))
        await game.move()
        await stage.proxy.until(
            "up", _play(game.match), since=since, what="a `play` of the client", patience=PATIENCE_S
        )
        stage.proxy.hold("down")
        async with connected(stage.server.url, token=stage.players_token, kind="bot") as twin:
            await twin.ask(Join, match=game.match)
            move = game.state().moves()[0]
            await twin.do(Play, match=game.match, ply=ply + 1, move=move)
        await game.happened(lambda one: one.ply == ply + 2, what="the move")
        await game.move()
        since = _now(stage)
        stage.proxy.release()
        await game.reply()
        await asyncio.sleep(SETTLE_S / 2)
        # Under one id a move is one attempt, however often it is sent: after `too_fast` it is to be.
        attempts = len({play["id"] for play in stage.proxy.sent(since, "play", match=game.match)})
        if attempts > MOST_ATTEMPTS:
            raise Violation(f"after `stale_ply` it sent {attempts} moves for one turn")


async def duplicate_id(stage: ClientStage) -> None:
    async with stage.match() as game:
        await game.exchange(1)
        since = _now(stage)
        await _lose_answer(stage, game)
        index = _now(stage)
        stage.proxy.clear()
        stage.proxy.cut()
        await stage.declared(index)
        await game.move()
        await game.reply(RETURN_S)
        first = stage.proxy.sent(since, "play", match=game.match)[0]
        for repeat in stage.proxy.sent(index, "play", match=game.match):
            if repeat["ply"] == first["ply"] and repeat["id"] != first["id"]:
                raise Violation(
                    f"it sent its move at ply {first['ply']} again as {repeat['id']!r}; the first was {first['id']!r}"
                )


async def repeated_events(stage: ClientStage) -> None:
    stage.proxy.rewrites["down"] = lambda one: (one, one) if one.get("type") == "happened" else (one,)
    async with stage.match() as game:
        await game.exchange(3)
        await asyncio.sleep(SETTLE_S / 2)


async def reconnect(stage: ClientStage) -> None:
    async with stage.match() as game:
        await game.exchange(1)
        # The client misses a move, and its connection breaks.
        stage.proxy.rewrites["down"] = _without(lambda one: one.get("match") == game.match)
        since = _now(stage)
        await game.move()
        known = _newest_seq(stage, game)
        stage.proxy.clear()
        stage.proxy.cut()
        join = await stage.proxy.until(
            "up",
            lambda one: one.get("type") == "join" and one.get("match") == game.match,
            since=since,
            what="a `join` of the match on a new connection",
            patience=RETURN_S,
        )
        resumed = stage.proxy.lines[join].message.get("since")
        if resumed is not None and resumed > known:
            raise Violation(f"it joined with `since` {resumed}, and has the events up to {known}: it misses some")
        await game.reply(RETURN_S)
        await game.exchange(1)


async def restart(stage: ClientStage) -> None:
    async with stage.opponent() as opponent:
        spec = stage.games()[0]
        began = _now(stage)
        match = await stage.begin(opponent, spec, seat=0)
        game = Game(stage, opponent, match, spec, began)
        await game.exchange(1)
    player, token, since = stage.player, opponent.token, _now(stage)
    await stage.server.stop()
    await stage.server.start()
    stage.proxy.target = stage.server.url
    async with connected(stage.server.url, token=token) as opponent:
        again = Game(stage, opponent, match, spec, since)
        await opponent.ask(Join, match=match)
        await stage.declared(since)
        if stage.player != player:
            raise Violation("it came back as another player: `hello` has to have the token of its first `welcome`")
        await again.move()
        await again.reply(RETURN_S)
        stage.check(again)
        await again.resign()


async def killed_client(stage: ClientStage) -> None:
    async with stage.match(clock=START_CLOCK) as game:
        await game.exchange(2)
        index = _now(stage)
        await stage.kill_and_start()
        await game.exchange(2)
        used = {one.message.get("id"): one.message for one in stage.proxy.lines[:index] if one.direction == "up"}
        for play in stage.proxy.sent(index, "play", match=game.match):
            # The server refuses such a command only where it still remembers the first one.
            if (known := used.get(play["id"])) is not None and known != play:
                what = f"its move at ply {play['ply']}"
                raise Violation(f"it sent {what} under {play['id']!r}, the id of an earlier command")


async def takeback(stage: ClientStage) -> None:
    async with stage.match(clock=NO_CLOCK, with_help=True) as game:
        await game.exchange(2)
        await game.opponent.do(RequestTakeback, match=game.match)
        await game.happened(
            lambda one: any(isinstance(event, TakenBack) for event in one.events), what="the event `taken_back`"
        )
        ply = game.ply
        await game.move()
        await game.reply()
        if game.ply != ply + 2:
            raise Violation(f"the match is at ply {game.ply}, not at {ply + 2}")


async def clock_edge(stage: ClientStage) -> None:
    async with stage.match(clock=Fischer(initial=3, increment=0)) as game:
        await game.exchange(5)


async def after_the_flag(stage: ClientStage) -> None:
    late = ("match_over", "too_late")
    async with stage.match(clock=PerMove(seconds=1), allowed=late, may_lose=True) as game:
        stage.proxy.hold("up", _play(game.match))
        await game.move()
        await game.happened(
            lambda one: any(isinstance(event, Ended) for event in one.events), what="the end of the match by time"
        )
        await stage.proxy.until(
            "down", _has_ended(game.match), since=game.began, what="the end of the match", patience=PATIENCE_S
        )
        # A move that was not sent before may have crossed with the end.
        crossing = 0 if stage.proxy.sent(game.began, "play", match=game.match) else 1
        since = _now(stage)
        stage.proxy.release()
        await asyncio.sleep(SETTLE_S)
        if len(again := stage.proxy.sent(since, "play", match=game.match)) > crossing:
            raise Violation(f"it sent {len(again)} more moves after the match had ended on time")


async def capacity(stage: ClientStage) -> None:
    most = int(stage.declaration["concurrency"])
    if not 1 <= most <= MOST_CONCURRENCY:
        raise NotApplicable(f"it takes {most} games at once; this is checked up to {MOST_CONCURRENCY}")
    async with AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(stage.opponent()) for _ in range(most)]
        spec, since = stage.games()[0], _now(stage)
        # All challenges come before the first is answered.
        stage.proxy.hold("down")
        for peer in peers:
            await stage.challenge(peer, spec, seat=0)
        stage.proxy.release()
        games = [Game(stage, peer, await stage.paired(peer), spec, since) for peer in peers]
        try:
            await asyncio.gather(*(game.move() for game in games))
            await asyncio.gather(*(game.reply() for game in games))
            for game in games:
                stage.check(game)
            await games[0].resign()
            await _refuse_acceptance(stage, peers[0])
        finally:
            for game in games:
                await game.resign()


async def _refuse_acceptance(stage: ClientStage, challenger: Peer) -> None:
    """Refuse the acceptance of one more challenge with `busy`, as where an address has as many matches as it may."""
    since = index = _now(stage)
    stage.proxy.rewrites["up"] = _without(lambda one: one.get("type") == "accept_challenge")
    await stage.challenge(challenger, stage.games()[0], seat=0)
    refusal = {"type": "refused", "code": "busy", "text": "too many matches are played", "retry_after": None}
    with suppress(TimeoutError):
        async with asyncio.timeout(SETTLE_S):
            while len(attempts := stage.proxy.sent(since, "accept_challenge")) <= MOST_ATTEMPTS:
                index = 1 + await stage.proxy.until(
                    "up",
                    lambda one: one.get("type") == "accept_challenge",
                    since=index,
                    what="an `accept_challenge`",
                    patience=PATIENCE_S,
                )
                await stage.proxy.inject({**refusal, "id": stage.proxy.lines[index - 1].message["id"]})
            raise Violation(f"it accepted one challenge {len(attempts)} times, although that is refused with `busy`")
    if not stage.proxy.sent(since, "accept_challenge") and not stage.proxy.sent(since, "decline_challenge"):
        raise Violation("it answered no challenge any more")


async def malformed_messages(stage: ClientStage) -> None:
    async with stage.match() as game:
        await game.exchange(1)
        for payload in ('{"type": "happ', b"\xc1", '{"no": "type"}', "[1, 2]"):
            # A client may end the connection at the first of them.
            with suppress(ConnectionClosed):
                await stage.proxy.inject(payload)
        await game.move()
        await game.reply(RETURN_S)


async def unknown_fields(stage: ClientStage) -> None:
    stage.proxy.rewrites["down"] = lambda one: (_with_fields(one),)
    async with stage.match() as game:
        await game.exchange(3)


async def unknown_events(stage: ClientStage) -> None:
    def rewrite(one: Document) -> Iterable[Document]:
        if one.get("type") == "happened":
            yield {"type": "weather", "match": one["match"], "outlook": ["rain", {"later": "sun"}]}
        renamed = [
            {"type": "hinted", "seq": event["seq"], "at": event["at"], "hint": {"seat": 0}}
            if event["type"] == "takeback_requested"
            else event
            for event in one.get("events", ())
        ]
        yield one if "events" not in one else {**one, "events": renamed}

    async with stage.match() as game:
        await game.exchange(1)
        stage.proxy.rewrites["down"] = rewrite
        # The client sees an event that it does not know in place of this one.
        await game.opponent.do(RequestTakeback, match=game.match)
        await game.exchange(2)


async def pongs(stage: ClientStage) -> None:
    async with stage.match() as game:
        await stage.proxy.ping(PONG_S)
        for _ in range(2):
            await game.move()
            # The client thinks by now, or has answered.
            await asyncio.sleep(THINKING_S)
            await stage.proxy.ping(PONG_S)
            await game.reply()


async def slow_reader(stage: ClientStage) -> None:
    async with stage.match() as game:
        await game.exchange(1)
        line = {
            "type": "said",
            "match": game.match,
            "room": "players",
            "by": game.opponent.player.model_dump(mode="json"),
            "text": "x" * 200,
            "at": 1,
        }
        for _ in range(FLOOD_LINES):
            await stage.proxy.inject(line)
        await game.move()
        await game.reply()


def _now(stage: ClientStage) -> int:
    return len(stage.proxy.lines)


def _play(match: str) -> Callable[[Document], bool]:
    return lambda one: one.get("type") == "play" and one.get("match") == match


def _has_ended(match: str) -> Callable[[Document], bool]:
    return lambda one: one.get("match") == match and any(event["type"] == "ended" for event in one.get("events", ()))


def _without(is_dropped: Callable[[Document], bool]) -> Callable[[Document], Iterable[Document]]:
    return lambda one: () if is_dropped(one) else (one,)


def _newest_seq(stage: ClientStage, game: Game) -> int:
    """Return the number of the newest event that was delivered to the client."""
    return max(
        (
            seq
            for line in stage.proxy.lines[game.began :]
            if line.direction == "down" and line.message.get("match") == game.match
            for seq in (line.message.get("seq", 0), *(event["seq"] for event in line.message.get("events", ())))
        ),
        default=0,
    )


async def _lose_answer(stage: ClientStage, game: Game) -> None:
    """Have the client make one move whose answer, like all that follows it, is lost."""
    since = _now(stage)
    stage.proxy.rewrites["down"] = _without(lambda one: bool(stage.proxy.sent(since, "play", match=game.match)))
    await game.move()
    await game.reply()


def _with_fields(value: Any) -> Any:
    """Return a message in which every map with a fixed set of fields has one more."""
    if isinstance(value, list):
        return [_with_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {key: item if key in FREE_MAPS else _with_fields(item) for key, item in value.items()}
    return {**changed, "x_later": {"since": 2}}


CLIENT_SCENARIOS: Final[tuple[Scenario[ClientStage], ...]] = (
    Scenario(
        "whole-games",
        "in each game that it declares, it makes one legal move a turn, in the protocol's notation",
        "GAMES.md#common-to-all-games",
        "Send one `play` for each position with `to_move` your seat. `ask_moves` has the legal moves as text.",
        whole_games,
    ),
    Scenario(
        "stale-ply",
        "a move refused with `stale_ply` is not repeated: it moves again in the newest position",
        "PROTOCOL.md#commands-and-answers",
        "After `stale_ply` wait for the `happened` that follows, and choose anew from its position.",
        stale_ply,
    ),
    Scenario(
        "duplicate-id",
        "a move whose answer was lost is sent again under the same id, or not at all where it has happened",
        "PROTOCOL.md#commands-and-answers",
        "Keep what was not answered, and send it after the next `welcome` with its `id` unchanged.",
        duplicate_id,
    ),
    Scenario(
        "repeated-events",
        "an event whose `seq` is known already changes nothing, and makes it send nothing",
        "PROTOCOL.md#matches",
        "Remember the newest `seq` of each match, and skip events that are not beyond it.",
        repeated_events,
    ),
    Scenario(
        "reconnect",
        "after a broken connection it comes back, and joins its match with the newest `seq` that it has",
        "PROTOCOL.md#resuming",
        "Connect again, say `hello` with the token, and `join` the matches of `welcome`, `since` your newest `seq`.",
        reconnect,
    ),
    Scenario(
        "restart",
        "after a restart of the server it is the same player, declares again, and plays its match on",
        "PROTOCOL.md#commands-and-answers",
        "Keep the token; after every `welcome` send `declare`, and join the matches that it names.",
        restart,
    ),
    Scenario(
        "killed-client",
        "killed and started again in mid-match, it plays the match on, under ids that it has not used before",
        "PROTOCOL.md#commands-and-answers",
        "Begin the ids of each run with something random, and join the matches that `welcome` names.",
        killed_client,
    ),
    Scenario(
        "takeback",
        "after `taken_back` it plays on from the earlier position, at a ply where it has moved before",
        "PROTOCOL.md#taken_back",
        "Take position, ply and side to move from every `happened`; count nothing yourself.",
        takeback,
    ),
    Scenario(
        "clock-edge",
        "it moves within its clock, here three seconds for the whole game",
        "PROTOCOL.md#matches",
        "Take the time for a move from `clocks.left` of your seat, and leave some for the way.",
        clock_edge,
    ),
    Scenario(
        "after-the-flag",
        "once the match has ended on time it sends no move any more",
        "PROTOCOL.md#matches",
        "Stop at the event `ended`; `match_over` and `too_late` are no reason to send a move again.",
        after_the_flag,
    ),
    Scenario(
        "capacity",
        "it plays as many games at once as it declares, and leaves alone a challenge that it may not accept",
        "PROTOCOL.md#declare",
        "Play each match on its own; decline, or forget, a challenge whose acceptance is refused with `busy`.",
        capacity,
    ),
    Scenario(
        "malformed-messages",
        "what cannot be read is skipped, or answered by a new connection; the match goes on",
        "PROTOCOL.md#resuming",
        "Catch the error of the decoder; log it, and read on or connect again.",
        malformed_messages,
    ),
    Scenario(
        "unknown-fields",
        "fields that it does not know are ignored, at every depth of a message",
        "GAMES.md#what-version-1-may-gain",
        "Let the decoder ignore unknown fields: a server may add some within version 1.",
        unknown_fields,
    ),
    Scenario(
        "unknown-events",
        "messages and events of a type that it does not know are ignored, and counted by their `seq`",
        "GAMES.md#what-version-1-may-gain",
        "End the choice by `type` with a branch that does nothing, and still take the new position and `seq`.",
        unknown_events,
    ),
    Scenario(
        "pongs",
        f"it answers a WebSocket ping within {PONG_S:.0f} s, also while it thinks",
        "PROTOCOL.md#limits",
        "Search in a thread or a process of its own, so that the connection is served meanwhile.",
        pongs,
    ),
    Scenario(
        "slow-reader",
        f"it reads {FLOOD_LINES:,} chat lines and still moves within {PATIENCE_S:.0f} s",
        "PROTOCOL.md#limits",
        "Read all the time, and work on the newest position alone: a player's socket that falls behind is closed.",
        slow_reader,
    ),
)
"""The scenarios for clients, in the order in which they are played."""
