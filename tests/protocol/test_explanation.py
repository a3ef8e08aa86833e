"""Refusals of malformed commands name the place, what is expected and what was found, in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from cornered.protocol.codec import JSON, ProtocolError
from cornered.protocol.commands import COMMAND, ClientMessage
from cornered.protocol.explanation import MAX_TEXT, kinds_of
from cornered.protocol.messages import MESSAGE, ServerMessage
from tests.protocol.conftest import COMMANDS, check_each, refusal

PLAY = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}
SAY = {"type": "say", "id": "c1", "match": "m1", "text": "hi", "room": "players"}
SEEK = {"type": "create_seek", "id": "c1"}
GAME = {"name": "quoridor", "options": {"size": 5}}
DECLARE = {"type": "declare", "id": "c1", "concurrency": 1}
CLOCKS = '"correspondence", "delay", "fischer", "none" or "per_move"'


def seek(**settings: object) -> dict[str, object]:
    return SEEK | {"settings": {"game": GAME, **settings}}


def without(message: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != name}


def text_of(raw: object) -> str:
    """Return the text of the refusal of a message, of JSON text or of what is encoded as JSON."""
    return refusal(JSON, raw if isinstance(raw, str) else json.dumps(raw)).text


REFUSALS: tuple[tuple[object, str], ...] = (
    (PLAY | {"type": "plya"}, 'type: there is no message "plya"; did you mean `play`?'),
    (PLAY | {"type": "win"}, 'type: there is no message "win"; PROTOCOL.md lists them all'),
    (PLAY | {"type": 5}, "type: expected the name of a message, found 5"),
    (without(PLAY, "type"), 'type: missing; every message has one, such as "hello" or "play"'),
    (without(PLAY, "type") | {"tpye": "play"}, 'such as "hello" or "play"; did you mean `type` by "tpye"?'),
    ([PLAY], "a message is a map with a `type`; found a list"),
    (None, "a message is a map with a `type`; found null"),
    (PLAY | {"ply": "3"}, 'ply: expected integer 0 to 1000000, found "3"'),
    (PLAY | {"ply": 3.5}, "ply: expected integer 0 to 1000000, found 3.5"),
    (PLAY | {"ply": 10**400}, "ply: expected integer 0 to 1000000, found a very large number"),
    (PLAY | {"ply": True}, "ply: expected integer 0 to 1000000, found true"),
    (PLAY | {"ply": {}}, "ply: expected integer 0 to 1000000, found a map"),
    (without(PLAY, "move"), "move: missing; expected text of 1 to 16 characters"),
    (without(PLAY, "move") | {"mvoe": "e4"}, "mvoe: `play` has no such field; did you mean `move`?"),
    (PLAY | {"cheat": 1}, "cheat: `play` has no such field; the fields are id, match, ply, move"),
    (PLAY | {"move": "e" * 17}, "move: expected text of 1 to 16 characters, found text of 17 characters"),
    (PLAY | {"move": "e 4"}, 'move: expected text of 1 to 16 characters that matches ^[!-~]+$, found "e 4"'),
    (SAY | {"room": "player"}, 'room: expected "players" or "spectators", found "player"; did you mean `players`?'),
    (SAY | {"text": "\u200b"}, "text: there is nothing in it that can be seen"),
    ({"type": "hello", "kind": "Bot"}, 'kind: expected "person" or "bot", found "Bot"; did you mean `bot`?'),
    ({"type": "hello", "name": "a\x1bb"}, "name: a name must not hold a control character: U+001B"),
    (seek(clock={"kind": "fisher"}), f'clock.kind: expected {CLOCKS}, found "fisher"; did you mean `fischer`?'),
    (seek(clock={"initial": 60}), f"settings.clock.kind: missing; expected {CLOCKS}"),
    (seek(clock="5+3"), f'settings.clock: expected a map whose `kind` is {CLOCKS}, found "5+3"'),
    (seek(clock={"kind": "fischer"}), "settings.clock.initial: missing; expected integer 1 to 10800"),
    (
        seek(clock={"kind": "fischer", "initial": 9, "bonus": 1}),
        "settings.clock.bonus: there is no such field; the fields are kind, initial, increment",
    ),
    (
        seek(clock={"kind": "fischer", "initial": 9, "incremnt": 1}),
        "settings.clock.incremnt: there is no such field; did you mean `increment`?",
    ),
    (seek(game="quoridor"), 'settings.game: expected a map with the fields name, options, found "quoridor"'),
    (
        seek(game={"name": "quoridor", "options": {"size": "5"}}),
        'settings.game.options.size: expected integer -1000000 to 1000000 or true or false or null, found "5"',
    ),
    (
        seek(game={"name": "quoridor", "options": {"a b": 5}}),
        'settings.game.options: a key matches ^[A-Za-z0-9_-]+$, not "a b"',
    ),
    (
        seek(game={"name": "quoridor", "options": {"a" * 33: 5}}),
        f'settings.game.options: a key has at most 32 characters, not "{"a" * 33}"',
    ),
    (
        seek(game={"name": "quoridor", "options": {str(number): 5 for number in range(17)}}),
        "or true or false or null, at most 16, found a map of 17",
    ),
    (seek(privte=True), "settings.privte: there is no such field; did you mean `private`?"),
    (SEEK | {"settings": 5}, "settings: expected a map with the fields game, clock, seat, private, minimum, delay"),
    (DECLARE | {"accepts": 5}, "accepts: expected list of a map with the fields game, options, clocks, rated, at"),
    (
        DECLARE | {"accepts": [{"game": "bamboo", "clocks": ["fischer", "fisher"]}]},
        'accepts.0.clocks.1: expected "fischer", "delay", "per_move", "correspondence" or "none", found "fisher"; '
        "did you mean `fischer`?",
    ),
    (
        {"type": "ask_variation", "id": "c1", "match": "m1", "ply": 0, "moves": []},
        "moves: expected list of text of 1 to 16 characters, 1 to 24 of them, found a list of 0",
    ),
    ("{'type': 'play'}", "this is not JSON: key must be a string at line 1 column 2"),
    ('{"type": "play"', "this is not JSON: it ends inside an object at line 1 column 15"),
    ("{}{}", "this is not JSON: trailing characters at line 1 column 3"),
)


def test_a_refusal_says_where_the_mistake_is_and_what_belongs_there() -> None:
    texts = [(text_of(message), text) for message, text in REFUSALS]
    assert [(told, text) for told, text in texts if text not in told] == []


WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    7,
    2**40,
    10**30,
    1.5,
    float("inf"),
    "",
    "x",
    "a b",
    "\x1b[2J",
    "\u202e" * 30,
    "x" * 700,
    [],
    [5],
    ["x"] * 100,
    {},
    {"a b": 1},
    {"kind": "x"},
    {str(number): 1 for number in range(18)},
)
JARGON = re.compile(r"pydantic|[Ii]nput should|union|constrained|valid dictionary|function-|literal|\[key\]|model_")


def spoiled(value: Any, names: Iterable[str] | None = None) -> Iterator[Any]:
    """Yield a message, of which only `names` are spoiled, with each of its values replaced, left out, renamed and
    accompanied by another, one at a time."""
    if isinstance(value, dict):
        yield value | {"extra field": 1}
        for name in value if names is None else names:
            rest = without(value, name)
            yield rest
            yield rest | {f"{name}s": value[name]}
            yield from (value | {name: wrong} for wrong in (*WRONG, *spoiled(value[name])))
    elif isinstance(value, list):
        for at, inner in enumerate(value[:2]):
            yield from ([*value[:at], wrong, *value[at + 1 :]] for wrong in (*WRONG, *spoiled(inner)))


def check_words(message: Any) -> None:
    try:
        COMMAND.validate_json(json.dumps(message))
    except ValidationError as error:
        text = text_of(message)
        told = {one["msg"] for one in error.errors() if one["type"] not in ("forbidden_text", "json_invalid")}
        assert not any(one in text for one in told)
        assert JARGON.search(text) is None, text
        assert 0 < len(text) <= MAX_TEXT
        assert text.isprintable()
        assert re.match(r"[\w. -]+: |a message is a map|more than 20 things|this is not JSON", text), text


def test_no_word_of_the_validator_is_left_in_any_refusal(subtests: pytest.Subtests) -> None:
    for wrong in WRONG:
        check_words(wrong)
    seen = set[tuple[str, str, bool]]()

    def check(command: Any) -> None:
        message = json.loads(JSON.encode(command))
        # Many commands have the same fields, such as `id` and `match`; in what is empty there is nothing to spoil.
        fields = {(name, repr(type(command).model_fields[name]), bool(value)) for name, value in message.items()}
        names = [name for name, _, _ in sorted(fields - seen)]
        seen.update(fields)
        for wrong in spoiled(message, names):
            check_words(wrong)

    check_each(subtests, COMMANDS, 2, check)


SECRET = "correct horse battery"


def test_no_secret_is_repeated() -> None:
    for union, decode in ((ClientMessage, JSON.decode_command), (ServerMessage, JSON.decode_message)):
        secrets = [
            (kind, field)
            for kind, model in kinds_of(union).items()
            for field, info in model.model_fields.items()
            if not info.repr
        ]
        assert secrets
        for kind, field in secrets:
            # None of these is valid: too long, of another type, or a map with a field that is not there.
            for wrong in (SECRET * 200, [SECRET, 5], {SECRET[:7]: SECRET}):
                message = json.dumps({"type": kind, "id": "c1", field: wrong, "unknown": 1})
                assert SECRET not in told_by(decode, message), (kind, field)


def told_by(decode: Callable[[str], object], message: str) -> str:
    """Return the text of a refusal; empty where a message is understood."""
    try:
        decode(message)
    except ProtocolError as error:
        return error.text
    return ""


def test_of_a_secret_only_the_length_is_said() -> None:
    message = {"type": "register", "id": "c1", "name": "Ann", "password": "geheim"}
    assert text_of(message) == "password: expected text of 8 to 128 characters, found text of 6 characters"


def test_little_of_a_senders_text_is_repeated() -> None:
    text = text_of(PLAY | {"ply": "x" * 41})
    assert text == f'ply: expected integer 0 to 1000000, found "{"x" * 40}"...'
    assert len(text_of(PLAY | {"z" * 4000: 1})) < 150


def test_messages_of_the_server_are_explained_in_the_same_words() -> None:
    with pytest.raises(ProtocolError) as caught:
        JSON.decode_message('{"type": "pong", "id": "c1", "sent": 1, "now": "late"}')
    assert caught.value.text.startswith("now: expected integer")
    with pytest.raises(ProtocolError) as caught:
        JSON.decode_message('{"type": "pongs"}')
    assert "did you mean `pong`?" in caught.value.text


UNDERSTOOD = {
    "bool", "default", "dict", "float", "function-after", "function-before", "int", "literal", "model", "model-field",
    "model-fields", "no-info", "nullable", "str", "tagged-union", "tuple", "union",
}  # fmt: skip
"""The kinds of validators whose errors the explanation was made for."""


def test_every_kind_of_validator_of_the_messages_is_understood() -> None:
    found: set[str] = set()
    waiting: list[Any] = [COMMAND.core_schema, MESSAGE.core_schema]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            kind = schema.get("type")
            found |= {kind} if isinstance(kind, str) else set()
            waiting += [value for key, value in schema.items() if key != "metadata"]
        elif isinstance(schema, list | tuple):
            waiting += schema
    assert found - {"definitions", "definition-ref"} <= UNDERSTOOD
