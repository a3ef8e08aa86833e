"""The starters in Python, TypeScript and Go: they pass the conformance kit, which finds a fault planted in each, and
play all games against a house bot; and the tests of the TypeScript package itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from cornered import engine
from cornered.bench.clocks import Arrivals
from cornered.bots.online.host import BotHost, HostConfig, HostedBot
from cornered.bots.pool.pool import Pool
from cornered.cli.conformance.client_scenarios import CLIENT_SCENARIOS
from cornered.cli.conformance.client_stage import check_client
from cornered.cli.conformance.subject import Program
from cornered.clients.sdk import Client, Closed, CommandRefused, Tempo, TokenStore
from cornered.protocol.values import Fischer
from tests.conftest import DEADLINE, IN_CI, INSTALL_LOCK, INSTALL_SECONDS, require
from tests.e2e.servers import OPERATORS_KEY, running

pytestmark = pytest.mark.usefixtures("compiled")

ROOT = Path(__file__).resolve().parents[2]
BUILD_TIMEOUT_S = 120
CLOCK = Fischer(initial=20, increment=0.05)
SMALL: dict[str, dict[str, int]] = {
    "trapgrid": {"size": 4},
    "isolation": {"width": 4, "height": 4},
    "bamboo": {"radius": 2},
    "quoridor": {"size": 5, "walls": 3},
}
NAME = "the starter"
"""What each starter is called that has no token."""


@dataclass(frozen=True)
class Starter:
    """A starter's source, and one fault of it: what is replaced in a file, and the scenario that finds it."""

    folder: str
    file: str
    right: str
    wrong: str
    scenario: str


STARTERS = {
    "python": Starter(
        "examples",
        "starter.py",
        "            self._post(command)\n",
        '            self._post({**command, "id": next(self._ids)})\n',
        "duplicate-id",
    ),
    "typescript": Starter(
        "clients/typescript",
        "src/client.ts",
        "this.#token === undefined ?",
        "this.#token !== this.#options.token ?",
        "restart",
    ),
    "go": Starter("examples/starter_go", "bot.go", "since := m.seq\n", "since := m.seq + 2\n", "reconnect"),
}


@pytest.fixture(scope="module")
def packages() -> Path:
    """The packages of package-lock.json, installed where they are missing."""
    npm, folder = require("npm"), ROOT / "node_modules"
    with FileLock(INSTALL_LOCK):
        if not all((folder / name).exists() for name in ("@types/ws", "typescript", "ws")):
            command = [str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=INSTALL_SECONDS)
            if done.returncode:
                if IN_CI:
                    pytest.fail("npm could not install the packages of package-lock.json")
                pytest.skip("npm could not install the packages of package-lock.json")
    return folder


def build(name: str, source: Path, folder: Path, request: pytest.FixtureRequest) -> list[str]:
    """Return the command of a starter whose `source` is built in `folder`; skip the test where a tool is missing."""
    match name:
        case "go":
            command = [str(require("golang-go")), "build", "-o", str(folder / "starter"), "."]
            subprocess.run(command, cwd=source, check=True, timeout=BUILD_TIMEOUT_S)
            return [str(folder / "starter")]
        case "typescript":
            node, packages = require("nodejs"), request.getfixturevalue("packages")
            compiler = packages / "typescript" / "bin" / "tsc"
            command = [str(node), str(compiler), "-p", str(source), "--outDir", str(folder / "dist")]
            subprocess.run(command, cwd=source, check=True, timeout=BUILD_TIMEOUT_S)
            # Where the compiled modules look for `ws`, and for how their package is to be loaded.
            (folder / "node_modules").symlink_to(packages)
            shutil.copy(source / "package.json", folder)
            return [str(node), str(folder / "dist" / "examples" / "random-bot.js")]
        case _:
            return [sys.executable, str(source / "starter.py")]


@pytest.fixture(scope="module", params=STARTERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def command(name: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[str]:
    return build(name, ROOT / STARTERS[name].folder, tmp_path_factory.mktemp(name), request)


async def outcomes(command: list[str], *names: str) -> dict[str, str]:
    """Return the outcome of each scenario, or of those that are named, with what was seen."""
    chosen = [scenario for scenario in CLIENT_SCENARIOS if not names or scenario.name in names]
    verdicts = [verdict async for verdict in check_client(Program(command), chosen)]
    return {verdict.scenario: f"{verdict.outcome} {verdict.seen}".strip() for verdict in verdicts}


async def test_a_starter_passes_every_scenario(command: list[str]) -> None:
    assert await outcomes(command) == {scenario.name: "passed" for scenario in CLIENT_SCENARIOS}


async def test_the_kit_finds_a_fault_in_a_starter(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    starter = STARTERS[name]
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("dist", "node_modules")
    shutil.copytree(ROOT / starter.folder, source, ignore=ignored)
    text = (source / starter.file).read_text(encoding="utf-8")
    assert text.count(starter.right) == 1
    (source / starter.file).write_text(text.replace(starter.right, starter.wrong), encoding="utf-8")
    if name == "typescript":
        (source / "node_modules").symlink_to(request.getfixturevalue("packages"))
    found = await outcomes(build(name, source, tmp_path, request), starter.scenario)
    assert found[starter.scenario].startswith("failed")


async def test_a_starter_plays_all_games_against_a_house_bot(command: list[str], tmp_path: Path) -> None:
    (house,) = HostedBot.all_of(["greedy"])
    arrivals, program = Arrivals(), Program(command)
    async with running(tmp_path) as address, Pool.open(1, ["greedy"]) as pool, asyncio.timeout(4 * DEADLINE):
        config = HostConfig(tempo=Tempo(longest=30), analyst_key=OPERATORS_KEY)
        host = BotHost([house], pool, config, began=arrivals.hear)
        playing = asyncio.ensure_future(host.run(address, store=TokenStore(tmp_path / "tokens.json")))
        games = [game.name for game in engine.games()]
        while not host.is_ready(house.name, games):
            await host.changed()
        client = host.clients[house.name]
        await program.start(address, "", NAME)
        try:
            ends = [await play(client, arrivals, house.name, game, program) for game in games]
        finally:
            await program.stop()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
    assert dict(ends) == dict.fromkeys(games, "rules")


async def play(client: Client, arrivals: Arrivals, house: str, game: str, program: Program) -> tuple[str, str | None]:
    """Have the house bot challenge the starter, and return the game and how it ended."""
    arriving = arrivals.expect((house, NAME))
    while not arriving.done():
        assert program.ended() is None
        # The starter is not there yet, or has not declared what it plays.
        with contextlib.suppress(CommandRefused):
            starter = await client.find_player(NAME)
            await client.challenge(starter.id, game, clock=CLOCK, **SMALL[game])
            break
        await asyncio.sleep(0.1)
    match = await arriving
    with contextlib.suppress(Closed):
        await match.ended()
    return game, match.snapshot.reason


async def test_the_typescript_package_passes_its_own_tests(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    build("typescript", ROOT / STARTERS["typescript"].folder, tmp_path, request)
    tests = sorted(map(str, (tmp_path / "dist" / "test").glob("*.test.js")))
    assert tests
    async with running(tmp_path) as address:
        process = await asyncio.create_subprocess_exec(
            *(str(require("nodejs")), "--test", "--test-reporter=tap", *tests),
            env={**os.environ, "CORNERED_SERVER": address},
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(2 * DEADLINE):
                out, _ = await process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
    assert process.returncode == 0, out.decode()


def test_a_starter_says_what_an_address_looks_like(command: list[str]) -> None:
    env = {**os.environ, "CORNERED_SERVER": "nonsense", "CORNERED_TOKEN": "", "CORNERED_NAME": NAME}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode != 0
    assert "://127.0.0.1:8420, not" in done.stderr


async def test_a_starter_whose_token_is_wrong_ends_with_the_reason(command: list[str], tmp_path: Path) -> None:
    async with running(tmp_path) as address:
        env = {**os.environ, "CORNERED_SERVER": address, "CORNERED_TOKEN": "x" * 30, "CORNERED_NAME": NAME}
        process = await asyncio.create_subprocess_exec(*command, env=env, stderr=asyncio.subprocess.PIPE)
        async with asyncio.timeout(DEADLINE):
            _, told = await process.communicate()
    assert process.returncode != 0
    assert "no player has this token" in told.decode()
