"""The list of forbidden words: what it catches however it is written, and what it lets pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.server.moderation import chat_filter
from cornered.server.moderation.chat_filter import NO_FILTER, ChatFilter
from cornered.server.refusal import Refusal

FILTER = ChatFilter.of(["# names of rogues", "", "knave", "Schuft*"])
MASKING = ChatFilter.of(["knave", "Schuft*"], masks=True)


def test_a_forbidden_word_is_found_however_it_is_written(subtests: pytest.Subtests) -> None:
    for line in (
        "knave",
        "You KNAVE!",
        "so,knave,there",
        "(knave)",
        "kn\u0430v\u0435",  # Cyrillic letters
        "k\u200bn\u00ada\u2060v\u200de",  # invisible characters
        "\uff4b\uff4e\uff41\uff56\uff45",  # full width
        "\U0001d424\U0001d427\U0001d41a\U0001d42f\U0001d41e",  # mathematical bold
        "kn\u00e1ve",
        "k.n.a.v.e",
        "k n a v e",
        "oh: k  n a v e",
        "Schufte",
        "schuftig",
    ):
        with subtests.test(line=line):
            with pytest.raises(Refusal, match="forbidden_words"):
                FILTER.line(line)
            with pytest.raises(Refusal, match="forbidden_words"):
                MASKING.name(line)
            assert "*" in MASKING.line(line)


def test_other_words_pass_as_they_are(subtests: pytest.Subtests) -> None:
    for line in ("brave", "knaves of hearts", "Bergschuft", "k n", "a b c", "", "🙂 !!! ...", "na k e"):
        with subtests.test(line=line):
            assert FILTER.line(line) == line
            assert FILTER.name(line) == line
            assert MASKING.line(line) == line


def test_a_masked_line_keeps_its_length_and_the_other_words() -> None:
    assert MASKING.line("a knave, and Schufterei too") == "a ****** and ********** too"


def test_without_a_list_everything_passes() -> None:
    assert NO_FILTER.line("knave") == "knave"


@given(st.text(max_size=300))
def test_a_masked_line_is_as_long_as_before_and_clean(line: str) -> None:
    masked = MASKING.line(line)
    assert len(masked) == len(line)
    assert MASKING.line(masked) == masked


def test_what_is_no_word_is_named_by_its_line(subtests: pytest.Subtests) -> None:
    for line in ("two words", "x" * 65, "***", "..."):
        with subtests.test(line=line), pytest.raises(ValueError, match="line 2 is no word"):
            ChatFilter.of(["knave", line])


def test_a_list_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_filter, "MAX_WORDS", 2)
    with pytest.raises(ValueError, match="more than 2 words"):
        ChatFilter.of(["one", "two", "three"])
