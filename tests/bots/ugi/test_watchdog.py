"""An engine ends with the process that started it, even where that is killed and the engine reads no input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")

DEAF = """
import subprocess, sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "go":
        print("bestmove a6", flush=True)
        subprocess.Popen(["sleep", "1000"])
        time.sleep(1000)
    print({"ugi": "ugiok", "isready": "readyok"}.get(word, ""), flush=True)
"""
OWNER = """
import shlex, sys, threading
from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
bot = create("exec:" + shlex.join([sys.executable, sys.argv[1]]))
started = threading.Thread(target=bot.choose, args=(engine.load("trapgrid").start(), Limit(time=5000)))
started.start()
started.join()
print("playing", flush=True)
sys.stdin.read()
"""


def test_a_killed_owner_leaves_no_engine_behind(tmp_path: Path) -> None:
    program = tmp_path / "deaf.py"
    program.write_text(DEAF)
    command = [sys.executable, "-c", OWNER, str(program)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "playing\n"
        left = psutil.Process(owner.pid).children(recursive=True)
        assert any(str(program) in child.cmdline() for child in left)
        owner.kill()
    _, alive = psutil.wait_procs(left, timeout=30)
    assert alive == []


def test_the_watchdog_ends_with_an_owner_that_ends_in_order() -> None:
    code = "from cornered.bots.ugi import watchdog; watchdog.watch(2**22); watchdog.unwatch(2**22); print('watched')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "watched\n", "")
