"""Levels err as people do: they misjudge, but play no absurd moves, and the upper ones keep what they have proven."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.roster import create
from cornered.bots.roster.level import FIRST_SURE_LEVEL, LADDER, LevelBot
from cornered.bots.search.searcher import Searcher
from cornered.engine import State
from tests.bots.scenes import oracles

GAMES = ["trapgrid", "isolation", "bamboo", "quoridor"]
LEVELS = range(1, 10)


def level_bot(level: int, seed: int) -> LevelBot:
    bot = create(f"level:level={level}", seed)
    assert isinstance(bot, LevelBot)
    return bot


def exact(game: str, count: int) -> list[tuple[State, dict[str, Any]]]:
    """Return positions with a choice and their winning moves."""
    known = oracles(game)
    random.Random(game).shuffle(known)
    return [(state, line) for state, line in known if state.outcome is None and len(state.moves()) > 1][:count]


def own_search(game: str, level: int, state: State) -> Thought:
    """Return what the search of a level finds before the level errs."""
    rung = LADDER[game][level - 1]
    lines = len(state.moves()) if rung.overlook or rung.warmth else 1
    return Searcher(state.game).search(state, Limit(depth=rung.depth, nodes=rung.nodes, lines=lines))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", range(FIRST_SURE_LEVEL, 11))
def test_the_upper_levels_play_every_win_that_they_have_proven(game: str, level: int) -> None:
    proven = 0
    for state, line in exact(game, 40):
        if level < 10 and own_search(game, level, state).proven != "win":
            continue
        for seed in range(1 if level == 10 else 2):
            thought = level_bot(level, seed).choose(state, Limit(nodes=200_000))
            if thought.proven == "win" or level < 10:
                proven += 1
                assert thought.move in line["winning"], (str(state), thought)
    assert proven >= 10


@pytest.mark.parametrize("game", GAMES)
def test_a_win_of_the_upper_levels_is_kept_whatever_they_overlook(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rung = LADDER[game][FIRST_SURE_LEVEL - 1]
    blind = replace(rung, overlook=1.0, warmth=2.0)
    monkeypatch.setitem(LADDER, game, (*(blind,) * 9,))
    missed = {FIRST_SURE_LEVEL - 1: 0, FIRST_SURE_LEVEL: 0}
    for state, line in exact(game, 200):
        found = Searcher(state.game).search(state, Limit(depth=rung.depth, nodes=rung.nodes, lines=len(state.moves())))
        if found.proven != "win" or len(line["winning"]) == len(state.moves()):
            continue
        for level in missed:
            missed[level] += level_bot(level, 1).choose(state, Limit()).move not in line["winning"]
    assert missed[FIRST_SURE_LEVEL] == 0
    assert missed[FIRST_SURE_LEVEL - 1] > 0


def wins_at_once(state: State) -> list[str]:
    """Return the moves that win at once."""
    after = {move: state.play(move).outcome for move in state.moves()}
    return [move for move, outcome in after.items() if outcome is not None and outcome.winner == state.to_move]


@pytest.mark.parametrize("game", GAMES)
def test_every_level_plays_a_win_that_is_one_move_away(game: str) -> None:
    tried = 0
    for state, _ in exact(game, 200):
        at_once = wins_at_once(state)
        if not at_once or len(at_once) == len(state.moves()):
            continue
        tried += 1
        for level in LEVELS:
            assert level_bot(level, tried).choose(state, Limit()).move in at_once, (level, str(state))
        if tried == 6:
            return
    assert tried >= 2


@pytest.mark.parametrize("game", GAMES)
def test_a_level_that_sees_replies_allows_no_win_at_once_that_it_can_prevent(game: str) -> None:
    tried = 0
    for state, _ in exact(game, 200):
        if any(state.play(move).outcome is not None for move in state.moves()):
            continue
        losing = [move for move in state.moves() if wins_at_once(state.play(move))]
        if not losing or len(losing) == len(state.moves()):
            continue
        tried += 1
        for level in LEVELS:
            if LADDER[game][level - 1].depth >= 2:
                assert level_bot(level, tried).choose(state, Limit()).move not in losing, (level, str(state))
        if tried == 10:
            return
    assert tried >= 10


@pytest.mark.parametrize("game", GAMES)
def test_level_1_differs_by_the_seed_and_says_of_a_move_what_its_search_found_of_it(game: str) -> None:
    state = engine.load(game).start()
    for _ in range(4):
        state = state.play(state.moves()[len(state.moves()) // 2])
    lines = {line.move: line for line in own_search(game, 1, state).lines}
    thoughts = [level_bot(1, seed).choose(state, Limit()) for seed in range(20)]
    for thought in thoughts:
        line = lines[thought.move]
        assert (thought.score, thought.proven, thought.pv) == (line.score, line.proven, line.pv)
        assert thought.lines[0] == line
        assert {each.move for each in thought.lines} == set(lines)
    assert len({thought.move for thought in thoughts}) > 1
    assert level_bot(1, 0).choose(state, Limit()) == thoughts[0]


def test_levels_play_games_that_the_compiled_search_does_not() -> None:
    for seats in (3, 4):
        state = engine.load("isolation", width=5, height=5, players=seats).start()
        bot = level_bot(1, 7)
        moves = {bot.choose(state, Limit(nodes=60)).move for _ in range(8)}
        assert len(moves) > 1
        assert all(map(state.is_legal, moves))
