"""What is kept for the outside while it cannot be told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from server.adapters.feed import Feed, Publication


def everything(feed: Feed) -> Iterator[Publication]:
    while (publication := feed.take()) is not None:
        yield publication


def sequence_numbers(publications: list[Publication]) -> list[int]:
    return [json.loads(each.payload)["seq"] for each in publications if each.topic.endswith("/events")]


def test_a_full_queue_loses_the_oldest_events_and_the_numbers_show_it(sample: Any) -> None:
    feed = Feed(max_events=10)
    feed.match(sample.happened("m", sample.started("m")))
    for seq in range(2, 101):
        feed.match(sample.happened("m", sample.played(seq)))
    told = list(everything(feed))
    assert sequence_numbers(told) == list(range(91, 101))
    assert json.loads(told[-1].payload)["seq"] == 100
    assert len(told) == 11


def test_events_come_before_the_state_that_they_led_to(sample: Any) -> None:
    feed = Feed()
    feed.match(sample.happened("m", sample.started("m")))
    feed.match(sample.happened("m", sample.played(2)))
    assert [each.topic.rpartition("/")[2] for each in everything(feed)] == ["events", "events", "state"]


def test_a_state_that_was_not_told_comes_again_as_it_is_then(sample: Any) -> None:
    feed = Feed()
    feed.match(sample.happened("m", sample.started("m")))
    *_, state = everything(feed)
    feed.match(sample.happened("m", sample.played(2)))
    feed.put_back(state)
    *_, again = everything(feed)
    assert json.loads(again.payload)["seq"] == 2


def test_the_end_of_a_match_that_was_not_told_comes_again(sample: Any) -> None:
    feed = Feed()
    feed.match(sample.happened("m", sample.started("m"), sample.ended(2)))
    *_, cleared = everything(feed)
    assert (cleared.payload, cleared.retain) == (b"", True)
    feed.repeat()
    assert list(everything(feed)) == []
    feed.put_back(cleared)
    assert list(everything(feed)) == [cleared]


def test_repeating_tells_the_states_of_all_live_matches_and_of_no_others(sample: Any) -> None:
    feed = Feed()
    for name in ("a", "b", "c"):
        feed.match(sample.happened(name, sample.started(name)))
    feed.match(sample.happened("b", sample.ended(2)))
    list(everything(feed))
    feed.repeat()
    assert sorted(each.match or "" for each in everything(feed)) == ["a", "c"]


async def test_waiting_ends_when_there_is_something_to_take(sample: Any) -> None:
    feed = Feed()
    assert feed.take() is None
    feed.match(sample.happened("m", sample.started("m")))
    await feed.wait()
    assert feed.take() is not None
