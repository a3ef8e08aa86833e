"""Pools of quick pairing in the lobby: who waits, who meets whom, and who leaves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

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
from tests.server.lobby.test_lobby import ANN, BEN, BOT, CYD, THREE, LobbyDriver, driver, made

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


def test_there_are_three_pools_for_every_game_for_two() -> None:
    pools = offered_pools()
    assert {pool.game.name for pool in pools} == {"trapgrid", "isolation", "bamboo", "quoridor"}
    assert len(pools) == 12
    assert len({pool.id for pool in pools}) == len(pools)
    assert all(pool_named(pool.id) is pool for pool in pools)


def test_two_who_wait_get_a_match_of_the_pool(driver: LobbyDriver) -> None:
    for player in (ANN, BEN):
        (entered,) = driver.do(EnterPool, player, pool=POOL)
        assert entered == PoolEntered(player, POOL, 1500.0, driver.now)
    events = meet(driver)
    match = made(events)
    assert {player.id for player in match.players} == {"ann", "ben"}
    assert (match.spec, match.clock) == (offered_pools()[0].game, offered_pools()[0].clock)
    assert sorted(left_by(events)) == [("ann", "ben"), ("ben", "ann")]
    assert not len(driver.lobby.pools)
    assert driver.lobby.pools.opponents("ann") == ("ben",)


def test_players_of_two_pools_do_not_meet(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.do(EnterPool, BEN, pool=OTHER)
    assert driver.lobby.pairs_in(POOL, driver.now) == ([], [])
    assert driver.lobby.pairs_in(OTHER, driver.now) == ([], [])


def test_entering_another_pool_leaves_the_first_and_the_same_one_changes_nothing(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.now += 5_000
    assert driver.do(EnterPool, ANN, pool=POOL) == ()
    driver.do(EnterPool, ANN, pool=OTHER)
    assert driver.lobby.pools.occupied() == (OTHER,)
    entry = driver.lobby.pools.entry("ann")
    assert entry is not None
    assert entry.since == driver.now


def test_leaving_twice_is_no_error(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    assert driver.do(LeavePool, ANN) == (PoolLeft("ann"),)
    assert driver.do(LeavePool, ANN) == ()


def test_pools_are_for_people_and_have_names(driver: LobbyDriver) -> None:
    assert driver.refused(EnterPool, BOT, pool=POOL) == "not_allowed"
    assert driver.refused(EnterPool, ANN, pool="chess-3-2") == "unknown_pool"


def test_who_may_play_no_more_matches_enters_no_pool_and_is_taken_out_of_one(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.lobby.bounds = Bounds(matches_per_player=0)
    assert driver.refused(EnterPool, BEN, pool=POOL) == "busy"
    pairs, (left,) = driver.lobby.pairs_in(POOL, driver.now)
    assert pairs == []
    assert left.player == "ann"
    assert "live matches" in left.reason


def test_who_has_no_connection_is_not_paired_and_departs_after_a_while(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.do(EnterPool, BEN, pool=POOL)
    driver.apply(driver.lobby.disconnect("ben", driver.now))
    assert driver.lobby.pairs_in(POOL, driver.now) == ([], [])
    events = driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS))
    assert PoolLeft("ben") in events
    assert PoolLeft("ben") in durable(events)
    assert [entry.player for entry in driver.lobby.pools.entries()] == [ANN]


@pytest.mark.parametrize("way", ["join", "start", "accept"])
def test_who_begins_another_game_leaves_the_pool_durably(driver: LobbyDriver, way: str) -> None:
    for player in (ANN, BEN):
        driver.do(EnterPool, player, pool=POOL)
    match way:
        case "join":
            events = driver.do(JoinSeek, BEN, seek=driver.open_table(ANN))
        case "start":
            seek = driver.open_table(ANN, THREE, minimum=2)
            driver.do(JoinSeek, BEN, seek=seek)
            events = driver.do(StartSeek, ANN, seek=seek)
        case _:
            events = driver.do(AcceptChallenge, BEN, challenge=driver.challenge(ANN, BEN))
    assert sorted(left_by(durable(events))) == [("ann", None), ("ben", None)]
    assert not len(driver.lobby.pools)


def test_opponents_avoid_each_other_in_the_next_round(driver: LobbyDriver) -> None:
    for player in (ANN, BEN):
        driver.do(EnterPool, player, pool=POOL)
    meet(driver)
    for player in (ANN, BEN):
        driver.do(EnterPool, player, pool=POOL)
    assert driver.lobby.pairs_in(POOL, driver.now)[0] == []
    driver.do(EnterPool, CYD, pool=POOL)
    ((one, other),) = driver.lobby.pairs_in(POOL, driver.now)[0]
    assert CYD in (one, other)


def test_few_opponents_of_many_players_are_remembered() -> None:
    pools = Pools()
    for number in range(OPPONENTS_REMEMBERED + 2):
        pools.meet("ann", f"p{number}")
    assert pools.opponents("ann") == ("p2", "p3", "p4")
    for number in range(MAX_REMEMBERED):
        pools.meet(f"q{number}", "ann")
    assert pools.opponents("ann") == ()


def test_the_wait_survives_a_restart_with_its_beginning(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.apply([BotNamed("ann", BOT)])
    stored = [*checkpoint(driver.lobby, (), ()), PoolEntered(BEN, "gone-1-1", 1500.0, 1)]
    again = Lobby()
    again.recover(stored, driver.now + 1_000)
    assert list(again.pools.entries()) == [Entry(ANN, POOL, 1500.0, driver.now)]
    assert "ann" in again.away


def test_a_replica_has_the_wait_and_the_bot(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.apply([BotNamed("ann", BOT)])
    replica = Lobby()
    for event in whole(driver.lobby):
        replica.evolve(event)
    assert list(replica.pools.entries()) == [Entry(ANN, POOL, 1500.0, driver.now, BOT)]
    assert next(replica.pools.entries()).message() == Waiting(pool=POOL, since=driver.now, bot=BOT)


def test_another_name_holds_in_the_pool(driver: LobbyDriver) -> None:
    driver.do(EnterPool, ANN, pool=POOL)
    driver.arrive(zed := Player(id="ann", name="Zed", kind="person"))
    assert [entry.player for entry in driver.lobby.pools.entries()] == [zed]


def test_watchers_see_how_many_wait(driver: LobbyDriver) -> None:
    updates = LobbyUpdates(driver.lobby, lambda _: None)
    driver.do(EnterPool, ANN, pool=POOL)
    driver.do(EnterPool, BEN, pool=POOL)
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


def test_no_two_pools_of_a_game_have_the_same_clock() -> None:
    for _, pools in itertools.groupby(offered_pools(), key=lambda pool: pool.game.name):
        clocks = [pool.clock for pool in pools]
        assert len(set(clocks)) == len(clocks)
        assert NO_CLOCK not in clocks


def test_refusals_name_what_to_do(driver: LobbyDriver) -> None:
    with pytest.raises(Refusal, match="`games` lists"):
        driver.do(EnterPool, ANN, pool="nothing")


def test_the_match_is_made_after_its_players_have_left(driver: LobbyDriver) -> None:
    for player in (ANN, BEN):
        driver.do(EnterPool, player, pool=POOL)
    assert isinstance(meet(driver)[-1], MatchMade)
