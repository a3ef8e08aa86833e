"""The dashboard and the alerts in deploy/ name metrics that a running server has, and say what to do."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from cornered.protocol.commands import Play, Resign
from cornered.server.cluster.slots import ALL_SLOTS
from tests.server.conftest import Pair, Running, Start

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
PANELS: list[dict[str, Any]] = json.loads((DEPLOY / "grafana-dashboard.json").read_text())["panels"]


def names_in(expressions: list[str]) -> set[str]:
    return {name for expression in expressions for name in re.findall(r"\bcornered_\w+", expression)}


def named_by(metrics: str) -> Iterator[str]:
    """Yield the names of all series, those too that no event has begun yet."""
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", metrics, re.MULTILINE):
        yield from (f"{name}_{part}" for part in ("bucket", "count", "sum")) if kind == "histogram" else (name,)


@pytest.mark.parametrize(
    "expressions",
    [[rule["expr"] for rule in RULES], [target["expr"] for panel in PANELS for target in panel["targets"]]],
    ids=["alerts", "dashboard"],
)
async def test_every_metric_that_is_watched_exists(running: Running, expressions: list[str]) -> None:
    watched = names_in(expressions)
    assert len(watched) >= 8
    assert watched <= set(named_by((await running.fetch("/metrics")).body))


def test_an_alert_says_what_is_and_what_to_do(subtests: pytest.Subtests) -> None:
    for rule in RULES:
        with subtests.test(rule=rule):
            assert rule["labels"]["severity"] in ("warning", "critical")
            for part in ("summary", "action"):
                assert rule["annotations"][part].endswith(".")


async def test_the_alert_of_ratings_looks_at_what_waits(start: Start, pair: Pair, tmp_path: Path) -> None:
    (rule,) = [rule for rule in RULES if rule["alert"] == "CorneredRatingsBehind"]
    (name,) = names_in([rule["expr"]])
    path = tmp_path / "cornered.db"
    async with start(database=f"sqlite:///{path}") as server:
        async with server.client("Ann") as ann, server.client("Ben") as ben:
            match = await pair(ann, ben, rated=True)
            await ann.do(Play, match=match, ply=0, move="a2")
            await ben.do(Play, match=match, ply=1, move="c2")
            with closing(sqlite3.connect(path)) as store, store:
                store.execute("ALTER TABLE rating_changes RENAME TO gone")
            await ann.do(Resign, match=match)
        found = await server.metrics_once(lambda found: found[name] > 0)
        assert found["cornered_ratings_waiting"] == 1
        with closing(sqlite3.connect(path)) as store, store:
            store.execute("ALTER TABLE gone RENAME TO rating_changes")
        found = await server.metrics_once(lambda found: found[name] == 0)
        assert found["cornered_matches_rated_total"] == 1


def test_the_alert_of_slots_knows_their_number() -> None:
    (rule,) = [rule for rule in RULES if rule["alert"] == "CorneredSlotsWithoutOwner"]
    assert rule["expr"] == f"sum(cornered_slots) < {len(ALL_SLOTS)}"
