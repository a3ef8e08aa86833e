"""Programs that are connected to several nodes as one bot, which are told of each other."""

from __future__ import annotations

import pytest

from tests.server.lobby_nodes import SOON, Client, Cluster
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


def told(client: Client) -> list[str]:
    """Return what the notices of a second program say."""
    return [one["text"] for one in client.line.of("notice") if one["code"] == "also_here"]


async def test_two_programs_that_play_as_one_bot_on_two_nodes_are_told(three: Cluster) -> None:
    one = await three["a"].come("bot", kind="bot", instance="one")
    two = await three["b"].come("bot", kind="bot", instance="two")
    await after(SOON)
    for program in (one, two):
        (text,) = told(program)
        assert "another program plays as Bot" in text


@pytest.mark.parametrize(("first", "second"), [(None, "two"), ("one", None), (None, None)])
async def test_without_an_instance_the_second_program_alone_is_told(
    two: Cluster, first: str | None, second: str | None
) -> None:
    one = await two["a"].come("bot", kind="bot", instance=first)
    other = await two["b"].come("bot", kind="bot", instance=second)
    await after(SOON)
    assert told(one) == []
    (text,) = told(other)
    assert "Bot has another connection; if it is another program's" in text


async def test_connections_of_one_program_to_two_nodes_and_people_are_not_told(two: Cluster) -> None:
    clients = [await two[name].come("bot", kind="bot", instance="one") for name in "ab"]
    clients += [await two[name].come("ann", instance=name) for name in "ab"]
    await after(SOON)
    assert [told(client) for client in clients] == [[]] * 4


async def test_a_program_that_went_before_the_answer_came_is_not_told(two: Cluster) -> None:
    one = await two["a"].come("bot", kind="bot", instance="one")
    two.network.delay("a", "b", 1.0)
    other = await two["b"].come("bot", kind="bot", instance="two")
    other.leave()
    await after(2.0)
    assert told(other) == []
    assert len(told(one)) == 1
