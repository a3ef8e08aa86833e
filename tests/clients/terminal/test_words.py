"""The texts of events and matches."""

from __future__ import annotations

import pytest

from cornered.clients.sdk import CommandRefused, read_clock
from cornered.clients.terminal.words import (
    gauge_text,
    ordinal,
    refusal_text,
    result_text,
    sentence,
    spec_text,
    time_left,
    time_text,
    turn_text,
)
from cornered.protocol.values import NO_CLOCK, Clock, Delay, Fischer, GameSpec, PerMove
from tests.clients.terminal.tables import LocalMatch


def test_time_is_shown_as_clocks_show_it(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[int | None, str], ...] = (
        (None, "∞"),
        (0, "0.0"),
        (9_999, "9.9"),
        (10_000, "0:10"),
        (61_500, "1:01"),
        (3_600_000, "1:00:00"),
        (3 * 86_400_000 + 7_200_000, "3d 02h"),
    )
    for milliseconds, text in rows:
        with subtests.test(milliseconds=milliseconds, text=text):
            assert time_text(milliseconds) == text


def test_the_noun_of_a_gauge_agrees_with_its_number_and_places_are_ordinals() -> None:
    told = [("cells in reach", 1), ("cells in reach", 12), ("groups", 1), ("moves", 1), ("no cell left", 0)]
    assert [gauge_text(*each) for each in told] == [
        "1 cell in reach",
        "12 cells in reach",
        "1 group",
        "1 move",
        "no cell left",
    ]

    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st")
    ]


def test_options_that_are_off_are_not_named_and_what_the_server_says_has_a_capital() -> None:
    options = {"width": 7, "height": 6, "players": 3, "dice": True, "max_plies": None, "strict": False}
    assert spec_text(GameSpec(name="isolation", options=options)) == "Isolation 7x6, 3 players, dice"
    assert spec_text(GameSpec(name="quoridor", options={"size": 9, "players": 2})) == "Quoridor 9x9"
    assert spec_text(GameSpec(name="bamboo", options={"radius": 5})) == "Bamboo radius 5"
    assert spec_text(GameSpec(name="trapgrid")) == "TrapGrid"

    assert sentence("the match went on") == "The match went on"
    assert sentence("it's over: nothing moves") == "It's over: nothing moves"
    assert sentence("e3h: a wall stands here") == "e3h: a wall stands here"
    assert sentence("") == ""
    assert (
        refusal_text(CommandRefused("private", "only its players see this match")) == "Only its players see this match"
    )


def test_the_turn_and_the_result_are_one_sentence(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[dict[str, object], str], ...] = (
        ({}, "Your turn: you play ●."),
        ({"to_move": 1}, "minimax to move (◆)."),
        ({"to_move": -1}, "The dice are rolling."),
        ({"over": True, "winner": 0, "reason": "rules"}, "You won, by the rules of the game."),
        ({"over": True, "winner": 1, "reason": "resignation"}, "minimax won, by resignation."),
        ({"over": True, "reason": "agreement"}, "A draw, by agreement."),
        ({"over": True, "reason": "ply_limit"}, "A draw, because the match reached this server's limit of moves."),
        ({"over": True, "reason": "aborted"}, "The match was called off; nothing counts."),
        ({"over": True, "reason": "expired"}, "Nobody made the first move in time; nothing counts."),
    )
    for update, text in rows:
        with subtests.test(update=update, text=text):
            match = LocalMatch("trapgrid").match.model_copy(update=update)
            assert turn_text(match) == text


def test_the_free_seconds_of_a_delay_clock_do_not_run_it_down() -> None:
    match = LocalMatch("trapgrid", ["a6"], clock=Delay(initial=60, delay=5), left=(60_000, 60_000)).match
    assert time_left(match, 1, 4_000) == 60_000
    assert time_left(match, 1, 7_000) == 58_000
    assert time_left(match, 0, 7_000) == 60_000
    assert time_left(match, 1, 900_000) == 0

    assert result_text(LocalMatch("trapgrid").match) == "The match is over."


def test_a_clock_is_read_as_players_write_it_and_nothing_else(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, Clock], ...] = (
        ("none", NO_CLOCK),
        ("5+3", Fischer(initial=300, increment=3)),
        ("0.5+0", Fischer(initial=30, increment=0)),
        ("0.1+0.05", Fischer(initial=6, increment=0.05)),
        ("20/move", PerMove(seconds=20)),
    )
    for text, clock in rows:
        with subtests.test(text=text, clock=clock):
            assert read_clock(text) == clock

    for text in ("", "5", "5+", "+3", "-5+3", "0+3", "999+3", "5+999", "0/move", "x/move", "5+3 ", "1+0.05.1"):
        with subtests.test(text=text), pytest.raises(ValueError, match=r"5\+3|out of range"):
            read_clock(text)
