"""`cornered bench load` asks before it loads a server that it did not start, and says which option is wrong."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from cornered.cli.main import app


@pytest.fixture
def address() -> Iterator[str]:
    """The address of something that listens, and is no server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}"


def test_a_given_server_is_loaded_only_after_yes(address: str) -> None:
    result = CliRunner().invoke(app, ["bench", "load", "--server", address], input="n\n")
    assert result.exit_code == 2
    assert f"This is a load test: 100 connections and 500 moves a second at {address}" in result.output
    assert "Do you own it?" in result.output
    assert "a load test is for servers that you own" in result.output


def test_enter_is_no_consent(address: str) -> None:
    result = CliRunner().invoke(app, ["bench", "load", "--server", address], input="\n")
    assert (result.exit_code, "for servers that you own" in result.output) == (2, True)


def test_a_script_without_yes_is_refused_with_advice(address: str) -> None:
    result = CliRunner().invoke(app, ["bench", "load", "watch", "--server", address, "--server", address], input="")
    assert result.exit_code == 2
    assert f"1,002 connections and 20 moves a second at {address} and {address}" in result.output
    assert "add --yes in a script" in result.output


WRONG = {
    "a profile that is none": (["nosuch"], "a profile is one of play, watch, idle, capacity, not 'nosuch'"),
    "a place that is none": (["--place", "here"], "a place is one of any, same, different, not 'here'"),
    "a store that is none": (["--store", "mysql"], "a store is one of sqlite, postgresql, not 'mysql'"),
    "a game that is none": (["--game", "chess"], "there is no game 'chess'"),
    "no server there": (["--server", "ws://127.0.0.1:1", "--yes"], "no server listens at ws://127.0.0.1:1"),
    "no address": (["--server", "nowhere", "--yes"], "a server's address looks like http://host:port"),
    "a store of a given server": (
        ["--store", "sqlite", "--server", "ws://127.0.0.1:1"],
        "those of --server have theirs",
    ),
    "processes of no given server": (["--pid", "1"], "--pid names processes of the servers that --server gives"),
    "more bots than pairs": (["--pairs", "2", "--bot-pairs", "3"], "--bot-pairs 3 are more than the 2 pairs"),
    "fewer matches than pairs": (["--pairs", "5", "--matches", "3"], "leaves some of the 5 pairs without a match"),
    "a match that nobody watches": (["watch", "--watchers", "0"], "watch needs --watchers"),
    "no idle connections": (["idle", "--idle", "0"], "idle needs --idle"),
    "a match longer than the server allows": (
        ["watch", "--rate", "100", "--seconds", "200"],
        "a match ends after 10,000 moves",
    ),
    "more sockets than files": (["idle", "--idle", "100000000"], "open files"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_option_is_one_line(name: str, compiled: None) -> None:
    arguments, message = WRONG[name]
    result = CliRunner().invoke(app, ["bench", "load", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_a_process_that_is_none_is_named(address: str) -> None:
    result = CliRunner().invoke(app, ["bench", "load", "--server", address, "--yes", "--pid", "99999999"])
    assert (result.exit_code, "there is no process 99999999" in result.output) == (2, True)


def test_growth_wants_a_store_that_there_is() -> None:
    result = CliRunner().invoke(app, ["bench", "growth", "--store", "mysql"])
    assert (result.exit_code, "a store is one of sqlite, postgresql" in result.output) == (2, True)
