"""A player's own account: names, passwords, sessions and personal tokens; and signing in, before there is a client."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Protocol, TypeVar

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from cornered.clients.sdk.address import socket_url
from cornered.clients.sdk.errors import CommandRefused, Unreachable
from cornered.clients.sdk.escaping import escaped
from cornered.protocol import account
from cornered.protocol.account import Account, PersonalToken, Policies, Registered, Scope, SessionInfo, TokenCreated
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import Command
from cornered.protocol.messages import Acknowledged, Refused
from cornered.protocol.values import Value

__all__ = ["OwnAccount", "policies", "recover", "register", "sign_in"]

TIMEOUT_S = 20.0
"""Time limit of a connection, for which a password may wait for its turn."""
T = TypeVar("T", bound=Value)


class Asking(Protocol):
    """What this module needs of a `Client`."""

    def new_id(self) -> str: ...

    async def ask(self, command: Command, expected: type[T]) -> T: ...

    def keep_token(self, token: str) -> None: ...


class OwnAccount:
    """The account of a client's player, as `client.account`. Every method raises CommandRefused."""

    def __init__(self, client: Asking) -> None:
        self._client = client

    async def register(self, name: str, password: str, *, invitation: str | None = None) -> Registered:
        """Become an account: the player stays the same, with its matches, and has another token from then on.

        The recovery codes are shown this once.
        """
        command = account.Register(id=self._client.new_id(), name=name, password=password, invitation=invitation)
        registered = await self._client.ask(command, Registered)
        self._client.keep_token(registered.token)
        return registered

    async def about(self) -> Account:
        """Return what the server knows of the account."""
        return await self._client.ask(account.AskAccount(id=self._client.new_id()), Account)

    async def rename(self, name: str) -> Account:
        """Change the name; the old one stays reserved for the account."""
        return await self._client.ask(account.Rename(id=self._client.new_id(), name=name), Account)

    async def change_password(self, old: str, password: str) -> None:
        """Change the password; all other sessions and all personal tokens end."""
        command = account.ChangePassword(id=self._client.new_id(), old=old, password=password)
        await self._client.ask(command, Acknowledged)

    async def renew_codes(self, password: str) -> tuple[str, ...]:
        """Replace the recovery codes, and return the new ones, which are shown this once."""
        command = account.RenewCodes(id=self._client.new_id(), password=password)
        return (await self._client.ask(command, account.RecoveryCodes)).codes

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """Return the places where the player is signed in, the newest first."""
        return (await self._client.ask(account.AskSessions(id=self._client.new_id()), account.Sessions)).sessions

    async def end_session(self, session: str) -> None:
        """End one session, with the personal tokens that it has made."""
        await self._client.ask(account.EndSession(id=self._client.new_id(), session=session), Acknowledged)

    async def end_other_sessions(self) -> None:
        """End all sessions but this one."""
        await self._client.ask(account.EndOtherSessions(id=self._client.new_id()), Acknowledged)

    async def sign_out(self) -> None:
        """End this session, with the personal tokens that it has made: none of them is valid any more."""
        await self._client.ask(account.SignOut(id=self._client.new_id()), Acknowledged)

    async def create_token(
        self, label: str, scopes: Sequence[Scope], *, password: str | None = None, days: int = 90
    ) -> TokenCreated:
        """Create a personal token for a program; its `secret` is shown this once, and it ends with this session.

        An account that has a password needs it.
        """
        fields = {"label": label, "scopes": tuple(scopes), "password": password, "days": days}
        command = account.CreateToken.model_validate({"id": self._client.new_id(), **fields})
        return await self._client.ask(command, TokenCreated)

    async def tokens(self) -> tuple[PersonalToken, ...]:
        """Return the personal tokens, the newest first, without their secrets."""
        return (await self._client.ask(account.AskTokens(id=self._client.new_id()), account.Tokens)).tokens

    async def revoke_token(self, token: str) -> None:
        """Revoke a personal token by its id."""
        await self._client.ask(account.RevokeToken(id=self._client.new_id(), token=token), Acknowledged)

    async def export(self) -> AsyncIterator[str]:
        """Yield the archive of the account, its tokens and the matches, a line of JSON each."""
        after: str | None = None
        while True:
            part = await self._client.ask(account.AskExport(id=self._client.new_id(), after=after), account.Export)
            yield part.text
            after = part.more
            if after is None:
                return

    async def delete(self, password: str | None = None) -> None:
        """Delete the player; an account needs its password. Matches stay, under the name `deleted`."""
        await self._client.ask(account.DeleteAccount(id=self._client.new_id(), password=password), Acknowledged)


async def policies(url: str) -> Policies:
    """Return who may come in at a server. Raises as `sign_in`."""
    return await _at_the_door(url, account.AskPolicies(id=_new_id()), Policies)


async def register(
    url: str, name: str, password: str, *, invitation: str | None = None, label: str = ""
) -> tuple[str, tuple[str, ...]]:
    """Make a new player with an account; return its token and its recovery codes. Raises as `sign_in`."""
    command = account.Register(id=_new_id(), name=name, password=password, invitation=invitation, label=label)
    made = await _at_the_door(url, command, Registered)
    return made.token, made.codes


async def sign_in(url: str, name: str, password: str, *, label: str = "") -> str:
    """Begin a session and return its token, for `Client.connect`.

    Raises Unreachable, CommandRefused, and ValueError for an invalid address, name or password.
    """
    command = account.SignIn(id=_new_id(), name=name, password=password, label=label)
    return (await _at_the_door(url, command, account.SignedIn)).token


async def recover(url: str, name: str, code: str, password: str, *, label: str = "") -> str:
    """Set a new password by a recovery code, and return the token of a new session. Raises as `sign_in`."""
    command = account.Recover(id=_new_id(), name=name, code=code, password=password, label=label)
    return (await _at_the_door(url, command, account.SignedIn)).token


def _new_id() -> str:
    return secrets.token_urlsafe(9)


async def _at_the_door(url: str, command: Command, expected: type[T]) -> T:
    """Send one command on a connection of its own, without a hello, and return its answer."""
    address = socket_url(url)
    subprotocols = [Subprotocol(MSGPACK.subprotocol)]
    try:
        async with asyncio.timeout(TIMEOUT_S), connect(address, subprotocols=subprotocols, compression=None) as socket:
            await socket.send(MSGPACK.encode(command))
            answer = escaped(MSGPACK.decode_message(await socket.recv(decode=False)))
    except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake) as error:
        raise Unreachable(f"no answer from {url}: {error}") from error
    if isinstance(answer, Refused):
        raise CommandRefused(answer.code, answer.text, answer.retry_after)
    if not isinstance(answer, expected):
        raise TypeError(f"{type(command).__name__} is answered by {type(answer).__name__}")
    return answer
