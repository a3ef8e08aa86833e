"""The token bucket behind every limit."""

from __future__ import annotations

from server.allowance import Allowance


def test_a_burst_is_there_at_once_and_the_rate_for_ever() -> None:
    allowance = Allowance(rate=2, burst=3, now=0.0)
    assert [allowance.spend(0.0) for _ in range(4)] == [True, True, True, False]
    assert [allowance.spend(1.0), allowance.spend(1.0)] == [True, False]
    assert all(allowance.spend(2.0 + step) for step in range(100))


def test_who_waits_saves_up_a_burst_and_no_more() -> None:
    allowance = Allowance(rate=1, burst=2, now=0.0)
    assert [allowance.spend(1000.0) for _ in range(3)] == [True, True, False]


def test_debt_grows_to_hostility_and_no_further() -> None:
    allowance = Allowance(rate=1, burst=2, now=0.0)
    for _ in range(4):
        allowance.spend(0.0)
    assert not allowance.is_hostile
    for _ in range(1000):
        allowance.spend(0.0)
    assert allowance.is_hostile
    assert not allowance.spend(2.0)
    assert allowance.spend(10.0)
    assert not allowance.is_hostile
