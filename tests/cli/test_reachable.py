"""A server on every address of this machine names those that people can type."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from cornered.cli.reachable import loopback, network_addresses, reachable


def test_a_wildcard_becomes_addresses_that_people_can_type() -> None:
    local = "http://localhost:8420"
    found = ["192.168.1.20", "10.0.0.7"]
    assert reachable("http://127.0.0.1:8420", lambda _: found) == ["http://127.0.0.1:8420"]
    assert reachable("http://192.168.1.20:80", lambda _: ["10.0.0.7"]) == ["http://192.168.1.20:80"]
    assert reachable("http://0.0.0.0:8420", lambda _: []) == [local]
    assert reachable("http://0.0.0.0:8420", lambda _: found) == [local, *(f"http://{one}:8420" for one in found)]
    assert reachable("http://[::]:8420", lambda _: ["fd00::7"]) == [local, "http://[fd00::7]:8420"]


def test_connections_from_this_machine_go_to_the_loopback_interface() -> None:
    given = ("http://0.0.0.0:8420", "http://[::]:8420", f"http://{socket.gethostname()}:80", "http://192.168.1.20:8420")
    expected = ["http://127.0.0.1:8420", "http://[::1]:8420", "http://localhost:80", "http://192.168.1.20:8420"]
    assert [loopback(address) for address in given] == expected


def test_addresses_of_the_network_are_of_the_same_version_and_not_of_this_machine_alone() -> None:
    for wildcard, version in (("0.0.0.0", 4), ("::", 6)):
        found = [ip_address(one) for one in network_addresses(wildcard)]
        assert all(one.version == version and not one.is_loopback and not one.is_unspecified for one in found)
        assert len(set(found)) == len(found)
