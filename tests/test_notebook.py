"""The notebooks of examples/: valid, without stored outputs, and their cells run, those of reproduction.ipynb on an
experiment's data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from cornered.engine.progress import no_report
from cornered.lab.experiments import experiments
from cornered.lab.experiments.reproduction import make
from tests.lab.inline import Inline

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
CELL_KEYS = {
    "markdown": {"cell_type", "id", "metadata", "source"},
    "code": {"cell_type", "id", "metadata", "source", "outputs", "execution_count"},
}


def notebook(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    return found


def execute(name: str) -> dict[str, Any]:
    """Run the cells of a notebook in turn; return its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook(name)["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {cell['id']}", "exec"), names)
    return names


def test_each_has_the_form_of_a_notebook_and_stores_no_outputs() -> None:
    # Notebook format 4.5: identifiers of 1 to 64 characters, unique, and no keys beside these.
    names = [path.stem for path in EXAMPLES.glob("*.ipynb")]
    assert len(names) > 3
    for name in names:
        found = notebook(name)
        assert found.keys() == {"cells", "metadata", "nbformat", "nbformat_minor"}
        assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
        assert found["metadata"]["kernelspec"].keys() >= {"name", "display_name"}
        ids = [cell["id"] for cell in found["cells"]]
        assert len(set(ids)) == len(ids)
        for cell in found["cells"]:
            assert cell.keys() == CELL_KEYS[cell["cell_type"]]
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
            assert all(isinstance(line, str) for line in cell["source"])
            assert not cell.get("outputs"), f"{name} stores outputs"
            assert cell.get("execution_count") is None


def test_its_cells_compute_and_draw_what_the_report_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = experiments()["notes-alpha-beta"]
    found = make(experiment, Inline(), tmp_path / "docs", "tiny", 1, no_report, command="made by the test")
    (tmp_path / "examples").mkdir()
    monkeypatch.chdir(tmp_path / "examples")
    with mpl.rc_context({"backend": "agg"}):
        names = execute("reproduction")
        names["plt"].close(names["figure"])
    saved = [row for row in found.rows if row.label.endswith((", saved, listed", ", saved, sorted"))]
    assert len(saved) == 8
    assert [row["label"] for row in names["printed"]] == [row.label for row in saved]
    assert names["ours"] == pytest.approx([row.ours for row in saved], rel=1e-5)
    intervals = [interval for kinds in names["means"].values() for interval in kinds.values()]
    for row, (_, low, high) in zip(saved, intervals, strict=True):
        assert (low, high) == pytest.approx((row.low, row.high), rel=1e-4)
    bars = [patch.get_width() for patch in names["bars"].patches]
    assert sorted(bars) == pytest.approx(sorted(row.ours for row in saved), rel=1e-5)


def test_play_counts_the_wins_of_random_games() -> None:
    names = execute("play")
    assert names["board"].is_over
    assert sorted(names["shares"]) == ["bamboo", "isolation", "quoridor", "trapgrid"]
    assert all(0.2 < share < 0.8 for share in names["shares"].values())


def test_search_agrees_with_the_proof() -> None:
    names = execute("search")
    assert names["champion"].proven == names["solution"].value == "win"
    assert names["champion"].move in names["solution"].winning
    assert [thought.depth for thought in names["own"].values()] == [1, 2, 3, 4, 5, 6]


def test_learn_predicts_results_better_than_their_frequency() -> None:
    names = execute("learn")
    assert names["hits"] > names["always"] + 0.05
