"""One port serves the page, the plain answers and the sockets."""

from __future__ import annotations

from typing import Any

import pytest
from protocol.codec import JSON, MSGPACK
from protocol.messages import Happened


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_two_clients_play_to_the_end_while_a_third_watches(
    running: Any, pair: Any, play_out: Any, codec: Any
) -> None:
    async with (
        running.client("Ann", codec) as ann,
        running.client("Ben", codec) as ben,
        running.client("Cas") as cas,
    ):
        match = await pair(ann, ben)
        await cas.join(match)
        seen = await play_out(match, (ann, ben))
        assert seen[-1].events[-1].type == "ended"
        watched = [await cas.hear(Happened) for _ in seen]
        assert [event.seq for happened in watched for event in happened.events] == list(
            range(2, seen[-1].events[-1].seq + 1)
        )
