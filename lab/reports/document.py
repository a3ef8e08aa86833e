"""A report as values: headings, sentences, tables and plots, each written once and shown as Markdown or as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, TypeAlias, assert_never

from cornered.lab.reports.plots import inline

__all__ = [
    *("Block", "Document", "Figure", "Heading", "Listing", "Literal", "Paragraph", "ReportTable", "Text"),
    *("markdown", "page"),
]


@dataclass(frozen=True, slots=True)
class Literal:
    """What a computer reads, as a bot's word or a move: shown in type of even width, and never as markup."""

    text: str


Text: TypeAlias = str | Literal | tuple[str | Literal, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: Text


@dataclass(frozen=True, slots=True)
class Listing:
    """A command or a file's text, line by line."""

    text: str


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows below the columns' names; the first cell of a row names it. The last `numeric` columns are numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    numeric: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot's file below the report's folder, its caption, and what it shows in words."""

    path: Path
    caption: str
    alt: str


Block: TypeAlias = Heading | Paragraph | Listing | ReportTable | Figure


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    blocks: Sequence[Block]


STYLE: Final = """
:root {
  color-scheme: light dark;
  --bg: light-dark(#f3f0ea, #161513);
  --panel: light-dark(#ffffff, #201e1b);
  --stripe: light-dark(#f8f5ef, #262320);
  --line: light-dark(#e0d8ca, #38342e);
  --ink: light-dark(#24211d, #ebe6dd);
  --quiet: light-dark(#665f55, #aaa297);
  --accent: light-dark(#1c6b52, #6fc7a4);
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, "Segoe UI", Roboto, sans-serif; text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 4rem; }
h1 { margin: 0 0 0.5rem; font-size: clamp(1.35rem, 1rem + 2vw, 2rem); line-height: 1.2; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; line-height: 1.25; }
p { margin: 0.5rem 0; max-width: 46rem; }
code, pre { font: 0.9em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.box {
  margin: 1rem 0; overflow-x: auto; background: var(--panel);
  border: 1px solid var(--line); border-radius: 0.6rem;
}
.box:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre.box { padding: 0.75rem 1rem; white-space: pre-wrap; }
table { border-collapse: collapse; width: max-content; min-width: 100%; font-size: 0.92rem; }
table { font-variant-numeric: tabular-nums; }
caption { padding: 0.7rem 0.7rem 0.4rem; text-align: left; font-weight: 600; }
caption span, figcaption { position: sticky; left: 0.7rem; display: inline-block; max-width: calc(100vw - 4rem); }
th, td { padding: 0.35rem 0.7rem; text-align: left; vertical-align: baseline; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th {
  position: sticky; left: 0; max-width: 17rem;
  background: var(--panel); border-right: 1px solid var(--line); font-weight: 400;
}
tbody tr:nth-child(even) > * { background: var(--stripe); }
td { max-width: 36rem; }
.number { text-align: right; white-space: nowrap; }
figure.box { padding: 0.7rem; }
figcaption { font-weight: 600; font-size: 0.92rem; }
figure svg { display: block; width: 100%; min-width: 32rem; max-width: 52rem; margin: 0.5rem auto 0; height: auto; }
@media (max-width: 40rem) { tbody th { max-width: 10rem; } th, td { padding: 0.35rem 0.5rem; } }
@media print { body { background: none; } .box { overflow: visible; break-inside: avoid; } }
"""
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|&#~])")
_SPACE: Final = re.compile(r"\s+")
_JOINTS: Final = re.compile(r"(?<=[:,/])(?=\w)")


def markdown(document: Document) -> str:
    """Return a document in GitHub's Markdown, for a file in the folder that the plots' paths begin from."""
    blocks = [f"# {_plain(document.title)}", *map(_markdown, document.blocks)]
    return "\n\n".join(blocks) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Heading(text):
            return f"## {_plain(text)}"
        case Paragraph(text):
            return _marked(text)
        case Listing(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case ReportTable():
            words = len(block.columns) - block.numeric
            rule = [":--"] * words + ["--:"] * block.numeric
            rows = [[_plain(name) for name in block.columns], rule]
            rows += [[_marked(cell) for cell in row] for row in block.rows]
            return "\n".join([f"**{_plain(block.caption)}**", "", *(f"| {' | '.join(row)} |" for row in rows)])
        case Figure(path, caption, alt):
            return f"![{_plain(f'{caption}. {alt}')}](<{path.as_posix()}>)"
        case _:
            assert_never(block)


def _marked(text: Text) -> str:
    if isinstance(text, tuple):
        return "".join(map(_marked, text))
    if isinstance(text, str):
        return _plain(text)
    line = " ".join(text.text.split())
    # Inside of backticks nothing can be escaped, and a table takes a bar for its own.
    if not line or "`" in line or "|" in line:
        return _plain(line)
    return f"`{line}`"


def _plain(text: str) -> str:
    """Return words that Markdown shows as they are."""
    return _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", text))


def page(document: Document, folder: Path) -> str:
    """Return a document as one HTML page that needs no other file; `folder` is where the plots' paths begin."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_words(document.title)}</h1>\n"
        + "\n".join(_element(block, folder) for block in document.blocks)
        + "\n</main>\n</body>\n</html>\n"
    )


def _element(block: Block, folder: Path) -> str:
    match block:
        case Heading(text):
            return f"<h2>{_words(text)}</h2>"
        case Paragraph(text):
            return f"<p>{_words(text)}</p>"
        case Listing(text):
            return f'<pre class="box"><code>{escape(text)}</code></pre>'
        case ReportTable():
            head = "".join(
                f'<th scope="col"{_kind(block, place)}>{_words(name)}</th>' for place, name in enumerate(block.columns)
            )
            body = "\n".join(f"<tr>{_row(block, row)}</tr>" for row in block.rows)
            return (
                f'<div class="box" role="region" aria-label="{escape(block.caption)}" tabindex="0"><table>\n'
                f"<caption><span>{_words(block.caption)}</span></caption>\n<thead><tr>{head}</tr></thead>\n"
                f"<tbody>\n{body}\n</tbody></table></div>"
            )
        case Figure(path, caption, alt):
            drawn = inline((folder / path).read_text(encoding="utf-8"), path.stem)
            return (
                f'<figure class="box" tabindex="0"><figcaption>{_words(caption)}</figcaption>\n'
                f'<div role="img" aria-label="{escape(alt)}">{drawn}</div></figure>'
            )
        case _:
            assert_never(block)


def _row(table: ReportTable, row: Sequence[Text]) -> str:
    first, *others = row
    cells = (f"<td{_kind(table, place)}>{_words(cell)}</td>" for place, cell in enumerate(others, 1))
    return f'<th scope="row">{_words(first)}</th>{"".join(cells)}'


def _kind(table: ReportTable, column: int) -> str:
    return ' class="number"' if column >= len(table.columns) - table.numeric else ""


def _words(text: Text) -> str:
    """Return text that a page shows as it is; long words may break after the marks between their settings."""
    if isinstance(text, tuple):
        return "".join(map(_words, text))
    if isinstance(text, str):
        return escape(text)
    return f"<code>{'<wbr>'.join(escape(part) for part in _JOINTS.split(text.text))}</code>"
