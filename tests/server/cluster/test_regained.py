"""A node whose lease ran out for a moment, unnoticed by the others, serves its matches to all nodes again."""

from __future__ import annotations

import pytest

from tests.server.nodes import TableOwnership
from tests.server.runtime.test_match_mirror import SOON, cluster
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


def lapse_and_renew(ownership: TableOwnership) -> None:
    """Lose every slot by the node's own clock, and get them back with the same epochs before another node looks."""
    assert ownership.observer is not None
    owned = list(ownership.owned())
    ownership.known = {}
    ownership.observer.lost(owned)
    ownership.learn()


async def test_clients_of_other_nodes_are_told_on_after_a_lease_that_ran_out_for_a_moment() -> None:
    async with cluster("a", "b") as made:
        a, b = made.nodes["a"], made.nodes["b"]
        match = await made.open()
        ann, at_a = await made.join(a, "ann", match)
        _, at_b = await made.join(b, "ben", match)
        lapse_and_renew(a.ownership)
        await after(5.0)
        await made.do(a, ann, made.play(match, 0))
        await after(5.0 + SOON)
        # The refund of the time without an owner, and the move.
        assert at_a.seqs() == at_b.seqs() == [2, 3]
