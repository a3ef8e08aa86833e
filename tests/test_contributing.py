"""CONTRIBUTING.md is followed to the letter in a copy of the checkout, and what the documents name exists."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml

from cornered.cli.lan import EVERY_ADDRESS
from cornered.server import app
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.docs.blocks import Block, blocks, commands, pattern
from tests.schema import complaints

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
"""The top-level folders, with the names under which they are imported."""
ADDITIONS = ("Add a game", "Add a bot", "Add a message")
CALLS = """
import contextlib, io, json, runpy, sys

for module, *arguments in json.loads(sys.argv[1]):
    sys.argv, written, code = [module, *arguments], io.StringIO(), 0
    with contextlib.redirect_stdout(written):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            code = ended.code or 0
    print(json.dumps([code, written.getvalue()]))
"""
"""Runs modules as `python -m` does, one after the other, and prints for each its exit code and output."""
COMMAND_SECONDS = 120.0
MAX_PICTURE_BYTES = 200_000


def followed(title: str) -> list[Block]:
    """Return the code blocks of one section of CONTRIBUTING.md, in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return blocks(text.split(f"\n## {title}\n")[1].split("\n## ")[0])


def patched(text: str, diff: str) -> str:
    """Return `text` after a diff whose hunks have no line numbers: the lines that each removes or keeps have to be
    unique."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        assert ("\n" + text).count("\n" + before) == 1, f"these lines do not stand exactly once:\n{before}"
        text = ("\n" + text).replace("\n" + before, "\n" + after)[1:]
    return text


def python(checkout: Path, *arguments: str) -> str:
    """Run a checkout's Python, with the rules as plain Python, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "NUMBA_DISABLE_JIT": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=COMMAND_SECONDS,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources, under the same import root."""
    for folder in (*FOLDERS, "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copytree(ROOT / "cornered", tmp_path / "cornered", ignore=shutil.ignore_patterns("__pycache__", *FOLDERS))
    for folder, name in FOLDERS.items():
        (tmp_path / name).symlink_to(tmp_path / folder, target_is_directory=True)
    for file in ("pyproject.toml", "PROTOCOL.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def test_following_the_text_to_the_letter_works(checkout: Path) -> None:
    """Files first, then all commands of a kind in one process each."""
    touched: list[str] = []
    called: list[tuple[list[str], list[str]]] = []
    tested: list[list[str]] = []
    for title in ADDITIONS:
        for block in followed(title):
            file = checkout / block.path
            match block.kind:
                case "python":
                    assert not file.exists()
                    file.write_text(block.text, encoding="utf-8")
                    touched.append(block.path)
                case "diff":
                    file.write_text(patched(file.read_text(encoding="utf-8"), block.text), encoding="utf-8")
                    touched.append(block.path)
                case "console":
                    for command, expected in commands(block):
                        match shlex.split(command):
                            case ["./run", "cornered", *words]:
                                called.append((["cornered", *words], expected))
                            case ["./run", "python", "-m", *words]:
                                called.append((words, expected))
                            case ["./run", "test", *words] if not expected:
                                tested.append(words)
                            case _:
                                pytest.fail(f"{command} cannot be followed")
                case kind:
                    pytest.fail(f"a block of {kind!r} cannot be followed")
    assert (len(called), len(tested)) == (6, len(ADDITIONS))
    printed = python(checkout, "-c", CALLS, json.dumps([words for words, _ in called])).splitlines()
    for (words, expected), line in zip(called, printed, strict=True):
        code, output = json.loads(line)
        assert code == 0, f"{words}: {output}"
        for shown in expected:
            assert re.search(pattern(shown), output), f"{words} do not print {shown!r}:\n{output}"
    # What a command selects by `-k` is in no file of another command.
    chosen = [(words[:-2], words[-1]) if "-k" in words else (words, Path(words[0]).stem) for words in tested]
    files = [file for named, _ in chosen for file in named]
    names = " or ".join(name for _, name in chosen)
    passed = python(checkout, "-m", "pytest", "-rp", "-q", "-p", "no:cacheprovider", *files, "-k", names)
    assert [file for file in files if f"PASSED {file}::" not in passed] == []
    for arguments in (["check"], ["format", "--check"]):
        python(checkout, "-m", "ruff", *arguments, "--no-cache", *touched)


def test_a_patch_that_does_not_fit_is_refused() -> None:
    assert patched("a\nb\nc\n", " b\n+x\n@@\n-c\n") == "a\nb\nx\n"
    for stale in (" d\n+x\n", " a\n c\n", "-b\n-b\n"):
        with pytest.raises(AssertionError, match="exactly once"):
            patched("a\nb\nc\nd c\n", stale)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_file_that_a_document_names_exists() -> None:
    made = {block.path for title in ADDITIONS for block in followed(title)}
    # A table's row names files relative to its folder.
    folders = ("", "bots", "server", "clients", "engine", "lab", "bench", "tests")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"):
        text = re.sub(r"^```.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)
        named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w-]+\.[a-z]+)?)`", text))
        linked = {link.partition("#")[0] for link in re.findall(r"\]\(([^):]+)\)", text)} - {""}
        missing = {path for path in named | linked if not any((ROOT / folder / path).exists() for folder in folders)}
        assert missing <= made, name
        assert named | linked, name


def test_every_module_that_the_architecture_names_exists() -> None:
    modules = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    named = set(re.findall(r"`([a-z_]+\.py)`", read("ARCHITECTURE.md")))
    assert len(named) > 40
    assert named - modules - {"docs_build.py", "hatch_build.py"} == set()


def test_one_move_passes_through_at_most_ten_files() -> None:
    section = read("ARCHITECTURE.md").split("\n## The life of one move\n")[1].split("\n## ")[0]
    steps = re.findall(r"^\d+\. ", section, re.MULTILINE)
    files = set(re.findall(r"`((?:\w+/)+\w+\.py)`", section))
    assert len(steps) == 10
    assert len(files) <= 10
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_the_readme_shows_one_picture_that_loads_quickly() -> None:
    first_screen = read("README.md")[:1500]
    (picture,) = re.findall(r"!\[.+\]\((\S+\.png)\)", first_screen)
    data = (ROOT / picture).read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(data) < MAX_PICTURE_BYTES


async def test_friends_reach_a_server_on_every_address_by_the_names_that_the_readme_tells(tmp_path: Path) -> None:
    def status(address: str, host: str) -> int:
        try:
            with urlopen(Request(address, headers={"Host": host}), timeout=COMMAND_SECONDS) as answer:
                return int(answer.status)
        except HTTPError as refusal:
            return refusal.code

    assert "`./run serve --lan`" in read("README.md")
    settings = Settings(host=EVERY_ADDRESS, port=0, database=MEMORY_DATABASE, data=tmp_path, hosts=("games.example",))
    async with app.run(settings) as address:
        assert address.startswith("http://0.0.0.0:")
        local = address.replace("0.0.0.0", "127.0.0.1")
        hosts = ("192.168.1.20", "[fd00::7]:8420", "games.example", "stranger.example")
        answers = [await asyncio.to_thread(status, local, host) for host in hosts]
    assert answers == [200, 200, 200, 421]


def test_the_workflow_is_valid_and_runs_what_must_pass() -> None:
    file = ROOT / ".github" / "workflows" / "ci.yml"
    assert complaints("github-workflows", file) == ""
    (job,) = yaml.safe_load(file.read_text())["jobs"].values()
    assert job["steps"][-1]["run"] == ".ci/run ${{ matrix.part }}"
    assert f"[{'|'.join(job['strategy']['matrix']['part'])}]" in read(".ci/run")


def test_the_hooks_call_tools_of_the_project_alone() -> None:
    (source,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert source["repo"] == "local"
    for hook in source["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith("./run "), hook["id"]
