"""Text is UTF-8, whatever the machine's locale is: every file is opened with its encoding, and commands run under
locales whose code pages lack our characters."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE = ("bench", "bots", "cli", "clients", "contests", "cornered", "engine", "lab", "protocol", "server", "services")
LOCALES = {"POSIX": None, "en_US.CP1252": ("en_US", "CP1252"), "tr_TR.ISO-8859-9": ("tr_TR", "ISO-8859-9")}
"""Locales by name, with what localedef makes them of."""
RECORD = '[Game "trapgrid"]\n[Options "size=3"]\n[Player0 "Мария"]\n[Player1 "İpek Ł"]\n\n1. b3 Łódź *\n'


TEXT_MODES = {"r", "w", "a", "x", "rt", "wt", "at", "xt"}
TEXT_FLAGS = {"text", "universal_newlines"}
"""Of `subprocess`."""
SUSPECTS = re.compile(r"read_text|write_text|open\(|text=|universal_newlines")
"""What a file holds that is worth parsing."""


def without_encoding(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of calls that decode or encode text as the locale has it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(_, "read_text"), []) | ast.Call(ast.Attribute(_, "write_text"), [_]):
                pass
            case ast.Call(ast.Name("open") | ast.Attribute(_, "open" | "fdopen"), modes) if named_mode(node, modes):
                pass
            case ast.Call(keywords=named) if any(one.arg in TEXT_FLAGS and is_true(one.value) for one in named):
                pass
            case _:
                continue
        if not any(keyword.arg == "encoding" for keyword in node.keywords):
            yield node.lineno


def named_mode(call: ast.Call, given: list[ast.expr]) -> bool:
    """Return whether a mode of text files is written out; `open` of other classes has none."""
    modes = [*given[:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and mode.value in TEXT_MODES for mode in modes)


def is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def test_no_text_is_read_or_written_in_the_encoding_of_the_locale() -> None:
    sources = {path: path.read_text("utf-8") for folder in CODE for path in (ROOT / folder).rglob("*.py")}
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, source in sources.items()
        if SUSPECTS.search(source)
        for line in without_encoding(ast.parse(source))
    ]
    assert found == []


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the locales, which most machines lack."""
    folder = tmp_path_factory.mktemp("locales")
    if (localedef := shutil.which("localedef")) is not None:
        for name, source in LOCALES.items():
            if source is not None:
                command = [localedef, "-i", source[0], "-f", source[1], str(folder / name)]
                subprocess.run(command, check=False, capture_output=True)
    return folder


@pytest.mark.parametrize("name", LOCALES)
def test_a_command_reads_and_writes_utf8_under_any_locale(name: str, locales: Path, tmp_path: Path) -> None:
    if LOCALES[name] is not None and not (locales / name).is_dir():
        pytest.skip("localedef has no sources of locales")
    record = tmp_path / "record.txt"
    record.write_text(RECORD, encoding="utf-8")
    environment = os.environ | {
        "LC_ALL": name,
        "LOCPATH": str(locales),
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "cornered", "check", str(record)],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "ply 2: 'Łódź' is not legal" in done.stdout.decode()
