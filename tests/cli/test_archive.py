"""`cornered archive` writes every part of a download."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import run

ASKED: list[str] = []


class Parts(BaseHTTPRequestHandler):
    """A server with two parts, which refuses any other."""

    def do_GET(self) -> None:
        ASKED.append(self.path)
        known = "sideways" not in self.path
        self.send_response(200 if known else 400)
        if "after" not in self.path and known:
            self.send_header("Link", f'<{self.path}&after=1-2>; rel="next"')
        self.end_headers()
        self.wfile.write((b"second\n" if "after" in self.path else b"first\n") if known else b"order: no such\n")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Parts)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"ws://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_all_parts_are_written_to_the_file(address: str, tmp_path: Path) -> None:
    ASKED.clear()
    out = tmp_path / "games.txt"
    given = ["--server", address, "--game", "trapgrid", "-o", "size=3", "--opening", "b3,c3", "--out", str(out)]
    result = run("archive", *given)
    assert result.exit_code == 0, result.output
    assert out.read_text() == "first\nsecond\n"
    assert ASKED[0] == "/archive.txt?option=size%3D3&opening=b3+c3&game=trapgrid"
    assert ASKED[1] == f"{ASKED[0]}&after=1-2"


def test_what_the_server_refuses_is_said_and_leaves_no_file(address: str, tmp_path: Path) -> None:
    out = tmp_path / "games.txt"
    given = ["--server", address, "--order", "sideways", "--jsonl", "--out", str(out)]
    result = run("archive", *given)
    assert result.exit_code != 0
    assert "order: no such" in f"{result.output}{result.exception}"
    assert not out.exists()
