"""What the front door makes of an audit of the locked packages."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "run"
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


def report(*packages: dict[str, object]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


@pytest.mark.parametrize(
    ("output", "errors", "is_passed", "text"),
    [
        (report(SAFE), "No known vulnerabilities found", True, "audited 1 packages"),
        (report(SAFE, UNKNOWN), "", True, "audited 1 packages; unknown to the service: mine"),
        (report(SAFE, VULNERABLE, UNKNOWN), "Found 1 known", False, "vulnerable: tornado 6.0 has PYSEC-1"),
        # A mirror without the service's data answers 404, which pip-audit reports as clean.
        (report(UNKNOWN, UNKNOWN), "No known vulnerabilities found", True, "skipped the audit, "),
        (
            "",
            "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\nERROR: Tip",
            True,
            "skipped the audit",
        ),
        ("", "Traceback\nrequests.exceptions.ProxyError: no route", True, "skipped the audit"),
        ("", "ERROR:pip_audit._cli:requirement is missing hashes", False, "the audit failed: ERROR:pip_audit._cli:req"),
        ("", "", False, "the audit failed: pip-audit said nothing"),
        ("{}", "", False, "the audit failed"),
    ],
)
def test_a_vulnerability_fails_and_an_unreachable_service_does_not(
    run: ModuleType, output: str, errors: str, is_passed: bool, text: str
) -> None:
    verdict = run.audit_verdict(output, errors)
    assert verdict[0] is is_passed
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


def test_the_locked_pip_audit_understands_the_command(run: ModuleType) -> None:
    usage = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(flag in usage for flag in run.AUDIT_COMMAND if flag.startswith("-"))
