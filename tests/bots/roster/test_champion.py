"""The champion: it plays what it can prove under any limit, and has a move for every position."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.roster.champion import PUCT_GAMES, ChampionBot
from cornered.bots.search.memory import SearchMemory
from cornered.engine import State
from tests.bots.scenes import oracles

GAMES = ["trapgrid", "isolation", "bamboo", "quoridor"]
LIMITS = (Limit(nodes=1), Limit(nodes=100), Limit(nodes=5_000), Limit(depth=3))


def exact(game: str) -> list[tuple[State, dict[str, Any]]]:
    """Return unfinished positions of the oracles."""
    chosen = random.Random(game).sample(oracles(game), 60)
    return [(state, line) for state, line in chosen if state.outcome is None]


@pytest.mark.parametrize("game", GAMES)
def test_what_it_claims_is_true_under_every_limit(game: str) -> None:
    champion = create("champion")
    for state, line in exact(game):
        for limit in LIMITS:
            thought = champion.choose(state, limit)
            assert state.is_legal(thought.move)
            assert limit.nodes is None or thought.nodes <= limit.nodes
            assert thought.proven in (None, "win" if line["value"] > 0 else "loss"), (str(state), limit, thought)


@pytest.mark.parametrize("game", GAMES)
def test_it_wins_every_won_position_that_it_has_a_moment_for(game: str) -> None:
    champion = create("champion")
    won = [(state, line) for state, line in exact(game) if line["value"] > 0]
    assert len(won) > 15
    for state, line in won:
        thought = champion.choose(state, Limit(nodes=2_000_000))
        assert thought.move in line["winning"], (str(state), thought)


def test_equally_good_moves_that_the_search_would_skip_are_chosen_among_all_the_same() -> None:
    for size, text in (
        (3, "1../.../0.. 0 walls=b1h,a2v left=2,2"),
        (5, "..1../...../...../...../..0.. 1 walls=c1h,b3h,a4v left=1,2"),
        (5, "...../..1../...../..0../..... 1 walls=a1v,b1v,c1v,b4v,c4v left=0,1"),
    ):
        state = engine.load("quoridor", size=size, walls=3).parse(text)
        thought = create("champion").choose(state, Limit(time=60_000))
        assert thought.proven is not None
        assert {line.move for line in thought.lines} == set(state.moves())


def test_a_proof_ends_when_its_worker_is_stopped() -> None:
    state = engine.load("quoridor", size=5, walls=3).start()
    champion = create("champion")
    assert isinstance(champion, ChampionBot)
    champion.prepare(state.game)
    with SearchMemory.create(1) as memory:
        champion.lend(memory)
        threading.Timer(0.1, memory.stop).start()
        began = time.process_time()
        thought = champion.choose(state, Limit(time=60_000))
        assert time.process_time() - began < 10
        assert thought.proven is None
        assert state.is_legal(thought.move)
        champion.lend(SearchMemory.private())


def test_draw_rules_count_in_what_is_proven() -> None:
    game = engine.load("quoridor", size=3, walls=1, max_plies=7, no_progress=8)
    for nodes in (1, 500, 5_000, 50_000):
        # With no more plies than that, nobody gets home against a defence: the game is a draw.
        assert create("champion").choose(game.start(), Limit(nodes=nodes)).proven in (None, "draw")


def test_each_game_is_played_with_its_own_settings_whichever_was_played_before() -> None:
    chance, states = random.Random(4), []
    for game in PUCT_GAMES:
        state = engine.load(game).start()
        # No book holds it.
        for _ in range(4):
            state = state.play(chance.choice(state.moves()))
        states.append(state)
    limit = Limit(nodes=600)
    alone = [create("champion").choose(state, limit) for state in states]
    champion = create("champion")
    assert [champion.choose(state, limit) for state in states * 2] == alone * 2
    assert any(
        create("champion:version=3").choose(state, limit) != one for state, one in zip(states, alone, strict=True)
    )
