"""The ladder of bots: who is free, and who plays whom."""

from __future__ import annotations

from cornered.protocol.commands import AcceptChallenge, Declare, EnterPool
from cornered.protocol.values import Accepts, PairingPool, Player
from cornered.server.lobby.durable import durable, whole
from cornered.server.lobby.events import MatchEnded, PoolLeft
from cornered.server.lobby.ladder import Ladder
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.names import Names
from cornered.server.lobby.pool_pairing import REPEAT_AFTER_MS
from cornered.server.lobby.pools import offered_pools
from tests.server.lobby.test_lobby import ANN, LobbyDriver, driver, made

__all__ = ["driver"]

POOL = next(pool for pool in offered_pools() if pool.game.name == "trapgrid")
QUORIDOR = next(pool for pool in offered_pools() if pool.game.name == "quoridor")
ONE, TWO, THREE = (Player(id=name, name=name.title(), kind="bot") for name in ("one", "two", "three"))
ALL = (Accepts(game="trapgrid"),)


def in_ladder(driver: LobbyDriver, *bots: Player, ladder: int = 1, accepts: tuple[Accepts, ...] = ALL) -> None:
    for bot in bots:
        driver.arrive(bot)
        driver.do(Declare, bot, accepts=accepts, concurrency=3, ladder=ladder)


def free(driver: LobbyDriver, ladder: Ladder, pool: PairingPool = POOL) -> list[str]:
    return [guest.player.id for guest in ladder.free(driver.lobby, pool, driver.now)]


def play_round(driver: LobbyDriver, ladder: Ladder, **ratings: float) -> set[frozenset[str]]:
    """Have one round, fold its matches, and return who plays whom."""
    bots = ladder.free(driver.lobby, POOL, driver.now)
    known = {guest.player.id: 1500.0 for guest in bots} | ratings
    pairs = list(ladder.pairs(driver.lobby, bots, known, driver.now))
    for players in pairs:
        driver.count += 1
        driver.apply(driver.lobby.meet(POOL, players, new_id=f"match{driver.count}", random_number=0))
    return {frozenset(player.id for player in players) for players in pairs}


def end_all(driver: LobbyDriver) -> None:
    for match in list(driver.lobby.matches):
        driver.apply([MatchEnded(match)])


def test_two_bots_of_the_ladder_get_a_rated_match(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO)
    assert play_round(driver, Ladder()) == {frozenset({"one", "two"})}
    (match,) = driver.lobby.matches.values()
    assert match.rated
    assert (match.spec, match.clock) == (POOL.game, POOL.clock)


def test_who_plays_as_many_games_of_the_ladder_as_declared_waits(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO, THREE)
    ladder = Ladder()
    (pair,) = play_round(driver, ladder)
    assert set(free(driver, ladder)) == {"one", "two", "three"} - pair
    end_all(driver)
    assert set(free(driver, ladder)) == {"one", "two", "three"}


def test_a_game_with_a_person_takes_no_place_of_the_ladder_and_leaves_one_for_people(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO, ladder=2)
    ladder = Ladder()
    driver.do(AcceptChallenge, ONE, challenge=driver.challenge(ANN, ONE))
    assert free(driver, ladder) == ["one", "two"]
    play_round(driver, ladder)
    assert driver.lobby.guests["two"].free == 2
    # Three games at once are all that it takes, whatever the ladder would allow.
    driver.do(AcceptChallenge, ONE, challenge=driver.challenge(ANN, ONE))
    assert free(driver, ladder) == ["two"]


def test_a_waiting_challenge_of_a_person_keeps_its_place(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO, ladder=2)
    for _ in range(3):
        driver.challenge(ANN, ONE)
    assert free(driver, Ladder()) == ["two"]


def test_who_does_not_take_the_rated_game_is_away_or_declares_no_ladder_is_left_out(driver: LobbyDriver) -> None:
    in_ladder(driver, TWO)
    for accepts in ((), (Accepts(game="trapgrid", rated=False),), (Accepts(game="bamboo"),)):
        in_ladder(driver, ONE, accepts=accepts)
        assert free(driver, Ladder()) == ["two"]
    in_ladder(driver, ONE, THREE)
    driver.apply(driver.lobby.disconnect("one", driver.now))
    driver.do(Declare, TWO, accepts=ALL, concurrency=3)
    assert free(driver, Ladder()) == ["three"]
    assert free(driver, Ladder(), QUORIDOR) == []


def test_bots_of_similar_rating_meet_and_far_ones_after_a_while(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO, THREE)
    ladder = Ladder()
    assert play_round(driver, ladder, two=2500.0) == {frozenset({"one", "three"})}
    driver.do(Declare, THREE, accepts=ALL, concurrency=3)
    end_all(driver)
    assert play_round(driver, ladder, two=2500.0) == set()
    driver.now += 61_000
    assert play_round(driver, ladder, two=2500.0) == {frozenset({"one", "two"})}


def test_newest_opponents_meet_again_after_a_while_and_who_has_no_rating_by_now_meets_nobody(
    driver: LobbyDriver,
) -> None:
    in_ladder(driver, ONE, TWO)
    ladder = Ladder()
    play_round(driver, ladder)
    end_all(driver)
    assert play_round(driver, ladder) == set()
    driver.now += REPEAT_AFTER_MS
    assert len(play_round(driver, ladder)) == 1
    ladder = Ladder()
    bots = ladder.free(driver.lobby, POOL, driver.now)
    assert list(ladder.pairs(driver.lobby, bots, {"one": 1500.0}, driver.now)) == []


def test_the_operators_bots_meet_strangers_only() -> None:
    driver = LobbyDriver(Lobby(Names(("level-1", "level-2"))))
    levels = [Player(id=f"house{number}", name=f"level-{number}", kind="bot") for number in (1, 2)]
    for level in levels:
        driver.apply(driver.lobby.arrive(level, is_operators=True))
        driver.do(Declare, level, accepts=ALL, concurrency=3, ladder=1)
    ladder = Ladder()
    assert free(driver, ladder) == []
    in_ladder(driver, ONE)
    assert len(free(driver, ladder)) == 3
    ((one, other),) = map(sorted, play_round(driver, ladder))
    assert one.startswith("house")
    assert other == "one"


def test_nothing_is_remembered_of_bots_that_are_gone(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO)
    ladder = Ladder()
    play_round(driver, ladder)
    for bot in (ONE, TWO):
        driver.do(Declare, bot, accepts=ALL, concurrency=3)
    assert free(driver, ladder) == []
    assert ladder == Ladder()


def test_a_declaration_leaves_a_game_for_people_and_a_replica_knows_the_ladder(driver: LobbyDriver) -> None:
    driver.arrive(ONE)
    assert driver.refused(Declare, ONE, accepts=ALL, concurrency=2, ladder=2) == "bad_options"
    assert driver.refused(Declare, ONE, accepts=ALL, concurrency=0, ladder=1) == "bad_options"
    driver.do(Declare, ONE, accepts=ALL, concurrency=2, ladder=1)
    assert list(driver.lobby.ladder_bots) == ["one"]
    in_ladder(driver, ONE)
    replica = Lobby()
    for event in whole(driver.lobby):
        replica.evolve(event)
    assert list(replica.ladder_bots) == ["one"]
    assert replica.guests["one"] == driver.lobby.guests["one"]


def test_who_meets_outside_a_pool_leaves_none(driver: LobbyDriver) -> None:
    in_ladder(driver, ONE, TWO)
    driver.do(EnterPool, ANN, pool=POOL.id)
    events = driver.lobby.meet(POOL, (ONE, TWO), new_id="met", random_number=0)
    assert not any(isinstance(event, PoolLeft) for event in events)
    assert durable(events) == (made(events),)
