"""What every bot must do, whichever it is: a new file in the roster is tested by being there."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import engine
from bots.bot import Bot, Thought
from bots.roster import bots, create, names
from clients.sdk import Limit
from engine import CHANCE, Game, State

NODES = 25


def variants() -> list[Game]:
    """Return every game with its default options, and with each option at its first and last choice."""
    found: dict[Game, None] = {}
    for kind in engine.games():
        found[engine.load(kind.name)] = None
        for option in kind.OPTIONS:
            for value in (*option.choices[:1], *option.choices[-1:]) if option.kind == "int" else (True,):
                found[engine.load(kind.name, **{option.name: value})] = None
    # Bots may walk to and fro for ever where no rule forbids it.
    return list(dict.fromkeys(engine.load(game.name, **options_that_end(game)) for game in found))


def options_that_end(game: Game) -> dict[str, Any]:
    return {**game.suggestions(game.options), **{k: v for k, v in game.options.items() if v is not None}}


CLAIMS = [(bot, game) for bot in bots() for game in variants() if bot.plays(game.name)]
CLAIM = pytest.mark.parametrize(("bot", "game"), CLAIMS, ids=lambda item: getattr(item, "name", repr(item)))


def rolled(state: State, chance: random.Random) -> State:
    while state.outcome is None and state.to_move == CHANCE:
        state = state.play(chance.choice(state.moves()))
    return state


def check(thought: Thought, state: State, limit: Limit) -> None:
    """Fail unless `thought` says what the contract promises."""
    assert state.is_legal(thought.move)
    assert limit.nodes is None or thought.nodes <= limit.nodes
    assert limit.depth is None or thought.depth <= limit.depth
    assert thought.pv[:1] in ((thought.move,), ())
    for move in thought.pv:
        # The line may end where dice are rolled, but nothing in it breaks the rules.
        assert state.is_legal(move)
        state = state.play(move)


@CLAIM
def test_it_plays_to_the_end_by_legal_moves_within_its_nodes(bot: type[Bot], game: Game) -> None:
    chance = random.Random(7)
    players = [bot(seed) for seed in range(game.seats)]
    state = rolled(game.start(), chance)
    for _ in range(1000):
        if state.outcome is not None:
            return
        before, limit = str(state), Limit(nodes=NODES)
        thought = players[state.to_move].choose(state, limit)
        assert str(state) == before
        check(thought, state, limit)
        state = rolled(state.play(thought.move), chance)
    pytest.fail(f"no end after 1000 moves: {state}")


@CLAIM
def test_the_same_seed_gives_the_same_moves(bot: type[Bot], game: Game) -> None:
    first, second = bot(5), bot(5)
    chance = random.Random(5)
    state = rolled(game.start(), chance)
    for _ in range(4):
        if state.outcome is None:
            thought = first.choose(state, Limit(nodes=NODES, depth=3))
            assert second.choose(state, Limit(nodes=NODES, depth=3)) == thought
            state = rolled(state.play(thought.move), chance)


@pytest.mark.parametrize(
    ("bot", "game"),
    [(bot, game) for bot, game in CLAIMS if game == engine.load(game.name, **options_that_end(engine.load(game.name)))],
    ids=lambda item: item.name,
)
def test_it_stops_when_its_time_is_up(bot: type[Bot], game: Game) -> None:
    state, player = game.start(), bot(1)
    # The first thought may compile; it is the next ones that count.
    player.choose(state, Limit(time=1))
    for milliseconds in (1, 60):
        limit = Limit(time=milliseconds)
        check(player.choose(state, limit), state, limit)
        assert limit.deadline is not None
        late = time.monotonic() - limit.deadline
        assert late < 0.2, "a search without a limit would take for ever, so this much slack proves the deadline"


def test_a_bot_has_the_name_of_its_file() -> None:
    assert [bot.name for bot in bots()] == list(names())
    assert {"random", "greedy", "minimax"} <= set(names())
    assert all(bot.description for bot in bots())


def test_an_unknown_bot_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="greedy, minimax, random"):
        create("deep-thought")
