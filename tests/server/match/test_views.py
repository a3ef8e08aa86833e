"""The messages that show a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cornered import engine
from cornered.protocol.codec import CODECS
from cornered.protocol.commands import OfferDraw, Play, Rematch, RequestTakeback, Resign
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, Player
from cornered.server.match import views
from cornered.server.match.catalogue import settle
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.refusal import Refusal

SEED = bytes(range(32))


def match_of(name: str, *moves: str, clock: Clock = NO_CLOCK, private: bool = False, **options: Any) -> Match:
    """Return a match after these moves, each made a second after the previous one."""
    game, spec = settle(GameSpec(name=name, options=options))
    players = [Player(id=f"p{n}", name=f"P{n}", kind="person") for n in range(game.seats)]
    events = open_match(Opening("m1", spec, players, clock, private=private, delay=7), SEED, now=1_000)
    match = Match.replay(events, SEED)
    for ply, move in enumerate(moves):
        play = Play(id=f"c{ply}", match="m1", ply=match.ply, move=move)
        match = evolved(match, match.decide(play, match.to_move, 2_000 + 1_000 * ply))
    return match


def evolved(match: Match, events: Sequence[Any]) -> Match:
    for event in events:
        match = match.evolve(event)
    return match


def told(match: Match, kind: type[OfferDraw | RequestTakeback | Resign | Rematch], seat: int) -> Match:
    return evolved(match, match.decide(kind(id=f"{kind.__name__}-{seat}", match="m1"), seat, match.at))


def test_a_snapshot_shows_the_whole_match_to_its_receiver_and_a_summary_its_line_in_a_list() -> None:
    match = match_of("trapgrid", "a4", "e2", size=5, clock=Fischer(initial=60), private=True)
    shown = views.snapshot(match, 1, connected=[True, False], watchers=4, id="c9")
    assert (shown.id, shown.match, shown.seq, shown.seat, shown.title) == ("c9", "m1", 3, 1, "TrapGrid")
    assert (shown.position, shown.ply, shown.to_move, shown.moves) == (str(match.state), 2, 0, ("a4", "e2"))
    assert (shown.connected, shown.watchers, shown.private, shown.delay) == ((True, False), 4, True, 7)
    assert [seat.player.id for seat in shown.seats] == ["p0", "p1"]
    assert (shown.over, shown.winner, shown.reason, shown.seed, shown.next) == (False, None, None, None, None)
    match = match_of("trapgrid", "a4", size=5)
    word = views.summary(match, 3)
    assert (word.id, word.ply, word.watchers, word.started, word.over) == ("m1", 1, 3, 1_000, False)
    ended = views.summary(told(match, Resign, 1), 0)
    assert (ended.over, ended.winner, ended.reason) == (True, 0, "resignation")


def test_clocks_offers_and_places_are_told_in_a_snapshot() -> None:
    match = match_of("trapgrid", "a4", "e2", "b4", size=5, clock=Fischer(initial=60, increment=1))
    clocks = views.clocks(match)
    assert (clocks.left, clocks.running, clocks.at) == ((60_000, 60_000), 1, 4_000)
    match = match_of("quoridor", "b2", size=3)
    match = told(told(match, OfferDraw, 1), RequestTakeback, 0)
    shown = views.snapshot(match, None, connected=[True, True], watchers=0)
    assert (shown.draw_offer, shown.draw_agreed, shown.has_draws) == (1, (1,), True)
    assert (shown.takeback, shown.takeback_agreed, shown.seat, shown.id) == (0, (0,), None, None)
    match = told(match_of("isolation", players=3), Resign, 1)
    shown = views.snapshot(match, 0, connected=[True] * 3, watchers=0)
    assert [seat.place for seat in shown.seats] == [None, 3, None]


def test_after_the_end_a_snapshot_shows_places_seed_and_rematch() -> None:
    match = told(told(match_of("trapgrid", size=5), Resign, 0), Rematch, 1)
    shown = views.snapshot(match, 0, connected=[True, True], watchers=0)
    assert (shown.over, shown.winner, shown.reason, shown.seed) == (True, 1, "resignation", SEED.hex())
    assert ([seat.place for seat in shown.seats], shown.rematch, shown.next) == ([2, 1], (1,), None)
    assert views.snapshot(told(match, Rematch, 0), 0, connected=[], watchers=0).next == told(match, Rematch, 0).next


def test_what_happened_is_told_with_where_it_led() -> None:
    before = match_of("isolation", "a1", width=4, height=4, dice=True)
    events = before.decide(Play(id="x", match="m1", ply=1, move="d4"), 1, 9_000)
    match = evolved(before, events)
    word = views.happened(match, events)
    assert [event.type for event in word.events] == ["played", "rolled"]
    assert (word.match, word.position, word.ply, word.to_move) == ("m1", str(match.state), 3, 0)
    for codec in CODECS.values():
        assert codec.decode_message(codec.encode(word)) == word


def test_legal_moves_are_those_of_the_seat_to_move_and_none_once_the_match_is_over() -> None:
    match = match_of("trapgrid", "a4", size=5)
    assert views.legal(match) == tuple(match.state.moves())
    assert views.legal(told(match, Resign, 0)) == ()
    match = told(match_of("trapgrid", "a4", size=5), Resign, 0)
    assert views.moves(match, 1, id="c").moves == ()
    assert views.moves(match, 1, id="c").refused == {}
    assert views.moves(match, 0, id="c").moves == tuple(match.states[0].moves())


def test_legal_moves_that_nobody_asked_for_take_no_byte() -> None:
    match = match_of("quoridor")
    legal = views.legal(match)
    told_moves = views.happened(match, ()), views.happened(match, (), legal)
    shown = [views.snapshot(match, 0, connected=[], watchers=0, legal=one) for one in (None, legal)]
    for codec in CODECS.values():
        for plain, guided in (told_moves, shown):
            assert b"legal" not in codec.encode(plain)
            assert codec.decode_message(codec.encode(plain)) == plain
            assert codec.decode_message(codec.encode(guided)) == guided
            assert len(codec.encode(guided)) - len(codec.encode(plain)) < 900


@pytest.mark.parametrize("name", ["trapgrid", "isolation", "bamboo", "quoridor"])
def test_moves_are_the_legal_ones_and_every_other_free_cell_is_explained(name: str) -> None:
    match = match_of(name)
    for _ in range(6):
        move = match.state.moves()[-1]
        play = Play(id=f"c{match.ply}", match="m1", ply=match.ply, move=move)
        match = evolved(match, match.decide(play, match.to_move, 2_000))
    state = match.state
    word = views.moves(match, 6, id="c1")
    assert list(word.moves) == state.moves()
    assert not set(word.refused) & set(word.moves)
    for cell, reason in word.refused.items():
        with pytest.raises(engine.IllegalMove, match=cell) as caught:
            engine.apply(state, cell)
        assert caught.value.reason == reason
    free = str(state).partition(" ")[0].count(".")
    assert len(word.refused) + len([move for move in word.moves if not move.endswith(("h", "v"))]) >= free - 1
    assert (word.notes, word.gauges) == (dict(state.notes()), state.gauges())


def test_cells_of_a_hexagon_are_named_by_row_and_number() -> None:
    # Red (seat 0) has one group of one stone: a second stone may not touch it.
    match = match_of("bamboo", "b2", "a1", radius=1)
    assert set(views.moves(match, 2, id="c").refused) == set()
    assert views.moves(match, 2, id="c").moves == ()
    refused = views.moves(match_of("bamboo", "c3", "a1", radius=2), 2, id="c").refused
    assert set(refused) == {"b2", "b3", "c2", "c4", "d2", "d3"}


def test_moves_and_positions_of_earlier_plies_can_be_asked_for_but_not_of_later_ones() -> None:
    match = match_of("trapgrid", "a4", "e2", size=5)
    assert views.moves(match, 0, id="c").moves == tuple(match.states[0].moves())
    with pytest.raises(Refusal) as caught:
        views.moves(match, 3, id="c")
    assert caught.value.code == "stale_ply"
    match = match_of("trapgrid", "a4", "e2", size=5)
    history = views.history(match, id="c")
    assert history.moves == ("a4", "e2")
    assert history.positions == tuple(str(state) for state in match.states)


def test_what_is_remembered_of_a_position_is_told_of_the_same_position_only() -> None:
    first, second = match_of("trapgrid", "a4", size=5), match_of("trapgrid", "a4", "e2", size=5)
    told_first = views.moves(first, 1, id="c1")
    assert views.moves(second, 1, id="c1") == told_first
    assert views.moves(second, 2, id="c1").moves == tuple(second.state.moves()) != told_first.moves
    assert views.moves(told(first, Resign, 0), 1, id="c1").moves == ()


def test_the_end_and_a_draw_that_comes_near_are_explained_in_the_games_own_words() -> None:
    match = match_of("quoridor", "a1", "c3", "a2", "c2", "a3", size=3)
    ending = views.moves(match, match.ply, id="c1").ending
    assert ending is not None
    assert (ending.seat, ending.you, ending.cells) == (0, "You reached the far side in 3 moves", ("a3",))
    assert views.moves(match, 2, id="c1").ending is None
    given_up = told(match_of("trapgrid", "a4", size=5), Resign, 1)
    assert views.moves(given_up, 1, id="c1").ending is None
    match = match_of("quoridor", "d1", "d9", max_plies=9, no_progress=None)
    assert views.moves(match, 2, id="c1").countdown == "A draw in 7 turns"
    assert views.moves(match_of("quoridor", "d1"), 1, id="c1").countdown is None


def test_a_wall_that_is_not_legal_is_explained_and_a_variation_has_the_gauges_of_every_position() -> None:
    told = views.moves(match_of("quoridor", "e3h"), 1, id="c1").refused
    assert told["e3v"] == "this wall crosses another"
    assert told["d3h"] == "this wall overlaps another"
    assert "c3h" not in told
    assert "e3v" not in views.moves(match_of("quoridor", "e2", walls=0), 1, id="c1").refused
    match = match_of("quoridor", "e2")
    line = views.variation(match, 1, ["e8", "e3h"], id="c1")
    assert line.gauges == ((("walls", 10), ("walls", 10)), (("walls", 9), ("walls", 10)))
