"""Pools of quick pairing in the lobby: who waits, who meets whom, and who leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from cornered.protocol.commands import AcceptChallenge, Declare, EnterPool, JoinSeek, LeavePool, StartSeek
from cornered.protocol.messages import Waiting
from cornered.protocol.values import NO_CLOCK, Accepts, Player
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.differences import differences
from cornered.server.lobby.durable import checkpoint, durable, whole
from cornered.server.lobby.events import (
    DEPARTURE_DELAY_MS,
    Answered,
    BotNamed,
    LobbyEvent,
    MatchMade,
    PoolEntered,
    PoolLeft,
)
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.pools import MAX_REMEMBERED, OPPONENTS_REMEMBERED, Entry, Pools, offered_pools, pool_named
from cornered.server.lobby.updates import LobbyUpdates
from cornered.server.refusal import Refusal
from tests.server.lobby.test_lobby import ANN, BEN, BOT, CYD, THREE, LobbyDriver, driver

__all__ = ["driver"]

POOL, OTHER = (pool.id for pool in offered_pools()[:2])
POOLS = {pool.id: pool for pool in offered_pools()}


def meet(driver: LobbyDriver, pool: str = POOL) -> tuple[LobbyEvent, ...]:
    """Have one round of pairing, and fold its first match."""
    (players,), leaving = driver.lobby.pairs_in(pool, driver.now)
    assert not leaving
    events = driver.lobby.meet(POOLS[pool], players, new_id="met", random_number=0)
    driver.apply(events)
    return events


def left_by(events: Sequence[LobbyEvent]) -> list[tuple[str, str | None]]:
    """Return who leaves a pool, and with whom."""
    return [(event.player, event.met) for event in events if isinstance(event, PoolLeft)]


def test_there_are_three_pools_with_clocks_of_their_own_for_every_game_for_two() -> None:
    pools = offered_pools()
    clocks = {
        game: {pool.clock for pool in pools if pool.game.name == game} for game in {one.game.name for one in pools}
    }
    assert {game: len(each) for game, each in clocks.items()} == dict.fromkeys(
        ("trapgrid", "isolation", "bamboo", "quoridor"), 3
    )
    assert NO_CLOCK not in set().union(*clocks.values())
    assert len({pool.id for pool in pools}) == len(pools) == 12
    assert all(pool_named(pool.id) is pool for pool in pools)


def enter(driver: LobbyDriver, *players: Player, pool: str = POOL) -> None:
    for player in players:
        driver.do(EnterPool, player, pool=pool)


def test_two_who_wait_get_a_match_of_the_pool_once_they_have_left_it(driver: LobbyDriver) -> None:
    for player in (ANN, BEN):
        (entered,) = driver.do(EnterPool, player, pool=POOL)
        assert entered == PoolEntered(player, POOL, 1500.0, driver.now)
    events = meet(driver)
    match = events[-1]
    assert isinstance(match, MatchMade)
    assert {player.id for player in match.players} == {"ann", "ben"}
    assert (match.spec, match.clock) == (offered_pools()[0].game, offered_pools()[0].clock)
    assert sorted(left_by(events)) == [("ann", "ben"), ("ben", "ann")]
    assert not len(driver.lobby.pools)
    assert driver.lobby.pools.opponents("ann") == ("ben",)
    # Opponents avoid each other in the next round.
    enter(driver, ANN, BEN)
    assert driver.lobby.pairs_in(POOL, driver.now)[0] == []
    enter(driver, CYD)
    ((one, other),) = driver.lobby.pairs_in(POOL, driver.now)[0]
    assert CYD in (one, other)


def test_players_of_two_pools_do_not_meet_and_one_is_in_one_pool(driver: LobbyDriver) -> None:
    enter(driver, ANN)
    enter(driver, BEN, pool=OTHER)
    for pool in (POOL, OTHER):
        assert driver.lobby.pairs_in(pool, driver.now) == ([], [])
    driver.now += 5_000
    assert driver.do(EnterPool, ANN, pool=POOL) == ()
    enter(driver, ANN, pool=OTHER)
    assert driver.lobby.pools.occupied() == (OTHER,)
    entry = driver.lobby.pools.entry("ann")
    assert entry is not None
    assert entry.since == driver.now
    assert driver.do(LeavePool, ANN) == (PoolLeft("ann"),)
    assert driver.do(LeavePool, ANN) == (), "leaving twice is no error"


def test_pools_are_for_people_and_have_names(driver: LobbyDriver) -> None:
    assert driver.refused(EnterPool, BOT, pool=POOL) == "not_allowed"
    assert driver.refused(EnterPool, ANN, pool="chess-3-2") == "unknown_pool"
    with pytest.raises(Refusal, match="`games` lists"):
        driver.do(EnterPool, ANN, pool="nothing")


def test_who_may_play_no_more_matches_enters_no_pool_and_is_taken_out_of_one(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.lobby.bounds = Bounds(matches_per_player=0)
    assert driver.refused(EnterPool, BEN, pool=POOL) == "busy"
    pairs, (left,) = driver.lobby.pairs_in(POOL, driver.now)
    assert pairs == []
    assert left.player == "ann"
    assert "live matches" in left.reason


def test_who_has_no_connection_is_not_paired_and_departs_after_a_while(driver: LobbyDriver) -> None:
    enter(driver, ANN, BEN)
    driver.apply(driver.lobby.disconnect("ben", driver.now))
    assert driver.lobby.pairs_in(POOL, driver.now) == ([], [])
    events = driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS))
    assert PoolLeft("ben") in events
    assert PoolLeft("ben") in durable(events)
    assert [entry.player for entry in driver.lobby.pools.entries()] == [ANN]


def test_who_begins_another_game_leaves_the_pool_durably(driver: LobbyDriver) -> None:
    def start() -> Sequence[LobbyEvent]:
        seek = driver.open_table(ANN, THREE, minimum=2)
        driver.do(JoinSeek, BEN, seek=seek)
        return driver.do(StartSeek, ANN, seek=seek)

    ways: tuple[Callable[[], Sequence[LobbyEvent]], ...] = (
        lambda: driver.do(JoinSeek, BEN, seek=driver.open_table(ANN)),
        start,
        lambda: driver.do(AcceptChallenge, BEN, challenge=driver.challenge(ANN, BEN)),
    )
    for begin in ways:
        enter(driver, ANN, BEN)
        assert sorted(left_by(durable(begin()))) == [("ann", None), ("ben", None)]
        assert not len(driver.lobby.pools)


def test_few_opponents_of_many_players_are_remembered() -> None:
    pools = Pools()
    for number in range(OPPONENTS_REMEMBERED + 2):
        pools.meet("ann", f"p{number}")
    assert pools.opponents("ann") == ("p2", "p3", "p4")
    for number in range(MAX_REMEMBERED):
        pools.meet(f"q{number}", "ann")
    assert pools.opponents("ann") == ()


def test_the_wait_survives_a_restart_and_a_replica_has_the_bot_and_another_name_too(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.apply([BotNamed("ann", BOT)])
    again, replica = Lobby(), Lobby()
    stored = [*checkpoint(driver.lobby, (), ()), PoolEntered(BEN, "gone-1-1", 1500.0, 1)]
    again.recover(stored, driver.now + 1_000)
    assert list(again.pools.entries()) == [Entry(ANN, POOL, 1500.0, driver.now)]
    assert "ann" in again.away
    for event in whole(driver.lobby):
        replica.evolve(event)
    assert list(replica.pools.entries()) == [Entry(ANN, POOL, 1500.0, driver.now, BOT)]
    assert next(replica.pools.entries()).message() == Waiting(pool=POOL, since=driver.now, bot=BOT)
    driver.arrive(zed := Player(id="ann", name="Zed", kind="person"))
    assert [entry.player for entry in driver.lobby.pools.entries()] == [zed]


def test_watchers_see_how_many_wait(driver: LobbyDriver) -> None:
    updates = LobbyUpdates(driver.lobby, lambda _: None)
    enter(driver, ANN, BEN)
    assert [(pool.id, pool.waiting) for pool in updates.first_page().pools] == [(POOL, 2)]
    changed = updates.take(driver.now).public
    assert changed is not None
    assert [(pool.id, pool.waiting) for pool in changed.pools] == [(POOL, 2)]
    driver.do(EnterPool, BEN, pool=OTHER)
    changed = updates.take(driver.now).public
    assert changed is not None
    assert {(pool.id, pool.waiting) for pool in changed.pools} == {(POOL, 1), (OTHER, 1)}
    assert updates.take(driver.now).public is None


def test_players_are_told_what_changed_while_a_node_did_not_follow(driver: LobbyDriver) -> None:
    before, after = Lobby(), Lobby()
    assert list(differences(before, after, ["ann"])) == []
    after.evolve(PoolEntered(ANN, POOL, 1500.0, 1))
    assert list(differences(before, after, ["ann", "ben"])) == [PoolEntered(ANN, POOL, 1500.0, 1)]
    before.evolve(PoolEntered(ANN, POOL, 1500.0, 1))
    after.evolve(BotNamed("ann", BOT))
    assert list(differences(before, after, ["ann"])) == [BotNamed("ann", BOT)]
    after.evolve(PoolLeft("ann"))
    assert list(differences(before, after, ["ann"])) == [PoolLeft("ann")]


# Bots


def declare(driver: LobbyDriver, bot: Player, game: str = "trapgrid") -> None:
    driver.arrive(bot)
    driver.do(Declare, bot, accepts=(Accepts(game=game),), concurrency=2)


def bots(count: int) -> list[Player]:
    return [Player(id=f"bot{number}", name=f"Bot {number}", kind="bot") for number in range(count)]


def test_the_bot_of_the_nearest_rating_is_chosen_and_stays(driver: LobbyDriver) -> None:
    weak, strong, other = bots(3)
    declare(driver, weak)
    declare(driver, strong)
    declare(driver, other, "quoridor")
    pool = next(pool.id for pool in offered_pools() if pool.game.name == "trapgrid")
    entry = Entry(ANN, pool, 1500.0, 0)
    ratings = {"bot0": 1200.0, "bot1": 1700.0, "bot2": 1500.0}
    assert driver.lobby.bot_for(entry, ratings) == strong
    assert driver.lobby.bot_for(Entry(ANN, pool, 1500.0, 0, weak), ratings) == weak
    assert driver.lobby.bot_for(entry, {"bot0": 1200.0}) == weak
    assert driver.lobby.bot_for(entry, {}) is None


def test_a_bot_that_is_away_or_full_or_takes_no_clock_is_not_chosen(driver: LobbyDriver) -> None:
    (bot,) = bots(1)
    declare(driver, bot)
    pool = next(pool.id for pool in offered_pools() if pool.game.name == "trapgrid")
    assert [guest.player for guest in driver.lobby.bots_for(POOLS[pool])] == [bot]
    driver.do(Declare, bot, accepts=(Accepts(game="trapgrid"),), concurrency=0)
    assert not list(driver.lobby.bots_for(POOLS[pool]))
    driver.do(Declare, bot, accepts=(Accepts(game="trapgrid", clocks=("none",)),), concurrency=1)
    assert not list(driver.lobby.bots_for(POOLS[pool]))
    driver.do(Declare, bot, accepts=(Accepts(game="trapgrid"),), concurrency=1)
    driver.apply(driver.lobby.disconnect(bot.id, driver.now))
    assert not list(driver.lobby.bots_for(POOLS[pool]))


def test_a_stored_answer_comes_with_a_wait_alone(driver: LobbyDriver) -> None:
    command = driver.command(EnterPool, pool=POOL)
    events = driver.lobby.decide(command, ANN, driver.now, new_id="new", random_number=0)
    assert [type(event) for event in durable(events)] == [PoolEntered, Answered]
    driver.apply(events)
    again = driver.lobby.decide(driver.command(EnterPool, pool=POOL), ANN, driver.now, new_id="n", random_number=0)
    assert durable(again) == ()
