"""A file that is written whole or not at all, whatever ends the process meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a path beside `path`; what the block writes there takes its place at the end, unless the block raises."""
    part = path.with_name(path.name + ".part")
    yield part
    os.replace(part, path)
