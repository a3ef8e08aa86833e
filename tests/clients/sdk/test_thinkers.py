"""Worker processes of an author's bot: what a crash, a hang and an error cost, and what a match keeps."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, cast

import pytest

from cornered import engine
from cornered.clients.sdk import Limit, MatchView
from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.choosing import BotFailed
from cornered.clients.sdk.thinkers import Thinkers
from cornered.clients.sdk.worker_main import given
from cornered.engine.game import State

START = engine.load("quoridor", size=5).start()


@dataclass
class Match:
    """What the processes see of a match."""

    id: str
    state: State = START
    over: bool = False


async def ask(thinkers: Thinkers, match: Match, limit: Limit | None = None) -> str:
    return (await thinkers.choose(cast(MatchView, match), limit or Limit(1000, grace=20_000))).move


def opened(choose: Any, size: int = 2, seed: int | None = None) -> Any:
    return Thinkers.open(partial(given, cast(ChooseState, choose)), size, seed=seed)


async def test_a_match_keeps_its_process_until_it_ends() -> None:
    known: list[int] = []

    def choose(state: State, limit: Limit) -> str:
        known.append(len(known))
        return state.moves()[known[-1]]

    ann, bob, cyd = Match("ann"), Match("bob"), Match("cyd")
    async with opened(choose) as thinkers:
        assert [await ask(thinkers, match) for match in (ann, bob, ann, bob)] == [
            START.moves()[n] for n in (0, 0, 1, 1)
        ]
        ann.over = True
        assert await ask(thinkers, cyd) == START.moves()[2]
        assert await ask(thinkers, bob) == START.moves()[2]


async def test_as_many_matches_think_at_the_same_time_as_there_are_processes(tmp_path: Any) -> None:
    import asyncio

    def choose(state: State, limit: Limit) -> str:
        (tmp_path / str(os.getpid())).touch()
        while len(list(tmp_path.iterdir())) < 3:
            pass
        return state.moves()[0]

    async with opened(choose, 3) as thinkers:
        moves = await asyncio.gather(*(ask(thinkers, Match(name)) for name in "abc"))
    assert moves == [START.moves()[0]] * 3


async def test_a_crash_or_a_hang_costs_one_move_and_is_told() -> None:
    def choose(state: State, limit: Limit) -> str:
        if limit.depth == 1:
            os._exit(3)
        while limit.depth == 2:
            pass
        return state.moves()[0]

    match = Match("ann")
    async with opened(choose) as thinkers:
        with pytest.raises(BotFailed, match="died with exit code 3"):
            await ask(thinkers, match, Limit(1000, depth=1, grace=20_000))
        assert await ask(thinkers, match) == START.moves()[0]
        with pytest.raises(BotFailed, match=r"gave no move in .* s, and its process was ended") as hung:
            await ask(thinkers, match, Limit(100, depth=2, grace=100))
        assert hung.value.is_hang
        assert await ask(thinkers, match) == START.moves()[0]


async def test_a_wrong_result_is_shown_an_error_has_its_traceback_and_a_coroutine_is_awaited(
    subtests: pytest.Subtests,
) -> None:
    async def late(state: State) -> str:
        return state.moves()[1]

    def choose(state: State, limit: Limit) -> Any:
        match limit.depth:
            case 1:
                return None
            case 2:
                return "z9"
            case 3:
                return "a1" * 99
            case 4:
                return state.moves()[int("missing")]
            case _:
                return late(state)

    async with opened(choose) as thinkers:
        for depth, said in (
            (1, "choose returned NoneType None, which is no legal move"),
            (2, "choose returned str 'z9'"),
            (3, "choose returned str"),
            (4, r"choose raised ValueError[\s\S]*in choose"),
        ):
            with subtests.test(said=said):
                with pytest.raises(BotFailed, match=said) as failure:
                    await ask(thinkers, Match("ann"), Limit(1000, depth=depth, grace=20_000))
                assert (failure.value.crash is None) == (depth < 4)
        crash = failure.value.crash or ""
        assert crash.splitlines()[0].startswith("test_thinkers.py, line ")
        assert crash.splitlines()[-1].startswith("ValueError: ")
        assert await ask(thinkers, Match("ann")) == START.moves()[1]


async def test_a_bot_that_holds_what_no_other_process_can_have_is_refused() -> None:
    lock = threading.Lock()

    def choose(state: State, limit: Limit) -> str:
        with lock:
            return state.moves()[0]

    with pytest.raises(TypeError, match=r"cannot be given to another process: .*thread"):
        async with opened(choose):
            pass


async def test_a_bot_that_cannot_be_loaded_is_told_before_the_first_game() -> None:
    def load() -> ChooseState:
        raise RuntimeError("no weights")

    with pytest.raises(BotFailed, match=r"cannot be loaded: RuntimeError: no weights"):
        async with Thinkers.open(load, 1):
            pass


async def test_with_a_seed_the_same_position_has_the_same_answer() -> None:
    def choose(state: State, limit: Limit) -> str:
        import random

        return random.choice(state.moves())

    async with opened(choose, 1, seed=5) as thinkers:
        assert len({await ask(thinkers, Match(str(n))) for n in range(4)}) == 1
    async with opened(choose, 1) as thinkers:
        assert len({await ask(thinkers, Match(str(n))) for n in range(12)}) > 1


async def test_the_seconds_of_a_move_leave_out_the_start_of_its_process() -> None:
    def choose(state: State, limit: Limit) -> str:
        return state.moves()[0]

    async with opened(choose) as thinkers:
        await ask(thinkers, Match("ann"))
        began = monotonic()
        answer = await thinkers.choose(cast(MatchView, Match("bob")), Limit(1000, grace=20_000))
        assert 0 < 10 * answer.seconds < monotonic() - began


async def test_the_rules_are_loaded_before_the_first_position() -> None:
    def choose(state: State, limit: Limit) -> str:
        return state.moves()["cornered.engine.warming" in sys.modules]

    async with opened(choose, 1) as thinkers:
        await thinkers.prepare(["quoridor", "a game of a later server"])
        assert await ask(thinkers, Match("ann")) == START.moves()[1]


async def test_a_bot_that_loads_for_ever_is_ended() -> None:
    def load() -> ChooseState:
        while True:
            pass

    with pytest.raises(BotFailed, match=r"cannot be loaded: loading it takes longer than 0\.1 s"):
        async with Thinkers.open(load, 1, start_timeout_s=0.1):
            pass
