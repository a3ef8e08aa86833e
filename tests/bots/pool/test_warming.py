"""The inputs of the marks of compiled bots."""

from __future__ import annotations

import sys
from pathlib import Path

from cornered import bots
from cornered.engine.compile.kernel import cache_of, modules_of


def test_every_source_of_bots_decides_where_their_marks_are() -> None:
    found = modules_of(bots)
    package = Path(bots.__file__ or "").parent
    paths = (path.relative_to(package.parent).with_suffix("") for path in package.rglob("*.py"))
    sources = {".".join(("cornered", *path.parts)).removesuffix(".__init__") for path in paths}
    assert {*found, "cornered.bots"} == sources
    assert cache_of("cornered.bots.pool.warming", *found) != cache_of("cornered.bots.pool.warming")
    assert not {"bots", "engine"} & set(sys.modules)
