"""Slots are shared evenly among the living nodes, and few of them move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from hypothesis import given
from hypothesis import strategies as st

from cornered.server.cluster.assignment import LEASE_MS, expires_in, is_living, moves, part_of
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT

Owners = dict[int, str | None]
NAMES = st.sampled_from("abcdefg")


@st.composite
def clusters(draw: st.DrawFn) -> tuple[Owners, list[str]]:
    """A few slots with owners, of whom some may be gone, and the living nodes."""
    nodes = sorted(draw(st.sets(NAMES, min_size=1)))
    owners = draw(st.lists(st.none() | NAMES, max_size=40))
    return dict(enumerate(owners)), nodes


def shares(owners: Mapping[int, str | None], nodes: Collection[str]) -> list[int]:
    counted = Counter(owners.values())
    return [counted[name] for name in nodes]


@given(clusters())
def test_every_slot_has_a_living_owner_and_shares_differ_by_at_most_one(cluster: tuple[Owners, list[str]]) -> None:
    owners, nodes = cluster
    after = owners | moves(owners, nodes)
    assert set(after.values()) <= set(nodes)
    assert sum(shares(after, nodes)) == len(owners)
    assert max(shares(after, nodes)) - min(shares(after, nodes)) <= 1


@given(clusters())
def test_no_slot_moves_without_need(cluster: tuple[Owners, list[str]]) -> None:
    owners, nodes = cluster
    found = moves(owners, nodes)
    free = sum(owner not in nodes for owner in owners.values())
    # A node keeps all it can: the largest shares are cut to `share + 1` for as many nodes as may have that many.
    share, larger = divmod(len(owners), len(nodes))
    counts = sorted(shares(owners, nodes), reverse=True)
    surplus = sum(max(0, count - share - (rank < larger)) for rank, count in enumerate(counts))
    assert len(found) == free + surplus
    assert all(owners[slot] != target for slot, target in found.items())
    assert moves(owners | found, nodes) == {}


@given(clusters(), st.data())
def test_nodes_that_act_in_any_order_carry_out_the_same_moves(
    cluster: tuple[Owners, list[str]], data: st.DataObject
) -> None:
    owners, nodes = cluster
    planned = moves(owners, nodes)
    now = dict(owners)
    for name in data.draw(st.permutations(nodes)):
        part = part_of(name, now, nodes)
        assert part.takes == {slot for slot in planned if planned[slot] == name and owners[slot] not in nodes}
        assert part.hands == {slot: target for slot, target in planned.items() if owners[slot] == name}
        now |= dict.fromkeys(part.takes, name) | part.hands
    assert now == owners | planned


@given(clusters(), st.data())
def test_moves_that_stop_half_way_go_on_with_the_rest(cluster: tuple[Owners, list[str]], data: st.DataObject) -> None:
    owners, nodes = cluster
    planned = moves(owners, nodes)
    done = data.draw(st.sets(st.sampled_from(sorted(planned)))) if planned else set()
    rest = moves(owners | {slot: planned[slot] for slot in done}, nodes)
    assert rest == {slot: target for slot, target in planned.items() if slot not in done}


@given(st.lists(st.tuples(st.booleans(), NAMES), max_size=12))
def test_any_sequence_of_joins_and_deaths_stays_balanced(changes: list[tuple[bool, str]]) -> None:
    owners: Owners = dict.fromkeys(ALL_SLOTS)
    nodes: set[str] = set()
    for joins, name in changes:
        before = len(nodes)
        (nodes.add if joins else nodes.discard)(name)
        found = moves(owners, nodes)
        if nodes and before:
            # About one share, and those of nobody while there was no node.
            orphans = sum(owner not in nodes for owner in owners.values())
            assert len(found) <= max(orphans, -(-len(owners) // len(nodes)))
        owners |= found
        if nodes:
            assert max(shares(owners, nodes)) - min(shares(owners, nodes)) <= 1


def test_the_lobby_stays_where_it_is_when_a_node_joins_and_nothing_moves_without_nodes() -> None:
    owners: Owners = dict.fromkeys(ALL_SLOTS, "a")
    assert LOBBY_SLOT not in moves(owners, ["a", "b"])
    assert len(moves(owners, ["a", "b"])) == 512
    assert moves({0: None, 1: "a"}, []) == {}


def test_a_lease_expires_three_seconds_after_its_renewal() -> None:
    for seen, living in ((0, False), (1, True), (LEASE_MS, True)):
        assert is_living(seen, LEASE_MS) == living
        assert (expires_in(seen, LEASE_MS) > 0) == living
