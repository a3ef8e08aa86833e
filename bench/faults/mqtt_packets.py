"""Splits a stream of bytes into MQTT control packets, by their fixed headers (MQTT 5.0, section 2.1)."""

from __future__ import annotations

from typing import Final

__all__ = ["PacketSplitter", "is_publication"]

PUBLISH: Final = 3
MAX_LENGTH_BYTES: Final = 4


class PacketSplitter:
    """Returns each control packet once all of its bytes were fed."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the packets that end in `data`. Raises ValueError for a length that no packet can have."""
        buffer, start = self._rest + data, 0
        packets: list[bytes] = []
        while (size := _size(buffer, start)) is not None and start + size <= len(buffer):
            packets.append(buffer[start : start + size])
            start += size
        self._rest = buffer[start:]
        return packets

    @property
    def rest(self) -> bytes:
        """The bytes of a packet that is not complete."""
        return self._rest


def is_publication(packet: bytes) -> bool:
    """Return whether a packet is a PUBLISH."""
    return packet[0] >> 4 == PUBLISH


def _size(buffer: bytes, start: int) -> int | None:
    """Return the size of the packet at `start` with its header; None where the header is not complete."""
    length = 0
    for index in range(MAX_LENGTH_BYTES):
        position = start + 1 + index
        if position >= len(buffer):
            return None
        length |= (buffer[position] & 0x7F) << 7 * index
        if buffer[position] < 0x80:
            return 2 + index + length
    raise ValueError("this is no MQTT: a packet's length has more than four bytes")
