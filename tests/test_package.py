"""The wheel as installed by a bot's author: beside the core's packages only, in a folder of conflicting file names. The
packages are copied from the environment that runs the tests, so no index is needed."""

from __future__ import annotations

import asyncio
import contextlib
import email
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cornered.clients.sdk import Client
from cornered.protocol.messages import Paired
from cornered.protocol.values import Fischer
from cornered.server.app import run
from cornered.server.settings import MEMORY_DATABASE, Settings

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("contests", "engine", "protocol", "server", "bots", "clients", "lab", "services", "cli")
MOST_MEGABYTES = 60
SECONDS = 120
"""Seconds after which any program counts as hanging."""

pytestmark = pytest.mark.xdist_group("package")

LOADED = """
import sys
before = set(sys.modules)
import cornered
print(*sorted(set(sys.modules) - before))
"""

WHOLE_GAMES = """
import random
from cornered import engine, load

chance = random.Random(5)
for game in engine.games():
    for _ in range(2):
        state = load(game.name).start()
        while state.outcome is None:
            print(state, state.moves(), state.gauges(), dict(state.notes()), state.explain("?"))
            state = engine.apply(state, chance.choice(state.moves()))
        print(state, state.outcome)
    print(game.name, engine.perft(load(game.name).start(), 2))
dice = load("isolation", players=3, dice=True).start()
print(engine.perft(dice, 3))
"""

BOT = """
import sys
from cornered import run_bot

run_bot("stranger", lambda state, limit: state.moves()[-1], server=sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Author:
    """A bot author's environment, and a folder whose files have the names of Cornered's own folders."""

    python: Path
    folder: Path

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=self.folder,
            env=self.env(),
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )

    def run(self, source: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the folder, which is then the first entry of Python's module search path."""
        program = self.folder / "program.py"
        program.write_text(source)
        return self.call(program.name)

    def env(self) -> dict[str, str]:
        """Return an environment without variables of the checkout."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "TMPDIR")}
        home = str(self.folder)
        return kept | dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), home)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel; the source distribution lies beside it."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


def test_the_source_distribution_holds_every_folder_and_what_the_docs_name(wheel: Path) -> None:
    (made,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"{folder}/__init__.py" for folder in (*FOLDERS, "bench", "cornered")} <= names
    assert {"CITATION.cff", "examples/reproduction.ipynb", "docs/experiments-for-students.md"} <= names
    assert not any(name.startswith("cornered/lab") for name in names), "links are not followed"


def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def needed(requirements: Sequence[str], extras: Sequence[str] = ("",)) -> set[str]:
    """Return the distributions that pip would install for these requirements on this machine."""
    found: set[str] = set()
    for text in requirements:
        requirement = Requirement(text)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            theirs = distribution(requirement.name).requires or []
            found |= {requirement.name} | needed(theirs, ("", *requirement.extras))
    return found


def install(wheel: Path, at: Path, extras: Sequence[str] = ()) -> Author:
    """Make an environment with the wheel and the requirements of `extras`."""
    venv.create(at / "venv", with_pip=False)
    python = at / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = Path(sysconfig.get_path("purelib", vars={"base": str(at / "venv")}))
    for name in needed(metadata(wheel).get_all("Requires-Dist", []), ("", *extras)):
        for file in distribution(name).files or ():
            if ".." not in file.parts and (there := Path(str(file.locate()))).is_file():
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                # With its time, without which the bytecode beside it does not count.
                shutil.copy2(there, site / file)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    options = ["--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, *options, str(wheel)], check=True, capture_output=True)
    folder = at / "bot"
    folder.mkdir()
    for name in (*FOLDERS, "bench"):
        (folder / f"{name}.py").write_text("raise RuntimeError('the file of a stranger was imported')")
    return Author(python, folder)


@pytest.fixture(scope="module")
def author(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Author:
    return install(wheel, tmp_path_factory.mktemp("author"))


def files_of(folder: Path) -> Iterator[str]:
    ignored = {"__pycache__"}
    for path in folder.rglob("*"):
        if path.is_file() and not ignored & set(path.parts):
            yield path.relative_to(ROOT).as_posix()


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = (name for folder in FOLDERS for name in files_of(ROOT / folder))
    # The client in TypeScript is a package for npm.
    own = {f"cornered/{name}" for name in files if not name.startswith("clients/typescript/")}
    own |= {f"cornered/{name}" for name in ("__init__.py", "__main__.py", "py.typed", "research.py")}
    assert {name for name in names if ".dist-info/" not in name} == own
    assert not [name for name in names if "bench" in name.split("/")]


def test_the_core_is_slim(author: Author, wheel: Path) -> None:
    core = {"cloudpickle", "filelock", "msgpack", "platformdirs", "pydantic", "rich", "typer", "websockets"}
    texts = metadata(wheel).get_all("Requires-Dist", [])
    assert {Requirement(text).name for text in texts if Requirement(text).marker is None} == core
    files = (path for path in author.python.parents[1].rglob("*") if path.is_file() and path.suffix != ".pyc")
    installed = sum(path.stat().st_size for path in files)
    assert installed < MOST_MEGABYTES * 2**20


def test_the_metadata_names_no_host(wheel: Path) -> None:
    head = str(metadata(wheel)).partition("\n\n")[0]
    assert "Typing :: Typed" in head
    assert "://" not in head


def test_an_import_loads_nothing_yet(author: Author) -> None:
    done = author.run(LOADED)
    assert done.stderr == ""
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "cornered" in loaded
    assert not {"pydantic", "pydantic_core", "websockets", "asyncio", "msgpack"} & loaded
    assert [name for name in done.stdout.split() if name.startswith("cornered")] == ["cornered"]


def test_the_rules_are_the_same_as_plain_python_which_is_said_once(
    author: Author, compiled: None, capfd: pytest.CaptureFixture[str]
) -> None:
    done = author.run(WHOLE_GAMES)
    assert done.returncode == 0, done.stderr
    exec(WHOLE_GAMES, {})
    assert (done.stdout, "") == capfd.readouterr()
    assert "cornered[fast]" in done.stderr
    assert done.stderr.count("\n") == 1


@contextlib.asynccontextmanager
async def bot_of(author: Author, address: str) -> AsyncIterator[None]:
    """Run the author's bot at `address` inside the block; its output is added to errors there."""
    (author.folder / "my_bot.py").write_text(BOT)
    process = await asyncio.create_subprocess_exec(
        str(author.python), "my_bot.py", address, cwd=author.folder, env=author.env(), stderr=asyncio.subprocess.PIPE
    )
    said = asyncio.ensure_future(process.communicate())
    try:
        yield
    except BaseException as error:
        if said.done():
            error.add_note(said.result()[1].decode())
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await said


async def stranger_in(client: Client) -> str:
    """Return the id of the author's bot, once it is connected and plays."""
    lobby = await client.lobby()
    while True:
        for presence in lobby.players.values():
            if presence.player.name == "stranger" and presence.accepts:
                return presence.player.id
        await lobby.changed(lobby.version)


async def play_against(client: Client, stranger: str) -> dict[str, int | None]:
    """Play a whole game and return the place of each player."""
    await client.challenge(stranger, "trapgrid", clock=Fischer(initial=60, increment=0), size=5)
    paired = await anext(new async for new in client.news() if isinstance(new, Paired))
    match = await client.join(paired.match)
    while not match.over:
        if match.my_turn:
            await match.play(match.state.moves()[0])
        else:
            await match.changed(match.version)
    assert match.snapshot.reason == "rules"
    return {info.player.name: info.place for info in match.snapshot.seats}


async def test_a_bot_of_the_core_plays_at_a_server_of_the_checkout(
    author: Author, tmp_path: Path, compiled: None
) -> None:
    async with (
        asyncio.timeout(60),
        run(Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, log_level="error")) as address,
        bot_of(author, address),
        Client.connect(address, name="Ann") as ann,
    ):
        places = await play_against(ann, await stranger_in(ann))
    assert set(places) == {"Ann", "stranger"}
    assert sorted(place or 0 for place in places.values()) == [1, 2]


def test_the_core_has_the_command_line(author: Author) -> None:
    script = author.python.with_name("cornered.exe" if os.name == "nt" else "cornered")
    shown = subprocess.run([str(script), "--version"], env=author.env(), check=True, capture_output=True, text=True)
    assert re.fullmatch(r"cornered \d+\.\d+\.\d+\n", shown.stdout)


MISSING = {
    "serve": "pip install 'cornered[server]'",
    "token mine": "pip install 'cornered[server]'",
    "bot random": "pip install 'cornered[bots]'",
    "bots": "pip install 'cornered[bots]'",
    "think trapgrid": "pip install 'cornered[bots]'",
    "play trapgrid --plain": "pip install 'cornered[terminal]'",
    "match random greedy --game trapgrid": "pip install 'cornered[bots]'",
    "try mine": "pip install 'cornered[server,bots]'",
    "bench rules": "run them from a checkout",
}
CALLS = """
import json
from typer.testing import CliRunner
from cornered.cli.main import narrowed_to

for name in ("numba", "numpy", "sqlalchemy"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(f"{name} is there: nothing is shown")
called = {}
for command in COMMANDS:
    words = command.split()
    done = CliRunner().invoke(narrowed_to(words[0]), words)
    called[command] = (done.exit_code, done.stdout, done.stderr)
print(json.dumps(called))
"""


def test_a_command_without_its_packages_says_what_to_install(author: Author, subtests: pytest.Subtests) -> None:
    rules = "moves trapgrid --json"
    done = author.run(CALLS.replace("COMMANDS", repr([*MISSING, rules])))
    assert done.returncode == 0, done.stderr
    called = json.loads(done.stdout)
    for command, said in MISSING.items():
        with subtests.test(command):
            code, _, told = called[command]
            assert code == 2
            assert told.splitlines()[-1].startswith("cornered: ")
            assert said in told.splitlines()[-1]
            assert "Traceback" not in told
    # Those about the rules need no extra.
    code, printed, _ = called[rules]
    assert code == 0
    assert "trapgrid" in json.dumps(json.loads(printed))


def test_a_server_without_bots_serves_and_with_bots_says_what_to_install(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    operator = install(wheel, tmp_path_factory.mktemp("operator"), ("server",))
    program = (
        CALLS.replace('"numba", "numpy", "sqlalchemy"', '"numba",')
        .replace("COMMANDS", repr(["serve --port 0", "serve --port 0 --no-bots"]))
        .replace("import json\n", "import json, os\nos.environ['CORNERED_OTLP'] = 'http://127.0.0.1:4318'\n", 1)
    )
    done = operator.run(program)
    assert done.returncode == 0, done.stderr
    (code, _, without_bots), (traced_code, _, traced) = json.loads(done.stdout).values()
    assert (code, traced_code) == (2, 2)
    assert without_bots.splitlines()[-1].endswith("pip install 'cornered[bots]'")
    assert "CORNERED_OTLP: this needs opentelemetry" in traced.splitlines()[-1]
    assert "pip install 'cornered[otel]'" in traced.splitlines()[-1]
    with subprocess.Popen(
        [str(operator.python), "-u", "-m", "cornered", "serve", "--port", "0", "--no-bots"],
        cwd=operator.folder,
        env=operator.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Cornered is at http://127.0.0.1:" in line:
                break
        process.terminate()
        process.communicate()
    assert "Cornered is at http://127.0.0.1:" in "".join(said)
