"""Scenarios and their verdicts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from websockets.exceptions import WebSocketException

__all__ = ["NotApplicable", "Outcome", "Scenario", "StageT", "Verdict", "Violation", "judge"]

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]
StageT = TypeVar("StageT")
StageT_contra = TypeVar("StageT_contra", contravariant=True)

LIMIT_S: Final = 40.0
"""Time limit of a scenario, beyond that of any of its waits."""


class Violation(Exception):
    """The subject broke the protocol; the text says what was seen."""


class NotApplicable(Exception):
    """The scenario does not concern this subject; the text says why."""


@dataclass(frozen=True, slots=True)
class Scenario(Generic[StageT_contra]):
    """One situation, and what the protocol expects in it."""

    name: str
    expected: str
    rule: str
    """The section of PROTOCOL.md, or GAMES.md, that has the rule."""
    advice: str
    """What to do about a failure."""
    play: Callable[[StageT_contra], Awaitable[None]]
    """Raises Violation and NotApplicable."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one scenario."""

    scenario: str
    outcome: Outcome
    expected: str
    seen: str
    """What was seen where it failed, and the reason where it was skipped; otherwise empty."""
    rule: str
    advice: str
    seconds: float


async def judge(
    scenario: Scenario[StageT], stage: StageT, ready: Callable[[], Awaitable[None]] | None = None
) -> Verdict:
    """Play a scenario, with the stage made `ready`, and return its verdict. An error of a connection is a failure."""
    began = time.monotonic()
    outcome: Outcome = "failed"
    try:
        if ready is not None:
            await ready()
        async with asyncio.timeout(LIMIT_S):
            await scenario.play(stage)
        outcome, seen = "passed", ""
    except NotApplicable as reason:
        outcome, seen = "skipped", str(reason)
    except Violation as violation:
        seen = str(violation)
    except TimeoutError:
        seen = f"the scenario did not end within {LIMIT_S:.0f} s"
    except (WebSocketException, OSError, EOFError) as error:
        seen = f"the connection broke: {error}"
    return Verdict(
        scenario.name, outcome, scenario.expected, seen, scenario.rule, scenario.advice, time.monotonic() - began
    )
