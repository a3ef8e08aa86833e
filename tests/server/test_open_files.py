"""Few open files: the server raises its limit, and one address cannot take all that it has."""

from __future__ import annotations

import contextlib
import http.client
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from cornered.server.open_files import RESERVE, fitted
from cornered.server.settings import MEMORY_DATABASE, Settings

SERVER = """
import asyncio, resource, sys
from pathlib import Path
from cornered.server.app import serve
from cornered.server.settings import MEMORY_DATABASE, Settings

soft, hard = map(int, sys.argv[1:3])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
settings = Settings(port=0, data=Path(sys.argv[3]), database=MEMORY_DATABASE, hello_seconds=120)
asyncio.run(serve(settings, started=lambda address: print(address, flush=True)))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")


@contextlib.contextmanager
def limited(soft: int, hard: int, folder: str) -> Iterator[tuple[str, int]]:
    """Run a server whose process begins with these limits."""
    command = [sys.executable, "-c", SERVER, str(soft), str(hard), folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = urlsplit(process.stdout.readline().strip())
            assert address.hostname is not None
            assert address.port is not None
            yield address.hostname, address.port
        finally:
            process.terminate()


@pytest.mark.parametrize(("soft", "hard"), [(300, 1_200), (400, 400)], ids=["raised", "fitted"])
def test_idle_connections_of_one_address_leave_room_for_others(soft: int, hard: int, tmp_path: object) -> None:
    with limited(soft, hard, str(tmp_path)) as server, contextlib.ExitStack() as idle:
        for _ in range(400):
            one = idle.enter_context(socket.socket())
            one.bind(("127.0.0.2", 0))
            one.connect(server)
        for _ in range(5):
            newcomer = http.client.HTTPConnection(*server, timeout=30)
            newcomer.request("GET", "/")
            assert newcomer.getresponse().status == 200
            newcomer.close()


def test_connections_fit_the_open_files() -> None:
    settings = Settings(database=MEMORY_DATABASE)
    assert fitted(settings, settings.max_connections + RESERVE) is settings
    few = fitted(settings, 4_096)
    assert few.max_connections == 4_096 - RESERVE
    assert few.max_per_address == settings.max_per_address
    fewer = fitted(settings, 1_024)
    assert fewer.max_connections == 1_024 - RESERVE
    assert fewer.max_per_address == fewer.max_connections * 3 // 4
    fewest = fitted(settings, 300)
    assert (fewest.max_connections, fewest.max_per_address) == (150, 112)


def test_a_higher_limit_stays() -> None:
    code = (
        "import resource; from cornered.server.open_files import allow_open_files\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (500, 600))\n"
        "print(allow_open_files(400), allow_open_files(550), allow_open_files(700))\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["500", "550", "600", "600", "600"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 600
