"""Makes pictures, one at a time and beside the loop, and keeps the last ones.

SVG becomes PNG in a process of its own: resvg holds the interpreter's lock while it draws, up to 0.2 s.
"""

from __future__ import annotations

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from cornered.engine.compile.child_process import reap

__all__ = ["DRAW_PROGRAM", "MAX_KEPT_BYTES", "PNG_WIDTH", "Pictures", "to_png"]

MAX_KEPT_BYTES: Final = 8 << 20
"""Pictures in memory; those that were asked for longest ago make room."""
PNG_WIDTH: Final = 800
"""Pixels, which is enough for what other sites show beside a link."""
DRAWING_TIMEOUT_S: Final = 20
DRAW_PROGRAM: Final = (
    "import os, sys; os.nice(10); import resvg_py; svg = sys.stdin.buffer.read().decode(); "
    "sys.stdout.buffer.write(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=int(sys.argv[1]), "
    "skip_system_fonts=True)))"
)
"""Below the server's priority, since moves come first."""


class Pictures:
    """Pictures by their paths."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._drawing = asyncio.Lock()

    def known(self, path: str) -> bytes | None:
        """Return a picture that is in memory."""
        picture = self._kept.get(path)
        if picture is not None:
            self._kept.move_to_end(path)
        return picture

    async def of(self, path: str, draw: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the picture of a path, drawn by `draw` where it is not in memory."""
        async with self._drawing:
            picture = self.known(path)
            if picture is None:
                picture = self._kept[path] = await draw()
                self._bytes += len(picture)
                while self._bytes > MAX_KEPT_BYTES:
                    _, oldest = self._kept.popitem(last=False)
                    self._bytes -= len(oldest)
        return picture

    def __len__(self) -> int:
        return len(self._kept)


async def to_png(svg: str) -> bytes:
    """Return a drawing as PNG. Raises OSError where it cannot be drawn."""
    command = (sys.executable, "-I", "-c", DRAW_PROGRAM, str(PNG_WIDTH))
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(DRAWING_TIMEOUT_S):
            png, _ = await process.communicate(svg.encode())
    finally:
        # Its request may have been given up.
        if process.returncode is None:
            process.kill()
            await reap(process)
    if process.returncode or not png:
        raise OSError("resvg has drawn no picture; is the package resvg-py installed?")
    return png
