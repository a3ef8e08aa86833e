"""One simulated player: a guest on one socket at a time, which reconnects with its token when a connection is lost."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

from cornered.bench.attacks.sockets import RawSocket
from cornered.bench.workload.descriptors import local_address

__all__ = ["LOST", "LoadFailed", "Player"]

CLIENT: Final = "cornered bench load"
MAX_RETRIES: Final = 100
"""Attempts of a command that the server refuses for now."""
RETRY_S: Final = 0.1
"""Pause before a connection is tried again."""
RECONNECT_S: Final = 60.0
"""Time limit of coming back after a lost connection."""
LOST: Final = (OSError, TimeoutError)
"""The errors of a connection that is lost or cannot be made."""


class LoadFailed(RuntimeError):
    """The server refuses what the load needs; the text says what, `code` is that of the refusal."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code


class Player:
    """A player, or a bare connection that says no hello. `hear` gets the payload of each message."""

    def __init__(self, name: str, servers: Sequence[str], number: int, *, is_bot: bool = False) -> None:
        self._name = name
        self._servers = servers
        self._server = itertools.cycle(range(len(servers)))
        self._number = number
        self._is_bot = is_bot
        self._socket: RawSocket | None = None
        self.id = ""
        self._token = ""
        self.hear: Callable[[bytes], None] = lambda _: None
        self.lost: Callable[[], None] = lambda: None
        """Called when the connection is lost that was last made, not by `close`."""

    @property
    def is_connected(self) -> bool:
        return self._socket is not None and not self._socket.closed.is_set()

    async def connect(self, *, says_hello: bool = True) -> None:
        """Connect to the next server in turn, and say hello. Raises OSError, TimeoutError or LoadFailed."""
        server = self._servers[next(self._server)]
        for _ in range(MAX_RETRIES):
            socket = await RawSocket.connect(server, local=local_address(self._number, server))
            if not says_hello:
                break
            fields = {"token": self._token} if self._token else {"name": self._name}
            kind = {"kind": "bot"} if self._is_bot else {}
            welcome = await socket.ask("hello", **fields, **kind, client=CLIENT)
            if welcome["type"] == "welcome":
                self.id, self._token = welcome["player"]["id"], welcome["token"] or self._token
                break
            socket.abort()
            if welcome.get("retry_after") is None:
                raise LoadFailed(f"hello was refused: {welcome['code']}: {welcome['text']}", welcome["code"])
            await asyncio.sleep(welcome["retry_after"] / 1000)
        else:
            raise LoadFailed(
                "the server refuses new players again and again: CORNERED_GUEST_RATE limits them", "too_fast"
            )
        socket.hear = self.hear
        socket.lost = self._lose
        self._socket = socket

    async def come_back(self) -> None:
        """Reconnect to any of the servers, with any number of attempts in a minute. Raises TimeoutError."""
        async with asyncio.timeout(RECONNECT_S):
            while True:
                try:
                    await self.connect()
                except LOST:
                    await asyncio.sleep(RETRY_S)
                else:
                    return

    def _lose(self) -> None:
        if self._socket is not None:
            self._socket = None
            self.lost()

    def send(self, frame: bytes) -> None:
        """Send a frame; without a connection it is lost, as it would be in the network."""
        if self._socket is not None:
            self._socket.write(frame)

    async def ask(self, kind: str, /, **fields: object) -> dict[str, Any]:
        """Send a command and return its answer; while it is refused for now, it is repeated.

        Raises OSError, TimeoutError and LoadFailed.
        """
        for _ in range(MAX_RETRIES):
            if self._socket is None:
                raise ConnectionError("the connection is lost")
            answer = await self._socket.ask(kind, **fields)
            if answer["type"] != "refused":
                return answer
            if answer.get("retry_after") is None:
                raise LoadFailed(f"{kind} was refused: {answer['code']}: {answer['text']}", answer["code"])
            await asyncio.sleep(answer["retry_after"] / 1000)
        raise LoadFailed(f"{kind} was refused {MAX_RETRIES} times: {answer['code']}: {answer['text']}", answer["code"])

    def read_by_hand(self) -> int | None:
        """Stop receiving, and return the file descriptor to read from; None without a connection."""
        if self._socket is None:
            return None
        self._socket.transport.pause_reading()
        descriptor: int = self._socket.transport.get_extra_info("socket").fileno()
        return descriptor

    def break_off(self) -> None:
        """Lose the connection, as when the network fails; `lost` is called."""
        if self._socket is not None:
            self._socket.abort()

    def close(self) -> None:
        """Close the connection for good."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.abort()
