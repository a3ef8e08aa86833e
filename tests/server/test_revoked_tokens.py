"""Revoked tokens: refused from then on, and the connections of their players are closed, on every node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from cornered.protocol.account import EndOtherSessions
from cornered.protocol.commands import Hello, Ping, Play
from cornered.protocol.messages import Pong, Refused
from cornered.server.accounts import AccountsUnavailable, Identity, Revocation
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.app import revoke_tokens
from cornered.server.settings import Settings
from tests.server.conftest import TIMEOUT_S, Pair, Start, Stores
from tests.server.scenes import REVOKED, closing, refusal, register, token_of


async def test_a_revoked_token_is_refused_and_its_connections_are_closed_while_others_play_on(
    start: Start, pair: Pair, tmp_path: Path
) -> None:
    async with start(database="") as server, server.client("Ann") as ann, server.client("Ben") as ben:
        match = await pair(ann, ben)
        token = ben.welcome.token
        async with server.client("Ben", token=token) as window:
            revoked = await revoke_tokens(Settings(data=tmp_path), ben.player.id)
            assert revoked == ben.player
            assert await refusal(server, token) == "bad_token"
            assert await closing(ben) == await closing(window) == REVOKED
        await ann.do(Play, match=match, ply=0, move="a2")
        assert await refusal(server, ann.welcome.token) == ""
    async with start(database="") as again:
        assert await refusal(again, token) == "bad_token"
        async with again.client("Ben") as other:
            assert other.player.id != revoked.id


class SlowAccounts(MemoryAccounts):
    """Accounts whose lookup by token may take a while, and which may be away."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read, self.may_return = asyncio.Event(), asyncio.Event()
        self.may_return.set()
        self.is_away = False
        self.looks = 0
        self.looked = asyncio.Condition()

    async def by_token(self, token: str, at: int = 0) -> Identity | None:
        found = await super().by_token(token, at)
        self.is_read.set()
        await self.may_return.wait()
        return found

    async def revoked(self, since: int) -> Sequence[Revocation]:
        async with self.looked:
            self.looks += 1
            self.looked.notify_all()
        if self.is_away:
            raise AccountsUnavailable("the store cannot be read")
        return await super().revoked(since)

    async def look_twice(self) -> None:
        """Return when the server has looked for revocations, and begins to look again."""
        until = self.looks + 2
        async with self.looked, asyncio.timeout(TIMEOUT_S):
            await self.looked.wait_for(lambda: self.looks >= until)


@pytest.mark.virtual_time
async def test_a_hello_that_read_its_token_just_before_it_ended_is_refused(
    running_server: Start, stores: Stores
) -> None:
    stores.accounts = accounts = SlowAccounts()
    async with running_server() as server, server.client("Guest") as ann:

        async def greet_late(token: str | None, end: Callable[[], Awaitable[object]]) -> None:
            async with server.socket() as late:
                accounts.is_read.clear()
                accounts.may_return.clear()
                await late.tell(Hello(token=token))
                await accounts.is_read.wait()
                await end()
                accounts.may_return.set()
                assert (await late.hear(Refused)).code == "bad_token"

        await register(ann)
        await greet_late(await token_of(server), lambda: ann.do(EndOtherSessions))
        assert isinstance(await ann.ask(Ping), Pong)

        async def revoke() -> None:
            await accounts.revoke(ann.player.id)
            assert await closing(ann) == REVOKED

        await greet_late(ann.welcome.token, revoke)


@pytest.mark.virtual_time
async def test_revocations_during_an_outage_of_the_store_take_effect_after_it(
    running_server: Start, stores: Stores
) -> None:
    stores.accounts = accounts = SlowAccounts()
    async with running_server() as server, server.client("Ben") as ben:
        accounts.is_away = True
        await accounts.revoke(ben.player.id)
        await accounts.look_twice()
        assert isinstance(await ben.ask(Ping), Pong)
        accounts.is_away = False
        assert await closing(ben) == REVOKED
