"""The failures of a bot on trial: which kind ended a game, and the traceback of each kind once."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cornered.clients.sdk.choosing import BotFailed
from cornered.protocol.bot_reports import BotIncident

__all__ = ["common_failure", "each_traceback_once"]


def common_failure(matches: Sequence[str], incidents: Sequence[BotIncident]) -> str | None:
    """Return the kind of failure that each of `matches` has, None where one has another kind or none."""
    kinds = {match: set[str]() for match in matches}
    for one in incidents:
        if one.match in kinds and one.kind in ("crash", "hang", "illegal"):
            kinds[one.match].add("hang" if one.kind == "hang" else _kind(one.text if one.kind == "crash" else None))
    common = set.intersection(*kinds.values()) if kinds else set()
    return min(common, default=None)


@contextmanager
def each_traceback_once() -> Iterator[None]:
    """Log the whole text of each kind of failure once inside the block, and of further ones the first line."""
    known: set[str] = set()

    def shorten(record: logging.LogRecord) -> bool:
        given = record.args if isinstance(record.args, tuple) else ()
        for failure in given:
            if isinstance(failure, BotFailed):
                kind = _kind(failure.crash)
                if kind in known:
                    first = str(failure).partition("\n")[0]
                    record.args = tuple(f"{first} (as before)" if one is failure else one for one in given)
                    record.exc_info = None
                known.add(kind)
        return True

    log = logging.getLogger("cornered.bot")
    log.addFilter(shorten)
    try:
        yield
    finally:
        log.removeFilter(shorten)


def _kind(crash: str | None) -> str:
    """Return what is equal for equal failures: the place and the type of an error, whose words may name the position.

    `crash` has one frame a line and then the error, as `crash_text` writes them; None is an illegal move.
    """
    if crash is None:
        return "illegal"
    frames = [line for line in crash.splitlines() if ", line " in line and ", in " in line]
    error = next((line for line in crash.splitlines() if line not in frames), "")
    return f"{frames[-1] if frames else ''} {error.partition(':')[0]}"
