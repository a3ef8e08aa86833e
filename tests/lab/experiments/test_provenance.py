"""Where a finding was made: versions, machine, date, and the commit of the sources."""

from __future__ import annotations

import json
import platform
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from importlib.metadata import version
from pathlib import Path

import pytest

from cornered.lab.experiments.provenance import commit, processor, provenance


def git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *settings, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "lab").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "lab" / "one.py").write_text("1\n")
    (tmp_path / "docs" / "report.md").write_text("1\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


def test_a_run_names_software_machine_and_date_with_its_zone() -> None:
    made = provenance(datetime(2026, 1, 2, 1, 30, tzinfo=timezone(timedelta(hours=3))))
    assert made["date"] == "2026-01-01T22:30:00+00:00"
    assert made["version"] == version("cornered")
    assert made["python"] == platform.python_version()
    assert made["libraries"]["numpy"] == version("numpy")
    assert made["processor"] == processor() != ""
    assert json.loads(json.dumps(made)) == made

    assert datetime.fromisoformat(provenance(datetime.now(UTC))["date"]).tzinfo is not None


def test_the_commit_is_that_of_a_checkout_and_changed_sources_are_told(checkout: Path) -> None:
    found = commit(checkout)
    assert found is not None
    assert len(found) == 40
    (checkout / "docs" / "report.md").write_text("2\n")
    assert commit(checkout) == found, "a report that was written changes no source"
    new, old = checkout / "lab" / "two.py", checkout / "lab" / "one.py"
    new.write_text("2\n")
    assert commit(checkout) == f"{found}-dirty", "a new source"
    new.unlink()
    old.write_text("2\n")
    assert commit(checkout) == f"{found}-dirty", "a changed source"
    inside = checkout / "lab" / "site-packages"
    inside.mkdir()
    assert commit(inside) is None, "a package inside a foreign checkout"


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(Path(__file__).parents[3]) is None
