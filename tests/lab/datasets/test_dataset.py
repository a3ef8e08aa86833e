"""A data set read back: its schema, its moves and results by the rules, its repetition, and its failures."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from cornered import engine
from cornered.engine import CHANCE
from cornered.engine.encoding import encoding
from cornered.engine.progress import Progress, no_report
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.datasets.card import CARD, count, write_card
from cornered.lab.datasets.making import make, missing_shards
from cornered.lab.datasets.plan import DatasetPlan
from cornered.lab.datasets.playing import result_of
from cornered.lab.datasets.schema import COLUMNS, DATA, SCHEMA, shard_path
from cornered.lab.execution.workforce import Workforce
from tests.lab.inline import Inline

CASES = {
    "trapgrid": ("trapgrid", {"size": 4}, ("champion", "greedy"), {"depth": 2}),
    "isolation": ("isolation", {"width": 4, "height": 4}, ("minimax",), {"depth": 2}),
    "dice": ("isolation", {"width": 4, "height": 4, "dice": True}, ("expectiminimax",), {"depth": 1}),
    "bamboo": ("bamboo", {"radius": 2}, ("bamboo-mcts:iterations=20", "minimax"), {"depth": 2}),
    "quoridor": ("quoridor", {"size": 5}, ("champion", "linear"), {"nodes": 200}),
}
"""The game, its options, teachers and limits."""


def plan_of(case: str, games: int = 6, **further: Any) -> DatasetPlan:
    game, options, bots, limits = CASES[case]
    terms = ContestTerms.of(game, options, seed=5, **limits)
    return DatasetPlan.of(terms, bots, games, **{"explore": 0.2, "shard_games": 4, **further})


def rows(plan: DatasetPlan, folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for shard in range(plan.shards):
        found += pq.read_table(shard_path(folder, shard)).to_pylist()
    return found


@pytest.mark.parametrize("case", CASES)
def test_what_is_read_back_is_games_by_the_rules(case: str, workforce: Workforce, tmp_path: Path) -> None:
    plan = plan_of(case)
    made, _ = make(plan, tmp_path, workforce, no_report)
    assert pq.read_schema(shard_path(tmp_path, 0)).equals(SCHEMA)
    found = rows(plan, tmp_path)
    assert made == len(found)
    games = [list(game) for _, game in groupby(found, key=lambda row: row["number"])]
    assert [game[0]["number"] for game in games] == list(range(plan.games))
    for game in games:
        rules = engine.load(game[0]["game"], **json.loads(game[0]["options"]))
        assert rules == plan.terms.load()
        state = rules.start()
        for ply, row in enumerate(game):
            assert (row["ply"], row["plies"]) == (ply, len(game))
            assert row["position"] == str(state)
            assert row["seat"] == (None if state.to_move == CHANCE else state.to_move)
            assert row["move"] in state.moves()
            assert encoding(rules).action(row["move"]) == row["action"]
            check_thought(row, state.moves())
            state = state.play(row["move"])
        assert state.outcome is not None
        assert game[0]["ending"] == "rules"
        assert any(row["evaluation"] is not None for row in game)
        for row in game:
            assert row["places"] == list(state.outcome.places)
            winner = state.outcome.winner
            expected = None if row["seat"] is None else 0 if winner is None else 1 if winner == row["seat"] else -1
            assert row["result"] == expected


def check_thought(row: dict[str, Any], moves: list[str]) -> None:
    of_bot = ("bot", "chosen", "evaluation", "evaluation_unit", "depth", "nodes", "proven", "distance")
    if row["source"] in ("opening", "dice"):
        assert (row["source"] == "dice") == (row["seat"] is None)
        assert all(row[name] is None for name in of_bot)
        return
    assert row["bot"] == row["players"][row["seat"]]
    assert row["chosen"] in moves
    assert (row["source"] == "bot") == (row["chosen"] == row["move"])
    assert row["depth"] >= 0 <= row["nodes"]
    unit = "result" if row["bot"].startswith("bamboo-mcts") else "moves"
    assert row["evaluation_unit"] == (None if row["evaluation"] is None else unit)
    assert row["proven"] in (None, "win", "draw", "loss")
    if row["proven"] in ("win", "loss"):
        assert (row["evaluation"] > 0) == (row["proven"] == "win")


def test_a_proven_win_is_won_where_nobody_explores(workforce: Workforce, tmp_path: Path) -> None:
    plan = plan_of("quoridor", 20, explore=0.0)
    make(plan, tmp_path, workforce, no_report)
    proven = [row for row in rows(plan, tmp_path) if row["proven"] in ("win", "loss") and row["bot"] == "champion"]
    same = [row for row in proven if set(row["players"]) == {"champion"}]
    assert same
    assert all(row["result"] == (1 if row["proven"] == "win" else -1) for row in same)


@pytest.mark.parametrize("case", ["quoridor", "bamboo"])
def test_the_same_plan_makes_the_same_bytes_however_many_work(case: str, workforce: Workforce, tmp_path: Path) -> None:
    plan = plan_of(case, 8)
    for name, workers in (("two", workforce), ("one", Inline())):
        (tmp_path / name).mkdir()
        make(plan, tmp_path / name, workers, no_report)
    for shard in range(plan.shards):
        assert shard_path(tmp_path / "one", shard).read_bytes() == shard_path(tmp_path / "two", shard).read_bytes()


class Interrupted(Exception):
    pass


def test_an_interrupted_data_set_goes_on_to_the_same_bytes(workforce: Workforce, tmp_path: Path) -> None:
    plan = plan_of("trapgrid", 22)
    whole, half = tmp_path / "whole", tmp_path / "half"
    whole.mkdir()
    make(plan, whole, workforce, no_report)

    def stop(progress: Progress) -> None:
        if not missing_shards(plan, half) == list(range(plan.shards)):
            raise Interrupted

    half.mkdir()
    with pytest.raises(Interrupted):
        make(plan, half, workforce, stop)
    kept = {path.name: path.stat().st_mtime_ns for path in (half / DATA).iterdir()}
    assert 0 < len(kept) < plan.shards
    (half / DATA / "games-00001.parquet.7.part").write_bytes(b"torn")
    made, _ = make(plan, half, workforce, no_report)
    assert 0 < made < count(plan, half).rows
    assert {path.name: path.read_bytes() for path in (half / DATA).iterdir()} == {
        path.name: path.read_bytes() for path in (whole / DATA).iterdir()
    }
    assert {name: (half / DATA / name).stat().st_mtime_ns for name in kept} == kept


def test_a_game_does_not_depend_on_the_number_of_games_or_the_size_of_files(
    workforce: Workforce, tmp_path: Path
) -> None:
    few, many = plan_of("trapgrid", 5, shard_games=2), plan_of("trapgrid", 9, shard_games=100)
    for plan, name in ((few, "few"), (many, "many")):
        (tmp_path / name).mkdir()
        make(plan, tmp_path / name, workforce, no_report)
    some = rows(few, tmp_path / "few")
    assert some == rows(many, tmp_path / "many")[: len(some)]


def test_a_bot_that_fails_leaves_its_game_without_a_result(workforce: Workforce, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def choose(state, limit):\n    raise RuntimeError('no idea')\n")
    for plies in (2, 0):
        folder = tmp_path / str(plies)
        folder.mkdir()
        plan = DatasetPlan.of(ContestTerms.of("trapgrid", {"size": 4}, depth=1), [str(broken)], 3, plies=plies)
        make(plan, folder, workforce, no_report)
        found, counts = rows(plan, folder), count(plan, folder)
        assert [row["ply"] for row in found] == [*range(plies)] * 3
        assert {(row["ending"], row["places"], row["result"]) for row in found} <= {("crashed", None, None)}
        assert (counts.games, counts.rows, counts.faults) == (3, 3 * plies, 3)
        assert counts.moveless == (0 if plies else 3)


def test_what_a_bot_says_is_left_out_where_it_is_no_number(workforce: Workforce, tmp_path: Path) -> None:
    strange = tmp_path / "strange.py"
    strange.write_text(
        "from cornered.bots.bot import Thought\n"
        "def choose(state, limit):\n"
        "    return Thought(state.moves()[0], 'good', depth=10**9, nodes=10**30, proven='maybe', plies=-1)\n"
    )
    plan = DatasetPlan.of(ContestTerms.of("trapgrid", {"size": 4}), [str(strange)], 3, plies=1)
    make(plan, tmp_path, workforce, no_report)
    said = [row for row in rows(plan, tmp_path) if row["source"] == "bot"]
    assert {row["ending"] for row in said} == {"rules"}
    names = ("evaluation", "evaluation_unit", "depth", "nodes", "proven", "distance")
    assert {tuple(row[name] for name in names) for row in said} == {(None, None, 2**15 - 1, 2**63 - 1, None, None)}


@pytest.mark.parametrize(
    ("game", "options", "bot"),
    [("isolation", {"width": 4, "height": 4, "players": 3}, "maxn"), ("quoridor", {"size": 5, "players": 4}, "greedy")],
)
def test_games_of_several_have_places(
    game: str, options: dict[str, int], bot: str, workforce: Workforce, tmp_path: Path
) -> None:
    plan = DatasetPlan.of(ContestTerms.of_any_seats(game, options, depth=1), [bot, "random"], 4)
    make(plan, tmp_path, workforce, no_report)
    for _, one in groupby(rows(plan, tmp_path), key=lambda row: row["number"]):
        game_rows = list(one)
        places = game_rows[0]["places"]
        assert len(places) == len(game_rows[0]["players"]) == plan.terms.load().seats
        assert all(row["result"] == pytest.approx(result_of(tuple(places), row["seat"])) for row in game_rows)


def test_the_card_counts_what_the_files_hold_and_a_damaged_file_is_named(workforce: Workforce, tmp_path: Path) -> None:
    plan = plan_of("quoridor")
    make(plan, tmp_path, workforce, no_report)
    counts = count(plan, tmp_path)
    found = rows(plan, tmp_path)
    assert (counts.games, counts.rows) == (6, len(found))
    assert counts.evaluated == sum(row["evaluation"] is not None for row in found)
    assert counts.draws + sum(counts.firsts.values()) == 6
    text = write_card(plan, tmp_path, counts, "cornered dataset quoridor", "CC0-1.0").read_text()
    assert f"| rows | {len(found):,} |" in text
    assert all(f"| `{column.name}` |" in text for column in COLUMNS)
    assert "byte for byte" in text
    assert (tmp_path / CARD).exists()
    # The files are read beside their card.
    table = ds.dataset(tmp_path / DATA).to_table()
    assert table.column_names == [column.name for column in COLUMNS]
    assert len(table) == counts.rows

    shard_path(tmp_path, 1).write_bytes(b"no parquet")
    with pytest.raises(ValueError, match=r"games-00001\.parquet is no file of this data set"):
        count(plan, tmp_path)
    shard_path(tmp_path, 1).write_bytes(shard_path(tmp_path, 0).read_bytes())
    with pytest.raises(ValueError, match=r"games-00001\.parquet has other games"):
        count(plan, tmp_path)


def test_an_invalid_plan_is_refused(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[dict[str, Any], str], ...] = (
        ({"games": 0}, "1 to"),
        ({"shard_games": 0}, "a file has 1 to"),
        ({"explore": 1.5}, "from 0 to 1"),
    )
    for given, message in rows:
        with subtests.test(given=given, message=message), pytest.raises(ValueError, match=message):
            plan_of("trapgrid", **given)


def test_results_of_several_players_are_means_over_the_others() -> None:
    assert [result_of((1, 2), seat) for seat in (0, 1)] == [1, -1]
    assert [result_of((1, 1), seat) for seat in (0, 1)] == [0, 0]
    assert [result_of((3, 1, 2), seat) for seat in (0, 1, 2)] == [-1, 1, 0]
    assert [result_of((1, 1, 1, 4), seat) for seat in (0, 3)] == [1 / 3, -1]
