"""A visitor's address behind proxies, and the network by which its limits are counted."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from websockets.datastructures import Headers
from websockets.http11 import Request

from cornered.server.net.visitors import Visitors, client_address, rate_limit_key

PROXIES = [ip_network("10.0.0.0/8"), ip_network("::1/128"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "203.0.113.9:51234", "203.0.113.9"),
        ("10.0.0.1", '"203.0.113.9:51234"', "203.0.113.9"),
        ("10.0.0.1", "2001:db8::9", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]:443", "2001:db8::9"),
        ("10.0.0.1", '"[2001:db8::9]:443"', "2001:db8::9"),
        ("10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "[::ffff:203.0.113.9]:80", "203.0.113.9"),
        ("10.0.0.1", "fe80::1%eth0", "fe80::1"),
        ("::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("::1", "203.0.113.9", "203.0.113.9"),
        # Only addresses added by known proxies count, from the last one back.
        ("10.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "203.0.113.9,10.0.0.2:80 , [fd00::1]:443", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        # A client's own entry does not count, and an invalid address ends the list.
        ("198.51.100.7", "203.0.113.9", "198.51.100.7"),
        ("::ffff:198.51.100.7", "203.0.113.9", "198.51.100.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.9, _hidden, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "203.0.113.9:x", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.9:999999", "10.0.0.1"),
        ("10.0.0.1", "[]", "10.0.0.1"),
        ("10.0.0.1", "203.0.113", "10.0.0.1"),
        ("", "203.0.113.9", ""),
        ("nonsense", "203.0.113.9", "nonsense"),
    ],
)
def test_the_last_address_that_proxies_vouch_for_is_the_visitors(peer: str, forwarded: str, address: str) -> None:
    assert client_address(peer, forwarded, PROXIES) == address


def test_without_proxies_the_peer_is_the_visitor() -> None:
    assert client_address("10.0.0.1", "203.0.113.9", []) == "10.0.0.1"


@given(st.ip_addresses(), st.sampled_from(["{}", "{}:80", "[{}]:80", '"{}"', '"[{}]"']))
def test_each_form_of_an_address_is_the_address(address: object, form: str) -> None:
    written = form.format(address)
    if ":80" in form and "[" not in form and ":" in str(address):
        return  # An IPv6 address with a port needs brackets.
    mapped = getattr(address, "ipv4_mapped", None)
    assert client_address("10.0.0.1", written, PROXIES[:1]) == str(mapped or address)


@given(st.text(), st.text())
def test_no_text_of_a_stranger_makes_an_error(peer: str, forwarded: str) -> None:
    assert isinstance(rate_limit_key(client_address(peer, forwarded, PROXIES)), str)
    assert isinstance(client_address("10.0.0.1", forwarded, PROXIES), str)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_an_ipv6_address_counts_by_its_network_of_64_bits(address: str, key: str) -> None:
    assert rate_limit_key(address) == key


def request(**fields: str) -> Request:
    return Request("/", Headers([(name.replace("_", "-"), value) for name, value in fields.items()]))


@pytest.mark.parametrize(
    ("peer", "fields", "address", "is_direct", "is_local"),
    [
        ("127.0.0.1", {}, "127.0.0.1", True, True),
        ("::1", {}, "::1", True, True),
        ("::ffff:127.0.0.1", {}, "127.0.0.1", True, True),
        ("198.51.100.7", {}, "198.51.100.7", True, False),
        ("127.0.0.1", {"X_Forwarded_For": "203.0.113.9"}, "203.0.113.9", False, False),
        ("127.0.0.1", {"X_Forwarded_For": "127.0.0.1"}, "127.0.0.1", False, False),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, "127.0.0.1", False, False),
        ("127.0.0.1", {"X_Real_IP": "127.0.0.1"}, "127.0.0.1", False, False),
        ("127.0.0.1", {"Via": "1.1 proxy"}, "127.0.0.1", False, False),
        ("", {}, "", True, False),
    ],
)
def test_only_an_unforwarded_request_from_this_machine_is_local(
    peer: str, fields: dict[str, str], address: str, is_direct: bool, is_local: bool
) -> None:
    visitor = Visitors([ip_network("127.0.0.0/8")]).of(peer, request(**fields))
    assert (visitor.address, visitor.is_direct, visitor.is_local) == (address, is_direct, is_local)


def test_an_unknown_proxy_is_named_once_and_only_so_many_are() -> None:
    visitors = Visitors([ip_network("10.0.0.1/32")])
    with capture_logs() as logs:
        visitors.of("10.0.0.1", request(X_Forwarded_For="203.0.113.9"))
        visitors.of("10.0.0.2", request())
        assert logs == []
        for _ in range(3):
            visitors.of("10.0.0.2", request(X_Forwarded_For="203.0.113.9"))
        assert [(one["log_level"], one["peer"]) for one in logs] == [("warning", "10.0.0.2")]
        assert "CORNERED_PROXIES" in logs[0]["event"]
        for number in range(100):
            visitors.of(f"10.0.1.{number}", request(Forwarded="for=203.0.113.9"))
    assert len(logs) == 8
