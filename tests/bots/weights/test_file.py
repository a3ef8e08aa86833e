"""Files of weights: round trip, errors, and bots that use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.weights.file import SHIPPED, Tuned, WeightsVerdict, read, shipped, shipped_path, write
from cornered.bots.weights.model import Values, model, modelled
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture

TEST = WeightsVerdict(
    command="cornered tune test x.json",
    seed=2,
    depth=1,
    wins=3,
    draws=0,
    losses=1,
    pairs=(0, 0, 1, 0, 1),
    bounds=(0, 10),
    llr=0.4,
    elo=190.8,
    decision="undecided",
)


def tuned(game: str, values: Values | None = None) -> Tuned:
    known = model(game)
    return Tuned(
        game=game,
        options={},
        bot=known.bot,
        depth=1,
        weights=known.named(values or known.printed),
        printed=known.named(known.printed),
        method="hand",
        command="none",
        seed=1,
        settings={"ranges": {"path": [8, 16]}},
        result={},
        curve=[{"games": 10, "weights": [1.0]}],
        tests=[TEST],
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "weights.json"
    write(tuned("quoridor"), path)
    return path


def test_a_file_comes_back_as_it_was(file: Path) -> None:
    assert read(file) == tuned("quoridor")
    assert read(file).values == (12.0, 1.5, 2.0)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_nonsense_is_refused_by_the_files_name_and_what_is_wrong(file: Path, subtests: pytest.Subtests) -> None:
    fields = json.loads(file.read_text(encoding="utf-8"))
    cases: list[tuple[dict[str, object], str]] = [
        ({"cornered": "network"}, "cornered: Input should be 'weights'"),
        ({"version": 2}, "version: Input should be 1"),
        ({"game": "chess"}, "there are no weights for 'chess'"),
        ({"weights": {"path": "much", "progress": 1, "wall": 1}}, "weights: path: "),
        ({"weights": {"path": 1, "progress": 1, "wall": "inf"}}, "weights: wall: Input should be a finite number"),
        ({"weights": {"path": 1, "progress": 1}}, "there is no weight 'wall'"),
        ({"weights": {"path": 1, "progress": 1, "wall": 1, "luck": 1}}, "quoridor has no weight 'luck'"),
        ({"depth": 0}, "depth: "),
        ({"method": "magic"}, "method: "),
        ({"surprise": 1}, "surprise: Extra inputs are not permitted"),
        ({"tests": [{"command": "x"}]}, "tests: 0: seed: Field required"),
    ]
    for changes, complaint in cases:
        with subtests.test(complaint):
            file.write_text(json.dumps(fields | changes), encoding="utf-8")
            with pytest.raises(ValueError, match=r"weights\.json holds no weights of ours") as caught:
                read(file)
            assert complaint in str(caught.value)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"weights\.json:1: this is no UTF-8 text"):
        read(file)
    with pytest.raises(OSError, match=r"none\.json"):
        read(file.with_name("none.json"))


def test_weights_of_another_game_are_refused(file: Path) -> None:
    with pytest.raises(ValueError, match="holds weights for quoridor, not for trapgrid"):
        create(f"trapgrid-classic:weights={file}")
    player = create(f"linear:weights={file}")
    with pytest.raises(ValueError, match="holds weights for quoridor, not for trapgrid"):
        player.choose(engine.load("trapgrid").start(), Limit(depth=1))


@pytest.mark.parametrize("game", modelled())
def test_the_printed_weights_play_like_the_printed_bot_and_their_opposites_another_game(
    tmp_path: Path, game: str
) -> None:
    """From a file and from numbers alike."""
    known = model(game)
    size = {"quoridor": {"size": 5}, "bamboo": {"radius": 2}, "isolation": {"width": 5, "height": 5}}.get(game, {})
    terms = ContestTerms.of(game, size, seed=4)

    def moves(word: str) -> tuple[str, ...]:
        return tuple(play(terms, Fixture(0, (word, word))).moves)

    printed = known.word(None, 1)
    for values, is_alike in ((known.printed, True), (tuple(-value for value in known.printed), False)):
        path = tmp_path / f"{is_alike}.json"
        write(tuned(game, values), path)
        numbers = moves(known.word(values, 1))
        assert numbers == moves(f"{printed},weights={path}")
        assert (numbers == moves(printed)) == is_alike


def test_numbers_can_be_the_weights_and_are_counted() -> None:
    bot = create("trapgrid-classic:weights=1:2:3:4:5:6:7")
    assert bot.label == "trapgrid-classic-1:2:3:4:5:6:7"
    every = ":".join(map(str, range(14)))
    assert create(f"trapgrid-classic:weights={every}").settings["weights"] == every
    with pytest.raises(ValueError, match=r"trapgrid has 7 weights \(territory, .*bonus\), not 3"):
        create("trapgrid-classic:weights=1:2:3")
    for wrong in ("1:2:nan", "1:inf:3", "a:b:c"):
        with pytest.raises(ValueError, match="a file of weights"):
            create(f"quoridor-classic:weights={wrong}")


def test_a_file_is_the_label_by_its_name_and_weights_are_given_once(file: Path) -> None:
    assert create(f"quoridor-classic:depth=1,weights={file}").label == "quoridor-classic-1-weights"
    with pytest.raises(ValueError, match="leave out the others"):
        create(f"quoridor-classic:path=3,weights={file}")
    assert create("quoridor-classic:path=3,weights=printed").settings["path"] == 3.0


def test_what_is_shipped_can_be_read_and_tells_how_it_was_made() -> None:
    for path in SHIPPED.glob("*.json"):
        held = read(path)
        assert path.name.startswith(f"{held.game}-")
        assert path == shipped_path(held.game, path.stem.removeprefix(f"{held.game}-"))
        assert held.command.startswith(f"cornered tune {held.method} --game {held.game} ")
        assert f"--seed {held.seed}" in held.command
        assert held.printed == held.model.named(held.model.printed)
        assert held.tests
    for game in modelled():
        for name in shipped(game):
            assert create(f"{model(game).bot}:weights={name}").plays(game)
