"""The two ways a message travels: JSON text for browsers, msgpack for bots. Both carry exactly the same messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

import msgpack
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cornered.protocol.commands import COMMAND, ClientMessage
from cornered.protocol.messages import MESSAGE, ErrorCode, ServerMessage
from cornered.protocol.text import visible
from cornered.protocol.values import CommandId, Value

T = TypeVar("T")
_Extra: TypeAlias = Literal["forbid", "ignore"]
"""What becomes of fields that a model does not have: a server refuses them, a client ignores them."""

__all__ = ["CODECS", "JSON", "MAX_CONTAINERS", "MAX_FRAME", "MAX_NESTING", "MSGPACK", "Codec", "ProtocolError"]

MAX_FRAME: Final = 8192
"""The most bytes that a client may send in one message."""
MAX_NESTING: Final = 8
"""How deep a message may nest: far more than any needs."""
MAX_CONTAINERS: Final = 512
"""Maps and arrays in one message; the largest, `declare` with all that it may hold, has 306."""
MAX_EXPLAINED: Final = 20
"""The most errors in one message of which the first is reported. Pydantic makes a text for each, at 3 us."""

_NO_BRACKETS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[^\[\]{}"]+', re.DOTALL)
"""What of JSON text is no bracket, or a whole string."""


class ProtocolError(ValueError):
    """A message that cannot be read. `id` is the command's own, where that much could be read."""

    def __init__(self, code: ErrorCode, text: str, command_id: str | None = None) -> None:
        super().__init__(text)
        self.code: ErrorCode = code
        self.text = text
        self.command_id = command_id


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


def _explain(error: ValidationError, read_id: Callable[[], _Identified]) -> ProtocolError:
    command_id = None
    with suppress(ValidationError):
        command_id = read_id().id
    if error.error_count() > MAX_EXPLAINED:
        text = f"more than {MAX_EXPLAINED} things are wrong with this message"
        return ProtocolError("malformed", text, command_id)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return ProtocolError("malformed", "this is not JSON")
    code: ErrorCode = (
        "unknown_type" if first["type"].startswith("union_tag") and len(first["loc"]) == 0 else "malformed"
    )
    where = ".".join(str(part) for part in first["loc"][1:])
    text = f"{where}: {first['msg']}" if where else first["msg"]
    # The text repeats the names of unknown fields, which the sender chose.
    return ProtocolError(code, visible(text[:300])[:300], command_id)


class _Json:
    subprotocol = "cornered.v1.json"
    is_text = True

    def encode(self, message: Value) -> bytes:
        return message.__pydantic_serializer__.to_json(message)

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        data = self._bytes(raw)
        _check_size(data)
        _check_text(data)
        return self._decode(COMMAND, data, "forbid")

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        return self._decode(MESSAGE, self._bytes(raw), "ignore")

    def _bytes(self, raw: str | bytes) -> bytes:
        try:
            return raw.encode() if isinstance(raw, str) else raw
        except UnicodeEncodeError:
            raise ProtocolError("malformed", "this is not Unicode text") from None

    def _decode(self, adapter: TypeAdapter[T], raw: bytes, extra: _Extra) -> T:
        try:
            return adapter.validate_json(raw, extra=extra)
        except ValidationError as error:
            raise _explain(error, partial(_Identified.model_validate_json, raw)) from None


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
        return self._validate(COMMAND, decoded, "forbid")

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        return self._validate(MESSAGE, self._unpack(raw), "ignore")

    def _unpack(self, raw: str | bytes) -> Any:
        if isinstance(raw, str):
            raise ProtocolError("malformed", f"{self.subprotocol} takes binary messages, not text")
        try:
            return msgpack.unpackb(raw, use_list=False, strict_map_key=True)
        except (ValueError, msgpack.UnpackException) as error:
            if isinstance(error, msgpack.StackError):
                raise _too_deep() from None
            raise ProtocolError("malformed", "this is not msgpack") from None

    def _validate(self, adapter: TypeAdapter[T], decoded: object, extra: _Extra) -> T:
        try:
            return adapter.validate_python(decoded, extra=extra)
        except ValidationError as error:
            raise _explain(error, partial(_Identified.model_validate, decoded)) from None


JSON: Final[Codec] = _Json()
MSGPACK: Final[Codec] = _Msgpack()
CODECS: Final[dict[str, Codec]] = {codec.subprotocol: codec for codec in (JSON, MSGPACK)}
