"""The report: how it judges, what it counts, and what it says about each difference."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from cornered.lab.experiments import REFERENCES
from cornered.lab.experiments.findings import Effect, FigureRow, FigureVerdict, Finding
from cornered.lab.experiments.judging import checked, counted, exact, mean, timed
from cornered.lab.experiments.pages import page, report
from cornered.lab.statistics.tally import Tally

FOLDER = "reproduction"


def finding(name: str, source: str, *rows: FigureRow, notes: tuple[str, ...] = ()) -> Finding:
    return Finding(name, f"About {name}", source, f"make {name}", 1, "tiny", rows, notes, version="1.2")


RIGHT = finding("one", "bamboo-paper.txt, 1", exact("stones", "3", (3, 3), 3), notes=("All is well.",))
WRONG = finding(
    *("two", "game-playing-notes.txt, 2"),
    exact("plies|moves", "4", (4, 4), 5).because("refuted", "There are five of them."),
    exact("cells", "7", (7, 7), 9),
    counted("wins", 50, Tally(180, 300, 120.0)).because("vague", "not used"),
    timed("speed", "2 ms", 1.5, 1.0, 2.0, 7, "ms"),
    checked(exact("sum of the parts", "1", (1, 1), 1)),
    notes=("A slip.",),
)


def written(*findings: Finding) -> str:
    return report(findings, REFERENCES, FOLDER)


def row_of(text: str, start: str) -> list[str]:
    """Return the cells of the only table row that starts with this cell."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {start} |")]
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def compared(name: str, p: float, verdict: FigureVerdict) -> FigureRow:
    row = replace(counted(name, 50, Tally.of(100, 200)), p=p, effect=Effect(1.0, 0.5, 1.5, "points"))
    return replace(row, verdict=verdict)


def test_the_summary_counts_by_verdict_class_and_reason() -> None:
    summary, _ = written(RIGHT, WRONG).split("## What differs, and why")
    assert row_of(summary, "[one](#one)")[1:] == ["About one", "1", "0", "0", "0", "0"]
    assert row_of(summary, "[two](#two)")[1:] == ["About two", "0", "2", "1", "0", "2"]
    assert "| all | | 1 | 2 | 1 | 0 | 2 |" in summary
    by_class, by_reason = summary.split("| class |")[1].split("| what differs, by reason |")
    assert row_of(by_class, "exact")[1:] == ["1", "2", "0", "0", "1"]
    assert row_of(by_class, "measured")[1:] == ["0", "0", "1", "0", "0"]
    assert row_of(by_class, "time")[1:] == ["0", "0", "0", "0", "1"]
    assert row_of(by_reason, "exact")[1:] == ["1", "0", "0", "1"]
    assert row_of(by_reason, "all")[1:] == ["1", "0", "0", "1"]


def test_each_difference_is_listed_with_reason_and_explanation() -> None:
    text = written(RIGHT, WRONG)
    section = text.split("## What differs, and why")[1].split("## The Bamboo paper")[0]
    assert "[two](#two): About two" in section
    assert "| figure | printed | ours | effect | holds | reason |" in section, "no p-value, no column"
    assert row_of(section, "plies\\|moves")[1:] == ["4", "5", "x1.25", "yes", "refuted (1)"]
    assert "\n\n1. There are five of them.\n\n" in section
    assert row_of(section, "cells")[1:] == ["7", "9", "x1.29", "yes", "unexplained"]
    assert "one" not in section, "an experiment without a difference is not listed"
    assert "wins" not in section
    assert "speed" not in section


def test_an_explanation_of_several_rows_stands_once_in_each_experiment() -> None:
    rows = [exact(label, "7", (7, 7), 9).because("vague", "No word about it.") for label in ("a", "b|c", "d")]
    section = written(*(finding(name, "bamboo-paper.txt", *rows) for name in ("one", "two")))
    assert section.count("\n1. No word about it.\n") == 2
    assert section.count("| vague (1) |") == 6


def test_the_adjustment_is_over_all_comparisons_and_told_beside_the_verdicts() -> None:
    # Of four, 0.04 is above 4 times 0.04 over its rank 2, 0.08; 0.001 is below the rate by any rank.
    one = finding("one", "bamboo-paper.txt", compared("a", 0.001, "differs"), compared("b", 0.04, "differs"))
    two = finding("two", "bamboo-paper.txt", compared("c", 0.5, "agrees"), compared("d", 0.9, "unclear"))
    apart = finding("three", "bamboo-paper.txt", compared("e", 0.0, "apart"))
    text = written(one, two, apart)
    assert "4 comparisons have a p-value; 2 of them differ at 5% each, and 1 still do after Benjamini" in text
    listed = text.split("## What differs, and why")[1]
    assert "| a | 50% | 50.0% (43.1 to 56.9) | +1.0 points (+0.5 to +1.5) | 0.001 | 0.004 | yes |" in listed
    assert "| b | 50% | 50.0% (43.1 to 56.9) | +1.0 points (+0.5 to +1.5) | 0.04 | 0.08 | no |" in listed


def test_experiments_follow_in_the_order_of_the_references_with_their_notes() -> None:
    text = written(RIGHT, WRONG).split("## The Bamboo paper")[1]
    assert text.index("### About one") < text.index("- All is well.") < text.index("## The course notes")
    assert text.index("## The course notes") < text.index("### About two") < text.index("- A slip.")
    assert "Made by `make two` (tiny, seed 1, cornered 1.2)." in text
    assert f"![About two]({FOLDER}/two.svg)" in text


def test_a_row_tells_its_class_power_effect_and_independent_games() -> None:
    text = page(WRONG)
    assert row_of(text, "plies\\|moves") == [
        *("plies\\|moves", "4", "5", "-", "1", "exact", "-", "x1.25", "**differs** (refuted)")
    ]
    wins = row_of(text, "wins")
    assert wins[1:3] == ["50%", "60.0%"]
    assert wins[4:6] == ["300 (120)", "measured"]
    assert wins[6].endswith(" points")
    assert wins[7].startswith("+10.0 points (-")
    assert wins[8] == "unclear"
    assert row_of(text, "sum of the parts")[-1] == "apart"


def test_times_have_a_table_of_their_own_and_a_page_lies_beside_its_plot() -> None:
    judged, times = page(WRONG).split("Times and rates of this machine, beside the reference's:")
    assert "speed" not in judged
    assert row_of(times, "speed") == ["speed", "2 ms", "1.5 ms", "1 to 2 ms", "7"]
    assert "Times and rates" not in page(RIGHT)
    text = page(WRONG)
    assert text.startswith("# About two\n")
    assert "![About two](two.svg)" in text
    assert "- A slip." in text


def test_every_line_of_a_table_has_as_many_cells_as_its_heading() -> None:
    cells = 0
    for line in written(RIGHT, WRONG).splitlines():
        if line.startswith("|"):
            found = len(re.findall(r"(?<!\\)\|", line))
            assert cells in (0, found), line
            cells = found
        else:
            cells = 0


def test_an_empty_column_is_left_out_and_a_report_without_a_difference_says_so() -> None:
    assert "Nothing that was measured differs." in written(RIGHT)
    assert "| note |" not in page(WRONG)
    noted = finding("one", "bamboo-paper.txt", exact("stones", "3", (3, 3), 3, note="by hand"))
    assert row_of(page(noted), "stones") == ["stones", "3", "3", "1", "exact", "agrees", "by hand"]


def test_a_page_names_its_data_and_where_it_was_made() -> None:
    runs = [{"commit": commit, "date": "2026-01-02"} for commit in ("b2" * 20, f"{'a1' * 20}-dirty", "b2" * 20, None)]
    origin = {"python": "3.13.1", "processor": "A chip", "date": "2026-01-02T03:04:05", "runs": runs}
    made = replace(RIGHT, data={"data/one/games.csv.gz": 1200}, provenance=origin)
    text = written(made)
    assert (
        "(tiny, seed 1, cornered 1.2, commits b2b2b2b2b2b2, a1a1a1a1a1a1-dirty, Python 3.13.1, A chip, 2026-01-02)"
        in text
    )
    assert (
        "Data ([columns](reproduction/data/one/README.md)): "
        "[games.csv.gz](reproduction/data/one/games.csv.gz) (1,200 lines)." in text
    )
    assert "commit" not in page(replace(made, provenance={**origin, "runs": runs[3:]}))

    text = page(replace(RIGHT, data={f"data/one/{step}.csv.gz": 200 for step in range(9)}))
    assert "Data ([columns](data/one/README.md)): [9 files](data/one) with 1,800 lines." in text
    assert "0.csv.gz" not in text
    few = page(replace(RIGHT, data={f"data/one/{step}.csv.gz": 200 for step in range(8)}))
    assert "[7.csv.gz](data/one/7.csv.gz) (200 lines)" in few


def test_an_unbounded_figure_is_written_in_words() -> None:
    row = replace(mean("plies", "about 4", (3.6, 4.4), [4.0, 5.0, 9.0]), high=math.inf)
    row = replace(row, effect=Effect(1.2, 0.5, math.inf, "points"))
    text = page(finding("one", "bamboo-paper.txt", row))
    assert "to without bound" in text
    assert "inf" not in text
