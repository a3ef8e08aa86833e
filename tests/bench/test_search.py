"""The benchmark of the search counts the same nodes every time, and C counts the same ones."""

from __future__ import annotations

import shutil

import pytest

from cornered.bench import search


def test_the_node_total_is_the_one_that_the_sources_claim() -> None:
    """A change of the search or of an evaluation updates EXPECTED_NODES."""
    assert search.total([search.count(*each) for each in search.SEARCHES]) == search.EXPECTED_NODES


@pytest.mark.parametrize("game", search.PLAIN_DEPTHS)
def test_c_searches_the_same_nodes(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "REPEATS", 1)
    measured = search.beside_c(game)
    assert measured.nodes > 100_000
    assert (measured.c_rate is not None) == (shutil.which("cc") is not None)


def test_figures_make_tables() -> None:
    counted = [search.NodeCount("quoridor", "network", 4, 1_000_000, 0.5)]
    beside = [search.Beside("quoridor", 8, 1_000_000, 0.1, None)]
    text = "\n".join(search.lines(search.Figures(counted, beside, 9e7)))
    assert "Bench" not in text
    assert "100 times its 0.9 M" in text
    assert "published figures, not measured here" in text
    assert search.as_json(search.Figures(counted, beside, 9e7))["counted"][0]["rate"] == 2.0


def test_every_game_has_its_work() -> None:
    with pytest.raises(ValueError, match="no such benchmark as 'chess'"):
        search.run(("chess",))
