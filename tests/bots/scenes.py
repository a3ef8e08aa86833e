"""Positions that the tests of bots begin with, and their values by plain definitions."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.overlay import Overlay, overlays
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine import CHANCE, Game, State
from cornered.engine.games.bamboo import BambooState
from cornered.engine.games.isolation import IsolationState
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.games.trapgrid import TrapGridState

ORACLES = Path(__file__).parents[1] / "data" / "oracles"


def after(game: str, moves: str = "", **options: Any) -> State:
    """Return the position after these moves."""
    state = engine.load(game, **options).start()
    for move in moves.split():
        state = engine.apply(state, move)
    return state


def bamboo(radius: int, moves: str = "") -> BambooState:
    state = after("bamboo", moves, radius=radius)
    assert isinstance(state, BambooState)
    return state


def quoridor(moves: str = "", **options: Any) -> QuoridorState:
    state = after("quoridor", moves, **options)
    assert isinstance(state, QuoridorState)
    return state


def isolation(text: str, size: int = 4, **options: Any) -> IsolationState:
    """Return the position of a text on a square board."""
    state = engine.load("isolation", width=size, height=size, **options).parse(text)
    assert isinstance(state, IsolationState)
    return state


def trapgrid(text: str, size: int = 3) -> TrapGridState:
    """Return the position of a text."""
    state = engine.load("trapgrid", size=size).parse(text)
    assert isinstance(state, TrapGridState)
    return state


def random_game(game: Game, chance: random.Random | int, plies: int = 10_000) -> list[Any]:
    """Return the positions of a random game before its end, at most `plies` of them."""
    chance = random.Random(chance) if isinstance(chance, int) else chance
    state, found = game.start(), list[State]()
    while state.outcome is None and len(found) < plies:
        found.append(state)
        state = state.play(chance.choice(state.moves()))
    return found


def positions(game: Game, seed: int, count: int) -> list[State]:
    """Return `count` positions of random games in which a player is to move."""
    chance, found = random.Random(f"{game!r} {seed}"), list[State]()
    while len(found) < count:
        played = [state for state in random_game(game, chance, 60) if state.to_move != CHANCE]
        found += chance.sample(played, min(4, len(played)))
    return found[:count]


def fresh(state: State) -> TextbookSearch:
    """Return the counts of a textbook search that begins at a position."""
    return TextbookSearch(state.to_move, evaluator(state.game.name).evaluate)


def minimax(state: State, seat: int, depth: int, ply: int = 0) -> float:
    """Return the value for a seat by definition: every line, no cut-offs, the mean of rolls."""
    if (outcome := state.outcome) is not None:
        return 0.0 if outcome.winner is None else WIN - ply if outcome.winner == seat else ply - WIN
    if depth == 0:
        return evaluator(state.game.name).evaluate(state, seat)
    values = [minimax(state.play(move), seat, depth - 1, ply + 1) for move in state.moves()]
    if state.to_move == CHANCE:
        return sum(values) / len(values)
    return max(values) if state.to_move == seat else min(values)


def pictures(state: State) -> dict[str, Overlay]:
    """Return the overlays of a position by their names."""
    return {overlay.name: overlay for overlay in overlays(state)}


def oracles(game: str) -> list[tuple[State, dict[str, Any]]]:
    """Return the positions that independent programs solved, each with its line in tests/data/oracles."""
    lines = [json.loads(line) for line in (ORACLES / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()]
    exact = [line for line in lines if line["kind"] == "exact"]
    return [(after(game, " ".join(line["moves"]), **line["options"]), line) for line in exact]
