"""The benchmark of the rules measures the same work twice."""

from __future__ import annotations

import shutil

import pytest

from cornered.bench.rules import DEPTHS, lines, run


def test_c_and_compiled_python_count_the_same_leaves() -> None:
    measured = run(("isolation",))[0]
    assert measured.leaves == 174777072
    assert (measured.c_rate is not None) == (shutil.which("cc") is not None)
    header, row, *_ = lines([measured])
    assert len(header) == len(row)
    assert row.startswith("isolation")


def test_every_game_has_its_work() -> None:
    with pytest.raises(ValueError, match=f"no such benchmark as 'chess'; there are {', '.join(DEPTHS)}"):
        run(("chess",))
