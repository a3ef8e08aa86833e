"""A run in miniature: it repeats, also after an interruption, and learns what the search then computes."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cornered import engine
from cornered.bots.evaluate.quoridor import FEATURES
from cornered.bots.nnue.layout import LOGIT_SCORE, MOVES
from cornered.bots.nnue.network import load
from cornered.bots.search.specialise import hooks
from cornered.engine.kernels.walls import Position
from cornered.engine.progress import Progress, no_report
from cornered.lab.execution.workforce import Workforce
from cornered.lab.learning import judging
from cornered.lab.learning.plan import LearningPlan
from cornered.lab.learning.positions import Positions, read, write
from cornered.lab.learning.selfplay import play_shard
from tests.programs import IN_CI

START: Any = engine.load("quoridor").start().position  # type: ignore[attr-defined]
TINY = LearningPlan("quoridor", 2, 12, nodes=60, epochs=3, seed=5, shard_games=6)


# One process loads torch.
pytestmark = pytest.mark.xdist_group("torch")


@pytest.fixture(scope="module", autouse=True)
def torch() -> None:
    if find_spec("torch") is None:
        (pytest.fail if IN_CI else pytest.skip)("torch is not installed: pip install torch")


@pytest.fixture(autouse=True)
def short_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    # The processes of the workforce play pairs of the usual length, as few as there are.
    monkeypatch.setattr(judging, "PAIRS_MAX", 1)


@pytest.fixture(scope="module")
def positions() -> Positions:
    return Positions.together([play_shard(TINY, 1, None, shard) for shard in range(2)])


def test_games_repeat_with_their_seed_and_results_are_the_movers(positions: Positions) -> None:
    again, other = play_shard(TINY, 1, None, 1), play_shard(LearningPlan("quoridor", 2, 12, 60, 3, 6, 6), 1, None, 1)
    mine = positions.where(positions.games >= 6)
    assert np.array_equal(again.fields, mine.fields)
    assert np.array_equal(again.scores, mine.scores)
    assert not np.array_equal(other.fields[:50], mine.fields[:50])

    turn = positions.fields[:, Position._fields.index("turn")]
    for game in range(12):
        mine = positions.where(positions.games == game)
        seats = turn[positions.games == game]
        assert len({int(result) * (-1) ** int(seat) for result, seat in zip(mine.results, seats, strict=True)}) == 1
    # The last position before a loss or win of a game that was decided: its score says so.
    last = [np.flatnonzero(positions.games == game)[-1] for game in range(12)]
    assert sum(np.sign(positions.scores[place]) == positions.results[place] for place in last) >= 10


def test_files_give_back_what_was_written(positions: Positions, tmp_path: Path) -> None:
    write(positions, Position._fields, tmp_path / "games.parquet")
    found = read(tmp_path / "games.parquet")
    assert np.array_equal(found.fields, positions.fields)
    kept = found.scores, found.moves, found.results, found.games
    assert [str(part.dtype) for part in kept] == ["int32", "int16", "int8", "int32"]
    assert np.array_equal(found.moves, positions.moves)


def test_it_learns_and_its_integers_are_those_of_the_search(positions: Positions) -> None:
    import torch

    from cornered.lab.learning.fitting import Model, choices, feature_lists, fit

    gen = hooks("quoridor")["gen"]
    network, curve = fit(positions, START, FEATURES, gen, 40, 1)
    assert curve[-1].learnt < 0.97 * curve[0].learnt
    assert fit(positions, START, FEATURES, gen, 40, 1)[0].columns.tobytes() == network.columns.tobytes()
    model = Model(FEATURES)
    model.take(network)
    lists = feature_lists(positions, START, FEATURES)
    features, begins = lists.batch(np.arange(len(positions)))
    with torch.no_grad():
        logits, moves = (part.numpy() for part in model(torch.from_numpy(features), torch.from_numpy(begins)))
    rows = np.split(features, begins[1:])
    scores = np.array([network.score(row.tolist()) for row in rows])
    # The second layer is rounded down, each unit by less than 1 / 255.
    assert np.abs(scores - LOGIT_SCORE * logits).max() < 0.02 * LOGIT_SCORE
    preferences = np.array([network.preferences(row.tolist()) for row in rows])
    assert np.abs(preferences - 100 * moves).max() < 2
    # It prefers the search's moves to others: by chance the mean rank of a move would be a half.
    legal, rank = choices(positions, START, FEATURES, gen), []
    chosen, allowed = legal.batch(np.arange(len(positions)), np.arange(MOVES))
    for row, move, may in zip(preferences, chosen, allowed, strict=True):
        assert may[move]
        rank.append(np.mean(row[may] > row[move]))
    assert np.mean(rank) < 0.3
    assert all(np.array_equal(a, b) for a, b in zip(*(_arrays(one) for one in (model.network(), network)), strict=True))


def _arrays(network: Any) -> list[Any]:
    return [getattr(network, name) for name in type(network).__slots__]


def test_an_interrupted_run_ends_with_the_same_networks(workforce: Workforce, tmp_path: Path) -> None:
    from cornered.lab.learning.generations import learn

    plan = LearningPlan("quoridor", 2, 4, nodes=40, epochs=2, seed=5, shard_games=2)

    whole = learn(plan, tmp_path / "whole", workforce, no_report, lambda generation: None)

    class Interrupted(Exception):
        pass

    def interrupting(at: str) -> Any:
        def report(progress: Progress) -> None:
            if progress.step == at and progress.done:
                raise Interrupted

        return report

    for at in ("generation 1: games", "generation 1: match", "generation 2: epochs"):
        with pytest.raises(Interrupted):
            learn(plan, tmp_path / "parts", workforce, interrupting(at), lambda generation: None)
    parts = learn(plan, tmp_path / "parts", workforce, no_report, lambda generation: None)
    for one, other in zip(whole, parts, strict=True):
        assert one.network.read_bytes() == other.network.read_bytes()
        assert (one.positions, one.curve, one.judgement) == (other.positions, other.curve, other.judgement)
    assert load(parts[0].network).provenance["command"] == plan.command
    with pytest.raises(ValueError, match="holds the run of another plan"):
        learn(LearningPlan("quoridor", 1, 4, 40, 2, 5), tmp_path / "parts", workforce, no_report, lambda _: None)


@pytest.mark.parametrize("game", ["quoridor", "isolation", "bamboo"])
def test_the_command_writes_networks_and_their_cards(game: str, tmp_path: Path) -> None:
    from cornered.cli.train import app

    numbers = {"generations": 1, "games": 6, "nodes": 60, "epochs": 2, "seed": 3, "workers": 1}
    options = [f"--{name}={number}" for name, number in numbers.items()]
    result = CliRunner().invoke(app, [game, *options, "--json", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    (generation,) = said["generations"]
    assert Path(generation["network"]).is_file()
    card = (tmp_path / "generation-1" / "network.md").read_text()
    assert said["command"] in card
    assert f"{generation['positions']:,} positions" in card


def test_a_budget_of_time_sets_the_games_and_a_game_without_features_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cornered.lab.learning import generations

    clock = 0.0

    def take_two_seconds_a_game(plan: LearningPlan, generation: int, network: None, shard: int) -> None:
        nonlocal clock
        clock += 2.0 * len(plan.numbers(shard))

    monkeypatch.setattr(generations, "play_shard", take_two_seconds_a_game)
    monkeypatch.setattr(generations, "monotonic", lambda: clock)
    plan = LearningPlan("quoridor", 3, 1, nodes=60, epochs=3, seed=5)
    # Six tenths of two hours are for the games of three generations, which two workers play.
    assert generations.plan_within(plan, 2.0, 2) == LearningPlan("quoridor", 3, 1440, nodes=60, epochs=3, seed=5)
    # A generation has one file of games at least.
    assert generations.plan_within(plan, 0.01, 2).games == plan.shard_games

    with pytest.raises(ValueError, match="no network evaluates trapgrid; there are networks for quoridor, isolation, "):
        LearningPlan("trapgrid", 1, 1, 1, 1, 1)
