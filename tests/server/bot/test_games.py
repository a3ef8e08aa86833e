"""A bot's games and requests, from the events of its matches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cornered.protocol.bot_reports import MAX_REQUESTS, BotIncident
from cornered.protocol.events import Ended, MatchEvent, Played, Resumed, Started, TakenBack
from cornered.protocol.values import Clock, Fischer, GameSpec, NoClock, Player, Reason
from cornered.server.bot.games import game_of, requests_of, seat_of
from cornered.server.match.dice import commitment_of
from cornered.server.match.match import Match, Patience
from cornered.server.match.plies import Plies

ANN = Player(id="ann", name="Ann", kind="person")
BOT = Player(id="bot", name="Crusher", kind="bot")
SPEC = GameSpec(name="trapgrid", options={"size": 3})
SEED = b"s" * 32


def match_of(
    *moves: tuple[str, int, int], reason: Reason = "resignation", clock: Clock | None = None
) -> list[MatchEvent]:
    """Return the events of a match that Ann begins: moves with the time that each took and left; Ann wins it."""
    clock = clock or Fischer(initial=60, increment=1)
    first = match_begins(clock)
    events: list[MatchEvent] = [first]
    left: list[int | None] = [None, None] if isinstance(clock, NoClock) else [60_000, 60_000]
    for ply, (move, spent, rest) in enumerate(moves):
        if not isinstance(clock, NoClock):
            left[ply % 2] = rest
        events.append(
            Played(
                seq=len(events) + 1, at=1_000 * ply, seat=ply % 2, cause=f"c{ply}", ply=ply, move=move, spent=spent,
                left=tuple(left),
            )
        )  # fmt: skip
    events.append(Ended(seq=len(events) + 1, at=99_000, winner=0, places=(1, 2), reason=reason, seed=SEED.hex()))
    return events


def match_begins(clock: Clock) -> Started:
    return Started(
        seq=1, at=0, match="m1", game=SPEC, players=(ANN, BOT), clock=clock, commitment=commitment_of(SEED)
    )  # fmt: skip


def replayed(events: list[MatchEvent]) -> Match:
    return Match.replay(events, SEED, Patience())


def test_a_game_has_the_bots_own_moves_and_times() -> None:
    events = match_of(("b3", 5_000, 56_000), ("b1", 200, 60_800), ("a3", 0, 57_000), ("a1", 900, 60_900))
    game = game_of(events, "bot")
    assert (game.match, game.moves, game.total, game.longest) == ("m1", 2, 1_100, 900)
    assert (game.result, game.reason, game.lost_on_time, game.opponents) == ("loss", "resignation", False, (ANN,))
    assert game_of(events, "ann").result == "win"
    with pytest.raises(ValueError, match="no finished match of eve"):
        game_of(events, "eve")
    with pytest.raises(ValueError, match="no finished match"):
        game_of(events[:-1], "bot")


def test_only_the_seat_whose_flag_fell_has_lost_on_time() -> None:
    events = match_of(("b3", 5_000, 56_000), reason="time")
    assert game_of(events, "bot").lost_on_time
    assert not game_of(events, "ann").lost_on_time


def test_requests_have_the_position_and_the_clock_before_each_answer() -> None:
    events = match_of(("b3", 5_000, 56_000), ("b1", 200, 60_800), ("a3", 0, 57_000), ("a1", 900, 60_900))
    match = replayed(events)
    found = requests_of(match, events, "bot", (), id="c").requests
    assert [(one.ply, one.answer, one.left, one.spent) for one in found] == [
        (1, "b1", 60_000, 200),
        (3, "a1", 60_800, 900),
    ]
    assert [one.position for one in found] == [match.plies.text_at(1), match.plies.text_at(3)]
    assert [one.ply for one in requests_of(match, events, "bot", (), id="c", since=2).requests] == [3]
    assert seat_of(events, "eve") is None


def test_the_request_that_the_bot_left_unanswered_has_its_failure() -> None:
    events = match_of(("b3", 5_000, 56_000))
    crash = BotIncident(at=5, kind="crash", text="ValueError: no", match="m1", ply=1, limit=1_200)
    other = BotIncident(at=6, kind="crash", text="elsewhere", match="m2", ply=1)
    last = requests_of(replayed(events), events, "bot", (other, crash), id="c").requests[-1]
    assert (last.ply, last.answer, last.limit, last.failure) == (1, None, 1_200, "crash: ValueError: no")
    # Ann is not to move: she was asked nothing more.
    assert [one.ply for one in requests_of(replayed(events), events, "ann", (), id="c").requests] == [0]


def test_what_was_taken_back_is_no_request() -> None:
    clock = NoClock()
    events: list[MatchEvent] = match_of(("b3", 1, 0), ("b1", 2, 0), clock=clock)[:-1]
    events.append(TakenBack(seq=4, at=3, seat=1, cause="t", ply=0, left=(None, None)))
    events.append(Resumed(seq=5, at=4, refunded=0))
    again = match_of(("a3", 3, 0), ("a1", 4, 0), clock=clock)[1:]
    events += [event.model_copy(update={"seq": event.seq + 4}) for event in again]
    found = requests_of(replayed(events), events, "bot", (), id="c").requests
    assert [(one.ply, one.answer, one.left) for one in found] == [(1, "a1", None)]
    assert game_of(events, "bot").total == 4


def test_long_matches_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_REQUESTS == 100
    monkeypatch.setattr("cornered.server.bot.games.MAX_REQUESTS", 1)
    events = match_of(("b3", 1, 60_000), ("b1", 2, 60_000), ("a3", 3, 60_000), ("a1", 4, 60_000))
    match = replayed(events)
    first = requests_of(match, events, "bot", (), id="c")
    assert ([one.ply for one in first.requests], first.more) == ([1], 3)
    second = requests_of(match, events, "bot", (), id="c", since=3)
    assert ([one.ply for one in second.requests], second.more) == ([3], None)


def test_positions_behind_a_page_are_not_written_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.bot.games.MAX_REQUESTS", 1)
    events = match_of(("b3", 1, 60_000), ("b1", 2, 60_000), ("a3", 3, 60_000), ("a1", 4, 60_000))
    match = replayed(events)
    asked: list[int] = []

    class Counted(Plies):
        def text_at(self, ply: int) -> str:
            asked.append(ply)
            return super().text_at(ply)

    plies = Counted(match.plies._states, match.plies._moves, match.plies._texts, match.plies._lefts, match.plies.ply)
    assert requests_of(replace(match, plies=plies), events, "ann", (), id="c").more == 2
    assert asked == [0, 2]


def test_a_takeback_of_a_takeback_leaves_the_moves_before_both() -> None:
    clock = NoClock()
    events: list[MatchEvent] = match_of(("b3", 1, 0), ("b1", 2, 0), ("a3", 3, 0), clock=clock)[:-1]
    events.append(TakenBack(seq=5, at=3, seat=1, cause="t", ply=2, left=(None, None)))
    events.append(TakenBack(seq=6, at=3, seat=1, cause="u", ply=1, left=(None, None)))
    last = match_of(("b3", 1, 0), ("b1", 7, 0), clock=clock)
    events += [event.model_copy(update={"seq": event.seq + 4}) for event in last[2:]]
    assert (game_of(events, "bot").total, game_of(events, "ann").total) == (7, 1)
