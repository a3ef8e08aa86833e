"""MQTT's fixed header: packets are found whole, however the bytes arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.bench.faults.mqtt_packets import PacketSplitter, is_publication


def packet(kind: int, body: bytes) -> bytes:
    """Return a control packet with its length as a variable byte integer."""
    length, digits = len(body), b""
    while True:
        length, digit = divmod(length, 128)
        digits += bytes([digit | (0x80 if length else 0)])
        if not length:
            return bytes([kind << 4]) + digits + body


@given(
    st.lists(st.tuples(st.integers(1, 15), st.sampled_from([0, 1, 127, 128, 16_383, 16_384])), max_size=6), st.data()
)
def test_packets_come_out_whole_however_they_are_cut(kinds: list[tuple[int, int]], data: st.DataObject) -> None:
    packets = [packet(kind, bytes(size)) for kind, size in kinds]
    stream = b"".join(packets)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    splitter = PacketSplitter()
    found: list[bytes] = []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += splitter.feed(stream[begin:end])
    assert found == packets
    assert splitter.rest == b""


def test_only_type_3_is_a_publication() -> None:
    assert [kind for kind in range(1, 16) if is_publication(packet(kind, b""))] == [3]


def test_a_length_of_five_bytes_is_no_mqtt() -> None:
    with pytest.raises(ValueError, match="no MQTT"):
        PacketSplitter().feed(b"\x30\x80\x80\x80\x80\x01")
