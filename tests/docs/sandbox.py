"""A folder in which the commands of a page are run, with `cornered` and `./run` of this environment."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from pathlib import Path
from typing import Final

from tests.docs.blocks import ROOT
from tests.docs.forking import CLIENT

__all__ = ["Sandbox"]

COMMAND_S: Final = 300.0
"""Seconds after which a command counts as hanging."""
STOP_S: Final = 60.0
"""Seconds after which a command that does not end is sent a stronger signal."""
DOCUMENTED: Final = "127.0.0.1:8420"
"""The address of the pages' server; that of the test takes its place."""

DOOR: Final = """#!/bin/sh
# `./run` of a checkout whose environment exists already.
door="$1"; shift
case "$door" in
  cornered) exec "{cornered}" "$@" ;;
  serve|cluster) exec "{cornered}" "$door" "$@" ;;
  python) exec "{python}" "$@" ;;
  *) echo "./run $door is not run here" >&2; exit 2 ;;
esac
"""


class Sandbox:
    """A folder with links to the examples and test data, and an environment that keeps every file in that folder."""

    def __init__(self, folder: Path, server: str, forking: Path) -> None:
        """`forking` is the socket of a process that forks commands."""
        self.folder = folder
        self.server = server
        self.state = folder / ".exported"
        """The variables that the commands have exported, as a shell's program."""
        self.state.touch()
        programs = folder / ".bin"
        programs.mkdir()
        for kind in ("cornered", "file"):
            client = CLIENT.format(python=sys.executable, socket=str(forking), kind=kind)
            self._write(programs / kind, client)
        self._write(folder / "run", DOOR.format(python=sys.executable, cornered=programs / "cornered"))
        self._write(programs / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        for_files = f'case "$1" in *.py) exec "{programs / "file"}" "$@" ;; esac'
        self._write(programs / "python", f'#!/bin/sh\n{for_files}\nexec "{sys.executable}" "$@"\n')
        (folder / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
        (folder / "tests").symlink_to(ROOT / "tests", target_is_directory=True)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("CORNERED_", "XDG_"))}
        self.env |= {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "XDG_DATA_HOME": str(folder / "home"),
            "CORNERED_DATA": str(folder / "data"),
            "CORNERED_PORT": "0",
            "CORNERED_SERVER": f"http://{server}",
            "BROWSER": "true",
            "COLUMNS": "200",
            "PYTHONUNBUFFERED": "1",
        }

    @staticmethod
    def _write(file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def local(self, text: str) -> str:
        """Return a page's text with the address of the test's server."""
        return text.replace(DOCUMENTED, self.server)

    async def run(self, command: str) -> str:
        """Run a command to its end and return what it wrote. Raises AssertionError where it fails."""
        process = await self._start(command)
        try:
            async with asyncio.timeout(COMMAND_S):
                written, _ = await process.communicate()
        finally:
            await self._end(process)
        assert process.returncode == 0, f"{command}\n{written.decode()}"
        return written.decode()

    async def run_until(self, command: str, text: str) -> str:
        """Run a command until it has written a line with `text`, end it, and return what it wrote. Raises
        AssertionError where it ends by itself before."""
        process = await self._start(command)
        written: list[str] = []
        try:
            assert process.stdout is not None
            async with asyncio.timeout(COMMAND_S):
                while line := (await process.stdout.readline()).decode():
                    written.append(line)
                    if text in line:
                        return "".join(written)
        except TimeoutError:
            written.append(f"[it never said {text!r}]")
        finally:
            await self._end(process)
        raise AssertionError("".join([f"{command}\n", *written]))

    async def _start(self, command: str) -> Process:
        script = f'. "{self.state}"\n{self.local(command)}\nstatus=$?\nexport -p > "{self.state}"\nexit $status'
        return await asyncio.create_subprocess_exec(
            *("bash", "-c", script), cwd=self.folder, env=self.env, stdout=PIPE, stderr=STDOUT, start_new_session=True
        )

    @staticmethod
    async def _end(process: Process) -> None:
        """End the command with everything that it started, which closes the pipe of its output."""
        assert process.stdout is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if process.returncode is not None and process.stdout.at_eof():
                return
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await process.communicate()
