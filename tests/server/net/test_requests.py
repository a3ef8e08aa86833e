"""Which requests are answered: one spelling of each path, known hosts, two methods."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.http11 import Request

from cornered.server.net.hosts import KnownHosts
from cornered.server.net.requests import accepts_gzip, canonical_path, refusal_of

HOSTS = KnownHosts(["play.example"])


def test_only_the_canonical_spelling_of_a_path_is_the_path() -> None:
    paths = ["/", "/ws", "/metrics", "/main.js", "/matches/A-b_9.jsonl", "/...", "/.well-known/x"]
    queries = {"/?guest": "/", "/?next=//a/../b%2f": "/", "/metrics?x=/y": "/metrics"}
    spelled = dict(zip(paths, paths, strict=True)) | queries
    assert {target: canonical_path(target) for target in spelled} == spelled
    text = """* metrics //metrics //a/metrics //evil.example/metrics /metrics/ /%6detrics /%2e/metrics /./metrics
        /x/../metrics /../metrics /metrics/. /metrics/.. /metrics;x /metrics%3fx /metrics#x /metrics%00 /METRICS%20
        /m\u00e9trics http://localhost/metrics http://localhost//metrics localhost:8420 //[ http://["""
    others = text.split()
    others += ["", "/metrics\x00", "/metrics\\", "\\metrics", "/x\\..\\metrics", "/metrics ", "/metrics\n"]
    assert {target: path for target in others if (path := canonical_path(target)) is not None} == {}


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


def test_a_request_names_one_known_host_one_of_two_methods_and_a_path_in_form() -> None:
    assert asked("GET", "/", "play.example:8420") is None
    assert asked("HEAD", "/main.js", "127.0.0.1") is None
    others = ["POST", "PUT", "OPTIONS", "DELETE", "TRACE", "CONNECT", "PATCH", "get", "BREW"]
    assert {method: asked(method, "*", "play.example") for method in others} == dict.fromkeys(others, 405)
    assert asked("GET", "/") == 400
    assert asked("GET", "/", "play.example", "play.example") == 400
    assert asked("GET", "/", protocol="HTTP/1.0") is None, "only old clients name no host"
    assert asked("GET", "//a/metrics", "play.example") == 400
    assert asked("GET", "/", "evil.example") == 421
    refusal = refusal_of(Request("/", Headers([("Host", "evil.example")]), "GET"), HOSTS)
    assert refusal is not None
    assert b"CORNERED_HOSTS" in refusal.body


def test_gzip_is_sent_to_those_who_accept_it() -> None:
    accepted = """gzip|GZIP|x-gzip|gzip, deflate, br, zstd|br;q=1.0, gzip;q=0.8, *;q=0.1|gzip ; q=0.001|*|
        identity;q=0.5, gzip;q=1"""
    refused = """|identity, *;q=0.5|gzip;q=0|gzip;q=0.000, *|*;q=0|identity;q=1, gzip;q=0.5|deflate, br|gzipped|
        gzip;q=2|gzip;q=high|;"""
    for fields, is_accepted in ((accepted, True), (refused, False)):
        assert [one for one in fields.split("|") if accepts_gzip(one.strip()) is not is_accepted] == []
