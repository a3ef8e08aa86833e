"""Commands, measured: their CPU time is in proportion to the tokens that they cost."""

from __future__ import annotations

import bisect
import functools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgpack
import pytest

from cornered import engine
from cornered.bots.online.analyst import report_of
from cornered.bots.online.traces import messages_of, searched
from cornered.engine.games import quoridor
from cornered.protocol.analysis import MAX_LINE_PLIES, MAX_STUDIED_MOVES
from cornered.protocol.codec import JSON, MAX_FRAME, MSGPACK, Codec, ProtocolError
from cornered.protocol.commands import (
    COMMAND,
    Analysed,
    AskGames,
    AskHistory,
    AskLeaderboard,
    AskLine,
    AskMoves,
    AskMyMatches,
    AskProfile,
    AskRatingHistory,
    AskStudy,
    AskTrace,
    AskVariation,
    Join,
    Ping,
    Play,
    ReadRecord,
)
from cornered.protocol.events import EVENT, MatchEvent, Played
from cornered.protocol.messages import Games, Line, Pong, TraceSearch
from cornered.protocol.ratings import Profile
from cornered.protocol.traces import MAX_TRACE_LINES, SearchName, TraceSettings
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.analysis.state import TraceSoFar
from cornered.server.analysis.studies import line_of, question_to_study, read_record
from cornered.server.analysis.traces import question_to_trace, read_lines
from cornered.server.match import catalogue, views
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.match.views import moves as moves_view
from cornered.server.net.board_svg import MAX_FRAMES, animated, drawn, policy_of
from cornered.server.net.costs import (
    ANIMATION,
    DRAWING,
    PREVIEW,
    QR_CODE,
    UNIT_US,
    cost_of,
    download_cost,
    malformed_cost,
    profile_cost,
    reading_cost,
    replay_cost,
)
from cornered.server.net.pictures import DRAW_PROGRAM, PNG_WIDTH
from cornered.server.net.qr_codes import draw
from cornered.server.net.records import record_of, slices_of
from cornered.server.net.shared_links import Played as PlayedGame
from cornered.server.rating.ratings import Change, Rating
from cornered.server.runtime.rating_answers import RatingAnswers
from cornered.server.settings import Settings

SEED = bytes(range(32))
PLIES: Final = 1_999
SLICE_MS: Final = 20.0
"""Maximum milliseconds that one piece of work may block the event loop, on the machine of `PLAIN_US`."""
PLAIN_US: Final = 24.0
"""CPU time of `plain` on the machine that the costs were measured on, in microseconds. Times are compared with it,
since machines differ, and a core that runs two threads is half as fast."""
TOLERANCE: Final = 3.0
"""Allowance for a machine that slows down between two measurements, or is slower at other work than at `plain`."""
BOARD_TOLERANCE: Final = 1.5
"""The same where the fullest board is measured, with nothing in memory."""
SPEC = GameSpec(name="quoridor", options={"walls": 0, "max_plies": None, "no_progress": None})


class Grown:
    """A match of players without clocks that grows move by move, with its events."""

    def __init__(self, spec: GameSpec) -> None:
        game, settled = catalogue.settle(spec)
        players = tuple(Player(id=f"p{n}", name=f"P{n}", kind="person") for n in range(game.seats))
        self.log = list(open_match(Opening("m1", settled, players, NO_CLOCK), SEED, now=1_000))
        self.match = Match.replay(self.log, SEED)

    def play(self, move: str) -> None:
        ply = self.match.ply
        command = Play(id=f"c{ply}", match="m1", ply=ply, move=move)
        events = self.match.decide(command, self.match.state.to_move, 1_000 + ply)
        for event in events:
            self.match = self.match.evolve(event)
        self.log += events


@pytest.fixture(scope="module")
def log() -> list[MatchEvent]:
    """The longest match that the default settings allow, still live."""
    grown = Grown(SPEC)
    for ply in range(PLIES):
        grown.play(("d1", "d9", "e1", "e9")[ply % 4])
    return grown.log


@pytest.fixture(scope="module")
def match(log: list[MatchEvent]) -> Match:
    return Match.replay(log, SEED)


def plain() -> list[int]:
    """Plain work on numbers, texts, tuples and a dictionary, whose time tells how fast the machine is now."""
    table: dict[int, tuple[int, str, object]] = {}
    for number in range(160):
        table[number % 37] = number, str(number), table.get(number % 37 - 1)
    return sorted(table)


def timed(work: Callable[[], Any]) -> float:
    """Return the CPU time of one call in seconds."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def cpu_us(work: Callable[[], Any], times: int = 9) -> float:
    """Return the least CPU time of one call in microseconds of the measured machine: by `plain`, run in between."""
    best, plainly = float("inf"), float("inf")
    for _ in range(times):
        plainly = min(plainly, *(timed(plain) for _ in range(9)))
        best = min(best, timed(work))
    return best / plainly * PLAIN_US


def slowest_ms(steps: Callable[[], Iterator[Any]]) -> float:
    """Return the CPU time of the longest step of the quickest of three runs, in such milliseconds."""
    slowest = []
    for _ in range(3):
        plainly = min(timed(plain) for _ in range(9))
        times, begun = [], time.thread_time()
        for _ in steps():
            times.append(time.thread_time() - begun)
            begun = time.thread_time()
        slowest.append(max(times) / plainly)
    return min(slowest) * PLAIN_US / 1e3


def forgetful(match: Match, ply: int) -> bytes:
    forget()
    return JSON.encode(moves_view(match, ply, id="c"))


def forget() -> None:
    views._remembered.clear()
    quoridor._unblocked.cache_clear()


def line_anew(command: AskLine) -> Line:
    forget()
    return views.line(line_of(command), id="c")


def snapshot(match: Match) -> bytes:
    return JSON.encode(views.snapshot(match, 0, connected=(True, True), watchers=0, id="c"))


SMALL = GameSpec(name="quoridor", options={"size": 5, "max_plies": None, "no_progress": None})
STEPS = ("b1", "b5", "c1", "c5") * 15
LONG = STEPS * (MAX_STUDIED_MOVES // len(STEPS))
RECORD = '[Game "quoridor"]\n[Options "size=5"]\n\n' + " ".join(LONG)
TRACED = engine.load("quoridor", size=3).start()
TRACE = tuple(line for move in TRACED.moves() * 20 for line in (f"+ 0 {move} -inf inf", "- 1 12 12 12 inf"))[:249]
TRACE = ("+ -1 . -inf inf", *TRACE)
TRACE_JSON = JSON.encode(Analysed(id="c", job="j", trace=TRACE))
WORK: Final[dict[str, tuple[Any, Callable[[Match, list[MatchEvent]], Any]]]] = {
    "ask_history": (AskHistory(id="c", match="m1"), lambda match, _: JSON.encode(views.history(match, id="c"))),
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
    "250 lines of a search": (
        Analysed(id="c", job="j", trace=TRACE),
        lambda *_: (COMMAND.validate_json(TRACE_JSON), read_lines(TraceSoFar(), TRACE, TRACED)),
    ),
    "ask_trace after 60 moves": (
        AskTrace(id="c", game=SMALL, moves=STEPS, settings=TraceSettings(search="minimax")),
        lambda *_: question_to_trace(AskTrace(id="c", game=SMALL, moves=STEPS, settings=TraceSettings(search="mcts"))),
    ),
    "ask_line after 240 moves": (
        AskLine(id="c", game=SMALL, moves=LONG),
        lambda *_: JSON.encode(line_anew(AskLine(id="c", game=SMALL, moves=LONG))),
    ),
    "a record of 240 moves": (ReadRecord(id="c", text=RECORD), lambda *_: read_record(ReadRecord(id="c", text=RECORD))),
    "ask_study": (
        AskStudy(id="c", game=SMALL, position=str(engine.load("quoridor", size=5).start())),
        lambda *_: question_to_study(
            AskStudy(id="c", game=SMALL, position=str(engine.load("quoridor", size=5).start()))
        ),
    ),
    "ping": (
        Ping(id="c", sent=1),
        lambda *_: (
            COMMAND.validate_json(b'{"type":"ping","id":"c","sent":1}'),
            JSON.encode(Pong(id="c", sent=1, now=2)),
        ),
    ),
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("minimax", {"width": 4, "height": 4}),
        ("alphabeta", {"width": 4, "height": 4}),
        ("maxn", {"width": 4, "height": 4, "players": 4}),
    ],
)
def test_an_analyst_can_send_the_longest_search_within_a_second(name: SearchName, options: dict[str, int]) -> None:
    game = engine.load("isolation", **options)
    job = TraceSearch(
        job="y" * 32,
        game=GameSpec(name="isolation", options=dict(game.options)),
        position=str(game.start()),
        settings=TraceSettings(search=name, depth=5),
        milliseconds=60_000,
        lines=MAX_TRACE_LINES,
    )
    recorded = searched(job)
    assert len(recorded.lines) == MAX_TRACE_LINES
    told = [Analysed(id="x" * 40, job=job.job, trace=part) for part in messages_of(recorded.lines)]
    told.append(Analysed(id="x" * 40, job=job.job, report=report_of(recorded.thought, 1), final=True))
    costs = [max(cost_of(one, None), reading_cost(len(MSGPACK.encode(one)))) for one in told]
    settings = Settings()
    assert max(costs) <= settings.message_burst
    assert sum(costs) <= settings.message_burst + settings.message_rate


def test_every_command_can_be_paid_for_with_the_default_burst(match: Match) -> None:
    commands = [command for command, _ in WORK.values()]
    commands += [Join(id="c", match="m1", since=since) for since in (0, 1, 9_999)]
    commands += [AskMoves(id="c", match="m1", ply=ply) for ply in (0, PLIES, PLIES + 1)]
    commands.append(AskVariation(id="c", match="m1", ply=0, moves=("d1",) * MAX_LINE_PLIES))
    assert all(1 <= cost_of(command, match) <= Settings().message_burst for command in commands)
    assert all(1 <= cost_of(command, None) <= Settings().message_burst for command in commands)


@pytest.mark.parametrize("name", WORK)
def test_no_command_takes_more_than_it_is_charged_or_holds_the_loop_up(
    name: str, match: Match, log: list[MatchEvent]
) -> None:
    command, work = WORK[name]
    work(match, log)
    took, charged = cpu_us(lambda: work(match, log)), cost_of(command, match)
    assert took / charged < UNIT_US * TOLERANCE
    assert took < SLICE_MS * 1000


def played(name: str, plies: int) -> Match:
    """Return a match with the usual options in which walls are put up where there are any."""
    grown, chance = Grown(GameSpec(name=name)), random.Random(7)
    for _ in range(plies):
        moves = grown.match.state.moves()
        grown.play(chance.choice([move for move in moves if move[-1] in "hv"] or moves))
    return grown.match


def a_line(match: Match, length: int) -> tuple[str, ...]:
    """Return moves that lead on from the newest position."""
    state, line = match.state, list[str]()
    while len(line) < length:
        line.append(next(move for move in state.moves() if state.play(move).outcome is None))
        state = state.play(line[-1])
    return tuple(line)


@pytest.mark.parametrize(("game", "plies"), [("quoridor", 16), ("bamboo", 60)])
@pytest.mark.parametrize("ask", ["newest", "newest again", "earlier", "1 move", "16 moves"])
def test_a_full_board_takes_no_more_than_is_charged(game: str, plies: int, ask: str) -> None:
    match = played(game, plies)
    assert game != "quoridor" or match.position.split(" walls=")[1].split(" ")[0].count(",") == 15
    forget()
    command: AskMoves | AskVariation
    if ask.endswith(("move", "moves")):
        line = a_line(match, int(ask.split()[0]))
        command = AskVariation(id="c", match="m1", ply=plies, moves=line)
        took = cpu_us(lambda: JSON.encode(views.variation(match, plies, line, id="c")))
        charged = cost_of(command, match)
        assert not views._remembered, "a variation needs no explanations"
    else:
        ply = plies - 1 if ask == "earlier" else plies
        command = AskMoves(id="c", match="m1", ply=ply)
        if ask == "newest again":
            moves_view(match, ply, id="c")
            took = cpu_us(lambda: JSON.encode(moves_view(match, ply, id="c")))
            charged = cost_of(command, match)
            assert charged < cost_of(AskMoves(id="c", match="m1", ply=0), match)
        else:
            charged = cost_of(command, match)
            took = cpu_us(lambda: forgetful(match, ply))
    assert took / charged < UNIT_US * BOARD_TOLERANCE


def test_the_end_of_a_long_race_takes_no_more_than_is_charged() -> None:
    grown = Grown(SPEC)
    walk = [move for rank, other in zip("23456789", "dededede", strict=True) for move in (f"e{rank}", f"{other}9")]
    for move in (*("d1", "d9", "e1", "e9") * 490, *walk[:-1]):
        grown.play(move)
    match = grown.match
    forget()
    charged = cost_of(AskMoves(id="c", match="m1", ply=match.ply), match)
    moves_view(match, match.ply, id="c")
    again = cost_of(AskMoves(id="c", match="m1", ply=match.ply), match)
    end = moves_view(match, match.ply, id="c").ending
    assert end is not None
    assert end.you.endswith("in 988 moves")
    took = cpu_us(lambda: JSON.encode(moves_view(match, match.ply, id="c")))
    assert took / again < UNIT_US * BOARD_TOLERANCE
    assert again <= charged


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
    "a misspelt type": lambda size: {"type": "leave_createtion"[:size]},
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


def length_of(codec: Codec, filling: Filling, size: int) -> int:
    return len(packed(codec, filling(size)))


@pytest.mark.parametrize("name", SPOILED)
def test_no_message_takes_longer_to_decode_than_it_is_charged(name: str) -> None:
    for codec in (JSON, MSGPACK):
        lengths = functools.partial(length_of, codec, SPOILED[name])
        size = bisect.bisect(range(MAX_FRAME), MAX_FRAME, key=lengths) - 1
        raw = packed(codec, SPOILED[name](size))

        def decode(codec: Codec = codec, raw: bytes = raw) -> float:
            try:
                codec.decode_command(raw)
            except ProtocolError:
                return malformed_cost(len(raw))
            return reading_cost(len(raw))

        assert cpu_us(decode) / decode() < UNIT_US * TOLERANCE, codec.subprotocol


def test_a_replay_and_a_download_are_done_in_short_steps_and_are_charged(log: list[MatchEvent]) -> None:
    raw = [EVENT.dump_json(event) for event in log]
    took = cpu_us(lambda: Match.replay([EVENT.validate_json(one) for one in raw], SEED), times=3)
    assert took / replay_cost(len(log)) < UNIT_US * TOLERANCE
    assert slowest_ms(lambda: Match.replaying(log, SEED)) < SLICE_MS
    took = cpu_us(lambda: [*slices_of(record_of([EVENT.validate_json(one) for one in raw]))], times=3)
    assert took / download_cost(len(log)) < UNIT_US * TOLERANCE
    assert slowest_ms(lambda: slices_of(record_of(log))) < SLICE_MS


def test_a_qr_code_is_drawn_for_what_it_is_charged() -> None:
    took = cpu_us(lambda: draw(f"https://{'play.' * 20}example/cornered/#/s/{'x' * 32}"))
    assert took <= TOLERANCE * QR_CODE * UNIT_US
    assert Settings().server_burst >= QR_CODE


@pytest.fixture(scope="module")
def walled() -> list[MatchEvent]:
    """A match of many walls, and then of as many plies as the longest one."""
    grown = Grown(GameSpec(name="quoridor", options={"max_plies": None, "no_progress": None}))
    chance = random.Random(7)
    for _ in range(PLIES):
        state = grown.match.state
        walls = [move for move in state.moves() if move[-1] in "hv"]
        steps = [move for move in state.moves() if move not in walls and state.play(move).outcome is None]
        grown.play(chance.choice(walls or steps))
    return grown.log


@pytest.mark.parametrize("picture", ["drawing", "animation"])
def test_a_drawing_takes_no_more_than_is_charged(picture: str, walled: list[MatchEvent]) -> None:
    def draw(game: PlayedGame) -> None:
        if picture == "animation":
            policy_of(animated(game.scenes(), game.board))
        else:
            policy_of(drawn(game.scenes()[-1], game.board))

    price = ANIMATION if picture == "animation" else DRAWING
    assert len(walled) > MAX_FRAMES
    took = cpu_us(lambda: draw(PlayedGame.of(walled)), times=3)
    assert took / (download_cost(len(walled)) + price) < UNIT_US * TOLERANCE
    short = PlayedGame.of(walled[: MAX_FRAMES if picture == "animation" else 20])
    assert cpu_us(lambda: draw(short), times=3) / price < UNIT_US * TOLERANCE


def test_a_preview_takes_no_more_than_is_charged(walled: list[MatchEvent]) -> None:
    pytest.importorskip("resource")
    played = PlayedGame.of(walled[:20])
    svg = drawn(played.scenes()[-1], played.board, is_preview=True).encode()

    def children() -> float:
        import resource

        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    best, plainly = float("inf"), float("inf")
    for _ in range(5):
        plainly = min(plainly, *(timed(plain) for _ in range(9)))
        begun = children()
        subprocess.run(
            [sys.executable, "-I", "-c", DRAW_PROGRAM, str(PNG_WIDTH)], input=svg, check=True, capture_output=True
        )
        best = min(best, children() - begun)
    took = best / plainly * PLAIN_US
    assert took / PREVIEW < UNIT_US * TOLERANCE


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


async def test_answers_about_ratings_take_no_more_than_is_charged(sqlite_url: str) -> None:
    speeds = ("bullet", "blitz", "rapid", "untimed", "classical")
    pools = [f"trapgrid:size={size}:{speed}" for size in range(3, 9) for speed in speeds]
    database = await Database.open(sqlite_url)
    store, accounts = SqlRatings(database), SqlAccounts(database)
    ann = (await accounts.create("Ann", "person"))[0].player.id
    for pool in pools:
        ratings = [Rating(1_000.0 + number, 60.0, 0.06, 2_000, 1) for number in range(1_200)]
        await store.replace(0, [(f"p{n}", pool, "person", rating) for n, rating in enumerate(ratings)], [])
        await store.replace(0, [(ann, pool, "person", ratings[100])], [])
    course = [Rating(1.0, 2.0, 0.06, games, games) for games in range(1, 2_001)]
    await store.correct([Change(f"m{one.games}", 0, "p0", "person", pools[0], 1.0, 2.0, one) for one in course])
    answers = RatingAnswers(store, accounts, lambda: 2)
    try:
        for command in (
            AskLeaderboard(id="c", pool=pools[0], after="1100_p100"),
            AskRatingHistory(id="c", player="p0", pool=pools[0]),
            AskProfile(id="c", player=ann),
        ):
            best, plainly = float("inf"), float("inf")
            for _ in range(9):
                plainly = min(plainly, *(timed(plain) for _ in range(9)))
                begun = time.process_time()
                answer = await answers.answer(command)
                JSON.encode(answer)
                best = min(best, time.process_time() - begun)
            charged = cost_of(command, None)
            if isinstance(answer, Profile):
                assert len(answer.ratings) == len(pools)
                assert all(one.rank is None for one in answer.ratings)
                charged += profile_cost(len(answer.ratings))
            took = best / plainly * PLAIN_US
            assert took / charged < UNIT_US * TOLERANCE
    finally:
        await database.close()
