"""A report as values: headings, sentences, tables and plots, each written once and shown as Markdown or as a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, assert_never

from jinja2 import Environment, PackageLoader, StrictUndefined

from cornered.lab.reports.plots import inline

__all__ = [
    *("Block", "Document", "Figure", "Heading", "CodeListing", "Literal", "Paragraph", "ReportTable", "Text"),
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
class CodeListing:
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


Block: TypeAlias = Heading | Paragraph | CodeListing | ReportTable | Figure


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    blocks: Sequence[Block]


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
        case CodeListing(text):
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
    environment = Environment(
        loader=PackageLoader("cornered.lab.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "kind": lambda block: type(block).__name__,
        "parts": lambda text: text if isinstance(text, tuple) else (text,),
        "pieces": _JOINTS.split,
        "drawn": lambda path: inline((folder / path).read_text(encoding="utf-8"), path.stem),
    }
    return environment.get_template("page.html").render(title=document.title, blocks=document.blocks)
