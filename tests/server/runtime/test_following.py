"""Following the store: outages are told once, and neither they nor a defect end it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import capture_logs

from cornered.server.runtime.following import OUTAGE_SECONDS, follow
from tests.virtual_time import after


class Outage(Exception):
    pass


@pytest.fixture
def logged() -> Iterator[list[structlog.typing.EventDict]]:
    with capture_logs() as entries:
        yield entries


@pytest.mark.virtual_time
async def test_an_outage_is_told_once_and_what_follows_is_looked_at(
    logged: list[structlog.typing.EventDict],
) -> None:
    answers = iter([None, Outage("away"), Outage("away"), None, Outage("again"), None])
    looks = list[float]()
    clock = asyncio.get_running_loop().time

    async def look() -> None:
        looks.append(clock())
        answer = next(answers, None)
        if answer is not None:
            raise answer

    began = clock()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(8.5):
            await follow("bans", look, lambda: after(1.0), (Outage,))
    assert [round(at - began, 3) for at in looks] == [
        *(1, 2, 3 + OUTAGE_SECONDS, 4 + 2 * OUTAGE_SECONDS),
        *(5 + 2 * OUTAGE_SECONDS, 6 + 3 * OUTAGE_SECONDS),
    ]
    assert [(one["log_level"], one["for_"], one["reason"]) for one in logged] == [
        ("warning", "bans", "away"),
        ("warning", "bans", "again"),
    ]


@pytest.mark.virtual_time
async def test_a_defect_is_logged_and_ends_nothing(logged: list[structlog.typing.EventDict]) -> None:
    looks = 0

    async def look() -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            raise KeyError("m1")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(4.5):
            await follow("groups", look, lambda: after(1.0), (Outage,))
    assert looks == 4
    assert [(one["log_level"], one["for_"]) for one in logged] == [("error", "groups")]
