"""The Quoridor specification's figures: counted, played and proven."""

from __future__ import annotations

import importlib
import importlib.util
import math
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate.quoridor_printed import PrintedWeights, choice
from cornered.bots.roster import create
from cornered.bots.roster.quoridor_classic import alpha_beta
from cornered.bots.solve import quoridor
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine.games.quoridor import QuoridorState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.experiments.findings import FigureRow, Finding
from cornered.lab.experiments.judging import about, exact
from cornered.lab.experiments.quoridor_depth import bot_name, difference
from cornered.lab.experiments.quoridor_first_player import EXPERIMENTS as FIRST_PLAYER
from cornered.lab.experiments.quoridor_first_player import proven
from cornered.lab.experiments.quoridor_nodes import full_width, looked_at, most_nodes, plain, widest
from cornered.lab.experiments.quoridor_perfect import chosen, keeps, own_game
from cornered.lab.experiments.quoridor_statistics import beside, peer_shapes, printed_bytes, python_bytes, shape
from cornered.lab.experiments.quoridor_weights import dominance
from cornered.lab.experiments.readings import MAX_LISTED, settled
from cornered.lab.experiments.sampling import random_positions
from cornered.lab.reports.plots import drawing
from tests.lab.experiments.inline import check, run

HAS_PEER = importlib.util.find_spec("pyspiel") is not None


def start(size: int, **options: int) -> QuoridorState:
    state = engine.load("quoridor", size=size, **options).start()
    assert isinstance(state, QuoridorState)
    return state


def searching(seat: int = 0) -> TextbookSearch:
    return TextbookSearch(seat, lambda state, seat: 0.0)


def test_the_printed_sum_of_bytes_holds_for_20_walls_only_and_a_shape_counts_every_position() -> None:
    # "Positions: 4 ints = 16 bytes, walls: 40 ints = 160 bytes, metadata: 5 integers (20 bytes)".
    assert printed_bytes(20) == 16 + 160 + 20
    assert printed_bytes(4) == 16 + 32 + 20
    assert python_bytes(9, 20) > 10 * printed_bytes(20)
    assert python_bytes(9, 20) > python_bytes(3, 4)

    terms = ContestTerms.of("quoridor", {"size": 3})
    moves = ("b2", "a3", "a2")
    counts = [11, len(start(3).play("b2").moves()), len(start(3).play("b2").play("a3").moves())]
    assert shape((terms, moves))["branching"] == pytest.approx(sum(counts) / 3)


def test_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by = check("quoridor-statistics", tmp_path)
    assert [by[f"actions {size}x{size}"].ours for size in (3, 5, 7, 9)] == [17, 57, 121, 209]
    assert {by[f"actions {size}x{size}"].verdict for size in (3, 5, 7, 9)} == {"apart"}
    starts = [by[f"branching {size}x{size}, start"] for size in (3, 5, 9)]
    assert [row.ours for row in starts] == [11, 35, 131]
    assert {(row.verdict, row.kind) for row in starts} == {("new", "exact")}
    assert by["state 3x3, by its own count"].reason == "refuted"
    assert by["state 9x9, by its own count"].verdict == "apart"
    assert by["branching 9x9, random"].verdict == "differs"
    assert by["branching 9x9, random"].reason == "vague"
    assert by["branching 9x9, random"].effective is None, "random games are independent"
    peers = [row for label, row in by.items() if "OpenSpiel" in label]
    assert len(peers) == (6 if HAS_PEER else 0)
    assert all(row.note.startswith("OpenSpiel") and row.kind == "measured" for row in peers)
    assert {row.verdict for row in peers} <= {"apart"}, "OpenSpiel's figure is not the specification's"

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyspiel" else find(name))
    without = run("quoridor-statistics", tmp_path, again=True, keep=True)
    assert not any("OpenSpiel" in row.label for row in without.rows)
    assert "OpenSpiel is not installed" in without.notes[-1]


@pytest.mark.skipif(not HAS_PEER, reason="OpenSpiel, the module pyspiel, is not installed")
def test_openspiel_has_the_same_positions_and_random_games() -> None:
    pyspiel = importlib.import_module("pyspiel")
    for size, walls, depth in ((3, 2, 5), (5, 5, 2), (9, 10, 2)):
        game = pyspiel.load_game("quoridor", {"board_size": size, "wall_count": walls})
        assert peer_perft(game.new_initial_state(), depth) == engine.perft(start(size), depth)
    assert max(game["plies"] for game in peer_shapes((3, 2, 200, 1))) == 36


def test_another_programs_figure_has_no_verdict_and_is_compared_in_the_note() -> None:
    ours, theirs = [4.0, 6.0] * 50, [5.0, 7.0] * 50
    row = beside("length", ours, theirs, "plies", "OpenSpiel 1")
    assert (row.verdict, row.reason, row.claimed, row.ours, row.count) == ("apart", "", "OpenSpiel 6", 5, 100)
    assert row.note.startswith("OpenSpiel 1, mean 6 (5.801 to 6.199); ours less its -1 (-1.28 to -0.718), p = ")
    assert float(row.note.rpartition(" ")[2]) < 1e-6
    assert beside("length", ours, ours, "plies", "").note.endswith("p = 1")


def peer_perft(state: Any, depth: int) -> int:
    """Return the number of lines of `depth` plies from one of OpenSpiel's positions."""
    if depth == 0 or state.is_terminal():
        return int(depth == 0)
    return sum(peer_perft(state.child(action), depth - 1) for action in state.legal_actions())


def test_readings_that_differ_name_the_one_that_agrees_and_many_are_summed_up() -> None:
    agreeing, differing, far = (
        exact(label, "~10", about(10), figure) for label, figure in (("one", 10), ("two", 20), ("three", 30))
    )
    one, two = settled([agreeing, differing], "Nobody knows.")
    assert (one.reason, two.reason, two.why) == ("", "definition", "Nobody knows. Of the 2 readings here one agrees.")
    two, three = settled([differing, far], "Nobody knows.")
    assert (two.reason, three.reason) == ("vague", "vague")
    assert three.why == "Nobody knows. None of these agrees: two, 20; three, 30."

    many = [exact(f"number {figure}", "~10", about(10), figure) for figure in range(20, 20 + MAX_LISTED + 1)]
    why = "Why? None of the 7 readings here agrees: the lowest is number 20, 20; the highest is number 26, 26."
    assert {row.why for row in settled(many, "Why?")} == {why}


def test_plain_minimax_looks_at_every_candidate_and_comes_to_what_alpha_beta_does() -> None:
    terms = ContestTerms.of("quoridor", {"size": 3})
    for line in random_positions(terms, 20, 6):
        for depth in (1, 2, 3):
            one = looked_at((terms, line, depth))
            assert one["same"]
            assert one["pruned"] <= one["plain"]

    state, search = start(5), searching()
    value = plain(state, 2, 0, search, PrintedWeights())
    children = [state.play(move) for move in choice(state, 8)]
    assert search.nodes == 1 + len(children) + sum(len(choice(child, 8)) for child in children)
    assert value == alpha_beta(state, 2, -math.inf, math.inf, 0, searching(), 8, PrintedWeights())[0]


def test_the_whole_tree_is_counted_by_perft_and_has_a_largest_one() -> None:
    assert full_width((ContestTerms.of("quoridor"), (), 2)) == 131 + 16677
    assert full_width((ContestTerms.of("quoridor", {"size": 3}), (), 4)) == 11 + 77 + 380 + 1528

    # The start has 11 moves; elsewhere a pawn that can jump to the side has two more.
    assert widest((3, 1)) == 13
    assert widest((3, 4)) < 3600
    terms = ContestTerms.of("quoridor", {"size": 3})
    assert max(full_width((terms, line, 3)) for line in random_positions(terms, 30, 4)) <= widest((3, 3))

    assert most_nodes(2) == 13 + 169
    terms = ContestTerms.of("quoridor")
    widths = [looked_at((terms, line, 2))["plain"] for line in random_positions(terms, 20, 12)]
    assert max(widths) <= most_nodes(2)


def test_nodes(tmp_path: Path) -> None:
    by = check("quoridor-nodes", tmp_path)
    assert by["9x9, depth 2, start"].ours == 16808
    assert by["9x9, depth 2, start"].verdict == "new"
    assert by["9x9, depth 2, 8 walls, games of depth 1"].reason == "refuted"
    assert by["3x3, depth 2, all moves, games of random"].reason in ("", "vague", "definition")
    assert "3x3, depth 2, 8 walls, games of random" not in by, "it would be the reading of all moves again"
    assert by["positions with the same value"].verdict == "apart"
    assert by["positions with the same value"].ours == 100
    assert 0 < by["9x9, depth 2, saved, games of depth 1"].ours < 100
    saving = by["5x5, depth 2, saved, games of random"]
    share = float(saving.note.partition("%")[0])
    assert saving.ours > share + 20, "all nodes together, not the mean of the positions' shares"
    for what in ("all moves", "8 walls", "saved"):
        # Three games of the deterministic player, after openings that differ.
        assert by[f"5x5, depth 2, {what}, games of depth 1"].effective == 3
        assert by[f"5x5, depth 2, {what}, games of random"].effective is None, "random games are independent"


def played(number: int, deep: str, shallow: str, winner: int | None, nodes: tuple[int, int] = (30, 10)) -> PlayedGame:
    """Return a game after an opening for each pair of numbers, the first player in seat 0 of the even numbers."""
    players = (deep, shallow) if number % 2 == 0 else (shallow, deep)
    efforts = tuple(Effort(1, 0.001, 0.001, count) for count in (nodes if number % 2 == 0 else nodes[::-1]))
    fixture = Fixture(number, players, (str(number // 2),), number // 2)
    return PlayedGame(fixture, (str(number),), winner, "rules", (efforts[0], efforts[1]))


def test_a_gain_against_a_fixed_opponent_is_the_difference_of_two_scores() -> None:
    # The deeper player wins all four games, the other one of the two games of each opening.
    deep = [played(number, bot_name(2), "quoridor-path", number % 2) for number in range(4)]
    shallow = [played(number, bot_name(1), "quoridor-path", 0) for number in range(4)]
    row = difference("5x5, depth 2 less 1, against path", deep, shallow)
    assert (row.ours, row.low, row.high, row.unit) == (50, 50, 50, "points")
    assert row.effective == 2
    assert row.verdict == "differs"


def test_depth(tmp_path: Path) -> None:
    by = check("quoridor-depth", tmp_path)
    assert by["5x5, depth 2, nodes"].ours > by["5x5, depth 1, nodes"].ours
    growth = by["5x5, depth 2 to 1, nodes"]
    assert (growth.verdict, growth.claimed) == ("apart", "~20 times in time"), "nodes are not times"
    assert {by[f"5x5, depth 2{what}, time"].verdict for what in ("", " to 1")} == {"apart"}
    assert {"5x5, depth 3 less 2, against path", "5x5, depth 3 less 2, against depth 1"} < set(by)
    assert "5x5, depth 2 less 1, against depth 1" not in by
    assert "9x9, depth 3 against 2" not in by


def row(low: float, high: float) -> FigureRow:
    return FigureRow("", "", (low + high) / 2, low, high, 100, "new", "%")


def test_what_dominates_costs_most_to_do_without(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[tuple[float, float], tuple[float, float], str], ...] = (
        ((5, 10), (40, 60), "agrees"),
        ((30, 45), (40, 60), "unclear"),
        ((70, 80), (40, 60), "differs"),
    )
    for path, others, verdict in rows:
        with subtests.test(path=path, others=others, verdict=verdict):
            assert dominance({"path": row(*path), "progress": row(*others), "stock": row(*others)}) == verdict


def test_weights(tmp_path: Path) -> None:
    by = check("quoridor-weights", tmp_path)
    assert {f"5x5, {weight}" for weight in ("path 8", "path 16", "path 0", "wall 1", "progress 2.5")} < set(by)
    assert by["5x5, path 0"].claimed == "dominant"


def test_three_by_three_is_lost_for_the_first_player() -> None:
    found = [proven((3, walls)) for walls in range(5)]
    assert [one["plies"] for one in found] == [4, 8, 12, 12, 12]
    assert {one["value"] for one in found} == {"loss"}

    # Four plies from the end no value is an estimate: every line of every move loses.
    search = searching()
    value, _ = depth_limited(start(3, walls=0), 4, 0, search)
    assert value == 4 - 10_000
    assert depth_limited(start(3, walls=0), 3, 0, searching())[0] == 0


def test_two_random_plies_decide_for_the_first_player() -> None:
    found = proven((3, 2))["after_random"]
    state, wins, lines = start(3), 0.0, 0.0
    for first in state.moves():
        for reply in (after := state.play(first)).moves():
            if (then := after.play(reply)).outcome is None:
                chance = 1 / len(after.moves())
                # Mirrored lines have equal values: the solver is asked about the other one.
                image = start(3).play(mirrored(first)).play(mirrored(reply))
                solution = quoridor.solve(image, Limit())
                assert solution is not None
                wins, lines = wins + chance * (solution.value == "win"), lines + chance
                assert then.to_move == 0
    assert found == pytest.approx(wins / lines)
    assert 0.65 < found < 0.7


def mirrored(move: str) -> str:
    """Return a move's mirror image on 3x3: a wall covers the file of its name and the next."""
    files = "abc" if len(move) == 2 else "ab"
    return files[len(files) - 1 - files.index(move[0])] + move[1:]


def test_first_player(tmp_path: Path) -> None:
    by = check("quoridor-first-player", tmp_path)
    proof = by["3x3, walls 2, perfect from the start"]
    assert (proof.ours, proof.verdict, proof.kind) == (0, "new", "proven")
    assert "loss in 12 plies" in proof.note
    after_random = by["3x3, walls 2, perfect after 2 random plies"]
    assert 65 < after_random.ours < 70
    assert (after_random.verdict, after_random.kind) == ("new", "proven"), "no share of games"
    assert {row.kind for row in by.values() if row.claimed} == {"measured"}
    assert by["9x9, random, no draws"].count == 20


def test_the_plot_of_the_first_player_has_each_size_together_and_its_proofs_by_walls() -> None:
    labels = (
        *("9x9, random", "3x3, random", "3x3, walls 2, perfect after 2 random plies", "3x3, round robin"),
        *("3x3, walls 0, perfect from the start", "3x3, walls 0, perfect after 2 random plies"),
        *("3x3, walls 2, perfect from the start", "5x5, walls 0, perfect from the start"),
    )
    rows = tuple(exact(label, "", None, 100.0 if "from" in label else 60.0, 1, "%", "a note") for label in labels)
    with drawing() as figure:
        FIRST_PLAYER[0].plot(Finding("", "", "", "", 1, "tiny", rows, (), {}), figure)
        (axes,) = figure.axes
        drawn = [label.get_text() for label in axes.get_yticklabels()]
        notes = [text for text in axes.texts if text.get_text() == "a note"]
        sides = {text.get_horizontalalignment() for text in notes}
    assert drawn == [labels[place] for place in (0, 7, 1, 3, 4, 5, 6, 2)]
    assert (len(notes), sides) == (3, {"right"}), "beside a win a note is inside the plot"


def test_the_printed_search_chooses_as_its_bot_does_and_own_games_are_judged_to_their_end() -> None:
    terms = ContestTerms.of("quoridor", {"size": 3})
    for line in random_positions(terms, 10, 6):
        state = position_after(terms, line)
        assert isinstance(state, QuoridorState)
        for depth in (1, 2, 3):
            assert chosen(state, depth) == create(bot_name(depth)).choose(state, Limit()).move

    terms = ContestTerms.of("quoridor", {"size": 3, "max_plies": None, "no_progress": None})
    kept = own_game((terms, ("b2", "a3"), 5))
    assert kept
    assert all(kept), "five plies see the end from there"


def test_a_move_keeps_the_value_or_gives_it_away_and_five_plies_win_what_is_won() -> None:
    terms = ContestTerms.of("quoridor", {"size": 3, "max_plies": None, "no_progress": None})
    results = []
    for line in random_positions(terms, 40, 6):
        state = position_after(terms, line)
        solution = quoridor.solve(state, Limit())
        assert isinstance(state, QuoridorState)
        assert solution is not None
        result = keeps((terms, line, 1))
        is_open = len(set(solution.moves.values())) > 1
        assert result["kept"] == (chosen(state, 1) in solution.winning if is_open else None)
        assert (result["won"] is None) == (solution.value != "win")
        results.append(result["kept"])
    assert {None, True, False} == set(results)

    terms = ContestTerms.of("quoridor", {"size": 3, "max_plies": None, "no_progress": None})
    lines = random_positions(terms, 40, 6)
    shallow, deep = ([keeps((terms, line, depth))["won"] for line in lines] for depth in (1, 5))
    assert {None, True, False} == set(shallow)
    assert {None, True} == set(deep)


def test_perfect(tmp_path: Path) -> None:
    by = check("quoridor-perfect", tmp_path)
    assert {"walls 2, depth 1, moves", "walls 2, depth 2, own games", "walls 2, depth 4, wins"} < set(by)
    assert by["walls 2, depth 2, moves"].verdict == "new"
    assert by["walls 2, depth 4, moves"].claimed == "near-perfect"
    assert by["walls 2, depth 4, own games"].ours == pytest.approx(100 * 140 / 146)
    claimed = [row for row in by.values() if row.claimed]
    assert len(claimed) == 3
    assert {row.verdict for row in claimed} == {"apart"}, "a word has no figure"
