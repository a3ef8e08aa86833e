"""The blocks of code of a page, with what their markers say of them.

A block of commands or of Python is run. An HTML comment on the line before it makes an exception, with its reason:

    <!-- arguments only: REASON -->     no command runs, but its options and arguments are read
    <!-- in small: REASON -->           it is run, with smaller numbers and names that exist: small.py has them
    <!-- not run: REASON -->            nothing is checked
    <!-- run by FILE: NAME -->          another test runs it
    <!-- until: TEXT -->                the last command runs on; it is ended once it has said TEXT

`<!-- arguments only on this page: REASON -->` holds for all blocks of commands that follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import yaml

import docs_build

__all__ = ["COMMANDS", "ROOT", "Block", "Marker", "blocks", "commands", "navigation", "pages", "pattern"]

ROOT: Final = Path(docs_build.__file__).resolve().parent
COMMANDS: Final = ("sh", "console", "bash")
"""The kinds of blocks that have commands."""
FENCE: Final = re.compile(
    r"^(?P<before>[^\n]*)\n```(?P<kind>[a-z]*)(?: (?P<path>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
MARKER: Final = re.compile(r"<!-- (?P<marker>arguments only|in small|not run|until|run by \S+): (?P<reason>.+) -->")
ON_THIS_PAGE: Final = re.compile(r"^<!-- arguments only on this page: (.+) -->$", re.MULTILINE)

Marker: TypeAlias = Literal["arguments only", "in small", "not run", "until", "run by"]


class Block(NamedTuple):
    """A fenced block: `path` is the file that it is, `line` that of its fence, counted from 1."""

    kind: str
    path: str
    text: str
    line: int
    marker: Marker | None
    reason: str


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    general = ON_THIS_PAGE.search(text)
    return [_block(text, found, general) for found in FENCE.finditer(f"\n{text}")]


def _block(text: str, found: re.Match[str], general: re.Match[str] | None) -> Block:
    line = found.string[: found.start("kind")].count("\n")
    made = Block(found["kind"], found["path"] or "", found["text"], line, None, "")
    marked = MARKER.fullmatch(found["before"])
    if marked is None:
        if general is not None and general.start() < found.start() and made.kind in COMMANDS:
            return made._replace(marker="arguments only", reason=general[1])
        return made
    word = "run by" if marked["marker"].startswith("run by") else marked["marker"]
    return made._replace(marker=word, reason=marked["reason"])  # type: ignore[arg-type]


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a block with the lines of output that follow it there, none in a block of kind `sh`."""
    if block.kind == "console":
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, *expected = part.splitlines()
            yield command, expected
        return
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line, []


def pattern(line: str) -> str:
    """Return a pattern for a line of output; `...` matches anything, and column widths are ignored."""
    return r"(?m)^\s*" + r"\s+".join(re.escape(word).replace(r"\.\.\.", ".*") for word in line.split(" ") if word)


def navigation() -> list[str]:
    """Return the paths of the site's pages, in the order of its navigation."""
    tree = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]

    def leaves(node: object) -> Iterator[str]:
        match node:
            case str():
                yield node
            case list():
                for one in node:
                    yield from leaves(one)
            case dict():
                for one in node.values():
                    yield from leaves(one)
            case _:
                raise AssertionError(f"the navigation has {node!r}, which is neither a page nor a list of them")

    return list(leaves(tree))


def pages() -> list[str]:
    """Return the documents whose blocks are run, relative to the root: those of the navigation, and the README."""
    return list(dict.fromkeys(["README.md", *map(docs_build.source_of, navigation())]))
