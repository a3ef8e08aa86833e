"""The journal in SQLite or PostgreSQL, with group commit.

On PostgreSQL a commit is one statement, which also checks the epochs of the slots that it writes for.

Appends that arrive while a commit is under way wait together and share the next one, so that the price of making
something durable is paid once for all of them. One task commits; an append returns after the commit that holds it.

A commit need not look up what it extends: the log only grows, so the newest number that this process has seen of a
match is certainly stored. An append after it leaves no gap, and the primary key refuses it if another process was
faster.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.protocol.events import Ended, MatchEvent, Started
from cornered.server.adapters.archive_reader import ArchiveReader
from cornered.server.adapters.database import STORE_ERRORS, Database, is_damage, reason_of
from cornered.server.adapters.journal_reader import JournalReader
from cornered.server.adapters.journal_rows import Rows, Statements
from cornered.server.adapters.tables import EVENTS, PROBES, SECRETS, SLOTS_TABLE
from cornered.server.archive.index import Indexed, index_of
from cornered.server.archive.search import ArchivePage, Cursor, Search
from cornered.server.cluster.ports import Ownership
from cornered.server.cluster.slots import slot_of
from cornered.server.ports import DamagedMatch, JournalUnavailable, NotOwner, StaleSequence, check_sequence

__all__ = ["SqlJournal"]

MAX_WAITING_APPENDS: Final = 50_000
"""How many appends may wait for the store before it counts as unavailable."""
MAX_BATCH: Final = 1_000
BUSY_BATCH_APPENDS: Final = 5
GATHER_S: Final = 0.001
"""After a commit that at least BUSY_BATCH_APPENDS shared, more are on their way: the next one waits GATHER_S for them.

A commit costs about 0.12 ms of CPU however little it holds: a busy server saves by waiting, and a calm one never waits.
"""
MAX_KNOWN: Final = 100_000
"""Matches whose newest sequence number is cached; that of any other is read before its next append."""
PROBE_SECONDS: Final = 1.0
"""How often a store that could not be written is tested."""
IDLE_SECONDS: Final = 30.0
"""A store that nothing was written to for so long is tested too."""
COMMIT_STALL_S: Final = 5.0
"""A commit that takes longer counts as an obstacle, although it may still arrive."""
PROBE_BYTES: Final = 16_384
"""Size of a probe: more pages than one append, so that a disk with space for a probe has space for a move.
"""

log = structlog.get_logger("journal")

_PROBE: Final = """
WITH probed AS (
    INSERT INTO probes (id, body) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET body = excluded.body
)
SELECT 1
"""
"""One statement, so that nodes that probe PostgreSQL together do not refuse each other."""
_SELECT_SECRET: Final = select(SECRETS.c.value).where(SECRETS.c.name == "seed")


@dataclass(slots=True)
class _Append:
    """One call of `append`: its events, its slot with the epoch at the call, and the future that it waits for.

    `indexed` is what the archive holds of a match that ends with these events.
    """

    match: str
    expected_seq: int
    events: tuple[MatchEvent, ...]
    slot: int
    epoch: int
    indexed: Indexed | None
    stored: asyncio.Future[None]

    @property
    def reached(self) -> int:
        return self.expected_seq + len(self.events)

    def fail(self, failure: Exception, cause: BaseException | None = None) -> None:
        if not self.stored.done():
            failure.__cause__ = cause
            self.stored.set_exception(failure)


class SqlJournal:
    """Implements `Journal`. The database is shared with others and not closed here.

    With an `ownership`, on PostgreSQL, only this node's slots can be appended to.
    """

    def __init__(
        self, database: Database, ownership: Ownership | None = None, *, max_waiting: int = MAX_WAITING_APPENDS
    ) -> None:
        self._database = database
        self._ownership = ownership
        self._reader = JournalReader(database)
        self._archive = ArchiveReader(self._reader.fetch)
        self._statements = Statements.of(database) if database.is_sqlite else None
        self._max_waiting = max_waiting
        self._waiting: deque[_Append] = deque()
        self._arrived = asyncio.Event()
        self.newest: tuple[str, int] | None = None
        self._newest: dict[str, int] = {}
        self._committer: asyncio.Task[None] | None = None
        self._closed = False
        self._failure = ""
        self._doubted = asyncio.Event()
        # Whether nothing was committed since the store was last tested.
        self._is_quiet = True
        self._committing_since: float | None = None

    @property
    def obstacle(self) -> str:
        if self._ownership is not None and not self._ownership.owned():
            return "this node owns nothing: its lease has run out"
        since = self._committing_since
        if since is not None and asyncio.get_running_loop().time() - since > COMMIT_STALL_S:
            return "the store does not answer"
        return self._failure

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        check_sequence(expected_seq, events)
        self._check_open()
        # At the call: how ownership changes while the match is read is for the commit to find.
        slot, epoch = self._fence_of(match)
        indexed = await self._indexed(match, expected_seq, events)
        # Again, since a match that ends was read meanwhile.
        self._check_open()
        if len(self._waiting) >= self._max_waiting:
            raise JournalUnavailable(f"{self._max_waiting} appends are waiting for the store already")
        if self._committer is None:
            self._committer = asyncio.create_task(self._commit_forever(), name="journal")
            self._committer.add_done_callback(self._committer_ended)
        stored = asyncio.get_running_loop().create_future()
        self._waiting.append(_Append(match, expected_seq, tuple(events), slot, epoch, indexed, stored))
        self._arrived.set()
        await stored

    def _check_open(self) -> None:
        if self._closed:
            raise JournalUnavailable("the journal is closed")

    async def _indexed(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> Indexed | None:
        """Return what the archive holds of a match that ends with these events; None of any other.

        The events before are read back, before the append waits for its commit. Where they are damaged the match ends
        all the same, and is not in the archive. Raises JournalUnavailable.
        """
        if not any(isinstance(event, Ended) for event in events):
            return None
        try:
            before = (await self._reader.read(match, 0))[:expected_seq] if expected_seq else ()
        except DamagedMatch as error:
            log.error("a match is damaged and not in the archive", match=match, reason=str(error))
            return None
        return index_of((*before, *events))

    def _fence_of(self, match: str) -> tuple[int, int]:
        """Return the slot of a match and its epoch. Raises NotOwner."""
        if self._ownership is None:
            return 0, 0
        slot = slot_of(match)
        epoch = self._ownership.epoch_of(slot)
        if epoch is None:
            raise NotOwner(f"this node does not own the slot of {match}")
        return slot, epoch

    async def holds(self, match: str, seq: int) -> bool:
        return await self._reader.holds(match, seq)

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        return await self._reader.read(match, since)

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        return await self._reader.live(slots)

    async def finished(self, player: str | None, limit: int, after: str | None = None) -> Sequence[str]:
        return await self._reader.finished(player, limit, after)

    async def search(self, search: Search, limit: int, after: Cursor | None = None) -> ArchivePage:
        return await self._archive.search(search, limit, after)

    async def head_to_head(self, player: str, opponent: str, game: str | None = None) -> Sequence[HeadToHeadCount]:
        return await self._archive.head_to_head(player, opponent, game)

    async def opening(self, variant: str, line: str) -> tuple[int, Sequence[OpeningMove]]:
        return await self._archive.opening(variant, line)

    async def secret(self) -> bytes:
        known: bytes | None = None
        while known is None:
            try:
                rows = await self._reader.fetch(_SELECT_SECRET)
            except DamagedMatch as error:
                raise JournalUnavailable("the secret of the dice is damaged; restore a backup") from error
            known = rows[0][0] if rows else await self._make_secret()
        return known

    async def watch(self) -> None:
        while True:
            if self._failure:
                await asyncio.sleep(PROBE_SECONDS)
            else:
                self._is_quiet = True
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(IDLE_SECONDS):
                        await self._doubted.wait()
            if self._failure or self._is_quiet or self._doubted.is_set():
                self._doubted.clear()
                await self._probe()

    async def _probe(self) -> None:
        """Write to the store to find out whether that is possible."""
        try:
            body = secrets.token_bytes(PROBE_BYTES)
            if not self._database.is_sqlite:
                await self._database.write_alone(_PROBE, body)
            else:
                async with self._database.writing() as connection:
                    await connection.execute(delete(PROBES))
                    await connection.execute(insert(PROBES), {"id": 1, "body": body})
        except STORE_ERRORS as error:
            self._commit_failed(error)
        else:
            self._committed()

    def _committed(self) -> None:
        self._is_quiet = False
        if self._failure:
            self._failure = ""
            log.info("the store can be written again")

    def _commit_failed(self, error: BaseException) -> None:
        if not self._failure:
            # The first line of the driver's message; the others repeat the statement and its parameters.
            reason = reason_of(error)
            log.error("the store cannot be written", reason=reason or type(error).__name__)
        self._failure = "the store cannot be written"
        self._doubted.set()

    async def close(self) -> None:
        self._closed = True
        self._arrived.set()
        if self._committer is not None:
            await asyncio.wait((self._committer,))

    async def _make_secret(self) -> bytes | None:
        """Return a new secret, or None where another process made one first."""
        secret = secrets.token_bytes(32)
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(SECRETS), {"name": "seed", "value": secret})
        except IntegrityError:
            return None
        except STORE_ERRORS as error:
            raise JournalUnavailable("the store cannot be written") from error
        return secret

    def _committer_ended(self, committer: asyncio.Task[None]) -> None:
        """Fail the appends that wait for a committer that ended; the next append starts another."""
        error = None if committer.cancelled() else committer.exception()
        if committer.cancelled() or error is not None:
            log.error("the journal's committer died", error=repr(error))
        self._committer = None
        self._newest.clear()
        for append in self._waiting:
            append.fail(JournalUnavailable("the store is not written any more"), error)
        self._waiting.clear()

    async def _commit_forever(self) -> None:
        while self._waiting or not self._closed:
            await self._arrived.wait()
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
            if not self._waiting and not self._closed:
                self._arrived.clear()
            self._committing_since = asyncio.get_running_loop().time()
            try:
                await self._commit_or_part(batch)
            except BaseException as error:
                # Whatever it is, the callers must get an answer and the next batch must be tried. What was stored is
                # unknown: a commit may have arrived whose answer did not.
                self._newest.clear()
                self._commit_failed(error)
                for append in batch:
                    append.fail(JournalUnavailable("the store cannot be written"), error)
                if not isinstance(error, Exception):
                    raise
            finally:
                self._committing_since = None
            if len(batch) >= BUSY_BATCH_APPENDS and not self._closed:
                await asyncio.sleep(GATHER_S)

    async def _commit_or_part(self, batch: list[_Append]) -> None:
        """Commit a batch; where it meets damage, commit its appends one by one, so that only the damaged ones fail."""
        try:
            await self._commit(batch)
        except STORE_ERRORS as error:
            if not is_damage(error):
                raise
            self._doubted.set()
            for append in batch:
                self._newest.pop(append.match, None)
                try:
                    await self._commit([append])
                except STORE_ERRORS as own:
                    if not is_damage(own):
                        raise
                    log.error("a match cannot be stored: the store is damaged where it is", match=append.match)
                    append.fail(JournalUnavailable("the store is damaged where this match is"), own)

    async def _commit(self, batch: list[_Append]) -> None:
        """Store the appends that extend their logs, in one transaction, and settle every caller's future."""
        accepted = await self._sift(batch)
        if not accepted:
            return
        rows = Rows()
        for append in accepted:
            for event in append.events:
                rows.add(append.match, event)
            if append.indexed is not None:
                rows.index(append.indexed)
        try:
            is_stored = await self._write(rows, accepted)
        except IntegrityError:
            # Another process extended one of these matches. Alone, each append shows whether it is the one.
            for append in accepted:
                self._newest.pop(append.match, None)
            if len(accepted) == 1:
                accepted[0].fail(StaleSequence(accepted[0].match, accepted[0].expected_seq))
                return
            for append in accepted:
                await self._commit([append])
            return
        if not is_stored:
            await self._commit(await self._still_owned(accepted))
            return
        self._committed()
        for append in accepted:
            self._newest[append.match] = append.reached
            self.newest = (append.match, append.reached)
            if not append.stored.done():
                append.stored.set_result(None)
        while len(self._newest) > MAX_KNOWN:
            del self._newest[next(iter(self._newest))]

    async def _write(self, rows: Rows, appends: Sequence[_Append]) -> bool:
        """Store rows in one transaction; return False where a slot has another epoch by now, and none is stored."""
        if self._statements is not None:
            await self._database.write(rows.batch(self._statements))
            return True
        epochs = {} if self._ownership is None else {append.slot: append.epoch for append in appends}
        statement, arrays = rows.fenced(epochs)
        (held,) = await self._database.write_alone(statement, *arrays)
        return bool(held)

    async def _still_owned(self, appends: list[_Append]) -> list[_Append]:
        """Return the appends whose slots have the epoch of their calls; the others belong to another node."""
        if self._ownership is not None:
            self._ownership.look()
        query = select(SLOTS_TABLE.c.slot, SLOTS_TABLE.c.epoch).where(
            SLOTS_TABLE.c.slot.in_({append.slot for append in appends})
        )
        async with self._database.reading() as connection:
            epochs = {row.slot: row.epoch for row in (await connection.execute(query)).all()}
        owned: list[_Append] = []
        for append in appends:
            if epochs.get(append.slot) == append.epoch:
                owned.append(append)
            else:
                self._newest.pop(append.match, None)
                append.fail(NotOwner(f"another node owns the slot of {append.match}"))
        return owned

    async def _sift(self, batch: list[_Append]) -> list[_Append]:
        """Return the appends that extend the log as far as is known here; those that do not are stale."""
        waiting = [append for append in batch if not append.stored.done()]
        if self._ownership is not None:
            waiting = [append for append in waiting if self._is_owned(append, self._ownership)]
        await self._learn({each.match for each in waiting if each.expected_seq > self._newest.get(each.match, 0)})
        accepted: list[_Append] = []
        reached: dict[str, int] = {}
        for append in waiting:
            newest = reached.get(append.match, self._newest.get(append.match, 0))
            if append.expected_seq == newest:
                reached[append.match] = append.reached
                accepted.append(append)
            else:
                append.fail(StaleSequence(append.match, append.expected_seq))
        return accepted

    def _is_owned(self, append: _Append, ownership: Ownership) -> bool:
        """Return whether the slot of an append has still the epoch of its call, as far as is known here."""
        if ownership.epoch_of(append.slot) == append.epoch:
            return True
        append.fail(NotOwner(f"this node does not own the slot of {append.match} any more"))
        return False

    async def _learn(self, matches: set[str]) -> None:
        """Read the newest sequence number of these matches."""
        if not matches:
            return
        newest = func.max(EVENTS.c.seq)
        query = select(EVENTS.c.match, newest).where(EVENTS.c.match.in_(matches)).group_by(EVENTS.c.match)
        async with self._database.reading() as connection:
            for name, seq in (await connection.execute(query)).all():
                self._newest[name] = seq
