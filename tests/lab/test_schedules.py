"""Schedules: the pairings for all numbers of bots and all results, and their repetition after a resumption."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.contests.pairing import Entrant, bracket, can_be_paired, circle, rounds_for, swiss
from cornered.lab.contests.contest import Schedule
from cornered.lab.contests.schedule import Gauntlet, RoundRobin
from cornered.lab.contests.schedule_knockout import MAX_EXTRA_PAIRS, Knockout
from cornered.lab.contests.schedule_swiss import Swiss
from cornered.lab.contests.terms import Fixture, PlayedGame

Winner = Callable[[Fixture], int | None]


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot{number}" for number in range(count))


def opening(pair: int) -> tuple[str, ...]:
    return (f"opening{pair}",)


def strongest_wins(fixture: Fixture) -> int | None:
    """The bot with the larger number wins, in either seat."""
    first, second = (int(name.removeprefix("bot")) for name in fixture.players)
    return 0 if first > second else 1


def by_chance(seed: int, draws: float = 0.2) -> Winner:
    def winner(fixture: Fixture) -> int | None:
        chance = Random(f"{seed} {fixture.number} {fixture.players}")
        return None if chance.random() < draws else chance.randrange(2)

    return winner


def held(schedule: Schedule, winner: Winner) -> list[PlayedGame]:
    """Return all games of a contest with these results."""
    played: list[PlayedGame] = []
    for round_ in itertools.count():
        fixtures = schedule.fixtures(round_, played)
        if not fixtures:
            return played
        assert fixtures == schedule.fixtures(round_, played), "a contest that goes on repeats itself"
        played += [PlayedGame(fixture, (), winner(fixture), "rules") for fixture in fixtures]
    raise AssertionError


def met(played: Sequence[PlayedGame]) -> Counter[frozenset[str]]:
    return Counter(frozenset(game.fixture.players) for game in played)


def assert_numbered_in_pairs(played: Sequence[PlayedGame]) -> None:
    """Check that games are numbered in order, in pairs of the same opening with swapped seats."""
    assert [game.fixture.number for game in played] == list(range(len(played)))
    for _, games in itertools.groupby(played, lambda game: game.fixture.pair):
        first, second = (game.fixture for game in games)
        assert first.opening == second.opening
        assert first.players == second.players[::-1]


def test_in_a_round_robin_everybody_meets_everybody_in_both_seats_with_the_same_openings(
    subtests: pytest.Subtests,
) -> None:
    for count in range(2, 12):
        with subtests.test(count=count):
            schedule = RoundRobin(names(count), 4, opening)
            played = held(schedule, by_chance(1))
            assert len(played) == schedule.games() == count * (count - 1) // 2 * 4
            assert set(met(played).values()) == {4}
            assert len(met(played)) == count * (count - 1) // 2
            assert_numbered_in_pairs(played)
            seats = Counter((name, seat) for game in played for seat, name in enumerate(game.fixture.players))
            assert set(seats.values()) == {2 * (count - 1)}
            for meeting in met(played):
                openings = [game.fixture.opening for game in played if frozenset(game.fixture.players) == meeting]
                assert openings == [opening(0), opening(0), opening(1), opening(1)]


def test_a_bot_plays_once_in_a_round_of_the_circle(subtests: pytest.Subtests) -> None:
    for count in range(2, 12):
        with subtests.test(count=count):
            rounds = circle(count)
            assert len(rounds) == (count - 1 if count % 2 == 0 else count)
            for meetings in rounds:
                players = [player for meeting in meetings for player in meeting]
                assert len(players) == len(set(players)) == count - count % 2


def test_a_gauntlet_is_the_first_bots_against_all_others_only() -> None:
    schedule = Gauntlet(names(5), 2, opening, tested=2)
    played = held(schedule, by_chance(1))
    assert len(played) == schedule.games() == 12
    assert met(played) == {frozenset((a, b)): 2 for a in names(2) for b in names(5)[2:]}
    assert_numbered_in_pairs(played)


def test_a_swiss_tournament_of_two_to_the_rounds_finds_the_strongest(subtests: pytest.Subtests) -> None:
    for rounds in (1, 2, 3, 4):
        with subtests.test(rounds=rounds):
            count = 2**rounds
            assert rounds_for(count) == rounds
            for seed in range(10):
                bots = list(names(count))
                Random(seed).shuffle(bots)
                for each in (1, 2):
                    schedule = Swiss(tuple(bots), rounds, each, opening)
                    standing = schedule.standing(held(schedule, strongest_wins))
                    assert standing[0].name == f"bot{count - 1}"
                    assert standing[0].points == rounds
                    assert [place.points for place in standing].count(rounds) == 1


@given(
    count=st.integers(2, 11),
    share=st.floats(0.1, 1),
    each=st.integers(1, 3),
    seed=st.integers(0, 999),
    draws=st.floats(0, 1),
)
def test_a_swiss_tournament_never_repeats_a_meeting_and_shares_seats_and_byes(
    count: int, share: float, each: int, seed: int, draws: float
) -> None:
    """For half as many rounds as players this is always possible: by Dirac's theorem, a player who has met fewer than
    half of the others can be paired again."""
    rounds = max(1, round(share * ((count + 1) // 2)))
    schedule = Swiss(names(count), rounds, each, opening)
    played = held(schedule, by_chance(seed, draws))
    assert len(played) == schedule.games() == rounds * (count // 2) * each
    assert set(met(played).values()) == {each}
    standing = schedule.standing(played)
    assert sum(place.points for place in standing) == pytest.approx(rounds * (count + count % 2) / 2)
    assert max(place.byes for place in standing) <= 1
    for name in names(count):
        seats = [game.fixture.players.index(name) for game in played if name in game.fixture.players]
        assert abs(2 * sum(seats) - len(seats)) <= (3 if each % 2 else 0)


@given(count=st.integers(2, 7), rounds=st.integers(1, 9), each=st.integers(1, 2), seed=st.integers(0, 99))
def test_players_of_a_swiss_round_meet_again_only_where_that_cannot_be_avoided(
    count: int, rounds: int, each: int, seed: int
) -> None:
    played = held(Swiss(names(count), rounds, each, opening), by_chance(seed))
    for round_ in range(rounds):
        before = met([game for game in played if game.fixture.round < round_])
        now = met([game for game in played if game.fixture.round == round_])
        most = max(before[meeting] for meeting in now)
        fewest = next(again for again in itertools.count() if can_be_repeated(names(count), before, again))
        assert most == fewest


def can_be_repeated(players: tuple[str, ...], before: Counter[frozenset[str]], again: int) -> bool:
    """Return whether all players, except one with a bye, can be paired with players met at most `again` times."""
    rests = players if len(players) % 2 else (None,)
    for rest in rests:
        left = [player for player in players if player != rest]
        if can_be_paired(len(left), lambda a, b, left=left: before[frozenset((left[a], left[b]))] <= again):  # type: ignore[misc]
            return True
    return False


def test_swiss_rounds_share_openings_and_the_first_is_the_upper_half_against_the_lower() -> None:
    played = held(Swiss(names(6), 2, 4, opening), by_chance(1))
    for round_, openings in ((0, {opening(0), opening(1)}), (1, {opening(2), opening(3)})):
        assert {game.fixture.opening for game in played if game.fixture.round == round_} == openings
    meetings, bye = swiss([Entrant(name) for name in names(7)])
    assert [(a.name, b.name) for a, b in meetings] == [("bot0", "bot3"), ("bot4", "bot1"), ("bot2", "bot5")]
    assert bye is not None
    assert bye.name == "bot6"


def test_equal_points_meet_and_the_seats_follow_the_balance() -> None:
    entrants = [
        Entrant("a", 1.0, ("c",), (0,)),
        Entrant("b", 1.0, ("d",), (1,)),
        Entrant("c", 0.0, ("a",), (1,)),
        Entrant("d", 0.0, ("b",), (0,)),
    ]
    meetings, bye = swiss(entrants)
    assert [(a.name, b.name) for a, b in meetings] == [("b", "a"), ("c", "d")]
    assert bye is None


def test_a_pairing_that_would_leave_the_others_stuck_is_not_made() -> None:
    """Every pairing of a but one would leave c and d, who have met."""
    entrants = [Entrant("a"), Entrant("b"), Entrant("c", met=("d",)), Entrant("d", met=("c",))]
    entrants[0] = Entrant("a", met=("c",))
    meetings, _ = swiss(entrants)
    assert {frozenset((a.name, b.name)) for a, b in meetings} == {frozenset("ad"), frozenset("bc")}


def test_ties_in_a_swiss_tournament_are_broken_by_the_opponents_points() -> None:
    """Three rounds of four, worked by hand: bot3 beats all; bot2 beats bot1 and bot0; bot1 beats bot0."""
    schedule = Swiss(names(4), 3, 2, opening)
    standing = {place.name: place for place in schedule.standing(held(schedule, strongest_wins))}
    assert [standing[name].points for name in names(4)] == [0, 1, 2, 3]
    assert [standing[name].buchholz for name in names(4)] == [6, 5, 4, 3]
    assert [standing[name].sonneborn_berger for name in names(4)] == [0, 0, 1, 3]


def test_a_bye_is_a_point_won_against_an_equal() -> None:
    schedule = Swiss(names(3), 1, 2, opening)
    standing = schedule.standing(held(schedule, strongest_wins))
    assert [(place.name, place.points, place.byes, place.buchholz) for place in standing] == [
        ("bot2", 1, 1, 1),
        ("bot1", 1, 0, 0),
        ("bot0", 0, 0, 1),
    ]


def test_whether_all_can_be_paired_is_what_trying_everything_says(subtests: pytest.Subtests) -> None:
    for edges in range(4, 14):
        with subtests.test(edges=edges):
            """Graphs of eight vertices with few edges: many have odd cycles, which the matching has to contract."""
            chance = Random(edges)
            everybody = [(a, b) for a in range(8) for b in range(a + 1, 8)]
            for _ in range(150):
                chosen = set(chance.sample(everybody, edges))

                def by_trial(left: tuple[int, ...], chosen: set[tuple[int, int]] = chosen) -> bool:
                    if not left:
                        return True
                    return any(
                        (left[0], other) in chosen and by_trial(tuple(one for one in left[1:] if one != other))
                        for other in left[1:]
                    )

                assert can_be_paired(8, lambda a, b: (a, b) in chosen) == by_trial(tuple(range(8)))  # noqa: B023


def test_an_odd_number_cannot_be_paired_and_a_bracket_keeps_the_best_seeds_apart() -> None:
    assert not can_be_paired(3, lambda a, b: True)
    assert can_be_paired(0, lambda a, b: False)
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert bracket(5) == [0, None, 3, 4, 1, None, 2, None]
    assert bracket(1) == [0]


def test_a_knockout_ends_with_the_one_who_never_lost(subtests: pytest.Subtests) -> None:
    for count in range(2, 10):
        with subtests.test(count=count):
            schedule = Knockout(names(count), 2, opening)
            played = held(schedule, strongest_wins)
            meetings = schedule.meetings(played)
            assert len(meetings) == count - 1
            assert len(played) == 2 * (count - 1)
            assert meetings[-1].winner == f"bot{count - 1}"
            assert all(meeting.winner is not None and not meeting.is_by_seed for meeting in meetings)
            losers = [next(name for name in meeting.players if name != meeting.winner) for meeting in meetings]
            assert len(set(losers)) == count - 1
            assert_numbered_in_pairs(played)


def test_the_best_seeds_of_a_knockout_rest_in_the_first_round(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[int, list[int]], ...] = ((5, [1, 2, 1]), (6, [2, 2, 1]), (8, [4, 2, 1]))
    for count, rounds in rows:
        with subtests.test(count=count, rounds=rounds):
            schedule = Knockout(names(count), 2, opening)
            meetings = schedule.meetings(held(schedule, strongest_wins))
            by_round = [[meeting for meeting in meetings if meeting.round == round_] for round_ in range(3)]
            assert [len(listed) for listed in by_round] == rounds
            first = {name for meeting in by_round[0] for name in meeting.players}
            assert first == set(names(count)[8 - count :])


def test_a_tied_meeting_goes_on_by_pairs_with_new_openings_until_one_leads() -> None:
    """The first seat wins, up to the third pair, of which bot1 wins both games."""

    def winner(fixture: Fixture) -> int | None:
        return fixture.players.index("bot1") if fixture.pair == 2 else 0

    schedule = Knockout(names(2), 4, opening)
    played = held(schedule, winner)
    (meeting,) = schedule.meetings(played)
    assert len(played) == 6
    assert meeting.winner == "bot1"
    assert not meeting.is_by_seed
    assert [game.fixture.opening for game in played[::2]] == [opening(0), opening(1), opening(2)]
    assert_numbered_in_pairs(played)


def test_a_meeting_that_nothing_decides_goes_to_the_better_seed() -> None:
    schedule = Knockout(names(4), 2, opening)
    played = held(schedule, lambda fixture: None)
    meetings = schedule.meetings(played)
    assert [meeting.winner for meeting in meetings] == ["bot0", "bot1", "bot0"]
    assert all(meeting.is_by_seed for meeting in meetings)
    assert len(played) == 3 * (2 + 2 * MAX_EXTRA_PAIRS)


def test_only_the_tied_meetings_of_a_round_go_on() -> None:
    """bot0 and bot3 tie at first; bot2 beats bot1 at once, and waits for that decision."""

    def winner(fixture: Fixture) -> int | None:
        return None if set(fixture.players) == {"bot0", "bot3"} and fixture.number < 4 else strongest_wins(fixture)

    schedule = Knockout(names(4), 2, opening)
    played = held(schedule, winner)
    assert [set(game.fixture.players) for game in played[4:6]] == [{"bot0", "bot3"}] * 2
    assert [meeting.winner for meeting in schedule.meetings(played)] == ["bot3", "bot2", "bot3"]
    assert schedule.meetings(played[:4])[-1].winner == "bot2"
