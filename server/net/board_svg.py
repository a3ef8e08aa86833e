"""Draws positions as SVG from their texts, without the rules: the page's boards, for links and previews. Pure.

A drawing is a list of elements. Those of a game's positions that come and go are shown and hidden by CSS, so that an
animation is as long as what changes. All text is of this module, so that nobody's words get into a drawing.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cornered.engine.text import FILES, PositionText
from cornered.server.net.svg_marks import SEATS, piece, style

__all__ = ["HELD_FRAMES", "MAX_FRAMES", "Board", "Scene", "animated", "drawn", "policy_of", "scenes"]

MAX_FRAMES: Final = 300
"""Positions of an animation, the last ones of a longer game."""
FRAME_S: Final = 0.8
HELD_FRAMES: Final = 4
"""How long the end stays, in frames."""
PITCH: Final = 100
_HEX_PITCH: Final = 86.6
_HEX_RIM: Final = 98
_PREVIEW_RATIO: Final = 1200 / 630
"""Width to height of the pictures that other sites show beside a link."""
_WALL: Final = re.compile(r"(?P<file>[a-z])(?P<rank>\d+)(?P<way>[hv])")


class Scene(NamedTuple):
    """A position with what its text does not say: the last move, and the seats that put up walls or left cells."""

    position: str
    last: str = ""
    owners: Mapping[str, int] = {}


class Board(NamedTuple):
    """The board of a game: its first position, whose pawns tell the goals of a walled board."""

    start: str
    is_walled: bool


@dataclass(frozen=True)
class _Layout:
    """Where a board's cells are, in units of 100 a cell, around its middle."""

    places: Mapping[str, tuple[float, float]]
    is_hexagon: bool
    is_walled: bool
    width: int
    height: int

    @classmethod
    def of(cls, board: Board) -> _Layout:
        parts = PositionText.parse(board.start)
        is_hexagon, height = parts.is_hexagon, len(parts.rows)
        step = _HEX_PITCH if is_hexagon else PITCH
        places = {
            parts.name(row, column): ((column - (len(cells) - 1) / 2) * PITCH, (row - (height - 1) / 2) * step)
            for row, cells in enumerate(parts.rows)
            for column in range(len(cells))
        }
        return cls(places, is_hexagon, board.is_walled, max(map(len, parts.rows)), height)

    @property
    def size(self) -> int:
        return 80 if self.is_walled else 92

    @property
    def radius(self) -> int:
        return 32 if self.is_hexagon else 28 if self.is_walled else 31

    @property
    def reach(self) -> tuple[float, float]:
        """Half the width and half the height of the frame."""
        if self.is_hexagon:
            across = (self.width - 1) / 2 * PITCH + _HEX_RIM
            return across, across * 0.866
        rim = 30 if self.is_walled else 16
        return self.width * PITCH / 2 + rim, self.height * PITCH / 2 + rim

    def crossing(self, wall: re.Match[str]) -> tuple[float, float]:
        """Return where the four cells of a wall meet."""
        file, rank = FILES.index(wall["file"]), int(wall["rank"]) - 1
        return (file + 1 - self.width / 2) * PITCH, (self.height / 2 - rank - 1) * PITCH


def scenes(positions: Sequence[str], moves: Sequence[str]) -> list[Scene]:
    """Return the positions of a game, the first one too, with what the moves between them tell."""
    owners: dict[str, int] = {}
    found = [Scene(positions[0])]
    last = ""
    for before, after, move in zip(positions, positions[1:], moves, strict=False):
        then, now = PositionText.parse(before), PositionText.parse(after)
        for row, (old, new) in enumerate(zip(then.rows, now.rows, strict=True)):
            for column, (was, cell) in enumerate(zip(old, new, strict=True)):
                if cell == "x" and was in SEATS:
                    owners[then.name(row, column)] = int(was)
        if _WALL.fullmatch(move) and then.turn in SEATS:
            owners[move] = int(then.turn)
        # A roll of the dice leaves the mark of the move before it.
        last = last if move.isdigit() else move
        found.append(Scene(after, last, dict(owners)))
    return found


def drawn(scene: Scene, board: Board, *, is_preview: bool = False) -> str:
    """Return the picture of a position. A preview has the shape that other sites expect, and a background."""
    layout = _Layout.of(board)
    body = "".join([*_ground(layout, board), *_elements(layout, scene)])
    return _document(layout, body, style(), is_preview=is_preview)


def animated(played: Sequence[Scene], board: Board) -> str:
    """Return the animation of a game's positions, of which those who want no motion see the last one."""
    shown = played[-MAX_FRAMES:]
    layout = _Layout.of(board)
    runs = _runs([list(_elements(layout, scene)) for scene in shown])
    length = len(shown) + HELD_FRAMES - 1
    steps, parts = set[tuple[int, int]](), []
    for element, begin, end in runs:
        if (begin, end) == (0, len(shown)):
            parts.append(element)
            continue
        steps.add((begin, end))
        hidden = "" if end == len(shown) else " h"
        parts.append(f'<g class="m k{begin}-{end}{hidden}">{element}</g>')
    motion = _motion(steps, len(shown), length)
    return _document(layout, "".join([*_ground(layout, board), *parts]), style() + motion)


def policy_of(svg: str) -> str:
    """Return the Content-Security-Policy under which a drawing has its own style, and nothing else."""
    own = svg[svg.index("<style>") + 7 : svg.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"


def _runs(frames: Sequence[Sequence[str]]) -> list[tuple[str, int, int]]:
    """Return each element with the frames from which and up to which it is there, in the order of drawing."""
    found: list[tuple[str, int, int]] = []
    begun: dict[str, int] = {}
    for number, frame in enumerate([*frames, ()]):
        there = set(frame)
        gone = [element for element in begun if element not in there]
        found.extend((element, begun.pop(element), number) for element in gone)
        for element in frame:
            begun.setdefault(element, number)
    # Marks and holes lie below walls, walls below links, and these below pieces.
    return sorted(found, key=lambda run: (_rank(run[0]), run[1]))


def _rank(element: str) -> int:
    return next(rank for rank, sign in enumerate(('"#t"', '"#x"', 'class="w', 'class="k', '"#p')) if sign in element)


def _motion(steps: set[tuple[int, int]], frames: int, length: int) -> str:
    seconds = length * FRAME_S
    rules = [f".m{{animation:{seconds:.1f}s step-end infinite}}", ".h{visibility:hidden}"]
    for begin, end in sorted(steps):
        name = f"k{begin}-{end}"
        at = [(0.0, "visible" if begin == 0 else "hidden")]
        if begin:
            at.append((100 * begin / length, "visible"))
        if end < frames:
            at.append((100 * end / length, "hidden"))
        marks = "".join(f"{percent:.2f}%{{visibility:{state}}}" for percent, state in at)
        rules.append(f"@keyframes {name}{{{marks}}}.{name}{{animation-name:{name}}}")
    rules.append("@media(prefers-reduced-motion:reduce){.m{animation:none}}")
    return "".join(rules)


def _document(layout: _Layout, body: str, rules: str, *, is_preview: bool = False) -> str:
    across, down = layout.reach
    across, down = across + 10, down + 16
    ground = ""
    if is_preview:
        down += 20
        across = max(across, down * _PREVIEW_RATIO)
        ground = f'<path class="bg" d="M{-across:.0f} {-down:.0f}h{2 * across:.0f}v{2 * down:.0f}H{-across:.0f}Z"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-across:.0f} {-down:.0f} {2 * across:.0f} {2 * down:.0f}">'
        f"<style>{rules}</style><defs>{_definitions(layout)}</defs>{ground}{body}</svg>"
    )


def _definitions(layout: _Layout) -> str:
    """Return the tile, the cross on a blocked one, and the piece of each seat, by the names of the elements."""
    half, radius = layout.size / 2, layout.radius
    if layout.is_hexagon:
        long = 46 / 0.866
        tile = f"M0 {-long:.1f}L46 {-long / 2:.1f}V{long / 2:.1f}L0 {long:.1f}L-46 {long / 2:.1f}V{-long / 2:.1f}Z"
        shape = f'<path id="t" d="{tile}"/>'
    else:
        shape = f'<rect id="t" x="{-half:.0f}" y="{-half:.0f}" width="{2 * half:.0f}" height="{2 * half:.0f}" rx="13"/>'
    cross = '<path id="x" d="M-16 -16L16 16M16 -16L-16 16" fill="none" stroke-width="5" stroke-linecap="round"/>'
    return shape + cross + "".join(piece(seat, radius) for seat in range(4))


def _ground(layout: _Layout, board: Board) -> Iterator[str]:
    """Yield what lies below every position of a game: the frame, the goals and the tiles."""
    across, down = layout.reach
    if layout.is_hexagon:
        corners = (math.radians(degrees) for degrees in range(0, 360, 60))
        points = "L".join(f"{across * math.cos(angle):.1f} {across * math.sin(angle):.1f}" for angle in corners)
        yield f'<path class="frame" d="M{points}Z" stroke-linejoin="round"/>'
    else:
        yield (
            f'<rect class="frame" x="{-across:.0f}" y="{-down:.0f}" width="{2 * across:.0f}" '
            f'height="{2 * down:.0f}" rx="22"/>'
        )
    if layout.is_walled:
        yield from _goals(layout, PositionText.parse(board.start))
    yield from (f'<use href="#t" x="{x:g}" y="{y:.5g}" class="tile"/>' for x, y in layout.places.values())


def _goals(layout: _Layout, start: PositionText) -> Iterator[str]:
    """Yield the edges that the pawns have to reach, opposite of where they start."""
    across, down = layout.reach
    for row, cells in enumerate(start.rows):
        for column, cell in enumerate(cells):
            if cell not in SEATS:
                continue
            x, y = layout.places[start.name(row, column)]
            if abs(y) > abs(x):
                top = -down + 6 if y > 0 else down - 18
                box = (-across + 30, top, 2 * across - 60, 12.0)
            else:
                left = across - 18 if x < 0 else -across + 6
                box = (left, -down + 30, 12.0, 2 * down - 60)
            yield '<rect class="s{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="6"/>'.format(cell, *box)


def _elements(layout: _Layout, scene: Scene) -> Iterator[str]:
    """Yield what a position has on its board."""
    parts = PositionText.parse(scene.position)
    there = {parts.name(row, column): cell for row, cells in enumerate(parts.rows) for column, cell in enumerate(cells)}
    if scene.last in there:
        x, y = layout.places[scene.last]
        yield f'<use href="#t" x="{x:g}" y="{y:.5g}" class="last"/>'
    for name, cell in there.items():
        if cell == "x":
            x, y = layout.places[name]
            owner = f"o{scene.owners[name]}" if name in scene.owners else "x"
            yield f'<use href="#t" x="{x:g}" y="{y:.5g}" class="hole"/>'
            yield f'<use href="#x" x="{x:g}" y="{y:.5g}" class="{owner}"/>'
    for name in parts.facts.get("walls", "").split(","):
        if wall := _WALL.fullmatch(name):
            yield _wall(layout, wall, scene)
    if layout.is_hexagon:
        yield from _links(layout, there)
    for name, cell in there.items():
        if cell in SEATS:
            x, y = layout.places[name]
            yield f'<use href="#p{cell}" x="{x:g}" y="{y:.5g}"/>'


def _wall(layout: _Layout, wall: re.Match[str], scene: Scene) -> str:
    x, y = layout.crossing(wall)
    long, thick = PITCH + layout.size, PITCH - layout.size - 4
    lies = wall["way"] == "h"
    width, height = (long, thick) if lies else (thick, long)
    left, top = x - width / 2, y - height / 2
    owner = scene.owners.get(wall[0])
    groove = ""
    if owner is not None:
        line = f"M{left + 14:g} {y:g}h{width - 28}" if lies else f"M{x:g} {top + 14:g}v{height - 28}"
        # The number of parts tells seats apart without colour.
        dashes = ("", ' stroke-dasharray="69 14"', ' stroke-dasharray="40 16"', ' stroke-dasharray="26 16"')[owner]
        groove = f'<path class="o{owner}" d="{line}" stroke-width="8" stroke-linecap="round"{dashes}/>'
    return (
        f'<g class="w{" z" if wall[0] == scene.last else ""}"><rect class="wall" x="{left:g}" y="{top:g}" '
        f'width="{width}" height="{height}" rx="5"/>{groove}</g>'
    )


def _links(layout: _Layout, there: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines between neighbouring stones of one seat."""
    stones = [(name, cell, *layout.places[name]) for name, cell in there.items() if cell in SEATS]
    for index, (_, cell, x, y) in enumerate(stones):
        for _, other, to_x, to_y in stones[index + 1 :]:
            if cell == other and math.hypot(to_x - x, to_y - y) < PITCH * 1.01:
                line = f"M{x:g} {y:.5g}L{to_x:g} {to_y:.5g}"
                yield f'<path class="k{cell}" d="{line}" stroke-width="17" stroke-linecap="round" opacity=".85"/>'
