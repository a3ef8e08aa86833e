"""The lobby's owner: decide, evolve, store, tell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from itertools import count

import pytest

from cornered.protocol.commands import (
    AcceptChallenge,
    CancelSeek,
    Challenge,
    CreateSeek,
    Declare,
    EnterPool,
    JoinSeek,
    LeavePool,
)
from cornered.protocol.values import Accepts, Fischer, GameSpec, PairingPool, Player, SeekSettings
from cornered.server.cluster.messages import Visitor
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.durable import whole
from cornered.server.lobby.events import (
    DEPARTURE_DELAY_MS,
    Answered,
    BotNamed,
    ChallengeEnded,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
    SeekClosed,
    SeekPosted,
)
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.pools import offered_pools
from cornered.server.lobby.state import Changes, LobbyFacts
from cornered.server.rating.ports import RatingsUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime import lobby_outbox
from cornered.server.runtime.lobby_authority import PATIENCE_S, LobbyAuthority
from cornered.server.runtime.pairing_rounds import BOT_AFTER_MS, BOTS_EVERY_S, LADDER_EVERY_S, ROUND_S
from tests.server.conftest import StubbornLobbyLog
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

ANN, BEN, CAS = (Player(id=name, name=name.title(), kind="person") for name in ("ann", "ben", "cas"))
SMALL = GameSpec(name="trapgrid", options={"size": 3})
STORE_S = 0.1
POOL = next(pool for pool in offered_pools() if pool.game.name == "trapgrid")
ROUND = ROUND_S + 3 * STORE_S


class Log(StubbornLobbyLog):
    """A store that takes its time, and can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        await after(STORE_S)
        if self.is_away:
            self.failures = ["before"]
        await super().append(expected_seq, events, is_checkpoint=is_checkpoint)


class Scene:
    """An authority, what it tells, and the matches that it opens."""

    def __init__(self, tasks: asyncio.TaskGroup, log: Log) -> None:
        loop, ids = asyncio.get_running_loop(), count(1)
        self.log = log
        self.replica = LobbyFacts()
        self.told: list[LobbyEvent] = []
        self.opened: list[str] = []
        self.can_open = True
        self.ratings: dict[str, float] = {}
        self.rating_errors: list[Exception] = []
        self.authority = LobbyAuthority(
            Lobby(),
            log,
            now=lambda: int(loop.time() * 1000),
            new_id=lambda _: f"new{next(ids)}",
            tell=self.tell,
            open_match=self.open_match,
            ratings_of=self.ratings_of,
            tasks=tasks,
        )

    def tell(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        for event in events:
            self.replica.evolve(event)
        self.told += told

    async def open_match(self, made: MatchMade) -> bool:
        if self.can_open:
            self.opened.append(made.match)
        return self.can_open

    async def ratings_of(self, _: PairingPool, players: Collection[Player]) -> dict[str, float]:
        if self.rating_errors:
            raise self.rating_errors.pop()
        return {player.id: self.ratings.get(player.id, 1500.0) for player in players}

    async def enter(self, *players: Player, pool: str | None = None) -> None:
        for player in players:
            await self.authority.carry_out(EnterPool(id=f"enter-{player.id}", pool=pool or POOL.id), player)

    def come(self, *players: Player) -> None:
        for player in players:
            self.authority.arrive(Visitor(player=player, address=""))

    async def open_table(self, by: Player, command_id: str = "open") -> str:
        made = await self.authority.carry_out(CreateSeek(id=command_id, settings=SeekSettings(game=SMALL)), by)
        assert made is not None
        return made

    async def refused(self, command: CreateSeek | JoinSeek | AcceptChallenge, by: Player) -> str:
        with pytest.raises(Refusal) as caught:
            await self.authority.carry_out(command, by)
        return caught.value.code


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with asyncio.TaskGroup() as tasks:
        scene = Scene(tasks, Log())
        await scene.authority.recover()
        scene.authority.start()
        scene.come(ANN, BEN, CAS)
        yield scene
        scene.authority.close()


async def test_a_seat_is_sold_once_while_it_is_being_stored(scene: Scene) -> None:
    seek = await scene.open_table(ANN)
    results = await asyncio.gather(
        scene.authority.carry_out(JoinSeek(id="1", seek=seek), BEN),
        scene.authority.carry_out(JoinSeek(id="1", seek=seek), CAS),
        return_exceptions=True,
    )
    assert results[0] == scene.opened[0]
    assert isinstance(results[1], Refusal)
    assert results[1].code == "unknown_seek"
    assert len(scene.opened) == 1


async def test_changes_are_recorded_for_watchers_in_what_is_stored_alone(scene: Scene) -> None:
    await scene.open_table(ANN)
    assert scene.authority.lobby.changes == Changes()
    assert list(scene.replica.changes.players) == ["ann", "ben", "cas"]
    assert len(scene.replica.changes.tables) == 1
    lobby = Lobby()
    lobby.recover([SeekClosed("x"), MatchEnded("y")], 5)
    assert lobby.tables == {}


async def test_many_commands_share_an_append(scene: Scene) -> None:
    began = asyncio.get_running_loop().time()
    players = [Player(id=f"p{number}", name=f"P{number}", kind="person") for number in range(100)]
    scene.come(*players)
    await asyncio.gather(*(scene.open_table(player) for player in players))
    assert len(scene.replica.tables) == 100
    assert asyncio.get_running_loop().time() - began < 3 * STORE_S


async def test_a_table_is_not_told_before_it_is_stored(scene: Scene) -> None:
    scene.log.is_away = True
    command = CreateSeek(id="once", settings=SeekSettings(game=SMALL))
    began = asyncio.get_running_loop().time()
    assert await scene.refused(command, ANN) == "internal"
    assert asyncio.get_running_loop().time() - began == pytest.approx(PATIENCE_S, abs=0.1)
    assert scene.replica.tables == {}
    assert (await scene.log.read())[1] == ()
    waiting = asyncio.create_task(scene.authority.carry_out(command, ANN))
    await after(0.5)
    scene.log.is_away = False
    seek = await waiting
    assert list(scene.replica.tables) == [seek]
    assert await scene.authority.carry_out(command, ANN) == seek
    assert len((await scene.log.read())[1]) == 2


async def test_what_is_not_durable_is_not_stored(scene: Scene) -> None:
    bot = Player(id="bot", name="Bot", kind="bot")
    scene.come(bot)
    await scene.authority.carry_out(Declare(id="1", accepts=(), concurrency=3), bot)
    scene.authority.disconnect("bot")
    assert scene.replica.guests["bot"].concurrency == 3
    assert list(scene.replica.away) == ["bot"]
    await scene.authority.drained()
    assert await scene.log.read() == (0, ())


async def test_a_match_that_cannot_be_opened_is_withdrawn_with_its_answer(scene: Scene) -> None:
    sent = await scene.authority.carry_out(Challenge(id="1", to="ben", game=SMALL), ANN)
    assert sent is not None
    scene.can_open = False
    command = AcceptChallenge(id="1", challenge=sent)
    assert await scene.refused(command, BEN) == "internal"
    assert await scene.refused(command, BEN) == "unknown_challenge"
    ended = [event for event in scene.told if isinstance(event, ChallengeEnded)]
    assert [(event.closed.how, event.closed.match) for event in ended] == [("cancelled", None)]
    assert scene.replica.matches == {}
    stored = (await scene.log.read())[1]
    assert isinstance(stored[-1], MatchEnded)
    lobby = Lobby()
    assert lobby.recover(stored, 0) == ()
    assert lobby.answered("ben", command) is None


async def test_nothing_is_opened_before_it_is_stored(scene: Scene) -> None:
    seek = await scene.open_table(ANN)
    scene.log.is_away = True
    command = JoinSeek(id="1", seek=seek)
    assert await scene.refused(command, BEN) == "internal"
    assert scene.opened == []
    assert list(scene.replica.tables) == [seek]
    scene.log.is_away = False
    assert [await scene.authority.carry_out(command, BEN)] == scene.opened


async def test_too_many_changes_that_wait_for_the_store_are_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_outbox, "MAX_UNSTORED", 2)
    scene.log.is_away = True
    waiting = [asyncio.create_task(scene.open_table(ANN, f"t{number}")) for number in range(2)]
    await after(STORE_S)
    assert await scene.refused(CreateSeek(id="more", settings=SeekSettings(game=SMALL)), BEN) == "internal"
    # Who comes and goes meanwhile is known when there is room again.
    dee, eve = (Player(id=name, name=name.title(), kind="person") for name in ("dee", "eve"))
    assert scene.authority.arrive(Visitor(player=dee, address="")) == dee
    assert scene.authority.arrive(Visitor(player=eve, address="")) == eve
    for _ in range(100):
        scene.authority.disconnect("eve")
        scene.authority.disconnect("ben")
    scene.log.is_away = False
    await asyncio.gather(*waiting)
    await after(2)
    assert set(scene.replica.guests) == {"ann", "ben", "cas", "dee"}
    assert list(scene.replica.away) == ["ben"]
    assert len(scene.replica.tables) == 2
    await scene.open_table(BEN)


async def test_departures_are_stored_and_told_in_order(scene: Scene) -> None:
    seek = await scene.open_table(ANN)
    scene.authority.disconnect("ann")
    await after(DEPARTURE_DELAY_MS / 1000 + 2 * STORE_S)
    assert seek not in scene.replica.tables
    assert "ann" not in scene.replica.guests
    lobby = Lobby()
    lobby.recover((await scene.log.read())[1], 0)
    assert lobby.tables == {}


async def test_a_stop_ends_what_waits_for_the_store() -> None:
    log = Log()
    log.is_away = True
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        scene = Scene(tasks, log)
        await scene.authority.recover()
        scene.authority.start()
        scene.come(ANN, BEN)
        sent = asyncio.create_task(scene.authority.carry_out(Challenge(id="1", to="ben", game=SMALL), ANN))
        await asyncio.wait([sent])
        assert isinstance(sent.exception(), Refusal)
        challenge = next(iter(scene.authority.lobby.challenges))
        accepted = asyncio.create_task(scene.authority.carry_out(AcceptChallenge(id="1", challenge=challenge), BEN))
        await after(1)
        await scene.authority.drained()
        scene.authority.close()
        await asyncio.wait([accepted])
        refusal = accepted.exception()
        assert isinstance(refusal, Refusal)
        assert refusal.code in ("internal", "shutting_down")


async def test_a_new_start_folds_the_log_and_shows_it(scene: Scene) -> None:
    seek = await scene.open_table(ANN)
    await scene.authority.carry_out(Challenge(id="2", to="cas", game=SMALL), BEN)
    cancelled = await scene.open_table(BEN)
    await scene.authority.carry_out(CancelSeek(id="3", seek=cancelled), BEN)
    async with asyncio.TaskGroup() as tasks:
        again = Scene(tasks, scene.log)
        await again.authority.recover()
        again.tell(tuple(whole(again.authority.lobby)), ())
        again.authority.start()
        assert set(again.replica.guests) == set(again.replica.away) == {"ann", "ben", "cas"}
        assert list(again.replica.tables) == [seek]
        assert [one.by for one in again.replica.challenges.values()] == [BEN]
        await again.authority.drained()
        await after(1)
        stored = (await again.log.read())[1]
        assert [type(event) for event in stored if not isinstance(event, Answered)] == [
            SeekPosted,
            type(next(event for event in stored if event.type == "challenge_sent")),
        ]
        # A player who asked for another name before has that name at the table.
        zed = ANN.model_copy(update={"name": "Zed"})
        assert again.authority.arrive(Visitor(player=zed, address="10.0.0.1")) == zed
        assert again.replica.tables[seek].seek.by == zed
        assert again.authority.lobby.seek_origins.count("10.0.0.1") == 1
        again.authority.close()


# Pools


def left(scene: Scene) -> dict[str, str]:
    """Return who was told to have left a pool, and why."""
    return {event.player: event.reason for event in scene.told if isinstance(event, PoolLeft)}


async def test_who_waits_alone_waits_on_and_may_leave_and_two_play_after_the_next_round(scene: Scene) -> None:
    await scene.enter(ANN)
    await after(10 * ROUND)
    assert len(scene.replica.pools) == 1
    await scene.authority.carry_out(LeavePool(id="leave"), ANN)
    assert not len(scene.replica.pools)
    await scene.enter(BEN)
    await after(ROUND)
    assert not scene.opened
    await scene.authority.carry_out(EnterPool(id="again", pool=POOL.id), ANN)
    assert [event for event in scene.told if isinstance(event, PoolEntered)]
    await after(ROUND)
    (match,) = scene.opened
    assert {player.id for player in scene.replica.matches[match].players} == {"ann", "ben"}
    assert left(scene) == {"ann": "", "ben": ""}
    assert not len(scene.replica.pools)


async def test_players_of_a_similar_rating_meet(scene: Scene) -> None:
    scene.ratings = {"ann": 1500.0, "ben": 2100.0, "cas": 1540.0}
    await scene.enter(ANN, BEN, CAS)
    await after(ROUND)
    (match,) = scene.opened
    assert {player.id for player in scene.replica.matches[match].players} == {"ann", "cas"}


async def test_a_match_of_a_pool_that_cannot_be_opened_is_said_to_both(scene: Scene) -> None:
    scene.can_open = False
    await scene.enter(ANN, BEN)
    await after(2 * ROUND)
    assert left(scene) == dict.fromkeys(("ann", "ben"), "the server could not start the match")
    assert not scene.authority.lobby.matches


async def test_a_rating_that_cannot_be_read_refuses_the_entry_for_now_and_a_repeated_entry_is_one(scene: Scene) -> None:
    scene.rating_errors = [RatingsUnavailable()]
    with pytest.raises(Refusal, match="rating") as caught:
        await scene.enter(ANN)
    assert caught.value.code == "internal"
    await asyncio.gather(scene.enter(ANN), scene.enter(ANN), scene.enter(ANN))
    assert len(scene.replica.pools) == 1
    _, stored = await scene.log.read()
    assert sum(isinstance(event, PoolEntered) for event in stored) == 1


async def test_a_bot_is_named_after_a_while_and_another_when_it_is_full(scene: Scene) -> None:
    bots = [Player(id=f"bot{number}", name=f"Bot {number}", kind="bot") for number in range(2)]
    scene.ratings = {"bot0": 1450.0, "bot1": 1900.0}
    scene.come(*bots)
    for bot in bots:
        command = Declare(id="declare", accepts=(Accepts(game="trapgrid"),), concurrency=1)
        await scene.authority.carry_out(command, bot)
    await scene.enter(ANN)
    # Bots that cannot be looked for end nothing.
    scene.rating_errors = [RatingsUnavailable()]
    await after(BOT_AFTER_MS / 1000 - 1)
    assert scene.rating_errors
    await after(2 * ROUND)
    assert not scene.rating_errors
    assert not [event for event in scene.told if isinstance(event, BotNamed)]
    await after(BOTS_EVERY_S + ROUND)
    assert [event for event in scene.told if isinstance(event, BotNamed)] == [BotNamed("ann", bots[0])]
    full = Declare(id="full", accepts=(Accepts(game="trapgrid"),), concurrency=0)
    await scene.authority.carry_out(full, bots[0])
    await after(BOTS_EVERY_S + ROUND)
    assert scene.told[-1] == BotNamed("ann", bots[1])


async def test_a_rematch_takes_its_players_out_of_their_pools(scene: Scene) -> None:
    await scene.enter(ANN)
    scene.authority.reserve(MatchMade("rematch", SMALL, (ANN, BEN), Fischer(initial=60, increment=1)))
    await after(STORE_S * 2)
    assert left(scene) == {"ann": ""}
    _, stored = await scene.log.read()
    assert any(isinstance(event, PoolLeft) for event in stored)


async def test_the_wait_goes_on_at_the_next_start(scene: Scene) -> None:
    await scene.enter(ANN)
    scene.authority.close()
    async with asyncio.TaskGroup() as tasks:
        again = Scene(tasks, scene.log)
        await again.authority.recover()
        again.authority.start()
        again.come(ANN, BEN)
        await again.enter(BEN)
        await after(ROUND)
        assert len(again.opened) == 1
        again.authority.close()


async def test_while_the_store_is_full_or_a_round_fails_nobody_is_paired_until_the_next(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    await scene.enter(ANN, BEN)
    with monkeypatch.context() as patch:
        patch.setattr(lobby_outbox, "MAX_UNSTORED", 0)
        await after(3 * ROUND)
        assert not scene.opened
    with monkeypatch.context() as patch:
        patch.setattr(Lobby, "pairs_in", fail)
        await after(2 * ROUND)
        assert not scene.opened
    await after(2 * ROUND)
    assert len(scene.opened) == 1


# The ladder


def bots_of(scene: Scene, count: int) -> list[Player]:
    bots = [Player(id=f"bot{number}", name=f"Bot {number}", kind="bot") for number in range(count)]
    scene.come(*bots)
    return bots


async def in_ladder(scene: Scene, *bots: Player, ladder: int = 1) -> None:
    for bot in bots:
        command = Declare(id="declare", accepts=(Accepts(game="trapgrid"),), concurrency=3, ladder=ladder)
        await scene.authority.carry_out(command, bot)


async def test_bots_of_the_ladder_play_each_other_again_and_again_once_their_ratings_are_read(scene: Scene) -> None:
    await in_ladder(scene, *bots_of(scene, 3))
    scene.rating_errors = [RatingsUnavailable()]
    await after(LADDER_EVERY_S / 2)
    assert not scene.rating_errors
    assert not scene.opened
    await after(2 * LADDER_EVERY_S)
    (first,) = scene.opened
    assert scene.replica.matches[first].rated
    scene.authority.match_began(scene.replica.matches[first])
    scene.authority.match_over(first)
    await after(60.0)
    assert len(scene.opened) == 2
    assert not any(isinstance(event, PoolLeft) for event in scene.told)


async def test_a_bot_that_joins_the_ladder_on_another_node_is_known_to_the_next_owner(scene: Scene) -> None:
    one, two = bots_of(scene, 2)
    await in_ladder(scene, one)
    declared = scene.authority.lobby.guests["bot0"]
    scene.authority.arrive(Visitor(player=two, address="", accepts=declared.accepts, concurrency=3, ladder=1))
    await after(2 * LADDER_EVERY_S)
    assert len(scene.opened) == 1


async def test_no_round_exceeds_the_matches_of_an_address(scene: Scene) -> None:
    players = [Player(id=f"p{number}", name=f"P{number}", kind="person") for number in range(8)]
    for player in players:
        scene.authority.arrive(Visitor(player=player, address="one"))
    scene.authority.lobby.bounds = Bounds(matches_per_address=2)
    await scene.enter(*players)
    await after(3 * ROUND)
    assert len(scene.opened) == 2
