"""Where the ratings of the house bots' levels begin: at their measured strength. Pure.

The figures are sums of measured steps, with level 5 at 1500 in every game, which defines what the numbers mean.
docs/ratings.md has the steps with their intervals and the rule.
"""

from __future__ import annotations

from typing import Final

from cornered.protocol.values import Player

__all__ = ["ANCHORS", "ANCHOR_DEVIATION", "anchor_of"]

ANCHOR_DEVIATION: Final = 150.0
"""Wide enough for a level that plays people otherwise than it plays the next level: some twenty games move it there."""
ANCHORS: Final[dict[str, tuple[int, ...]]] = {
    "trapgrid": (1167, 1231, 1308, 1382, 1500, 1663, 1803, 1914, 1998, 2108),
    "isolation": (886, 1038, 1181, 1321, 1500, 1687, 1866, 2028, 2154, 2338),
    "bamboo": (944, 1062, 1166, 1325, 1500, 1683, 1849, 1993, 2148, 2317),
    "quoridor": (911, 1051, 1193, 1327, 1500, 1604, 1757, 1940, 2140, 2288),
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
