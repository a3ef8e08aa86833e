"""docs/ratings.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from cornered import engine
from cornered.server.rating.anchors import ANCHORS

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "ratings.md").read_text(encoding="utf-8")


def test_the_table_of_levels_has_the_anchors() -> None:
    (header,) = re.findall(r"^\| level \| (.+) \|$", TEXT, re.MULTILINE)
    titles = {game().title: game.name for game in engine.games()}
    games = [titles[title] for title in header.split(" | ")]
    rows = [list(map(int, row.split(" | "))) for row in re.findall(r"^\| (\d+ \| .+) \|$", TEXT, re.MULTILINE)]
    assert [row[0] for row in rows] == list(range(1, 11))
    assert {game: tuple(row[place] for row in rows) for place, game in enumerate(games, 1)} == ANCHORS
