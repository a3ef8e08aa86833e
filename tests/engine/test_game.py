"""The contract of games, applied to every module in engine/games without an entry here."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornered import engine
from cornered.engine import CHANCE, Game, IllegalMove, OptionValue, State

JUNK = [
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
]
MOVES = [
    *(f"{letter}{number}{wall}" for letter, number, wall in product("abcdefghijklmn", range(1, 14), ("", "h", "v"))),
    *("pass", "1", "2", "3", "4", "resign", "roll=2"),
    *JUNK,
]
"""Every text that is a move of some game, and some that are moves of none."""

CHOICES = st.lists(st.integers(0, 2**20), max_size=80)


def option_sets(game: type[Game]) -> Iterator[Mapping[str, OptionValue]]:
    """Return the defaults, each option at its ends and without it, and a sample; combinations that the game refuses are
    left out."""
    rng = random.Random(game.name)
    sets: list[dict[str, OptionValue]] = [{}]
    values: dict[str, list[OptionValue]] = {}
    for option in game.OPTIONS:
        known: list[OptionValue] = [True, False] if option.kind == "bool" else [option.choices[0], option.choices[-1]]
        values[option.name] = [*known, None] if option.optional else known
        sets += [{option.name: value} for value in values[option.name]]
    for _ in range(6):
        sets.append({name: rng.choice(known) for name, known in values.items()})
    seen = set()
    for options in sets:
        try:
            settled = game(**options)
        except ValueError:
            continue
        if settled not in seen:
            seen.add(settled)
            yield options


GAMES = [game(**options) for game in engine.games() for options in option_sets(game)]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def after(game: Game, choices: list[int]) -> State:
    """Return the position after the choices' moves, or the last one before the end."""
    state = game.start()
    for choice in choices:
        legal = state.moves()
        following = state.play(legal[choice % len(legal)])
        if following.outcome is not None:
            break
        state = following
    return state


def random_game(game: Game, seed: int, leaving: float = 0.0) -> list[State]:
    rng = random.Random(seed)
    states = [game.start()]
    while states[-1].outcome is None:
        state = states[-1]
        leaves = rng.random() < leaving
        states.append(state.leave(rng.randrange(game.seats)) if leaves else state.play(rng.choice(state.moves())))
        assert len(states) < 20_000, f"{game} does not end"
    return states


def check_outcome(state: State) -> None:
    outcome = state.outcome
    assert outcome is not None
    assert state.moves() == []
    assert len(outcome.places) == state.game.seats
    for place in outcome.places:
        assert place == 1 + sum(other < place for other in outcome.places)
    firsts = [seat for seat, place in enumerate(outcome.places) if place == 1]
    assert outcome.winner == (firsts[0] if len(firsts) == 1 else None)


@every_game
@settings(max_examples=15)
@given(choices=CHOICES)
def test_a_position_survives_being_written_and_read(game: Game, choices: list[int]) -> None:
    state = after(game, choices)
    read = game.parse(str(state))
    assert read == state
    assert hash(read) == hash(state)
    assert str(read) == str(state)
    assert (read.to_move, read.moves()) == (state.to_move, state.moves())


@every_game
@settings(max_examples=10)
@given(choices=CHOICES)
def test_playing_leaves_a_position_as_it_was(game: Game, choices: list[int]) -> None:
    state = after(game, choices)
    before = (str(state), hash(state), state.to_move, state.moves(), state.gauges(), dict(state.notes()))
    for move in state.moves():
        state.play(move)
        state.explain(move)
    for seat in range(game.seats):
        state.leave(seat)
    state.perft(1)
    assert (str(state), hash(state), state.to_move, state.moves(), state.gauges(), dict(state.notes())) == before


@every_game
@settings(max_examples=4)
@given(choices=CHOICES)
def test_exactly_the_listed_moves_are_accepted(game: Game, choices: list[int]) -> None:
    state = after(game, choices)
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


@every_game
def test_a_move_must_be_a_string(game: Game) -> None:
    for move in (None, 3, b"a1", ["a1"]):
        with pytest.raises(IllegalMove, match="a move is a string"):
            engine.apply(game.start(), move)  # type: ignore[arg-type]


@every_game
@pytest.mark.parametrize("seed", [1, 2])
def test_every_game_ends_and_takes_no_move_after_that(game: Game, seed: int) -> None:
    states = random_game(game, seed)
    for state in states[:-1]:
        assert state.moves()
        assert state.to_move == CHANCE or 0 <= state.to_move < game.seats
    check_outcome(states[-1])
    assert game.parse(str(states[-1])).outcome == states[-1].outcome
    assert states[-1].perft(0) == 1
    assert states[-1].perft(1) == 0
    for move in states[0].moves():
        with pytest.raises(IllegalMove, match="the game is over"):
            engine.apply(states[-1], move)


@every_game
@settings(max_examples=5)
@given(choices=CHOICES)
def test_a_seat_that_leaves_is_out_and_the_others_go_on(game: Game, choices: list[int]) -> None:
    state = after(game, choices)
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


@every_game
@pytest.mark.parametrize("seed", [3, 4])
def test_a_game_that_players_leave_gives_every_seat_a_place(game: Game, seed: int) -> None:
    states = random_game(game, seed, leaving=0.1)
    check_outcome(states[-1])
    for state in states:
        assert game.parse(str(state)) == state


@every_game
def test_equal_positions_hash_alike_and_games_do_not_mix(game: Game) -> None:
    start = game.start()
    again = type(game)(**game.options).start()
    assert start == again
    assert hash(start) == hash(again)
    assert len({start, again}) == 1
    assert start != start.play(start.moves()[0])
    assert start != str(start)
    for other in GAMES:
        assert (start == other.start()) == (other == game)


@every_game
def test_text_that_is_no_position_is_refused_in_one_sentence(game: Game) -> None:
    text = str(game.start())
    rows, turn, *facts = text.split(" ")
    broken = [
        "",
        rows,
        f"{rows} 9",
        f"{rows} ",
        f"{rows[:-1]} {turn}",
        f"{rows}/{rows} {turn}",
        f"{rows}. {turn}",
        f"{'?' + rows[1:]} {turn}",
        f"{'9' + rows[1:]} {turn}",
        f"{text} nonsense=1",
        f"{text} nonsense",
        f"{text} out=7",
        f"{text} out=0,0",
        f"{text} out=",
        *([f"{text} {facts[0]}"] if facts else []),
    ]
    for bad in broken:
        with pytest.raises(ValueError, match=r"\w+ \w+") as refused:
            game.parse(bad)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("game", engine.games(), ids=lambda game: game.name)
def test_unknown_options_are_refused_with_a_list_of_the_valid_ones(game: type[Game]) -> None:
    with pytest.raises(ValueError, match=f"no option 'colour'.*{game.OPTIONS[0].name}"):
        engine.load(game.name, colour=3)
    for option in game.OPTIONS:
        for value in ("7", 2.5, 10**6, -1, [3]):
            with pytest.raises(ValueError, match=f"option '{option.name}' takes "):
                engine.load(game.name, **{option.name: value})


@pytest.mark.parametrize("game", engine.games(), ids=lambda game: game.name)
def test_a_game_introduces_itself(game: type[Game]) -> None:
    assert game.name.isidentifier()
    assert game.title
    assert game.summary.endswith(".")
    default = game()
    assert list(default.options) == [option.name for option in game.OPTIONS]
    assert engine.load(game.name, **default.options) == default
    assert len(default.start().gauges()) in (0, default.seats)


def test_an_unknown_game_is_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no game 'chess'.*trapgrid"):
        engine.load("chess")
