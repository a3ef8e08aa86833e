"""The wall clock of child processes, which can be stepped while they run: a preloaded library adds an offset to it."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["WallClock"]

NANOSECONDS: Final = 1_000_000_000
_OFFSET: Final = struct.Struct("=q")


class WallClock:
    """One wall clock, for every process that is started with `environment`. Monotonic clocks are not affected."""

    def __init__(self, library: Path, folder: Path, name: str) -> None:
        path = folder / f"{name}.clock"
        path.write_bytes(_OFFSET.pack(0))
        path.chmod(0o644)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_CLOCK": str(path)}
        with path.open("r+b") as file:
            self._mapped = mmap.mmap(file.fileno(), _OFFSET.size)

    def step_to(self, seconds: float) -> None:
        """Set how far the clock is ahead of the system's, in seconds."""
        self._mapped[:] = _OFFSET.pack(round(seconds * NANOSECONDS))

    @staticmethod
    def build(folder: Path) -> Path | None:
        """Compile the library; None where there is no C compiler, or the system is not Linux."""
        compiler = shutil.which("cc")
        if compiler is None or sys.platform != "linux":
            return None
        library = folder / "clock.so"
        command = [compiler, "-O2", "-shared", "-fPIC", str(Path(__file__).with_name("clock.c")), "-o", str(library)]
        subprocess.run([*command, "-ldl"], check=True, capture_output=True)
        return library
