"""Programs that are connected to several nodes as one bot, which are told of each other."""

from __future__ import annotations

import pytest

from tests.server.lobby_nodes import SOON, Client, cluster
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


def told(client: Client) -> list[str]:
    """Return what the notices of a second program say."""
    return [one["text"] for one in client.line.of("notice") if one["code"] == "also_here"]


async def test_two_programs_that_play_as_one_bot_on_two_nodes_are_told() -> None:
    async with cluster("a", "b", "c") as made:
        one = await made["a"].come("bot", kind="bot", instance="one")
        two = await made["b"].come("bot", kind="bot", instance="two")
        await after(SOON)
        for program in (one, two):
            (text,) = told(program)
            assert "another program plays as Bot" in text


@pytest.mark.parametrize(("first", "second"), [(None, "two"), ("one", None), (None, None)])
async def test_without_an_instance_the_second_program_alone_is_told(first: str | None, second: str | None) -> None:
    async with cluster("a", "b") as made:
        one = await made["a"].come("bot", kind="bot", instance=first)
        two = await made["b"].come("bot", kind="bot", instance=second)
        await after(SOON)
        assert told(one) == []
        (text,) = told(two)
        assert "Bot has another connection; if it is another program's" in text


async def test_connections_of_one_program_to_two_nodes_and_people_are_not_told() -> None:
    async with cluster("a", "b") as made:
        clients = [await made[name].come("bot", kind="bot", instance="one") for name in "ab"]
        clients += [await made[name].come("ann", instance=name) for name in "ab"]
        await after(SOON)
        assert [told(client) for client in clients] == [[]] * 4


async def test_a_program_that_went_before_the_answer_came_is_not_told() -> None:
    async with cluster("a", "b") as made:
        one = await made["a"].come("bot", kind="bot", instance="one")
        made.network.delay("a", "b", 1.0)
        two = await made["b"].come("bot", kind="bot", instance="two")
        two.leave()
        await after(2.0)
        assert told(two) == []
        assert len(told(one)) == 1
