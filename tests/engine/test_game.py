"""The contract of games, applied to every module in engine/games without an entry here."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from typing import Final

import pytest

from cornered import engine
from cornered.engine import CHANCE, Game, IllegalMove, OptionValue, State

MOVES: Final = (
    *(f"{letter}{number}{wall}" for letter, number, wall in product("abcdefghijklmn", range(1, 14), ("", "h", "v"))),
    *("pass", "1", "2", "3", "4", "resign", "roll=2"),
    *(
        "",
        " ",
        "a",
        "1a",
        "a0",
        "A1",
        " a1",
        "a1 ",
        "a01",
        "a1h ",
        "a1H",
        "a1hv",
        "h1a",
        "aa1",
        "é1",
        "a1\n",
        "-1",
        "0",
    ),
)
"""Every text that is a move of some game, and some that are moves of none."""

EACH = pytest.mark.parametrize("kind", engine.games(), ids=lambda kind: kind.name)


@cache
def variants(kind: type[Game]) -> tuple[Game, ...]:
    """Return the game with its defaults, each option at its ends and without it, and a sample; combinations that the
    game refuses are left out."""
    rng = random.Random(kind.name)
    sets: list[dict[str, OptionValue]] = [{}]
    values: dict[str, list[OptionValue]] = {}
    for option in kind.OPTIONS:
        known: list[OptionValue] = [True, False] if option.kind == "bool" else [option.choices[0], option.choices[-1]]
        values[option.name] = [*known, None] if option.optional else known
        sets += [{option.name: value} for value in values[option.name]]
    sets += [{name: rng.choice(known) for name, known in values.items()} for _ in range(6)]
    found: dict[Game, None] = {}
    for options in sets:
        try:
            found[kind(**options)] = None
        except ValueError:
            continue
    return tuple(found)


def random_game(game: Game, seed: int, leaving: float = 0.0) -> list[State]:
    """Return the positions of a random game; before a share `leaving` of the moves a seat leaves instead."""
    rng = random.Random(f"{game!r} {seed}")
    states = [game.start()]
    while states[-1].outcome is None:
        state = states[-1]
        leaves = rng.random() < leaving
        states.append(state.leave(rng.randrange(game.seats)) if leaves else state.play(rng.choice(state.moves())))
        assert len(states) < 20_000, f"{game} does not end"
    return states


def stages(game: Game, seed: int, count: int) -> list[State]:
    """Return the first position of a random game, the last unfinished one, and some between."""
    states = random_game(game, seed)[:-1]
    return [states[at * (len(states) - 1) // (count - 1)] for at in range(count)]


def check_outcome(state: State) -> None:
    outcome = state.outcome
    assert outcome is not None
    assert state.moves() == []
    assert len(outcome.places) == state.game.seats
    for place in outcome.places:
        assert place == 1 + sum(other < place for other in outcome.places)
    firsts = [seat for seat, place in enumerate(outcome.places) if place == 1]
    assert outcome.winner == (firsts[0] if len(firsts) == 1 else None)


@EACH
def test_a_position_survives_being_written_and_read(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            for state in stages(game, 1, 24):
                read = game.parse(str(state))
                assert read == state
                assert hash(read) == hash(state)
                assert str(read) == str(state)
                assert (read.to_move, read.moves()) == (state.to_move, state.moves())


@EACH
def test_playing_leaves_a_position_as_it_was(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            for state in stages(game, 2, 12):
                before = (str(state), hash(state), state.to_move, state.moves(), state.gauges(), dict(state.notes()))
                for move in state.moves():
                    state.play(move)
                    state.explain(move)
                for seat in range(game.seats):
                    state.leave(seat)
                state.perft(1)
                after = (str(state), hash(state), state.to_move, state.moves(), state.gauges(), dict(state.notes()))
                assert after == before


@EACH
def test_exactly_the_listed_moves_are_accepted(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            for state in stages(game, 3, 5):
                legal = state.moves()
                assert len(set(legal)) == len(legal) == state.perft(1)
                assert set(legal) <= set(MOVES)
                for move in MOVES:
                    assert state.is_legal(move) == (move in legal), move
                    if move in legal:
                        assert engine.apply(state, move) == state.play(move)
                        continue
                    with pytest.raises(IllegalMove) as refused:
                        engine.apply(state, move)
                    assert refused.value.move == move
                    assert repr(move) in str(refused.value)
                    reason = refused.value.reason
                    assert len(reason.split()) >= 3, reason
                    assert "\n" not in reason


@EACH
def test_a_move_must_be_a_string(kind: type[Game]) -> None:
    for move in (None, 3, b"a1", ["a1"]):
        with pytest.raises(IllegalMove, match="a move is a string"):
            engine.apply(kind().start(), move)  # type: ignore[arg-type]


@EACH
def test_every_game_ends_and_takes_no_move_after_that(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            first, *others = random_game(game, 4)
            for state in (first, *others[:-1]):
                assert state.moves()
                assert state.to_move == CHANCE or 0 <= state.to_move < game.seats
            end = others[-1]
            check_outcome(end)
            assert game.parse(str(end)).outcome == end.outcome
            assert [end.perft(0), end.perft(1)] == [1, 0]
            for move in first.moves():
                with pytest.raises(IllegalMove, match="the game is over"):
                    engine.apply(end, move)


@EACH
def test_a_seat_that_leaves_is_out_and_the_others_go_on(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            for state in stages(game, 5, 8):
                for seat in range(game.seats):
                    left = state.leave(seat)
                    assert game.parse(str(left)) == left
                    assert left.leave(seat) == left
                    if game.seats == 2:
                        check_outcome(left)
                        assert left.outcome is not None
                        assert left.outcome.winner == 1 - seat
                    elif left.outcome is None:
                        assert left.to_move != seat
                        assert left.moves()
                for seat in (-1, game.seats):
                    with pytest.raises(ValueError, match=f"no seat {seat}"):
                        state.leave(seat)


@EACH
def test_a_game_that_players_leave_gives_every_seat_a_place(kind: type[Game], subtests: pytest.Subtests) -> None:
    for game in variants(kind):
        with subtests.test(repr(game)):
            states = random_game(game, 6, leaving=0.1)
            check_outcome(states[-1])
            for state in states:
                assert game.parse(str(state)) == state


@EACH
def test_equal_positions_hash_alike_and_games_do_not_mix(kind: type[Game]) -> None:
    for game in variants(kind):
        start, again = game.start(), type(game)(**game.options).start()
        assert start == again
        assert hash(start) == hash(again)
        assert start != start.play(start.moves()[0])
        assert start != str(start)
        for other in (variant for any_kind in engine.games() for variant in variants(any_kind)):
            assert (start == other.start()) == (other == game), (game, other)


@EACH
def test_text_that_is_no_position_is_refused_in_one_sentence(kind: type[Game]) -> None:
    for game in variants(kind):
        text = str(game.start())
        rows, turn, *facts = text.split(" ")
        broken = [
            *("", rows, f"{rows} 9", f"{rows} ", f"{rows[:-1]} {turn}", f"{rows}/{rows} {turn}", f"{rows}. {turn}"),
            *(f"{'?' + rows[1:]} {turn}", f"{'9' + rows[1:]} {turn}", f"{text} nonsense=1", f"{text} nonsense"),
            *(f"{text} out=7", f"{text} out=0,0", f"{text} out=", *(f"{text} {fact}" for fact in facts[:1])),
        ]
        for bad in broken:
            with pytest.raises(ValueError, match=r"\w+ \w+") as refused:
                game.parse(bad)
            assert "\n" not in str(refused.value)


@EACH
def test_unknown_options_are_refused_with_a_list_of_the_valid_ones(kind: type[Game]) -> None:
    with pytest.raises(ValueError, match=f"no option 'colour'.*{kind.OPTIONS[0].name}"):
        engine.load(kind.name, colour=3)
    for option in kind.OPTIONS:
        for value in ("7", 2.5, 10**6, -1, [3]):
            with pytest.raises(ValueError, match=f"option '{option.name}' takes "):
                engine.load(kind.name, **{option.name: value})


@EACH
def test_a_game_introduces_itself(kind: type[Game]) -> None:
    assert kind.name.isidentifier()
    assert kind.title
    assert kind.summary.endswith(".")
    default = kind()
    assert list(default.options) == [option.name for option in kind.OPTIONS]
    assert engine.load(kind.name, **default.options) == default
    assert len(default.start().gauges()) in (0, default.seats)


def test_an_unknown_game_is_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no game 'chess'.*trapgrid"):
        engine.load("chess")
