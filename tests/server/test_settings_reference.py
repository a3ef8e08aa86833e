"""Every setting is documented for operators."""

from __future__ import annotations

from pathlib import Path

from cornered.server.settings import Settings
from cornered.server.settings_reference import render

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_document_is_current() -> None:
    assert (ROOT / "docs" / "settings.md").read_text() == render(), (
        "./run python -m cornered.server.settings_reference > docs/settings.md"
    )


def test_every_setting_has_a_meaning() -> None:
    document = render().splitlines()
    for name in Settings.model_fields:
        (row,) = (line for line in document if line.startswith(f"| `CORNERED_{name.upper()}` |"))
        default, values, meaning = (part.strip() for part in row.strip("|").split("|")[1:])
        assert default, name
        assert values, name
        assert meaning.endswith("."), name


def test_no_value_of_this_machine_is_in_the_document() -> None:
    assert str(ROOT) not in render()
    assert str(Path.home()) not in render()
