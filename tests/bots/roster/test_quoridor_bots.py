"""The Quoridor players of the references: what each of them is about."""

from __future__ import annotations

import time

from cornered import engine
from cornered.bots.bot import WIN, Limit
from cornered.bots.evaluate.paths import both_ways
from cornered.bots.evaluate.quoridor_printed import choice
from cornered.bots.evaluate.rings import evaluate_state
from cornered.bots.roster import create
from cornered.bots.textbook.shares import Shares, estimated, final
from cornered.engine import State
from tests.bots.scenes import quoridor


def test_the_walker_walks_while_it_is_not_behind() -> None:
    walker = create("quoridor-path")
    assert walker.choose(quoridor(), Limit()).move == "e2"
    assert walker.choose(quoridor("e2"), Limit()).move in {"e8", "d1h", "e1h", "d2h", "e2h", "d3h", "e3h", "d4h", "e4h"}


def test_the_walker_puts_a_wall_in_the_way_of_the_player_ahead() -> None:
    state = quoridor("e2 d9 e3")
    wall = create("quoridor-path").choose(state, Limit()).move
    assert len(wall) == 3
    after = state.play(wall)
    assert both_ways(after.position)[0] > both_ways(state.position)[0]


def test_the_walker_without_walls_walks_on_though_behind() -> None:
    assert len(create("quoridor-path").choose(quoridor("e2 d9 e3", walls=0), Limit()).move) == 2


def test_the_classic_looks_at_no_more_than_eight_walls_a_node() -> None:
    thought = create("quoridor-classic:depth=1").choose(quoridor(), Limit())
    assert len(thought.lines) == 3 + 8
    assert len(create("quoridor-classic:depth=1,walls=2").choose(quoridor(), Limit()).lines) == 3 + 2


def test_the_classic_takes_a_win_and_says_how_far_it_is() -> None:
    near = "........./....0..../........./........./1......../........./........./........./......... 0"
    won = create("quoridor-classic:depth=3").choose(engine.load("quoridor", walls=0).parse(near), Limit())
    assert (won.move, won.score, won.proven) == ("e9", WIN - 1, "win")


def test_ties_are_broken_alike_whatever_the_seed() -> None:
    state = quoridor("e2 e8 d2 f8")
    for spec in ("quoridor-classic:depth=2", "quoridor-path"):
        assert len({create(spec, seed).choose(state, Limit()).move for seed in range(4)}) == 1


def test_the_classic_stops_at_its_limit() -> None:
    bot = create("quoridor-classic:depth=4,walls=128")
    began = time.process_time()
    thought = bot.choose(quoridor("e2 e8"), Limit(time=60))
    assert time.process_time() - began < 1
    assert thought.move in quoridor("e2 e8").moves()
    assert bot.choose(quoridor("e2 e8"), Limit(nodes=100)).nodes <= 100


def test_max_n_of_two_chooses_what_plain_max_n_chooses_among_the_same_moves() -> None:
    def plain(state: State, depth: int, ply: int) -> Shares:
        if state.outcome is not None:
            return final(state.outcome, ply)
        if depth == 0:
            return estimated(state, evaluate_state)
        shares = [plain(state.play(move), depth - 1, ply + 1) for move in choice(state, 3)]  # type: ignore[arg-type]
        return max(shares, key=lambda share: share[state.to_move])

    for players in (2, 4):
        state = quoridor("e2 b5 e8 h5 d2" if players == 4 else "e2 e8 e3", players=players)
        values = {move: plain(state.play(move), 2, 1)[state.to_move] for move in choice(state, 3)}
        move = create("quoridor-maxn:depth=3,walls=3").choose(state, Limit()).move
        assert values[move] == max(values.values())
