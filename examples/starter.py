"""A bot for Cornered on `websockets` and JSON alone, without the client kit. PROTOCOL.md describes the messages.

    pip install websockets
    CORNERED_SERVER=ws://127.0.0.1:8420 python starter.py

Change `choose`: everything below it keeps the connection and needs no change. The program plays any game of the server
without its rules, since the server sends the legal moves with each position. CORNERED_TOKEN makes it the same player
at every start; without one it comes as a new guest called CORNERED_NAME.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import json
import logging
import os
import random
import uuid
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

GAMES = ("trapgrid", "isolation", "bamboo", "quoridor")
CONCURRENCY = 4
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 15.0
MOST_REPEATS = 5
"""How often a command is sent again that fails in the server."""
TRANSIENT = ("too_fast", "server_full", "shutting_down", "internal")
"""Codes with which `hello` is refused for a while only."""

log = logging.getLogger("starter")


@dataclass(frozen=True)
class Turn:
    """A position in which the bot is to move. GAMES.md has the notation of positions and moves."""

    game: dict[str, Any]
    """The game's `name` and its `options`."""
    position: str
    legal: list[str]
    seat: int
    ply: int
    clocks: dict[str, Any]
    """`left[seat]` is each seat's time in milliseconds as the turn began, or None for a game without a clock."""


def choose(turn: Turn) -> str:
    """Return one of `turn.legal`. It runs in a thread; a coroutine function may stand here too."""
    return random.choice(turn.legal)


class Match:
    """What is known of a match of the bot."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self.id: str = snapshot["match"]
        self.seat: int = snapshot["seat"]
        self.game: dict[str, Any] = snapshot["game"]
        self.is_rated: bool = snapshot["rated"]
        self.seq: int = snapshot["seq"]
        """The number of the newest event."""
        self.moved = 0
        """The number of the newest event that a move of the bot caused."""
        self.turn: Turn | None = None
        """The turn for which a move is being chosen, or was sent and not answered yet."""
        self.update(snapshot)

    def update(self, message: dict[str, Any]) -> None:
        """Take what `snapshot` and `happened` have in common. Nothing of it is counted or worked out here."""
        self.ply: int = message["ply"]
        self.position: str = message["position"]
        self.to_move: int = message["to_move"]
        self.clocks: dict[str, Any] = message["clocks"]
        self.legal: list[str] | None = message.get("legal")


class Bot:
    """One bot, which stays the same player over any number of connections."""

    def __init__(self, server: str, token: str | None, name: str) -> None:
        self._url = socket_url(server)
        self._token = token
        self._name = name
        self._instance = uuid.uuid4().hex
        self._ids = (f"{self._instance[:8]}.{number}" for number in itertools.count(1))
        self._player = ""
        self._socket: ClientConnection | None = None
        """The connection, from `welcome` to its end."""
        self._unanswered: dict[str, dict[str, Any]] = {}
        """Commands without an answer, by id. What may not have arrived is sent again under the same id."""
        self._failures = Counter[str]()
        """How often a command has failed in the server, by id."""
        self._matches: dict[str, Match] = {}
        self._held_until = 0.0
        """Until then only moves are sent."""
        self._pause = FIRST_PAUSE_S

    async def run(self) -> None:
        """Play until cancelled. Raises SystemExit where the server refuses the player for good."""
        async with asyncio.TaskGroup() as self._tasks:
            while True:
                try:
                    async with connect(self._url, subprotocols=[Subprotocol("cornered.v1.json")]) as socket:
                        await self._serve(socket)
                    log.info("the connection is closed")
                except (OSError, WebSocketException) as error:
                    log.info("no connection: %s", error)
                self._socket = None
                # Random, so that the clients of a restarted server do not come back all at once.
                await asyncio.sleep(random.uniform(0.0, self._pause))
                self._pause = min(LONGEST_PAUSE_S, self._pause * 2)

    async def _serve(self, socket: ClientConnection) -> None:
        who = {"token": self._token} if self._token else {"name": self._name}
        hello = {"type": "hello", "kind": "bot", "client": "starter.py", "instance": self._instance, **who}
        await socket.send(json.dumps(hello))
        async for raw in socket:
            try:
                message = json.loads(raw)
                if message["type"] == "welcome":
                    self._socket, self._pause = socket, FIRST_PAUSE_S
                self._read(message)
            except (ValueError, KeyError, TypeError):
                log.exception("a message cannot be read: %.200r", raw)

    def _on_welcome(self, welcome: dict[str, Any]) -> None:
        self._token = welcome["token"] or self._token
        self._player = welcome["player"]["id"]
        log.info("connected as %s", welcome["player"]["name"])
        # What a bot declares and which matches it follows lasts as long as the connection.
        lost = [one for one in self._unanswered.values() if one["type"] not in ("declare", "join")]
        self._unanswered.clear()
        self._command("declare", accepts=[{"game": game} for game in GAMES], concurrency=CONCURRENCY)
        # Of a match that has ended meanwhile the answer has the end.
        for match in {*welcome["matches"], *self._matches}:
            self._join(match)
        for command in lost:
            self._post(command)

    def _join(self, match: str) -> None:
        known = self._matches.get(match)
        self._command("join", match=match, since=known.seq if known else None, legal=True)

    # Commands

    def _command(self, kind: str, **fields: Any) -> None:
        self._post({"type": kind, "id": next(self._ids), **fields})

    def _post(self, command: dict[str, Any]) -> None:
        self._unanswered[command["id"]] = command
        self._tasks.create_task(self._send(command))

    async def _send(self, command: dict[str, Any]) -> None:
        wait = self._held_until - asyncio.get_running_loop().time()
        if wait > 0 and command["type"] != "play":
            await self._send_later(command, wait)
        elif self._socket is not None and command["id"] in self._unanswered:
            # What is lost with a connection is sent again after the next welcome.
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(json.dumps(command))

    async def _send_later(self, command: dict[str, Any], seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._send(command)

    # Messages

    def _read(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "welcome":
                self._on_welcome(message)
            case "acknowledged":
                self._on_acknowledged(message)
            case "refused":
                self._on_refused(message)
            case "challenged":
                self._on_challenged(message)
            case "paired":
                self._join(message["match"])
            case "snapshot":
                self._on_snapshot(message)
            case "happened":
                self._on_happened(message)
            case "notice":
                log.warning("the server says: %s", message["text"])
            case _:
                pass  # A server may have messages that this program does not know.

    def _on_challenged(self, challenged: dict[str, Any]) -> None:
        name = challenged["challenge"]
        is_answered = any(one.get("challenge") == name for one in self._unanswered.values())
        # The bot's own challenges are announced to it as well.
        if challenged["to"]["id"] == self._player and not is_answered:
            self._command("accept_challenge", challenge=name)

    def _on_snapshot(self, snapshot: dict[str, Any]) -> None:
        self._unanswered.pop(snapshot["id"] or "", None)
        if snapshot["over"] or snapshot["seat"] is None:
            self._matches.pop(snapshot["match"], None)
            return
        known, match = self._matches.get(snapshot["match"]), Match(snapshot)
        if known is None:
            log.info("match %s of %s begins, seat %d", match.id, match.game["name"], match.seat)
        else:
            match.turn = known.turn
        self._matches[match.id] = match
        if snapshot["takeback"] is not None and match.seat not in snapshot["takeback_agreed"]:
            self._answer_takeback(match)
        self._look(match)

    def _on_happened(self, happened: dict[str, Any]) -> None:
        match = self._matches.get(happened["match"])
        new = [event for event in happened["events"] if match is not None and event["seq"] > match.seq]
        if match is None or not new:
            return
        if new[0]["seq"] != match.seq + 1:
            # Events are missing: the answer to this has them.
            self._join(match.id)
            return
        match.seq = new[-1]["seq"]
        match.update(happened)
        for event in new:
            if event["type"] == "takeback_requested" and event["seat"] != match.seat:
                self._answer_takeback(match)
            elif event["type"] == "ended":
                result = "drawn" if event["winner"] is None else "won" if event["winner"] == match.seat else "lost"
                result = result if event["places"] else "without a result"
                log.info("match %s is over: %s (%s)", match.id, result, event["reason"])
                del self._matches[match.id]
                return
        self._look(match)

    def _answer_takeback(self, match: Match) -> None:
        # A match in which a takeback was granted is not rated any more.
        self._command("decline_takeback" if match.is_rated else "accept_takeback", match=match.id)

    def _on_acknowledged(self, acknowledged: dict[str, Any]) -> None:
        command = self._unanswered.pop(acknowledged["id"], None)
        match = self._matches.get(command.get("match", "")) if command is not None else None
        if command is not None and command["type"] == "play" and match is not None:
            match.moved = max(match.moved, acknowledged["seq"] or 0)
            self._settle(match, command)
            self._look(match)

    def _on_refused(self, refused: dict[str, Any]) -> None:
        command = self._unanswered.get(refused["id"] or "")
        code, text, wait = refused["code"], refused["text"], (refused["retry_after"] or 1000) / 1000
        if self._socket is None:
            if code not in TRANSIENT:
                raise SystemExit(f"the server refuses this player: {text} ({code})")
            self._pause = max(self._pause, wait)
            raise ConnectionError(text)
        if command is None:
            log.warning("the server says: %s (%s)", text, code)
            return
        if code == "too_fast":
            self._held_until = asyncio.get_running_loop().time() + wait
            self._tasks.create_task(self._send_later(command, wait))
        elif code == "internal" and self._failures[command["id"]] < MOST_REPEATS:
            # It may have been carried out: under the same id it is not carried out twice.
            self._failures[command["id"]] += 1
            self._tasks.create_task(self._send_later(command, wait))
        elif code != "shutting_down":
            del self._unanswered[command["id"]]
            log.info("the server refuses %s: %s (%s)", command["type"], text, code)
            match = self._matches.get(command.get("match", ""))
            if command["type"] == "join":
                self._matches.pop(command["match"], None)
            elif command["type"] == "play" and match is not None:
                # After `stale_ply` it moves again when the events that it lacked have come, and not before.
                self._settle(match, command)
                if code == "illegal_move":
                    self._command("resign", match=match.id)

    # Moves

    def _settle(self, match: Match, command: dict[str, Any]) -> None:
        if match.turn is not None and match.turn.ply == command["ply"]:
            match.turn = None

    def _look(self, match: Match) -> None:
        """Choose a move where the bot is to move and does not do so yet."""
        if match.seq < match.moved:
            return  # The position is from before its own move.
        if match.to_move != match.seat or match.legal is None:
            match.turn = None
            return
        turn = match.turn
        if turn is None or (turn.ply, turn.position) != (match.ply, match.position):
            match.turn = Turn(match.game, match.position, match.legal, match.seat, match.ply, match.clocks)
            self._tasks.create_task(self._think(match.id, match.turn))

    async def _think(self, name: str, turn: Turn) -> None:
        try:
            move = await choose(turn) if inspect.iscoroutinefunction(choose) else await asyncio.to_thread(choose, turn)
            if move not in turn.legal:
                raise ValueError(f"{move!r} is not legal in {turn.position}")
        except Exception:
            log.exception("the bot resigns match %s", name)
            self._command("resign", match=name)
            return
        match = self._matches.get(name)
        # A takeback, or another program of the same player, may have changed the position meanwhile.
        if match is not None and match.turn is turn:
            self._command("play", match=name, ply=turn.ply, move=move)


def socket_url(server: str) -> str:
    """Return the address of the WebSocket of a server, whose page's address will do. Raises ValueError."""
    scheme, _, rest = server.partition("://")
    schemes = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
    if scheme not in schemes or not urlsplit(server).hostname:
        raise ValueError(f"CORNERED_SERVER is an address such as ws://127.0.0.1:8420, not {server!r}")
    rest = rest.rstrip("/")
    return f"{schemes[scheme]}://{rest.removesuffix('/ws')}/ws"


def main() -> None:
    """Play as the environment says."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    given = os.environ
    server, name = given.get("CORNERED_SERVER", "ws://127.0.0.1:8420"), given.get("CORNERED_NAME", "starter")
    try:
        bot = Bot(server, given.get("CORNERED_TOKEN") or None, name)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(bot.run())


if __name__ == "__main__":
    main()
