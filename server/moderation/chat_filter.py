"""The operator's list of words that people's text may not hold. Pure.

Words are compared by the keys under which names are compared, so that letters that look alike, accents and invisible
characters make no difference. There are no patterns but a word's beginning: the time is bounded by the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

from cornered.protocol.text import comparison_key
from cornered.server.refusal import Refusal

__all__ = ["MAX_WORDS", "NO_FILTER", "ChatFilter"]

MAX_WORDS: Final = 10_000
"""Words of one list."""
MAX_WORD: Final = 64
"""Characters of a word as it is written in the list."""
MASK: Final = "*"
_TOKEN: Final = re.compile(r"\S+")
_PIECE: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ChatFilter:
    """The words by their comparison keys: `whole` ones, and those that are forbidden as a `beginning` of longer ones.

    With `masks` lines are told with asterisks in place of such words; names are always refused.
    """

    whole: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    masks: bool = False

    @classmethod
    def of(cls, lines: Iterable[str], *, masks: bool = False) -> Self:
        """Return the filter of a list with one word a line; `word*` also forbids longer words that begin so.

        Empty lines and those that begin with `#` are skipped. Raises a ValueError that names the line.
        """
        whole, beginnings = set[str](), set[str]()
        for number, line in enumerate(lines, 1):
            word = line.strip()
            if not word or word.startswith("#"):
                continue
            key = comparison_key(word.removesuffix("*")) if len(word) <= MAX_WORD else ""
            if len(word.split()) != 1 or not any(char.isalnum() for char in key):
                raise ValueError(f"line {number} is no word of at most {MAX_WORD} characters")
            (beginnings if word.endswith("*") else whole).add(key)
            if len(whole) + len(beginnings) > MAX_WORDS:
                raise ValueError(f"there are more than {MAX_WORDS} words")
        return cls(frozenset(whole), frozenset(beginnings), masks)

    def line(self, text: str) -> str:
        """Return a line as it may be told. Raises Refusal where it may not."""
        if not (self.whole or self.beginnings):
            return text
        found = list(self._found(text))
        if found and not self.masks:
            raise Refusal("forbidden_words", "this server does not accept that word; say it in another way")
        for begin, end in reversed(found):
            text = text[:begin] + MASK * (end - begin) + text[end:]
        return text

    def name(self, text: str) -> str:
        """Return a name of a player, table, group or tournament. Raises Refusal where it may not be borne."""
        if any(self._found(text)):
            raise Refusal("forbidden_words", "this server does not accept that name; choose another")
        return text

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where forbidden words are, in order: each as its first and last place in the text.

        A word may be written with marks between its letters (`b.a.d`), or with spaces between single ones (`b a d`).
        """
        tokens = [(token[0], token.start(), token.end()) for token in _TOKEN.finditer(text)]
        at = 0
        while at < len(tokens):
            word, begin, end = tokens[at]
            at += 1
            key = comparison_key(word)
            if len(key) == 1:
                while at < len(tokens) and len(more := comparison_key(tokens[at][0])) == 1:
                    key, end = key + more, tokens[at][2]
                    at += 1
            if self._is_forbidden(key) or any(
                self._is_forbidden(comparison_key(piece)) for piece in _PIECE.findall(word)
            ):
                yield begin, end

    def _is_forbidden(self, key: str) -> bool:
        if key in self.whole:
            return True
        return bool(self.beginnings) and any(key[:length] in self.beginnings for length in range(1, len(key) + 1))


NO_FILTER: Final = ChatFilter()
"""Lets every text pass."""
