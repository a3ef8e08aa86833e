"""`cornered admin status`: the nodes, the store and the broker of a server, from the database and from `/metrics`."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.cli.reachable import loopback
from cornered.cli.rules import Json
from cornered.cli.store import store_settings
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.server.adapters.store_status import StoreStatus
    from cornered.server.settings import Settings

__all__ = ["Status", "find_status", "status"]

ANSWER_S: Final = 2.0
MAX_BYTES: Final = 1 << 20
MEASURED: Final = (
    "node_players",
    "sockets",
    "match_tasks",
    "mirrors",
    "links",
    "forwards_waiting",
    "journal_waiting",
)
"""The gauges of a node that are shown."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a server. `metrics` has a node's gauges, or the reason why they cannot be read, by the node's name.

    `broker` is empty where it answers, or where there is none; otherwise the reason.
    """

    store: StoreStatus
    metrics: Mapping[str, Mapping[str, float] | str]
    broker: str

    @property
    def is_whole(self) -> bool:
        """Whether living nodes own every slot and the broker answers."""
        return not self.broker and not self.store.orphans and all(node.is_living for node in self.store.nodes)


def status(
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
    as_json: Json = False,
) -> None:
    """Show nodes, slots, matches, lag, broker and store, with the settings of a node.

    The exit code is 1 where a node has died, a slot has no owner, or the broker does not answer.
    """
    from cornered.server.adapters.database import STORE_ERRORS, reason_of
    from cornered.server.settings import MEMORY_DATABASE

    settings = store_settings(data)
    if settings.database == MEMORY_DATABASE:
        raise ValueError("CORNERED_DATABASE: a store in memory has no status")
    try:
        found = run_until_signal(find_status(settings))
    except STORE_ERRORS as error:
        # The error itself may name the address with its password.
        reason = reason_of(error)
        raise ValueError(f"CORNERED_DATABASE: the store does not answer: {reason}") from None
    if as_json:
        typer.echo(json.dumps({**asdict(found), "is_whole": found.is_whole}))
    else:
        for line in _lines(found, settings):
            typer.echo(line)
    raise typer.Exit(0 if found.is_whole else 1)


async def find_status(settings: Settings) -> Status:
    """Ask the store, every living node and the broker. Raises a ValueError and one of STORE_ERRORS."""
    from cornered.server.adapters.store_status import read_status

    store = await read_status(settings.database_url)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    addresses = {node.name: node.address for node in store.nodes if node.is_living and node.address}
    if store.kind == "sqlite":
        addresses = {settings.node: f"http://{shown}:{settings.port}"}
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else ""
    answers = await asyncio.gather(
        *(asyncio.to_thread(_metrics, name, address, token) for name, address in addresses.items()),
    )
    return Status(store, dict(zip(addresses, answers, strict=True)), await _broker(settings.mqtt))


def _metrics(node: str, address: str, token: str) -> dict[str, float] | str:
    """Return the gauges of a node, or the reason why they cannot be read."""
    from prometheus_client.parser import text_string_to_metric_families

    request = urllib.request.Request(f"{loopback(address)}/metrics")
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    # A proxy of the environment is for pages, and must not get the token.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ANSWER_S) as answer:
            body = answer.read(MAX_BYTES).decode()
        samples = [sample for family in text_string_to_metric_families(body) for sample in family.samples]
    except urllib.error.HTTPError as error:
        return f"{error.code}: CORNERED_METRICS_TOKEN is needed" if error.code in (401, 403) else f"{error.code}"
    except urllib.error.URLError as error:
        return str(error.reason)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    names = [sample.labels.get("node") for sample in samples if sample.name == "cornered_node_info"]
    if names != [node]:
        # The port was taken by another server, or the node's name for its machine means another one here.
        return f"another server answers at {address}"
    values = {sample.name: sample.value for sample in samples if not sample.labels}
    return {name: values[f"cornered_{name}"] for name in MEASURED if f"cornered_{name}" in values}


async def _broker(url: str) -> str:
    """Return why the broker does not answer; empty where it does, or where there is none."""
    if not url:
        return ""
    from aiomqtt import MqttError

    from cornered.server.adapters.broker import Broker

    try:
        async with Broker.parse(url).client("", timeout_s=ANSWER_S):
            return ""
    except (MqttError, OSError, TimeoutError) as error:
        return str(error) or "it does not answer"


def _lines(found: Status, settings: Settings) -> list[str]:
    store = found.store
    said = [f"store: {store.kind}, {store.matches:,} matches, {store.live:,} of them live"]
    if settings.mqtt:
        said.append(f"broker: {found.broker or 'answers'}")
    if store.kind == "sqlite":
        said.append(f"node {settings.node}: {_measured(found.metrics[settings.node])}")
        return said
    if not store.nodes:
        said.append("no node runs")
    width = max([len(node.name) for node in store.nodes] + [4])
    said.append(f"{'node':{width}}  {'state':7}  {'lag':>8}  {'slots':>5}  {'live':>5}  lobby  now")
    for node in store.nodes:
        state, lobby = "living" if node.is_living else "expired", "owner" if node.has_lobby else ""
        measured = _measured(found.metrics.get(node.name, "not asked"))
        said.append(
            f"{node.name:{width}}  {state:7}  {node.lag_ms:5} ms  {node.slots:5}  {node.live:5}  {lobby:5}  {measured}"
        )
    if store.orphans:
        said.append(f"{store.orphans} slots have no living owner: their matches wait for a node")
    return said


def _measured(metrics: Mapping[str, float] | str) -> str:
    if isinstance(metrics, str):
        return f"no metrics: {metrics}"
    return ", ".join(f"{name.replace('_', ' ')} {value:.0f}" for name, value in metrics.items())
