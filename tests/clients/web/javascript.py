"""The tokens of the page's JavaScript: enough of its grammar to tell texts from comments and regular expressions."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Token", "tokens"]

Kind: TypeAlias = Literal["string", "template", "regex", "number", "word", "mark"]

SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'")
REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
WORD = re.compile(r"[#\w$]+")
BEFORE_A_VALUE = {"return", "typeof", "case", "in", "of", "await", "=>"}
"""Words after which a slash begins a regular expression."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is the value of a string, the literal parts of a template joined by `{}`, or the source."""

    kind: Kind
    text: str
    line: int


def tokens(source: str) -> list[Token]:
    """Split a module into tokens, those inside the holes of a template after it."""
    found: list[Token] = []
    _scan(source, 0, 1, found, closing="")
    return found


def _scan(source: str, at: int, line: int, found: list[Token], *, closing: str) -> tuple[int, int]:
    """Read tokens until the bracket that closes a template's hole, or to the end; return the place and line there."""
    depth = 0
    while at < len(source):
        if space := SPACE.match(source, at):
            line += space[0].count("\n")
            at = space.end()
            continue
        here = source[at]
        if here == closing and depth == 0:
            return at + 1, line
        depth += {"{": 1, "}": -1}.get(here, 0)
        if string := STRING.match(source, at):
            found.append(Token("string", ast.literal_eval(string[0].replace("\\u{", "\\\\u{")), line))
            at = string.end()
        elif here == "`":
            at, line = _template(source, at + 1, line, found)
        elif here == "/" and _begins_value(found) and (regex := REGEX.match(source, at)):
            found.append(Token("regex", regex[0], line))
            at = regex.end()
        elif word := WORD.match(source, at):
            found.append(Token("number" if here.isdigit() else "word", word[0], line))
            at = word.end()
        else:
            found.append(Token("mark", here, line))
            at += 1
    return at, line


def _template(source: str, at: int, line: int, found: list[Token]) -> tuple[int, int]:
    place, begun = len(found), line
    inside: list[Token] = []
    parts = ""
    while source[at] != "`":
        if source.startswith("${", at):
            parts += "{}"
            at, line = _scan(source, at + 2, line, inside, closing="}")
            continue
        if source[at] == "\\":
            parts += source[at]
            at += 1
        line += source[at] == "\n"
        parts += source[at]
        at += 1
    found.insert(place, Token("template", parts, begun))
    found.extend(inside)
    return at + 1, line


def _begins_value(found: list[Token]) -> bool:
    """Whether a slash after these tokens begins a regular expression rather than a division."""
    if not found:
        return True
    last = found[-1]
    if last.kind == "word":
        return last.text in BEFORE_A_VALUE
    return last.kind == "mark" and last.text not in ")]}"
