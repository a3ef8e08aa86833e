"""The contract of bots, applied to every one: a new file in the roster is tested without an entry here."""

from __future__ import annotations

import random
import re
import time
from functools import cache
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import WIN, Bot, Line, Proven, Setting, Thought
from cornered.bots.online.host import HostConfig
from cornered.bots.roster import bots, create, kind, names
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, Game, State

NODES = 25
SAMPLE = 3
"""Number of additional variants of a game that each bot plays, selected by its name."""
WANTED = 3
ERRING = {"level"}
"""Bots that deliberately play a worse move than the best found."""


def options_that_end(game: Game) -> dict[str, Any]:
    """Return the options with draw rules, without which bots may repeat moves for ever."""
    return {**game.suggestions(game.options), **{k: v for k, v in game.options.items() if v is not None}}


def variants(game: type[Game]) -> list[Game]:
    """Return a game with its default options, and with each option at its first and last choice."""
    found = {engine.load(game.name): None}
    for option in game.OPTIONS:
        for value in (*option.choices[:1], *option.choices[-1:]) if option.kind == "int" else (True,):
            found[engine.load(game.name, **{option.name: value})] = None
    return list(dict.fromkeys(engine.load(game.name, **options_that_end(each)) for each in found))


def claims(bot: type[Bot]) -> list[Game]:
    """Return the usual variant of every game that the bot plays, each with a few others."""
    found = []
    for game in engine.games():
        usual, *others = variants(game)
        playable = [other for other in others if bot.plays(other)]
        chance = random.Random(f"{bot.name} {game.name}")
        found += [usual] if bot.plays(usual) else []
        found += chance.sample(playable, min(SAMPLE, len(playable)))
    return found


TINY = [
    engine.load("trapgrid", size=3),
    engine.load("trapgrid", size=4),
    engine.load("isolation", width=3, height=3),
    engine.load("isolation", width=4, height=2),
    engine.load("bamboo", radius=1),
    engine.load("quoridor", size=3, walls=0, max_plies=14),
    engine.load("quoridor", size=3, walls=1, max_plies=9),
]
"""Games short enough to be played out in a test."""

BOTS = pytest.mark.parametrize("bot", bots(), ids=lambda bot: bot.name)
CLAIM = pytest.mark.parametrize(
    ("bot", "game"),
    [(bot, game) for bot in bots() for game in claims(bot)],
    ids=lambda item: getattr(item, "name", "") if isinstance(item, type) else repr(item),
)
USUAL = pytest.mark.parametrize(
    ("bot", "game"),
    [(bot, variants(game)[0]) for bot in bots() for game in engine.games() if bot.plays(variants(game)[0])],
    ids=lambda item: item.name,
)


def rolled(state: State, chance: random.Random) -> State:
    while state.outcome is None and state.to_move == CHANCE:
        state = state.play(chance.choice(state.moves()))
    return state


def check_line(pv: tuple[str, ...], state: State) -> None:
    """Check that `pv` can be played; it may end at a dice roll."""
    for move in pv:
        assert state.is_legal(move), (str(state), pv)
        state = state.play(move)


def check_proof(proven: Proven | None, score: float | None, plies: int | None) -> None:
    """Check that a score is consistent with the proof beside it."""
    assert plies is None or plies > 0
    assert proven is not None or plies is None
    if proven is not None and score is not None:
        assert {"win": score > 0, "loss": score < 0, "draw": abs(score) < WIN / 2}[proven], (proven, score)


def check(thought: Thought, state: State, limit: Limit, *, errs: bool = False) -> None:
    """Check `thought` against the contract."""
    assert state.is_legal(thought.move)
    assert limit.nodes is None or thought.nodes <= limit.nodes
    assert limit.depth is None or thought.depth <= limit.depth
    assert thought.nodes >= 0
    assert thought.pruned >= 0
    assert thought.seconds >= 0
    assert 0 <= thought.efficiency <= 100
    assert thought.pv[:1] in ((thought.move,), ())
    check_line(thought.pv, state)
    check_proof(thought.proven, thought.score, thought.plies)
    if thought.score is not None:
        assert abs(thought.score) <= WIN
    if thought.lines:
        check_lines(thought, state, limit, errs=errs)


def check_lines(thought: Thought, state: State, limit: Limit, *, errs: bool) -> None:
    best = thought.lines[0]
    assert best.move == thought.move
    assert best.score is None or best.score == pytest.approx(thought.score)
    moves = [line.move for line in thought.lines]
    assert len(set(moves)) == len(moves)
    assert all(state.is_legal(move) for move in moves)
    for line in thought.lines:
        assert line.pv[:1] in ((line.move,), ())
        check_line(line.pv, state)
        check_proof(line.proven, line.score, line.plies)
    # Scores of other depths and of sampling are not comparable.
    exact = [line.score for line in thought.lines if is_exact(line, best)]
    scores = [score for score in exact[: limit.lines] if score is not None]
    if errs:
        del scores[:1]
    assert scores == sorted(scores, reverse=True)


def is_exact(line: Line, best: Line) -> bool:
    return line.score is not None and not line.is_bound and line.depth == best.depth > 0


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
def test_the_same_seed_and_position_give_the_same_moves(bot: type[Bot], game: Game) -> None:
    first, second = bot(5), bot(5)
    chance = random.Random(5)
    state = rolled(game.start(), chance)
    for _ in range(4):
        if state.outcome is None:
            thought = first.choose(state, Limit(nodes=NODES, depth=3))
            # A worker gets the position as text.
            assert second.choose(game.parse(str(state)), Limit(nodes=NODES, depth=3)) == thought
            state = rolled(state.play(thought.move), chance)


@USUAL
def test_it_stops_when_its_time_is_up(bot: type[Bot], game: Game) -> None:
    state, player = game.start(), bot(1)
    # The first thought may compile; the next ones count.
    player.choose(state, Limit(time=1))

    def lateness(milliseconds: int) -> float:
        limit = Limit(time=milliseconds)
        check(player.choose(state, limit), state, limit)
        assert limit.deadline is not None
        return time.monotonic() - limit.deadline

    for milliseconds in (1, 60):
        # A machine may be busy for a moment, but not each time. Without a limit a search would take for ever.
        assert any(lateness(milliseconds) < 0.2 for _ in range(3))


@pytest.mark.parametrize(
    ("bot", "game"),
    [
        (bot, game)
        for bot in bots()
        for kind in engine.games()
        for game in variants(kind)
        if game.seats > 2 and bot.plays(game)
    ],
    ids=lambda item: item.name,
)
def test_it_plays_on_when_another_has_left(bot: type[Bot], game: Game) -> None:
    chance = random.Random(6)
    player, state = bot(6), rolled(game.start(), chance)
    for ply in range(12):
        if ply == game.seats + 1:
            state = rolled(state.leave((state.to_move + 1) % game.seats), chance)
        if ply == game.seats + 4:
            state = rolled(state.leave(state.to_move), chance)
        if state.outcome is None:
            limit = Limit(nodes=NODES)
            thought = player.choose(state, limit)
            check(thought, state, limit)
            state = rolled(state.play(thought.move), chance)


@USUAL
def test_it_has_as_many_lines_as_it_is_asked_for(bot: type[Bot], game: Game) -> None:
    chance = random.Random(3)
    state = game.start()
    for _ in range(4):
        state = rolled(state.play(chance.choice(state.moves())), chance)
    limit = Limit(nodes=4000, depth=2, lines=WANTED)
    thought = bot(3).choose(state, limit)
    check(thought, state, limit, errs=bot.name in ERRING)
    moves = len(state.moves())
    if len(thought.lines) == moves and all(line.score is not None for line in thought.lines):
        assert sum(not line.is_bound for line in thought.lines) >= min(WANTED, moves)


@cache
def truth(state: State) -> Proven:
    """Return the game-theoretic result of a position of a tiny game for its mover."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return "draw" if winner is None else "win" if winner == state.to_move else "loss"
    found = {truth(state.play(move)) for move in state.moves()}
    return "win" if "loss" in found else "draw" if "draw" in found else "loss"


REVERSED: dict[Proven, Proven] = {"win": "loss", "draw": "draw", "loss": "win"}


@pytest.mark.parametrize("game", TINY, ids=repr)
@BOTS
def test_what_it_claims_to_have_proven_is_so(bot: type[Bot], game: Game) -> None:
    if not bot.plays(game):
        return
    chance, player = random.Random(4), bot(4)
    for nodes in (20, 500):
        state = game.start()
        while state.outcome is None:
            limit = Limit(nodes=nodes)
            thought = player.choose(state, limit)
            check(thought, state, limit)
            assert thought.proven in (None, truth(state)), (str(state), thought)
            for line in thought.lines:
                assert line.proven in (None, REVERSED[truth(state.play(line.move))]), (str(state), line)
            state = state.play(chance.choice(state.moves()))


@BOTS
def test_every_setting_has_a_default_that_it_takes(bot: type[Bot]) -> None:
    assert len({setting.name for setting in bot.SETTINGS}) == len(bot.SETTINGS)
    assert bot().label == bot.name
    for setting in bot.SETTINGS:
        assert setting.check(setting.default) == setting.default
        assert setting.title
        assert setting.choices or setting.low < setting.high


def values(setting: Setting) -> tuple[object, ...]:
    """Return the first and the last value of a setting."""
    if setting.choices:
        return setting.choices[0], setting.choices[-1]
    as_number = type(setting.default)
    assert as_number in (int, float)
    return as_number(setting.low), as_number(setting.high)


@BOTS
def test_it_is_made_from_text_with_any_setting(bot: type[Bot]) -> None:
    for setting in bot.SETTINGS:
        for value in values(setting):
            made = create(f"{bot.name}:{setting.name}={value}", seed=1)
            assert isinstance(made, bot)
            assert made.settings[setting.name] == value
            assert made.label == f"{bot.name}-{value}"
            others = {name: made.settings[name] for name in made.settings if name != setting.name}
            assert others == {other.name: other.default for other in bot.SETTINGS if other is not setting}
    every = ",".join(f"{setting.name}={setting.default}" for setting in bot.SETTINGS)
    if every:
        assert create(f"{bot.name}:{every}").settings == bot().settings


@BOTS
def test_it_plays_with_any_setting(bot: type[Bot]) -> None:
    games = [variants(game)[0] for game in engine.games() if bot.plays(variants(game)[0])]
    for setting in bot.SETTINGS:
        for value in setting.choices or values(setting):
            for game in games:
                player, state, limit = (
                    create(f"{bot.name}:{setting.name}={value}", seed=2),
                    game.start(),
                    Limit(nodes=NODES),
                )
                for _ in range(3):
                    thought = player.choose(state, limit)
                    check(thought, state, limit, errs=bot.name in ERRING)
                    state = state.play(thought.move)


@BOTS
def test_what_it_cannot_be_set_to_is_an_error_that_lists_what_it_can(bot: type[Bot]) -> None:
    with pytest.raises(ValueError, match="it has none" if not bot.SETTINGS else bot.SETTINGS[0].name):
        create(f"{bot.name}:no-such-setting=1")
    for setting in bot.SETTINGS:
        expected = setting.choices[-1] if setting.choices else setting.range
        for wrong in ("no-such-value", *(() if setting.choices else (str(setting.high + 1), str(setting.low - 1)))):
            with pytest.raises(ValueError, match=re.escape(expected)):
                create(f"{bot.name}:{setting.name}={wrong}")


def test_a_bot_has_the_name_of_its_file() -> None:
    assert [bot.name for bot in bots()] == list(names())
    assert {"random", "greedy", "minimax"} <= set(names())
    assert all(bot.description for bot in bots())


def test_a_bot_plays_only_games_that_there_are() -> None:
    known = {game.name for game in engine.games()}
    for bot in bots():
        assert set(bot.games or known) <= known
        assert any(bot.plays(name) for name in known)


def test_every_game_has_a_bot_that_plays_it() -> None:
    for game in engine.games():
        for variant in variants(game):
            assert sum(bot.plays(variant) for bot in bots()) >= 3, variant


def test_an_unknown_bot_is_an_error_that_says_where_the_known_ones_are() -> None:
    for find in (create, kind):
        with pytest.raises(ValueError, match="there is no bot 'deep-thought'; `cornered bots` lists"):
            find("deep-thought")
        with pytest.raises(ValueError, match="did you mean champion"):
            find("champoin")


def test_a_setting_without_a_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="setting=value"):
        create("mcts:iterations")


def test_the_bots_that_take_many_games_at_once_are_those_that_answer_within_milliseconds() -> None:
    quick = {level for level in range(1, 11) if create(f"level:level={level}").is_quick}
    assert quick == {1, 2, 3}
    config = HostConfig(exhibition=True)
    assert [config.games_at_once(create(f"level:level={level}")) for level in (3, 4)] == [41, 5]
