"""Generates docs/settings.md: `./run python -m cornered.server.settings_reference > docs/settings.md`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from cornered.server.settings import Settings

__all__ = ["render"]

_PAGE_HEADER: Final = """\
# Settings

Generated from `server/settings.py` by `./run python -m cornered.server.settings_reference > docs/settings.md`.

Each setting is an environment variable, or the same name in lower case without `CORNERED_` in `cornered.toml` in the
data directory (`CORNERED_CONFIG` names another file). The environment has precedence over the file. A list is written
`one, two`.

| variable | default | values | meaning |
| --- | --- | --- | --- |
"""
_MACHINE_DEFAULTS: Final = {
    "data": "your user data directory",
    "node": "this machine's name",
    "web": "the page that comes with the server",
}
"""Descriptions of defaults that differ between machines."""
_BOUND_WORDS: Final = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
_TYPE_WORDS: Final = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}


def render() -> str:
    """Return the document: one row for every field of Settings, in their order."""
    fields = Settings.model_json_schema()["properties"]
    return _PAGE_HEADER + "".join(f"{_row(name, field)}\n" for name, field in fields.items())


def _row(name: str, field: Mapping[str, Any]) -> str:
    meaning = " ".join(str(field.get("description", "")).split())
    return f"| `CORNERED_{name.upper()}` | {_default(name, field)} | {_values(field)} | {meaning} |"


def _default(name: str, field: Mapping[str, Any]) -> str:
    if name in _MACHINE_DEFAULTS:
        return _MACHINE_DEFAULTS[name]
    default = field.get("default")
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, list) and default:
        return f"`{', '.join(map(str, default))}`"
    return f"`{default}`" if default not in (None, "", []) else "none"


def _values(field: Mapping[str, Any]) -> str:
    """Return a text of a field's type and bounds."""
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(_values(one) for one in field["anyOf"] if one.get("type") != "null")
    if field.get("type") == "array":
        return "a list"
    if field.get("format") == "password":
        return "a secret"
    if field.get("format") == "path":
        return "a path"
    bounds = " ".join(f"{word} {field[key]:,}" for key, word in _BOUND_WORDS.items() if key in field)
    return f"{_TYPE_WORDS[field['type']]} {bounds}".strip()


if __name__ == "__main__":
    sys.stdout.write(render())
