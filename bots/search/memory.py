"""Memory of searches: the transposition table and the workspaces, private or shared between processes.

Alone: `SearchMemory.private()`. Together:

    memory = SearchMemory.create(workers=4)       # the process that owns it; later .close() and .unlink()
    helper = SearchMemory.attach(memory.name, 2)  # in each other process, with a workspace of its own from 1 on
    Searcher(game, helper).search(state, Limit(), style)  # searches until memory.stop(2) is called

The table is lock-free: all processes read and write it at any time, and an entry whose two words were written by
different searches is ignored. Workspaces are private but for their stop flags: a search whose flag is set returns at
once with its best so far, and the flag stays set until `resume`, so a stop before the search begins is not lost. Keys
are salted with the game's options and the style of the search: any games may use one memory.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from cornered.bots.search.layout import TABLE_AGES, TABLE_LAYOUT, WORKSPACE_LAYOUT
from cornered.engine import Game

__all__ = ["SearchMemory"]

_HEADER_LAYOUT: Final = np.dtype(
    [("magic", np.int64), ("workspaces", np.int64), ("age", np.int64), ("unused", np.int64, (5,))]
)
_MAGIC: Final = 0x436F_726E_6572 ^ (TABLE_LAYOUT.itemsize << 20) ^ WORKSPACE_LAYOUT.itemsize
"""Changes with the layouts: processes with different sources must not share a memory."""
_attaching: Final = threading.Lock()


class SearchMemory:
    """A transposition table and a workspace for each process; `workspace` is the number of this process's own, 0 is the
    main search's.

    `name` is None for a private memory, which no other process can attach to.
    """

    def __init__(self, segment: SharedMemory | None, workers: int, workspace: int) -> None:
        self.name = None if segment is None else segment.name
        self.workspace = workspace
        self.workspaces = workers
        self._segment = segment
        size = self._size(workers)
        buffer: Any = np.zeros(size, np.uint8) if segment is None else segment.buf
        self._bytes: npt.NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, size)
        self._head: Any = _records(buffer, _HEADER_LAYOUT, 1, 0)[0]
        self._table: Any = _records(buffer, TABLE_LAYOUT, 1, _HEADER_LAYOUT.itemsize)[0]
        self._workspaces: Any = _records(
            buffer, WORKSPACE_LAYOUT, workers, _HEADER_LAYOUT.itemsize + TABLE_LAYOUT.itemsize
        )
        self._scratch: dict[str, tuple[Game, Any]] = {}

    @classmethod
    def private(cls) -> Self:
        """Return a memory for this process alone, empty: searches of it are deterministic."""
        return cls(None, 1, 0)

    @classmethod
    def create(cls, workers: int) -> Self:
        """Return a memory that `workers` processes can share, this one at workspace 0."""
        if workers < 1:
            raise ValueError(f"a memory has 1 workspace or more, not {workers}")
        memory = cls(SharedMemory(create=True, size=cls._size(workers)), workers, 0)
        memory._head.workspaces = workers
        memory._head.magic = _MAGIC
        return memory

    @classmethod
    def attach(cls, name: str, workspace: int) -> Self:
        """Attach to the memory of another process, at a workspace of this process alone.

        Raises FileNotFoundError when it is gone, ValueError when it has no such workspace or another layout.
        """
        segment = _existing(name)
        head = _records(segment.buf, _HEADER_LAYOUT, 1, 0)[0]
        magic, workers = int(head.magic), int(head.workspaces)
        del head
        if magic != _MAGIC or not 0 <= workspace < workers:
            segment.close()
            raise ValueError(f"{name} is no memory of this program with a workspace {workspace}")
        return cls(segment, workers, workspace)

    @staticmethod
    def _size(workers: int) -> int:
        return _HEADER_LAYOUT.itemsize + TABLE_LAYOUT.itemsize + workers * WORKSPACE_LAYOUT.itemsize

    def stop(self, workspace: int | None = None) -> None:
        """Make the search at a workspace, or at all of them, return within milliseconds, and any that begins there."""
        self._signal(workspace, 1)

    def resume(self, workspace: int | None = None) -> None:
        """Let searches run again at a workspace, or at all of them."""
        self._signal(workspace, 0)

    def _signal(self, workspace: int | None, value: int) -> None:
        if workspace is None:
            self._workspaces["stop"] = value
        else:
            self._workspaces["stop"][workspace] = value

    @property
    def is_stopped(self) -> bool:
        """Whether this process's own flag is up."""
        return bool(self.own.stop)

    @property
    def own(self) -> Any:
        """This process's workspace, as the compiled search takes it."""
        return self._workspaces[self.workspace]

    @property
    def table(self) -> Any:
        """The table, as the compiled search takes it."""
        return self._table

    def scratch(self, game: Game, layout: np.dtype[Any]) -> Any:
        """Return the game kernels' own record, private to this process, and made anew when the options change:
        zeroed."""
        owner, record = self._scratch.get(game.name, (None, None))
        if owner != game:
            record = _records(np.zeros(max(1, layout.itemsize), np.uint8), layout, 1, 0)[0]
            self._scratch[game.name] = game, record
        return record

    def next_age(self) -> int:
        """Return the age of new entries; each search at the main workspace advances it. Older entries are replaced
        first."""
        if self.workspace == 0:
            self._head.age = (int(self._head.age) + 1) % TABLE_AGES
        return int(self._head.age)

    def clear(self) -> None:
        """Empty the table. A search that runs meanwhile only loses its entries."""
        self._table.words[:] = 0
        self._head.age = 0
        self._scratch.clear()

    def close(self) -> None:
        """Let go of the memory; no search of this process may be using it. May be called twice."""
        if self._segment is not None:
            # The segment cannot close while arrays reference it.
            del self._bytes, self._head, self._table, self._workspaces
            self._segment.close()
            self._segment = None

    def unlink(self) -> None:
        """Remove the segment once all processes have closed it; called by its creator alone."""
        if self.name is not None:
            segment = self._segment or _existing(self.name)
            segment.unlink()
            if segment is not self._segment:
                segment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the memory; the process at workspace 0, which created it, gives it back as well."""
        if self.workspace == 0:
            self.unlink()
        self.close()


def _records(buffer: Any, layout: np.dtype[Any], count: int, offset: int) -> Any:
    """Return `count` records of a buffer, with fields as attributes."""
    return np.ndarray((count,), layout, buffer, offset).view(np.recarray)


def _existing(name: str) -> SharedMemory:
    """Return a segment that another process created and will remove."""
    if sys.version_info >= (3, 13):
        return SharedMemory(name, track=False)
    with _attaching, _untracked():
        return SharedMemory(name)


@contextlib.contextmanager
def _untracked() -> Iterator[None]:
    """Keep the resource tracker from removing a segment at the end of a process that only attached to it.

    Needed before Python 3.13: to unregister afterwards would drop the creator's registration in a shared tracker.
    """
    register = resource_tracker.register

    def only_own(name: Any, rtype: str) -> None:
        if rtype != "shared_memory":
            register(name, rtype)

    resource_tracker.register = only_own
    try:
        yield
    finally:
        resource_tracker.register = register
