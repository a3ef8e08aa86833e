"""SPSA, grid and Optuna: on a synthetic objective with a known optimum, and on real games."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest

from cornered.bots.weights.model import Values, model
from cornered.engine.progress import Progress
from cornered.lab.contests.contest import MemoryGameStore
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.match import MatchTally
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.tuning import grid, spsa, tpe
from cornered.lab.tuning.space import Space
from cornered.lab.tuning.trial import Trials, varied

QUORIDOR = model("quoridor")
SPACE = Space.of(QUORIDOR, (), {"path": (0.0, 20.0), "progress": (0.0, 4.0), "wall": (0.0, 10.0)})
BEST = 15.0, 1.0, 7.0
TERMS = ContestTerms.of("trapgrid", {"size": 4}, seed=2)


def trapgrid_word(values: Values | None) -> str:
    return model("trapgrid").word(values, 1)


class Bowl:
    """A synthetic match, whose score falls with the distance of the weights from the best ones; noisy, and counts its
    trials."""

    def __init__(self) -> None:
        self.chance = Random(8)
        self.trials = 0

    def goodness(self, values: Values) -> float:
        sizes = 20.0, 4.0, 10.0
        return -4 * sum(((v - b) / s) ** 2 for v, b, s in zip(values, BEST, sizes, strict=True))

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> MatchTally:
        self.trials += 1
        ahead = self.goodness(first or QUORIDOR.printed) - self.goodness(second or QUORIDOR.printed)
        chance = 1 / (1 + math.exp(-4 * ahead))
        tally = MatchTally()
        for _ in range(pairs):
            tally = tally.after(float(self.chance.random() < chance), float(self.chance.random() < chance))
        return tally


def test_spsa_finds_the_bottom_of_a_bowl_with_spalls_gains() -> None:
    bowl = Bowl()
    heard: list[Progress] = []
    plan = spsa.SpsaPlan(200, pairs=20)
    found = spsa.search(SPACE, plan, bowl, Random(1), heard.append)
    assert bowl.trials == 200
    assert (heard[-1].done, heard[-1].total) == (200, 200)
    assert bowl.goodness(found.values) > 0.1 * bowl.goodness(QUORIDOR.printed)
    assert found.values == pytest.approx(BEST, abs=2.0)
    assert found.curve[-1]["games"] == 200 * 40

    plan = spsa.SpsaPlan(100, spread=0.2, step=0.5)
    a_0, c_0 = spsa.gains(plan, 0)
    assert c_0 == 0.2
    # One side wins every game: the middle moves by the step.
    assert a_0 * 1 / (2 * c_0) == pytest.approx(0.5)
    a_9, c_9 = spsa.gains(plan, 9)
    assert a_9 / a_0 == pytest.approx((11 / 20) ** 0.602)
    assert c_9 / c_0 == pytest.approx(10**-0.101)


def test_optuna_does_better_than_the_printed_weights_in_a_bowl() -> None:
    pytest.importorskip("optuna")
    bowl = Bowl()
    found = tpe.search(SPACE, tpe.TpePlan(25, pairs=30), bowl, seed=1)
    assert bowl.trials == 25
    assert found.curve[0]["weights"] == QUORIDOR.printed
    assert bowl.goodness(found.values) > bowl.goodness(QUORIDOR.printed)
    again = tpe.search(SPACE, tpe.TpePlan(25, pairs=30), Bowl(), seed=1)
    assert again == found


def test_trials_are_pairs_with_openings_of_their_own(workforce: Workforce) -> None:
    keep = MemoryGameStore()
    trials = Trials(trapgrid_word, TERMS, workforce, keep)
    printed = model("trapgrid").printed
    first = trials(printed, None, 4)
    # A bot against itself: each pair is won by a seat, not by a player.
    assert first.pairs == (0, 0, 4, 0, 0)
    trials(printed, None, 4)
    openings = [keep.games[number].fixture.opening for number in range(16)]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 4
    assert first.share == 0.5


def test_openings_are_many_enough_for_a_long_match() -> None:
    for game, options in (("quoridor", {"size": 5}), ("isolation", {}), ("trapgrid", {}), ("bamboo", {})):
        opening = varied(ContestTerms.of(game, options, seed=1))
        assert len({opening(pair) for pair in range(60)}) > 50, game


class Stop(Exception):
    pass


class Brief:
    """A store that interrupts after a number of games."""

    def __init__(self, journal: ContestJournal, most: int | None) -> None:
        self.games = journal.games
        self._journal = journal
        self._most = most

    def append(self, played: PlayedGame) -> None:
        self._journal.append(played)
        if len(self.games) == self._most:
            raise Stop


def test_an_interrupted_search_comes_to_the_same(tmp_path: Path, workforce: Workforce) -> None:
    space = Space.of(model("trapgrid"), ("territory", "immediate"))

    def search(folder: Path, stops_after: int | None) -> object:
        with ContestJournal.open(folder, TERMS, {}) as journal:
            trials = Trials(trapgrid_word, TERMS, workforce, Brief(journal, stops_after))
            return spsa.search(space, spsa.SpsaPlan(6, pairs=2), trials, TERMS.chance("spsa"))

    whole = search(tmp_path / "whole", None)
    for stop in (5, 17):
        with pytest.raises(Stop):
            search(tmp_path / "part", stop)
    assert search(tmp_path / "part", None) == whole
    assert (tmp_path / "part" / "games.jsonl").read_bytes().count(b"\n") == 24


def test_the_grid_puts_an_absurd_combination_last(workforce: Workforce, subtests: pytest.Subtests) -> None:
    for pairing in ("round-robin", "gauntlet"):
        with subtests.test(pairing=pairing):
            terms = ContestTerms.of("quoridor", {"size": 5}, seed=5)
            space = Space.of(QUORIDOR, ("path",), {"path": (-12.0, 12.0)})
            plan = grid.GridPlan(3, pairing, (("path", (-12.0, 10.0, 12.0)),))
            found = grid.search(space, plan, terms, 1, workforce, MemoryGameStore())
            assert found.result["combinations"] == 3
            assert found.result["games"] == {"round-robin": 18, "gauntlet": 12}[pairing]
            assert [row["weights"]["path"] for row in found.result["ratings"]][-1] == -12.0
            assert found.values[0] > 0
            printed = next(row for row in found.result["ratings"] if row["weights"]["path"] == 12.0)
            assert printed["elo"] == 0.0


def test_a_grid_has_the_printed_values_and_the_ends_and_a_space_knows_its_points() -> None:
    space = Space.of(QUORIDOR)
    found = grid.configurations(space, {})
    assert found[0] == QUORIDOR.printed
    assert len(found) == len(set(found)) == 27
    assert {values[0] for values in found} == {8.0, 12.0, 16.0}
    assert {values[2] for values in grid.configurations(space, {"wall": (1.0, 9.0)})} == {1.0, 2.0, 9.0}
    with pytest.raises(ValueError, match="2187 combinations are too many"):
        grid.configurations(Space.of(model("trapgrid")), {})
    with pytest.raises(ValueError, match="no weight 'walls'"):
        grid.configurations(space, {"walls": (1.0,)})

    space = Space.of(model("trapgrid"), ("penalty-8", "centre"))
    assert space.names == ("centre", "penalty-8")
    assert space.values((0.0, 1.0))[3] == -1.0
    assert space.values((0.0, 7.0))[10] == 80.0
    assert space.point(space.values((0.25, 0.5))) == (0.25, 0.5)
    assert Space.of(model("trapgrid")).names == model("trapgrid").names[:7]
    with pytest.raises(ValueError, match="from less to more"):
        Space.of(QUORIDOR, (), {"path": (3.0, 3.0)})
    with pytest.raises(ValueError, match="no weight 'paths'"):
        Space.of(QUORIDOR, ("paths",))
