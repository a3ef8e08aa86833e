import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cornered.lab.reports.plots import COLOURS, DARK_COLOURS, INK, drawing, folded, inline, save
from tests.lab.reports.layout import check_legends


def plot(path: Path) -> str:
    with drawing() as figure:
        axes = figure.subplots()
        axes.plot([1, 2, 3], [3, 1, 2], "o-", label="a line")
        axes.set_xlabel("weeks & days")
        axes.legend()
        save(figure, path)
    return path.read_text(encoding="utf-8")


def test_equal_plots_are_equal_byte_for_byte_and_text_stays_text(tmp_path: Path) -> None:
    assert plot(tmp_path / "one.svg") == plot(tmp_path / "other.svg")
    svg = plot(tmp_path / "plot.svg")
    assert ">weeks &amp; days</text>" in svg
    assert "dc:date" not in svg


def test_signs_of_a_bots_word_are_no_formula(tmp_path: Path) -> None:
    with drawing() as figure:
        figure.suptitle(r"linear:weights=$\name$.json")
        save(figure, tmp_path / "plot.svg")
    assert r">linear:weights=$\name$.json</text>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def log_plot(path: Path, low: float, high: float) -> str:
    with drawing() as figure:
        axes = figure.subplots()
        axes.plot([1, 2], [low, high])
        axes.set_yscale("log")
        axes.set_xticks([])
        save(figure, path)
    return path.read_text(encoding="utf-8")


def test_a_logarithmic_axis_has_plain_numbers_also_between_the_powers_of_ten(tmp_path: Path) -> None:
    svg = log_plot(tmp_path / "plot.svg", 0.01, 100_000)
    assert "mathdefault" not in svg
    assert re.findall(r">([\d.,]+)</text>", svg) == ["0.01", "0.1", "1", "10", "100", "1,000", "10,000", "100,000"]
    svg = log_plot(tmp_path / "plot.svg", 14, 60)
    assert "mathdefault" not in svg
    assert sorted(re.findall(r">([\d.,]+)</text>", svg)) == ["20", "50"]


def test_a_legend_covers_no_axes_and_those_above_each_other_are_one() -> None:
    with drawing() as figure:
        grid = figure.subplots(2, 2)
        for axes in grid.flat:
            axes.plot([0, 1], [0, 1], label="a line")
        grid[1, 1].plot([1, 0], [0, 1], label="another")
        for axes in grid.flat:
            axes.legend(loc="upper left")
        grid[0, 1].legend(handles=grid[0, 1].lines[:1], labels=["a name of its own"])
        check_legends(figure)
        texts = [[text.get_text() for text in legend.get_texts()] for legend in figure.legends]
        assert texts == [["a line"], ["a name of its own", "a line", "another"]]


def test_legends_of_long_labels_have_fewer_columns_and_stay_apart() -> None:
    with drawing() as figure:
        for place, axes in enumerate(figure.subplots(1, 2)):
            for number in range(4):
                axes.plot([0, 1], [0, number], label=f"{'a rather long label ' * (2 - place)}{number}")
            axes.legend()
        check_legends(figure)


def test_the_style_ends_with_the_drawing() -> None:
    import matplotlib as mpl

    before = mpl.rcParams["svg.fonttype"]
    with drawing():
        assert mpl.rcParams["svg.fonttype"] == "none"
    assert mpl.rcParams["svg.fonttype"] == before


def test_a_plot_within_a_page_has_ids_of_its_own_its_colours_and_no_addresses(tmp_path: Path) -> None:
    element = inline(plot(tmp_path / "plot.svg"), "speeds")
    ElementTree.fromstring(element)
    ids = re.findall(r'\bid="([^"]+)"', element)
    used = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', element)
    assert ids
    assert all(name.startswith("speeds-") for name in ids)
    assert used
    assert {name for pair in used for name in pair if name} <= set(ids)
    assert "http" not in element
    assert "<metadata" not in element

    element = inline(plot(tmp_path / "plot.svg"), "speeds")
    assert f"light-dark({COLOURS[0]}, {DARK_COLOURS[COLOURS[0]]})" in element
    assert f"light-dark({INK}, {DARK_COLOURS[INK]})" in element
    bare = re.sub(r"light-dark\(#\w{6}, #\w{6}\)", "", element)
    assert not re.search(r"#[0-9a-f]{6}\b", bare)

    with pytest.raises(ValueError, match="viewBox"):
        inline("<p>no plot</p>", "speeds")


def test_long_words_are_folded_where_their_settings_end() -> None:
    assert folded("greedy") == "greedy"
    assert folded("bamboo-mcts:iterations=500,c=0.4", 28) == "bamboo-mcts:iterations=500,\nc=0.4"
    assert folded("x" * 70, 30).split("\n") == ["x" * 30, "x" * 30, "x" * 10]
    word = "bamboo-neural:weights=/data/experiments/large-model-final.npz,iterations=200"
    assert folded(word).replace("\n", "") == word
    assert max(map(len, folded(word).split("\n"))) <= 30
