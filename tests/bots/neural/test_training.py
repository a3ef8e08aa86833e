"""A training run is reproducible, also in parts, learns something, and the shipped weights say where they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import engine
from bots.neural import training
from bots.neural.games import play
from bots.neural.network import Layers, sizes
from bots.neural.training import Plan, Progress, train
from bots.neural.trial import OPENING, trials
from bots.neural.weights import SHIPPED, load, save, shipped, shipped_path
from bots.roster import create, kind
from clients.sdk import Limit

TINY = Plan(radius=1, games=20, epochs=4, seed=3)


@pytest.fixture(autouse=True)
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.neural.trial.TRIALS", 4)


def same(one: Layers, other: Layers) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


def test_equal_plans_make_equal_files_and_other_seeds_do_not(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.npz", "b.npz", "c.npz")]
    for path, seed in zip(paths, (3, 3, 4), strict=True):
        save(train(Plan(1, 20, 4, seed)), path)
    first, second, third = (path.read_bytes() for path in paths)
    assert first == second != third
    again = load(paths[0])
    assert again.provenance["command"] == "cornered train bamboo --radius 1 --games 20 --epochs 4 --seed 3"
    assert same(again.layers, train(TINY).layers)


@pytest.mark.parametrize(("step", "done"), [("games", 14), ("epochs", 2)])
def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path: Path, step: str, done: int) -> None:
    checkpoint = tmp_path / "checkpoint"

    def interrupt(progress: Progress) -> None:
        if (progress.step, progress.done) == (step, done):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TINY, checkpoint, interrupt)
    seen: list[tuple[str, int]] = []
    resumed = train(TINY, checkpoint, lambda progress: seen.append((progress.step, progress.done)))
    assert seen[0] == ("games", 11) if step == "games" else ("epochs", 2)
    assert same(resumed.layers, train(TINY).layers)
    with pytest.raises(ValueError, match="another run"):
        train(Plan(1, 20, 4, 4), checkpoint)


def test_the_loss_falls() -> None:
    notes: list[float] = []
    train(
        Plan(2, 20, 30, 1),
        None,
        lambda progress: notes.append(float(progress.note.split()[-1])) if progress.step == "epochs" else None,
    )
    assert notes[-1] < 0.9 * notes[0]


def test_lessons_are_legal_and_the_better_teachers_count_for_more() -> None:
    games = [play(2, 5, number) for number in range(12)]
    repeats = {count for game in games for count in game.repeats.tolist()}
    assert repeats <= {1, 2, 3, 4}
    assert max(repeats) == 4
    for game in games:
        assert game.legal[np.arange(len(game)), game.chosen].all()
        assert not game.x[np.arange(len(game)), game.chosen].any()
        assert set(np.unique(game.x)) <= {-1, 0, 1}
    again = play(2, 5, 0)
    assert np.array_equal(again.x, games[0].x)
    assert np.array_equal(again.chosen, games[0].chosen)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.npz")), ids=lambda path: path.stem)
def test_shipped_weights_are_small_and_say_how_they_were_made(path: Path) -> None:
    trained = load(path)
    radius = trained.provenance["radius"]
    assert path == shipped_path(radius)
    assert path.stat().st_size < 700_000
    assert [weights.shape[0] for weights, _ in trained.layers] == list(sizes(radius)[:-1])
    plan = Plan(*(trained.provenance[name] for name in ("radius", "games", "epochs", "seed")))
    assert trained.provenance["command"] == plan.command
    assert plan.games == training.GAMES[radius]
    assert 0 < trained.provenance["accuracy"] <= 1
    assert trained.provenance["wins against bamboo-uniform"].endswith("of 100")
    assert all(np.isfinite(part).all() for layer in trained.layers for part in layer)


def test_the_network_that_ships_with_the_default_board_beats_random_play() -> None:
    trained = shipped(5)
    assert trained is not None
    name, wins, games = next(trials(trained.layers, 5, lambda done, total: None))
    assert (name, games) == ("bamboo-uniform", 4)
    assert wins >= 3
    assert OPENING > 0


def test_the_bots_play_what_they_have_a_network_for_and_say_so_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    game = engine.load("bamboo", radius=5)
    for name in ("bamboo-neural", "bamboo-hybrid"):
        assert kind(name).plays("bamboo")
        assert not kind(name).plays("trapgrid")
        assert kind(name).plays(game)
    monkeypatch.setattr("bots.neural.weights.SHIPPED", Path("/nowhere"))
    shipped.cache_clear()
    assert not kind("bamboo-neural").plays(game)
    with pytest.raises(ValueError, match=r"no network was trained for radius 5; `cornered train bamboo --radius 5`"):
        create("bamboo-neural").choose(game.start(), Limit())
    shipped.cache_clear()


def test_the_hybrid_calculates_from_its_threshold_on() -> None:
    state = engine.load("bamboo", radius=5).start()
    hybrid, neural, minimax = create("bamboo-hybrid"), create("bamboo-neural"), create("bamboo-minimax")
    free = 91
    while free > 39:
        thought = hybrid.choose(state, Limit())
        expected = (neural if free > 40 else minimax).choose(state, Limit())
        assert thought == expected
        state = state.play(thought.move)
        free -= 1
    assert create("bamboo-hybrid:threshold=0").choose(state, Limit()).depth == 0
