"""Training is reproducible, also after interruptions and with several workers, it learns, and shipped weights have a
provenance."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cornered import engine
from cornered.bots.bamboo.cells import cubes
from cornered.bots.neural.dense import Dense
from cornered.bots.neural.network import NETWORK_KINDS, Network, NetworkKind
from cornered.bots.neural.views import Views
from cornered.bots.neural.weights import SHIPPED, Trained, file_name, load, save, shipped, shipped_path
from cornered.bots.roster import create, kind
from cornered.clients.sdk import Limit
from cornered.engine.progress import Progress, no_report
from cornered.lab.execution.workforce import Workforce
from cornered.lab.training import evaluation
from cornered.lab.training.curves import plot
from cornered.lab.training.games import HYBRID, MIX, Lessons, play, read_mix, seated, spell
from cornered.lab.training.learning import Learner
from cornered.lab.training.plan import GAMES_BY_RADIUS, TrainingPlan
from cornered.lab.training.training import TrainingOutcome, train
from tests.lab.inline import Inline

TINY = TrainingPlan(radius=1, games=20, epochs=4, seed=3)


@pytest.fixture(autouse=True)
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "TRIAL_PAIRS", 2)
    monkeypatch.setattr(evaluation, "DUEL_PAIRS", 3)


def same(one: Network, other: Network) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))


def all_same(one: TrainingOutcome, other: TrainingOutcome) -> bool:
    return one.networks.keys() == other.networks.keys() and all(
        same(trained.network, other.networks[name].network) and trained.provenance == other.networks[name].provenance
        for name, trained in one.networks.items()
    )


@pytest.fixture(scope="module")
def tiny(workforce: Workforce) -> TrainingOutcome:
    """What TINY makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "TRIAL_PAIRS", 2)
        patch.setattr(evaluation, "DUEL_PAIRS", 3)
        return train(TINY, workforce)


def test_equal_plans_make_equal_files_and_other_seeds_do_not(
    tmp_path: Path, workforce: Workforce, tiny: TrainingOutcome
) -> None:
    outcomes = tiny, train(TINY, Inline()), train(TrainingPlan(1, 20, 4, 4), workforce)
    for name in NETWORK_KINDS:
        for place, outcome in enumerate(outcomes):
            save(outcome.networks[name], tmp_path / f"{place}{name}.npz")
        first, again, other = ((tmp_path / f"{place}{name}.npz").read_bytes() for place in range(3))
        assert first == again != other
        read = load(tmp_path / f"0{name}.npz")
        assert read.provenance["command"] == (
            "cornered train bamboo-neural --network both --radius 1 --games 20 --epochs 4 --seed 3 "
            "--mix minimax=3,mcts=1,hybrid=1,outer=2"
        )
        assert read.network.kind == name
        assert same(read.network, tiny.networks[name].network)


def test_the_number_of_workers_does_not_matter(workforce: Workforce, tiny: TrainingOutcome) -> None:
    assert all_same(train(TINY, Inline(), referees=workforce), tiny)
    assert all_same(train(TINY, workforce, referees=Inline()), tiny)


def test_a_network_is_the_same_whether_another_is_trained_beside_it_or_not(
    workforce: Workforce, tiny: TrainingOutcome
) -> None:
    for name in NETWORK_KINDS:
        alone = train(TrainingPlan(1, 20, 4, 3, (name,)), workforce)
        assert list(alone.networks) == [name]
        assert same(alone.networks[name].network, tiny.networks[name].network)


def test_an_interrupted_run_goes_on_to_the_same_weights(
    tmp_path: Path, workforce: Workforce, tiny: TrainingOutcome
) -> None:
    checkpoint, seen = tmp_path / "checkpoint", list[tuple[str, int]]()
    begins = "games", 1
    # What is interrupted, and what the next run begins with: the report of an epoch comes before its checkpoint.
    for stage, begins_then in (
        (("games", 6), ("games", 7)),
        (("the hybrid's network", 2), ("the hybrid's network", 2)),
        (("games", 20), ("dense network", 1)),
        (("dense network", 3), ("dense network", 3)),
        (("convolutional network", 1), ("convolutional network", 1)),
    ):

        def interrupt(progress: Progress, stage: tuple[str, int] = stage) -> None:
            seen.append((progress.step, progress.done))
            if seen[-1] == stage:
                raise KeyboardInterrupt

        seen.clear()
        with pytest.raises(KeyboardInterrupt):
            train(TINY, workforce, checkpoint, interrupt)
        assert seen[0] == begins
        begins = begins_then
    seen.clear()
    resumed = train(TINY, workforce, checkpoint, lambda progress: seen.append((progress.step, progress.done)))
    assert seen[0] == begins
    assert all_same(resumed, tiny)
    with pytest.raises(ValueError, match="another run, 'cornered train bamboo-neural --network both --radius 1"):
        train(TrainingPlan(1, 20, 4, 4), workforce, checkpoint)


@pytest.mark.parametrize("name", NETWORK_KINDS)
def test_the_losses_fall(workforce: Workforce, name: NetworkKind) -> None:
    curve = train(TrainingPlan(2, 20, 12, 1, (name,)), workforce).curves[name]
    assert len(curve) == 12
    assert curve[-1].learnt_policy < 0.95 * curve[0].learnt_policy
    assert curve[-1].policy < curve[0].policy
    if name == "convolutional":
        assert curve[-1].learnt_value is not None
        assert curve[0].learnt_value is not None
        assert curve[-1].learnt_value < 0.9 * curve[0].learnt_value


def test_what_looks_the_same_from_every_side_is_learnt() -> None:
    """The teacher answers each stone at the opposite end of the board. If a position and its answer were not rotated
    together, eight of the twelve symmetries would teach something else."""
    order = {cube: i for i, cube in enumerate(cubes(2).values())}
    opposite = np.array([order[-x, -y, -z] for x, y, z in order])
    stones = np.delete(np.arange(19), order[0, 0, 0])
    board = np.zeros((18, 19), np.int8)
    board[np.arange(18), stones] = -1
    lessons = Lessons(Views(board, board == 0, board == 0), opposite[stones], np.ones(18, np.int8))
    learner = Learner.start(Dense.new(2, np.random.default_rng(1)))
    many = Lessons.together([lessons] * 100, 2)
    for _ in range(30):
        learner.learn(many, lessons, 30, 1)
    assert learner.curve[-1].accuracy > 0.9
    assert learner.curve[-1].policy < 0.5


def test_lessons_are_legal_and_say_who_won() -> None:
    network = shipped(2)
    assert network is not None
    games = [play(2, 5, MIX, network.network, number) for number in range(12)]
    for game in games:
        assert game.views.legal[np.arange(len(game)), game.chosen].all()
        assert not game.views.stones[np.arange(len(game)), game.chosen].any()
        assert set(np.unique(game.views.stones)) <= {-1, 0, 1}
        # The mover's number of stones determines its seat, and a seat has won or lost all its positions.
        seats = (game.views.stones != 0).sum(axis=1) % 2
        for seat in (0, 1):
            assert len(set(game.outcomes[seats == seat].tolist())) <= 1
        assert set(game.outcomes[seats == 0].tolist()).isdisjoint(game.outcomes[seats == 1].tolist())
        # The player of the last stone wins.
        if (game.views.replies[-1] & (np.arange(19) != game.chosen[-1])).sum() == 0:
            assert game.outcomes[-1] == 1
    again = play(2, 5, MIX, network.network, 0)
    assert np.array_equal(again.views.stones, games[0].views.stones)
    assert np.array_equal(again.chosen, games[0].chosen)
    assert len(Lessons.together(games, 2)) == sum(map(len, games))


def test_the_mix_says_how_often_each_teacher_has_a_seat() -> None:
    mix = read_mix("mcts=1, minimax=2,hybrid=1")
    assert spell(mix) == "minimax=2,mcts=1,hybrid=1"
    seats = [name for number in range(500) for name in seated(3, 1, mix, number)]
    assert {name: round(4 * seats.count(name) / len(seats), 0) for name in set(seats)} == {
        "minimax": 2,
        "mcts": 1,
        "hybrid": 1,
    }
    assert spell(read_mix(spell(MIX))) == spell(MIX)
    for wrong in ("minimax", "minimax=", "minmax=1", "minimax=-1", "minimax=1;mcts=2", ""):
        with pytest.raises(ValueError, match="a mix looks like minimax=3,mcts=1,hybrid=1,outer=2"):
            read_mix(wrong)
    for empty in ("minimax=0", "hybrid=1"):
        with pytest.raises(ValueError, match="the hybrid follows a network"):
            read_mix(empty)


def test_the_hybrid_among_the_teachers_follows_its_network_while_many_cells_are_free() -> None:
    """Two networks of opposite preferences give different games, but only with a hybrid at the board."""
    first = shipped(3)
    assert first is not None
    other = type(first.network)(3, [-part for part in first.network.parameters])
    mix = read_mix("minimax=1,hybrid=1")
    for number in range(8):
        games = [play(3, 1, mix, network, number) for network in (first.network, other)]
        is_same = len(games[0]) == len(games[1]) and bool((games[0].chosen == games[1].chosen).all())
        assert is_same == (HYBRID not in seated(3, 1, mix, number)), number


def test_trials_are_won_by_the_better_network_and_seen_from_both_sides(
    workforce: Workforce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "DUEL_PAIRS", 20)
    good = shipped(3)
    assert good is not None
    poor = Trained(kind_of("convolutional").new(3, np.random.default_rng(1)), {})
    heard: list[Progress] = []
    found = evaluation.evaluated({"dense": good, "convolutional": poor}, 3, 1, workforce, heard.append)
    assert heard == [Progress("trials", done, 64) for done in range(1, 65)]
    one, other = found["dense"]["convolutional"], found["convolutional"]["dense"]
    assert one.games == other.games == 40
    assert one.wins + other.wins == 40
    assert one.wins >= 28
    assert one.interval[0] > 0.5 > other.interval[1]
    assert set(found["dense"]) == {*evaluation.OPPONENT_BOTS, "convolutional"}
    assert one.as_json()["low"] == pytest.approx(one.interval[0], abs=1e-4)
    assert other.milliseconds > 0


def kind_of(name: NetworkKind) -> type[Network]:
    trained = shipped(3, name)
    assert trained is not None
    return type(trained.network)


def test_a_player_that_fails_ends_the_trials(workforce: Workforce) -> None:
    for_another_board = shipped(2)
    assert for_another_board is not None
    with pytest.raises(RuntimeError, match="plays on radius 2 only, not on 3"):
        evaluation.evaluated({"dense": for_another_board}, 3, 1, workforce, no_report)


def test_learning_curves_are_drawn_the_same_every_time(tmp_path: Path, tiny: TrainingOutcome) -> None:
    for name in ("a.svg", "b.svg"):
        plot(tiny.curves, "Bamboo, radius 1", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "convolutional" in (tmp_path / "a.svg").read_text()


def test_a_file_that_is_no_network_says_so(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    for content in (b"", b"nothing", (SHIPPED / "bamboo-r1.npz").read_bytes()[:-100]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=re.escape(f"{path} holds no network of ours")):
            load(path)
    np.savez(path, provenance=np.array('{"kind": "dense", "radius": 1}'), part0=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="not the weights of a dense network for radius 1"):
        load(path)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.npz")), ids=lambda path: path.stem)
def test_shipped_weights_are_small_and_say_how_they_were_made(path: Path) -> None:
    trained = load(path)
    told = trained.provenance
    assert path == shipped_path(told["radius"], told["kind"])
    assert path.name == file_name(trained.network.kind, trained.network.radius)
    assert path.stat().st_size < 400_000
    plan = TrainingPlan(told["radius"], told["games"], told["epochs"], told["seed"], NETWORK_KINDS, told["mix"])
    assert told["command"] == plan.command
    assert plan == TrainingPlan.of(
        told["radius"], GAMES_BY_RADIUS[told["radius"]], TrainingPlan(1, 1).epochs, 1, "both", spell(MIX)
    )
    assert 0 < told["accuracy"] <= 1
    assert told["results"]["bamboo-uniform"]["games"] == 100
    (other,) = set(NETWORK_KINDS) - {told["kind"]}
    duel = shipped(told["radius"], other)
    assert duel is not None
    assert told["results"][other]["wins"] + duel.provenance["results"][told["kind"]]["wins"] == 200
    assert all(np.isfinite(part).all() for part in trained.network.parameters)


@pytest.mark.parametrize("name", NETWORK_KINDS)
def test_the_networks_that_ship_with_the_default_board_beat_random_play(
    workforce: Workforce, name: NetworkKind
) -> None:
    trained = shipped(5, name)
    assert trained is not None
    found = evaluation.evaluated({name: trained}, 5, 1, workforce, no_report)
    assert found[name]["bamboo-uniform"].wins >= 3


def test_the_bots_play_what_they_have_a_network_for_and_say_so_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    game = engine.load("bamboo", radius=5)
    for name in ("bamboo-neural", "bamboo-hybrid"):
        assert kind(name).plays("bamboo")
        assert not kind(name).plays("trapgrid")
        assert kind(name).plays(game)
    monkeypatch.setattr("cornered.bots.neural.weights.SHIPPED", Path("/nowhere"))
    shipped.cache_clear()
    assert not kind("bamboo-neural").plays(game)
    for name in NETWORK_KINDS:
        with pytest.raises(ValueError, match=rf"`cornered train bamboo-neural --network {name} --radius 5` makes one"):
            create(f"bamboo-neural:network={name}").choose(game.start(), Limit())
    shipped.cache_clear()


def test_a_bot_follows_the_network_of_its_setting(tmp_path: Path) -> None:
    state = engine.load("bamboo", radius=3).start().play("d4")
    for name in NETWORK_KINDS:
        trained = shipped(3, name)
        assert trained is not None
        path = tmp_path / f"mine-{name}.npz"
        save(trained, path)
        by_name, by_file = (create(f"bamboo-neural:network={value}") for value in (name, path))
        assert by_name.choose(state, Limit()) == by_file.choose(state, Limit())
        assert by_file.label == f"bamboo-neural-mine-{name}"
        assert (by_name.choose(state, Limit()).score is None) == (name == "dense")
    # A file that was replaced is read again.
    fresh = kind_of("convolutional").new(3, np.random.default_rng(7))
    save(Trained(fresh, {"kind": "convolutional", "radius": 3}), path)
    assert by_file.choose(state, Limit()).score != by_name.choose(state, Limit()).score
    # A convolutional network plays on every board, a dense one does not.
    wide = engine.load("bamboo", radius=4).start()
    assert wide.is_legal(by_file.choose(wide, Limit()).move)
    with pytest.raises(ValueError, match="plays on radius 3 only, not on 4"):
        create(f"bamboo-hybrid:network={tmp_path / 'mine-dense.npz'}").choose(wide, Limit())
    with pytest.raises(ValueError, match="network is one of dense, convolutional, or a file of weights"):
        create("bamboo-neural:network=sparse")
    with pytest.raises(OSError, match=r"none\.npz"):
        create(f"bamboo-neural:network={tmp_path / 'none.npz'}")


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
