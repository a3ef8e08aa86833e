"""Messages survive encoding and decoding, and invalid input is a ProtocolError: through both codecs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any, Final, get_args

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BeforeValidator

from cornered.protocol.codec import CODECS, JSON, MAX_CONTAINERS, MAX_FRAME, MSGPACK, Codec, ProtocolError
from cornered.protocol.commands import Play
from cornered.protocol.events import Played, UnknownEvent
from cornered.protocol.messages import Happened, Pong
from cornered.protocol.values import Clocks, Value
from tests.protocol.conftest import A_COMMAND, BOTH, COMMANDS, MESSAGES, check_each, pack, refusal

PLAY = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}


def test_every_command_arrives_as_it_was_sent(subtests: pytest.Subtests) -> None:
    def check(command: Any) -> None:
        assert [codec.decode_command(codec.encode(command)) for codec in BOTH] == [command, command]

    check_each(subtests, COMMANDS, 4, check)


def test_every_message_arrives_as_it_was_sent(subtests: pytest.Subtests) -> None:
    def check(message: Any) -> None:
        assert [codec.decode_message(codec.encode(message)) for codec in BOTH] == [message, message]

    check_each(subtests, MESSAGES, 4, check)


@settings(max_examples=60)
@given(command=A_COMMAND)
def test_a_command_arrives_as_text_as_bytes_and_packed(command: Any) -> None:
    raw = JSON.encode(command)
    assert JSON.decode_command(raw.decode()) == JSON.decode_command(raw) == command
    assert MSGPACK.decode_command(MSGPACK.encode(command)) == command


def read_or_refused(decode: Callable[[Any], Value], raw: bytes | str) -> Value | ProtocolError:
    try:
        return decode(raw)
    except ProtocolError as error:
        return error


@settings(max_examples=300)
@given(raw=st.binary(max_size=200))
def test_random_bytes_are_no_other_error_than_a_protocol_error(raw: bytes) -> None:
    # Hypothesis also draws byte strings of imported modules, some of which are messages.
    for codec in BOTH:
        for decode in (codec.decode_command, codec.decode_message):
            assert isinstance(read_or_refused(decode, raw), Value | ProtocolError)


@settings(max_examples=200)
@given(raw=st.text(max_size=200))
def test_random_text_is_no_other_error_than_a_protocol_error(raw: str) -> None:
    for codec in BOTH:
        assert isinstance(read_or_refused(codec.decode_command, raw), Value | ProtocolError)


@settings(max_examples=60)
@given(command=A_COMMAND, data=st.data())
def test_a_truncated_frame_is_a_protocol_error(command: Any, data: st.DataObject) -> None:
    for codec in BOTH:
        raw = codec.encode(command)
        refusal(codec, raw[: data.draw(st.integers(0, len(raw) - 1))])


@settings(max_examples=160)
@given(codec=st.sampled_from(BOTH), command=A_COMMAND, data=st.data())
def test_a_mutated_frame_is_read_or_refused(codec: Codec, command: Any, data: st.DataObject) -> None:
    raw = bytearray(codec.encode(command))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw)))
        match data.draw(st.sampled_from(["set", "insert", "delete"])):
            case "set" if place < len(raw):
                raw[place] = data.draw(st.integers(0, 255))
            case "insert":
                raw[place:place] = data.draw(st.binary(max_size=9))
            case _:
                del raw[place : place + 3]
    try:
        decoded = codec.decode_command(bytes(raw))
    except ProtocolError:
        return
    assert codec.decode_command(codec.encode(decoded)) == decoded


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def is_normalised(part: object) -> bool:
    """Return whether a type, or a type within it, changes what is sent before it is checked."""
    return isinstance(part, BeforeValidator) or any(map(is_normalised, get_args(part)))


@settings(max_examples=80)
@given(command=A_COMMAND, data=st.data(), value=ANYTHING)
def test_a_field_of_a_wrong_type_is_refused_or_was_right(command: Any, data: st.DataObject, value: Any) -> None:
    fields = json.loads(JSON.encode(command))
    fields[data.draw(st.sampled_from(sorted(fields)))] = value
    for codec in BOTH:
        try:
            decoded = codec.decode_command(pack(codec, fields))
        except ProtocolError:
            continue
        model = type(decoded).model_fields
        normalised = {name for name in model if is_normalised(model[name].rebuild_annotation())}
        taken = {
            name: sent for name, sent in fields.items() if name not in normalised or not isinstance(sent, str | list)
        }
        assert json.loads(JSON.encode(decoded)).items() >= taken.items()


@given(value=ANYTHING)
def test_anything_that_is_no_message_is_refused(value: Any) -> None:
    for codec in BOTH:
        refusal(codec, pack(codec, value))


def test_a_wrong_field_is_refused_and_named_with_the_commands_id(subtests: pytest.Subtests) -> None:
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"cheat": True}, "malformed", "cheat"),
        ({"type": "win"}, "unknown_type", ""),
        *(({"ply": ply}, "malformed", "ply") for ply in ("3", 3.0, True, None, -1, 10**7, [3], {"ply": 3})),
    ]
    for codec, (changed, code, text) in itertools.product(BOTH, wrong):
        with subtests.test(codec=codec.subprotocol, changed=changed):
            error = refusal(codec, pack(codec, PLAY | changed))
            assert (error.code, error.command_id) == (code, "c1")
            assert error.text.startswith(text)


def test_an_unusable_id_is_refused_and_only_echoed_when_it_is_short_text(subtests: pytest.Subtests) -> None:
    for codec, name in itertools.product(BOTH, ("", "x" * 41, "a b", "a\n", "é", 7, None)):
        with subtests.test(codec=codec.subprotocol, name=name):
            error = refusal(codec, pack(codec, PLAY | {"id": name}))
            assert error.code == "malformed"
            assert error.command_id in (None, name)
            assert error.command_id is None or len(error.command_id) <= 40


def test_a_frame_above_the_limit_is_refused_before_it_is_read() -> None:
    for codec in BOTH:
        line = "x" * MAX_FRAME
        assert refusal(codec, pack(codec, {"type": "say", "text": line})).code == "too_large"
        exact = pack(codec, PLAY | {"move": "x" * (MAX_FRAME - len(pack(codec, PLAY | {"move": "x" * 1000})) + 1000)})
        assert len(exact) == MAX_FRAME
        assert refusal(codec, exact).code == "malformed"


def test_deep_nesting_is_too_deep_also_inside_a_message(subtests: pytest.Subtests) -> None:
    for depth in (9, 400, 1500, 4000):
        inside, packed = "[" * depth + "]" * depth, b"\x91" * depth + b"\x01"
        deep: list[tuple[Codec, str | bytes]] = [(JSON, inside), (MSGPACK, packed)]
        if depth < 4000:
            deep += [(JSON, json.dumps(PLAY)[:-1] + f', "extra": {inside}}}'), (MSGPACK, b"\x81\xa5extra" + packed)]
        for codec, raw in deep:
            with subtests.test(depth=depth, raw=raw[:9]):
                assert refusal(codec, raw).code == "too_deep"
                with pytest.raises(ProtocolError):
                    codec.decode_message(raw)


def test_a_message_holds_at_most_so_many_maps_and_arrays() -> None:
    accepts = {"game": "a", "options": {f"k{number}": [1] for number in range(16)}}
    most = {"type": "declare", "id": "c1", "accepts": [accepts] * 16, "concurrency": 1}
    for codec in BOTH:
        assert codec.decode_command(pack(codec, most)).type == "declare"
        # The message itself and the array are two more levels.
        assert refusal(codec, pack(codec, PLAY | {"z": [[]] * (MAX_CONTAINERS - 2)})).text.startswith("z: ")
        error = refusal(codec, pack(codec, PLAY | {"z": [[]] * (MAX_CONTAINERS - 1)}))
        assert (error.code, error.text) == ("malformed", "a message holds at most 512 maps and arrays")


def test_of_a_few_errors_and_of_an_array_the_first_is_explained() -> None:
    moves = {"type": "ask_variation", "id": "c1", "match": "m1", "ply": 0, "moves": ["e4", *[""] * 1_000]}
    for codec in BOTH:
        for unknown, text in ((20, "z0: "), (21, "more than 20 things are wrong")):
            error = refusal(codec, pack(codec, PLAY | {f"z{number}": 1 for number in range(unknown)}))
            assert (error.code, error.command_id) == ("malformed", "c1")
            assert error.text.startswith(text)
        assert refusal(codec, pack(codec, moves)).text.startswith("moves.1: ")


def test_brackets_in_text_are_no_nesting_even_in_broken_text() -> None:
    for text in ('"[[[[[[[[[[', '"\\"[[[[[[[[[[', '"\\\\", "[[[[[[[[[["', '"[[[[[[[[[[\\'):
        assert refusal(JSON, text).text.startswith("this is not JSON: ")
    say = {"type": "say", "id": "c1", "match": "m1", "room": "players", "text": '[[[[[[[[[["\\{{{{{{'}
    assert JSON.decode_command(json.dumps(say)).model_dump() == say


FOREIGN_JSON: Final[tuple[str | bytes, ...]] = (
    json.dumps(PLAY).replace("3", "9" * 8000),
    json.dumps(PLAY).replace("3", "9" * 4000),
    json.dumps(PLAY).replace("3", "NaN"),
    json.dumps(PLAY).replace("3", "Infinity"),
    json.dumps(PLAY).replace("3", "1e3"),
    json.dumps(PLAY).replace("e4", "\\ud800"),
    json.dumps(PLAY) + json.dumps(PLAY),
    json.dumps([PLAY]),
    "",
    "null",
    "\ufeff" + json.dumps(PLAY),
    "\ud800",
    json.dumps(PLAY).encode() + b"\xff",
    b"\xff\xfe",
    json.dumps(PLAY).encode("utf-16"),
    json.dumps(PLAY).encode().replace(b"e4", b"\xc3("),
    b"\x00" * 50,
)
FOREIGN_MSGPACK: Final[tuple[str | bytes, ...]] = (
    b"",
    b"\xc1",
    msgpack.packb(PLAY) + b"\x00",
    msgpack.packb(PLAY | {"ply": msgpack.ExtType(5, b"x")}),
    msgpack.packb(PLAY | {"ply": msgpack.Timestamp(1, 2)}),
    msgpack.packb(PLAY).replace(b"ply\x03", b"ply\xd5\xff\x01\x02"),
    msgpack.packb(PLAY | {"ply": float("nan")}),
    msgpack.packb(PLAY | {"ply": 2**64 - 1}),
    msgpack.packb(PLAY | {"move": b"e4"}),
    msgpack.packb({name.encode(): value for name, value in PLAY.items()}),
    msgpack.packb({1: 2}),
    msgpack.packb({None: 2, (1, 2): 3}),
    msgpack.packb(PLAY).replace(b"\xa2e4", b"\xa2\xff\xff"),
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xffabc",
    b"\xc9\xff\xff\xff\xff\x05abc",
    json.dumps(PLAY),
)


def test_what_is_none_of_our_messages_is_refused(subtests: pytest.Subtests) -> None:
    for codec, rows in ((JSON, FOREIGN_JSON), (MSGPACK, FOREIGN_MSGPACK)):
        for row, raw in enumerate(rows):
            with subtests.test(codec=codec.subprotocol, row=row, raw=raw[:40]):
                assert refusal(codec, raw).code in ("malformed", "unknown_type")
                with pytest.raises(ProtocolError):
                    codec.decode_message(raw)


BINARY: Final[tuple[tuple[bytes, str], ...]] = (
    (msgpack.packb(PLAY)[:-1], "this is not msgpack: it ends inside a value"),
    (msgpack.packb(PLAY) + b"\x00\x00", "this is not msgpack: 2 bytes follow after the end of the message"),
    (msgpack.packb({1: 2}), "this is not msgpack: a key of a map is no text"),
    (msgpack.packb(PLAY).replace(b"\xa2e4", b"\xa2\xff\xff"), "this is not msgpack: a text in it is not UTF-8"),
    (b"\x81\xc1", "this is not msgpack: a byte in it begins no value"),
    (json.dumps(PLAY).encode(), "this is JSON; the subprotocol cornered.v1.json takes it, in text messages"),
    (msgpack.packb(PLAY | {"move": b"e4"}), "move: expected text of 1 to 16 characters, found bytes"),
    (msgpack.packb(PLAY | {"move": msgpack.ExtType(5, b"x")}), "move: expected text of 1 to 16 characters, found"),
)


def test_it_is_said_what_is_wrong_with_binary_messages(subtests: pytest.Subtests) -> None:
    for raw, reason in BINARY:
        with subtests.test(reason):
            assert refusal(MSGPACK, raw).text.startswith(reason)


def test_a_message_of_the_server_may_have_fields_that_the_client_does_not_know() -> None:
    pong = {"type": "pong", "id": "c1", "sent": 1, "now": 2, "later": {"more": [1]}}
    for codec in BOTH:
        assert codec.decode_message(pack(codec, pong)) == Pong(id="c1", sent=1, now=2)


def test_of_a_repeated_key_the_last_counts_in_both_codecs() -> None:
    text = json.dumps(PLAY)[:-1] + ', "move": "a1"}'
    packed = msgpack.packb(PLAY)
    packed = bytes([packed[0] + 1]) + packed[1:] + msgpack.packb("move") + msgpack.packb("a1")
    played = Play(id="c1", match="m1", ply=3, move="a1")
    assert JSON.decode_command(text) == played
    assert MSGPACK.decode_command(packed) == played


def test_the_text_of_a_refusal_is_never_long() -> None:
    for codec in BOTH:
        assert len(refusal(codec, pack(codec, PLAY | {"z" * 4000: 1})).text) <= 300
        assert len(refusal(codec, pack(codec, PLAY | {"type": "z" * 4000})).text) <= 300


def test_each_codec_is_found_by_its_subprotocol() -> None:
    assert {name: codec.is_text for name, codec in CODECS.items()} == {
        "cornered.v1.json": True,
        "cornered.v1.msgpack": False,
    }


def test_a_client_ignores_the_fields_and_the_events_of_a_later_server() -> None:
    played = Played(seq=2, at=5, seat=0, cause="c1", ply=0, move="a4", spent=1, left=(None, None))
    clocks = Clocks(left=(None, None), at=5, running=None)
    known = Happened(match="m1", events=(played,), position="x", ply=1, to_move=1, clocks=clocks)
    raw = known.model_dump(mode="json")
    later = {"type": "sneezed", "seq": 3, "at": 6, "by": {"seat": 1}}
    told = raw | {"mood": "calm", "events": [raw["events"][0] | {"heat": 3}, later]}
    for codec in BOTH:
        read = codec.decode_message(pack(codec, told))
        assert isinstance(read, Happened)
        assert read.events == (played, UnknownEvent(seq=3, at=6, type="sneezed"))
        assert read.model_copy(update={"events": known.events}) == known


def test_a_known_event_with_a_missing_field_is_no_unknown_one() -> None:
    clocks = {"left": [None, None], "at": 5, "running": None}
    told = {"type": "happened", "match": "m1", "position": "x", "ply": 1, "to_move": 1, "clocks": clocks}
    told["events"] = [{"type": "played", "seq": 2, "at": 5}]
    for codec in BOTH:
        with pytest.raises(ProtocolError, match="events"):
            codec.decode_message(pack(codec, told))
