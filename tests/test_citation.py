"""CITATION.cff: valid by the format's schema, and true."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

from tests.schema import complaints

ROOT = Path(__file__).resolve().parent.parent
CITATION = ROOT / "CITATION.cff"
FORMAT = "citation-file-format"


def test_it_follows_the_schema_of_its_format_which_has_required_keys(tmp_path: Path) -> None:
    assert complaints(FORMAT, CITATION) == ""
    whole, broken = yaml.safe_load(CITATION.read_text()), tmp_path / "CITATION.cff"
    for key in ("authors", "message", "title", "cff-version"):
        broken.write_text(yaml.safe_dump({name: value for name, value in whole.items() if name != key}))
        assert key in complaints(FORMAT, broken)


def test_version_and_licence_are_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    given = yaml.safe_load(CITATION.read_text())
    assert given["version"] == project["version"]
    assert given["license"] == project["license"]
    assert (ROOT / "LICENSE").read_text().startswith(f"{given['license']} License")
    assert given["abstract"].startswith(project["description"].rstrip("."))
