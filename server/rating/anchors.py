"""Where the ratings of the house bots' levels begin: at their measured strength. Pure.

The figures are the sums of the steps that `cornered bench ladder GAME --games 60` measured, with level 5 at 1500 in
every game, which defines what the numbers mean. A step's 95% interval is 40 to 160 wide on each side, that from
level 4 to level 5 of Quoridor 210 to 310.
"""

from __future__ import annotations

from typing import Final

from cornered.protocol.values import Player

__all__ = ["ANCHORS", "ANCHOR_DEVIATION", "anchor_of"]

ANCHOR_DEVIATION: Final = 150.0
"""Wide enough for a level that plays people otherwise than it plays the next level: some twenty games move it there."""
ANCHORS: Final[dict[str, tuple[int, ...]]] = {
    "trapgrid": (1406, 1394, 1465, 1523, 1500, 1523, 1570, 1616, 1699, 1746),
    "isolation": (897, 1044, 1139, 1380, 1500, 1825, 2016, 2087, 2310, 2611),
    "bamboo": (793, 927, 1117, 1293, 1500, 1741, 2122, 2474, 2697, 2957),
    "quoridor": (302, 456, 590, 915, 1500, 1759, 1907, 1953, 2048, 2143),
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
