"""What a bot was asked in its matches, as lines of JSON: written by downloads, read to be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from cornered.clients.sdk.time_management import move_limit
from cornered.engine.limit import Limit
from cornered.engine.records.files import read_text
from cornered.protocol.bot_reports import BotRequest, BotRequests
from cornered.protocol.values import Clock, GameSpec, Key

__all__ = ["MatchRequest", "lines_of", "read_requests"]

MAX_LINE_CHARS: Final = 10_000


class MatchRequest(BotRequest):
    """A request with its match, one line of a file."""

    match: Key
    game: GameSpec
    clock: Clock
    seat: int

    def limit_for(self, longest: int, round_trip: int = 0) -> Limit:
        """Return the limit of the move, which starts now.

        It is the one that the bot's program reported; otherwise the one that the kit makes of the clock, with the
        `longest` search time and the `round_trip` of the network in milliseconds.
        """
        if self.limit:
            return Limit(self.limit)
        return move_limit(self.clock, self.left, round_trip, longest)


def lines_of(match: BotRequests, requests: Iterable[BotRequest]) -> list[str]:
    """Return the lines of a file."""
    return [
        MatchRequest(
            match=match.match, game=match.game, clock=match.clock, seat=match.seat, **dict(request)
        ).model_dump_json()
        for request in requests
    ]


def read_requests(path: Path) -> list[MatchRequest]:
    """Return the requests of a file. Raises OSError, and ValueError with the line that is wrong."""
    found: list[MatchRequest] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            if len(line) > MAX_LINE_CHARS:
                raise ValueError("it is too long")
            found.append(MatchRequest.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"{path.name}, line {number} is no request: {where} {first['msg']}") from None
        except ValueError as error:
            raise ValueError(f"{path.name}, line {number} is no request: {error}") from None
    return found
