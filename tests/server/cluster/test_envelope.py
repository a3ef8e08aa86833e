"""Batches between nodes: a round trip, and a refusal of every other input."""

from __future__ import annotations

import hmac

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.server.cluster.envelope import (
    MAX_BATCH_BYTES,
    BadBatch,
    Batch,
    decode_message,
    encode_message,
    node_key,
    open_batch,
    route_bytes,
    seal_batch,
)
from cornered.server.cluster.messages import NotOwned, Summaries
from cornered.server.cluster.ports import Node

KEY = node_key(b"s" * 32)
ONE, TWO = Node("one", "i-1", "here:1"), Node("two", "i-2", "here:2")
ROUTE = route_bytes(ONE, TWO)
SEALED = seal_batch(KEY, ROUTE, 7, 1, [b"{}", b"[]"])


def fault_of(raw: bytes, here: Node = TWO) -> str:
    with pytest.raises(BadBatch) as refused:
        open_batch(KEY, here, raw)
    return refused.value.fault


def signed(fields: object) -> bytes:
    body: bytes = msgpack.packb(fields)
    return hmac.digest(KEY, body, "sha256") + body


@given(
    st.integers(0, 2**63), st.integers(0, 2**63), st.lists(st.binary(max_size=300), max_size=20), st.text(max_size=40)
)
def test_a_batch_is_opened_as_it_was_sealed(counter: int, losses: int, messages: list[bytes], name: str) -> None:
    sender = Node(name, "i", "")
    raw = seal_batch(KEY, route_bytes(sender, TWO), counter, losses, messages)
    assert open_batch(KEY, TWO, raw) == Batch(name, "i", counter, losses, tuple(messages))


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_a_batch_with_any_changed_byte_is_forged(place: int, change: int) -> None:
    changed = bytearray(SEALED)
    changed[place] ^= change
    assert fault_of(bytes(changed)) == "forged"


@given(st.binary(max_size=200))
def test_any_other_bytes_are_forged(raw: bytes) -> None:
    assert fault_of(raw) == "forged"


def test_the_size_is_checked_before_the_signature() -> None:
    assert fault_of(b"x" * (MAX_BATCH_BYTES + 1)) == "oversized"
    assert fault_of(b"x" * MAX_BATCH_BYTES) == "forged"


def test_keys_of_other_stores_are_others() -> None:
    assert len({node_key(secret) for secret in (b"s" * 32, b"t" * 32)}) == 2
    assert node_key(b"s" * 32) != b"s" * 32


def test_a_batch_for_another_node_or_start_is_foreign() -> None:
    for here in (Node("three", "i-2", ""), Node("two", "i-3", ""), ONE):
        assert fault_of(SEALED, here) == "foreign"


GOOD = [1, "one", "i-1", "two", "i-2", 7, 1, [b"{}"]]


def test_what_another_version_signs_is_malformed_and_so_is_what_is_no_msgpack() -> None:
    assert open_batch(KEY, TWO, signed(GOOD)).messages == (b"{}",)

    def changed(at: int, field: object) -> list[object]:
        return [*GOOD[:at], field, *GOOD[at + 1 :]]

    fields: list[object] = [None, {}, GOOD[:-1], [*GOOD, 1], changed(0, 2), changed(1, 1), changed(2, None)]
    fields += [changed(5, "7"), changed(5, True), changed(6, 1.0), changed(7, b"{}"), changed(7, ["{}"])]
    assert [one for one in fields if fault_of(signed(one)) != "malformed"] == []
    for body in (b"", b"\xc1", b"\x98", signed(GOOD)[32:] + b"\x00", b"\x91" * 5000):
        assert fault_of(hmac.digest(KEY, body, "sha256") + body) == "malformed", body


def test_a_message_is_read_as_it_was_written_and_validated() -> None:
    for message in (NotOwned(match="m"), Summaries(ended=("m", "n"))):
        assert decode_message(encode_message(message)) == message
    for raw in (b"", b"{}", b"[[[[[[", b'{"type":"not_owned"}', b'{"type":"not_owned","match":1}'):
        with pytest.raises(BadBatch, match="malformed"):
            decode_message(raw)
