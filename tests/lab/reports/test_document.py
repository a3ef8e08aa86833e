from html.parser import HTMLParser
from pathlib import Path

import pytest

from cornered.lab.reports.document import (
    CodeListing,
    Document,
    Figure,
    Heading,
    Literal,
    Paragraph,
    ReportTable,
    markdown,
    page,
)
from cornered.lab.reports.plots import drawing, save

EVIL = '<script>alert("x")</script> | `a` *b* _c_ [d](e) & \\'
TABLE = ReportTable(
    "Scores | all", ("Bot", "Points"), [(("1. ", Literal("minimax:depth=3,a|b")), "3"), (EVIL, "0")], numeric=1
)
VOID = {"meta", "br", "wbr"}


class Reader(HTMLParser):
    """Parses a page into its elements with attributes, and the text of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"td", "th"}:
            self.cells.append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def test_markdown_and_page_show_the_same_cells(tmp_path: Path) -> None:
    document = Document("Two bots", [Heading("Standings"), TABLE])
    assert read(page(document, tmp_path)).cells == ["Bot", "Points", "1. minimax:depth=3,a|b", "3", EVIL, "0"]
    assert markdown(document).splitlines() == [
        "# Two bots",
        "",
        "## Standings",
        "",
        r"**Scores \| all**",
        "",
        "| Bot | Points |",
        "| :-- | --: |",
        r"| 1. minimax:depth=3,a\|b | 3 |",
        r'| \<script\>alert("x")\</script\> \| \`a\` \*b\* \_c\_ \[d\](e) \& \\ | 0 |',
    ]


def test_a_literal_is_code_where_that_can_hold_it_and_a_listing_keeps_its_lines(tmp_path: Path) -> None:
    assert markdown(Document("x", [Paragraph(("play ", Literal("minimax:depth=3_a"), " now"))])) == (
        "# x\n\nplay `minimax:depth=3_a` now\n"
    )
    assert markdown(Document("x", [Paragraph(Literal("a`b"))])) == "# x\n\na\\`b\n"
    document = Document("x", [CodeListing("cornered match a b\n  --seed 1")])
    assert markdown(document) == "# x\n\n    cornered match a b\n      --seed 1\n"
    assert "cornered match a b\n  --seed 1</code>" in page(document, tmp_path)


def test_words_never_become_elements_of_a_page(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for block in (Heading(EVIL), Paragraph(EVIL), Paragraph(Literal(EVIL)), CodeListing(EVIL), TABLE):
        with subtests.test(block=block):
            reader = read(page(Document(EVIL, [block]), tmp_path))
            assert "script" not in {tag for tag, _ in reader.elements}


def test_tables_name_their_rows_and_columns(tmp_path: Path) -> None:
    reader = read(page(Document("x", [TABLE]), tmp_path))
    scopes = [attributes.get("scope") for tag, attributes in reader.elements if tag == "th"]
    assert scopes == ["col", "col", "row", "row"]
    assert "caption" in {tag for tag, _ in reader.elements}
    numbers = [tag for tag, attributes in reader.elements if attributes.get("class") == "number"]
    assert numbers == ["th", "td", "td"]


def test_plots_are_beside_markdown_and_within_a_page(tmp_path: Path) -> None:
    for name in ("one", "other"):
        with drawing() as figure:
            figure.subplots().plot([1, 2], "o")
            save(figure, tmp_path / f"{name}.svg")
    figures = [Figure(Path(f"{name}.svg"), "Ratings", f"{EVIL} {name}") for name in ("one", "other")]
    document = Document("x", figures)
    assert "](<one.svg>)" in markdown(document)
    reader = read(page(document, tmp_path))
    assert [a["aria-label"] for _, a in reader.elements if a.get("role") == "img"] == [figure.alt for figure in figures]
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) > 2
