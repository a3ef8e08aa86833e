"""A new version of a bot keeps its rating, which is as uncertain as a newcomer's again."""

from __future__ import annotations

import random

import pytest

from cornered.protocol.values import Player
from cornered.server.rating.ratings import NEW, PROVISIONAL_ABOVE, Rating, Result, rate, renewed
from cornered.server.rating.versions import LEAST_GAMES, MAX_VERSIONS

ANN, BOT = Player(id="ann", name="Ann", kind="person"), Player(id="bot", name="Bot", kind="bot")
OPPONENT = Rating(1_500, 80, 0.06, 100, 1)


def played(own: Rating, version: str | None, games: int = 1, score: float | None = None) -> Rating:
    """Return a bot's rating after games of a version against an established player, won and lost in turn."""
    for game in range(games):
        won = game % 2 if score is None else score
        result = Result("m", "trapgrid:blitz", (BOT, ANN), won, own.at + 1, versions=(version, None))
        own = rate(result, (own, OPPONENT))[0].after
    return own


def test_the_first_game_of_a_new_version_begins_with_the_rating_and_the_deviation_of_a_newcomer() -> None:
    old = played(NEW, "1.0", LEAST_GAMES)
    assert old.deviation < PROVISIONAL_ABOVE
    result = Result("m", "trapgrid:blitz", (BOT, ANN), 1.0, old.at + 1, versions=("2.0", None))
    change, other = rate(result, (old, OPPONENT))
    assert (change.before, change.deviation_before) == (old.rating, 350)
    assert change.after.deviation > PROVISIONAL_ABOVE
    assert change.after.renewed == LEAST_GAMES
    # The opponent loses less than against a bot whose strength is known.
    known = rate(Result("m", "trapgrid:blitz", (BOT, ANN), 1.0, old.at + 1), (old, OPPONENT))[1]
    assert known.after.rating < other.after.rating < other.before


def test_a_version_begins_anew_once_and_goes_on_when_it_comes_back() -> None:
    both = played(played(NEW, "1.0", LEAST_GAMES), "2.0", LEAST_GAMES)
    assert renewed(both, "1.0") == renewed(both, "2.0") == renewed(both, None) == both
    back = played(both, "1.0")
    assert back.renewed == both.renewed
    assert [(one.version, one.games) for one in back.versions] == [("2.0", LEAST_GAMES), ("1.0", LEAST_GAMES + 1)]


def test_a_version_that_comes_too_soon_after_the_last_one_goes_on(subtests: pytest.Subtests) -> None:
    for games in (0, 1, LEAST_GAMES - 1):
        with subtests.test(games=games):
            young = played(NEW, "1.0", games)
            assert renewed(young, "2.0") == young
            assert renewed(played(young, "1.0", LEAST_GAMES - games), "2.0").deviation == 350


def test_naming_a_version_for_each_game_moves_a_rating_no_more_often_than_one_that_is_named_once() -> None:
    own, renewals = NEW, 0
    chance = random.Random(3)
    for game in range(200):
        after = played(own, f"v{game}", score=float(chance.random() < 0.5))
        renewals += after.renewed != own.renewed
        own = after
    assert renewals == 200 // LEAST_GAMES - 1


def test_the_versions_with_the_newest_games_are_remembered() -> None:
    own = NEW
    for number in range(MAX_VERSIONS + 5):
        own = played(own, f"v{number}")
    assert [one.version for one in own.versions] == [f"v{number}" for number in range(5, MAX_VERSIONS + 5)]
    again = played(own, "v5")
    assert [one.version for one in again.versions] == [*(f"v{number}" for number in range(6, MAX_VERSIONS + 5)), "v5"]
    assert len(played(again, "new").versions) == MAX_VERSIONS


def test_a_version_keeps_its_games_and_the_rating_after_the_last_of_them() -> None:
    first = played(NEW, "1.0", 3, score=1.0)
    second = played(first, "1.1", 2, score=0.0)
    one, two = second.versions
    assert (one.version, one.games, one.rating, one.deviation, one.at) == ("1.0", 3, first.rating, first.deviation, 3)
    assert (two.version, two.games, two.rating, two.deviation, two.at) == ("1.1", 2, second.rating, second.deviation, 5)


def test_a_bot_that_names_no_version_is_rated_as_before() -> None:
    own = played(NEW, None, 50)
    assert (own.versions, own.renewed) == ((), 0)
    # Its first name is a new version.
    assert renewed(own, "1.0").deviation == 350


def test_the_rating_of_an_anchored_bot_begins_at_its_measured_strength_with_a_version_too() -> None:
    anchor = Rating(2_000.0, 150.0)
    assert renewed(anchor, "1.0") == anchor
