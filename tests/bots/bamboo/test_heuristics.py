"""The random players of the Bamboo paper, on positions worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from cornered.bots.bamboo.cells import cubes, distance, each, outerness, squares, symmetries
from cornered.bots.bamboo.heuristics import HeuristicBot, components_after, groups_after
from cornered.bots.roster import create
from cornered.clients.sdk import Limit
from cornered.engine.games.bamboo import BambooState, cell_numbers, sizes
from tests.bots.scenes import bamboo

RING = {"a1", "a2", "a3", "b1", "b4", "c1", "c5", "d1", "d4", "e1", "e2", "e3"}
"""The outermost cells of radius 2."""


def choices(name: str, state: BambooState) -> set[str]:
    """Return all moves that the bot chooses over many seeds."""
    bot = create(name, 1)
    return {bot.choose(state, Limit()).move for _ in range(400)}


def test_cells_have_the_cube_vectors_of_the_notation() -> None:
    at, numbers = cubes(2), cell_numbers(2)
    assert at[numbers["a1"]] == (-2, 0, 2)
    assert at[numbers["c3"]] == (0, 0, 0)
    assert at[numbers["e3"]] == (2, 0, -2)
    assert at[numbers["c5"]] == (2, -2, 0)
    assert distance(at[numbers["a1"]], at[numbers["e3"]]) == 4
    assert {name for name, number in numbers.items() if outerness(at[number]) == 2} == RING
    assert outerness((-3, 1, 2)) == 3
    assert squares(at[numbers["a1"]]) == 8
    assert squares(at[numbers["b1"]]) == 6


def test_the_twelve_symmetries_are_different_and_keep_distances() -> None:
    for at, found in ((cubes(radius), symmetries(radius)) for radius in (1, 2, 5)):
        cells = list(at)
        assert len({tuple(symmetry.values()) for symmetry in found}) == 12
        assert all(cell == image for cell, image in found[0].items())
        for symmetry in found:
            assert sorted(symmetry.values()) == cells
            for a in cells[::5]:
                for b in cells[::7]:
                    assert distance(at[symmetry[a]], at[symmetry[b]]) == distance(at[a], at[b])


def test_uniform_plays_every_legal_cell() -> None:
    state = bamboo(2, "a1 c3 e3 e1")
    assert choices("bamboo-uniform", state) == set(state.moves())


def test_outer_plays_the_legal_cells_that_are_farthest_from_the_centre() -> None:
    # Beside its only stone, on a1, red may not place.
    assert choices("bamboo-outer", bamboo(2, "a1 c3")) == RING - {"a1", "a2", "b1"}


def test_group_count_avoids_to_join_although_it_may() -> None:
    state = bamboo(2, "a1 c3 e3 e1")
    beside = {"a2", "b1", "b2", "d4", "d3", "e2"}
    assert beside <= set(state.moves())
    assert choices("bamboo-group-count", state) == set(state.moves()) - beside


def test_group_count_with_colours_ignored_keeps_away_from_all_stones() -> None:
    stones = "a1 c3 e3 e1"
    state, at, cells = bamboo(2, stones), cubes(2), cell_numbers(2)
    apart = {
        move
        for move in state.moves()
        if all(distance(at[cells[move]], at[cells[stone]]) > 1 for stone in stones.split())
    }
    assert set() < apart < choices("bamboo-group-count", state)
    assert choices("bamboo-group-count:colours=ignored", state) == apart


def test_groups_are_counted_after_the_placement() -> None:
    chance, state = Random(3), bamboo(3, "")
    while state.outcome is None:
        red, blue = state.stones()
        own = state.stones()[state.to_move]
        for number in each(state.open_cells):
            assert groups_after(state, number) == len(sizes(own | 1 << number))
            assert components_after(state, number) == len(sizes(red | blue | 1 << number))
        state = state.play(chance.choice(state.moves()))


def test_sparsity_plays_the_cells_farthest_from_its_stones_on_average() -> None:
    assert choices("bamboo-sparsity", bamboo(2, "a1 c3")) == {"c5", "d4", "e1", "e2", "e3"}
    # From a1 and e3 the sums of distances are 6 on the other corners and between them, at most 5 elsewhere.
    assert choices("bamboo-sparsity", bamboo(2, "a1 c3 e3 e2")) == {"a3", "b4", "c1", "c5", "d1", "e1"}


def test_without_stones_all_cells_are_equally_sparse_and_the_outermost_break_the_tie() -> None:
    start = bamboo(2, "")
    assert choices("bamboo-sparsity", start) == set(start.moves())
    assert choices("bamboo-sparsity-outer", start) == RING


def test_the_closest_stone_decides_instead_of_the_average() -> None:
    state = bamboo(2, "a1 c3 e3 e2")
    at, cells = cubes(2), cell_numbers(2)
    nearest = {move: min(distance(at[cells[move]], at[cells[own]]) for own in ("a1", "e3")) for move in state.moves()}
    farthest = {move for move in nearest if nearest[move] == max(nearest.values())}
    assert choices("bamboo-sparsity:distance=closest", state) == farthest != choices("bamboo-sparsity", state)
    assert choices("bamboo-sparsity-outer:distance=closest", state) == farthest & RING


def test_sparsity_with_colours_ignored_keeps_away_from_all_stones() -> None:
    # Of the cells four steps from red's stone on e1, c5 alone is four steps from blue's on a1 too.
    state = bamboo(2, "e1 a1")
    for distance_setting in ("closest", "average"):
        spec = f"bamboo-sparsity:distance={distance_setting}"
        assert {"c5"} < choices(spec, state)
        assert choices(f"{spec},colours=ignored", state) == {"c5"}


def test_the_sum_weighs_a_step_outwards_like_a_step_away_from_the_closest_stone() -> None:
    bot = create("bamboo-sparsity-outer:distance=closest,combination=sum", 1)
    assert isinstance(bot, HeuristicBot)
    state, cells = bamboo(2, "a1 e3"), cell_numbers(2)
    assert bot.rate(state, cells["c3"]) == 2 + 0
    assert bot.rate(state, cells["c1"]) == 2 + 2
    assert bot.rate(state, cells["d4"]) == 4 + 2


def first_wins(state: BambooState, player: HeuristicBot) -> Fraction:
    """Return the exact probability that seat 0 wins when both sides are this player."""
    if state.outcome is not None:
        return Fraction(state.outcome.winner == 0)
    numbers = cell_numbers(state.game.radius)
    rated = {move: player.rate(state, numbers[move]) for move in state.moves()}
    best = [move for move, rating in rated.items() if rating == max(rated.values())]
    return sum((first_wins(state.play(move), player) for move in best), Fraction(0)) / len(best)


def test_on_radius_1_the_first_of_two_uniform_players_wins_one_in_seven_and_who_starts_outside_never() -> None:
    # The centre is where a first stone ends the other's game; from the rim the second wins.
    for name, expected in (("bamboo-uniform", Fraction(1, 7)), ("bamboo-outer", Fraction(0))):
        player = create(name)
        assert isinstance(player, HeuristicBot)
        assert first_wins(bamboo(1), player) == expected


def test_outer_beats_uniform_on_radius_5_as_table_3_says() -> None:
    wins = 0
    for number in range(6):
        state = bamboo(5)
        players = [create("bamboo-outer", number), create("bamboo-uniform", number)]
        if number % 2:
            players.reverse()
        while state.outcome is None:
            state = state.play(players[state.to_move].choose(state, Limit()).move)
        wins += state.outcome.winner == number % 2
    assert wins == 6
