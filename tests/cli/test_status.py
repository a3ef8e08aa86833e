"""`cornered admin status`, of a server on SQLite, of two nodes, and of what has died."""

from __future__ import annotations

import json
import socket
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cornered.cli.status import find_status
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.settings import Settings
from tests.cli.conftest import run
from tests.conftest import Mosquitto, Postgres, free_port
from tests.server.conftest import Pair, Start
from tests.server.conftest import pair as pair
from tests.server.conftest import start as start


async def test_a_server_on_sqlite_is_one_node(start: Start, pair: Pair, tmp_path: Path) -> None:
    port = free_port()
    settings = Settings(data=tmp_path, port=port, node="home")
    async with start(database="", port=port, node="home") as server:
        async with server.client("Ann") as ann, server.client("Ben") as ben:
            await pair(ann, ben)
            found = await find_status(settings)
        other = await find_status(settings.model_copy(update={"node": "another"}))
    assert (found.store.kind, found.store.matches, found.store.live) == ("sqlite", 1, 1)
    metrics = found.metrics["home"]
    assert isinstance(metrics, dict)
    assert (metrics["node_players"], metrics["match_tasks"], metrics["journal_waiting"]) == (2, 1, 0)
    assert "another server answers" in str(other.metrics["another"])
    assert isinstance((await find_status(settings)).metrics["home"], str)


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_two_nodes_share_the_slots_and_the_metrics_need_the_token(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    shared: dict[str, Any] = {
        "database": postgres.new_database(),
        "mqtt": mosquitto.url,
        "metrics_token": "s3cret",
    }
    settings = Settings(**shared, data=tmp_path)
    async with start(**shared, node="one", data=tmp_path / "one"), start(**shared, node="two", data=tmp_path / "two"):
        found = await find_status(settings)
        barred = await find_status(settings.model_copy(update={"metrics_token": None}))
        lost = await find_status(settings.model_copy(update={"mqtt": f"mqtt://127.0.0.1:{free_port()}"}))
    one, two = found.store.nodes
    assert (one.name, two.name, one.slots + two.slots) == ("one", "two", len(ALL_SLOTS))
    assert [one.has_lobby, two.has_lobby].count(True) == 1
    assert found.is_whole
    assert all(isinstance(metrics, dict) and metrics["node_players"] == 0 for metrics in found.metrics.values())
    assert "CORNERED_METRICS_TOKEN" in str(barred.metrics["one"])
    assert lost.broker
    assert not lost.is_whole
    after = await find_status(settings)
    assert (after.store.nodes, after.store.orphans) == ((), len(ALL_SLOTS))
    assert not after.is_whole


@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.parametrize("wildcard", ["0.0.0.0", "::"])
async def test_a_node_that_listens_on_every_address_is_stored_under_its_machines_name(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path, wildcard: str
) -> None:
    shared: dict[str, Any] = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    port = free_port()
    async with start(**shared, node="one", host=wildcard, port=port, data=tmp_path):
        found = await find_status(Settings(**shared, data=tmp_path))
    assert [node.address for node in found.store.nodes] == [f"http://{socket.gethostname()}:{port}"]
    if wildcard == "0.0.0.0":
        # Without a token a node tells its metrics to the loopback interface alone.
        assert isinstance(found.metrics["one"], dict), found.metrics


def test_a_table_and_json_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERED_PORT", str(free_port()))
    missing = run("admin", "status", "--data", str(tmp_path))
    assert missing.exit_code == 2
    assert "there is no store" in missing.stderr
    assert not (tmp_path / "cornered.db").exists()
    with sqlite3.connect(tmp_path / "cornered.db") as store:
        store.execute("CREATE TABLE matches (id TEXT, started INT, ended INT, private BOOL)")
        store.execute("INSERT INTO matches VALUES ('m', 1, NULL, 0)")
    store.close()
    shown = run("admin", "status", "--data", str(tmp_path))
    assert shown.exit_code == 0, shown.output
    assert "store: sqlite, 1 matches, 1 of them live" in shown.stdout
    assert "no metrics: " in shown.stdout
    printed = json.loads(run("admin", "status", "--data", str(tmp_path), "--json").stdout)
    assert (printed["store"]["live"], printed["is_whole"]) == (1, True)
