"""A bot's file that is edited while it plays: a good version plays on, one that cannot be loaded changes nothing."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from cornered import engine
from cornered.cli.editable_bot import EditableBot
from cornered.clients.sdk import BotFailed
from cornered.clients.sdk.bot_word import ChooseState
from cornered.engine.limit import Limit

START = engine.load("trapgrid", size=3).start()
GOOD = "import neighbour\n\ndef choose(state, limit):\n    return state.moves()[neighbour.PICK]\n"
PICK = "PICK = {}\n"
TIMEOUT_S = 60.0

edits = count(1)


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a bot's folder adds to the path and the finders of modules."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.delitem(sys.modules, "neighbour", raising=False)


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.cli.editable_bot.LOOK_INTERVAL_S", 0.01)


def write(path: Path, text: str) -> None:
    """Write a file with a time of its own, which a coarse clock might not give."""
    part = path.with_suffix(".part")
    part.write_text(text)
    os.utime(part, ns=(next(edits) * 10**9,) * 2)
    part.replace(path)


class Played:
    """The moves of the versions that have played, in order; each plays until it is cancelled."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        self.moves: asyncio.Queue[int] = asyncio.Queue()
        self.load: Callable[[], ChooseState] | None = None

    async def __call__(self, load: Callable[[], ChooseState]) -> None:
        self.load = load
        self.moves.put_nowait(self.pick())
        await asyncio.Event().wait()

    def pick(self) -> int:
        """Load the version that plays again, as for another match, and return the number of its move."""
        assert self.load is not None
        return START.moves().index(str(self.load()(START, Limit(100))))


async def started(path: Path, played: Played, load_timeout_s: float = TIMEOUT_S) -> asyncio.Task[None]:
    bot = EditableBot(path, played.lines.put_nowait, load_timeout_s=load_timeout_s)
    await bot.load()
    return asyncio.create_task(bot.play(played))


async def ended(playing: asyncio.Task[None]) -> None:
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def test_an_edited_file_or_neighbour_plays_on(tmp_path: Path) -> None:
    path, neighbour, played = tmp_path / "mine.py", tmp_path / "neighbour.py", Played()
    write(path, GOOD)
    write(neighbour, PICK.format(0))
    async with asyncio.timeout(TIMEOUT_S):
        playing = await started(path, played)
        assert await played.moves.get() == 0
        write(neighbour, PICK.format(1))
        assert await played.moves.get() == 1
        write(path, GOOD.replace("neighbour.PICK", "0    "))
        assert await played.moves.get() == 0
        await ended(playing)
    lines = [played.lines.get_nowait() for _ in range(played.lines.qsize())]
    assert lines.count("mine.py has changed and is loaded again") == 2


async def test_while_a_file_is_broken_the_version_before_plays_further_games(tmp_path: Path) -> None:
    path, neighbour, played = tmp_path / "mine.py", tmp_path / "neighbour.py", Played()
    write(path, GOOD)
    write(neighbour, PICK.format(1))
    async with asyncio.timeout(TIMEOUT_S):
        playing = await started(path, played)
        assert await played.moves.get() == 1
        for broken, said in (
            ("def choose(:", "mine.py, line 1: "),
            ("import absent_module_of_a_bot", "absent_module_of_a_bot"),
            ("raise RuntimeError('no weights')", "no weights"),
            ("import os\nos._exit(7)", "died with exit code 7"),
        ):
            write(neighbour, "is broken too")
            write(path, broken)
            while said not in (line := await played.lines.get()):
                pass
            assert line.startswith("mine.py has changed and cannot be loaded, so that the version before plays on: ")
            assert played.pick() == 1
            assert played.moves.empty()
            write(neighbour, PICK.format(0))
            write(path, GOOD)
            assert await played.moves.get() == 0
            write(neighbour, PICK.format(1))
            assert await played.moves.get() == 1
        await ended(playing)


async def test_a_file_that_loads_for_ever_is_named(tmp_path: Path) -> None:
    path, played = tmp_path / "mine.py", Played()
    write(path, "while True:\n    pass\n")
    async with asyncio.timeout(TIMEOUT_S):
        with pytest.raises(BotFailed, match=r"mine\.py cannot be loaded: loading it takes longer than 0\.5 s"):
            await started(path, played, 0.5)


async def test_an_edit_that_loads_for_ever_leaves_the_version_before(tmp_path: Path) -> None:
    path, played = tmp_path / "mine.py", Played()
    write(path, "def choose(state, limit):\n    return state.moves()[1]\n")
    async with asyncio.timeout(TIMEOUT_S):
        playing = await started(path, played, 5.0)
        assert await played.moves.get() == 1
        write(path, "import threading\nthreading.Event().wait()\n")
        while "loading it takes longer" not in (line := await played.lines.get()):
            pass
        assert line.startswith("mine.py has changed and cannot be loaded")
        assert played.pick() == 1
        await ended(playing)
