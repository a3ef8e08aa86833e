"""The blocks of every page are run in their order; what a page cannot show to a test says so beside it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Final

import pytest

from cornered.server.settings import Settings
from tests.docs.arguments import check_arguments
from tests.docs.blocks import COMMANDS, ROOT, Block, blocks, commands, pages, pattern
from tests.docs.sandbox import Sandbox
from tests.docs.small import SMALLER, in_small

ADDED: Final = re.compile(r"^## Add a (?:game|bot|message)\n.*?(?=^## )", re.MULTILINE | re.DOTALL)
"""The sections of CONTRIBUTING.md that tests/test_contributing.py follows in a copy of the checkout."""
PIP: Final = "pip install "
OTHER_KINDS: Final = ("diff", "env", "json", "text", "toml", "yaml")
MOST_NOT_RUN: Final = 6
MOST_WITH_ARGUMENTS_ONLY: Final = 29
SAID: Final = {
    "docs/client-kit.md": (
        "Anna 10 recovery codes",
        "True ('play', 'bot', 'read') ['a script', 'cornered-sdk']",
        "['my bot']",
        "1500 -> 1662",
        "1500 -> 1338",
        "trapgrid:bullet 1338 290 1",
        "['trapgrid:bullet']",
        "resignation",
        "[('trapgrid', 0, 1)]",
        "2.1",
        "['Friday cup']",
        "finished [(1, '",
        "True 0 []\nWatched\n[]",
    ),
}
"""What the Python of a page prints, beside what the page itself asserts."""


def read(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return blocks(ADDED.sub(lambda found: "\n" * found[0].count("\n"), text))


async def execute(block: Block, page: str, names: dict[str, object], sandbox: Sandbox) -> None:
    """Run Python as the shell `python -m asyncio` does, which permits `await` at the top level."""
    source = "\n" * block.line + sandbox.local(block.text)
    waiting = eval(compile(source, str(ROOT / page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.iscoroutine(waiting):
        await waiting


@cache
def install_all() -> None:
    """Have pip install what the pages install, all in one call and without an index: it has to be there already, with
    all that its extras need."""
    asked = [command for page in pages() for block in read(page) for command, _ in commands_of(block)]
    wanted = {word for command in asked if command.startswith(PIP) for word in shlex.split(command, comments=True)[2:]}
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", *sorted(wanted)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Of an extra that there is not pip only warns.
    assert "does not provide the extra" not in done.stderr


def commands_of(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a block that runs."""
    if block.kind in COMMANDS and block.marker in (None, "in small", "until"):
        yield from commands(block)


async def carry_out(block: Block, sandbox: Sandbox) -> None:
    """Run the commands of a block, and compare what they write with the lines of the page."""
    listed = list(commands(block))
    for number, (command, expected) in enumerate(listed, 1):
        if command.startswith(PIP):
            await asyncio.to_thread(install_all)
            continue
        if block.marker == "until" and number == len(listed):
            written = await sandbox.run_until(command, block.reason)
        else:
            written = await sandbox.run(command)
        for line in expected:
            assert re.search(pattern(sandbox.local(line)), written), f"{command} does not print {line!r}:\n{written}"


def with_something_to_run() -> list[str]:
    return [page for page in pages() if any(block.kind in (*COMMANDS, "python", "json") for block in read(page))]


@pytest.mark.parametrize("page", with_something_to_run())
async def test_the_blocks_of_a_page_run_in_their_order(
    page: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sandbox.folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(sandbox.folder / "home"))
    names: dict[str, object] = {"__name__": "page"}
    said = StringIO()
    for block in read(page):
        if block.path:
            file = sandbox.folder / block.path
            file.parent.mkdir(exist_ok=True)
            file.write_text(sandbox.local(block.text), encoding="utf-8")
        try:
            match block.kind, block.marker:
                case _, "not run" | "run by":
                    pass
                case (("sh" | "console" | "bash"), "arguments only"):
                    for command, _ in commands(block):
                        check_arguments(command)
                case (("sh" | "console" | "bash"), "in small" | "until"):
                    await carry_out(in_small(page, block), sandbox)
                case (("sh" | "console" | "bash"), _):
                    await carry_out(block, sandbox)
                case "python", _:
                    with redirect_stdout(said):
                        await execute(block, page, names, sandbox)
                case _:
                    pass
        except Exception as error:
            error.add_note(f"{page}, line {block.line}")
            raise
    for line in SAID.get(page, ()):
        assert line in said.getvalue()


def test_a_command_that_could_not_be_run_is_refused() -> None:
    for command in (
        "cornered bench nonsense",
        "./run cornered play --nonsense",
        "cornered bot x --concurrency 1000",
        "pip install 'cornered[nonsense]'",
        "./run test tests/nonsense.py",
        "docker compose up",
    ):
        with pytest.raises(Exception, match=r"nonsense|equal to 100|1000 is not in|cannot be read"):
            check_arguments(command)


def test_a_setting_of_the_environment_exists() -> None:
    shown = [
        name
        for page in pages()
        for block in read(page)
        if block.kind == "env"
        for name in re.findall(r"^CORNERED_(\w+)=", block.text, re.MULTILINE)
    ]
    assert len(shown) >= 9
    assert {name.lower() for name in shown} <= Settings.model_fields.keys()


def test_every_block_says_what_it_is(subtests: pytest.Subtests) -> None:
    for page in pages():
        for block in read(page):
            with subtests.test(page, line=block.line):
                assert block.kind in (*COMMANDS, "python", *OTHER_KINDS)
                assert "$ cornered" not in block.text or block.kind == "console"
        outside = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"\n\n    (?:\$ |\./run |cornered |pip |docker )", outside), f"{page}: no fence"


def test_what_is_replaced_is_in_a_block_that_runs_in_small() -> None:
    for page, replaced in SMALLER.items():
        text = "".join(block.text for block in read(page) if block.marker in ("in small", "until"))
        assert [shown for shown, _ in replaced if shown not in text] == [], page


def test_few_blocks_are_not_run_and_each_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    excepted = [
        (page, block) for page in pages() for block in read(page) if block.marker not in (None, "until", "in small")
    ]
    counts = Counter(block.marker for _, block in excepted)
    lines = [f"{page}:{block.line}: {block.marker}: {block.reason}" for page, block in excepted]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join([*lines, ", ".join(f"{n} {marker}" for marker, n in counts.items())]) + "\n")
    assert counts["not run"] <= MOST_NOT_RUN
    assert counts["arguments only"] <= MOST_WITH_ARGUMENTS_ONLY
    for page, block in excepted:
        if block.marker == "run by":
            text = (ROOT / page).read_text(encoding="utf-8").splitlines()[block.line - 2]
            (other,) = re.findall(r"run by (\S+):", text)
            assert Path(ROOT / other).is_file()
