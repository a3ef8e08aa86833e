"""A server for the network says where it is, as a QR code too, and what that means."""

from __future__ import annotations

import sys

import pytest

from cornered.cli.lan import EVERY_ADDRESS, invitation
from cornered.server.net.hosts import KnownHosts
from cornered.server.settings import Settings

ADDRESSES = ("http://192.168.1.20:8420", "http://10.0.0.7:8420")
HALF_BLOCKS = set(" \u2580\u2584\u2588")


def drawing(lines: list[str]) -> list[str]:
    """The lines of the QR code, without their colours."""
    plain = [line.removeprefix("\033[97;40m").removesuffix("\033[0m") for line in lines]
    return [line for line in plain if set(line) <= HALF_BLOCKS]


def test_the_address_its_code_and_what_it_means_are_printed() -> None:
    first, *drawn, safety = invitation(ADDRESSES, "utf-8")
    assert first == "On the network it is at http://192.168.1.20:8420 and http://10.0.0.7:8420"
    assert drawing(drawn)
    assert len(drawing(drawn)) == len(drawn)
    assert "Anyone on this network" in safety
    assert "Nothing is encrypted" in safety
    assert "never open this port to the internet" in safety


def test_the_code_is_that_of_the_first_address() -> None:
    codes = [drawing(list(invitation([address], "utf-8"))) for address in (*ADDRESSES, ADDRESSES[0])]
    assert codes[0] == codes[2] != codes[1]
    # A light frame of four modules, two a line, is around the code, as the standard asks.
    assert all(set(line) == {"\u2588"} for line in codes[0][:2])
    assert all(line.startswith("\u2588" * 4) for line in codes[0][:-1])


def test_a_terminal_without_block_characters_gets_the_address_alone() -> None:
    said = list(invitation(ADDRESSES, "ascii"))
    assert said[1] == "There is no QR code: this terminal shows no block characters."
    assert len(said) == 3


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "segno", None)
    said = list(invitation(ADDRESSES, "utf-8"))
    assert said[1] == "There is no QR code: this needs segno, which is not installed: pip install 'cornered[server]'"
    assert len(said) == 3


def test_a_machine_without_a_network_says_so() -> None:
    assert list(invitation([], "utf-8")) == [
        "This machine has no address on a network. Connect it to one, then start the server again."
    ]


def test_its_addresses_are_answered() -> None:
    hosts = KnownHosts.of(Settings(host=EVERY_ADDRESS), "fox")
    assert all(hosts.knows(address.removeprefix("http://")) for address in (*ADDRESSES, "http://fox.local:8420"))
    assert not hosts.knows("rebound.example:8420")
