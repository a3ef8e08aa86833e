"""What the server and the engine say to people has a translation in every catalogue."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cache
from pathlib import Path

import pytest

from tests.clients.web import sentences
from tests.clients.web.test_language import CATALOGUES, HOLE, PARTS, WEB

OF_PROGRAMS = {"malformed", "not_a_bot", "not_allowed", "unknown_analysis", "bad_version", "bad_name"}
"""Codes of refusals that the page gives no occasion for."""
UNHEARD = {
    "a bot that takes {} games at once plays at most {} in the ladder: raise `concurrency`, or lower `ladder`",
    "a mute is of a player alone; leave `address` out",
    "`after` is what an earlier page gave as `more`; leave it out for the first page",
    "a game for two has seats 0 and 1",
    "there is no pool {}; `games` lists the pools",
    "the options of {} have {} values together, more than {}; leave an option out to accept all its values",
    "{} has no option {}; its options are {}{}",
    "{} has seats 0 to {}",
    "there is no game {}; there are {}{}",
    "another program plays as {} too; stop one of them, or give it a token of its own",
    "{} has another connection; if it is another program's, both play all of its matches: "
    "stop one, or give it a token of its own",
    "old matches cannot be read just now",
    "tournaments cannot be read just now",
    "pictures cannot be drawn just now; try again in a minute",
    "not ready: {}; try again in a minute",
    "this page may not connect here; the setting CORNERED_ORIGINS names those that may",
    "{}; try again in {} s",
    "the server is too busy to sign you in just now; go back to the page in a moment and sign in again",
}
"""Refusals of what only other programs send or read, or a browser shows instead of the page; one is put together from
two others."""
READ = {"429", "503"}
"""The statuses of HTTP answers that the page shows; see `#askWhy` in link.js."""


@cache
def heard() -> frozenset[str]:
    return frozenset(sentences.in_games())


def told(path: Path) -> dict[str, re.Pattern[str]]:
    """Return the server's sentences in a language, as the patterns that the page makes of them.

    What only those are told who open a part of the page that few open is in the catalogue of that part.
    """
    parts = [path, *(path.with_stem(f"{path.stem}-{part}") for part in PARTS.values())]
    every = [json.loads(one.read_text(encoding="utf-8"))["told"] for one in parts]
    catalogue: dict[str, str] = {key: text for one in every for key, text in one.items()}
    assert len(catalogue) == sum(map(len, every))
    return {key: re.compile("(.+?)".join(map(re.escape, HOLE.split(key))), re.DOTALL) for key in catalogue}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_refusal_has_a_translation(path: Path) -> None:
    patterns = told(path).values()
    said = {
        text
        for code, text in sentences.of_refusals()
        if code not in OF_PROGRAMS and text not in UNHEARD and (not code.isdigit() or code in READ)
    }
    assert len(said) > 90
    assert sorted(text for text in said if not any(each.fullmatch(text) for each in patterns)) == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_what_the_games_say_has_a_translation(path: Path) -> None:
    patterns = told(path).values()
    said = heard() | sentences.of_explanations() | sentences.of_positions()
    assert sorted(text for text in said if not any(each.fullmatch(text) for each in patterns)) == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_no_translation_is_of_a_sentence_that_is_gone(path: Path) -> None:
    said = heard() | sentences.in_sources()
    # The goals of puzzles are sentences of their own on the page.
    said |= {f"{text[:1].upper()}{text[1:]}." for text in said} | {
        re.sub(r"\b(seat|pawn) \{\}", "{}", text) for text in said
    }
    said |= {f"{text}; try again in {{}} s" for text in said if text.startswith("too many")}
    begin = sorted(said)

    def is_said(key: str, pattern: re.Pattern[str]) -> bool:
        beginning, *holes = HOLE.split(key)
        if not holes:
            return key in said
        last = bisect_left(begin, f"{beginning}\U0010ffff")
        return any(pattern.fullmatch(text) for text in begin[bisect_left(begin, beginning) : last])

    assert [key for key, pattern in told(path).items() if not is_said(key, pattern)] == []


def test_the_page_reads_refusals_of_the_gateway_as_this_test_does() -> None:
    assert all(status in (WEB / "link.js").read_text(encoding="utf-8") for status in READ)
