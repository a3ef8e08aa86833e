"""The experiments on the Bamboo paper's minimax, tree search, hybrid and their costs."""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import numpy as np
import pytest

from cornered import engine
from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.tree import BambooTreeNode, new_node, run_iteration
from cornered.engine.kernels.hexagon import MAX_MOVES, advance, gen, size_of
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.experiments.bamboo_agents import (
    CHANCE,
    SUMMED_PAIRS,
    VARIANTS,
    Agents,
    distinct,
    explained,
    is_deterministic,
)
from cornered.lab.experiments.bamboo_costs import minimax_tests, playout_tests, work
from cornered.lab.experiments.bamboo_hybrid import ThresholdCurve
from cornered.lab.experiments.bamboo_hybrid import explained as explained_threshold
from cornered.lab.experiments.bamboo_mcts_readings import (
    READINGS,
    SUMMED,
    ReadingGame,
    TreeReading,
    iterate,
    reading_wins,
    value_of,
)
from cornered.lab.experiments.bamboo_minimax import GAMES_BY_SCALE, nodes_per_win, time_per_win
from cornered.lab.experiments.bamboo_pruning import evaluated_of, leaves_in_order, phases_of, savings, searched
from cornered.lab.experiments.judging import counted
from cornered.lab.experiments.laboratory import BotPairing
from cornered.lab.experiments.reproduction import FOLDER
from cornered.lab.statistics.tally import Tally
from tests.lab.experiments.inline import check

START = ContestTerms.of("bamboo", {"radius": 5}, seed=1)


def game(number: int, winner: int, seconds: float, nodes: int = 0) -> PlayedGame:
    """Return a game of bots a and b, who change seats; a takes the seconds and the nodes."""
    ours, theirs = Effort(1, seconds, nodes=nodes), Effort(1, 9.0, nodes=77)
    efforts = (ours, theirs) if number % 2 == 0 else (theirs, ours)
    players = ("a", "b") if number % 2 == 0 else ("b", "a")
    return PlayedGame(Fixture(number, players), (str(number),), winner, "rules", efforts)


def test_the_price_of_a_win_is_the_usual_cost_over_the_share_of_wins() -> None:
    # The bot wins games 0 and 1, and is slow in one game.
    played = (game(0, 0, 0.1, 10), game(1, 1, 0.1, 20), game(2, 1, 0.1, 30), game(3, 0, 5.0, 40))
    meeting = BotPairing("a", "b", played)
    ours, low, high = time_per_win(meeting)
    assert ours == pytest.approx(200)
    assert low < ours < high
    assert nodes_per_win(meeting)[0] == pytest.approx(50)
    never = BotPairing("a", "b", (game(0, 1, 0.1, 10),))
    assert time_per_win(never)[0] == nodes_per_win(never)[0] == float("inf")


def test_figure_11_ranks_by_nodes_with_both_definitions_of_a_group(tmp_path: Path) -> None:
    by = check("bamboo-figure-11", tmp_path)
    assert by["the most efficient depth, by time"].kind == "time"
    for suffix in ("", ", single stones counted"):
        assert by[f"the most efficient depth, by nodes{suffix}"].claimed == "2"
        assert 0 < by[f"nodes for a win, depth 1{suffix}"].ours < by[f"nodes for a win, depth 2{suffix}"].ours
        assert by[f"wins, depth 2{suffix}"].count == GAMES_BY_SCALE["tiny"]["all" if suffix else "pairs"][2]
    played = gzip.decompress((tmp_path / FOLDER / "data" / "bamboo-figure-11" / "games.csv.gz").read_bytes()).decode()
    for kind, games in GAMES_BY_SCALE["tiny"].items():
        assert played.count(f"bamboo-minimax:depth=2,groups={kind}") == games[2]


def test_the_efficiency_of_a_threshold_is_its_share_of_wins_less_its_relative_cost() -> None:
    curve = ThresholdCurve((0, 40, 90), [Tally.of(50, 100), Tally.of(90, 100), Tally.of(100, 100)], [0, 0.2, 1], [])
    assert [round(ours, 6) for ours, _, _ in curve.efficiency(curve.nodes)] == [0.5, 0.7, 0.0]
    assert all(low <= ours <= high for ours, low, high in curve.efficiency(curve.nodes))
    assert curve.optimum(curve.nodes) == (40, [40])
    assert curve.optimum([0, 1, 1])[0] == 0

    few = BotPairing("a", "b", (game(0, 0, 0.1, 10), game(1, 0, 0.1, 10), game(2, 1, 9.0, 900)))
    many = BotPairing("a", "b", (game(0, 0, 0.4, 20), game(1, 1, 0.4, 20)))
    curve = ThresholdCurve.of((0, 40), [few, many], 2)
    assert [tally.share for tally in curve.tallies] == [0.5, 1.0]
    assert curve.nodes == [0.5, 1.0]
    assert curve.times == pytest.approx([0.25, 1.0])


def test_figures_14_and_15_have_the_chance_level_control(tmp_path: Path) -> None:
    by = check("bamboo-figures-14-15", tmp_path)
    control = by["wins against uniform, threshold 40, chance for the network"]
    assert control.claimed == by["wins against uniform, threshold 40"].claimed == "91%"
    assert by["the best threshold by time against uniform"].verdict == "apart"
    assert by["the best threshold by nodes against outer, chance for the network"].claimed == "40"


def test_players_that_always_answer_alike_are_known() -> None:
    players = Agents.players
    assert is_deterministic(players["minimax"], players["neural net"], players["hybrid"])
    for name in ("random", "MCTS"):
        assert not is_deterministic(players["minimax"], players[name])
    assert distinct(100, players["minimax"], players["hybrid"]) == 2
    assert distinct(100, players["minimax"], CHANCE.bots["hybrid"]) == 100
    assert not is_deterministic(CHANCE.bots["hybrid"])
    assert not is_deterministic(CHANCE.bots["neural net"])


def test_table_4_counts_deterministic_pairs_as_two_games_and_has_its_variants(tmp_path: Path) -> None:
    by = check("bamboo-table-4", tmp_path)
    labels = list(by)
    assert labels[:10] == [f"{first} against {second}" for first, second in sorted(Agents.printed, key=_place)]
    for first, second in (("neural net", "minimax"), ("hybrid", "minimax"), ("hybrid", "neural net")):
        row = by[f"{first} against {second}"]
        assert row.count == row.effective or row.effective is None
        assert row.count == 2
        assert row.verdict != "agrees", "two games decide nothing"
        printed = Agents.printed[first, second]
        assert row.p == counted("", printed, Tally.of(row.ours / 50, 2), of=2).p
        assert "2 different ones" in row.note
    assert len(by) == 10 + sum(len(variant.pairs) for variant in VARIANTS) + len(SUMMED_PAIRS)
    assert by[f"MCTS against random, {SUMMED}"].claimed == "88%"
    assert all(row.verdict == "new" for label, row in by.items() if label.endswith("random plies"))


def test_a_control_without_a_network_is_no_reading_of_the_paper() -> None:
    ours = counted("hybrid against random", 91, Tally.of(1000, 1000))
    control = counted(f"hybrid against random{CHANCE.suffix}", 91, Tally.of(925, 1000))
    assert (ours.verdict, control.verdict) == ("differs", "agrees")
    ours_explained = explained(ours, control)
    assert ours_explained.reason == "vague"
    assert control.label in ours_explained.why
    assert explained(control, None) == control
    for_hybrid = explained_threshold(ours, control, "The paper does not say.")
    assert (for_hybrid.reason, "92%" in for_hybrid.why, control.label in for_hybrid.why) == ("vague", True, True)
    assert explained(ours, None).reason == "vague"
    # Another reading of the same words is a definition.
    summed = counted(f"MCTS against random, {SUMMED}", 88, Tally.of(870, 1000))
    assert explained(counted("MCTS against random", 88, Tally.of(1000, 1000)), summed).reason == "definition"


def _place(pair: tuple[str, str]) -> tuple[int, int]:
    names = list(Agents.players)
    return names.index(pair[1]), names.index(pair[0])


def grown(reading: TreeReading | None, iterations: int) -> BambooTreeNode:
    """Return a tree on radius 2, grown by a reading, or as the bot grows it."""
    chance = Random(7)
    root = new_node(bamboo(engine.load("bamboo", radius=2).start()).position, chance)
    for _ in range(iterations):
        if reading is None:
            run_iteration(root, 0.4, 127, chance)
        else:
            iterate(root, reading, 0.4, chance)
    return root


def visits(node: BambooTreeNode) -> dict[int, tuple[int, int]]:
    return {move: (child.visits, child.wins) for move, child in node.children.items()}


def test_the_default_reading_is_the_bots_search_and_every_other_one_is_not_and_games_repeat() -> None:
    ours = visits(grown(None, 300))
    assert visits(grown(TreeReading(), 300)) == ours
    for name, reading in READINGS.items():
        if reading.keeps_tree:
            assert visits(grown(reading, 300)) != ours, name

    items = [ReadingGame(name, 0.4, 5, "bamboo-uniform", 1, number) for name in READINGS for number in range(2)]
    won = [reading_wins(item) for item in items]
    assert won == [reading_wins(item) for item in items]
    assert set(won) <= {0, 1}


def test_a_quotient_may_be_whole_and_who_wins_is_counted_for_the_root_the_leaf_or_the_node() -> None:
    node = BambooTreeNode(bamboo(engine.load("bamboo", radius=2).start()).position, [], visits=4, wins=3)
    assert value_of(node, TreeReading()) == 0.75
    assert value_of(node, TreeReading(is_whole=True)) == 0
    assert value_of(node, TreeReading(is_summed=True)) == 3
    node.wins = 4
    assert value_of(node, TreeReading(is_whole=True)) == 1

    kinds = TreeReading(), TreeReading(for_root=True), TreeReading(for_leaf=True)
    # The root's player moves to each of its children, so that the three count the same until one has a child.
    once, *others = (visits(grown(reading, 19)) for reading in kinds)
    assert others == [once, once]
    plain, root, leaf = (grown(reading, 100) for reading in kinds)
    deeper = [child for child in plain.children.values() if child.children]
    assert deeper
    # A node's wins and its children's are the two players' unless all are the root player's.
    assert all(child.wins <= child.visits - sum(reply.wins for reply in child.children.values()) for child in deeper)
    for child in root.children.values():
        assert child.wins >= sum(reply.wins for reply in child.children.values())
    for child in leaf.children.values():
        assert child.wins >= sum(reply.wins for reply in child.children.values())


def test_figures_12_and_13_judge_the_reading_by_the_text_below_equation_8(tmp_path: Path) -> None:
    by = check("bamboo-figures-12-13", tmp_path)
    readings = [label for label in by if any(label.endswith(name) for name in READINGS)]
    assert len(readings) == len(READINGS) + 1
    assert {label: by[label].claimed for label in readings if by[label].claimed} == {
        f"20 iterations, mean over c, {SUMMED}": "87%",
        f"c = 0.4, 20 iterations, {SUMMED}": "91%",
    }


def test_the_three_forms_of_minimax_agree_and_each_phase_is_a_third_of_the_game() -> None:
    found = searched((START, (), 2))
    assert len({found[f"{kind} value"] for kind in ("plain", "pruned", "sorted")}) == 1
    # All replies: the root, 91 moves and 91 x 90 replies.
    assert found["plain nodes"] == 1 + 91 + 91 * 90
    assert found["pruned nodes"] < found["plain nodes"] / 10
    assert "plain nodes" not in searched((ContestTerms.of("bamboo", {"radius": 5}), _random_game()[:60], 4))

    for number in range(30):
        played = PlayedGame(Fixture(number, ("a", "b"), ("x",) * 2), tuple("x" * 62), 0, "rules")
        early, middle, late = map(len, phases_of(START, played))
        assert 2 <= early < 22 <= middle < 42 <= late < 62


def _random_game() -> tuple[str, ...]:
    state, chance, moves = engine.load("bamboo", radius=5).start(), Random(3), list[str]()
    while state.outcome is None:
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return tuple(moves)


def test_a_perfect_order_cuts_all_but_one_branch_and_the_worst_cuts_ties_alone() -> None:
    # At the start one branch of 90 leaves, and one leaf of each other branch.
    assert leaves_in_order((START, (), True)) == {"evaluated": 90 + 90, "all": 91 * 90}
    tied = leaves_in_order((START, (), False))
    assert 0 < tied["evaluated"] < tied["all"]
    # With all values different the worst order cuts nothing, as the paper says.
    chance = Random(1)
    values = chance.sample(range(1000), 91 * 9)
    replies = [values[9 * i : 9 * i + 9] for i in range(91)]
    assert evaluated_of(replies, is_best_first=False) == 91 * 9
    assert evaluated_of(replies, is_best_first=True) == 9 + 90


def test_the_pruning_experiment_checks_values_and_judges_the_papers_three_claims(tmp_path: Path) -> None:
    by = check("bamboo-pruning", tmp_path)
    same = by["searches with the same value"]
    assert (same.ours, same.verdict) == (100, "apart")
    assert by["leaves at the start, depth 2, the best first"].ours == 180
    assert by["leaves cut off, depth 2, the worst first"].claimed == "none"
    assert by["what sorting saves, early less late, depth 2"].claimed == "more early"
    assert all(row.kind == "time" for label, row in by.items() if label.startswith("time"))


def test_a_saving_adds_nodes_up_and_does_not_average_shares() -> None:
    # A large search is halved and a small one doubled.
    found = [
        {"plain nodes": 2000, "pruned nodes": 1000, "sorted nodes": 500},
        {"plain nodes": 20, "pruned nodes": 10, "sorted nodes": 20},
    ]
    rows = {row.label: row for row in savings(2, {"early": found, "late": found[1:] * 2})}
    assert rows["nodes that sorting saves, depth 2, early"].ours == pytest.approx(100 * (1 - 520 / 1010))
    assert rows["nodes that sorting saves, depth 2, late"].ours == pytest.approx(-100)
    whole = rows["nodes that sorting saves, depth 2, all thirds"]
    assert whole.ours == pytest.approx(100 * (1 - 560 / 1030))
    assert (whole.count, whole.effective) == (4, 2)
    assert rows["nodes that pruning saves, depth 2, all thirds"].ours == pytest.approx(50)
    assert savings(1, {"early": found}) == []


def test_legality_tests_of_minimax_are_those_of_its_nodes() -> None:
    # Counted one by one on radius 2: every listing tests the free cells, and an estimate lists for both players.
    position = bamboo(engine.load("bamboo", radius=2).start()).position
    moves = np.empty(MAX_MOVES, np.int64)
    tests, nodes = 19, 1
    for move in moves[: gen(position, moves)].tolist():
        child = advance(position, move)
        tests += size_of(child[6:9])
        nodes += 1
        for reply in range(gen(child, np.empty(MAX_MOVES, np.int64))):
            del reply
            tests += 2 * (size_of(child[6:9]) - 1)
            nodes += 1
    assert minimax_tests(19, 19, nodes) == tests


def test_legality_tests_of_a_random_game_are_the_expected_ones_and_pruning_takes_fewer() -> None:
    position = bamboo(engine.load("bamboo", radius=1).start()).position
    chance, again, moves, expected = Random(5), Random(5), np.empty(MAX_MOVES, np.int64), 0.0
    result = playout_tests(position, chance)
    while count := gen(position, moves):
        # Averaged over 20,000 shuffles: the place of the first legal cell.
        free, draw = size_of(position[6:9]), Random(1)
        places = [min(draw.sample(range(1, free + 1), count)) for _ in range(20_000)]
        expected += sum(places) / len(places)
        position = advance(position, int(moves[again.randrange(count)]))
    # The last turn tests every free cell in vain.
    assert result == pytest.approx(expected + size_of(position[6:9]), rel=0.01)

    worked = work((1, 1))
    assert 0 < worked["minimax, depth 2"] < worked["minimax, depth 2, nothing pruned"]
    assert work((1, 1)) == worked


def test_costs_are_times_apart_and_tests_counted(tmp_path: Path) -> None:
    by = check("bamboo-costs", tmp_path)
    times = [row for label, row in by.items() if label.startswith("time")]
    assert {row.kind for row in times} == {"time"}
    assert {row.verdict for row in times} <= {"apart", "new"}
    assert sum(label.startswith("legality tests") for label in by) == 5
