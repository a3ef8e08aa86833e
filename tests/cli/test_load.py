"""`cornered bench load` asks before it loads a server that it did not start, and says which option is wrong."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tests.cli.conftest import run


@pytest.fixture
def address() -> Iterator[str]:
    """The address of something that listens, and is no server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}"


def test_a_given_server_is_loaded_only_after_yes_and_enter_is_no_consent(address: str) -> None:
    for typed in ("n\n", "\n"):
        result = run("bench", "load", "--server", address, typed=typed)
        assert result.exit_code == 2
        assert f"This is a load test: 100 connections and 500 moves a second at {address}" in result.output
        assert "Do you own it?" in result.output
        assert "a load test is for servers that you own" in result.output


def test_a_script_without_yes_is_refused_with_advice(address: str) -> None:
    result = run("bench", "load", "watch", "--server", address, "--server", address)
    assert result.exit_code == 2
    assert f"1,002 connections and 20 moves a second at {address} and {address}" in result.output
    assert "add --yes in a script" in result.output


def test_a_process_that_is_none_is_named(address: str) -> None:
    result = run("bench", "load", "--server", address, "--yes", "--pid", "99999999")
    assert (result.exit_code, "there is no process 99999999" in result.output) == (2, True)
