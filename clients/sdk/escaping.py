"""Escapes hidden characters in received messages, so that every text of theirs is safe to print.

The server refuses such characters, but a client connects to any server, and stored names may be of earlier versions.
"""

from __future__ import annotations

from typing import TypeVar

from cornered.protocol.text import visible
from cornered.protocol.values import Value

__all__ = ["escaped"]

T = TypeVar("T", bound=Value)


def escaped(message: T) -> T:
    """Return the message with every hidden character of its texts as an escape; itself where there is none."""
    # Nearly all messages are ASCII: a check of their JSON takes a third of the time of a walk over their fields.
    text = message.__pydantic_serializer__.to_json(message)
    if text.isascii() and b"\\" not in text and b"\x7f" not in text:
        return message
    return _escape_fields(message)


def _escape_fields(message: T) -> T:
    changed = {name: made for name, value in message.__dict__.items() if (made := _escape_value(value)) is not value}
    return message.model_copy(update=changed) if changed else message


def _escape_value(value: object) -> object:
    """Return the value with its texts escaped; the same object where nothing changes."""
    if isinstance(value, str):
        return value if value.isprintable() else visible(value)
    if isinstance(value, Value):
        return _escape_fields(value)
    if isinstance(value, tuple):
        made = [_escape_value(item) for item in value]
        return value if all(new is old for new, old in zip(made, value, strict=True)) else tuple(made)
    if isinstance(value, dict):
        pairs = [(_escape_value(key), _escape_value(item)) for key, item in value.items()]
        same = all(key is was and item is value[was] for (key, item), was in zip(pairs, value, strict=True))
        return value if same else dict(pairs)
    return value
