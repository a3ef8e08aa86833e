"""Where the ratings of the house bots' levels begin: at their measured strength. Pure.

The figures are the sums of the steps that `cornered bench ladder` measured, with level 5 at 1500 in every game, which
defines what the numbers mean. docs/ratings.md has the steps with their intervals.
"""

from __future__ import annotations

from typing import Final

from cornered.protocol.values import Player

__all__ = ["ANCHORS", "ANCHOR_DEVIATION", "anchor_of"]

ANCHOR_DEVIATION: Final = 150.0
"""Wide enough for a level that plays people otherwise than it plays the next level: some twenty games move it there."""
ANCHORS: Final[dict[str, tuple[int, ...]]] = {
    "trapgrid": (1103, 1150, 1245, 1353, 1500, 1661, 1719, 1814, 1791, 1874),
    "isolation": (728, 960, 1114, 1346, 1500, 1780, 1780, 1869, 2149, 2091),
    "bamboo": (1204, 1395, 1395, 1430, 1500, 1608, 1573, 1874, 1874, 2065),
    "quoridor": (826, 1106, 1317, 1346, 1500, 1589, 1618, 1647, 1879, 1879),
}
"""By game, in the options that a table has by default, the rating of level 1, of level 2, and so on."""


def anchor_of(player: Player, pool: str) -> int | None:
    """Return where a house bot's rating begins in a pool; None for anybody else, and where nothing was measured.

    The caller has made sure that only house bots have their names.
    """
    game, *options = pool.split(":")[:-1]
    name, _, level = player.name.rpartition("-")
    figures = ANCHORS.get(game, ())
    if player.kind != "bot" or options or name != "level" or not level.isdigit() or not 0 < int(level) <= len(figures):
        return None
    return figures[int(level) - 1]
