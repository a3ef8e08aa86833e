"""Whatever names a command that waits is its answer, whichever class the server says it with."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cornered.clients.sdk import Refused
from cornered.clients.sdk.backoff import jittered
from cornered.clients.sdk.escaping import escaped
from cornered.clients.sdk.link import Link
from cornered.protocol import messages
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import Command, Hello, Ping
from cornered.protocol.messages import ServerMessage, Welcome
from tests.protocol.conftest import COMMANDS, MESSAGES, model

ANSWERS = [kind for kind in MESSAGES if "id" in kind.model_fields and kind is not messages.Refused]
ORDERS = [kind for kind in COMMANDS if kind is not Hello]
SOON = 1.0


class Silent:
    """Somebody behind a link who takes note of nothing."""

    def hello(self) -> Hello:
        return Hello()

    def welcomed(self, welcome: Welcome) -> list[Command]:
        return []

    def receive(self, message: ServerMessage) -> None:
        pass


def answer_to(command: Command, message: ServerMessage) -> ServerMessage:
    """Return what `ask` returns when the server answers a command with this."""

    async def ask() -> ServerMessage:
        link = Link("ws://127.0.0.1:1", Silent(), jittered)
        asking = asyncio.ensure_future(link.ask(command))
        await asyncio.sleep(0)
        link._take(MSGPACK.encode(message))
        async with asyncio.timeout(SOON):
            return await asking

    return asyncio.run(ask())


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__name__)
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_message_with_the_id_of_a_command_settles_it(kind: Any, data: st.DataObject) -> None:
    message = data.draw(model(kind)).model_copy(update={"id": "c.1"})
    assert answer_to(Ping(id="c.1"), message) == escaped(message)


@pytest.mark.parametrize("kind", ORDERS, ids=lambda kind: kind.__name__)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_command_is_settled_by_an_answer_and_by_a_refusal(kind: Any, data: st.DataObject) -> None:
    command = data.draw(model(kind))
    done = messages.Acknowledged(id=command.id)
    assert answer_to(command, done) == done
    with pytest.raises(Refused, match="later"):
        answer_to(command, messages.Refused(id=command.id, code="busy", text="later"))


def test_there_are_answers_and_commands_to_go_over() -> None:
    assert messages.SeekInfo in ANSWERS
    assert len(ANSWERS) > 8
    assert len(ORDERS) > 30
