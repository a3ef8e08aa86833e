"""A bot without the client kit: a WebSocket, JSON, and PROTOCOL.md. It hosts the faults that the conformance kit has to
find; docs/starters.md has models for clients.

It knows no rules: it asks for the legal moves of each position and makes one of them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

__all__ = ["FAULTS", "RawClient"]

GAMES: Final = ("isolation", "trapgrid", "quoridor")
CONCURRENCY: Final = 2
FAULTS: Final = {
    "answers each update twice": "whole-games",
    "misreads walls": "whole-games",
    "moves out of turn": "whole-games",
    "repeats a stale move": "stale-ply",
    "sends a lost move under a new id": "duplicate-id",
    "answers a repeated event": "repeated-events",
    "never resumes": "reconnect",
    "resumes from a later event": "reconnect",
    "comes back as another player": "restart",
    "does not declare again": "restart",
    "begins its ids anew in each run": "killed-client",
    "ignores takebacks": "takeback",
    "ignores its clock": "clock-edge",
    "moves after the flag": "after-the-flag",
    "accepts beyond its capacity": "capacity",
    "plays one game at a time": "capacity",
    "dies of a malformed message": "malformed-messages",
    "dies of an unknown field": "unknown-fields",
    "dies of an unknown message": "unknown-events",
    "dies of an unknown event": "unknown-events",
    "does not answer pings": "pongs",
    "reads slowly": "slow-reader",
}
"""Each fault, and the scenario that finds it."""


class RawClient:
    """One bot. `fault` is one of FAULTS, or empty for none."""

    def __init__(self, server: str, token: str | None, name: str, fault: str = "") -> None:
        self._server = server
        self._token = token
        self._name = name
        self._fault = fault
        self._numbers = itertools.count(1)
        self._prefix = "p" if self._has("begins its ids anew in each run") else f"{random.getrandbits(32):x}"
        self._socket: ClientConnection | None = None
        self._seq: dict[str, int] = {}
        """The newest event of each match."""
        self._seats: dict[str, int] = {}
        self._paired: set[str] = set()
        self._over: set[str] = set()
        self._unanswered: dict[str, dict[str, Any]] = {}
        """Commands without an answer, by id."""
        self._played: dict[str, int] = {}
        self._connections = 0

    async def run(self) -> None:
        """Play until cancelled, over any number of connections."""
        while True:
            try:
                async with connect(
                    self._server, subprotocols=[Subprotocol("cornered.v1.json")], compression=None, proxy=None
                ) as self._socket:
                    await self._session(self._socket)
            except* (OSError, WebSocketException):
                pass
            if self._has("never resumes") and self._connections:
                await asyncio.Event().wait()
            await asyncio.sleep(0.05)

    def _has(self, fault: str) -> bool:
        return self._fault == fault

    async def _session(self, socket: ClientConnection) -> None:
        if self._has("comes back as another player") and self._connections:
            self._token = None
        who = {"token": self._token} if self._token else {"name": self._name}
        await socket.send(json.dumps({"type": "hello", "kind": "bot", **who}))
        async with asyncio.TaskGroup() as self._waiting:
            await self._read(socket)
            raise ConnectionError

    async def _read(self, socket: ClientConnection) -> None:
        async for raw in socket:
            if self._has("reads slowly"):
                await asyncio.sleep(0.02)
            try:
                message = json.loads(raw)
                kind = message["type"]
            except (ValueError, KeyError, TypeError):
                if self._has("dies of a malformed message"):
                    raise
                continue
            if self._has("dies of an unknown field") and "x_later" in message:
                raise RuntimeError("there is no field x_later")
            handler = getattr(self, f"_on_{kind}", None)
            if handler is not None:
                await handler(message)
            elif self._has("dies of an unknown message") and kind == "weather":
                raise RuntimeError("there is no message of this type")
            self._unanswered.pop(message.get("id") or "", None)

    async def _send(self, kind: str, **fields: Any) -> None:
        command = {"type": kind, "id": f"{self._prefix}.{next(self._numbers)}", **fields}
        self._unanswered[command["id"]] = command
        assert self._socket is not None
        await self._socket.send(json.dumps(command))

    async def _on_welcome(self, welcome: dict[str, Any]) -> None:
        self._token = welcome["token"] or self._token
        self._connections += 1
        if self._connections == 1 or not self._has("does not declare again"):
            accepts = [{"game": game} for game in GAMES]
            await self._send("declare", accepts=accepts, concurrency=CONCURRENCY)
        for match in welcome["matches"]:
            await self._join(match)
        # What was not answered may not have arrived. Under the same id nothing happens twice.
        lost = [one for one in self._unanswered.values() if one["type"] == "play"]
        self._unanswered = {one["id"]: one for one in self._unanswered.values() if one["type"] != "play"}
        for command in lost:
            fields = {name: value for name, value in command.items() if name not in ("type", "id")}
            new = {} if self._has("sends a lost move under a new id") else {"id": command["id"]}
            await self._send("play", **fields, **new)

    async def _join(self, match: str) -> None:
        since = self._seq.get(match)
        if since is not None and self._has("resumes from a later event"):
            since += 2
        await self._send("join", match=match, since=since)

    async def _on_challenged(self, challenged: dict[str, Any]) -> None:
        await self._send("accept_challenge", challenge=challenged["challenge"])

    async def _on_paired(self, paired: dict[str, Any]) -> None:
        self._paired.add(paired["match"])
        if self._has("plays one game at a time") and len(self._paired - self._over) > 1:
            return
        await self._join(paired["match"])

    async def _on_snapshot(self, snapshot: dict[str, Any]) -> None:
        match = snapshot["match"]
        self._seq[match] = snapshot["seq"]
        self._seats[match] = snapshot["seat"]
        if snapshot["over"]:
            self._over.add(match)
        await self._look(match, snapshot["ply"], snapshot["to_move"])

    async def _on_happened(self, happened: dict[str, Any]) -> None:
        match = happened["match"]
        new = [event for event in happened["events"] if event["seq"] > self._seq.get(match, 0)]
        if not new and not self._has("answers a repeated event"):
            return
        for event in new:
            self._seq[match] = event["seq"]
            if event["type"] == "ended":
                self._over.add(match)
            if event["type"] == "hinted" and self._has("dies of an unknown event"):
                raise RuntimeError("there is no event of this type")
        await self._look(match, happened["ply"], happened["to_move"])

    async def _look(self, match: str, ply: int, to_move: int) -> None:
        """Ask for the legal moves where it is this client's turn."""
        is_mine = to_move == self._seats.get(match) or self._has("moves out of turn")
        if match in self._over or not is_mine:
            return
        if self._has("ignores takebacks") and ply <= self._played.get(match, -1):
            return
        if self._has("ignores its clock"):
            await asyncio.sleep(1.5)
        if self._has("does not answer pings") and self._socket is not None:
            # As a search that blocks the event loop.
            self._socket.transport.pause_reading()
            await asyncio.sleep(6.0)
            self._socket.transport.resume_reading()
        await self._send("ask_moves", match=match, ply=ply)

    async def _on_moves(self, moves: dict[str, Any]) -> None:
        if not moves["moves"]:
            return
        move = random.choice(moves["moves"])
        if self._has("misreads walls") and moves["moves"][-1][-1] in "hv":
            move = moves["moves"][-1][:-1] + "x"
        self._played[moves["match"]] = moves["ply"]
        for _ in range(2 if self._has("answers each update twice") else 1):
            await self._send("play", match=moves["match"], ply=moves["ply"], move=move)

    async def _on_refused(self, refused: dict[str, Any]) -> None:
        command = self._unanswered.pop(refused["id"] or "", None)
        if command is None:
            return
        is_repeated = {
            "stale_ply": self._has("repeats a stale move"),
            "match_over": self._has("moves after the flag"),
            "busy": self._has("accepts beyond its capacity"),
        }
        if is_repeated.get(refused["code"], False):
            await asyncio.sleep(0.02)
            fields = {name: value for name, value in command.items() if name not in ("type", "id")}
            await self._send(command["type"], **fields)
        elif refused["retry_after"] is not None:
            self._waiting.create_task(self._again(refused["retry_after"] / 1000, command))

    async def _again(self, seconds: float, command: dict[str, Any]) -> None:
        await asyncio.sleep(seconds)
        await self._send(command.pop("type"), **command)


async def main(fault: str) -> None:
    """Play as the environment says."""
    given = os.environ
    await RawClient(given["CORNERED_SERVER"], given["CORNERED_TOKEN"], given["CORNERED_NAME"], fault).run()


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:])))
