"""Limits of open seeks, challenges and matches for a player, an address and all together."""

from __future__ import annotations

from typing import Any

import pytest

from cornered.protocol import commands
from cornered.protocol.values import NO_CLOCK, Accepts, GameSpec, Player, SeekSettings
from cornered.server.lobby.bounds import MAX_BOT_MATCHES, MAX_CHALLENGES_RECEIVED_PER_ADDRESS, Bounds
from cornered.server.lobby.events import DEPARTURE_DELAY_MS, Departed, LobbyEvent, MatchEnded, MatchMade
from cornered.server.lobby.lobby import MAX_DEPARTURES_PER_TICK, Lobby
from cornered.server.refusal import Refusal
from tests.server.conftest import Pair, Start

TRAPGRID = GameSpec(name="trapgrid", options={"size": 5})
THREE = GameSpec(name="isolation", options={"players": 3})
SMALL = Bounds(
    seeks=6,
    seeks_per_address=3,
    challenges=6,
    challenges_per_address=3,
    matches_per_player=2,
    matches_per_address=3,
    pool_entries=5,
    pool_entries_per_address=3,
)


class Crowd:
    """A lobby with narrow bounds, and players with addresses."""

    def __init__(self, bounds: Bounds = SMALL) -> None:
        self.lobby = Lobby(bounds=bounds)
        self.count = 0

    def apply(self, events: tuple[LobbyEvent, ...]) -> tuple[LobbyEvent, ...]:
        for event in events:
            self.lobby.evolve(event)
        return events

    def come(self, name: str, address: str = "", kind: str = "person", *, is_operators: bool = False) -> Player:
        player = Player.model_validate({"id": name, "name": name, "kind": kind})
        self.apply(self.lobby.arrive(player, address, is_operators=is_operators))
        return player

    def do(self, kind: type[commands.LobbyCommand], player: Player, **fields: Any) -> str | None:
        self.count += 1
        command = kind(**{"id": f"c{self.count}"} | fields)
        events = self.apply(self.lobby.decide(command, player, 1_000, new_id=f"new{self.count}", random_number=0))
        return events[-1].ref  # type: ignore[union-attr]

    def refused(self, kind: type[commands.LobbyCommand], player: Player, **fields: Any) -> tuple[str, str]:
        with pytest.raises(Refusal) as caught:
            self.do(kind, player, **fields)
        return caught.value.code, caught.value.text

    def open(self, player: Player, game: GameSpec = THREE) -> str:
        seek = self.do(commands.CreateSeek, player, settings=SeekSettings(game=game))
        assert seek is not None
        return seek

    def match(self, first: Player, second: Player) -> str:
        challenge = self.do(commands.Challenge, first, to=second.id, game=TRAPGRID)
        match = self.do(commands.AcceptChallenge, second, challenge=challenge)
        assert match is not None
        return match


OPEN: dict[str, Any] = {"settings": SeekSettings(game=THREE)}


def test_open_tables_are_bounded_for_an_address_and_in_all() -> None:
    crowd = Crowd()
    homes = [crowd.come(f"h{number}", "home") for number in range(4)]
    for one in homes[:3]:
        last = crowd.open(one)
    code, text = crowd.refused(commands.CreateSeek, homes[3], **OPEN)
    assert (code, "address" in text, "sit down" in text) == ("busy", True, True)
    away = [crowd.come(f"a{number}", f"away {number}") for number in range(4)]
    for one in away[:3]:
        crowd.open(one)
    assert crowd.refused(commands.CreateSeek, away[3], **OPEN)[0] == "server_full"
    crowd.do(commands.JoinSeek, homes[3], seek=last)
    crowd.do(commands.JoinSeek, away[3], seek=last)
    crowd.open(homes[3])


def test_challenges_that_wait_are_bounded_for_an_address_and_in_all() -> None:
    crowd = Crowd()
    target = crowd.come("target", "there")
    homes = [crowd.come(f"h{number}", "home") for number in range(4)]
    for one in homes[:3]:
        last = crowd.do(commands.Challenge, one, to=target.id, game=TRAPGRID)
    assert crowd.refused(commands.Challenge, homes[3], to=target.id, game=TRAPGRID)[0] == "busy"
    away = [crowd.come(f"a{number}", f"away {number}") for number in range(4)]
    for one in away[:3]:
        crowd.do(commands.Challenge, one, to=target.id, game=TRAPGRID)
    assert crowd.refused(commands.Challenge, away[3], to=target.id, game=TRAPGRID)[0] == "server_full"
    crowd.do(commands.AcceptChallenge, target, challenge=last)
    crowd.do(commands.Challenge, homes[3], to=target.id, game=TRAPGRID)


def test_players_who_wait_in_pools_are_bounded_for_an_address_and_in_all() -> None:
    crowd = Crowd()
    homes = [crowd.come(f"h{number}", "home") for number in range(4)]
    for one in homes[:3]:
        crowd.do(commands.EnterPool, one, pool="trapgrid-3-2")
    code, text = crowd.refused(commands.EnterPool, homes[3], pool="isolation-3-2")
    assert (code, "address" in text) == ("busy", True)
    crowd.do(commands.EnterPool, homes[0], pool="isolation-3-2")
    assert crowd.lobby.pool_origins.count("home") == 3, "another pool is no further entry"
    away = [crowd.come(f"a{number}", f"away {number}") for number in range(3)]
    for one in away[:2]:
        crowd.do(commands.EnterPool, one, pool="trapgrid-3-2")
    assert crowd.refused(commands.EnterPool, away[2], pool="trapgrid-3-2")[0] == "server_full"
    crowd.do(commands.LeavePool, homes[0])
    crowd.do(commands.EnterPool, homes[3], pool="trapgrid-3-2")


def test_one_address_does_not_fill_what_waits_for_a_player() -> None:
    crowd = Crowd(Bounds())
    target, friend = crowd.come("target", "there"), crowd.come("friend", "elsewhere")
    for number in range(MAX_CHALLENGES_RECEIVED_PER_ADDRESS):
        crowd.do(commands.Challenge, crowd.come(f"h{number}", "home"), to=target.id, game=TRAPGRID)
    stranger = crowd.come("another", "home")
    assert crowd.refused(commands.Challenge, stranger, to=target.id, game=TRAPGRID)[0] == "busy"
    crowd.do(commands.Challenge, friend, to=target.id, game=TRAPGRID)


def test_live_matches_of_a_player_are_bounded_however_they_are_made() -> None:
    crowd = Crowd()
    ann, ben, cyd, dee = (crowd.come(name, name) for name in ("ann", "ben", "cyd", "dee"))
    seek, waiting = crowd.open(ann), crowd.do(commands.Challenge, cyd, to="ann", game=TRAPGRID)
    crowd.do(commands.JoinSeek, cyd, seek=seek)
    started = crowd.do(
        commands.CreateSeek,
        ann,
        settings=SeekSettings(game=GameSpec(name="quoridor", options={"size": 5, "players": 4}), minimum=2),
    )
    crowd.do(commands.JoinSeek, cyd, seek=started)
    first = crowd.match(ann, ben)
    crowd.match(ann, ben)
    code, text = crowd.refused(commands.Challenge, ann, to="dee", game=TRAPGRID)
    assert (code, text) == ("busy", "ann is in 2 live matches, as many as one may have; end one first")
    assert crowd.refused(commands.AcceptChallenge, ann, challenge=waiting)[0] == "busy"
    assert crowd.refused(commands.CreateSeek, ann, **OPEN)[0] == "busy"
    assert crowd.refused(commands.JoinSeek, dee, seek=seek)[0] == "busy"
    assert crowd.refused(commands.StartSeek, ann, seek=started)[0] == "busy"
    crowd.apply((MatchEnded(first),))
    crowd.do(commands.JoinSeek, dee, seek=seek)


def test_live_matches_of_an_address_are_bounded_and_outlast_the_visit() -> None:
    crowd = Crowd()
    target = crowd.come("target", "there")
    matches = [
        MatchMade(
            f"m{number}", TRAPGRID, (crowd.come(f"h{number}", "home"), crowd.come(f"t{number}", f"t{number}")), NO_CLOCK
        )
        for number in range(3)
    ]
    crowd.apply(tuple(matches))
    for number in range(3):
        crowd.apply((Departed(f"h{number}"),))
    fresh = crowd.come("fresh", "home")
    code, text = crowd.refused(commands.Challenge, fresh, to=target.id, game=TRAPGRID)
    assert (code, "address" in text) == ("busy", True)
    crowd.apply((MatchEnded("m0"),))
    crowd.match(fresh, target)
    assert crowd.refused(commands.Challenge, fresh, to=target.id, game=TRAPGRID)[0] == "busy"


def test_matches_and_waits_count_for_the_address_from_which_their_players_come_after_a_restart() -> None:
    crowd = Crowd()
    away = [Player(id=name, name=name, kind="person") for name in ("one", "two")]
    crowd.apply((MatchMade("m", TRAPGRID, (away[0], away[1]), NO_CLOCK),))
    assert crowd.lobby.match_origins.count("home") == 0
    crowd.come("one", "home")
    assert crowd.lobby.match_origins.count("home") == 1
    crowd.apply((Departed("one"),))
    crowd.come("one", "elsewhere")
    assert (crowd.lobby.match_origins.count("home"), crowd.lobby.match_origins.count("elsewhere")) == (1, 0)
    crowd = Crowd()
    player = crowd.come("h0", "")
    crowd.do(commands.EnterPool, player, pool="trapgrid-3-2")
    assert crowd.lobby.pool_origins.count("home") == 0
    crowd.come("h0", "home")
    assert crowd.lobby.pool_origins.count("home") == 1
    crowd = Crowd()
    one, two = crowd.come("one", "home"), crowd.come("two", "home")
    match = crowd.match(one, two)
    assert crowd.lobby.match_origins.count("home") == 1
    crowd.apply((MatchEnded(match),))
    assert crowd.lobby.match_origins.count("home") == 0


def test_a_bot_has_the_matches_that_it_declared_up_to_a_bound() -> None:
    for declared, bound in ((1, 1), (7, 7), (1_000, MAX_BOT_MATCHES)):
        crowd = Crowd(Bounds(matches_per_player=2, matches_per_address=10_000))
        bot = crowd.come("bot", "lab", "bot")
        crowd.do(commands.Declare, bot, accepts=(Accepts(game="trapgrid"),), concurrency=declared)
        for number in range(bound):
            crowd.match(crowd.come(f"p{number}"), bot)
        assert crowd.refused(commands.Challenge, crowd.come("last"), to="bot", game=TRAPGRID)[0] == "busy"


def test_the_last_places_of_a_house_bot_are_for_those_who_have_no_game_with_it() -> None:
    crowd = Crowd(Bounds())
    bot = crowd.come("server", "lab", "bot", is_operators=True)
    ann, ben = crowd.come("ann", "home"), crowd.come("ben", "home")
    crowd.do(commands.Declare, bot, accepts=(Accepts(game="trapgrid"),), concurrency=8)
    # A challenge that was sent while places were free waits.
    waiting = crowd.do(commands.Challenge, ben, to="server", game=TRAPGRID)
    first = crowd.match(ann, bot)
    for _ in range(5):
        crowd.match(ann, bot)
    for player in (ann, ben):
        code, text = crowd.refused(commands.Challenge, player, to="server", game=TRAPGRID)
        assert code == "busy"
        assert "the last free games of server are for players who have none with it" in text
    assert crowd.refused(commands.AcceptChallenge, bot, challenge=waiting)[0] == "busy"
    crowd.do(commands.CancelChallenge, ben, challenge=waiting)
    crowd.match(crowd.come("cas", "school"), bot)
    crowd.match(crowd.come("dan"), bot)
    assert crowd.lobby.guests["server"].free == 0
    # Who leaves the lobby does not give the places of the games up that go on.
    crowd.apply((MatchEnded(first),))
    assert crowd.refused(commands.Challenge, ann, to="server", game=TRAPGRID)[0] == "busy"
    crowd.match(crowd.come("eve", "club"), bot)


def test_many_who_stay_away_depart_in_steps() -> None:
    crowd = Crowd(Bounds())
    for number in range(2 * MAX_DEPARTURES_PER_TICK + 1):
        crowd.come(f"p{number}")
        crowd.apply(crowd.lobby.disconnect(f"p{number}", 1_000))
    steps = []
    while (due := crowd.lobby.deadline()) is not None:
        assert due == 1_000 + DEPARTURE_DELAY_MS
        steps.append(len(crowd.apply(crowd.lobby.tick(due))))
    assert (steps, crowd.lobby.guests) == ([MAX_DEPARTURES_PER_TICK, MAX_DEPARTURES_PER_TICK, 1], {})


async def test_the_bounds_are_settings_and_a_rematch_counts_as_a_match(start: Start, pair: Pair) -> None:
    limits = {"max_matches_per_player": 2, "max_seeks_per_address": 1, "max_challenges": 1}
    async with start(**limits) as running, running.client("Ann") as ann, running.client("Ben") as ben:
        over = await pair(ann, ben)
        await ann.do(commands.Resign, match=over)
        await pair(ann, ben)
        await ann.do(commands.CreateSeek, settings=SeekSettings(game=THREE))
        assert await ann.refused(commands.CreateSeek, settings=SeekSettings(game=THREE)) == "busy"
        sent = await ann.do(commands.Challenge, to=ben.player.id, game=TRAPGRID)
        assert await ann.refused(commands.Challenge, to=ben.player.id, game=TRAPGRID) == "server_full"
        await ann.do(commands.CancelChallenge, challenge=sent.ref)
        await pair(ann, ben)
        await ann.do(commands.Rematch, match=over)
        assert await ben.refused(commands.Rematch, match=over) == "busy"
