"""Every setting is documented for operators."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.server.settings import Settings
from cornered.server.settings_reference import render

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_document_is_current() -> None:
    assert (ROOT / "docs" / "settings.md").read_text() == render(), (
        "./run python -m cornered.server.settings_reference > docs/settings.md"
    )


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_a_meaning(name: str) -> None:
    (row,) = (line for line in render().splitlines() if line.startswith(f"| `CORNERED_{name.upper()}` |"))
    default, values, meaning = (part.strip() for part in row.strip("|").split("|")[1:])
    assert default
    assert values
    assert meaning.endswith(".")


def test_no_value_of_this_machine_is_in_the_document() -> None:
    assert str(ROOT) not in render()
    assert str(Path.home()) not in render()


def test_the_readme_leads_to_the_document_and_names_what_operators_need() -> None:
    text = (ROOT / "README.md").read_text()
    assert "(docs/settings.md)" in text
    for name in ("PROXIES", "HOSTS", "ORIGINS", "METRICS_TOKEN", "MAX_CONNECTIONS", "MAX_PER_ADDRESS", "ADDRESS_RATE"):
        assert f"`CORNERED_{name}`" in text, name
