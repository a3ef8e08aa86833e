"""Quick bots as plain Python, in a process beside the compiler."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cornered import engine
from cornered.bots.pool.plain import PlainThinker
from cornered.clients.sdk.worker_process import Lost


@pytest.fixture
async def thinker() -> AsyncIterator[PlainThinker]:
    thinker = PlainThinker()
    yield thinker
    await thinker.close()


async def test_the_easy_levels_play_every_game_without_compiled_code(
    thinker: PlainThinker, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path_factory.mktemp("kernels")
    monkeypatch.setenv("CORNERED_KERNELS", str(empty))
    for kind in engine.games():
        state = kind().start()
        for level in (1, 2, 3):
            thought = await thinker.choose(f"level:level={level}", state)
            assert state.is_legal(thought.move)
            assert thought.score is not None or thought.proven is None
    assert list(empty.rglob("*.nbi")) == []


async def test_a_bot_that_fails_costs_its_own_move_alone(thinker: PlainThinker) -> None:
    state = engine.load("trapgrid", size=4).start()
    with pytest.raises(Lost, match="there is no bot 'nobody'"):
        await thinker.choose("nobody", state)
    assert state.is_legal((await thinker.choose("level:level=1", state)).move)


async def test_a_process_that_died_is_started_again(thinker: PlainThinker) -> None:
    state = engine.load("trapgrid", size=4).start()
    await thinker.choose("level:level=1", state)
    await thinker.close()
    assert state.is_legal((await thinker.choose("level:level=1", state)).move)
