"""Random handshakes and frames: mostly valid, otherwise with one defect."""

from __future__ import annotations

import random
from typing import Final

from cornered.bench.attacks.sockets import BINARY, CLOSE_OPCODE, CONTINUATION, PING, TEXT, frame

__all__ = ["MAX_WRITE", "framed", "handshake"]

MAX_WRITE: Final = 70_000
_PONG_OPCODE: Final = 0xA
REQUEST_LINES: Final = (
    *("POST /ws HTTP/1.1", "GET /ws HTTP/1.0", "GET /ws HTTP/9.9", "GET ws HTTP/1.1", "GET  /ws  HTTP/1.1", "GET /ws"),
    *("GET //a/../ws HTTP/1.1", "GET /%00 HTTP/1.1", "GET http://[::1/ws HTTP/1.1", "GET /\xff\xfe HTTP/1.1", ""),
    *(
        "GET /matches/MATCH-0000000000.txt HTTP/1.1",
        "GET /metrics HTTP/1.1",
        f"GET /{'a' * 9_000} HTTP/1.1",
        "\x16\x03\x01",
    ),
    *("PRI * HTTP/2.0", "GET /matches/../../x.txt HTTP/1.1", "HEAD / HTTP/1.1", "OPTIONS * HTTP/1.1"),
)
ODD_HEADERS: Final = (
    *("Host: evil.example", "Host:", "X-Forwarded-For: 1.2.3.4, ::1, x", "X-Forwarded-For: " + "1," * 2_000),
    *("Sec-WebSocket-Key: short", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 8"),
    *("Sec-WebSocket-Protocol: soap", "Sec-WebSocket-Protocol: cornered.v1.msgpack, cornered.v1.json", "Upgrade: h2c"),
    *("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99", "Origin: null", "Origin: http://["),
    *("Connection: close", "Content-Length: 5", "Content-Length: -1", "Transfer-Encoding: chunked", "no colon"),
    *(" folded: yes", "X: " + "y" * 9_000, "Cookie: \xff\x00", "Expect: 100-continue", "If-None-Match: *"),
)
CLOSE_CODES: Final = (0, 999, 1000, 1004, 1005, 1006, 1011, 1015, 2999, 3000, 4999, 5000, 65_535)


def handshake(chance: random.Random, subprotocol: str) -> bytes:
    """Return a valid handshake request, or one with a single defect."""
    lines = [
        "GET /ws HTTP/1.1",
        "Host: HOST",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {subprotocol}",
    ]
    end = "\r\n"
    if chance.random() < 0.15:
        match chance.randrange(6):
            case 0:
                lines[0] = chance.choice(REQUEST_LINES)
            case 1:
                del lines[chance.randrange(len(lines))]
            case 2:
                lines.insert(chance.randrange(1, len(lines)), chance.choice(ODD_HEADERS))
            case 3:
                lines += [chance.choice(lines)] * chance.choice((1, 2, 200))
            case 4:
                end = chance.choice(("\n", "\r", "\r\n\r\n", "\x00"))
            case _:
                lines[chance.randrange(1, len(lines))] = chance.choice(ODD_HEADERS)
    raw = bytearray((end.join(lines) + end + end).encode("latin-1", "replace"))
    if chance.random() < 0.02:
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    return bytes(raw)


def framed(chance: random.Random, payload: bytes, *, is_text: bool) -> bytes:
    """Return a message's frames: whole, fragmented, interleaved with control frames, or broken."""
    opcode = TEXT if is_text else BINARY
    match chance.randrange(24):
        case 0 | 1:
            return _fragments(chance, opcode, payload)
        case 2:
            return frame(opcode, payload, bits=chance.randrange(1, 8))
        case 3:
            return frame(chance.choice((3, 4, 5, 6, 7, 11, 12, 13, 14, 15)), payload)
        case 4:
            return _unmasked(opcode, payload)
        case 5:
            return _long_way(chance, opcode, payload)
        case 6:
            return frame(opcode, payload)[: chance.randrange(len(payload) + 6)]
        case 7:
            return frame(
                CLOSE_OPCODE, chance.choice(CLOSE_CODES).to_bytes(2, "big") + chance.choice((b"", b"bye", b"\xff"))
            )
        case 8:
            return frame(CLOSE_OPCODE, chance.choice((b"", b"x")), fin=chance.random() < 0.8)
        case 9:
            return frame(
                chance.choice((PING, _PONG_OPCODE)), chance.choice((b"", b"x" * 125, b"x" * 126, payload[:100]))
            )
        case 10:
            return frame(CONTINUATION, payload, fin=chance.random() < 0.5)
        case 11:
            return bytes((0x80 | opcode, 255)) + chance.choice((2**63, 2**63 - 1, 2**32, 20_000)).to_bytes(8, "big")
        case 12:
            return chance.randbytes(chance.choice((1, 2, 14, 200)))
        case 13:
            return frame(BINARY if is_text else TEXT, payload)
        case 14:
            return frame(opcode, (payload * 40)[: chance.choice((8_192, 8_193, 16_385, MAX_WRITE))])
        case _:
            return frame(opcode, payload)


def _fragments(chance: random.Random, opcode: int, payload: bytes) -> bytes:
    cuts = sorted(chance.randrange(len(payload) + 1) for _ in range(chance.choice((1, 2, 8, 100))))
    pieces = [payload[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(payload)], strict=True)]
    out = b""
    for number, piece in enumerate(pieces):
        out += frame(CONTINUATION if number else opcode, piece, fin=number == len(pieces) - 1)
        if chance.random() < 0.2:
            out += frame(chance.choice((PING, _PONG_OPCODE)), b"between")
        if chance.random() < 0.02:
            # A new message inside an unfinished one.
            out += frame(opcode, piece)
    return out


def _unmasked(opcode: int, payload: bytes) -> bytes:
    return bytes((0x80 | opcode, min(len(payload), 125))) + payload[:125]


def _long_way(chance: random.Random, opcode: int, payload: bytes) -> bytes:
    """Write the length in a longer form than necessary, or with a non-zero mask."""
    payload = payload[:MAX_WRITE]
    if chance.random() < 0.5:
        return bytes((0x80 | opcode, 255)) + len(payload).to_bytes(8, "big") + b"\0\0\0\0" + payload
    key = chance.randbytes(4)
    masked = bytes(byte ^ key[index & 3] for index, byte in enumerate(payload[:100]))
    return bytes((0x80 | opcode, 128 | len(masked))) + key + masked if len(masked) < 126 else b""
