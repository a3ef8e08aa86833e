"""The TrapGrid reference's figures, and its parity rule against solved positions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from cornered import engine
from cornered.bots.roster.trapgrid_classic import adaptive_depth, board_of
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.trapgrid_parity import are_separated, first_separated, parity, rules
from cornered.lab.experiments.trapgrid_pruning import SAVING_KINDS, counts, pruning, pruning_at_start, savings
from cornered.lab.experiments.trapgrid_turns import pockets, turns
from tests.lab.experiments.inline import check


def parsed(text: str, size: int) -> TrapGridState:
    state = engine.load("trapgrid", size=size).parse(text)
    assert isinstance(state, TrapGridState)
    return state


def wins(state: State) -> bool:
    """Return whether the mover wins, by brute force."""
    return any(not wins(state.play(move)) for move in state.moves())


def game(terms: ContestTerms, number: int) -> tuple[str, ...]:
    chance, state, moves = Random(number), terms.load().start(), list[str]()
    while state.outcome is None:
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return tuple(moves)


def test_pawns_are_apart_when_no_cell_is_in_reach_of_both(subtests: pytest.Subtests) -> None:
    for text, is_apart in (
        ("0.../..../..../...1 0", False),
        ("0.../xxxx/..../...1 0", True),
        ("0.../xxx./..../...1 0", False),
        ("0.1./xxxx/..../.... 0", False),
        # The pawns are adjacent, and no free cell is between them.
        (".x../0x../1x../.x.. 0", True),
    ):
        with subtests.test(text=text, is_apart=is_apart):
            assert are_separated(board_of(parsed(text, 4))) == is_apart


def test_the_truth_about_pawns_that_are_apart_is_what_trying_everything_finds() -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4})
    seen = set()
    for number in range(60):
        moves = game(terms, number)
        one = first_separated((terms, moves))
        for ply in range(1, len(moves)):
            state = position_after(terms, moves[:ply])
            assert isinstance(state, TrapGridState)
            if are_separated(board_of(state)):
                assert one is not None
                assert one["won"] == wins(state)
                seen.add((parity(one["cells"][0]), one["won"]))
                break
        else:
            assert one is None
    # The rule is right and wrong, for odd and for even pockets.
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


def test_an_odd_pocket_loses_in_fact_and_the_mild_claim_says_what_the_rule_is_worth() -> None:
    # Three cells with the pawn's own, two steps; the other has five and four.
    state = parsed("0..x/xxxx/..../.x.1 0", 4)
    assert are_separated(board_of(state))
    assert parity(3)
    assert not wins(state)

    # The mover's pocket is even and it wins, in 30 of 40 positions: the rule fails, its opposite does not.
    positions = [{"cells": [4, 3], "won": number % 4 != 0} for number in range(40)]
    by = {row.label: row for row in rules("random", positions, range(40))}
    usual = by["random: parity, the mover's cells, usually"]
    assert (usual.ours, usual.verdict, usual.reason) == (25, "differs", "vague")
    assert "75.0% of the positions" in usual.why
    assert by["random: parity, the mover's cells"].reason == "refuted"


def test_parity(tmp_path: Path) -> None:
    by = check("trapgrid-parity", tmp_path)
    certain = by["random: parity, the mover's cells"]
    assert (certain.verdict, certain.reason) == ("differs", "refuted")
    wrong = round(certain.count * (100 - certain.ours) / 100)
    assert f"{wrong} of {certain.count}" in certain.why
    usual = by["random: parity, the mover's cells, usually"]
    assert (usual.ours, usual.low) == (certain.ours, certain.low)
    assert usual.verdict == {True: "agrees", False: "unclear"}[usual.low >= 50]
    assert by["random: the larger pocket wins"].ours > by["random: parity, the mover's cells"].ours


def test_a_saving_of_another_kind_is_a_definition_only_where_the_pooled_one_agrees() -> None:
    found = [{"nodes": 45, "plain": 100, "unsorted": 46, "pruned": 5, "saved": 30 + number % 2} for number in range(40)]
    together, *others = savings(5, found, range(40))
    assert together.verdict == "agrees"
    assert [row.reason for row in others] == ["definition"] * 3
    assert all(f'"{together.label}"' in row.why for row in others)
    # Too few positions, around the end of the range: unclear, which explains nothing.
    few = [{**one, "nodes": nodes} for one, nodes in zip(found, (5, 99, 70, 70), strict=False)]
    together, *others = savings(5, few, range(4))
    assert together.verdict == "unclear"
    assert {row.reason for row in others if row.verdict == "differs"} == {"vague"}


def test_sorting_is_measured_beside_the_order_of_the_cells_also_after_moves() -> None:
    one = pruning_at_start(7)
    assert one.nodes < one.unsorted_nodes < one.plain_nodes == 1 + 2 + 4 + 8 + 16 + 40 + 100 + 240
    assert one.saved_by_sorting == pytest.approx(100 * (1 - one.nodes / one.unsorted_nodes))
    board = board_of(parsed("0.../..../..../...1 0", 4))
    assert pruning(board, 5).score == pruning(board, 5).plain_score

    terms = ContestTerms.of("trapgrid")
    state = position_after(terms, ("a6", "g2"))
    assert isinstance(state, TrapGridState)
    one, figures = pruning(board_of(state), 5), counts((terms, ("a6", "g2"), 5))
    assert (figures["nodes"], figures["plain"]) == (one.nodes, one.plain_nodes)
    assert (figures["pruned"], figures["unsorted"]) == (one.pruned, one.unsorted_nodes)
    assert one.efficiency == pytest.approx(100 * figures["pruned"] / (figures["pruned"] + figures["nodes"]))
    assert figures["same"]


def test_pruning(tmp_path: Path) -> None:
    by = check("trapgrid-pruning", tmp_path)
    assert by["depth 5, start, nodes of minimax"].ours == 71
    assert by["depth 5, start, nodes of minimax"].verdict == "differs"
    assert by["depth 5, start, nodes of alpha-beta"].ours == 44
    assert by["positions with the same value"].ours == 100
    assert by["positions with the same value"].verdict == "apart"
    assert by["depth 5, four moves everywhere, alpha-beta at best"].ours == 79
    assert by["depth 5, start, nodes of minimax"].reason == "refuted"
    # Alpha-beta has 44 and 150 nodes at depths 5 and 8; minimax 31, 71 and 171 at 4, 5 and 6.
    assert by["start, depth of minimax at the nodes of alpha-beta's depth 5"].ours == 4
    assert by["start, depth of minimax at the nodes of alpha-beta's depth 8"].ours == 5
    for depth in (5, 6, 7, 8):
        together, *others = (by[f"depth {depth}, {label}"] for label in SAVING_KINDS.values())
        plain, pruned = by[f"depth {depth}, nodes of minimax"], by[f"depth {depth}, nodes of alpha-beta"]
        assert together.ours == pytest.approx(100 * (1 - pruned.ours / plain.ours))
        assert all(
            row.reason == ("definition" if together.verdict == "agrees" else "vague") or row.verdict != "differs"
            for row in others
        )


def test_a_turn_is_judged_by_proof() -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4})
    moves = game(terms, 3)
    listed = turns((terms, moves))
    assert len(listed) == max(0, len(moves) - 8)
    for ply, turn in enumerate(listed, start=8):
        state = position_after(terms, moves[:ply])
        assert isinstance(state, TrapGridState)
        assert turn["won"] == wins(state)
        assert turn["depth"] == adaptive_depth(board_of(state)) >= 7
        assert turn["kept"] <= turn["won"]


def test_the_cells_in_reach_of_a_turn_are_those_of_the_pawn_with_fewer() -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4})
    for number in range(20):
        moves = game(terms, number)
        cells = [turn["cells"] for turn in pockets((terms, moves))]
        assert len(cells) == max(0, len(moves) - 8)
        for ply, fewest in enumerate(cells, start=8):
            state = position_after(terms, moves[:ply])
            assert isinstance(state, TrapGridState)
            assert fewest == min(flooded(str(state), "01"[seat]) for seat in (0, 1))
        assert all(later <= earlier for earlier, later in pairwise(cells))


def flooded(text: str, pawn: str) -> int:
    """Return how many free cells a pawn can walk to, by flooding the rows of a position's text."""
    rows = text.split()[0].split("/")
    cells = {(y, x): cell for y, row in enumerate(rows) for x, cell in enumerate(row)}
    waiting, seen = [place for place, cell in cells.items() if cell == pawn], set[tuple[int, int]]()
    while waiting:
        y, x = waiting.pop()
        for place in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
            if cells.get(place) == "." and place not in seen:
                seen.add(place)
                waiting.append(place)
    return len(seen)


def test_turns(tmp_path: Path) -> None:
    by = check("trapgrid-turns", tmp_path)
    assert by["turns at depth 5 (more than 6 steps)"].ours == 0
    for depth, words in ((5, "more than 6"), (6, "5 or 6")):
        assert by[f"turns at depth {depth} ({words} steps)"].reason == "refuted"
        # One turn among hundreds would do to agree, so it is no agreement.
        assert by[f"turns at depth {depth} ({words} cells in reach)"].verdict == "apart"
    in_reach = [row for label, row in by.items() if label.endswith("cells in reach)")]
    assert sum(row.ours for row in in_reach) == pytest.approx(100)
    assert by["time a turn, mean"].kind == "time"
    assert by["time a turn, mean"].verdict == by["time a turn, share under 50 ms"].verdict == "apart"
    assert by["most steps of a pawn"].reason == "refuted"
    assert by["turns at depth 7 (3 or 4 steps)"].ours + by["turns at depth 8 (0 to 2 steps)"].ours == pytest.approx(100)
    assert by["most steps of a pawn"].ours <= 3
    # The printed player loses a won position in these games: `kept` depends on its move, not on the position.
    assert 80 < by["won positions kept won"].ours < 100
