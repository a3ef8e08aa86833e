"""Players as tests meet them: with an account, as an administrator, in a crowd; and how a server turns them away."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest
from websockets.exceptions import ConnectionClosed

from cornered.protocol import account as acc
from cornered.protocol.account import Role
from cornered.protocol.commands import Hello, Ping
from cornered.protocol.messages import Pong, Refused
from cornered.protocol.values import Value
from cornered.server.accounts import NewAccount
from tests.server.conftest import Client, Running, Stores

__all__ = [
    "DAY_MS",
    "OTHER",
    "PASSWORD",
    "REVOKED",
    "admin_of",
    "closing",
    "crowd",
    "fix_and_register",
    "make_account",
    "refusal",
    "register",
    "sign_in",
    "token_of",
]

PASSWORD: Final = "correct horse battery"
OTHER: Final = "staple of another kind"
DAY_MS: Final = 24 * 60 * 60 * 1000
REVOKED: Final = (1008, "your token is revoked")
"""How a socket is closed whose token has ended."""
NUMBERS: Final = itertools.count(1)


class Never(Value):
    """A message that no server sends."""


async def closing(client: Client) -> tuple[int, str]:
    """Return the code and the reason with which the server closes a socket."""
    with pytest.raises(ConnectionClosed) as closed:
        await client.hear(Never)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


async def refusal(server: Running, token: str | None) -> str:
    """Return the code with which a hello is refused; empty where it is not."""
    async with server.socket() as stranger:
        await stranger.tell(Hello(token=token))
        answer = await stranger.listen()
        return answer.code if isinstance(answer, Refused) else ""


async def register(client: Client, name: str = "Anna", **fields: Any) -> acc.Registered:
    """Make an account; a client that said hello has the token of its new session from then on."""
    answer = await client.ask(acc.Register, name=name, password=PASSWORD, **fields)
    assert isinstance(answer, acc.Registered), answer
    if hasattr(client, "welcome"):
        client.welcome = client.welcome.model_copy(update={"token": answer.token})
    return answer


async def sign_in(server: Running, name: str = "Anna", password: str = PASSWORD, **fields: Any) -> Any:
    """Return the answer to a sign-in on a socket of its own."""
    async with server.socket() as door:
        return await door.ask(acc.SignIn, name=name, password=password, **fields)


async def token_of(server: Running, name: str = "Anna", password: str = PASSWORD) -> str:
    answer = await sign_in(server, name, password)
    assert isinstance(answer, acc.SignedIn), answer
    return answer.token


async def fix_and_register(here: Running, there: Running, name: str = "Anna") -> None:
    """Require that a guest's token, known to somebody else, leads nowhere after the guest has registered."""
    # The attacker has given the victim a guest's token, and waits with it on both nodes.
    async with here.client("Eve") as eve, there.client("Eve", token=eve.welcome.token) as far:
        fixed = eve.welcome.token
        async with here.client("Eve", token=fixed) as victim:
            made = await register(victim, name)
            assert (made.player.id, made.token != fixed) == (eve.player.id, True)
            for socket in (eve, far):
                assert await closing(socket) == REVOKED
            assert await refusal(there, fixed) == "bad_token"
            # The victim's own socket goes on, in the session of the new token.
            own = await victim.ask(acc.AskAccount)
            assert (own.player.id, own.has_account) == (made.player.id, True)
            (session,) = (await victim.ask(acc.AskSessions)).sessions
            assert session.is_current
            async with there.client(token=made.token) as again:
                assert again.welcome.has_account
                await again.do(acc.EndOtherSessions)
            assert isinstance(await victim.ask(Ping), Pong), "it is the same session"


async def make_account(stores: Stores, role: Role = "player") -> tuple[str, str, str]:
    """Make an account with a role; return the ids of its player and its session, and the session's token."""
    number = next(NUMBERS)
    new = NewAccount(f"Account {number}", f"account {number}", "hash", ("code",), 1)
    made, token = await stores.accounts.register(new, None)
    await stores.accounts.set_role(made.player.id, role)
    return made.player.id, made.session, token


@contextlib.asynccontextmanager
async def admin_of(server: Running, stores: Stores) -> AsyncIterator[Client]:
    """Connect as Cas, an administrator."""
    async with server.client("Cas") as first:
        await register(first, "Cas")
        await stores.accounts.set_role(first.player.id, "admin")
    async with server.client(token=first.welcome.token) as admin:
        yield admin


@contextlib.asynccontextmanager
async def crowd(server: Running, count: int) -> AsyncIterator[list[Client]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(server.client(f"Player {number}")) for number in range(count)]
