"""A visitor's address behind proxies, and the network by which its limits are counted."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from websockets.datastructures import Headers
from websockets.http11 import Request

from cornered.server.net.visitors import Visitors, client_address, rate_limit_key

PROXIES = [ip_network("10.0.0.0/8"), ip_network("::1/128"), ip_network("fd00::/8")]


ADDRESSES: Final = """
    10.0.0.1 | 203.0.113.9 | 203.0.113.9
    10.0.0.1 | 203.0.113.9:51234 | 203.0.113.9
    10.0.0.1 | "203.0.113.9:51234" | 203.0.113.9
    10.0.0.1 | 2001:db8::9 | 2001:db8::9
    10.0.0.1 | [2001:db8::9] | 2001:db8::9
    10.0.0.1 | [2001:db8::9]:443 | 2001:db8::9
    10.0.0.1 | "[2001:db8::9]:443" | 2001:db8::9
    10.0.0.1 | ::ffff:203.0.113.9 | 203.0.113.9
    10.0.0.1 | [::ffff:203.0.113.9]:80 | 203.0.113.9
    10.0.0.1 | fe80::1%eth0 | fe80::1
    ::ffff:10.0.0.1 | 203.0.113.9 | 203.0.113.9
    ::1 | 203.0.113.9 | 203.0.113.9
    # Only addresses added by known proxies count, from the last one back.
    10.0.0.1 | 198.51.100.1, 203.0.113.9 | 203.0.113.9
    10.0.0.1 | 203.0.113.9,10.0.0.2:80 , [fd00::1]:443 | 203.0.113.9
    10.0.0.1 | 10.0.0.3, 10.0.0.2 | 10.0.0.3
    # A client's own entry does not count, and an invalid address ends the list.
    198.51.100.7 | 203.0.113.9 | 198.51.100.7
    ::ffff:198.51.100.7 | 203.0.113.9 | 198.51.100.7
    10.0.0.1 | | 10.0.0.1
    10.0.0.1 | 203.0.113.9, unknown | 10.0.0.1
    10.0.0.1 | 203.0.113.9, _hidden, 10.0.0.2 | 10.0.0.2
    10.0.0.1 | 203.0.113.9:x | 10.0.0.1
    10.0.0.1 | 203.0.113.9:999999 | 10.0.0.1
    10.0.0.1 | [] | 10.0.0.1
    10.0.0.1 | 203.0.113 | 10.0.0.1
    | 203.0.113.9 |
    nonsense | 203.0.113.9 | nonsense
"""
"""Addresses of peers, fields X-Forwarded-For, and the addresses of the visitors."""


def test_the_last_address_that_proxies_vouch_for_is_the_visitors() -> None:
    rows = [line.split("|") for line in ADDRESSES.strip().splitlines() if "|" in line]
    found = [(peer, forwarded, client_address(peer.strip(), forwarded.strip(), PROXIES)) for peer, forwarded, _ in rows]
    assert found == [(peer, forwarded, address.strip()) for peer, forwarded, address in rows]
    assert client_address("10.0.0.1", "203.0.113.9", []) == "10.0.0.1", "without proxies the peer is the visitor"


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


def test_an_ipv6_address_counts_by_its_network_of_64_bits() -> None:
    keys = {
        "203.0.113.9": "203.0.113.9",
        "::ffff:203.0.113.9": "203.0.113.9",
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "2001:db8:1:2::": "2001:db8:1:2::/64",
        "2001:db8:1:3::1": "2001:db8:1:3::/64",
        "::1": "::/64",
        "": "",
        "unknown": "unknown",
    }
    assert {address: rate_limit_key(address) for address in keys} == keys


def request(**fields: str) -> Request:
    return Request("/", Headers([(name.replace("_", "-"), value) for name, value in fields.items()]))


def test_only_an_unforwarded_request_from_this_machine_is_local() -> None:
    visitors = Visitors([ip_network("127.0.0.0/8")])

    def found(peer: str, **fields: str) -> tuple[str, bool, bool]:
        visitor = visitors.of(peer, request(**fields))
        return visitor.address, visitor.is_direct, visitor.is_local

    assert found("127.0.0.1") == found("::ffff:127.0.0.1") == ("127.0.0.1", True, True)
    assert found("::1") == ("::1", True, True)
    assert found("198.51.100.7") == ("198.51.100.7", True, False)
    assert found("") == ("", True, False)
    assert found("127.0.0.1", X_Forwarded_For="203.0.113.9") == ("203.0.113.9", False, False)
    local = {"X_Forwarded_For": "127.0.0.1", "Forwarded": "for=127.0.0.1", "X_Real_IP": "127.0.0.1", "Via": "1.1 proxy"}
    for name, value in local.items():
        assert found("127.0.0.1", **{name: value}) == ("127.0.0.1", False, False), name


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
