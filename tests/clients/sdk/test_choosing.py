"""What `choose` may return, and the warnings of a slow or blocking one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest

from cornered.bots import bot
from cornered.clients.sdk import BotFailed, Limit, MatchView, choosing
from cornered.clients.sdk.choosing import MAX_SHOWN_CHARS, Choose, TimedMove, TimeUsed, choose_legal, shown
from cornered.clients.sdk.game_log import GameLog
from cornered.protocol.commands import Command
from tests.clients.sdk.scripted import snapshot


class Offline:
    """A client without a server."""

    def new_id(self) -> str:
        return "c1"

    def server_now(self) -> int:
        return 0

    async def ask(self, command: Command, expected: Any) -> Any:
        raise AssertionError("nothing is asked")

    def forget(self, match: str) -> None:
        pass


class Thought(NamedTuple):
    move: object
    score: float = 0.0


@pytest.fixture
def match() -> MatchView:
    return MatchView(Offline(), snapshot(None))


class Watch:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(choosing, "monotonic", watch)
    return watch


async def later(value: object) -> object:
    await asyncio.sleep(0)
    return value


async def test_a_move_is_a_text_or_has_thoughts_and_comes_at_once_or_later(
    match: MatchView, subtests: pytest.Subtests
) -> None:
    future = asyncio.get_running_loop().create_future()
    future.set_result("b3")
    made_by: dict[str, Callable[[], Any]] = {
        "a text": lambda: "b3",
        "thoughts": lambda: Thought("b3"),
        "the thought of a house bot": lambda: bot.Thought("b3"),
        "a coroutine": lambda: later(Thought("b3")),
        "a coroutine of a coroutine": lambda: later(later("b3")),
        "a future": lambda: future,
    }
    for name, made in made_by.items():
        with subtests.test(made=name):
            assert await choose_legal(answering(made), match, Limit(100), TimeUsed()) == "b3"


def answering(made: Callable[[], Any]) -> Choose:
    return lambda match, limit: made()


class Treacherous:
    @property
    def move(self) -> str:
        raise RuntimeError("no move")


async def test_everything_else_is_that_moves_failure(match: MatchView, subtests: pytest.Subtests) -> None:
    for wrong in (None, Thought(None), Thought("z9"), Thought("x" * 1000), Treacherous(), object()):
        with subtests.test(wrong=wrong), pytest.raises(BotFailed, match=r"choose (returned|raised)"):
            await choose_legal(answering(partial(lambda it: it, wrong)), match, Limit(100), TimeUsed())


def test_an_error_is_shown_by_its_whole_text(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[Exception, str], ...] = (
        (
            AttributeError("'State' object has no attribute 'nothing'"),
            "AttributeError: 'State' object has no attribute",
        ),
        (KeyError("z9"), "KeyError: 'z9'"),
        (ValueError("two\n lines"), "ValueError: two lines"),
        (RuntimeError(), "RuntimeError"),
    )
    for error, said in rows:
        with subtests.test(error=error, said=said):
            assert shown(error).startswith(said)
            assert len(shown(ValueError("x" * 1000))) < 2 * MAX_SHOWN_CHARS


async def test_a_coroutine_can_be_cancelled_and_can_catch_what_it_waits_for(match: MatchView) -> None:
    async def choose(match: MatchView, limit: Limit) -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "b3"
        return "a1"

    assert await choose_legal(choose, match, Limit(100), TimeUsed()) == "b3"

    async def forever(match: MatchView, limit: Limit) -> str:
        await asyncio.Event().wait()
        return "b3"

    task = asyncio.ensure_future(choose_legal(forever, match, Limit(100), TimeUsed()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
async def test_a_bot_that_blocks_the_event_loop_is_told_once_what_to_do(
    match: MatchView, watch: Watch, caplog: pytest.LogCaptureFixture, *, is_async: bool
) -> None:
    def block(match: MatchView, limit: Limit) -> str:
        watch.now += 1.5
        return "b3"

    async def block_later(match: MatchView, limit: Limit) -> str:
        await asyncio.sleep(0)
        return block(match, limit)

    log, used = GameLog(), TimeUsed()
    for _ in range(2):
        await choose_legal(block_later if is_async else block, match, Limit(5_000), used)
        log.chosen(match, Limit(5_000), used)
    (record,) = caplog.records
    assert "choose of Ann (ann) blocked the event loop for 1.5 s in match m" in record.getMessage()
    assert "asyncio.to_thread" in record.getMessage()
    assert (used.moves, used.total) == (2, 3.0)


async def test_a_bot_whose_author_reads_no_log_is_not_told(
    match: MatchView, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    def block(match: MatchView, limit: Limit) -> str:
        watch.now += 15
        return "b3"

    log, used = GameLog(warns=False), TimeUsed()
    await choose_legal(block, match, Limit(1_000), used)
    assert log.chosen(match, Limit(1_000), used) is None
    assert not caplog.records


@pytest.mark.parametrize(("moves", "counted"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves")])
def test_the_end_of_a_game_counts_its_moves(
    match: MatchView, caplog: pytest.LogCaptureFixture, moves: int, counted: str
) -> None:
    with caplog.at_level("INFO", "cornered.bot"):
        GameLog().ended(match, TimeUsed(moves=moves))
    (line,) = caplog.messages
    assert line.endswith(f", 0.0 s for {counted}")


async def test_a_bot_that_is_far_slower_than_its_limit_is_told_once(
    match: MatchView, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    async def choose(match: MatchView, limit: Limit) -> str:
        # Each wait is short, and the loop is free between them.
        for _ in range(10):
            await asyncio.sleep(0)
            watch.now += 0.3
        return "b3"

    log, used = GameLog(), TimeUsed()
    for time in (3_000, 500, 500):
        await choose_legal(choose, match, Limit(time), used)
        log.chosen(match, Limit(time), used)
    (record,) = caplog.records
    assert "choose of Ann (ann) took 3.0 s in match m, where its limit was 0.5 s" in record.getMessage()
    assert "limit.remaining" in record.getMessage()


@pytest.mark.parametrize("is_wrong", [False, True], ids=["a move", "a failure"])
async def test_what_was_spent_before_choose_was_called_is_no_slow_move(
    match: MatchView, watch: Watch, caplog: pytest.LogCaptureFixture, *, is_wrong: bool
) -> None:
    async def choose(match: MatchView, limit: Limit) -> TimedMove:
        # A process is started, and its bot loaded; the loop is free meanwhile.
        for _ in range(10):
            await asyncio.sleep(0)
            watch.now += 0.9
        if is_wrong:
            raise BotFailed("choose raised an error", seconds=0.2)
        return TimedMove("b3", 0.2)

    log, used = GameLog(), TimeUsed()
    with contextlib.suppress(BotFailed):
        await choose_legal(choose, match, Limit(500), used)
    assert log.chosen(match, Limit(500), used) is None
    assert (used.moves, used.total) == (1, 0.2)
    assert not caplog.records
