"""Text of other users contains no control characters, direction overrides or hidden characters, in names, lines and
terminals."""

# ruff: noqa: RUF001 - characters that are mistaken for others are what this is about.

from __future__ import annotations

import itertools
import json
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cornered.protocol.codec import JSON
from cornered.protocol.commands import Analysed, DeclineChallenge, Hello, OfferAnalysis, Say
from cornered.protocol.events import EVENT, Started
from cornered.protocol.text import (
    MAX_MARKS,
    MAX_NAME,
    ForbiddenText,
    clean_line,
    clean_name,
    comparison_keys,
    fold_name,
    visible,
)
from tests.protocol.conftest import BOTH, pack, refusal

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
JOINERS = "\u200c\u200d"
TROUBLE = {
    "escape": "\x1b[31m",
    "title": "\x1b]0;owned\x07",
    "nul": "\x00",
    "C1": "\x9b31m",
    "delete": "\x7f",
    "bidi override": "\u202e",
    "bidi isolate": "\u2066",
    "zero width": "\u200b",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "tag": "\U000e0041",
    "private": "\ue000",
    "unassigned": "\u0378",
    "noncharacter": "\uffff",
    "line separator": "\u2028",
    "newline": "\n",
}

texts = st.text(st.characters(codec="utf-8"), max_size=40) | st.text(
    st.sampled_from(
        " aé´ß\u0301\u0308\u0323\u093c\u094d\u0915\u064a\u200c\u200d\ufe0f\u2764\U0001f525\u2126\x1b\u202e\n"
    )
)


def hidden_in(text: str) -> list[str]:
    """Return the characters of forbidden categories, except joiners and emoji newer than Python's tables."""
    return [
        char
        for char in text
        if unicodedata.category(char) in HIDDEN and char not in JOINERS and not "\U0001f000" <= char <= "\U0001faff"
    ]


def test_a_hidden_character_is_refused_in_a_name_left_out_of_a_line_and_escaped_in_a_terminal(
    subtests: pytest.Subtests,
) -> None:
    for name, trouble in TROUBLE.items():
        with subtests.test(name):
            with pytest.raises(ForbiddenText, match=r"U\+[0-9A-F]{4}"):
                clean_name(f"An{trouble}n")
            line = clean_line(f"good {trouble}game")
            assert hidden_in(line) == []
            assert line.startswith("good ")
            assert line.endswith("game")
            shown = visible(f"An{trouble}n")
            assert shown.isprintable()
            assert "\\" in shown
            assert shown != f"An{trouble}n"


def test_a_name_is_taken_in_its_normal_form() -> None:
    names = {
        "Ada Lovelace": "Ada Lovelace",
        "  Ada \u00a0 Lovelace ": "Ada Lovelace",
        "Ａｄａ": "Ada",
        "Zoe\u0308": "Zoë",
        "Nguyễn Thị": "Nguyễn Thị",
        "भारत": "भारत",
        "ไก่": "ไก่",
        "مريم": "مريم",
        "李小龍": "李小龍",
        "Ann ❤\ufe0f": "Ann ❤",
        "\U0001fae8": "\U0001fae8",
        "é" * MAX_NAME: "é" * MAX_NAME,
        "e\u0301" * MAX_NAME: "é" * MAX_NAME,
    }
    assert {written: clean_name(written) for written in names} == names


def test_a_name_that_is_empty_too_long_or_piled_up_is_refused(subtests: pytest.Subtests) -> None:
    for name in (
        "",
        " ",
        "\u3000",
        "\u2800",
        "\u3164",
        "\u115f",
        "\ufe0f",
        "\u0301",
        "A" + "\u0338" * (MAX_MARKS + 1),
        "a \u0338",
        "x" * (MAX_NAME + 1),
        "\ufdfa" * 2,
        "e\u0301" * 200,
        "me\u200dyou",
        "A\u034fnn",
    ):
        with subtests.test(ascii(name)), pytest.raises(ForbiddenText):
            clean_name(name)


def test_a_line_keeps_what_scripts_and_emoji_need() -> None:
    lines = {
        "good\r\ngame": "good  game",
        "\tgg ": "gg",
        "x² ½ ™ …": "x² ½ ™ …",
        "don´t": "don´t",
        "cafe\u0301": "café",
        "می\u200cخواهم": "می\u200cخواهم",
        "क्\u200dष": "क्\u200dष",
        "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3": "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
        "a\u200db": "ab",
        "\u200dख": "ख",
        "Z" + "\u0338" * 30 + "algo": "Z" + "\u0338" * MAX_MARKS + "algo",
        "\u0301abc": "abc",
        "\x1b\x07\u202e": "",
        "\u2800\u3164": "",
    }
    assert {written: clean_line(written) for written in lines} == lines


@settings(max_examples=400)
@given(text=texts)
@example(text="\u2126\u200d\u2126")
@example(text="a\u200b\u0301")
def test_no_text_gets_a_hidden_character_through(text: str) -> None:
    line = clean_line(text)
    assert hidden_in(line) == []
    assert clean_line(line) == line
    assert unicodedata.is_normalized("NFC", line)
    shown = visible(text)
    assert hidden_in(shown) == []
    assert visible(shown) == shown
    assert visible(line) == line
    try:
        name = clean_name(text)
    except ForbiddenText:
        return
    assert hidden_in(name) == []
    assert not set(name) & set(JOINERS)
    assert clean_name(name) == name
    assert unicodedata.is_normalized("NFKC", name)
    assert 1 <= len(name) <= MAX_NAME


def test_names_that_look_the_same_have_one_key_and_others_have_not() -> None:
    same = (
        ("Ann", "ANN"),
        ("Anna", "\u0410nn\u0430"),
        ("Bill", "BiII"),
        ("Bill", "B1ll"),
        ("Bob", "B0b"),
        ("Dan", "DA\u039d"),
        ("dave", "da\u03bde"),
        ("Zoe", "Zoë"),
        ("Max", "Μаχ"),
        ("corner", "comer"),
        ("Wanda", "VVanda"),
        ("Ann", "An\u200bn"),
        ("Strauß", "STRAUSS"),
        ("Admin", "ꓮdmin"),
        ("Level-1", "ꓡevel-1"),
        ("champion", "ꮯhampion"),
        ("Champion", "ᏟHAMPION"),
        ("Magnus", "Magпus"),
        ("Захар", "ЗАХАР"),
        ("level-1", "level‑l"),
    )
    assert [names for names in same if len(set(map(fold_name, names))) > 1] == []
    others = (("Ann", "Anna"), ("Ann", "An n"), ("李", "王"), ("कि", "कु"), ("level-2", "level-3"))
    assert [names for names in others if len(set(map(fold_name, names))) == 1] == []


def test_a_name_of_an_earlier_version_is_known_by_the_key_of_then_first() -> None:
    assert comparison_keys("Magпus") == ("magпus", "magnus")
    assert comparison_keys("Magnus") == ("magnus",)


@settings(max_examples=300)
@given(text=texts)
def test_a_key_is_its_own_key(text: str) -> None:
    assert fold_name(fold_name(text)) == fold_name(text)


# The fields of messages


SAY = {"type": "say", "id": "c1", "match": "m1", "room": "players"}


def test_hello_with_a_forbidden_name_is_malformed_through_both_codecs(subtests: pytest.Subtests) -> None:
    for codec, (name, trouble) in itertools.product(BOTH, TROUBLE.items()):
        with subtests.test(name, codec=codec.subprotocol):
            error = refusal(codec, pack(codec, {"type": "hello", "name": f"A{trouble}b"}))
            assert error.code == "malformed"
            assert error.text.startswith("name: a name must not hold ")


def test_every_text_that_others_see_is_one_clean_line_through_both_codecs(subtests: pytest.Subtests) -> None:
    for codec, (name, trouble) in itertools.product(BOTH, TROUBLE.items()):
        overlay = {"name": trouble + "o", "title": trouble + "t", "legend": trouble, "kind": "heat", "cells": "01"}
        for fields in (
            SAY | {"text": f"a{trouble}b"},
            {"type": "decline_challenge", "id": "c1", "challenge": "x", "reason": f"a{trouble}b"},
            {"type": "analysed", "id": "c1", "job": "j", "error": f"a{trouble}b", "overlays": [overlay]},
            {"type": "hello", "client": f"a{trouble}b"},
        ):
            with subtests.test(name, codec=codec.subprotocol, type=fields["type"]):
                match codec.decode_command(pack(codec, fields)):
                    case Say(text=text) | DeclineChallenge(reason=text) | Hello(client=text):
                        found = [text]
                    case Analysed(error=str(error), overlays=tuple(overlays)):
                        found = [error, *(each for picture in overlays for each in (picture.name, picture.title))]
                        assert overlays[0].legend == clean_line(trouble)
                    case other:
                        raise AssertionError(other)
                assert [hidden_in(text) for text in found] == [[]] * len(found)
                assert all(found)


def test_a_line_of_which_nothing_is_visible_is_malformed() -> None:
    for codec in BOTH:
        error = refusal(codec, pack(codec, SAY | {"text": "\x1b\u200b"}))
        assert (error.code, error.command_id) == ("malformed", "c1")
        assert error.text == "text: there is nothing in it that can be seen"


def test_lengths_count_after_normalisation() -> None:
    for codec in BOTH:
        composed = codec.decode_command(pack(codec, SAY | {"text": "e\u0301" * 300}))
        assert isinstance(composed, Say)
        assert composed.text == "é" * 300
        long = refusal(codec, pack(codec, SAY | {"text": "é" * 301}))
        assert "of 1 to 300 characters, found text of 301" in long.text
        assert "too long" in refusal(codec, pack(codec, SAY | {"text": "\u0301" * 1_300})).text


def test_a_move_is_printable_ascii() -> None:
    play = {"type": "play", "id": "c1", "match": "m1", "ply": 0}
    for codec, move in itertools.product(BOTH, ("e\x1b4", "e\n", " e4", "é4", "e\u200b4", "e\x7f")):
        assert refusal(codec, pack(codec, play | {"move": move})).code == "malformed", move


def test_an_analysts_name_follows_the_rules_of_names() -> None:
    offer = {"type": "offer_analysis", "id": "c1", "games": ["trapgrid"], "jobs": 1}
    for codec in BOTH:
        accepted = codec.decode_command(pack(codec, offer | {"name": "Ｂot"}))
        assert isinstance(accepted, OfferAnalysis)
        assert accepted.name == "Bot"
        assert "name: a name must not hold" in refusal(codec, pack(codec, offer | {"name": "B\u202eot"})).text


def test_a_refusal_repeats_no_control_character_of_the_message() -> None:
    for codec in BOTH:
        text = refusal(codec, pack(codec, {"type": "ping", "id": "c1", "\x1b[31m": 1})).text
        assert text.isprintable()
        assert "\\x1b[31m" in text


def test_an_event_that_was_stored_under_older_rules_is_read_as_it_was() -> None:
    name = "An\x1b[31mn\u202e"
    started = {
        "seq": 1,
        "at": 0,
        "type": "started",
        "match": "m1",
        "game": {"name": "trapgrid", "options": {}},
        "players": [{"id": "p1", "name": name, "kind": "person"}, {"id": "p2", "name": "Bo", "kind": "bot"}],
        "clock": {"kind": "none"},
        "commitment": "",
    }
    event = EVENT.validate_json(json.dumps(started))
    assert isinstance(event, Started)
    assert event.players[0].name == name
    assert EVENT.validate_json(JSON.encode(event)) == event
    assert visible(name) == "An\\x1b[31mn\\u202e"
