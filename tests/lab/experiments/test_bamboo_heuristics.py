"""Table III of the Bamboo paper: its readings, and how they explain what differs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from cornered import engine
from cornered.bots.bamboo.cells import bamboo, cubes, each
from cornered.bots.bamboo.heuristics import HeuristicBot
from cornered.bots.roster import create
from cornered.engine.games.bamboo import BambooState, sizes
from cornered.engine.progress import no_report
from cornered.lab.experiments import bamboo_readings as readings
from cornered.lab.experiments.bamboo_heuristics import ADDED, AVERAGED, Heuristics, explained, measured_readings
from cornered.lab.experiments.bamboo_table_readings import TRIED, log_likelihood
from cornered.lab.experiments.judging import counted
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.reproduction import FOLDER
from cornered.lab.statistics.tally import Tally
from tests.lab.experiments.inline import check
from tests.lab.inline import Inline


def positions(radius: int, games: int) -> Iterator[BambooState]:
    """Yield every position of some random games."""
    chance = Random(7)
    for _ in range(games):
        state = bamboo(engine.load("bamboo", radius=radius).start())
        while state.outcome is None:
            yield state
            state = state.play(chance.choice(state.moves()))


def best_cells(name: str, state: BambooState) -> set[int]:
    """Return the numbers of the cells that a reading likes best."""
    view = readings.view_of(state.position, state.open_cells, state.game.radius)
    numbers = list(cubes(state.game.radius))
    return {numbers[cell] for cell in readings.rated(readings.READINGS[name], view)}


def test_a_reading_likes_the_cells_that_the_bot_of_its_kind_likes(subtests: pytest.Subtests) -> None:
    for name, spec in (
        ("uniform", "bamboo-uniform"),
        ("outer", "bamboo-outer"),
        (readings.GROUPS, "bamboo-group-count"),
        (readings.COMPONENTS, "bamboo-group-count:colours=ignored"),
        (readings.CLOSEST, "bamboo-sparsity:distance=closest"),
        (readings.CLOSEST_OF_ALL, "bamboo-sparsity:distance=closest,colours=ignored"),
        (readings.AVERAGE, "bamboo-sparsity"),
        (readings.CLOSEST + readings.TIES, "bamboo-sparsity-outer:distance=closest"),
        (readings.AVERAGE + readings.TIES, "bamboo-sparsity-outer"),
        (
            readings.CLOSEST_OF_ALL + readings.SUM,
            "bamboo-sparsity-outer:distance=closest,colours=ignored,combination=sum",
        ),
    ):
        with subtests.test(reading=name):
            bot = create(spec)
            assert isinstance(bot, HeuristicBot)
            for state in positions(3, 3):
                ratings = {cell: bot.rate(state, cell) for cell in each(state.open_cells)}
                assert best_cells(name, state) == {cell for cell in ratings if ratings[cell] == max(ratings.values())}


def test_groups_of_two_stones_or_more_are_counted_after_the_placement() -> None:
    for state in positions(3, 3):
        stones = state.stones()
        for name, counted_stones in (
            ("groups of two stones or more", stones[state.to_move]),
            ("components of two stones or more", stones[0] | stones[1]),
        ):
            pairs = {c: sum(size > 1 for size in sizes(counted_stones | 1 << c)) for c in each(state.open_cells)}
            assert best_cells(name, state) == {cell for cell in pairs if pairs[cell] == max(pairs.values())}, name


def test_the_printed_max_without_absolute_values_likes_three_edges_of_six() -> None:
    start = bamboo(engine.load("bamboo", radius=2).start())
    at = cubes(2)
    assert {at[cell] for cell in best_cells("outer by max(v)", start)} == {
        cube for cube in at.values() if max(cube) == 2
    }
    assert len(best_cells("outer by max(v)", start)) == 9
    assert len(best_cells("outer", start)) == 12


def test_ties_fall_by_chance_or_by_the_order_of_cells_or_in_a_heap_that_mistakes_them() -> None:
    state = bamboo(engine.load("bamboo", radius=3).start())
    for move in ("a1", "d4", "g4", "d5"):
        state = state.play(move)
    view, chance = readings.view_of(state.position, state.open_cells, 3), Random(1)

    def chosen(reading: readings.HeuristicReading) -> set[int]:
        return {readings.choose(reading, view, chance) for _ in range(200)}

    best = readings.rated(readings.READINGS[readings.AVERAGE], view)
    assert chosen(readings.READINGS[readings.AVERAGE]) == set(best)
    assert chosen(readings.HeuristicReading(readings.READINGS[readings.AVERAGE].terms, "listed")) == {min(best)}
    assert chosen(readings.READINGS[readings.TRUNCATED]) > set(best)


def test_games_of_readings_repeat_the_seats_alternate_and_outer_wins_against_uniform() -> None:
    assert readings.reading_wins((readings.GROUPS, "uniform", 2, 1, 0, 40)) == readings.reading_wins(
        (readings.GROUPS, "uniform", 2, 1, 0, 40)
    )
    parts = [readings.reading_wins((readings.GROUPS, "uniform", 2, 1, number, number + 1)) for number in range(40)]
    assert sum(parts) == readings.reading_wins((readings.GROUPS, "uniform", 2, 1, 0, 40))
    # On size 1 a player of the rim loses with the first move and wins with the second.
    assert [readings.reading_wins(("outer", "outer", 1, 1, number, number + 1)) for number in range(6)] == [0, 1] * 3

    assert readings.reading_wins(("outer", "uniform", 5, 1, 0, 6)) == 6
    assert readings.reading_wins(("uniform", "outer", 5, 1, 0, 6)) == 0


def test_every_reading_is_tried_once_and_its_likelihood_that_of_the_printed_counts() -> None:
    assert log_likelihood([0.5], [50], 2) == pytest.approx(math.log(0.5))
    assert log_likelihood([0.1, 0.5], [0, 50], 4) == pytest.approx(4 * math.log(0.9) + math.log(6 / 16))
    assert len({reading.label for reading in TRIED}) == len(TRIED)
    assert len({(reading.players, reading.radius) for reading in TRIED}) == len(TRIED)
    assert {name for reading in TRIED for name in reading.players} == set(readings.READINGS)
    assert all(len(reading.players) == len(Heuristics.players) for reading in TRIED)


def test_a_row_that_differs_names_the_reading_that_agrees() -> None:
    table, pair = Heuristics(), ("group count", "uniform")
    literal = table.row("group count against uniform", pair, Tally.of(882, 1000))
    added = table.row(f"group count against uniform{ADDED.suffix}", pair, Tally.of(410, 1000))
    rows = {"": {pair: literal}, ADDED.suffix: {pair: added}}
    found = explained(literal, pair, rows, {})
    assert (found.verdict, found.reason) == ("differs", "definition")
    assert added.label in found.why
    # A reading that was searched for explains less than one that was given.
    assert found.why.endswith(f"It was chosen out of {len(TRIED)} readings because it fits.")
    assert explained(added, pair, rows, {}) == added
    assert explained(literal, pair, {"": {pair: literal}}, {}).reason == "unexplained"
    few = {ADDED.suffix: {pair: table.row("few games", pair, Tally.of(4, 10))}}
    assert (
        explained(literal, pair, few, {}).why == '"few games" may agree, with 40.0%; there are too few games to tell.'
    )
    tallies = {other: Tally.of(1, 2) for other in table.printed} | {pair: Tally.of(380, 1000)}
    by_tried = explained(literal, pair, {"": {pair: literal}}, {"some other": tallies})
    assert by_tried.reason == "definition"
    assert "some other" in by_tried.why
    assert "because it fits" in by_tried.why


def test_a_row_tells_whether_its_reading_was_searched_for_and_its_verdict_for_fewer_games() -> None:
    pair = "sparsity", "group count"
    notes = [Heuristics().variant_row(variant, pair, Tally.of(620, 1000)).note for variant in (ADDED, AVERAGED)]
    assert notes == ["reading chosen to fit; as 50 printed games: unclear", "as 50 printed games: unclear"]
    # 62% and 54 of 100 could be told apart by 100 games with enough power, by 50 they could not.
    row = Heuristics().row("x", ("sparsity", "group count"), Tally.of(620, 1000))
    assert row.verdict == counted("x", 54, Tally.of(620, 1000)).verdict == "agrees"
    assert row.note == "as 50 printed games: unclear"


def test_a_reading_that_was_chosen_to_fit_is_no_agreement_and_two_readings_meet_once(tmp_path: Path) -> None:
    rows = check("bamboo-table-3", tmp_path)
    chosen = [row for label, row in rows.items() if label.endswith(ADDED.suffix)]
    assert len(chosen) == 9
    assert {row.verdict for row in chosen} == {"apart"}
    assert "apart" not in {row.verdict for label, row in rows.items() if not label.endswith(ADDED.suffix)}

    (work,), idle = (tmp_path / FOLDER).glob(".work/*"), Inline()
    lab = Laboratory(idle, work, "tiny", 1, no_report)
    tried = measured_readings(lab)
    meetings = {(one.players[i], one.players[j], one.radius) for one in TRIED for i in range(5) for j in range(i)}
    assert lab.counts["readings"] == len(meetings) < 10 * len(TRIED)
    assert idle.done == 0
    assert set(tried) == {reading.label for reading in TRIED}
    assert tried[TRIED[0].label]["outer", "uniform"] == Tally.of(1, 1)
