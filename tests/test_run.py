"""`./run`: the packages that it installs for each call, and its verdict on an audit of the locked packages."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "run"
FILES = {"__init__.py", "__main__.py"}
SAFE = {"name": "numpy", "version": "2.4.6", "vulns": []}
VULNERABLE = {"name": "tornado", "version": "6.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["6.5"]}]}
UNKNOWN = {"name": "mine", "skip_reason": "Dependency not found on PyPI and could not be audited: mine (1)"}


@pytest.fixture(scope="module")
def run() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("front_door", str(SCRIPT))
    spec = importlib.util.spec_from_loader("front_door", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    writes = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def test_a_call_of_the_command_line_installs_what_it_needs(run: ModuleType) -> None:
    calls = [
        "serve --open",
        "cluster --nodes 2",
        "--version",
        "",
        "bot champion",
        "admin check",
        "train bamboo-neural",
        "bench rules",
        "play --plain",
    ]
    needed = [run.kind_for(call.split()) for call in calls]
    assert needed == ["run", "run", "run", "run", "run", "run", "lab", "lab", "lab"]


@dataclass
class Started:
    """What `./run` would have installed and become."""

    ensured: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)


@pytest.fixture
def started(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[str]], Started]:
    """Return the function that calls `./run` with words."""

    def started(words: Sequence[str]) -> Started:
        start = Started()
        monkeypatch.setattr(run, "ensure", start.ensured.append)
        monkeypatch.setattr(run, "replace", lambda *command: start.replaced.extend(command))
        monkeypatch.chdir(SCRIPT.parent)
        run.main([*words])
        return start

    return started


Start = Callable[[Sequence[str]], Started]


def test_a_server_a_cluster_and_the_documentation_start_with_one_word(run: ModuleType, started: Start) -> None:
    for command in ("serve", "cluster"):
        start = started([command, "--port", "0"])
        assert start.ensured == ["run"]
        assert start.replaced == [str(run.PYTHON), "-m", "cornered", command, "--port", "0"]
        assert f"./run {command}" in str(run.__doc__)
    for words, begins in ((["docs"], ["build", "--strict"]), (["docs", "--serve"], ["serve"])):
        start = started(words)
        assert start.ensured == ["docs"]
        assert start.replaced[: 3 + len(begins)] == [str(run.PYTHON), "-m", "mkdocs", *begins]
    assert "./run docs [--serve]" in str(run.__doc__)


def test_tests_run_on_every_core_unless_some_are_named(
    run: ModuleType, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, is_parallel in (
        ([], True),
        (["--thorough"], True),
        (["--campaigns", "-m", "campaign"], False),
        (["tests/test_run.py"], False),
        (["--thorough", "tests/test_run.py"], False),
    ):
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        replaced = started(["test", *words]).replaced
        assert replaced == [str(run.PYTHON), "-m", "pytest", *(run.WHOLE_SUITE if is_parallel else ()), *words]
        assert "PYTHONDONTWRITEBYTECODE" not in os.environ, "workers and servers would compile every module again"


def test_a_wrong_word_is_answered_with_those_there_are(run: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run.main(["nonsense"])
    assert "./run serve" in capsys.readouterr().err


def test_a_checkout_without_an_environment_of_its_own_names_run(tmp_path: Path) -> None:
    """As where a new clone is used with the environment of another one."""
    (tmp_path / "engine").mkdir()
    made = shutil.copytree(SCRIPT.parent / "cornered", tmp_path / "cornered", ignore=lambda _, names: {*names} - FILES)
    spec = importlib.util.spec_from_file_location("cornered", made / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(ImportError, match=rf"{tmp_path} has no environment of its own yet: start it with \./run"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    # The link that `./run` makes.
    (tmp_path / "cornered" / "engine").symlink_to(tmp_path / "engine")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_an_environment_serves_what_needs_less_and_not_what_needs_more(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "VENV", tmp_path)
    monkeypatch.setattr(run, "PYTHON", Path(sys.executable))
    (tmp_path / "lab.stamp").write_text(run.stamp("lab"))
    assert {kind for kind in run.LOCKS if run.is_current(kind)} == {"run", "lab"}
    (tmp_path / "lab.stamp").write_text("made from older lock files")
    assert not any(run.is_current(kind) for kind in run.LOCKS)
    (tmp_path / "dev.stamp").write_text(run.stamp("dev"))
    assert all(run.is_current(kind) for kind in run.LOCKS)


def report(*packages: Mapping[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_a_vulnerability_fails_and_an_unreachable_service_does_not(run: ModuleType) -> None:
    no_feed = "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\nERROR: Tip"
    for output, errors, is_passed, text in (
        (report(SAFE), "No known vulnerabilities found", True, "audited 1 packages"),
        (report(SAFE, UNKNOWN), "", True, "audited 1 packages; unknown to the service: mine"),
        (report(SAFE, VULNERABLE, UNKNOWN), "Found 1 known", False, "vulnerable: tornado 6.0 has PYSEC-1"),
        # A mirror without the service's data answers 404, which pip-audit reports as clean.
        (report(UNKNOWN, UNKNOWN), "No known vulnerabilities found", True, "skipped the audit, "),
        ("", no_feed, True, "skipped the audit"),
        ("", "Traceback\nrequests.exceptions.ProxyError: no route", True, "skipped the audit"),
        ("", "ERROR:pip_audit._cli:requirement is missing hashes", False, "the audit failed: ERROR:pip_audit._cli:req"),
        ("", "", False, "the audit failed: pip-audit said nothing"),
        ("{}", "", False, "the audit failed"),
    ):
        verdict = run.audit_verdict(output, errors)
        assert verdict[0] is is_passed, text
        assert verdict[1].startswith(text)


def test_an_audit_without_an_answer_ends_in_time_and_is_skipped(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "pip-audit"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(run, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(run, "AUDIT_SECONDS", 0.2)
    assert run.audit()
    assert "skipped the audit" in capsys.readouterr().err


def test_a_machine_without_node_skips_the_pages_javascript_and_says_so_and_ci_fails(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    assert run.page_checkers() == {}
    assert "skipped the page's JavaScript" in capsys.readouterr().err
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit):
        run.page_checkers()


def test_a_machine_without_a_registry_skips_the_pages_javascript_and_says_why_and_ci_fails(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error request to https://x.example failed"
    for name, script in (("node", "exit 0"), ("npm", f"printf '{words}\n' >&2; exit 1")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    (tmp_path / "package-lock.json").write_text("{}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.delenv("CI", raising=False)
    reason = "npm ci failed: request to https://x.example failed"
    assert run.page_checkers() == {}
    assert f"skipped the page's JavaScript: {reason}" in capsys.readouterr().err
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit):
        run.page_checkers()
    assert reason in capsys.readouterr().err


def test_the_locked_packages_of_the_page_name_no_registry() -> None:
    packages = json.loads((SCRIPT.parent / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    # The others are folders of this repository, and links to them.
    fetched = {name: one for name, one in packages.items() if "node_modules/" in name and not one.get("link")}
    named = [name for name, package in fetched.items() if "resolved" in package]
    unhashed = [name for name, package in fetched.items() if "integrity" not in package]
    assert len(fetched) > 10
    assert (named, unhashed) == ([], [])


def test_the_locked_pip_audit_understands_the_command(run: ModuleType) -> None:
    usage = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(flag in usage for flag in run.AUDIT_COMMAND if flag.startswith("-"))
