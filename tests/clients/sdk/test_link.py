"""A message with the id of a pending command is its answer, whatever its class."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings

from cornered.clients.sdk import CommandRefused, NotUnderstood
from cornered.clients.sdk.backoff import full_jitter
from cornered.clients.sdk.escaping import escaped
from cornered.clients.sdk.link import Link
from cornered.protocol import messages
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import AskGames, Command, Hello, Ping
from cornered.protocol.messages import Answer, ServerMessage, Unasked, Welcome
from tests.protocol.conftest import COMMANDS, MESSAGES, model

ANSWERS = [kind for kind in MESSAGES if "id" in kind.model_fields and kind is not messages.Refused]
ORDERS = [kind for kind in COMMANDS if kind is not Hello]
SOON = 1.0


class Silent:
    """A receiver behind a link that ignores all messages."""

    def hello(self) -> Hello:
        return Hello()

    def welcomed(self, welcome: Welcome) -> list[Command]:
        return []

    def receive(self, message: ServerMessage) -> None:
        pass

    def missed(self, match: str) -> None:
        pass


def answer_to(command: Command, message: ServerMessage) -> ServerMessage:
    """Return what `ask` returns when the server answers a command with this."""
    return answer_to_frame(command, MSGPACK.encode(message))


def answer_to_frame(command: Command, frame: bytes) -> ServerMessage:
    """Return what `ask` returns when the server answers a command with these bytes."""

    async def ask() -> ServerMessage:
        link = Link("ws://127.0.0.1:1", "127.0.0.1:1", Silent(), full_jitter)
        asking = asyncio.ensure_future(link.ask(command))
        await asyncio.sleep(0)
        link.receive(frame)
        async with asyncio.timeout(SOON):
            return await asking

    return asyncio.run(ask())


def test_every_message_with_the_id_of_a_command_settles_it(subtests: pytest.Subtests) -> None:
    for kind in ANSWERS:

        @settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
        @given(message=model(kind))
        def check(message: Any) -> None:
            answer = message.model_copy(update={"id": "c.1"})
            assert answer_to(Ping(id="c.1"), answer) == escaped(answer)

        with subtests.test(kind=kind.__name__):
            check()


def test_every_command_is_settled_by_an_answer_and_by_a_refusal(subtests: pytest.Subtests) -> None:
    for kind in ORDERS:
        with subtests.test(kind=kind.__name__):
            # A link that is not connected encodes nothing.
            command: Any = kind.model_construct(id="c.1")
            done = messages.Acknowledged(id=command.id)
            assert answer_to(command, done) == done
            with pytest.raises(CommandRefused, match="later"):
                answer_to(command, messages.Refused(id=command.id, code="busy", text="later"))


def test_an_answer_of_a_later_protocol_is_an_error_to_its_asker() -> None:
    for answer in (
        {"type": "a_later_answer", "id": "c.1"},
        {"type": "acknowledged", "id": "c.1", "seq": "a later kind of number"},
        {"type": "pong", "id": "c.1"},
    ):
        with pytest.raises(NotUnderstood, match="another version"):
            answer_to_frame(Ping(id="c.1"), msgpack.packb(answer))
    further = {"type": "acknowledged", "id": "c.1", "a_later_field": {"more": [1]}}
    assert answer_to_frame(Ping(id="c.1"), msgpack.packb(further)) == messages.Acknowledged(id="c.1")


def test_a_frame_without_the_id_of_a_command_settles_none() -> None:
    for frame in (msgpack.packb({"type": "a_later_message"}), msgpack.packb({"type": "pong", "id": "c.2"})):
        with pytest.raises(TimeoutError):
            answer_to_frame(Ping(id="c.1"), frame)


async def test_an_id_that_waits_for_its_answer_is_not_used_again() -> None:
    link = Link("ws://127.0.0.1:1", "127.0.0.1:1", Silent(), full_jitter)
    first = asyncio.ensure_future(link.ask(Ping(id="c.1")))
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="waits for its answer"):
        async with asyncio.timeout(SOON):
            await link.ask(AskGames(id="c.1"))
    pong = messages.Pong(id="c.1", sent=0, now=1)
    link.receive(MSGPACK.encode(pong))
    async with asyncio.timeout(SOON):
        assert await first == pong


def test_a_message_is_an_answer_exactly_if_it_has_the_id_of_a_command() -> None:
    assert set(get_args(Answer)) == set(ANSWERS)
    assert set(get_args(Answer)) | set(get_args(Unasked)) | {Welcome, messages.Refused} == set(MESSAGES)
    assert messages.SeekInfo in ANSWERS
    assert len(ANSWERS) > 8
    assert len(ORDERS) > 30
