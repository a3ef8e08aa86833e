"""Profiles, leaderboards and pools, as they are answered from the stores."""

from __future__ import annotations

import pytest

from cornered.protocol.commands import AskLeaderboard, AskPools, AskProfile, AskRatingHistory
from cornered.protocol.ratings import Leaderboard, Pools, Profile
from cornered.server.accounts import DELETED_NAME
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.rating.ports import RatingsUnavailable
from cornered.server.rating.ratings import Rating
from cornered.server.refusal import Refusal
from cornered.server.runtime.rating_answers import PAGE_LEADERS, RatingAnswers

NOW = 10**12
POOL = "trapgrid:blitz"


class Away(MemoryRatings):
    """A store that does not answer."""

    async def established(self, *_: object) -> int:
        raise RatingsUnavailable("away")


class Scene:
    """Stores with Ann, who has an account, and answers from them."""

    def __init__(self, kind: type[MemoryRatings] = MemoryRatings) -> None:
        self.accounts = MemoryAccounts()
        self.ratings = kind(MemoryJournal())
        self.now = NOW
        self.answers = RatingAnswers(self.ratings, self.accounts, lambda: self.now)

    async def rate(self, player: str, rating: float, pool: str = POOL, deviation: float = 60.0) -> None:
        await self.ratings.replace(0, [(player, pool, "person", Rating(rating, deviation, 0.06, 9, NOW))], [])

    async def board(self, after: str | None = None) -> Leaderboard:
        answer = await self.answers.answer(AskLeaderboard(id="c", pool=POOL, after=after))
        assert isinstance(answer, Leaderboard)
        return answer


async def test_a_leaderboard_has_todays_names_and_goes_on_after_its_cursor() -> None:
    scene = Scene()
    ann = (await scene.accounts.create("Ann", "person"))[0].player.id
    await scene.accounts.rename_guest(ann, "Anna")
    await scene.rate(ann, 2_000)
    for number in range(PAGE_LEADERS):
        await scene.rate(f"gone{number:02}", 1_900 - number)
    first = await scene.board()
    assert [one.rank for one in first.entries] == list(range(1, PAGE_LEADERS + 1))
    assert [one.player.name for one in first.entries[:2]] == ["Anna", DELETED_NAME]
    assert first.total == PAGE_LEADERS + 1
    last = await scene.board(first.more)
    assert [(one.rank, one.player.id) for one in last.entries] == [(PAGE_LEADERS + 1, f"gone{PAGE_LEADERS - 1}")]
    assert last.more is None


@pytest.mark.parametrize("after", ["nobody", "x_ann", "5_", "-1_ann", f"{10**27}_ann"])
async def test_a_cursor_that_no_page_gave_is_refused(after: str) -> None:
    with pytest.raises(Refusal) as caught:
        await Scene().board(after)
    assert caught.value.code == "bad_options"


async def test_who_has_not_played_for_long_is_provisional_again() -> None:
    scene = Scene()
    ann = (await scene.accounts.create("Ann", "person"))[0].player.id
    await scene.rate(ann, 2_000)
    for days, is_provisional in ((1, False), (500, True)):
        scene.now = NOW + days * 86_400_000
        profile = await scene.answers.answer(AskProfile(id="c", player=ann))
        assert isinstance(profile, Profile)
        (rating,) = profile.ratings
        assert (rating.provisional, rating.rank) == (is_provisional, None if is_provisional else 1)
        assert (rating.deviation > 110) is is_provisional
        assert (await scene.board()).total == (not is_provisional)


async def test_a_pool_of_a_game_that_is_gone_is_left_out() -> None:
    scene = Scene()
    ann = (await scene.accounts.create("Ann", "person"))[0].player.id
    await scene.rate(ann, 2_000, "chess:blitz")
    await scene.rate(ann, 1_800)
    pools = await scene.answers.answer(AskPools(id="c"))
    profile = await scene.answers.answer(AskProfile(id="c", player=ann))
    assert isinstance(pools, Pools)
    assert isinstance(profile, Profile)
    assert [one.pool for one in pools.pools] == [one.pool for one in profile.ratings] == [POOL]


async def test_a_store_that_is_away_or_missing_is_a_refusal() -> None:
    with pytest.raises(Refusal) as caught:
        await Scene(Away).board()
    assert (caught.value.code, "try again" in caught.value.text) == ("internal", True)
    with pytest.raises(Refusal) as caught:
        await RatingAnswers(None, MemoryAccounts(), lambda: NOW).answer(
            AskRatingHistory(id="c", player="ann", pool=POOL)
        )
    assert caught.value.code == "internal"
