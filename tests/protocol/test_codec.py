"""Messages survive encoding and decoding, and invalid input is a ProtocolError: through both codecs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

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

PLAY = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}


def pack(codec: Codec, value: Any) -> str | bytes:
    """Return any value encoded by the codec."""
    return json.dumps(value) if codec.is_text else msgpack.packb(value)


def refusal(codec: Codec, raw: str | bytes) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        codec.decode_command(raw)
    return caught.value


@settings(max_examples=8)
@given(data=st.data())
def test_every_command_arrives_as_it_was_sent(codec: Codec, each_command: Any, data: st.DataObject) -> None:
    command = data.draw(each_command)
    assert codec.decode_command(codec.encode(command)) == command


@settings(max_examples=5)
@given(data=st.data())
def test_every_message_arrives_as_it_was_sent(codec: Codec, each_message: Any, data: st.DataObject) -> None:
    message = data.draw(each_message)
    assert codec.decode_message(codec.encode(message)) == message


@given(data=st.data())
def test_text_frames_and_their_bytes_mean_the_same(commands: Any, data: st.DataObject) -> None:
    raw = JSON.encode(data.draw(commands))
    assert JSON.decode_command(raw.decode()) == JSON.decode_command(raw)


def read_or_refused(decode: Callable[[Any], Value], raw: bytes | str) -> Value | ProtocolError:
    try:
        return decode(raw)
    except ProtocolError as error:
        return error


@settings(max_examples=300)
@given(raw=st.binary(max_size=200))
def test_random_bytes_are_no_other_error_than_a_protocol_error(codec: Codec, raw: bytes) -> None:
    # Hypothesis also draws byte strings of imported modules, some of which are messages.
    for decode in (codec.decode_command, codec.decode_message):
        assert isinstance(read_or_refused(decode, raw), Value | ProtocolError)


@settings(max_examples=200)
@given(raw=st.text(max_size=200))
def test_random_text_is_no_other_error_than_a_protocol_error(codec: Codec, raw: str) -> None:
    assert isinstance(read_or_refused(codec.decode_command, raw), Value | ProtocolError)


@given(data=st.data())
def test_a_truncated_frame_is_a_protocol_error(codec: Codec, commands: Any, data: st.DataObject) -> None:
    raw = codec.encode(data.draw(commands))
    refusal(codec, raw[: data.draw(st.integers(0, len(raw) - 1))])


@settings(max_examples=120)
@given(data=st.data())
def test_a_mutated_frame_is_read_or_refused(codec: Codec, commands: Any, data: st.DataObject) -> None:
    raw = bytearray(codec.encode(data.draw(commands)))
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
@given(data=st.data(), value=ANYTHING)
def test_a_field_of_a_wrong_type_is_refused_or_was_right(
    codec: Codec, commands: Any, data: st.DataObject, value: Any
) -> None:
    fields = json.loads(JSON.encode(data.draw(commands)))
    fields[data.draw(st.sampled_from(sorted(fields)))] = value
    try:
        decoded = codec.decode_command(pack(codec, fields))
    except ProtocolError:
        return
    model = type(decoded).model_fields
    normalised = {name for name in model if is_normalised(model[name].rebuild_annotation())}
    taken = {name: sent for name, sent in fields.items() if name not in normalised or not isinstance(sent, str | list)}
    assert json.loads(JSON.encode(decoded)).items() >= taken.items()


@given(value=ANYTHING)
def test_anything_that_is_no_message_is_refused(codec: Codec, value: Any) -> None:
    refusal(codec, pack(codec, value))


def test_an_unknown_field_is_refused_and_named(codec: Codec) -> None:
    error = refusal(codec, pack(codec, PLAY | {"cheat": True}))
    assert (error.code, error.command_id) == ("malformed", "c1")
    assert "cheat" in error.text


def test_an_unknown_type_is_refused_with_the_commands_id(codec: Codec) -> None:
    error = refusal(codec, pack(codec, PLAY | {"type": "win"}))
    assert (error.code, error.command_id) == ("unknown_type", "c1")


@pytest.mark.parametrize("ply", ["3", 3.0, True, None, -1, 10**7, [3], {"ply": 3}])
def test_a_ply_that_is_no_small_whole_number_is_refused(codec: Codec, ply: object) -> None:
    error = refusal(codec, pack(codec, PLAY | {"ply": ply}))
    assert (error.code, error.command_id) == ("malformed", "c1")
    assert error.text.startswith("ply")


@pytest.mark.parametrize("name", ["", "x" * 41, "a b", "a\n", "é", 7, None])
def test_an_unusable_id_is_refused_and_only_echoed_when_it_is_short_text(codec: Codec, name: object) -> None:
    error = refusal(codec, pack(codec, PLAY | {"id": name}))
    assert error.code == "malformed"
    assert error.command_id in (None, name)
    assert error.command_id is None or len(error.command_id) <= 40


def test_a_frame_above_the_limit_is_refused_before_it_is_read(codec: Codec) -> None:
    line = "x" * MAX_FRAME
    assert refusal(codec, pack(codec, {"type": "say", "text": line})).code == "too_large"
    exact = pack(codec, PLAY | {"move": "x" * (MAX_FRAME - len(pack(codec, PLAY | {"move": "x" * 1000})) + 1000)})
    assert len(exact) == MAX_FRAME
    assert refusal(codec, exact).code == "malformed"


@pytest.mark.parametrize("depth", [9, 400, 1500, 4000])
def test_deep_nesting_is_too_deep(codec: Codec, depth: int) -> None:
    raw: str | bytes = "[" * depth + "]" * depth if codec.is_text else b"\x91" * depth + b"\x01"
    assert refusal(codec, raw).code == "too_deep"
    with pytest.raises(ProtocolError):
        codec.decode_message(raw)


@pytest.mark.parametrize("depth", [9, 400, 1500])
def test_deep_nesting_inside_a_message_is_too_deep(codec: Codec, depth: int) -> None:
    inside = "[" * depth + "]" * depth
    raw: str | bytes = json.dumps(PLAY)[:-1] + f', "extra": {inside}}}'
    if not codec.is_text:
        raw = b"\x81\xa5extra" + b"\x91" * depth + b"\x01"
    assert refusal(codec, raw).code == "too_deep"
    with pytest.raises(ProtocolError):
        codec.decode_message(raw)


def test_a_message_holds_at_most_so_many_maps_and_arrays(codec: Codec) -> None:
    accepts = {"game": "a", "options": {f"k{number}": [1] for number in range(16)}}
    most = {"type": "declare", "id": "c1", "accepts": [accepts] * 16, "concurrency": 1}
    assert codec.decode_command(pack(codec, most)).type == "declare"
    # The message itself and the array are two more levels.
    assert refusal(codec, pack(codec, PLAY | {"z": [[]] * (MAX_CONTAINERS - 2)})).text.startswith("z: ")
    error = refusal(codec, pack(codec, PLAY | {"z": [[]] * (MAX_CONTAINERS - 1)}))
    assert (error.code, error.text) == ("malformed", "a message holds at most 512 maps and arrays")


@pytest.mark.parametrize(("unknown", "is_explained"), [(20, True), (21, False)])
def test_of_a_few_errors_the_first_is_explained(codec: Codec, unknown: int, is_explained: bool) -> None:
    error = refusal(codec, pack(codec, PLAY | {f"z{number}": 1 for number in range(unknown)}))
    assert (error.code, error.command_id) == ("malformed", "c1")
    assert error.text.startswith("z0: " if is_explained else "more than 20 things are wrong")


def test_of_an_array_the_first_wrong_item_is_explained(codec: Codec) -> None:
    moves = ["e4", *[""] * 1_000]
    error = refusal(codec, pack(codec, {"type": "ask_variation", "id": "c1", "match": "m1", "ply": 0, "moves": moves}))
    assert error.text.startswith("moves.1: ")


@pytest.mark.parametrize("text", ['"[[[[[[[[[[', '"\\"[[[[[[[[[[', '"\\\\", "[[[[[[[[[["', '"[[[[[[[[[[\\'])
def test_brackets_in_broken_text_are_no_nesting_either(text: str) -> None:
    assert refusal(JSON, text).text.startswith("this is not JSON: ")


def test_brackets_in_text_are_no_nesting() -> None:
    say = {"type": "say", "id": "c1", "match": "m1", "room": "players", "text": '[[[[[[[[[["\\{{{{{{'}
    assert JSON.decode_command(json.dumps(say)).model_dump() == say


@pytest.mark.parametrize(
    "raw",
    [
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
    ],
)
def test_json_that_is_none_of_ours_is_refused(raw: str | bytes) -> None:
    assert refusal(JSON, raw).code in ("malformed", "unknown_type")
    with pytest.raises(ProtocolError):
        JSON.decode_message(raw)


@pytest.mark.parametrize(
    "raw",
    [
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
    ],
)
def test_msgpack_that_is_none_of_ours_is_refused(raw: str | bytes) -> None:
    assert refusal(MSGPACK, raw).code in ("malformed", "unknown_type")
    with pytest.raises(ProtocolError):
        MSGPACK.decode_message(raw)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (msgpack.packb(PLAY)[:-1], "this is not msgpack: it ends inside a value"),
        (msgpack.packb(PLAY) + b"\x00\x00", "this is not msgpack: 2 bytes follow after the end of the message"),
        (msgpack.packb({1: 2}), "this is not msgpack: a key of a map is no text"),
        (msgpack.packb(PLAY).replace(b"\xa2e4", b"\xa2\xff\xff"), "this is not msgpack: a text in it is not UTF-8"),
        (b"\x81\xc1", "this is not msgpack: a byte in it begins no value"),
        (json.dumps(PLAY).encode(), "this is JSON; the subprotocol cornered.v1.json takes it, in text messages"),
        (msgpack.packb(PLAY | {"move": b"e4"}), "move: expected text of 1 to 16 characters, found bytes"),
        (msgpack.packb(PLAY | {"move": msgpack.ExtType(5, b"x")}), "move: expected text of 1 to 16 characters, found"),
    ],
)
def test_it_is_said_what_is_wrong_with_binary_messages(raw: bytes, reason: str) -> None:
    assert refusal(MSGPACK, raw).text.startswith(reason)


def test_a_message_of_the_server_may_have_fields_that_the_client_does_not_know(codec: Codec) -> None:
    pong = {"type": "pong", "id": "c1", "sent": 1, "now": 2, "later": {"more": [1]}}
    assert codec.decode_message(pack(codec, pong)) == Pong(id="c1", sent=1, now=2)


def test_of_a_repeated_key_the_last_counts_in_both_codecs() -> None:
    text = json.dumps(PLAY)[:-1] + ', "move": "a1"}'
    packed = msgpack.packb(PLAY)
    packed = bytes([packed[0] + 1]) + packed[1:] + msgpack.packb("move") + msgpack.packb("a1")
    played = Play(id="c1", match="m1", ply=3, move="a1")
    assert JSON.decode_command(text) == played
    assert MSGPACK.decode_command(packed) == played


def test_the_text_of_a_refusal_is_never_long(codec: Codec) -> None:
    assert len(refusal(codec, pack(codec, PLAY | {"z" * 4000: 1})).text) <= 300
    assert len(refusal(codec, pack(codec, PLAY | {"type": "z" * 4000})).text) <= 300


def test_each_codec_is_found_by_its_subprotocol() -> None:
    assert {name: codec.is_text for name, codec in CODECS.items()} == {
        "cornered.v1.json": True,
        "cornered.v1.msgpack": False,
    }


def test_a_client_ignores_the_fields_and_the_events_of_a_later_server(codec: Codec) -> None:
    played = Played(seq=2, at=5, seat=0, cause="c1", ply=0, move="a4", spent=1, left=(None, None))
    clocks = Clocks(left=(None, None), at=5, running=None)
    known = Happened(match="m1", events=(played,), position="x", ply=1, to_move=1, clocks=clocks)
    raw = known.model_dump(mode="json")
    later = {"type": "sneezed", "seq": 3, "at": 6, "by": {"seat": 1}}
    told = raw | {"mood": "calm", "events": [raw["events"][0] | {"heat": 3}, later]}
    read = codec.decode_message(pack(codec, told))
    assert isinstance(read, Happened)
    assert read.events == (played, UnknownEvent(seq=3, at=6, type="sneezed"))
    assert read.model_copy(update={"events": known.events}) == known


def test_a_known_event_with_a_missing_field_is_no_unknown_one(codec: Codec) -> None:
    clocks = {"left": [None, None], "at": 5, "running": None}
    told = {"type": "happened", "match": "m1", "position": "x", "ply": 1, "to_move": 1, "clocks": clocks}
    told["events"] = [{"type": "played", "seq": 2, "at": 5}]
    with pytest.raises(ProtocolError, match="events"):
        codec.decode_message(pack(codec, told))
