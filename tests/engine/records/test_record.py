"""Every match can be written and read again; a record with an illegal move is refused with its place."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornered import engine
from cornered.engine import CHANCE
from cornered.engine.records.record import Ply, Record, RecordedMove, RecordError, SeatLeft, from_json, to_json
from cornered.engine.records.text import from_text, to_text

GAMES = [
    engine.load("trapgrid", size=4),
    engine.load("isolation", width=4, height=5, dice=True),
    engine.load("isolation", width=8, height=4, players=3),
    engine.load("isolation", players=4, dice=True),
    engine.load("bamboo", radius=2),
    engine.load("quoridor", size=5, max_plies=40),
    engine.load("quoridor", size=5, players=4, max_plies=100),
]
NAMES = st.text(max_size=12)
MOMENTS = st.none() | st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]))
SHORT = '[Game "trapgrid"]\n[Options "size=3"]\n[Result "0-1"]\n\n1. b3 c2 2. c3 b2 0-1\n'


@st.composite
def records(draw: st.DrawFn) -> Record:
    game = draw(st.sampled_from(GAMES))
    rng = random.Random(draw(st.integers(0, 2**32)))
    state, plies = game.start(), list[Ply]()
    for _ in range(draw(st.integers(0, 60) | st.just(10_000))):
        if state.outcome is not None:
            break
        if rng.random() < 0.03:
            seat = rng.randrange(game.seats)
            if state.leave(seat) != state:
                plies.append(SeatLeft(seat, rng.choice(["resigned", "time", "abandoned"])))
                state = state.leave(seat)
            continue
        move = rng.choice(state.moves())
        has_clock = state.to_move != CHANCE and rng.random() < 0.9
        plies.append(RecordedMove(move, rng.choice([0, 999, 60_000, rng.randrange(10**9)]) if has_clock else None))
        state = state.play(move)
    return Record(
        game,
        tuple(plies),
        players=tuple(draw(NAMES) for _ in range(game.seats)) if draw(st.booleans()) else (),
        places=state.outcome.places if state.outcome else None,
        termination=draw(st.sampled_from(["", "normal", "time", "aborted"])),
        time_control=draw(st.sampled_from(["", "300+5", "none"])),
        started=draw(MOMENTS),
        ended=draw(MOMENTS),
        tags=draw(st.dictionaries(st.sampled_from(["Site", "Seed", "Match", "Event_2"]), NAMES)),
    )


@settings(max_examples=80)
@given(record=records())
def test_a_record_survives_both_forms(record: Record) -> None:
    assert from_json(to_json(record)) == record
    assert "\n" not in to_json(record)
    assert from_text(to_text(record)) == [record]


@settings(max_examples=20)
@given(several=st.lists(records(), max_size=3), newline=st.sampled_from(["\n", "\r\n"]))
def test_records_in_one_text_follow_one_another(several: list[Record], newline: str) -> None:
    assert from_text("".join(map(to_text, several)).replace("\n", newline)) == several


@pytest.mark.parametrize(
    "change",
    [
        ("[", "    ["),
        ("1. b3 c2 2. c3", "    1. b3 c2\n    2. c3"),
        ("1. b3 c2 2. c3", "1.b3 c2 2.c3"),
        ("1. b3 c2 2. c3", "1. b3 1... c2 2. c3"),
        ("b3", "b3 {thought\n[%clk 0:00:58] of it }"),
        ("b3", "b3 {\n[Game}"),
        ("b3", "b3 ; better than a2 {\n"),
        ("[Game", "; a note [of mine]\n% made by a program {\n{ours} [Game"),
        ("\n[Options", " [ Options"),
        ("[Game", "\ufeff[Game"),
    ],
)
def test_a_text_record_is_read_as_other_readers_of_pgn_do(change: tuple[str, str]) -> None:
    changed = SHORT.replace(*change)
    assert changed != SHORT
    read = from_text(SHORT + changed)
    assert [one.final for one in read] == [one.final for one in from_text(SHORT * 2)]
    clock = 58_000 if "%clk" in changed else None
    assert read[1].plies[0] == RecordedMove("b3", clock)


def test_a_text_record_reads_like_a_score_sheet() -> None:
    record = Record(
        engine.load("trapgrid", size=3),
        (RecordedMove("b3", 59_500), RecordedMove("c2", 60_000), RecordedMove("c3", 3_661_001), RecordedMove("b2")),
        players=('Ann "A"', "Bob"),
        places=(2, 1),
        termination="normal",
        time_control="60+1",
        started=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
    )
    assert to_text(record) == (
        '[Game "trapgrid"]\n'
        '[Options "size=3"]\n'
        '[Player0 "Ann \\"A\\""]\n'
        '[Player1 "Bob"]\n'
        '[Result "0-1"]\n'
        '[Termination "normal"]\n'
        '[TimeControl "60+1"]\n'
        '[Started "2026-11-20T12:00:00Z"]\n'
        "\n"
        "1. b3 {[%clk 0:00:59.500]} c2 {[%clk 0:01:00]} 2. c3 {[%clk 1:01:01.001]} b2 0-1\n\n"
    )


def test_a_record_holds_no_character_that_a_terminal_obeys_or_hides() -> None:
    hidden = ("\x1b[31m", "\x07", "\x7f", "\x9b", "\u202e", "\u200b", "\u2028", "\n", "\U000e0041")
    names = [f'A"{each}"]\\ Zoë' for each in hidden]
    game, move = engine.load("trapgrid", size=3), (RecordedMove("b3"),)
    for name, each in zip(names, hidden, strict=True):
        record = Record(game, move, players=(name, "Bob"), tags={"Site": each})
        for text, read in ((to_text(record), from_text), (to_json(record), lambda text: [from_json(text)])):
            assert all(line.isprintable() for line in text.split("\n"))
            assert "Zoë" in text
            assert read(text) == [record]


def test_rolls_and_leaving_have_words_of_their_own() -> None:
    game = engine.load("isolation", players=3, dice=True)
    first = map(RecordedMove, ("d4", "a1", "g7", "2", "d6"))
    plies: tuple[Ply, ...] = (*first, SeatLeft(1, "time"), RecordedMove("3"), RecordedMove("g4"))
    text = to_text(Record(game, plies))
    assert "1. d4 a1 g7 2. roll=2 d6 leave=1:time roll=3 g4 *" in text
    assert from_text(text)[0].plies == plies


def test_the_states_of_a_record_are_the_positions_that_were_seen() -> None:
    record = from_text(SHORT)[0]
    positions = [str(state) for state in record.states()]
    assert len(positions) == 5
    assert positions[0] == str(record.game.start())
    assert str(record.final) == positions[-1]


def test_players_may_agree_on_a_draw_only_where_the_game_has_draws() -> None:
    draw = Record(engine.load("quoridor"), (RecordedMove("e2"),), places=(1, 1))
    assert from_json(to_json(draw)) == draw
    with pytest.raises(RecordError, match="do not finish the game, so its result cannot be 1/2-1/2"):
        from_json(to_json(Record(engine.load("trapgrid"), (), places=(1, 1))))


def test_the_error_names_line_ply_and_reason(subtests: pytest.Subtests) -> None:
    for change, line, ply, reason in (
        (("c3", "a1"), 5, 2, "'a1' is not legal: a pawn moves one step up, down, left or right"),
        (("c3", "b3"), 5, 2, "'b3' is not legal: your pawn already stands on b3"),
        (("c3", "\n\nzz"), 7, 2, "'zz' is not legal"),
        (("b2 0-1", "0-1"), 1, None, "do not finish the game, so its result cannot be 0-1"),
        (("b2 0-1", "b2 b1 0-1"), 5, 4, "the game is over"),
        (("b2 0-1", "b2 leave=0 0-1"), 5, 4, "seat 0 cannot leave"),
        (("c3", "leave=7"), 5, 2, "no seat 7"),
        (("0-1\n", "1-0\n"), 5, None, "the moves end with 1-0, but the Result tag is 0-1"),
        (('"0-1"', '"1-0"'), 5, None, "the moves end with 0-1, but the Result tag is 1-0"),
        (('[Result "0-1"]', '[Result "1-3"]'), 5, None, "the moves end with 0-1"),
        (('[Result "0-1"]', "[Result 0-1]"), 3, None, 'a tag reads [Name "value"]'),
        (('[Result "0-1"]', '[Game "bamboo"]'), 3, None, "the tag Game is there twice"),
        (('[Game "trapgrid"]\n', ""), 1, None, "begins with its tags"),
        (("trapgrid", "chess"), 1, None, "there is no game 'chess'"),
        (("size=3", "size=99"), 1, None, "option 'size' takes 3 to 8, not 99"),
        (("size=3", "size=three"), 1, None, "not 'size=three'"),
        (('[Result "0-1"]', '[Result "0-1"]\n[Started "yesterday"]'), 1, None, "isoformat"),
        (("0-1\n", "0-1 b1\n"), 5, None, "'b1' follows the result"),
        (("c3", "c3 {why"), 5, None, "'{' has no partner"),
        (("c3", "c3 why}"), 5, None, "'}' has no partner"),
        (("c3", "c3 [why]"), 5, None, 'a tag reads [Name "value"], not 1. b3 c2 2. c3 [why] b2 0-1'),
        (('"0-1"', '"\\x"'), 3, None, 'a tag reads [Name "value"]'),
    ):
        with subtests.test(str(change)):
            with pytest.raises(RecordError) as refused:
                from_text(SHORT.replace(*change))
            error = refused.value
            assert (error.line, error.ply) == (line, ply)
            assert reason in error.reason
            where = f"line {line}" if ply is None else f"line {line}, ply {ply + 1}"
            assert str(error) == f"{where}: {error.reason}"


def test_a_wrong_json_record_is_one_clear_error(subtests: pytest.Subtests) -> None:
    fields = json.loads(to_json(from_text(SHORT)[0]))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"moves": ["b3", "a1"]}, "ply 2: 'a1' is not legal"),
        ({"moves": "b3"}, "`moves` is a list"),
        ({"moves": [1]}, "`moves` is a list"),
        ({"clocks": [1]}, "`clocks` has one number"),
        ({"clocks": [1.5, 1, 1, 1]}, "`clocks` has one number"),
        ({"places": [1, 2]}, "the moves give the result 0-1, not 1-0"),
        ({"places": [[1], 2]}, "`places` is a list"),
        ({"places": None}, "the moves give the result 0-1, not *"),
        ({"players": ["Ann"]}, "1 players for 2 seats"),
        ({"options": {"size": "3"}}, "option 'size' takes"),
        ({"options": 3}, "mapping"),
        ({"options": {"name": 3}}, "name"),
        ({"game": None}, "no game None"),
        ({"tags": {"Game": "x"}}, "a further tag"),
        ({"tags": {"a b": "x"}}, "a further tag"),
        ({"tags": 3}, ""),
        ({"started": 3}, ""),
        ({"ended": "soon"}, "isoformat"),
    ]
    for change, reason in changes:
        with subtests.test(str(change)):
            with pytest.raises(RecordError) as refused:
                from_json(json.dumps(fields | change), 12)
            assert refused.value.line == 12
            assert reason in str(refused.value)


def test_what_is_no_json_record_is_one_clear_error(subtests: pytest.Subtests) -> None:
    for line in ("", "{", "[]", "3", "[" * 100_000, '"a"', "{}"):
        with subtests.test(line[:9]), pytest.raises(RecordError, match="line 3"):
            from_json(line, 3)
