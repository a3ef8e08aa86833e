"""The timer that stops compiled searches."""

from __future__ import annotations

import threading

import pytest

from cornered.bots.kernels.timer import deadline_timer


def test_an_alarm_rings_in_another_thread_when_the_time_is_over() -> None:
    rang_in: list[int] = []
    rang = threading.Event()

    def ring() -> None:
        rang_in.append(threading.get_ident())
        rang.set()

    with deadline_timer(0.01, ring):
        assert rang.wait(30)
    assert rang_in != [threading.get_ident()]
    assert len(rang_in) == 1


def test_an_alarm_whose_time_is_over_has_rung_before_the_block_begins() -> None:
    for remaining in (0.0, -1.0):
        rings: list[str] = []
        with deadline_timer(remaining, lambda rings=rings: rings.append("rung")):  # type: ignore[misc]
            assert rings == ["rung"]
        assert rings == ["rung"]


@pytest.mark.parametrize("remaining", [None, 600.0])
def test_an_alarm_leaves_neither_a_ring_nor_a_thread_behind(remaining: float | None) -> None:
    rings: list[str] = []
    before = threading.active_count()
    with deadline_timer(remaining, lambda: rings.append("rung")):
        assert threading.active_count() == before + (remaining is not None)
    assert threading.active_count() == before
    with pytest.raises(ZeroDivisionError), deadline_timer(remaining, lambda: rings.append("rung")):
        raise ZeroDivisionError
    assert threading.active_count() == before
    assert not rings


def test_an_unsettled_search_gets_more_time_and_no_more_than_the_extension() -> None:
    asked: list[None] = []
    rang = threading.Event()

    def is_unsettled() -> bool:
        asked.append(None)
        return len(asked) < 4

    with deadline_timer(0.01, rang.set, 600.0, is_unsettled):
        assert rang.wait(30)
    assert len(asked) == 4
    rang.clear()
    with deadline_timer(0.01, rang.set, 0.05, lambda: True):
        assert rang.wait(30)


def test_the_end_of_the_search_ends_its_extension() -> None:
    is_asked = threading.Event()
    before = threading.active_count()

    def is_unsettled() -> bool:
        is_asked.set()
        return True

    with deadline_timer(0.01, lambda: None, 600.0, is_unsettled):
        assert is_asked.wait(30)
    assert threading.active_count() == before
