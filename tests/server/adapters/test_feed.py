"""The feed's buffer while the bus is down."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cornered.protocol.events import Started
from cornered.protocol.messages import LobbyChanged, LobbyState, Snapshot
from cornered.protocol.values import Presence, SeatInfo
from cornered.server.adapters.feed import Feed, Publication
from tests.server.adapters.conftest import Sample


def snapshot(match: str, sample: Sample) -> Snapshot:
    started = sample.started(match)
    assert isinstance(started, Started)
    happened = sample.happened(match, started)
    return Snapshot(
        id=None,
        match=match,
        seq=8,
        game=started.game,
        title="TrapGrid",
        clock=started.clock,
        seats=tuple(SeatInfo(player=player) for player in started.players),
        seat=None,
        position="position-8",
        ply=7,
        to_move=0,
        moves=(),
        clocks=happened.clocks,
        connected=(True, True),
        watchers=0,
        commitment=started.commitment,
        private=False,
        delay=0,
        has_draws=False,
        draw_offer=None,
        takeback=None,
        rematch=(),
        over=False,
        winner=None,
        reason=None,
        seed=None,
        next=None,
    )


def everything(feed: Feed) -> Iterator[Publication]:
    while (publication := feed.take()) is not None:
        yield publication


def sequence_numbers(publications: list[Publication]) -> list[int]:
    return [json.loads(each.payload)["seq"] for each in publications if each.topic.endswith("/events")]


def begun(sample: Sample, *matches: str, max_events: int = 10_000) -> Feed:
    """Return a feed to which these matches were told to have started."""
    feed = Feed(max_events=max_events)
    for match in matches:
        feed.match(sample.happened(match, sample.started(match)))
    return feed


def test_a_full_queue_loses_the_oldest_events_and_the_numbers_show_it(sample: Sample) -> None:
    feed = begun(sample, "m", max_events=10)
    for seq in range(2, 101):
        feed.match(sample.happened("m", sample.played(seq)))
    told = list(everything(feed))
    assert sequence_numbers(told) == list(range(91, 101))
    assert json.loads(told[-1].payload)["seq"] == 100
    assert len(told) == 11


def test_events_come_before_their_state_which_comes_again_as_it_is_then_if_it_was_not_told(sample: Sample) -> None:
    feed = begun(sample, "m")
    feed.match(sample.happened("m", sample.played(2)))
    *_, state = told = list(everything(feed))
    assert [each.topic.rpartition("/")[2] for each in told] == ["events", "events", "state"]
    feed.match(sample.happened("m", sample.played(3)))
    feed.put_back(state)
    *_, again = everything(feed)
    assert json.loads(again.payload)["seq"] == 3


def test_the_end_of_a_match_that_was_not_told_comes_again(sample: Sample) -> None:
    feed = begun(sample, "m")
    list(everything(feed))
    feed.match(sample.happened("m", sample.ended(2)))
    *_, cleared = everything(feed)
    assert (cleared.payload, cleared.retain) == (b"", True)
    feed.repeat()
    assert list(everything(feed)) == []
    feed.put_back(cleared)
    assert list(everything(feed)) == [cleared]


def test_repeating_tells_the_states_of_all_live_matches_and_of_no_others(sample: Sample) -> None:
    feed = begun(sample, "a", "b", "c")
    feed.match(sample.happened("b", sample.ended(2)))
    list(everything(feed))
    feed.repeat()
    assert sorted(each.match or "" for each in everything(feed)) == ["a", "c"]


def test_a_match_that_came_and_went_untold_leaves_nothing_to_clear(sample: Sample) -> None:
    feed = Feed(max_events=1)
    for number in range(100):
        feed.match(sample.happened(f"m{number}", sample.started(f"m{number}"), sample.ended(2)))
    assert [each.topic.rpartition("/")[2] for each in everything(feed)] == ["events"]


def test_a_match_that_goes_on_from_before_is_cleared_at_its_end_even_if_untold(sample: Sample) -> None:
    feed = Feed()
    feed.match(snapshot("m", sample))
    feed.match(sample.happened("m", sample.ended(9)))
    *_, cleared = everything(feed)
    assert (cleared.match, cleared.payload, cleared.retain) == ("m", b"", True)


def test_the_lobby_comes_again_when_it_was_not_told_or_may_be_lost(sample: Sample) -> None:
    feed = Feed()
    for _ in range(3):
        feed.lobby(LobbyState(id="lobby", seeks=(), matches=(), players=(Presence(player=sample.anna, playing=0),)))
        feed.lobby(LobbyChanged(players_gone=("bert",)))
    state, change = everything(feed)
    assert (state.retain, state.expires, change.retain) == (True, True, False)
    feed.put_back(change)
    assert list(everything(feed)) == []
    feed.put_back(state)
    assert list(everything(feed)) == [state]
    feed.repeat()
    assert list(everything(feed)) == [state]


def test_words_about_the_lobby_that_wait_are_bounded(sample: Sample) -> None:
    feed = Feed()
    for number in range(1_000):
        feed.lobby(LobbyChanged(players_gone=(f"p{number}",)))
    told = [json.loads(one.payload)["players_gone"] for one in everything(feed)]
    assert told == [[f"p{number}"] for number in range(900, 1_000)]


async def test_waiting_ends_when_there_is_something_to_take(sample: Sample) -> None:
    feed = Feed()
    assert feed.take() is None
    feed.match(sample.happened("m", sample.started("m")))
    await feed.wait()
    assert feed.take() is not None
