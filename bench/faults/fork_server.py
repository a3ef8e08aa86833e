"""`python -m cornered.bench.faults.fork_server [BUILD]`: imports the server once, and forks a server for every line on
standard input, with the settings of the environment. Most of a start's time is imports, so a kill costs little.

It writes JSON lines: the pid of each server, that it listens, and its exit status. Servers end with it.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import sys
import traceback
from typing import Final

from cornered import engine
from cornered.bench.faults.broken import BUILDS
from cornered.engine.warming import warm
from cornered.server.app import new_event_loop, serve
from cornered.server.settings import SettingsError, load_settings

__all__: list[str] = []

PR_SET_PDEATHSIG: Final = 1


def _die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _tell(**values: object) -> None:
    os.write(1, f"{json.dumps(values)}\n".encode())


def _serve() -> None:
    """Run a server in this process, which is a fork."""
    _die_with_parent()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    status = 1
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(serve(load_settings(), started=lambda address: _tell(listens=address)))
        status = 0
    except (SettingsError, OSError) as error:
        # What `cornered serve` tells the operator, such as a database that is away.
        sys.stderr.write(f"{json.dumps({'level': 'error', 'event': 'the server ends', 'reason': str(error)})}\n")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def main() -> None:
    """Fork servers, one at a time, until standard input ends."""
    _die_with_parent()
    for build in sys.argv[1:]:
        BUILDS[build].apply()
    for game in engine.games():
        warm(game.name)
    _tell(ready=os.getpid())
    while sys.stdin.readline():
        child = os.fork()
        if child == 0:
            _serve()
        _tell(pid=child)
        _tell(exit=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
