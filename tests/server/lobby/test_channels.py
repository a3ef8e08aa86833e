"""The best live match of each game: by people, ratings and age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from cornered.protocol.values import NO_CLOCK, GameSpec, MatchSummary, Player, SeatRating
from cornered.server.lobby.channels import Channels, merit_of

STRONG: Final = (1800, 1700)


def summary(
    id: str,
    *,
    bots: int = 0,
    ratings: Sequence[int] = (),
    provisional: bool = False,
    game: str = "trapgrid",
    started: int = 0,
) -> MatchSummary:
    """Return a match of two, of whom so many are bots."""
    players = tuple(
        Player(id=f"{id}{seat}", name=f"{id}{seat}", kind="bot" if seat < bots else "person") for seat in range(2)
    )
    return MatchSummary(
        id=id,
        game=GameSpec(name=game),
        clock=NO_CLOCK,
        players=players,
        ply=0,
        position="",
        watchers=0,
        started=started,
        ratings=tuple(SeatRating(rating=rating, provisional=provisional) for rating in ratings),
    )


def best(*matches: MatchSummary) -> list[str]:
    channels = Channels()
    for match in matches:
        channels.add(match)
    return list(channels.best())


def test_people_come_before_bots_then_better_ratings_then_the_older_match() -> None:
    people, mixed, bots = summary("p"), summary("m", bots=1, ratings=STRONG), summary("b", bots=2, ratings=STRONG)
    assert best(bots, mixed, people) == ["p"]
    assert best(bots, mixed) == ["m"]
    assert best(bots) == ["b"]
    good, better = summary("g", ratings=(1500, 1500)), summary("b", ratings=(1600, 1500))
    assert best(good, better, summary("u")) == ["b"]
    assert best(good, summary("n", ratings=(1600, 1600), provisional=True)) == ["g"]
    assert best(summary("new", started=2), summary("old", started=1)) == ["old"]


def test_each_game_has_a_channel_while_it_has_a_match() -> None:
    channels = Channels()
    for one in (summary("t"), summary("q", game="quoridor"), summary("r", game="quoridor", ratings=STRONG)):
        channels.add(one)
    assert sorted(channels.best()) == ["r", "t"]
    channels.remove("r")
    assert sorted(channels.best()) == ["q", "t"]
    channels.remove("q")
    channels.remove("never there")
    assert list(channels.best()) == ["t"]


MATCHES = st.builds(
    summary,
    st.text("abcdef", min_size=1, max_size=2),
    bots=st.integers(0, 2),
    ratings=st.sampled_from([(), (1500, 1500), STRONG]),
    provisional=st.booleans(),
    game=st.sampled_from(["trapgrid", "bamboo"]),
    started=st.integers(0, 3),
)


@given(st.lists(st.one_of(MATCHES, st.text("abcdef", min_size=1, max_size=2))))
def test_the_best_is_that_of_all_that_are_there_whatever_came_and_went(steps: list[MatchSummary | str]) -> None:
    channels, there = Channels(), dict[str, MatchSummary]()
    for step in steps:
        if isinstance(step, str):
            channels.remove(step)
            there.pop(step, None)
        else:
            channels.add(step)
            there.setdefault(step.id, step)
    wanted = {max(merit_of(one) for one in there.values() if one.game.name == game).match for game in _games(there)}
    assert set(channels.best()) == wanted


def _games(there: dict[str, MatchSummary]) -> set[str]:
    return {one.game.name for one in there.values()}
