"""The log has the errors, and no secrets."""

from __future__ import annotations

import contextlib
from typing import Any, Literal

import pytest
import structlog

from cornered.server.log import BURST_LINES, MAX_KINDS, REFILL_INTERVAL_S, Limiter, configure


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_traceback_shows_no_local_variables(
    style: Literal["console", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    configure("info", style)
    seed = "-".join(["a", "secret", "seed"])
    try:
        raise ValueError("it broke" if seed else "")
    except ValueError:
        structlog.get_logger("test").exception("a match failed", match="m1")
    told = capsys.readouterr().err
    assert "a match failed" in told
    assert "it broke" in told
    assert "m1" in told
    assert seed not in told


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_strangers_words_reach_the_operators_terminal_as_escapes(
    style: Literal["console", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    configure("info", style)
    evil = "\x1b]0;owned\x07\x9b\u202e"
    try:
        raise ValueError(evil)
    except ValueError:
        structlog.get_logger("test").exception(f"a match failed {evil}", reason=evil)
    told = capsys.readouterr().err
    assert told.count("owned") >= 3
    assert all(line.isprintable() for line in told.split("\n"))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def written(limiter: Limiter, method: str, event: str, times: int) -> list[dict[str, Any]]:
    """Return the lines that are left of `times` equal ones."""
    lines = []
    for number in range(times):
        with contextlib.suppress(structlog.DropEvent):
            lines.append(dict(limiter(None, method, {"event": event, "match": f"m{number}"})))
    return lines


def test_warnings_of_one_kind_are_limited_and_the_next_one_counts_what_was_left_out() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    assert len(written(limiter, "warning", "the journal is away", 2_284)) == BURST_LINES
    clock.now += REFILL_INTERVAL_S
    (line,) = written(limiter, "warning", "the journal is away", 10)
    assert line["suppressed"] == 2_284 - BURST_LINES
    clock.now += 100 * REFILL_INTERVAL_S
    first, *others = written(limiter, "warning", "the journal is away", 100)
    assert first["suppressed"] == 9
    assert len(others) == BURST_LINES - 1
    assert not any("suppressed" in line for line in others)


def test_kinds_are_limited_apart_and_information_not_at_all() -> None:
    limiter = Limiter(Clock())
    for kind in ("a match is damaged", "the broker is away"):
        assert len(written(limiter, "error", kind, 100)) == BURST_LINES
    assert len(written(limiter, "info", "ready", 100)) == 100


def test_the_limiter_forgets_the_oldest_of_many_kinds() -> None:
    limiter = Limiter(Clock())
    for number in range(3 * MAX_KINDS):
        assert len(written(limiter, "error", f"kind {number}", 1)) == 1
    assert len(limiter) == MAX_KINDS


def test_the_servers_log_is_limited(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "console")
    for number in range(1_000):
        structlog.get_logger("test").warning("a stranger is here", number=number)
    assert capsys.readouterr().err.count("a stranger is here") == BURST_LINES
