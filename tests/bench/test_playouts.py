"""Random games a second: every game is measured, and OpenSpiel's beside Quoridor only where it is installed."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from cornered.bench.playouts import as_json, lines, run


def test_every_game_is_measured_beside_its_aim() -> None:
    speeds = list(run(seconds=0.02))
    assert [speed.game for speed in speeds] == ["trapgrid", "isolation", "bamboo", "quoridor"]
    has_peer = importlib.util.find_spec("pyspiel") is not None
    for speed, told in zip(speeds, as_json(speeds), strict=True):
        assert min(speed.bare, speed.contest, speed.kept, speed.batch, speed.loop_ply) > 0
        assert (speed.openspiel is not None) == (has_peer and speed.game == "quoridor")
        assert (told["ratio"] is None) == (told["loop_ratio"] is None) == (speed.openspiel is None)
        assert told["batch_share"] == speed.batch / speed.bare
    table = list(lines(speeds))
    assert len(table) >= 6
    assert "20,000" in table[1]
    assert "OpenSpiel" in table[5]


def test_a_missing_openspiel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    *_, last = lines(list(run(seconds=0.01)))
    assert "pip install 'cornered[openspiel]'" in last
