"""Files against the schemas of their formats, which come with check-jsonschema: no network is needed."""

from __future__ import annotations

from pathlib import Path

from check_jsonschema import main
from click.testing import CliRunner

__all__ = ["complaints"]


def complaints(schema: str, file: Path) -> str:
    """Return what does not follow the schema in a file, and nothing where all does."""
    done = CliRunner().invoke(main, ["--builtin-schema", f"vendor.{schema}", str(file)])
    return "" if done.exit_code == 0 else done.output
