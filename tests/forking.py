"""Programs that are forked from a process with their imports: a start takes a tenth of a new interpreter's CPU time.

`python -m tests.forking FD MODULE...` is that process. It gets programs over the Unix socket FD, one at a time, each
with its standard streams, and tells each one's pid and exit status.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final, NoReturn

__all__ = ["Forked", "Forks"]

ORDER_BYTES: Final = 1 << 16
DEADLINE_S: Final = 60.0


class Forked:
    """A program that runs. Its standard error is a file, which the caller gives."""

    def __init__(self, orders: socket.socket, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._orders = orders
        self.stdin = stdin
        self.stdout = stdout
        self.pid = int(orders.recv(ORDER_BYTES))
        self.status: int | None = None
        """As of `subprocess.Popen.returncode`."""

    def wait(self) -> int:
        """Return the exit status, when the program has ended by itself."""
        if self.status is None:
            self._orders.settimeout(DEADLINE_S)
            self.status = int(self._orders.recv(ORDER_BYTES))
            self._orders.settimeout(None)
        return self.status

    def communicate(self, text: str = "") -> tuple[int, str]:
        """Write all input, and return the exit status and all output."""
        with contextlib.suppress(BrokenPipeError), self.stdin:
            self.stdin.write(text.encode())
        return self.wait(), self.stdout.read().decode()

    def end(self) -> None:
        """Kill the program, if it runs."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.wait()
        for stream in (self.stdin, self.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


class Forks:
    """The process that forks."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders

    @classmethod
    @contextlib.contextmanager
    def open(cls, *modules: str) -> Iterator[Forks]:
        """Have `modules` imported, once, for all programs inside the block."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.forking", str(theirs.fileno()), *modules]
        with ours, subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL):
            theirs.close()
            yield cls(ours)
            ours.close()

    @contextlib.contextmanager
    def run(self, code: str, errors: BinaryIO, environment: Mapping[str, str] | None = None) -> Iterator[Forked]:
        """Run a program inside the block; what is written to standard error goes to the file `errors`."""
        (read_in, write_in), (read_out, write_out) = os.pipe(), os.pipe()
        order = json.dumps({"code": code, "environment": dict(environment or {})}).encode()
        socket.send_fds(self._orders, [order], [read_in, write_out, errors.fileno()])
        os.close(read_in)
        os.close(write_out)
        program = Forked(self._orders, os.fdopen(write_in, "wb", buffering=0), os.fdopen(read_out, "rb"))
        try:
            yield program
        finally:
            program.end()


def _run(code: str, environment: Mapping[str, str], streams: list[int]) -> NoReturn:
    """Run a program in this process, which is a fork."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.update(environment)
    sys.stdin, sys.stdout, sys.stderr = (open(each, mode, encoding="utf-8") for each, mode in enumerate("rww"))  # noqa: SIM115
    status = 1
    try:
        exec(code, {"__name__": "__main__"})
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for written in (sys.stdout, sys.stderr):
            with contextlib.suppress(BrokenPipeError):
                written.flush()
        os._exit(status)


def main(number: int, modules: list[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    with socket.socket(fileno=number) as orders:
        while True:
            order, streams, _, _ = socket.recv_fds(orders, ORDER_BYTES, 3)
            if not order:
                return
            if (child := os.fork()) == 0:
                orders.close()
                _run(**json.loads(order), streams=streams)
            for stream in streams:
                os.close(stream)
            orders.send(str(child).encode())
            orders.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
