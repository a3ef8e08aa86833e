"""Writes the files generated from the messages: `python -m cornered.protocol.reference`, or `--check` to compare."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from cornered.protocol.manual import write_manual
from cornered.protocol.schema import make_schema
from cornered.protocol.typescript import write_types

__all__ = ["REPOSITORY", "generate", "stale"]

REPOSITORY: Final = Path(__file__).resolve().parent.parent


def generate() -> dict[str, str]:
    """Return the text of every generated file by its path below the project's root."""
    schema = make_schema()
    return {
        "protocol/schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n",
        "PROTOCOL.md": write_manual(schema),
        "clients/typescript/src/protocol.ts": write_types(schema),
    }


def stale(root: Path) -> list[str]:
    """Return the generated files that are out of date."""
    return [
        path
        for path, text in generate().items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    """Write the files that are stale, or with `--check` only name them. Returns the exit code."""
    changed = stale(REPOSITORY)
    if arguments == ["--check"]:
        if changed:
            sys.stderr.write(f"run `python -m cornered.protocol.reference`: {', '.join(changed)} out of date\n")
        return 1 if changed else 0
    texts = generate()
    for path in changed:
        (REPOSITORY / path).parent.mkdir(parents=True, exist_ok=True)
        (REPOSITORY / path).write_text(texts[path], encoding="utf-8")
        sys.stdout.write(f"wrote {path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
