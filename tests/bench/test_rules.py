"""The benchmark of the rules measures the same work twice."""

from __future__ import annotations

import shutil

import pytest

from cornered.bench import rules

LEAVES = 11_823_120
"""Of Isolation at depth 5."""


def test_c_and_compiled_python_count_the_same_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "DEPTHS", {"isolation": 5})
    monkeypatch.setattr(rules, "REPEATS", 1)
    measured = rules.run(("isolation",))[0]
    assert measured.leaves == LEAVES
    assert (measured.c_rate is not None) == (shutil.which("cc") is not None)
    header, row, *_ = rules.lines([measured])
    assert len(header) == len(row)
    assert row.startswith("isolation")


def test_every_game_has_its_work() -> None:
    with pytest.raises(ValueError, match=f"no such benchmark as 'chess'; there are {', '.join(rules.DEPTHS)}"):
        rules.run(("chess",))
