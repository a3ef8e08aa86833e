"""Validates people's text by Unicode general category, and folds names that look the same to one key.

Control (Cc), format (Cf), surrogate (Cs), private (Co) and unassigned (Cn) characters and separators of lines (Zl, Zp)
move a terminal's cursor, reorder what stands around them, or cannot be seen. A name with one of them is refused; from a
line they are removed. Categories are those of the Unicode version that Python was built with, so the emoji blocks, in
which later versions add characters, are allowed as a whole.
"""

# ruff: noqa: RUF001, RUF002 - this module lists confusable characters.

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from cornered.protocol.confusables import CONFUSABLES

__all__ = [
    "MAX_MARKS",
    "MAX_NAME",
    "ForbiddenText",
    "clean_line",
    "clean_name",
    "comparison_key",
    "comparison_keys",
    "fold_name",
    "visible",
]

MAX_NAME: Final = 24
"""Characters of a name after normalisation."""
MAX_RAW_NAME: Final = 4 * MAX_NAME
MAX_RAW_LINE: Final = 1_200
"""Characters of a name or line before normalisation, which makes up to three of them into one."""
MAX_LINE: Final = 600
"""Characters of a line after normalisation, hidden ones among them: twice as many as any field has room for."""
MAX_MARKS: Final = 3
"""Combining marks on one character, enough for Vietnamese, Thai, Hebrew and an emoji keycap."""

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BREAKS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_MARK_CATEGORIES: Final = frozenset({"Mn", "Me"})
_JOINERS: Final = frozenset("\u200c\u200d")
"""The zero-width non-joiner and joiner: they shape letters of Persian and Indic scripts, and join emoji."""
_FIRST_SHAPED: Final = "\u0590"
"""First code point after Latin, Greek and Cyrillic, whose letters no joiner shapes."""
_PRESENTATION: Final = frozenset("\ufe0e\ufe0f")
"""Variation selectors that show an emoji as text or as a picture."""
_INVISIBLE: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
    + "".join(map(chr, [*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)]))
)
"""Fillers, blank patterns and variation selectors: assigned as letters, marks or symbols, and drawn as nothing."""


class ForbiddenText(ValueError):
    """A text that is refused; the message gives the reason."""


def clean_name(text: str) -> str:
    """Return a name in its normal form (NFKC), with single plain spaces. Raises ForbiddenText.

    Every hidden or invisible character is refused, the joiners too, because two names that differ only by one look the
    same. Selectors of an emoji's presentation are left out.
    """
    if len(text) > MAX_RAW_NAME:
        raise ForbiddenText(f"a name has 1 to {MAX_NAME} characters")
    if text.isascii() and text.isprintable():
        name = " ".join(text.split())
    else:
        normal = unicodedata.normalize("NFKC", "".join(char for char in text if char not in _PRESENTATION))
        # The hidden ones are looked for first: `split` would take some of them for spaces.
        _refuse_hidden(normal)
        name = " ".join(normal.split())
        _refuse_marks(name)
    if not _has_visible(name):
        raise ForbiddenText(f"a name has 1 to {MAX_NAME} characters, at least one of which can be seen")
    if len(name) > MAX_NAME:
        raise ForbiddenText(f"a name has 1 to {MAX_NAME} characters")
    return name


def clean_line(text: str) -> str:
    """Return text as one line in its normal form (NFC), empty without a visible character.

    Breaks become spaces and other hidden characters are removed, so that pasted text is accepted. NFKC would rewrite
    what people type: `x²` as `x2`, and the accent of `don´t` as a mark on a space. Raises ForbiddenText.
    """
    if len(text) > MAX_RAW_LINE:
        raise ForbiddenText("the text is too long")
    if text.isascii() and text.isprintable():
        return text.strip()
    text = unicodedata.normalize("NFC", text)
    if len(text) > MAX_LINE:
        raise ForbiddenText("the text is too long")
    before = None
    # A removal may make its neighbours compose under NFC, so the steps repeat up to a fixed point.
    while text != before:
        before = text
        shown = "".join(" " if char in _BREAKS else char for char in text if char in _BREAKS or _is_shown(char))
        joined = "".join(char for at, char in enumerate(shown) if char not in _JOINERS or _is_joining(shown, at))
        text = unicodedata.normalize("NFC", _limit_marks(unicodedata.normalize("NFC", joined)).strip())
    return text if _has_visible(text) else ""


def visible(text: str) -> str:
    r"""Return text as one line that is safe for terminals and logs: each hidden character as an escape such as `\x1b`.

    The result moves no cursor and reverses no writing direction.
    """
    if text.isprintable():
        return text
    return "".join(
        _escaped(char) if _is_hidden(char) and not (char in _JOINERS and _is_joining(text, at)) else char
        for at, char in enumerate(text)
    )


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_hidden(char: str) -> bool:
    if char.isprintable():
        return False
    kind = unicodedata.category(char)
    return kind in _HIDDEN and not (kind == "Cn" and "\U0001f000" <= char <= "\U0001faff")


@lru_cache(maxsize=4096)
def _is_shown(char: str) -> bool:
    return char in _JOINERS or not (_is_hidden(char) or char in _INVISIBLE)


def _is_joining(text: str, at: int) -> bool:
    """Return whether the joiner at `at` is between letters of a script that it shapes, or between emoji."""
    if not 0 < at < len(text) - 1:
        return False
    return all(
        char >= _FIRST_SHAPED and unicodedata.category(char)[0] in "LMS" for char in (text[at - 1], text[at + 1])
    )


def _has_visible(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNPS" or _is_in_emoji_block(char) for char in text)


def _is_in_emoji_block(char: str) -> bool:
    return unicodedata.category(char) == "Cn" and not _is_hidden(char)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in _MARK_CATEGORIES


def _refuse_hidden(text: str) -> None:
    for char in text:
        if _is_hidden(char) or char in _INVISIBLE:
            kind = "a control character" if unicodedata.category(char) == "Cc" else "a character that cannot be seen"
            raise ForbiddenText(f"a name must not hold {kind}: U+{ord(char):04X}")


def _refuse_marks(name: str) -> None:
    if _limit_marks(name) != name:
        raise ForbiddenText(f"a name has at most {MAX_MARKS} combining marks on one character, and none on a space")


def _limit_marks(text: str) -> str:
    """Return the text without combining marks that have no base character, or come after `MAX_MARKS` others on it."""
    kept: list[str] = []
    marks = MAX_MARKS
    for char in text:
        if _is_mark(char):
            marks += 1
            if marks > MAX_MARKS:
                continue
        elif char not in _JOINERS:
            marks = MAX_MARKS if char.isspace() else 0
        kept.append(char)
    return "".join(kept)


def _translation_table(*rows: tuple[str, str]) -> dict[int, str]:
    return {ord(like): plain for likes, plains in rows for like, plain in zip(likes, plains, strict=True)}


_GREEK_LOOKALIKES: Final = _translation_table(
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳ", "abezhikmnoptyxcj"),  # Greek; its capitals and small letters resemble different ones
    ("αβγεηικνορσςτυχωϲμ", "abyenikvopoctuxwcu"),
)
_LOOKALIKES: Final = _translation_table(
    ("авекмнорстухѕіјԁԛԝһьӏѵҽ", "abekmhopctyxsijdqwhblve"),  # Cyrillic
    ("օոսհքցյզ", "onuhpgjq"),  # Armenian
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),  # small capitals
    ("ɑɡıȷøłđħŧƀʋɩʌ", "agijoldhtbvlv"),  # Latin
    ("‐‑‒–—―−⁃", "--------"),
    ("‘’ʼ`´′", "''''''"),
    ("⁄∕", "//"),
)
_CONFUSABLE_ASCII: Final = _translation_table(("0i1|", "olll"))
"""ASCII characters that many fonts draw alike, among them a capital I and a small l."""
_CONFUSABLES: Final = {
    **{ord(like): text for text, likes in CONFUSABLES.items() for like in likes},
    ord("п"): "n",  # In italics, and in many fonts at the size of a list; UTS 39 compares upright letters.
}
"""Characters of all other scripts."""
_DIACRITICS: Final = (("\u0300", "\u036f"), ("\u1ab0", "\u1aff"), ("\u1dc0", "\u1dff"), ("\u20d0", "\u20ff"))


def fold_name(name: str) -> str:
    """Return the comparison key that two names share when they look the same; it is never shown.

    Case, accents of Latin, Greek and Cyrillic letters, lookalike letters of other scripts, `0` and `o`, `1`, `I` and
    `l`, `rn` and `m`, `vv` and `w` make no difference, nor do invisible characters, which names of earlier versions may
    hold. The method is the skeleton of UTS 39 with its table, before which our own goes, so that case makes no
    difference.
    """
    return _folded(name, _CONFUSABLES)


def _folded(name: str, confusables: Mapping[int, str]) -> str:
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name))
    bare = "".join(char for char in apart if not _is_ignorable(char))
    like = (
        bare.translate(_GREEK_LOOKALIKES)
        .casefold()
        .translate(_GREEK_LOOKALIKES)
        .translate(_LOOKALIKES)
        .translate(confusables)
        .translate(_CONFUSABLE_ASCII)
    )
    return unicodedata.normalize("NFC", " ".join(like.split())).replace("rn", "m").replace("vv", "w")


@lru_cache(maxsize=4_096)
def comparison_key(name: str) -> str:
    """Return the key that names which read alike share: their folded letters, marks and digits."""
    return _letters(fold_name(name))


def comparison_keys(name: str) -> tuple[str, ...]:
    """Return the keys under which a store may have a name: `comparison_key`, and before it the key of the versions
    without the table of UTS 39, where that is another. Names that were taken by them keep it."""
    now, before = comparison_key(name), _letters(_folded(name, {}))
    return (now,) if before == now else (before, now)


def _letters(folded: str) -> str:
    return "".join(one for one in folded if unicodedata.category(one)[0] in "LMN") or folded


def _is_ignorable(char: str) -> bool:
    """Return whether names that differ only by this character look the same or nearly so."""
    return (
        any(first <= char <= last for first, last in _DIACRITICS)
        or _is_hidden(char)
        or char in _INVISIBLE
        or char in _PRESENTATION
    )
