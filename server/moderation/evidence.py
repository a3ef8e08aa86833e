"""What a report says and shows: its words and the chat lines beside them, which the log has as digests alone. Pure.

The log is never changed, so whatever must be erased one day is kept beside it. A digest is over a random salt too,
which is erased with the words: what is left of them cannot be guessed and compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

__all__ = ["MAX_CHAT_LINES", "ChatLine", "ReportText", "chat_json", "chat_of"]

MAX_CHAT_LINES: Final = 50
"""The newest chat lines of a match that are kept with a report."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One line of chat: its writer's id, the room, the text and the time in milliseconds since 1970."""

    by: str
    room: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class ReportText:
    """A report's words, the chat that its reporter saw, and the salt of the digests."""

    grounds: str
    chat: tuple[ChatLine, ...] = ()
    salt: str = ""

    @property
    def grounds_digest(self) -> str:
        """What the log keeps of the words."""
        return _digest(self.salt, self.grounds)

    @property
    def chat_digest(self) -> str:
        """What the log keeps of the chat; empty where there is none."""
        return _digest(self.salt, chat_json(self.chat)) if self.chat else ""


def chat_json(lines: Iterable[ChatLine]) -> str:
    """Return chat lines as they are stored."""
    return json.dumps([[one.by, one.room, one.text, one.at] for one in lines], ensure_ascii=False)


def chat_of(stored: str) -> tuple[ChatLine, ...]:
    """Return stored chat lines; none where they were erased."""
    return tuple(ChatLine(*line) for line in json.loads(stored or "[]"))


def _digest(salt: str, text: str) -> str:
    return sha256(f"{salt}\n{text}".encode()).hexdigest()
