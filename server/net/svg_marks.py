"""Colours and pieces of drawn boards: those of the page, in its light and its dark scheme. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SEATS", "piece", "style"]

SEATS: Final = "0123"

_LIGHT: Final = {
    "bg": "#f3f0ea",
    "frame": "#c3a67d",
    "tile": "#f8eed9",
    "hole": "#a1855d",
    "cross": "#6b5636",
    "last": "#f5d566",
    "wall": "#5d3a1c",
    "0": "#d1500a",
    "0d": "#9c3800",
    "1": "#1767ad",
    "1d": "#0c4377",
    "2": "#b98900",
    "2d": "#7d5c00",
    "3": "#a0448c",
    "3d": "#6e2760",
}
"""The colours of the page's wooden board, which clients/web/base.css has too."""
_DARK: Final = {
    "bg": "#161513",
    "frame": "#33281b",
    "tile": "#6f5f49",
    "hole": "#1a140d",
    "cross": "#57462f",
    "last": "#a5822a",
    "wall": "#e2b582",
    "0": "#ff8344",
    "0d": "#b64a10",
    "1": "#5fb0f2",
    "1d": "#1d6fb5",
    "2": "#f2c744",
    "2d": "#a37f0b",
    "3": "#dd8fcd",
    "3d": "#96478a",
}


def style() -> str:
    def rules(colours: Mapping[str, str]) -> str:
        plain = "".join(f".{name}{{fill:{colours[name]}}}" for name in ("bg", "frame", "tile", "hole", "last", "wall"))
        seats = "".join(
            f".s{seat}{{fill:{colours[seat]}}}.d{seat}{{fill:{colours[seat + 'd']}}}"
            f".k{seat}{{stroke:{colours[seat + 'd']}}}.o{seat}{{stroke:{colours[seat]}}}"
            for seat in SEATS
        )
        return f"{plain}{seats}.x{{stroke:{colours['cross']}}}.z{{stroke:{colours['last']};stroke-width:6}}"

    return f"{rules(_LIGHT)}@media(prefers-color-scheme:dark){{{rules(_DARK)}}}"


def piece(seat: int, radius: float) -> str:
    outline, heart = _silhouette(seat, radius), _silhouette(seat, radius * 0.46)
    inner = 'fill="#fff"' if seat in (1, 3) else 'fill="none" stroke="#fff" stroke-width="4"'
    return (
        f'<g id="p{seat}"><path d="{outline}" transform="translate(0 {radius * 0.22:.1f})" opacity=".28"/>'
        f'<path class="d{seat}" d="{outline}" transform="translate(0 {radius * 0.11:.1f})"/>'
        f'<path class="s{seat}" d="{outline}"/><path d="{heart}" {inner} opacity=".55"/></g>'
    )


def _silhouette(seat: int, r: float) -> str:
    """Return the outline of a seat's piece: disc, diamond, triangle, square."""
    match seat:
        case 0:
            # Rounded once: arcs that are wider than their chord bulge.
            d = round(r, 1)
            return f"M{-d} 0a{d} {d} 0 1 1 {2 * d:.1f} 0a{d} {d} 0 1 1 {-2 * d:.1f} 0Z"
        case 1:
            d = r * 1.1
            return f"M0 {-d:.1f}L{d:.1f} 0L0 {d:.1f}L{-d:.1f} 0Z"
        case 2:
            return f"M0 {-r * 1.08:.1f}L{r * 1.06:.1f} {r * 0.8:.1f}H{-r * 1.06:.1f}Z"
        case _:
            d = r * 0.86
            return f"M{-d:.1f} {-d:.1f}h{2 * d:.1f}v{2 * d:.1f}h{-2 * d:.1f}Z"
