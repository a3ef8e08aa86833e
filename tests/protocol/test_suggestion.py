"""A misspelt name finds the known one that it means, and nothing far from all of them is suggested."""

from __future__ import annotations

from cornered.protocol.codec import MAX_FRAME
from cornered.protocol.commands import ClientMessage
from cornered.protocol.explanation import kinds_of
from cornered.protocol.suggestion import did_you_mean, nearest

KNOWN = tuple(kinds_of(ClientMessage))


def test_a_misspelt_name_finds_the_one_that_it_means() -> None:
    meant = {
        "plya": "play",
        "Play": "play",
        "askMoves": "ask_moves",
        "challange": "challenge",
        "create_seeek": "create_seek",
        "ask-lobby": "ask_lobby",
        "hullo": "hello",
    }
    assert {wrong: nearest(wrong, KNOWN) for wrong in meant} == meant
    assert did_you_mean("plya", KNOWN) == "; did you mean `play`?"


def test_what_is_near_to_no_name_gets_no_suggestion() -> None:
    for wrong in ("", "win", "xyzzy", 5, None, ["play"], "play" * MAX_FRAME):
        assert nearest(wrong, KNOWN) is None
        assert did_you_mean(wrong, KNOWN) == ""


def test_a_letter_too_many_or_too_few_is_recognised_in_every_command() -> None:
    wrong = [(name[:at] + name[at + 1 :], name) for name in KNOWN for at in range(len(name))]
    wrong += [(name[:at] + "q" + name[at:], name) for name in KNOWN for at in range(len(name) + 1)]
    missed = [(text, name) for text, name in wrong if nearest(text, KNOWN) != name and text not in KNOWN]
    assert len(missed) < 0.01 * len(wrong)
