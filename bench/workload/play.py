"""Pairs of players that play scripted matches, each move when it is due, and what they observe."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from cornered.bench.attacks.sockets import TEXT, frame
from cornered.bench.load import PLAY
from cornered.bench.workload.arrivals import OpenLoop, Timer, poisson
from cornered.bench.workload.games import ENDLESS_GAME, ENDLESS_OPTIONS, endless_moves, random_games
from cornered.bench.workload.histogram import Histogram
from cornered.bench.workload.plan import Table, Trial, TrialResult
from cornered.bench.workload.player import LOST, LoadFailed, Player

__all__ = ["Play", "due_of"]

SCRIPTS_PER_GAME: Final = 48
CONCURRENT_PAIRS: Final = 32
"""Pairs that prepare at the same time."""
BOT_CONCURRENCY: Final = 200
CLOCK: Final = {"kind": "fischer", "initial": 3_600, "increment": 30}
"""Long enough that no match ends by its clock; its timers are part of a move's cost."""
MAX_FAULTS: Final = 100
DRAIN_S: Final = 10.0
"""Time limit for the last answers after a trial."""
BARE_MATCH: Final = "0123456789abcdef"
_HAPPENED: Final = b'{"type":"happened","match":"'
_ACKNOWLEDGED: Final = b'{"type":"acknowledged","id":"'
_REFUSED: Final = b'{"type":"refused"'
_CAUSE: Final = b'"cause":"L'
_MATCH_FROM: Final = len(_HAPPENED)
_ID_FROM: Final = len(_ACKNOWLEDGED)


def due_of(payload: bytes) -> float | None:
    """Return when the move in an update was due, by the monotonic clock of the machine that generated it.

    The id of each move holds that time, and the server repeats it as the event's cause to all who get the event.
    """
    at = payload.find(_CAUSE, _MATCH_FROM)
    if at < 0:
        return None
    cause = payload[at + len(_CAUSE) : payload.index(b'"', at + len(_CAUSE))]
    return int(cause.partition(b".")[2]) / 1e6


class _Match:
    """One match of a pair, with the move that is under way."""

    __slots__ = (
        *("cause", "due", "ended", "game", "heard", "id", "is_acknowledged", "is_open", "name", "next", "number"),
        *("players", "ply", "script", "sent"),
    )

    def __init__(self, number: int, name: str, game: str, players: tuple[Player, Player]) -> None:
        self.number = number
        self.name = name
        self.game = game
        self.players = players
        """By seat."""
        self.script: Iterator[str] = iter(())
        self.ply = 0
        self.due = 0.0
        self.id = b""
        """The id of the move that is under way; empty between moves."""
        self.cause = b""
        """The part of an update that says that this move is in it."""
        self.sent = b""
        self.is_acknowledged = False
        self.heard: list[Player] = []
        """The players that have the move that is under way."""
        self.ended = False
        self.next: asyncio.Future[str] | None = None
        """The id of the rematch, once both have asked for it."""
        self.is_open = True
        """False when the match failed and is not played on."""

    @property
    def mover(self) -> Player:
        return self.players[self.ply & 1]


class Play:
    """The players and matches of one generator process. `watch` of a trial collects until the trial has ended."""

    def __init__(self, table: Table, progress: Callable[[int], None] = lambda _: None) -> None:
        self._table = table
        self._progress = progress
        self._matches: list[_Match] = []
        self._by_name: dict[bytes, _Match] = {}
        self._by_number: dict[int, _Match] = {}
        self._bare: dict[Player, _Match] = {}
        self._scripts: Iterator[tuple[str, Sequence[str]]] = iter(())
        self._loop: OpenLoop[_Match] = OpenLoop(self._send)
        self._result = TrialResult()
        self._trial: Trial | None = None
        self._players: list[Player] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._returning: set[Player] = set()
        self._idle = asyncio.Event()
        self._lost_count = 0
        """Connections that were lost since the end of the last trial."""
        self._under_way = 0
        """Moves that are sent and not yet with both players."""
        self.faults: list[str] = []
        """What ended matches before their time, each a sentence."""

    @property
    def names(self) -> list[str]:
        """The ids of the matches."""
        return [match.name for match in self._matches]

    @property
    def made(self) -> int:
        """Moves that were acknowledged in the trial under way."""
        return self._result.made

    @property
    def returning(self) -> int:
        """Players whose connection was lost, until they have it again."""
        return len(self._returning)

    def break_connections(self) -> None:
        """Lose the connections of all players at once, who come back and go on."""
        for player in self._players:
            player.break_off()

    async def open(self) -> None:
        """Connect all players and begin all matches. Raises OSError, TimeoutError and LoadFailed."""
        table = self._table
        if not table.is_bare and not table.is_endless:
            self._scripts = itertools.cycle(random_games(table.games, SCRIPTS_PER_GAME, table.seed))
        turns = asyncio.Semaphore(1 if table.is_bare else CONCURRENT_PAIRS)

        async def open_one(index: int) -> None:
            async with turns:
                await self._open_pair(index)

        async with asyncio.TaskGroup() as tasks:
            for index in range(table.pairs):
                tasks.create_task(open_one(index), name=f"pair {index}")

    def close(self) -> None:
        """Close all connections."""
        for task in self._tasks:
            task.cancel()
        for player in self._players:
            player.close()

    async def _open_pair(self, index: int) -> None:
        table = self._table
        is_bot = index < table.bot_pairs
        players = (self._player(index, 0), self._player(index, 1, is_bot=is_bot))
        self._players += players
        for player in players:
            player.hear = partial(self._hear_bare if table.is_bare else self._hear, player)
            await player.connect(says_hello=not table.is_bare)
        if is_bot:
            accepts = [{"game": game} for game in table.games]
            await players[1].ask("declare", accepts=accepts, concurrency=BOT_CONCURRENCY)
        for player in players:
            player.lost = partial(self._lost, player)
        # A bare connection does not say which match a message belongs to.
        for number in range(index, table.pairs if table.is_bare else table.matches, table.pairs):
            await self._begin(number, players)
            self._progress(len(self._matches))

    def _player(self, index: int, seat: int, *, is_bot: bool = False) -> Player:
        servers, table = self._table.servers, self._table
        number = table.first_socket + 2 * index + seat
        start = {"any": number, "same": number // 2, "different": number // 2 + seat}[table.place] % len(servers)
        return Player(f"Load {number}", (*servers[start:], *servers[:start]), number, is_bot=is_bot)

    async def _begin(self, number: int, players: tuple[Player, Player]) -> None:
        """Begin the match `number` of a pair."""
        if self._table.is_bare:
            match = _Match(number, BARE_MATCH, "", players)
            match.script = itertools.repeat("c4")
            self._bare |= dict.fromkeys(players, match)
            self._matches.append(match)
            self._loop.release(match)
            return
        game, script = (ENDLESS_GAME, ()) if self._table.is_endless else next(self._scripts)
        spec = {"name": game, "options": ENDLESS_OPTIONS if self._table.is_endless else {}}
        first, second = players
        sent = await first.ask("challenge", to=second.id, game=spec, clock=CLOCK, seat=0)
        name = str((await second.ask("accept_challenge", challenge=sent["ref"]))["ref"])
        match = _Match(number, name, game, players)
        match.script = endless_moves() if self._table.is_endless else iter(script)
        self._matches.append(match)
        self._by_number[number] = match
        await self._join(match)

    async def _join(self, match: _Match) -> None:
        """Let both players see a match that has just begun, and play it from then on."""
        self._by_name[match.name.encode()] = match
        for player in match.players:
            await player.ask("join", match=match.name)
        self._loop.release(match)

    async def run(self, trial: Trial, timer: Timer, stopped: asyncio.Event) -> TrialResult:
        """Make moves at the trial's rate until its end or until `stopped` is set; return what was observed."""
        self._trial, self._result = trial, TrialResult()
        result = self._result
        arrivals = poisson(trial.rate, random.Random(trial.seed))
        driving = asyncio.ensure_future(self._loop.drive(arrivals, timer, trial.start, trial.end, self._note_late))
        stopping = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait({driving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            result.seconds = max(0.0, min(trial.end, timer.now()) - trial.measured_from)
            if not stopped.is_set():
                driving.result()
                await self._drain(stopping)
        finally:
            driving.cancel()
            stopping.cancel()
            await asyncio.wait({driving, stopping})
        now = timer.now()
        waiting = [match.due for match in self._matches if match.id and not match.is_acknowledged]
        for due in (*waiting, *self._loop.drop_waiting()):
            if self._is_measured(due):
                result.unanswered += 1
                self._note_acknowledged(due, now)
        self._trial = None
        result.connections_lost, self._lost_count = self._lost_count, 0
        return result

    async def _drain(self, stopping: asyncio.Future[Any]) -> None:
        """Wait for the answers that are still due, at most DRAIN_S."""
        self._idle.clear()
        if self._under_way or self._loop.waiting:
            idle = asyncio.ensure_future(self._idle.wait())
            await asyncio.wait({idle, stopping}, timeout=DRAIN_S, return_when=asyncio.FIRST_COMPLETED)
            idle.cancel()

    def _is_measured(self, at: float) -> bool:
        trial = self._trial
        return trial is not None and trial.measured_from <= at < trial.end

    def _note_late(self, due: float, seconds: float) -> None:
        if self._is_measured(due):
            self._result.due += 1
            self._result.late.record(seconds)

    def _note_acknowledged(self, due: float, now: float) -> None:
        if self._trial is not None and self._is_measured(due):
            self._result.acknowledged.record(now - due)
            second = int(due - self._trial.start)
            self._result.by_second.setdefault(second, Histogram()).record(now - due)

    def _send(self, match: _Match, due: float) -> None:
        """Make the next move of a match, which was due at `due`."""
        match.due = due
        match.id = b"L%d.%d" % (match.number, round(due * 1e6))
        match.cause = b'"cause":"%s"' % match.id
        match.is_acknowledged = False
        match.heard.clear()
        payload = PLAY % (match.id, match.name.encode(), match.ply, next(match.script).encode())
        match.sent = frame(TEXT, payload)
        self._under_way += 1
        match.mover.send(match.sent)

    def _hear(self, player: Player, payload: bytes) -> None:
        if payload.startswith(_HAPPENED):
            match = self._by_name.get(payload[_MATCH_FROM : payload.index(b'"', _MATCH_FROM)])
            if match is not None:
                self._hear_of(match, player, payload)
        elif payload.startswith(_ACKNOWLEDGED):
            if payload[_ID_FROM] == 0x4C:
                found = payload[_ID_FROM : payload.index(b'"', _ID_FROM)]
                match = self._numbered(found)
                if match is not None and match.id == found:
                    self._acknowledge(match)
        elif payload.startswith(_REFUSED):
            self._refuse(json.loads(payload))

    def _numbered(self, command: bytes) -> _Match | None:
        return self._by_number.get(int(command[1:].partition(b".")[0]))

    def _hear_of(self, match: _Match, player: Player, payload: bytes) -> None:
        """Take an update of a match."""
        if match.next is not None and b'"type":"rematched"' in payload:
            rematched = next(event for event in json.loads(payload)["events"] if event["type"] == "rematched")
            if not match.next.done():
                match.next.set_result(rematched["match"])
        if b'"type":"ended"' in payload:
            match.ended = True
        if match.id and match.cause in payload:
            self._delivered(match, player)

    def _hear_bare(self, player: Player, payload: bytes) -> None:
        match = self._bare[player]
        if payload.startswith(_ACKNOWLEDGED):
            self._acknowledge(match)
        elif payload.startswith(_HAPPENED):
            self._delivered(match, player)

    def _acknowledge(self, match: _Match) -> None:
        if match.id and not match.is_acknowledged:
            match.is_acknowledged = True
            now = time.monotonic()
            self._result.made += self._trial is not None
            self._result.in_time += self._is_measured(now)
            self._note_acknowledged(match.due, now)
            self._finish_move(match)

    def _delivered(self, match: _Match, player: Player) -> None:
        if player in match.heard:
            return
        match.heard.append(player)
        if player is not match.mover and self._is_measured(match.due):
            self._result.delivered.record(time.monotonic() - match.due)
        self._finish_move(match)

    def _finish_move(self, match: _Match) -> None:
        """Go on when the move is acknowledged and both players have it."""
        if not match.is_acknowledged or len(match.heard) < 2:
            return
        match.id = b""
        match.ply += 1
        self._under_way -= 1
        if match.ended:
            self._result.matches += self._trial is not None
            self._start(self._play_again(match))
        else:
            self._loop.release(match)
        if not self._under_way and not self._loop.waiting:
            self._idle.set()

    def _refuse(self, refusal: dict[str, Any]) -> None:
        command = (refusal.get("id") or "").encode()
        if not command.startswith(b"L"):
            return
        self._result.refused[refusal["code"]] += 1
        match = self._numbered(command)
        if match is None or match.id != command:
            return
        if (pause := refusal.get("retry_after")) is not None:
            asyncio.get_running_loop().call_later(pause / 1000, self._repeat, match, command)
        else:
            self._give_up(match, f"a move was refused: {refusal['code']}: {refusal['text']}")

    def _repeat(self, match: _Match, command: bytes) -> None:
        """Send the same command again; the server carries it out at most once."""
        if match.id == command and match.is_open and not match.is_acknowledged:
            match.mover.send(match.sent)

    def _give_up(self, match: _Match, why: str) -> None:
        match.is_open = False
        self._under_way -= bool(match.id)
        self._fault(f"match {match.name}: {why}")

    def _fault(self, text: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(text)

    def _start(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work, name="load")
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fault(f"{type(error).__name__}: {error}")

    async def _play_again(self, match: _Match) -> None:
        """Begin the rematch of an ended match. A connection that is lost meanwhile ends in a new attempt."""
        following = match.next = asyncio.get_running_loop().create_future()
        for player in match.players:
            await self._insist(player, "rematch", match)
        async with asyncio.timeout(DRAIN_S):
            name = await following
        for player in match.players:
            await self._insist(player, "leave", match)
        del self._by_name[match.name.encode()]
        _, script = next(self._scripts) if len(self._table.games) == 1 else self._script_of(match.game)
        match.name, match.ply, match.ended, match.next = name, 0, False, None
        match.players = match.players[::-1]
        match.script = iter(script)
        await self._join(match)

    def _script_of(self, game: str) -> tuple[str, Sequence[str]]:
        return next(one for one in self._scripts if one[0] == game)

    async def _insist(self, player: Player, kind: str, match: _Match) -> None:
        """Carry out a command of a match, over a lost connection if need be."""
        while True:
            try:
                await player.ask(kind, match=match.name)
            except LoadFailed as failure:
                if failure.code == "already_offered":
                    # The answer to the first attempt was lost with its connection.
                    return
                raise
            except LOST:
                await asyncio.sleep(0.1)
            else:
                return

    def _lost(self, player: Player) -> None:
        """A connection was lost: come back, and go on with the moves that were under way."""
        self._lost_count += 1
        if player not in self._returning:
            self._returning.add(player)
            self._start(self._come_back(player))

    async def _come_back(self, player: Player) -> None:
        try:
            is_back = False
            while not is_back:
                await player.come_back()
                with contextlib.suppress(*LOST):
                    for match in self._matches:
                        if player in match.players and match.is_open:
                            await self._catch_up(match, player)
                    is_back = player.is_connected
        finally:
            self._returning.discard(player)

    async def _catch_up(self, match: _Match, player: Player) -> None:
        """Learn what a match has become, and repeat the move under way where the server does not have it."""
        snapshot = await player.ask("join", match=match.name)
        if match.next is not None and not match.next.done() and snapshot["next"] is not None:
            match.next.set_result(snapshot["next"])
        if not match.id:
            return
        if snapshot["ply"] > match.ply:
            match.ended = match.ended or snapshot["over"]
            if player is match.mover:
                self._acknowledge(match)
            self._delivered(match, player)
        elif player is match.mover:
            player.send(match.sent)
