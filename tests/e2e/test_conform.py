"""The conformance kit: it finds each planted fault of a client or a server, and none in those of this project."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cornered.cli.conformance.client_scenarios import CLIENT_SCENARIOS
from cornered.cli.conformance.client_stage import check_client
from cornered.cli.conformance.proxy import Direction, Document, Proxy, Rewrite
from cornered.cli.conformance.restarting_server import RestartingServer
from cornered.cli.conformance.server_scenarios import SERVER_SCENARIOS
from cornered.cli.conformance.server_stage import check_server
from cornered.cli.conformance.subject import Program
from cornered.cli.conformance.verdict import Scenario, Verdict
from cornered.cli.main import app
from cornered.clients.sdk import Limit
from cornered.clients.sdk.running import BotSettings, play_bot
from cornered.engine import State
from tests.e2e.raw_client import FAULTS, RawClient

pytestmark = pytest.mark.usefixtures("compiled")
ROOT = Path(__file__).parents[2]


class InProcess:
    """A client in the test's own event loop."""

    def __init__(self, play: Callable[[str, str, str], Any]) -> None:
        self._play = play
        self._task: asyncio.Task[None] | None = None

    async def start(self, server: str, token: str, name: str) -> None:
        self._task = asyncio.create_task(self._play(server, token, name), name="client")

    async def stop(self, *, at_once: bool = False) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def ended(self) -> str | None:
        if self._task is None or not self._task.done():
            return None
        return f"the client ended: {self._task.exception()!r}"


def raw(fault: str = "") -> InProcess:
    return InProcess(lambda server, token, name: RawClient(server, token, name, fault).run())


def first_move(state: State, limit: Limit) -> str:
    return state.moves()[0]


def with_the_sdk() -> InProcess:
    def play(server: str, token: str, name: str) -> Any:
        settings = BotSettings(concurrency=2, thinks_in="thread")
        return play_bot(name, lambda: first_move, settings, server=server, token=token)

    return InProcess(play)


def now() -> int:
    """Return the time of the test's event loop as that of a match clock."""
    return 1_800_000_000_000 + round(asyncio.get_running_loop().time() * 1000)


async def verdicts_of(subject: InProcess | Program, *names: str) -> dict[str, Verdict]:
    chosen = [scenario for scenario in CLIENT_SCENARIOS if not names or scenario.name in names]
    return {verdict.scenario: verdict async for verdict in check_client(subject, chosen, now)}


def outcomes(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {name: f"{verdict.outcome} {verdict.seen}".strip() for name, verdict in verdicts.items()}


@pytest.mark.virtual_time
@pytest.mark.parametrize("fault", FAULTS)
async def test_the_scenario_for_a_fault_of_a_client_finds_it(fault: str) -> None:
    verdict = (await verdicts_of(raw(fault), FAULTS[fault]))[FAULTS[fault]]
    assert verdict.outcome == "failed"
    assert verdict.seen
    assert verdict.advice


@pytest.mark.virtual_time
async def test_a_client_without_faults_passes_every_scenario() -> None:
    assert outcomes(await verdicts_of(raw())) == {scenario.name: "passed" for scenario in CLIENT_SCENARIOS}


async def test_a_bot_of_the_sdk_passes_every_scenario() -> None:
    assert outcomes(await verdicts_of(with_the_sdk())) == {scenario.name: "passed" for scenario in CLIENT_SCENARIOS}


@cache
def anchors(page: str) -> set[str]:
    """Return the anchors of the headings of a page of Markdown."""
    headings = [line.strip("# ").lower() for line in (ROOT / page).read_text().splitlines() if line.startswith("#")]
    return {"".join(char for char in one if char.isalnum() or char in " -_").replace(" ", "-") for one in headings}


def test_every_scenario_is_in_the_document_and_its_rule_in_the_protocol(subtests: pytest.Subtests) -> None:
    rows = (ROOT / "docs" / "conformance.md").read_text().splitlines()
    scenarios: list[Scenario[Any]] = [*CLIENT_SCENARIOS, *SERVER_SCENARIOS]
    for scenario in scenarios:
        page, _, anchor = scenario.rule.partition("#")
        with subtests.test(scenario.name):
            assert f"| `{scenario.name}` | {scenario.expected} | [{page}](../{scenario.rule}) |" in rows
            assert anchor in anchors(page)


# Faults of servers: what a proxy in front of a server makes of its messages.


def once(which: Callable[[Document], bool], change: Rewrite) -> Rewrite:
    """Change the first message that is so."""
    is_done = False

    def rewrite(message: Document) -> Iterable[Document]:
        nonlocal is_done
        if is_done or not which(message):
            return (message,)
        is_done = True
        return change(message)

    return rewrite


def each(which: Callable[[Document], bool], change: Rewrite) -> Rewrite:
    return lambda message: change(message) if which(message) else (message,)


def is_kind(kind: str) -> Callable[[Document], bool]:
    return lambda message: message.get("type") == kind


def is_move_done(message: Document) -> bool:
    return message.get("type") == "acknowledged" and message.get("seq") is not None


def is_refused(code: str) -> Callable[[Document], bool]:
    return lambda message: message.get("type") == "refused" and message["code"] == code


def swapped() -> Rewrite:
    """Deliver an event after the one that follows it."""
    kept: list[Document] = []

    def rewrite(message: Document) -> Iterable[Document]:
        if message.get("type") != "happened" or len(kept) > 1:
            return (message,)
        kept.append(message)
        return () if len(kept) == 1 else (message, kept[0])

    return rewrite


def counted_again() -> Rewrite:
    """Answer a repeated command as if it were carried out again."""
    seen: set[str] = set()

    def rewrite(message: Document) -> Iterable[Document]:
        if not is_move_done(message) or message["id"] not in seen:
            seen.add(message.get("id") or "")
            return (message,)
        return ({**message, "seq": message["seq"] + 1},)

    return rewrite


def without_field(name: str) -> Rewrite:
    return lambda message: ({key: value for key, value in message.items() if key != name},)


def acknowledged(message: Document) -> Iterable[Document]:
    return ({"type": "acknowledged", "id": message["id"], "seq": 1, "ref": None},)


def nothing(message: Document) -> Iterable[Document]:
    return ()


def with_fields(**fields: Any) -> Rewrite:
    return lambda message: ({**message, **fields},)


SERVER_FAULTS: dict[str, tuple[str, Direction, Callable[[], Rewrite]]] = {
    "takes commands before hello": (
        "hello",
        "down",
        lambda: each(is_refused("hello_first"), lambda one: ({"type": "pong", "id": one["id"], "sent": 0, "now": 1},)),
    ),
    "forgets its players": ("hello", "up", lambda: each(is_kind("hello"), with_fields(token=None, name="Another"))),
    "drops an acknowledgement": ("acknowledgements", "down", lambda: once(is_move_done, nothing)),
    "answers twice": ("acknowledgements", "down", lambda: once(is_move_done, lambda one: (one, one))),
    "repeats an event": ("acknowledgements", "down", lambda: once(is_kind("happened"), lambda one: (one, one))),
    "reorders events": ("acknowledgements", "down", swapped),
    "loses an event": ("acknowledgements", "down", lambda: once(is_kind("happened"), nothing)),
    "accepts a stale move": ("stale-ply", "down", lambda: each(is_refused("stale_ply"), acknowledged)),
    "refuses a stale move with another code": (
        "stale-ply",
        "down",
        lambda: each(is_refused("stale_ply"), with_fields(code="illegal_move")),
    ),
    "carries a command out twice": ("duplicate-id", "down", counted_again),
    "takes another command for a repeat": (
        "duplicate-id",
        "down",
        lambda: each(is_refused("id_reused"), acknowledged),
    ),
    "leaves a gap when a client resumes": (
        "resume",
        "down",
        lambda: each(lambda one: len(one.get("events", ())) > 1, lambda one: ({**one, "events": one["events"][1:]},)),
    ),
    "ignores since": ("resume", "up", lambda: each(is_kind("join"), without_field("since"))),
    "takes back a ply too few": (
        "takeback",
        "down",
        lambda: each(
            lambda one: any(event["type"] == "taken_back" for event in one.get("events", ())),
            lambda one: ({**one, "ply": one["ply"] + 1},),
        ),
    ),
    "lets clocks run on": (
        "clock-edge",
        "up",
        lambda: each(is_kind("challenge"), with_fields(clock={"kind": "per_move", "seconds": 3})),
    ),
    "ignores the capacity of bots": ("capacity", "up", lambda: each(is_kind("declare"), with_fields(concurrency=9))),
    "ignores what bots declare": ("capacity", "down", lambda: each(is_refused("not_accepted"), acknowledged)),
    "is silent about malformed frames": ("malformed-frames", "down", lambda: each(is_refused("malformed"), nothing)),
    "accepts unknown fields": ("unknown-fields", "up", lambda: without_field("later")),
    "loses what a slow reader misses": (
        "slow-reader",
        "down",
        lambda: (lambda numbers: each(is_kind("happened"), lambda one: (one,) if next(numbers) % 3 else ()))(
            itertools.count(1)
        ),
    ),
    "has another msgpack": (
        "encodings",
        "down",
        lambda: once(is_kind("happened"), lambda one: ({**one, "clocks": {**one["clocks"], "at": 1}},)),
    ),
}


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    async with RestartingServer.open(now) as server:
        proxy = Proxy(server.url)
        async with proxy.open():
            yield proxy


@pytest.mark.virtual_time
@pytest.mark.parametrize("fault", SERVER_FAULTS)
async def test_the_scenario_for_a_fault_of_a_server_finds_it(fault: str, proxy: Proxy) -> None:
    name, direction, make = SERVER_FAULTS[fault]
    proxy.rewrites[direction] = make()
    (scenario,) = [scenario for scenario in SERVER_SCENARIOS if scenario.name == name]
    (verdict,) = [verdict async for verdict in check_server(proxy.url, [scenario])]
    assert verdict.outcome == "failed"
    assert verdict.seen


@pytest.mark.virtual_time
async def test_the_server_passes_every_scenario() -> None:
    async with RestartingServer.open(now) as server:
        proxy = Proxy(server.url)

        async def restart() -> None:
            await server.stop()
            await server.start()
            proxy.target = server.url

        async with proxy.open():
            found = {one.scenario: one async for one in check_server(proxy.url, SERVER_SCENARIOS, restart=restart)}
    assert outcomes(found) == {scenario.name: "passed" for scenario in SERVER_SCENARIOS}


async def test_a_server_that_cannot_be_restarted_has_that_scenario_skipped(proxy: Proxy) -> None:
    (scenario,) = [scenario for scenario in SERVER_SCENARIOS if scenario.name == "restart"]
    (verdict,) = [verdict async for verdict in check_server(proxy.url, [scenario])]
    assert (verdict.outcome, "--restart" in verdict.seen) == ("skipped", True)


# The command.


def command(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["conform", *arguments])
    return done.exit_code, done.stdout, done.stderr


RAW_CLIENT = f"{sys.executable} {Path(__file__).with_name('raw_client.py')}"


def test_the_command_checks_a_program_and_prints_json() -> None:
    code, out, told = command("--client", RAW_CLIENT, "--only", "takeback", "--only", "unknown-fields", "--json")
    assert code == 0, told
    assert [(one["scenario"], one["outcome"]) for one in json.loads(out)] == [
        ("takeback", "passed"),
        ("unknown-fields", "passed"),
    ]


def test_the_command_ends_with_1_and_says_what_was_seen_and_what_to_do() -> None:
    code, out, _ = command("--client", f"{RAW_CLIENT} dies of an unknown field", "--only", "unknown-fields")
    assert code == 1
    assert "unknown-fields failed" in out
    assert "exit code 1" in out
    assert "what to do: Let the decoder ignore unknown fields" in out


def test_a_bot_without_a_legal_move_is_told_its_own_error(tmp_path: Path) -> None:
    for body, said in (("return None", "choose returned NoneType None"), ("return state.nothing", "AttributeError")):
        (tmp_path / "wrong.py").write_text(f"def choose(state, limit):\n    {body}\n")
        code, out, _ = command("--bot", str(tmp_path / "wrong.py"), "--only", "whole-games", "--json")
        assert code == 1
        (verdict,) = json.loads(out)
        assert verdict["advice"].startswith("Mend the bot: choose ")
        assert said in verdict["advice"]


def test_what_cannot_be_checked_is_one_line(subtests: pytest.Subtests) -> None:
    for arguments, said in (
        ((), "name one of --bot, --client and --server"),
        (("--bot", "random", "--server", "ws://127.0.0.1:9"), "name one of"),
        (("--client", "true", "--only", "nonsense"), "there is no scenario 'nonsense'; there are whole-games"),
        (("--client", "true"), "does not begin to play"),
        (("--client", "no-such-program"), "no-such-program"),
        (("--bot", "nobody"), "there is no bot 'nobody'"),
        (("--server", "ws://127.0.0.1:9"), "no server listens"),
        (("--client", "true", "--restart", "x"), "--restart is for a server"),
    ):
        with subtests.test(said):
            code, _, told = command(*arguments)
            assert code == 2
            assert said in told
            assert told.count("\n") == 1


def test_the_list_has_every_scenario() -> None:
    code, out, _ = command("--list")
    assert code == 0
    lines = [line.split()[:2] for line in out.splitlines()]
    assert lines == [["client", one.name] for one in CLIENT_SCENARIOS] + [
        ["server", one.name] for one in SERVER_SCENARIOS
    ]
