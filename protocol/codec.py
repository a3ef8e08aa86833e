"""The two ways a message travels: JSON text for browsers, msgpack for bots. Both carry exactly the same messages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

import msgpack
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from protocol.commands import COMMAND, ClientMessage
from protocol.messages import MESSAGE, ErrorCode, ServerMessage
from protocol.values import CommandId, Value

T = TypeVar("T")
_COMMAND_ID: Final[TypeAdapter[str]] = TypeAdapter(CommandId)

__all__ = ["CODECS", "JSON", "MAX_DEPTH", "MAX_FRAME", "MSGPACK", "Codec", "ProtocolError"]

MAX_FRAME: Final = 8192
"""The most bytes that a client may send in one message."""
MAX_DEPTH: Final = 8
"""How deep a message may nest: far more than any needs."""


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
        """Say whether messages travel as text frames."""

    def encode(self, message: Value) -> bytes:
        """Return the payload of one message."""

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        """Return what a client said. Raises ProtocolError."""

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        """Return what the server said. Raises ProtocolError."""


def _depth_of(value: object) -> int:
    """Return how deep containers nest in `value`, without recursion, so that no input can exhaust the stack."""
    deepest, pending = 0, [(value, 1)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, dict):
            deepest = max(deepest, depth)
            pending.extend((child, depth + 1) for child in item.values())
        elif isinstance(item, tuple | list):
            deepest = max(deepest, depth)
            pending.extend((child, depth + 1) for child in item)
    return deepest


def _text_depth(raw: bytes) -> int:
    """Return how deep brackets nest in JSON text; those inside strings do not count."""
    depth = deepest = 0
    inside = escaped = False
    for byte in raw:
        if inside:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                inside = False
        elif byte == 0x22:
            inside = True
        elif byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _check_size(raw: bytes) -> None:
    if len(raw) > MAX_FRAME:
        raise ProtocolError("too_large", f"a message has at most {MAX_FRAME} bytes; this one has {len(raw)}")


def _too_deep() -> ProtocolError:
    return ProtocolError("too_deep", f"a message nests at most {MAX_DEPTH} deep")


def _id_of(decoded: object) -> str | None:
    """Return the command's id from a message that is otherwise wrong, if it is usable."""
    if isinstance(decoded, dict):
        with suppress(ValidationError):
            return _COMMAND_ID.validate_python(decoded.get("id"), strict=True)
    return None


def _explain(error: ValidationError, decoded: object) -> ProtocolError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    code: ErrorCode = (
        "unknown_type" if first["type"].startswith("union_tag") and len(first["loc"]) == 0 else "malformed"
    )
    where = ".".join(str(part) for part in first["loc"][1:])
    text = f"{where}: {first['msg']}" if where else first["msg"]
    return ProtocolError(code, text[:300], _id_of(decoded))


class _Json:
    subprotocol = "cornered.v1.json"
    is_text = True

    def encode(self, message: Value) -> bytes:
        return message.__pydantic_serializer__.to_json(message)

    def decode_command(self, raw: str | bytes) -> ClientMessage:
        data = self._bytes(raw)
        _check_size(data)
        if data.count(b"{") + data.count(b"[") > MAX_DEPTH and _text_depth(data) > MAX_DEPTH:
            raise _too_deep()
        return self._decode(COMMAND, data)

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        return self._decode(MESSAGE, self._bytes(raw))

    def _bytes(self, raw: str | bytes) -> bytes:
        try:
            return raw.encode() if isinstance(raw, str) else raw
        except UnicodeEncodeError:
            raise ProtocolError("malformed", "this is not Unicode text") from None

    def _decode(self, adapter: TypeAdapter[T], raw: bytes) -> T:
        try:
            return adapter.validate_json(raw)
        except ValidationError as error:
            try:
                decoded = from_json(raw)
            except ValueError:
                raise ProtocolError("malformed", "this is not JSON") from None
            raise _explain(error, decoded) from None


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
        if _depth_of(decoded) > MAX_DEPTH:
            raise _too_deep()
        return self._validate(COMMAND, decoded)

    def decode_message(self, raw: str | bytes) -> ServerMessage:
        return self._validate(MESSAGE, self._unpack(raw))

    def _unpack(self, raw: str | bytes) -> Any:
        if isinstance(raw, str):
            raise ProtocolError("malformed", f"{self.subprotocol} takes binary messages, not text")
        try:
            return msgpack.unpackb(raw, use_list=False, strict_map_key=True)
        except (ValueError, msgpack.UnpackException) as error:
            if isinstance(error, msgpack.StackError):
                raise _too_deep() from None
            raise ProtocolError("malformed", "this is not msgpack") from None

    def _validate(self, adapter: TypeAdapter[T], decoded: object) -> T:
        try:
            return adapter.validate_python(decoded)
        except ValidationError as error:
            raise _explain(error, decoded) from None


JSON: Final[Codec] = _Json()
MSGPACK: Final[Codec] = _Msgpack()
CODECS: Final[dict[str, Codec]] = {codec.subprotocol: codec for codec in (JSON, MSGPACK)}
