"""Levels err as people do: they misjudge, but play no absurd moves, and the upper ones keep what they have proven."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.roster import create
from cornered.bots.roster.level import FIRST_SURE_LEVEL, LADDER, LevelBot
from cornered.bots.search.searcher import Searcher
from cornered.engine import State

ORACLES = Path(__file__).parents[2] / "data" / "oracles"
GAMES = ["trapgrid", "isolation", "bamboo", "quoridor"]
LEVELS = range(1, 10)


def level_bot(level: int, seed: int) -> LevelBot:
    bot = create(f"level:level={level}", seed)
    assert isinstance(bot, LevelBot)
    return bot


def exact(game: str, count: int) -> list[tuple[State, dict[str, Any]]]:
    """Return positions with their winning moves."""
    lines = [json.loads(line) for line in (ORACLES / f"{game}.jsonl").read_text().splitlines()]
    chosen = [line for line in lines if line["kind"] == "exact"]
    random.Random(game).shuffle(chosen)
    found = []
    for line in chosen:
        state = engine.load(game, **line["options"]).start()
        for move in line["moves"]:
            state = state.play(move)
        if state.outcome is None and len(state.moves()) > 1:
            found.append((state, line))
    return found[:count]


def own_search(game: str, level: int, state: State) -> Thought:
    """Return what the search of a level finds before the level errs."""
    rung = LADDER[game][level - 1]
    lines = len(state.moves()) if rung.overlook or rung.warmth else 1
    return Searcher(state.game).search(state, Limit(depth=rung.depth, nodes=rung.nodes, lines=lines))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", range(FIRST_SURE_LEVEL, 11))
def test_the_upper_three_play_every_win_that_they_have_proven(game: str, level: int) -> None:
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


@pytest.mark.parametrize("game", GAMES)
def test_every_level_plays_a_win_that_is_one_move_away(game: str) -> None:
    tried = 0
    for state, _ in exact(game, 200):
        at_once = [
            move
            for move in state.moves()
            if (outcome := state.play(move).outcome) is not None and outcome.winner == state.to_move
        ]
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
        losing = [move for move in state.moves() if _wins_at_once(state.play(move))]
        if not losing or len(losing) == len(state.moves()):
            continue
        tried += 1
        for level in LEVELS:
            if LADDER[game][level - 1].depth >= 2:
                assert level_bot(level, tried).choose(state, Limit()).move not in losing, (level, str(state))
        if tried == 10:
            return
    assert tried >= 10


def _wins_at_once(state: State) -> bool:
    return any(
        (outcome := state.play(move).outcome) is not None and outcome.winner == state.to_move for move in state.moves()
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_moves_and_others_differ_at_level_1(game: str) -> None:
    state = engine.load(game).start()
    for _ in range(4):
        state = state.play(state.moves()[len(state.moves()) // 2])
    for level in (1, 5, 9):
        first, second = (level_bot(level, 3).choose(state, Limit()) for _ in range(2))
        assert first == second
    assert len({level_bot(1, seed).choose(state, Limit()).move for seed in range(20)}) > 1


@pytest.mark.parametrize("game", GAMES)
def test_what_is_said_of_a_move_is_what_the_search_found_of_it(game: str) -> None:
    state = engine.load(game).start()
    for _ in range(4):
        state = state.play(state.moves()[len(state.moves()) // 2])
    differing = 0
    for seed in range(20):
        thought = level_bot(1, seed).choose(state, Limit())
        lines = {line.move: line for line in own_search(game, 1, state).lines}
        line = lines[thought.move]
        assert (thought.score, thought.proven, thought.pv) == (line.score, line.proven, line.pv)
        assert thought.lines[0] == line
        assert {each.move for each in thought.lines} == set(lines)
        differing += line.move != next(iter(lines))
    assert differing > 0


@pytest.mark.parametrize("seats", [3, 4])
def test_levels_play_games_that_the_compiled_search_does_not(seats: int) -> None:
    state = engine.load("isolation", width=5, height=5, players=seats).start()
    rng = level_bot(1, 7)
    moves = set()
    for _ in range(8):
        thought = rng.choose(state, Limit(nodes=60))
        assert state.is_legal(thought.move)
        moves.add(thought.move)
    assert len(moves) > 1
