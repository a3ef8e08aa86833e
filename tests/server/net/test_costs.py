"""Commands, measured: their CPU time is in proportion to the tokens that they cost."""

from __future__ import annotations

import bisect
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgpack
import pytest

from cornered.protocol.codec import JSON, MAX_FRAME, MSGPACK, Codec, ProtocolError
from cornered.protocol.commands import (
    COMMAND,
    AskGames,
    AskHistory,
    AskMoves,
    AskMyMatches,
    AskVariation,
    Join,
    Ping,
    Play,
)
from cornered.protocol.events import EVENT, MatchEvent, Played
from cornered.protocol.messages import Games, Pong
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.match import catalogue, views
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.match.views import moves as moves_view
from cornered.server.net.costs import UNIT_US, cost_of, download_cost, malformed_cost, reading_cost, replay_cost
from cornered.server.net.records import record_of, slices_of
from cornered.server.settings import Settings

SEED = bytes(range(32))
PLIES: Final = 1_999
SLICE_MS: Final = 20.0
"""Maximum milliseconds that one piece of work may block the event loop."""
TOLERANCE: Final = 3.0
"""Allowance for a slower or busier machine than the measured one."""
SPEC = GameSpec(name="quoridor", options={"walls": 0, "max_plies": None, "no_progress": None})


@pytest.fixture(scope="module")
def log() -> list[MatchEvent]:
    """The longest match that the default settings allow, still live."""
    _, spec = catalogue.settle(SPEC)
    players = tuple(Player(id=f"p{n}", name=f"P{n}", kind="person") for n in range(2))
    log = list(open_match(Opening("m1", spec, players, NO_CLOCK), SEED, now=1_000))
    match = Match.replay(log, SEED)
    for ply in range(PLIES):
        move = ("d1", "d9", "e1", "e9")[ply % 4]
        events = match.decide(Play(id=f"c{ply}", match="m1", ply=ply, move=move), ply % 2, 1_000 + ply)
        for event in events:
            match = match.evolve(event)
        log += events
    return log


@pytest.fixture(scope="module")
def match(log: list[MatchEvent]) -> Match:
    return Match.replay(log, SEED)


def cpu_us(work: Callable[[], Any], times: int = 9) -> float:
    """Return the least CPU time of one call in microseconds."""
    best = float("inf")
    for _ in range(times):
        begun = time.thread_time()
        work()
        best = min(best, time.thread_time() - begun)
    return best * 1e6


def slowest_ms(steps: Callable[[], Iterator[Any]]) -> float:
    """Return the CPU time of the longest step of the quickest of three runs, in milliseconds."""
    slowest = []
    for _ in range(3):
        times, begun = [], time.thread_time()
        for _ in steps():
            times.append(time.thread_time() - begun)
            begun = time.thread_time()
        slowest.append(max(times))
    return min(slowest) * 1e3


def forgetful(match: Match, ply: int) -> bytes:
    views._plays.cache_clear()
    views._about.cache_clear()
    return JSON.encode(moves_view(match, ply, id="c"))


def snapshot(match: Match) -> bytes:
    return JSON.encode(views.snapshot(match, 0, connected=(True, True), watchers=0, id="c"))


LINE = ("d1", "d9", "e1", "e9") * 4
WORK: Final[dict[str, tuple[Any, Callable[[Match, list[MatchEvent]], Any]]]] = {
    "ask_history": (AskHistory(id="c", match="m1"), lambda match, _: JSON.encode(views.history(match, id="c"))),
    "ask_moves, earlier": (AskMoves(id="c", match="m1", ply=6), lambda match, _: forgetful(match, 6)),
    "ask_moves, newest": (
        AskMoves(id="c", match="m1", ply=PLIES),
        lambda match, _: JSON.encode(moves_view(match, PLIES, id="c")),
    ),
    "ask_variation of 16": (
        AskVariation(id="c", match="m1", ply=4, moves=LINE),
        lambda match, _: JSON.encode(views.variation(match, 4, LINE, id="c")),
    ),
    "join": (Join(id="c", match="m1"), lambda match, _: snapshot(match)),
    "join since 1500": (
        Join(id="c", match="m1", since=1_500),
        lambda match, log: JSON.encode(views.happened(match, log[1_500:])),
    ),
    "ask_games": (
        AskGames(id="c"),
        lambda *_: JSON.encode(Games(id="c", games=catalogue.offered(), max_plies=2_000)),
    ),
    "40 summaries of ask_my_matches": (
        AskMyMatches(id="c"),
        lambda match, _: [views.summary(match, 0).model_dump_json() for _ in range(40)],
    ),
    "ping": (
        Ping(id="c", sent=1),
        lambda *_: (
            COMMAND.validate_json(b'{"type":"ping","id":"c","sent":1}'),
            JSON.encode(Pong(id="c", sent=1, now=2)),
        ),
    ),
}


def test_every_command_can_be_paid_for_with_the_default_burst(match: Match) -> None:
    commands = [command for command, _ in WORK.values()]
    commands += [Join(id="c", match="m1", since=since) for since in (0, 1, 9_999)]
    assert all(1 <= cost_of(command, match) <= Settings().message_burst for command in commands)
    assert all(1 <= cost_of(command, None) <= Settings().message_burst for command in commands)


@pytest.mark.parametrize("name", WORK)
def test_no_command_takes_more_than_it_is_charged_or_holds_the_loop_up(
    name: str, match: Match, log: list[MatchEvent], capsys: pytest.CaptureFixture[str]
) -> None:
    command, work = WORK[name]
    work(match, log)
    took, charged = cpu_us(lambda: work(match, log)), cost_of(command, match)
    with capsys.disabled():
        print(f"\n{name}: {took:.0f} us for {charged:.1f} tokens, {took / charged:.0f} us each", end="")  # noqa: T201
    assert took / charged < UNIT_US * TOLERANCE
    assert took < SLICE_MS * 1000


Filling = Callable[[int], dict[str, Any]]
DECLARE = {"type": "declare", "id": "c", "concurrency": 1}
ANALYSED = {"type": "analysed", "id": "c", "job": "j"}
SAY = {"type": "say", "id": "c", "match": "m", "room": "players"}
PING = {"type": "ping", "id": "c"}
CHALLENGE = {"type": "challenge", "id": "c", "to": "a"}


def _private(at: int, size: int) -> str:
    """Return one letter and hidden characters, a distinct text for each number."""
    return "a" + "".join(map(chr, range(0xF0000 + at * MAX_FRAME // 16, 0xF0000 + at * MAX_FRAME // 16 + size)))


SPOILED: Final[dict[str, Filling]] = {
    "numbers for what a bot plays": lambda size: DECLARE | {"accepts": [1] * size},
    "empty kinds of game": lambda size: DECLARE | {"accepts": [{}] * size},
    "numbers for clocks": lambda size: DECLARE | {"accepts": [{"game": "a", "clocks": [1] * size}]},
    "texts for values": lambda size: DECLARE | {"accepts": [{"game": "a", "options": {"k": [""] * size}}]},
    "texts for options": lambda size: (
        CHALLENGE | {"game": {"name": "a", "options": {str(number): "" for number in range(size)}}}
    ),
    "empty overlays": lambda size: ANALYSED | {"overlays": [{}] * size},
    "empty nodes": lambda size: ANALYSED | {"tree": [{}] * size},
    "a report of empty lines": lambda size: ANALYSED | {"report": {"lines": [{}] * size}},
    "numbers for moves": lambda size: {"type": "ask_variation", "id": "c", "match": "m", "ply": 0, "moves": [1] * size},
    "unknown fields": lambda size: PING | {str(number): 1 for number in range(size)},
    "a hidden field": lambda size: PING | {"\xad" * size: 1},
    "a hidden type": lambda size: {"type": "\xad" * size},
    "arrays": lambda size: PING | {"x": [[[]]] * size},
    "brackets": lambda size: SAY | {"text": "[" * size},
    "marks": lambda size: SAY | {"text": ("\u0915\u200d\u0301" * size)[: min(size, 1_200)]},
    "many characters": lambda size: SAY | {"text": "".join(map(chr, range(0xA0, 0xA0 + min(size, 1_200))))},
    "hidden words": lambda size: (
        ANALYSED
        | {
            "overlays": [
                {"name": "a" + "\xad" * size, "title": "a" + "\xad" * size, "legend": "", "kind": "heat", "cells": "0"}
            ]
            * 8
        }
    ),
    "different hidden words": lambda size: (
        ANALYSED
        | {
            "overlays": [
                {
                    "name": _private(2 * at, size),
                    "title": _private(2 * at + 1, size),
                    "legend": "",
                    "kind": "heat",
                    "cells": "0",
                }
                for at in range(8)
            ]
        }
    ),
}


def packed(codec: Codec, message: dict[str, Any]) -> bytes:
    if codec is MSGPACK:
        return bytes(msgpack.packb(message))
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
@pytest.mark.parametrize("name", SPOILED)
def test_no_message_takes_longer_to_decode_than_it_is_charged(
    name: str, codec: Codec, capsys: pytest.CaptureFixture[str]
) -> None:
    size = bisect.bisect(range(MAX_FRAME), MAX_FRAME, key=lambda size: len(packed(codec, SPOILED[name](size)))) - 1
    raw = packed(codec, SPOILED[name](size))

    def decode() -> float:
        try:
            codec.decode_command(raw)
        except ProtocolError:
            return malformed_cost(len(raw))
        return reading_cost(len(raw))

    took, charged = cpu_us(decode), decode()
    with capsys.disabled():
        print(f"\n{name}: {took:.0f} us for {charged:.1f} tokens, {took / charged:.0f} us each", end="")  # noqa: T201
    assert took / charged < UNIT_US * TOLERANCE


def test_a_replay_is_done_in_short_steps_and_is_charged(
    log: list[MatchEvent], capsys: pytest.CaptureFixture[str]
) -> None:
    raw = [EVENT.dump_json(event) for event in log]
    took = cpu_us(lambda: Match.replay([EVENT.validate_json(one) for one in raw], SEED), times=3)
    step = slowest_ms(lambda: Match.replaying(log, SEED))
    with capsys.disabled():
        print(f"\nreplay: {took / 1000:.0f} ms, {replay_cost(len(log)):.0f} tokens, steps {step:.1f} ms", end="")  # noqa: T201
    assert took / replay_cost(len(log)) < UNIT_US * TOLERANCE
    assert step < SLICE_MS


def test_a_download_is_written_in_short_steps_and_is_charged(
    log: list[MatchEvent], capsys: pytest.CaptureFixture[str]
) -> None:
    raw = [EVENT.dump_json(event) for event in log]
    took = cpu_us(lambda: [*slices_of(record_of([EVENT.validate_json(one) for one in raw]))], times=3)
    step = slowest_ms(lambda: slices_of(record_of(log)))
    with capsys.disabled():
        print(f"\ndownload: {took / 1000:.0f} ms, {download_cost(len(log)):.0f} tokens, steps {step:.1f} ms", end="")  # noqa: T201
    assert took / download_cost(len(log)) < UNIT_US * TOLERANCE
    assert step < SLICE_MS


def test_a_move_of_a_long_match_costs_no_more_than_one_of_a_short_match(log: list[MatchEvent]) -> None:
    def move_cost(events: list[MatchEvent]) -> float:
        match = Match.replay(events[:-8], SEED)
        moves = [event for event in events[-8:] if isinstance(event, Played)]
        costs = []
        for event in moves:
            command = Play(id="c", match="m1", ply=event.ply, move=event.move)
            begun = time.thread_time()
            played = match.decide(command, event.seat, event.at)
            match = match.evolve(played[0])
            views.happened(match, played)
            costs.append(time.thread_time() - begun)
        return min(costs)

    short, long = (min(move_cost(log[:events]) for _ in range(10)) for events in (40, len(log)))
    assert long < 2 * short
