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


WRONG = (
    ("nosuch", "a profile is one of play, watch, idle, capacity, not 'nosuch'"),
    ("--place here", "a place is one of any, same, different, not 'here'"),
    ("--store mysql", "a store is one of sqlite, postgresql, not 'mysql'"),
    ("--game chess", "there is no game 'chess'"),
    ("--server ws://127.0.0.1:1 --yes", "no server listens at ws://127.0.0.1:1"),
    ("--server nowhere --yes", "a server's address looks like http://host:port"),
    ("--store sqlite --server ws://127.0.0.1:1", "those of --server have theirs"),
    ("--pid 1", "--pid names processes of the servers that --server gives"),
    ("--pairs 2 --bot-pairs 3", "--bot-pairs 3 are more than the 2 pairs"),
    ("--pairs 5 --matches 3", "leaves some of the 5 pairs without a match"),
    ("watch --watchers 0", "watch needs --watchers"),
    ("idle --idle 0", "idle needs --idle"),
    ("watch --rate 100 --seconds 200", "a match ends after 10,000 moves"),
    ("idle --idle 100000000", "open files"),
)


def test_a_wrong_option_is_one_line(compiled: None, subtests: pytest.Subtests) -> None:
    for options, message in WRONG:
        with subtests.test(options):
            result = run("bench", "load", *options.split())
            assert result.exit_code == 2
            assert message in result.output
            assert len(result.output.strip().splitlines()) == 1


def test_a_process_and_a_store_that_are_none_are_named(address: str) -> None:
    wrong_process = run("bench", "load", "--server", address, "--yes", "--pid", "99999999")
    assert (wrong_process.exit_code, "there is no process 99999999" in wrong_process.output) == (2, True)
    wrong_store = run("bench", "growth", "--store", "mysql")
    assert (wrong_store.exit_code, "a store is one of sqlite, postgresql" in wrong_store.output) == (2, True)
