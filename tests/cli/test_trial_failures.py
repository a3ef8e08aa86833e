"""Failures of a bot on trial: which are of one kind, and which of them are logged whole."""

from __future__ import annotations

import logging

import pytest

from cornered.cli.trial_failures import common_failure, each_traceback_once
from cornered.clients.sdk.choosing import BotFailed
from cornered.protocol.bot_reports import BotIncident, IncidentKind

CRASH = "mine.py, line {}, in choose: return BOOK[state]\nKeyError: '{}'"


def incident(match: str, kind: IncidentKind, text: str) -> BotIncident:
    return BotIncident(at=1, kind=kind, text=text, match=match)


def test_failures_in_one_line_are_alike_whatever_their_words_are() -> None:
    one, two = (incident(name, "crash", CRASH.format(7, name)) for name in "ab")
    assert common_failure("ab", [one, two]) is not None
    assert common_failure("ab", [one]) is None
    assert common_failure("ab", [one, incident("b", "crash", CRASH.format(8, "b"))]) is None
    assert common_failure("ab", [one, incident("b", "illegal", "choose returned None")]) is None
    assert common_failure("ab", [incident(name, "illegal", name) for name in "ab"]) is not None
    assert common_failure("ab", [incident(name, "slow", name) for name in "ab"]) is None
    assert common_failure("", [one, two]) is None


def test_each_kind_of_failure_is_logged_whole_once(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("cornered.bot")

    def said(line: int, word: str) -> str:
        failure = BotFailed(f"choose raised {word}\nTraceback", crash=CRASH.format(line, word))
        log.error("%s resigns: %s", "mine", failure)
        return caplog.records[-1].getMessage()

    with each_traceback_once():
        assert said(7, "a") == "mine resigns: choose raised a\nTraceback"
        assert said(7, "b") == "mine resigns: choose raised b (as before)"
        assert said(8, "c") == "mine resigns: choose raised c\nTraceback"
    assert said(7, "a").endswith("Traceback")
