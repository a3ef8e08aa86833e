"""`cornered` in a process that is forked from one which has loaded everything: it starts in a hundredth of the time.

`python -m tests.docs.forking SOCKET` forks them. `CLIENT` stands for the command: it hands over its arguments, folder,
environment and standard files, passes signals on, and ends with the command's exit code.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import runpy
import signal
import socket
import sys
from pathlib import Path
from threading import Thread
from typing import Final, NoReturn

__all__ = ["CLIENT"]

CLIENT: Final = """#!{python} -IS
import json, os, signal, socket, sys

connection = socket.socket(socket.AF_UNIX)
connection.connect({socket!r})
request = json.dumps([{kind!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(connection, [len(request).to_bytes(4)], [0, 1, 2])
connection.sendall(request)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: connection.send(bytes([number])))
os._exit((connection.recv(1) or b"\\1")[0])
"""
LOADED: Final = (
    *("cornered.__main__", "cornered.bots.online.host", "cornered.bots.roster", "cornered.clients.sdk"),
    *("cornered.cli.contests", "cornered.cli.running_bots", "cornered.cli.trial", "cornered.server.app"),
    *("cornered.lab.reports.report", "cornered.engine.warming"),
)


def serve(path: str) -> NoReturn:
    for name in LOADED:
        importlib.import_module(name)
    from cornered import engine
    from cornered.bots import roster
    from cornered.engine.warming import warm

    for kind in engine.games():
        warm(kind.name)
    roster.bots()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    signal.signal(signal.SIGCHLD, reap)
    os.write(1, b"ready\n")
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            supervise(connection)
        connection.close()


def reap(number: int, frame: object) -> None:
    """Wait for the supervisors that have ended: their time then counts as that of this process."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def supervise(connection: socket.socket) -> NoReturn:
    """Fork the command, pass signals on to its process group, and tell how it ended; without a client it is killed."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    request = connection.recv(int.from_bytes(head), socket.MSG_WAITALL)
    command = os.fork()
    # Here and in the command, whichever comes first: no signal is lost.
    with contextlib.suppress(OSError):
        os.setpgid(command, command)
    if command == 0:
        connection.close()
        run(files, *json.loads(request))
    for file in files:
        os.close(file)

    def pass_on() -> None:
        with contextlib.suppress(ProcessLookupError):
            while number := connection.recv(1):
                os.killpg(command, number[0])
            os.killpg(command, signal.SIGKILL)

    Thread(target=pass_on, daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    connection.send(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def run(files: list[int], kind: str, arguments: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    """Become the command, as `python -m cornered` or as a file of Python."""
    for target, file in enumerate(files):
        os.dup2(file, target)
    os.closerange(3, 1024)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    random.seed()
    code: object = 0
    try:
        if kind == "cornered":
            # Worker processes import the main module.
            main = sys.modules["__main__"] = sys.modules["cornered.__main__"]
            sys.argv = ["cornered", *arguments]
            sys.path.insert(0, folder)
            main.main()
        else:
            sys.argv = arguments
            sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve(sys.argv[1])
