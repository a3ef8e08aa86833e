"""The log tells what went wrong, and no secrets."""

from __future__ import annotations

from typing import Literal

import pytest
import structlog

from server.log import configure


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
