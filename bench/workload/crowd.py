"""Connections that send nothing: watchers of matches, of which some are timed and the others counted, and idle ones."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from cornered.bench.attacks.sockets import TEXT, frame
from cornered.bench.workload.plan import Crowd, Trial, TrialResult
from cornered.bench.workload.play import due_of
from cornered.bench.workload.player import Player

__all__ = ["Watching"]

CONCURRENT_HANDSHAKES: Final = 50
DRAIN_EVERY_S: Final = 0.2
"""How often the sockets of counted watchers are emptied; the kernel keeps what comes between."""
DRAIN_SLICE: Final = 200
"""Sockets that are emptied in one step of the event loop."""
READ_BYTES: Final = 1 << 16
_UPDATE: Final = b'{"type":"happened"'
_SNAPSHOT: Final = b'{"type":"snapshot"'
_REMATCHED: Final = b'"type":"rematched"'
_JOIN: Final = b'{"type":"join","id":"w","match":"%s"}'
_PING: Final = b"\x89\x04"
"""The head of the server's pings, which have 4 bytes. These two bytes begin no other frame of less than 35 kB, and are
in no text of ASCII characters."""
_KEPT: Final = len(_UPDATE) - 1
"""Bytes at the end of a read that may be the beginning of an update or of a ping."""
PONG: Final = 0xA


class _CountedWatcher:
    """Counts the updates in what a socket receives, without parsing frames."""

    __slots__ = ("_tail", "bytes", "descriptor", "player", "snapshots", "updates")

    def __init__(self, player: Player, descriptor: int) -> None:
        self.player = player
        self.descriptor = descriptor
        self.updates = self.snapshots = self.bytes = 0
        self._tail = b""

    def empty(self) -> bool:
        """Read what has arrived, and answer a ping; return False at the end of the connection."""
        try:
            data = os.read(self.descriptor, READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        self.bytes += len(data)
        data = self._tail + data
        self.updates += data.count(_UPDATE)
        self.snapshots += data.count(_SNAPSHOT)
        self._tail = data[-_KEPT:]
        if (at := data.find(_PING)) >= 0 and len(data) >= at + 6:
            self.player.send(frame(PONG, data[at + 2 : at + 6]))
            if len(data) - at <= _KEPT:
                # Otherwise the next read would answer it again.
                self._tail = data[at + 6 :]
        return True


class Watching:
    """The connections of one crowd. What arrives is counted between `begin` and `end` of a trial."""

    def __init__(self, crowd: Crowd, progress: Callable[[int], None] = lambda _: None) -> None:
        self._crowd = crowd
        self._progress = progress
        self._players: list[Player] = []
        self._counted: list[_CountedWatcher] = []
        self._result = TrialResult()
        self._trial: Trial | None = None
        self._emptying: asyncio.Task[None] | None = None
        self._before = (0, 0, 0)
        self._lost = 0
        self._said: list[float] = []
        """When each message to a bare server was due, in the order of its answers."""

    @property
    def lost(self) -> int:
        """Connections that were lost since the end of the last trial."""
        return self._lost

    async def open(self) -> None:
        """Connect, say hello, and watch. Raises OSError, TimeoutError and LoadFailed."""
        turns = asyncio.Semaphore(CONCURRENT_HANDSHAKES)
        connected = itertools.count(1)

        async def open_one(index: int) -> None:
            async with turns:
                await self._open_one(index)
                self._progress(next(connected))

        async with asyncio.TaskGroup() as tasks:
            for index in range(self._crowd.count):
                tasks.create_task(open_one(index), name=f"watcher {index}")
        if self._counted:
            self._emptying = asyncio.create_task(self._empty(), name="counted watchers")

    def close(self) -> None:
        """Close all connections."""
        if self._emptying is not None:
            self._emptying.cancel()
        for player in self._players:
            player.close()

    async def _open_one(self, index: int) -> None:
        crowd = self._crowd
        number = crowd.first_socket + index
        start = number % len(crowd.servers)
        player = Player(f"Load {number}", (*crowd.servers[start:], *crowd.servers[:start]), number)
        # Timed watchers are spread evenly: a server writes to its watchers one after the other.
        is_timed = (index + 1) * crowd.timed // crowd.count > index * crowd.timed // crowd.count
        if is_timed:
            player.hear = self._bare_watcher() if crowd.is_bare else partial(self._hear, player)
        player.lost = self._lose
        self._players.append(player)
        await player.connect(says_hello=not crowd.is_bare)
        if crowd.matches:
            await player.ask("join", match=crowd.matches[index % len(crowd.matches)])
        if crowd.timed and not is_timed and (descriptor := player.read_by_hand()) is not None:
            self._counted.append(_CountedWatcher(player, descriptor))

    def say(self, due: float) -> None:
        """Send a message, which was due at `due`: a bare server writes its update to all after any message."""
        self._said.append(due)
        self._result.made += 1
        self._result.in_time += self._trial is not None and self._trial.measured_from <= due < self._trial.end
        self._players[0].send(frame(TEXT, b"{}"))

    def begin(self, trial: Trial) -> None:
        """Count from now on. Timed updates count when their move was due in the measured time."""
        self._trial, self._result = trial, TrialResult()
        self._said.clear()
        self._before = self._sums()

    def end(self) -> TrialResult:
        """Return what was received since `begin`."""
        self._trial = None
        updates, snapshots, received = (now - before for now, before in zip(self._sums(), self._before, strict=True))
        self._result.updates += updates
        self._result.snapshots += snapshots
        self._result.received_bytes += received
        self._result.connections_lost, self._lost = self._lost, 0
        return self._result

    def _sums(self) -> tuple[int, int, int]:
        counted = self._counted
        return (
            sum(one.updates for one in counted),
            sum(one.snapshots for one in counted),
            sum(one.bytes for one in counted),
        )

    def _hear(self, player: Player, payload: bytes) -> None:
        if _REMATCHED in payload:
            events = json.loads(payload)["events"]
            player.send(
                frame(TEXT, _JOIN % next(one["match"] for one in events if one["type"] == "rematched").encode())
            )
        if self._trial is None:
            return
        result = self._result
        result.received_bytes += len(payload)
        if payload.startswith(_UPDATE):
            self._time_update(due_of(payload))
        elif payload.startswith(_SNAPSHOT):
            result.snapshots += 1

    def _time_update(self, due: float | None) -> None:
        self._result.updates += 1
        if due is not None and self._trial is not None and self._trial.measured_from <= due < self._trial.end:
            self._result.watched.record(time.monotonic() - due)

    def _bare_watcher(self) -> Callable[[bytes], None]:
        """Return what times the updates of one connection to a bare server, which come in the order of the messages."""
        heard, last = 0, self._result

        def hear(payload: bytes) -> None:
            nonlocal heard, last
            if self._trial is None:
                return
            if last is not self._result:
                heard, last = 0, self._result
            self._result.received_bytes += len(payload)
            self._time_update(self._said[heard])
            heard += 1

        return hear

    def _lose(self) -> None:
        self._lost += 1

    async def _empty(self) -> None:
        while True:
            began = time.monotonic()
            for start in range(0, len(self._counted), DRAIN_SLICE):
                for watcher in self._counted[start : start + DRAIN_SLICE]:
                    if watcher.player.is_connected and not watcher.empty():
                        # A transport that does not read does not notice.
                        watcher.player.close()
                        self._lose()
                await asyncio.sleep(0)
            await asyncio.sleep(max(0.0, DRAIN_EVERY_S - (time.monotonic() - began)))
