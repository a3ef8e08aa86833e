"""Monte Carlo tree search by a network: its answers, its proofs, the tree that it keeps, and its bounds."""

from __future__ import annotations

from random import Random
from time import perf_counter
from typing import Final

import numpy as np
import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.puct.layout import EDGE_COUNT, EXHAUSTED, NODE_COUNT, Tree
from cornered.bots.puct.search import DEFAULT_VISITS, FIRST_VISITS, PuctSearch, supports
from cornered.bots.puct.subtree import copy_subtree
from cornered.bots.roster import create
from cornered.bots.solve import prove
from cornered.engine import Game, State
from tests.bots.scenes import after, bamboo, random_game

BOARDS: Final = (
    engine.load("bamboo", radius=5),
    engine.load("isolation", width=7, height=7),
    engine.load("quoridor", size=9, walls=10),
)
BOARD: Final = BOARDS[0]
EACH: Final = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
PLIES_MAX: Final = 400
DECIDED_RACE: Final = """
h4h f2h c5h h2h e2 e8 e3 e7 e4 e6 d2h e4h d5v f7h f4 e7 g4 h7h d7v e8 g5 e7 f5 e5h g5 g5h e8h b6h h5 e8 i5 f8v h5 e7 g5
f7 b2h g7 a3v h7 a5v h6 a7v i6 g4 i5 f4 h5 e4 g5 d4 g4 c4 f4 b4 e4 b5 d4 b6 c4 c6 b4 d6 b5 d7 b4 d8 c8h
"""
"""The first player is three steps from home, and the second has no wall left and is far away."""
JUMP_HOME: Final = """
e2 b8v e1 g7v f1 a4h g1 c2v g2 e8 g3 e7 d3v c7v g5h a7v g4 e8 g5 d8 g4 f2v g5 e8 f5 b4v e5 e7 d5 d7h d4 e6 d5 b3h d8v
e7 a2h d7 d4 e7 c4 e6 f8v e5 c5 f5 c4 g5 f3h h5 d4 g5 c4 g4 c5 h4 c4 h5 c5 i5 c6 i6 h5v i7 b6 h7 c6 h8 d6 h7 e6 h6 d6
g6 e6 h6 f6 h7 f5 h8 c1h i8 f6 h8 g6 h7 h6 i7 h7 h8
"""
"""The first player can jump home over the second."""
STEP_HOME: Final = "e2 b2h a8h g2h e3 b3v e4 c3v e5 h4h e6 e7v e7 h2v e8 e7 d2v c6v h1h c7h f6h f5v"
"""The first player is one step from home, and steps of which nothing is known come before that one."""


@pytest.fixture(scope="module")
def searches() -> dict[Game, PuctSearch]:
    return {board: PuctSearch(board) for board in BOARDS}


def late_states(board: Game, count: int) -> list[State]:
    """Return positions of random games, 1 to 6 plies before their ends."""
    chance = Random(5)
    found: list[State] = []
    while len(found) < count:
        states = random_game(board, chance, PLIES_MAX)
        if len(states) < PLIES_MAX:
            found.append(states[-chance.randint(1, min(6, len(states)))])
    return found


def test_a_board_without_a_network_is_refused() -> None:
    board = engine.load("bamboo", radius=3)
    assert not supports(board)
    with pytest.raises(ValueError, match="no network"):
        PuctSearch(board)


@EACH
def test_every_thought_is_whole_whatever_the_limit(board: Game, searches: dict[Game, PuctSearch]) -> None:
    state = board.start()
    for limit in (Limit(nodes=1), Limit(nodes=2), Limit(nodes=300), Limit(1), Limit(30, nodes=10_000_000)):
        thought = searches[board].search(state, limit)
        assert limit.nodes is None or thought.nodes <= limit.nodes
        assert thought.move == thought.lines[0].move == thought.pv[0]
        assert sorted(line.move for line in thought.lines) == sorted(state.moves())
        after = state
        for move in thought.pv:
            after = after.play(move)
        assert thought.proven is None


@EACH
def test_the_move_of_a_single_visit_is_one_of_the_best_prior(board: Game, searches: dict[Game, PuctSearch]) -> None:
    search, chance, state, places = searches[board], Random(3), board.start(), set[int]()
    for _ in range(10):
        move = search.search(state, Limit(nodes=1)).move
        names, tree = search._names(state), search._tree
        edges = slice(int(tree.first[0]), int(tree.first[0] + tree.width[0]))
        priors = dict(zip([names[number] for number in tree.move[edges].tolist()], tree.prior[edges], strict=True))
        assert priors[move] == max(priors.values())
        places.add(state.moves().index(move))
        state = state.play(chance.choice(state.moves()))
    assert len(places) > 1, "the first legal move alone"


@EACH
def test_visits_alone_decide_without_a_clock(board: Game, searches: dict[Game, PuctSearch]) -> None:
    state = board.start().play(board.start().moves()[0])
    first = searches[board].search(state, Limit(nodes=700))
    searches[board].search(board.start(), Limit(20))
    assert searches[board].search(state, Limit(nodes=700)) == first == PuctSearch(board).search(state, Limit(nodes=700))
    assert first.nodes == 700
    assert 1 <= first.depth <= first.deepest


@EACH
def test_what_it_proves_is_what_the_solver_proves(board: Game, searches: dict[Game, PuctSearch]) -> None:
    values = []
    for state in late_states(board, 25):
        thought = searches[board].search(state, Limit(nodes=20_000))
        known = prove(state, Limit(nodes=2_000_000))
        if known is not None and known.value is not None and thought.proven is not None:
            assert thought.proven == known.value, str(state)
        for line in thought.lines:
            if known is not None and line.proven is not None and line.move in known.values:
                assert line.proven == known.values[line.move], (str(state), line)
        if thought.proven == "win":
            assert thought.plies is not None
            assert wins_within(state.play(thought.move), state.to_move, thought.plies - 1)
        values.append(thought.proven)
    assert {"win", "loss"} <= set(values)


def wins_within(state: State, seat: int, plies: int) -> bool:
    """Return whether a seat wins within so many plies, by plain search; True where that would take too long."""
    if state.outcome is not None:
        return state.outcome.winner == seat
    if plies > 3:
        return True
    wins = (wins_within(state.play(move), seat, plies - 1) for move in state.moves())
    return plies > 0 and (any(wins) if state.to_move == seat else all(wins))


@EACH
def test_a_root_whose_result_exact_value_knows_has_moves_too(board: Game) -> None:
    search = PuctSearch(board)
    is_known = []
    for state in late_states(board, 25):
        search.search(state, Limit(nodes=600))
        tree = search._tree
        for edge in search._edges(0):
            child = int(tree.child[edge])
            is_known.append(child >= 0 and tree.result[child] != 0 and tree.width[child] == 0)
            after = state.play(search._names(state)[int(tree.move[edge])])
            if is_known[-1] and after.outcome is None:
                thought = PuctSearch(board).search(after, Limit(nodes=50))
                assert thought.move in after.moves()
                break
    assert any(is_known)


def test_a_decided_race_is_won_by_the_shortest_way(searches: dict[Game, PuctSearch]) -> None:
    for visits in (1, 300):
        state, lengths = after("quoridor", DECIDED_RACE, **BOARDS[2].options), list[int | None]()
        while state.outcome is None and len(lengths) < 6:
            thought = searches[state.game].search(state, Limit(nodes=visits))
            lengths.append(thought.plies)
            state = state.play(thought.move)
            if state.outcome is None:
                state = state.play(state.moves()[0])
        assert lengths == [5, 3, 1]


def test_a_win_at_once_is_the_move(searches: dict[Game, PuctSearch]) -> None:
    for moves, win in ((JUMP_HOME, "h9"), (STEP_HOME, "e9")):
        state = after("quoridor", moves, **BOARDS[2].options)
        assert [searches[state.game].search(state, Limit(nodes=visits)).move for visits in (1, 300)] == [win, win]


def test_moves_to_leave_out_are_not_chosen(searches: dict[Game, PuctSearch]) -> None:
    state = BOARD.start()
    ranked = [line.move for line in searches[BOARD].search(state, Limit(nodes=500)).lines]
    left_out = frozenset(ranked[:-1])
    assert searches[BOARD].search(state, Limit(nodes=500), left_out).move == ranked[-1]
    assert searches[BOARD].search(state, Limit(nodes=500), frozenset(ranked[:2])).move not in ranked[:2]


@pytest.mark.parametrize(("time", "nodes"), [(None, 2), (None, 200), (1, None)])
def test_a_move_to_leave_out_is_not_chosen_though_most_visits_know_it(time: int | None, nodes: int | None) -> None:
    search = PuctSearch(BOARD)
    for state in (bamboo(5, moves) for moves in ("", "k1 a6", "k1 a6 f6")):
        best = search.search(state, Limit(nodes=1_500)).move
        thought = search.search(state, Limit(time, nodes=nodes), {best})
        assert thought.move != best
        assert thought.lines[-1].move == best
        # And what is left out once is not left out of the next search.
        assert search.search(state, Limit(nodes=1_500)).move == best
        assert search.search(state, Limit(50)).nodes > 0


def test_the_position_of_the_last_search_is_gone_on_with_without_a_copy() -> None:
    search = PuctSearch(BOARD)
    search.search(BOARD.start(), Limit(nodes=2_000))
    tree = search._tree
    search.search(BOARD.start(), Limit(1))
    assert search._tree is tree
    assert tree.visits[0] > 2_000


def test_a_subtree_that_takes_long_to_copy_is_not_kept() -> None:
    search = PuctSearch(BOARD)
    thought = search.search(BOARD.start(), Limit(nodes=20_000))
    state = BOARD.start().play(thought.move).play(thought.pv[1])
    search._begin(state, Limit(1), is_whole=True)
    assert search._tree.visits[0] == 0


def test_a_depth_alone_is_a_number_of_visits(searches: dict[Game, PuctSearch]) -> None:
    thought = searches[BOARD].search(BOARD.start(), Limit(depth=3))
    assert thought.nodes == DEFAULT_VISITS
    assert thought.depth <= thought.deepest == 3


def test_under_a_clock_the_subtree_of_the_reply_is_reused() -> None:
    search = PuctSearch(BOARD)
    thought = search.search(BOARD.start(), Limit(nodes=3_000))
    before, kept = search._tree, search._kept
    state = BOARD.start().play(thought.move).play(thought.pv[1])
    assert kept is not None
    node = search._known(state, kept, is_whole=True)
    assert node is not None
    visits = int(before.visits[node])
    assert visits > 2
    search.search(state, Limit(60_000), has_to_stop=lambda: True)
    assert search._tree is not before
    assert search._tree.visits[0] == visits + FIRST_VISITS
    search.search(BOARD.start().play(BOARD.start().moves()[0]), Limit(60_000), has_to_stop=lambda: True)
    assert search._tree.visits[0] == FIRST_VISITS


def test_it_is_decided_when_no_other_move_can_get_as_many_visits_in_the_time_that_is_left() -> None:
    search = PuctSearch(BOARD)
    search.search(BOARD.start(), Limit(nodes=3_000))
    first, second, *_ = sorted(search._open_visits().tolist(), reverse=True)
    # As much time is left as has passed, so as many visits may follow.
    since, limit = perf_counter() - 1_000, Limit(1_000_000)
    assert search._is_decided(limit, since, 0, first - second - 1)
    assert not search._is_decided(limit, since, 0, first - second + 1)
    assert not search._is_decided(limit, since, 100, 100)
    assert not search._is_decided(Limit(), since, 0, 1)


def test_a_copied_subtree_is_the_same_below_its_root(searches: dict[Game, PuctSearch]) -> None:
    search = searches[BOARD]
    search.search(BOARD.start(), Limit(nodes=3_000))
    tree, copied = search._tree, Tree.empty(4_000, 400_000)
    edge = max(range(int(tree.first[0]), int(tree.first[0] + tree.width[0])), key=lambda e: int(tree.edge_visits[e]))
    copy_subtree(tree, int(tree.child[edge]), copied)

    def shape(of: Tree, node: int) -> tuple[object, ...]:
        edges = range(int(of.first[node]), int(of.first[node] + of.width[node]))
        below = tuple(
            (int(of.move[e]), float(of.prior[e]), int(of.edge_visits[e]), float(of.edge_total[e]))
            + (() if of.child[e] < 0 else shape(of, int(of.child[e])))
            for e in edges
        )
        return (int(of.visits[node]), float(of.total[node]), int(of.result[node]), int(of.stage[node]), *below)

    assert shape(copied, 0) == shape(tree, int(tree.child[edge]))
    assert copied.visits[0] == tree.edge_visits[edge]
    assert copied.control[NODE_COUNT] < tree.control[NODE_COUNT]


def test_visits_of_edges_add_up_to_those_of_their_node(searches: dict[Game, PuctSearch]) -> None:
    searches[BOARD].search(BOARD.start(), Limit(nodes=2_000))
    tree = searches[BOARD]._tree
    for node in range(int(tree.control[NODE_COUNT])):
        edges = slice(int(tree.first[node]), int(tree.first[node] + tree.width[node]))
        if tree.width[node]:
            # The first visit valued it.
            assert tree.edge_visits[edges].sum() == tree.visits[node] - 1
            assert np.isclose(tree.prior[edges].sum(), 1.0, atol=1e-5)
        for edge in range(edges.start, edges.stop):
            if tree.child[edge] >= 0:
                assert tree.visits[tree.child[edge]] == tree.edge_visits[edge]
                assert np.isclose(tree.total[tree.child[edge]], -tree.edge_total[edge], atol=1e-3)


def test_a_full_tree_ends_the_search_with_an_answer() -> None:
    search = PuctSearch(BOARD, nodes=500, edges=5_000)
    thought = search.search(BOARD.start(), Limit(nodes=100_000))
    assert search._tree.control[EXHAUSTED] == 1
    assert search._tree.control[NODE_COUNT] <= 500
    assert search._tree.control[EDGE_COUNT] <= 5_000
    assert thought.nodes < 100_000
    assert thought.move in BOARD.start().moves()


def test_it_ends_when_it_is_told_to() -> None:
    asked: list[int] = []

    def has_to_stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    thought = PuctSearch(BOARD).search(BOARD.start(), Limit(), has_to_stop=has_to_stop)
    assert 0 < thought.nodes < 3_000


def test_a_finished_game_another_board_and_leaving_out_every_move_are_refused(searches: dict[Game, PuctSearch]) -> None:
    with pytest.raises(ValueError, match="no move left"):
        searches[BOARD].search(BOARD.start(), Limit(nodes=5), BOARD.start().moves())
    with pytest.raises(ValueError, match="plays"):
        searches[BOARD].search(engine.load("bamboo", radius=3).start(), Limit(nodes=5))
    over = late_states(BOARD, 1)[0]
    while over.outcome is None:
        over = over.play(over.moves()[0])
    with pytest.raises(ValueError, match="over"):
        searches[BOARD].search(over, Limit(nodes=5))


def test_the_bot_has_the_search_with_its_settings() -> None:
    bot = create("puct:exploration=0.5,temperature=2")
    assert bot.plays(BOARD)
    assert not bot.plays(engine.load("bamboo", radius=2))
    assert not bot.plays("trapgrid")
    state = BOARD.start()
    bot.prepare(BOARD)
    other = create("puct").choose(state, Limit(nodes=2_000))
    assert bot.choose(state, Limit(nodes=2_000)).lines != other.lines
