"""How a bot fares, as its owner asks for it: the report, what the bot was asked, and the failures that it reports."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Final, Protocol

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.choosing import BotFailed
from cornered.clients.sdk.errors import ClientError
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.own_account import Asking
from cornered.engine.limit import Limit
from cornered.protocol.bot_reports import (
    MAX_FAILURE_CHARS,
    AskBotLink,
    AskBotReport,
    AskBotRequests,
    BotGame,
    BotLink,
    BotReport,
    BotRequest,
    BotRequests,
    FailureKind,
    ReportFailure,
    escaped_lines,
)
from cornered.protocol.messages import Acknowledged
from cornered.protocol.values import Command

__all__ = ["BotReports", "FailureReports"]

REPORT_S: Final = 5.0
"""Time limit of a report: a bot that fails goes on, or ends, without it."""


class BotReports:
    """How a bot fares, as `client.bot_reports`. Methods ask about this bot, or the one of a link to its page.

    Methods raise CommandRefused.
    """

    def __init__(self, client: Asking) -> None:
        self._client = client

    async def report(self, link: str | None = None, after: str | None = None) -> BotReport:
        """Return the report, or with the cursor `after` the games that follow an earlier one."""
        return await self._client.ask(AskBotReport(id=self._client.new_id(), link=link, after=after), BotReport)

    async def games(self, link: str | None = None) -> AsyncIterator[BotGame]:
        """Yield all finished games, the newest first; pages are asked for on the way."""
        after: str | None = None
        while True:
            page = await retry(partial(self.report, link, after))
            for game in page.games:
                yield game
            if page.more is None:
                return
            after = page.more

    async def requests(self, match: str, link: str | None = None) -> tuple[BotRequests, tuple[BotRequest, ...]]:
        """Return what the bot was asked in a finished match: the match with its first requests, and all of them."""
        first = part = await retry(partial(self._requests, match, link, 0))
        found = list(part.requests)
        while part.more is not None:
            part = await retry(partial(self._requests, match, link, part.more))
            found += part.requests
        return first, tuple(found)

    async def _requests(self, match: str, link: str | None, since: int) -> BotRequests:
        command = AskBotRequests(id=self._client.new_id(), match=match, link=link, since=since)
        return await self._client.ask(command, BotRequests)

    async def link(self) -> BotLink:
        """Return the code of a link to this bot's page, which is good for a week and as long as the token."""
        return await self._client.ask(AskBotLink(id=self._client.new_id()), BotLink)


class Reporting(Asking, Protocol):
    """What `FailureReports` needs of a `Client`."""

    def mention(self, command: Command) -> None: ...


class FailureReports:
    """Reports the failures of one bot to the server, each kind once in a match."""

    def __init__(self, client: Reporting, *, is_on: bool) -> None:
        self._client = client
        self._is_on = is_on
        self._reported: set[tuple[str, FailureKind]] = set()

    async def failed(self, match: MatchView, ply: int, limit: Limit, failure: BotFailed) -> None:
        """Report a move that the bot has not made; return when the server has it, or after `REPORT_S` seconds.

        A server that does not take it changes nothing.
        """
        if (command := self._command(_kind_of(failure), match, ply, limit, failure.crash or str(failure))) is not None:
            with contextlib.suppress(ClientError, TimeoutError):
                async with asyncio.timeout(REPORT_S):
                    await self._client.ask(command, Acknowledged)

    def mention(self, match: MatchView, ply: int, limit: Limit, failure: BotFailed) -> None:
        """Report it without waiting: the match goes on."""
        self.warn(_kind_of(failure), match, ply, limit, failure.crash or str(failure))

    def warn(self, kind: FailureKind | None, match: MatchView, ply: int, limit: Limit, text: str) -> None:
        """Report what was wrong with a move that the bot has made, without waiting."""
        if (command := self._command(kind, match, ply, limit, text)) is not None:
            self._client.mention(command)

    def forget(self, match: str) -> None:
        """Forget what was reported of a match, which is over."""
        self._reported = {one for one in self._reported if one[0] != match}

    def _command(
        self, kind: FailureKind | None, match: MatchView, ply: int, limit: Limit, text: str
    ) -> ReportFailure | None:
        """Return the report; None where it is off, sent already, or known to the server."""
        if not self._is_on or kind is None or (match.id, kind) in self._reported:
            return None
        self._reported.add((match.id, kind))
        shown = escaped_lines(text)[-MAX_FAILURE_CHARS:] or kind
        return ReportFailure(
            id=self._client.new_id(), failure=kind, match=match.id, ply=ply, limit=limit.time, text=shown
        )


def _kind_of(failure: BotFailed) -> FailureKind | None:
    """Return what a failure is; None for a move that the server itself has refused."""
    if failure.is_known:
        return None
    if failure.is_hang:
        return "hang"
    return "illegal" if failure.crash is None else "crash"
