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
TWIN_PLIES = 6
SAMPLE = 3
"""Number of further variants of a game that each bot plays, selected by its name."""
WANTED = 3
ERRING = {"level"}
"""Bots that deliberately play a worse move than the best found."""

EVERY = pytest.mark.parametrize("name", names())


def options_that_end(game: Game) -> dict[str, Any]:
    """Return the options with draw rules, without which bots may repeat moves for ever."""
    return {**game.suggestions(game.options), **{k: v for k, v in game.options.items() if v is not None}}


@cache
def variants(game: type[Game]) -> tuple[Game, ...]:
    """Return a game with its default options, and with each option at its first and last choice."""
    found = {engine.load(game.name): None}
    for option in game.OPTIONS:
        for value in (*option.choices[:1], *option.choices[-1:]) if option.kind == "int" else (True,):
            found[engine.load(game.name, **{option.name: value})] = None
    return tuple(dict.fromkeys(engine.load(game.name, **options_that_end(each)) for each in found))


def usual(bot: type[Bot]) -> list[Game]:
    """Return the usual variant of every game that the bot plays."""
    return [variants(game)[0] for game in engine.games() if bot.plays(variants(game)[0])]


def further(bot: type[Bot], game: type[Game]) -> list[Game]:
    """Return a few other variants of a game that the bot plays."""
    playable = [variant for variant in variants(game)[1:] if bot.plays(variant)]
    return random.Random(f"{bot.name} {game.name}").sample(playable, min(SAMPLE, len(playable)))


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


def play_to_the_end(bot: type[Bot], game: Game) -> None:
    """Check every move of a game that a bot plays with itself. At first other bots of the same seeds get the positions
    too, as text as workers do, and have to come to the same thoughts."""
    chance = random.Random(7)
    players, twins = ([bot(seed) for seed in range(game.seats)] for _ in range(2))
    state = rolled(game.start(), chance)
    for ply in range(1000):
        if state.outcome is not None:
            return
        before, limit = str(state), Limit(nodes=NODES)
        thought = players[state.to_move].choose(state, limit)
        assert str(state) == before
        check(thought, state, limit)
        if ply < TWIN_PLIES:
            assert twins[state.to_move].choose(game.parse(before), limit) == thought
        state = rolled(state.play(thought.move), chance)
    pytest.fail(f"no end after 1000 moves: {state}")


@EVERY
def test_it_plays_to_the_end_by_legal_moves_within_its_nodes_and_repeats_itself(
    name: str, subtests: pytest.Subtests
) -> None:
    for game in usual(kind(name)):
        with subtests.test(repr(game)):
            play_to_the_end(kind(name), game)


@pytest.mark.parametrize("game", engine.games(), ids=lambda game: game.name)
def test_further_variants_of_a_game_are_played_to_the_end_too(game: type[Game], subtests: pytest.Subtests) -> None:
    for bot in bots():
        for variant in further(bot, game):
            with subtests.test(f"{bot.name}: {variant!r}"):
                play_to_the_end(bot, variant)


@EVERY
def test_it_stops_when_its_time_is_up(name: str, subtests: pytest.Subtests) -> None:
    for game in usual(kind(name)):
        with subtests.test(repr(game)):
            state, player = game.start(), kind(name)(1)
            # The first thought may compile; the next ones count.
            player.choose(state, Limit(time=1))
            for milliseconds in (1, 60):
                # Without a limit a search would take for ever.
                began, limit = time.process_time(), Limit(time=milliseconds)
                check(player.choose(state, limit), state, limit)
                assert time.process_time() - began < milliseconds / 1000 + 0.2


def test_a_bot_plays_on_when_another_has_left(subtests: pytest.Subtests) -> None:
    several = [game for each in engine.games() for game in variants(each) if game.seats > 2]
    for bot, game in ((bot, game) for bot in bots() for game in several if bot.plays(game)):
        with subtests.test(f"{bot.name}: {game!r}"):
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


@EVERY
def test_it_has_as_many_lines_as_it_is_asked_for(name: str, subtests: pytest.Subtests) -> None:
    for game in usual(kind(name)):
        with subtests.test(repr(game)):
            chance, state = random.Random(3), game.start()
            for _ in range(4):
                state = rolled(state.play(chance.choice(state.moves())), chance)
            limit = Limit(nodes=4000, depth=2, lines=WANTED)
            thought = kind(name)(3).choose(state, limit)
            check(thought, state, limit, errs=name in ERRING)
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


@cache
def tiny() -> list[Game]:
    """Return games short enough to be played out in a test."""
    return [
        *(engine.load("trapgrid", size=size) for size in (3, 4)),
        *(engine.load("isolation", width=width, height=height) for width, height in ((3, 3), (4, 2))),
        engine.load("bamboo", radius=1),
        engine.load("quoridor", size=3, walls=0, max_plies=14),
        engine.load("quoridor", size=3, walls=1, max_plies=9),
    ]


@EVERY
def test_what_it_claims_to_have_proven_is_so(name: str, subtests: pytest.Subtests) -> None:
    for game in filter(kind(name).plays, tiny()):
        with subtests.test(repr(game)):
            chance, player = random.Random(4), kind(name)(4)
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


def values(setting: Setting) -> tuple[object, ...]:
    """Return the first and the last value of a setting."""
    if setting.choices:
        return setting.choices[0], setting.choices[-1]
    as_number = type(setting.default)
    assert as_number in (int, float)
    return as_number(setting.low), as_number(setting.high)


def check_setting(bot: type[Bot], setting: Setting) -> None:
    """Check that a bot is made from text with the values that a setting takes, and with no others."""
    assert setting.check(setting.default) == setting.default
    assert setting.title
    assert setting.choices or setting.low < setting.high
    for value in values(setting):
        made = create(f"{bot.name}:{setting.name}={value}", seed=1)
        assert isinstance(made, bot)
        assert made.settings == {**bot().settings, setting.name: value}
        assert made.label == f"{bot.name}-{value}"
    expected = setting.choices[-1] if setting.choices else setting.range
    for wrong in ("no-such-value", *(() if setting.choices else (str(setting.high + 1), str(setting.low - 1)))):
        with pytest.raises(ValueError, match=re.escape(expected)):
            create(f"{bot.name}:{setting.name}={wrong}")


def test_settings_have_defaults_and_an_error_lists_what_they_can_be(subtests: pytest.Subtests) -> None:
    for bot in bots():
        with subtests.test(bot.name):
            assert bot().settings == {setting.name: setting.default for setting in bot.SETTINGS}
            assert bot().label == bot.name
            with pytest.raises(ValueError, match="it has none" if not bot.SETTINGS else bot.SETTINGS[0].name):
                create(f"{bot.name}:no-such-setting=1")
            for setting in bot.SETTINGS:
                check_setting(bot, setting)
            if every := ",".join(f"{setting.name}={setting.default}" for setting in bot.SETTINGS):
                assert create(f"{bot.name}:{every}").settings == bot().settings


@EVERY
def test_it_plays_with_any_setting(name: str, subtests: pytest.Subtests) -> None:
    for setting in kind(name).SETTINGS:
        for value in setting.choices or values(setting):
            with subtests.test(f"{setting.name}={value}"):
                for game in usual(kind(name)):
                    player, state = create(f"{name}:{setting.name}={value}", seed=2), game.start()
                    for _ in range(3):
                        thought = player.choose(state, limit := Limit(nodes=NODES))
                        check(thought, state, limit, errs=name in ERRING)
                        state = state.play(thought.move)


def test_a_bot_has_the_name_of_its_file_and_plays_only_games_that_there_are() -> None:
    assert [bot.name for bot in bots()] == list(names())
    assert {"random", "greedy", "minimax"} <= set(names())
    assert all(bot.description for bot in bots())
    known = {game.name for game in engine.games()}
    for bot in bots():
        assert set(bot.games or known) <= known
        assert any(bot.plays(name) for name in known)


def test_every_game_has_bots_that_play_it() -> None:
    for game in engine.games():
        for variant in variants(game):
            assert sum(bot.plays(variant) for bot in bots()) >= 3, variant


def test_an_unknown_bot_is_an_error_that_says_where_the_known_ones_are() -> None:
    for find in (create, kind):
        with pytest.raises(ValueError, match="there is no bot 'deep-thought'; `cornered bots` lists"):
            find("deep-thought")
        with pytest.raises(ValueError, match="did you mean champion"):
            find("champoin")
    with pytest.raises(ValueError, match="setting=value"):
        create("mcts:iterations")


def test_the_bots_that_take_many_games_at_once_are_those_that_answer_within_milliseconds() -> None:
    quick = {level for level in range(1, 11) if create(f"level:level={level}").is_quick}
    assert quick == {1, 2, 3}
    config = HostConfig(exhibition=True)
    assert [config.games_at_once(create(f"level:level={level}")) for level in (3, 4)] == [41, 5]
