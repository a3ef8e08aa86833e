"""Quick bots as plain Python, in a process beside the compiler."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.pool.plain import PlainThinker
from cornered.clients.sdk.worker_process import Lost


async def test_the_easy_levels_play_every_game_without_compiled_code_and_a_failure_costs_one_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORNERED_KERNELS", str(tmp_path))
    thinker = PlainThinker()
    for state in (kind().start() for kind in engine.games()):
        for level in (1, 2, 3):
            thought = await thinker.choose(f"level:level={level}", state)
            assert state.is_legal(thought.move)
            assert thought.score is not None or thought.proven is None
    assert not any(name.endswith(".nbi") for _, _, names in os.walk(tmp_path) for name in names)
    with pytest.raises(Lost, match="there is no bot 'nobody'"):
        await thinker.choose("nobody", state)
    assert state.is_legal((await thinker.choose("level:level=1", state)).move)
    # A process that died is started again.
    await thinker.close()
    assert state.is_legal((await thinker.choose("level:level=1", state)).move)
    await thinker.close()
