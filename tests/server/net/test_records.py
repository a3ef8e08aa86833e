"""A match's events become a record that the engine reads."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cornered.engine.records.record import Record, from_json, to_json
from cornered.engine.records.text import from_text, to_text
from cornered.protocol.commands import AcceptTakeback, MatchCommand, Play, RequestTakeback, Resign
from cornered.protocol.events import MatchEvent
from cornered.protocol.values import NO_CLOCK, Clock, Correspondence, Delay, Fischer, GameSpec, PerMove, Player
from cornered.server.match.catalogue import settle
from cornered.server.match.match import Match, Patience, open_match
from cornered.server.match.terms import Opening
from cornered.server.net.records import record_of, slices_of, time_control_of

SEED = b"s" * 32


class Table:
    """A match that the test plays."""

    def __init__(self, game: GameSpec, clock: Clock = NO_CLOCK, max_plies: int = 2_000) -> None:
        settled, spec = settle(game)
        players = [Player(id=f"p{seat}", name=f"Player {seat}", kind="person") for seat in range(settled.seats)]
        self.events: list[MatchEvent] = list(
            open_match(Opening("m", spec, players, clock), SEED, now=1_800_000_000_000)
        )
        self.match = Match.replay(self.events, SEED, Patience(max_plies=max_plies))

    def do(self, command: MatchCommand, seat: int) -> None:
        for event in self.match.decide(command, seat, 1_800_000_000_000 + self.match.seq * 1000):
            self.events.append(event)
            self.match = self.match.evolve(event)

    def play(self, move: str) -> None:
        command = Play(id=f"c{self.match.seq}", match="m", ply=self.match.ply, move=move)
        self.do(command, self.match.to_move)

    def read_again(self) -> Record:
        record = record_of(self.events)
        assert from_json(to_json(record)) == record
        assert [one.final for one in from_text(to_text(record))] == [record.final]
        assert "".join(slices_of(record)) == to_text(record)
        return record


def test_a_game_played_to_the_end_is_read_again() -> None:
    games: dict[str, dict[str, int | bool | None]] = {
        "trapgrid": {"size": 4},
        "isolation": {"width": 4, "height": 4, "players": 3, "dice": True},
        "bamboo": {"radius": 2},
        "quoridor": {"size": 3},
    }
    for name, options in games.items():
        chance = random.Random(3)
        table = Table(GameSpec(name=name, options=options), Fischer(initial=600, increment=2))
        while not table.match.over:
            table.play(chance.choice(table.match.state.moves()))
        record = table.read_again()
        assert record.final.outcome is not None
        assert record.places == record.final.outcome.places
        assert (record.time_control, record.tags["Match"]) == ("600+2", "m"), name


def test_who_resigns_leaves_the_record_in_its_place() -> None:
    table = Table(GameSpec(name="isolation", options={"width": 5, "height": 5, "players": 3}))
    for move in ("a1", "c3", "e5"):
        table.play(move)
    table.do(Resign(id="r1", match="m"), 1)
    table.do(Resign(id="r2", match="m"), 0)
    record = table.read_again()
    assert record.places == (2, 3, 1)
    duel = Table(GameSpec(name="trapgrid", options={"size": 3}))
    duel.play("a2")
    duel.do(Resign(id="r", match="m"), 0)
    assert (duel.read_again().places, record_of(duel.events).termination) == ((2, 1), "resignation")


def test_what_was_taken_back_is_not_in_the_record_and_every_clock_has_a_word() -> None:
    table = Table(GameSpec(name="trapgrid", options={"size": 4}))
    table.play("a3")
    table.play("d2")
    table.do(RequestTakeback(id="t", match="m"), 0)
    table.do(AcceptTakeback(id="y", match="m"), 1)
    assert table.read_again().plies == ()
    table.play("b4")
    moves: Sequence[str] = [str(state) for state in table.read_again().states()]
    assert len(moves) == 2
    clocks: list[Clock] = [Fischer(initial=300, increment=3), Delay(initial=60, delay=5), PerMove(seconds=30)]
    words = [time_control_of(clock) for clock in (*clocks, Correspondence(days=3), NO_CLOCK)]
    assert words == ["300+3", "60d5", "30/move", "3days/move", "-"]


def test_a_draw_at_the_bound_of_plies_is_read_again_also_where_the_game_knows_no_draws() -> None:
    table = Table(GameSpec(name="isolation", options={"width": 5, "height": 5, "players": 3}), max_plies=5)
    table.play("a1")
    table.do(Resign(id="r", match="m"), 1)
    while not table.match.over:
        table.play(table.match.state.moves()[0])
    assert (table.read_again().places, table.read_again().termination) == ((1, 3, 1), "ply_limit")
