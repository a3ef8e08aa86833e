"""CITATION.cff: valid by the format's schema, and true."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CITATION = ROOT / "CITATION.cff"


def check(path: Path) -> subprocess.CompletedProcess[str]:
    # The schema comes with the package: no network is needed.
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format", str(path)]
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=120)


def test_it_follows_the_schema_of_its_format() -> None:
    done = check(CITATION)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("key", ["authors", "message", "title", "cff-version"])
def test_the_schema_refuses_a_file_without_what_it_requires(key: str, tmp_path: Path) -> None:
    broken = {name: value for name, value in yaml.safe_load(CITATION.read_text()).items() if name != key}
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(broken))
    assert key in check(tmp_path / "CITATION.cff").stdout


def test_version_and_licence_are_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    given = yaml.safe_load(CITATION.read_text())
    assert given["version"] == project["version"]
    assert given["license"] == project["license"]
    assert (ROOT / "LICENSE").read_text().startswith(f"{given['license']} License")
    assert given["abstract"].startswith(project["description"].rstrip("."))
