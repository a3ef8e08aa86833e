"""A server on every address of this machine names those that people can type."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from cornered.cli.reachable import loopback, network_addresses, reachable


@pytest.mark.parametrize(
    ("address", "found", "expected"),
    [
        ("http://127.0.0.1:8420", ["192.168.1.20"], ["http://127.0.0.1:8420"]),
        ("http://192.168.1.20:80", ["10.0.0.7"], ["http://192.168.1.20:80"]),
        ("http://0.0.0.0:8420", [], ["http://localhost:8420"]),
        (
            "http://0.0.0.0:8420",
            ["192.168.1.20", "10.0.0.7"],
            ["http://localhost:8420", "http://192.168.1.20:8420", "http://10.0.0.7:8420"],
        ),
        ("http://[::]:8420", ["fd00::7"], ["http://localhost:8420", "http://[fd00::7]:8420"]),
    ],
)
def test_a_wildcard_becomes_addresses_that_people_can_type(address: str, found: list[str], expected: list[str]) -> None:
    assert reachable(address, lambda wildcard: found) == expected


def test_connections_from_this_machine_go_to_the_loopback_interface() -> None:
    given = ("http://0.0.0.0:8420", "http://[::]:8420", f"http://{socket.gethostname()}:80", "http://192.168.1.20:8420")
    expected = ["http://127.0.0.1:8420", "http://[::1]:8420", "http://localhost:80", "http://192.168.1.20:8420"]
    assert [loopback(address) for address in given] == expected


@pytest.mark.parametrize(("wildcard", "version"), [("0.0.0.0", 4), ("::", 6)])
def test_addresses_of_the_network_are_of_the_same_version_and_not_of_this_machine_alone(
    wildcard: str, version: int
) -> None:
    found = [ip_address(one) for one in network_addresses(wildcard)]
    assert all(one.version == version and not one.is_loopback and not one.is_unspecified for one in found)
    assert len(set(found)) == len(found)
