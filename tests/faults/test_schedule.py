"""The schedule is a function of its seed, and no two faults hold one thing at once."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.bench.faults.schedule import KINDS, STOPPING, Fault, Shape, schedule

ONE = Shape(("n1",), ("n1>broker", "clients>n1"), has_broker=True, has_database=False, has_clocks=True, has_disks=True)
TWO = Shape(
    ("n1", "n2"),
    ("n1>broker", "n1>database", "n2>broker", "n2>database", "clients>n1", "clients>n2", "clients>all"),
    has_broker=True,
    has_database=True,
    has_clocks=True,
    has_disks=False,
)


def test_a_seed_makes_one_schedule() -> None:
    assert schedule(1, 60.0, 50, TWO) == schedule(1, 60.0, 50, TWO)
    assert schedule(1, 60.0, 50, TWO) != schedule(2, 60.0, 50, TWO)


@pytest.mark.parametrize("shape", [ONE, TWO])
def test_every_possible_kind_occurs_in_the_short_version(shape: Shape) -> None:
    possible = {name for name in KINDS if shape.targets(name)}
    assert {fault.kind for fault in schedule(3, 75.0, len(possible) + 2, shape)} == possible


def test_what_an_installation_lacks_is_left_alone() -> None:
    bare = Shape(("n1",), ("clients>n1",), has_broker=False, has_database=False, has_clocks=False, has_disks=False)
    made = schedule(1, 300.0, 200, bare)
    assert {fault.target for fault in made} == {"n1", "clients>n1"}
    assert not {"disk", "clock", "kill database", "duplicate"} & {fault.kind for fault in made}


@given(st.integers(0, 10_000), st.sampled_from([ONE, TWO]), st.integers(1, 250))
def test_no_two_faults_stop_one_process_at_once(seed: int, shape: Shape, faults: int) -> None:
    made = schedule(seed, faults * 1.5, faults, shape)
    assert [fault.number for fault in made] == list(range(1, faults + 1))
    assert all(one.at <= two.at for one, two in itertools.pairwise(made))
    stopped: dict[str, Fault] = {}
    for fault in made:
        if fault.kind in STOPPING:
            before = stopped.get(fault.target)
            assert before is None or before.at + before.seconds <= fault.at
            stopped[fault.target] = fault
        low, high = KINDS[fault.kind].seconds
        assert low <= fault.seconds <= high
        assert fault.target in shape.targets(fault.kind)
