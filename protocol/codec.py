"""The two ways a message travels: JSON text for browsers, msgpack for bots. Both carry exactly the same messages."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

import msgpack
from pydantic import BaseModel, ConfigDict, ValidationError

from cornered.protocol.commands import COMMAND, ClientMessage
from cornered.protocol.explanation import Kinds, explain, kinds_of
from cornered.protocol.messages import MESSAGE, ErrorCode, ServerMessage
from cornered.protocol.values import CommandId, Key, Value

__all__ = ["CODECS", "JSON", "MAX_CONTAINERS", "MAX_FRAME", "MAX_NESTING", "MSGPACK", "Codec", "ProtocolError"]

MAX_FRAME: Final = 8192
"""The most bytes that a client may send in one message."""
MAX_NESTING: Final = 8
"""How deep a message may nest: far more than any needs."""
MAX_CONTAINERS: Final = 512
"""Maps and arrays in one message; the largest, `declare` with all that it may hold, has 306."""

_NO_BRACKETS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[^\[\]{}"]+', re.DOTALL)
"""What of JSON text is no bracket, or a whole string."""


class ProtocolError(ValueError):
    """A message that cannot be read; `type`, `command_id` and `match` are its own, where that much could be read.

    Without a type it is no message of any version: what carried it has spoilt it, or it never was one.
    """

    def __init__(
        self,
        code: ErrorCode,
        text: str,
        command_id: str | None = None,
        match: str | None = None,
        type: str | None = None,
    ) -> None:
        super().__init__(text)
        self.code: ErrorCode = code
        self.text = text
        self.command_id = command_id
        self.match = match
        self.type = type


class Codec(Protocol):
    @property
    def subprotocol(self) -> str:
        """Return the name under which a client asks for this codec."""

    @property
    def is_text(self) -> bool:
        """Whether messages are text frames."""

    def encode(self, message: Value) -> bytes:
        """Return the payload of one message."""

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        """Decode a client's message. Raises ProtocolError."""

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        """Decode a server's message, without the fields that a later server adds. Raises ProtocolError."""


def _check_unpacked(unpacked: object) -> None:
    """Check how maps and arrays nest, level by level, so that no input can exhaust the stack. Raises ProtocolError."""
    count, level = 0, _containers_in((unpacked,))
    for _ in range(MAX_NESTING):
        count += len(level)
        _check_count(count)
        level = [inner for container in level for inner in _containers_in(container)]
    if level:
        raise _too_deep()


def _containers_in(container: Any) -> list[Any]:
    children = container.values() if type(container) is dict else container
    return [child for child in children if type(child) is dict or type(child) is tuple]


def _check_text(raw: bytes) -> None:
    """Check how brackets nest in JSON text; those inside strings do not count. Raises ProtocolError."""
    if raw.count(b"{") + raw.count(b"[") <= MAX_NESTING:
        return
    depth = count = 0
    for bracket in _NO_BRACKETS.sub(b"", raw):
        if bracket in b"[{":
            depth += 1
            count += 1
            if depth > MAX_NESTING:
                raise _too_deep()
            _check_count(count)
        else:
            depth -= 1


def _check_count(containers: int) -> None:
    if containers > MAX_CONTAINERS:
        raise ProtocolError("malformed", f"a message holds at most {MAX_CONTAINERS} maps and arrays")


def _check_size(raw: bytes) -> None:
    if len(raw) > MAX_FRAME:
        raise ProtocolError("too_large", f"a message has at most {MAX_FRAME} bytes; this one has {len(raw)}")


def _too_deep() -> ProtocolError:
    return ProtocolError("too_deep", f"a message nests at most {MAX_NESTING} deep")


class _Identified(BaseModel):
    """Reads the id of a message that is otherwise wrong."""

    model_config = ConfigDict(extra="ignore", strict=True)
    id: CommandId


class _Typed(BaseModel):
    """Reads the type of a message that is otherwise wrong."""

    model_config = ConfigDict(extra="ignore", strict=True)
    type: str


class _OfMatch(BaseModel):
    """Reads the match of a message that is otherwise wrong."""

    model_config = ConfigDict(extra="ignore", strict=True)
    match: Key


_COMMANDS: Final = kinds_of(ClientMessage)
_MESSAGES: Final = kinds_of(ServerMessage)
M = TypeVar("M", bound=BaseModel)


class _Reader(Protocol):
    """Reads a message as an instance of a model. Raises ValidationError."""

    def __call__(self, model: type[M], /) -> M: ...


def _refused(error: ValidationError, kinds: Kinds, read: _Reader) -> ProtocolError:
    """Return the error with which a message is refused that is none of `kinds`."""
    command_id = match = type_ = None
    with suppress(ValidationError):
        command_id = read(_Identified).id
    with suppress(ValidationError):
        match = read(_OfMatch).match
    with suppress(ValidationError):
        type_ = read(_Typed).type
    code, text = explain(error, kinds)
    return ProtocolError(code, text, command_id, match, type_)


class _Json:
    subprotocol = "cornered.v1.json"
    is_text = True

    def encode(self, message: Value) -> bytes:
        return message.__pydantic_serializer__.to_json(message)

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        data = self._bytes(raw)
        _check_size(data)
        _check_text(data)
        try:
            return COMMAND.validate_json(data)
        except ValidationError as error:
            raise _refused(error, _COMMANDS, lambda model: model.model_validate_json(data)) from None

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        data = self._bytes(raw)
        try:
            return MESSAGE.validate_json(data, extra="ignore")
        except ValidationError as error:
            raise _refused(error, _MESSAGES, lambda model: model.model_validate_json(data)) from None

    def _bytes(self, raw: str | bytes) -> bytes:
        try:
            return raw.encode() if isinstance(raw, str) else raw
        except UnicodeEncodeError:
            raise ProtocolError("malformed", "this is not Unicode text") from None


class _Msgpack:
    subprotocol = "cornered.v1.msgpack"
    is_text = False

    def encode(self, message: Value) -> bytes:
        packed: bytes = msgpack.packb(message.__pydantic_serializer__.to_python(message))
        return packed

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        if isinstance(raw, bytes):
            _check_size(raw)
        decoded = self._unpack(raw)
        _check_unpacked(decoded)
        try:
            return COMMAND.validate_python(decoded)
        except ValidationError as error:
            raise _refused(error, _COMMANDS, lambda model: model.model_validate(decoded)) from None

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        decoded = self._unpack(raw)
        try:
            return MESSAGE.validate_python(decoded, extra="ignore")
        except ValidationError as error:
            raise _refused(error, _MESSAGES, lambda model: model.model_validate(decoded)) from None

    def _unpack(self, raw: str | bytes) -> Any:
        if isinstance(raw, str):
            raise ProtocolError("malformed", f"{self.subprotocol} takes binary messages, not text")
        try:
            return msgpack.unpackb(raw, use_list=False, strict_map_key=True)
        except msgpack.StackError:
            raise _too_deep() from None
        except msgpack.ExtraData as error:
            raise ProtocolError("malformed", _of_extra(raw, len(error.extra))) from None
        except (ValueError, msgpack.UnpackException) as error:
            raise ProtocolError("malformed", f"this is not msgpack: {_of_broken(error)}") from None


def _of_extra(raw: bytes, extra: int) -> str:
    """Return what to say of msgpack with bytes behind its end, as JSON text is: `{` alone is the number 123."""
    if raw[:1] == b"{":
        return f"this is JSON; the subprotocol {JSON.subprotocol} takes it, in text messages"
    return f"this is not msgpack: {extra} bytes follow after the end of the message"


def _of_broken(error: Exception) -> str:
    match error:
        case UnicodeDecodeError():
            return "a text in it is not UTF-8"
        case msgpack.FormatError():
            return "a byte in it begins no value"
        case ValueError() if "map key" in str(error):
            return "a key of a map is no text"
        case _:
            return "it ends inside a value, or is longer than a message"


JSON: Final[Codec] = _Json()
MSGPACK: Final[Codec] = _Msgpack()
CODECS: Final[dict[str, Codec]] = {codec.subprotocol: codec for codec in (JSON, MSGPACK)}
