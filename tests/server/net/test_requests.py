"""Which requests are answered: one spelling of each path, known hosts, two methods."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.http11 import Request

from cornered.server.net.hosts import KnownHosts
from cornered.server.net.requests import accepts_gzip, canonical_path, refusal_of

HOSTS = KnownHosts(["play.example"])


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/", "/"),
        ("/?guest", "/"),
        ("/?next=//a/../b%2f", "/"),
        ("/ws", "/ws"),
        ("/metrics", "/metrics"),
        ("/metrics?x=/y", "/metrics"),
        ("/main.js", "/main.js"),
        ("/matches/A-b_9.jsonl", "/matches/A-b_9.jsonl"),
        ("/...", "/..."),
        ("/.well-known/x", "/.well-known/x"),
    ],
)
def test_the_canonical_spelling_of_a_path_is_the_path(target: str, path: str) -> None:
    assert canonical_path(target) == path


@pytest.mark.parametrize(
    "target",
    [
        "",
        "*",
        "metrics",
        "//metrics",
        "//a/metrics",
        "//evil.example/metrics",
        "/metrics/",
        "/%6detrics",
        "/%2e/metrics",
        "/./metrics",
        "/x/../metrics",
        "/../metrics",
        "/metrics/.",
        "/metrics/..",
        "/metrics;x",
        "/metrics%3fx",
        "/metrics#x",
        "/metrics%00",
        "/metrics\x00",
        "/metrics\\",
        "\\metrics",
        "/x\\..\\metrics",
        "/METRICS%20",
        "/metrics ",
        "/metrics\n",
        "/m\u00e9trics",
        "http://localhost/metrics",
        "http://localhost//metrics",
        "localhost:8420",
        "//[",
        "http://[",
    ],
)
def test_every_other_spelling_is_refused(target: str) -> None:
    assert canonical_path(target) is None


@st.composite
def respelled(draw: st.DrawFn) -> str:
    """Return a path that many servers and proxies treat as /metrics."""
    letters = [draw(st.sampled_from([c, f"%{ord(c):02x}", f"%{ord(c):02X}", f"%25{ord(c):02x}"])) for c in "metrics"]
    before = draw(st.sampled_from(["/", "//", "/./", "/x/../", "/%2e/", "//h/../", "\\", "http://h/", "//h/"]))
    after = draw(st.sampled_from(["", "/", "//", "/.", "/x/..", "%20", "%00", ";a", "#a", "?a", "\\"]))
    return before + "".join(letters) + after


@given(respelled())
def test_no_respelling_of_a_path_reaches_it(target: str) -> None:
    path = canonical_path(target)
    assert path is None or target in ("/metrics", "/metrics?a")


@given(st.text(st.sampled_from("/.%2eEaZ~_-\\?#;:@[ \n\x00é5c")))
def test_a_path_that_is_answered_stays_what_it_is_when_it_is_normalised(target: str) -> None:
    path = canonical_path(target)
    if path is not None:
        assert path == target.split("?")[0]
        assert unquote(path) == path == posixpath.normpath(path)
        assert not set(path) & set("\\%?#;\x00\n ")


def asked(method: str = "GET", path: str = "/", *hosts: str, protocol: str = "HTTP/1.1") -> int | None:
    refusal = refusal_of(Request(path, Headers([("Host", host) for host in hosts]), method, protocol), HOSTS)
    return None if refusal is None else refusal.status_code


def test_a_request_in_order_is_not_refused() -> None:
    assert asked("GET", "/", "play.example:8420") is None
    assert asked("HEAD", "/main.js", "127.0.0.1") is None


@pytest.mark.parametrize("method", ["POST", "PUT", "OPTIONS", "DELETE", "TRACE", "CONNECT", "PATCH", "get", "BREW"])
def test_other_methods_are_refused_whatever_they_ask_for(method: str) -> None:
    assert asked(method, "*", "play.example") == 405


def test_a_request_names_one_host_and_only_old_clients_none() -> None:
    assert asked("GET", "/") == 400
    assert asked("GET", "/", "play.example", "play.example") == 400
    assert asked("GET", "/", protocol="HTTP/1.0") is None


def test_an_unknown_host_is_misdirected_and_learns_which_setting_names_it() -> None:
    assert asked("GET", "/", "evil.example") == 421
    refusal = refusal_of(Request("/", Headers([("Host", "evil.example")]), "GET"), HOSTS)
    assert refusal is not None
    assert b"CORNERED_HOSTS" in refusal.body


def test_a_path_out_of_form_is_refused_in_words() -> None:
    assert asked("GET", "//a/metrics", "play.example") == 400


@pytest.mark.parametrize(
    ("accept_encoding", "is_accepted"),
    [
        ("", False),
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("gzip ; q=0.001", True),
        ("*", True),
        ("identity, *;q=0.5", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000, *", False),
        ("*;q=0", False),
        ("identity;q=1, gzip;q=0.5", False),
        ("identity;q=0.5, gzip;q=1", True),
        ("deflate, br", False),
        ("gzipped", False),
        ("gzip;q=2", False),
        ("gzip;q=high", False),
        (";", False),
    ],
)
def test_gzip_is_sent_to_those_who_accept_it(accept_encoding: str, is_accepted: bool) -> None:
    assert accepts_gzip(accept_encoding) is is_accepted
