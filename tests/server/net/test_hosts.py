"""The hosts that a server answers for, as protection against DNS rebinding."""

from __future__ import annotations

from typing import Any

import pytest

from cornered.server.net.hosts import KnownHosts
from cornered.server.settings import MEMORY_DATABASE, Settings


def hosts(machine: str = "teacher-laptop", **given: Any) -> KnownHosts:
    return KnownHosts.of(Settings(database=MEMORY_DATABASE, **given), machine)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8420",
        "LOCALHOST.",
        "127.0.0.1",
        "127.0.0.1:80",
        "[::1]:8420",
        "192.168.1.17:8420",
        "8.8.8.8",
        "[2001:db8::7]",
        "teacher-laptop:8420",
        "Teacher-Laptop.local:8420",
        "teacher-laptop.lan",
    ],
)
def test_this_machines_names_and_all_addresses_are_known(host: str) -> None:
    assert hosts(host="0.0.0.0").knows(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8420",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "teacher-laptop.evil.example",
        "127.0.0.1@evil.example",
        "localhost evil.example",
        "localhost,evil.example",
        "localhost:evil",
        "localhost:8420:1",
        "[evil]",
        "[::1",
        "::1",
        "",
        ":",
        ":8420",
        ".",
        "x" * 10_000,
    ],
)
def test_every_other_host_is_unknown(host: str) -> None:
    assert not hosts().knows(host)


def test_settings_add_hosts_and_so_do_origins_and_the_name_to_listen_on() -> None:
    known = hosts(host="games.school", hosts="Play.Example, other.example.", origins="https://site.example:8443,x://[")
    for host in ("games.school", "play.example:443", "other.example", "site.example"):
        assert known.knows(host), host
    assert not known.knows("example")


def test_a_machine_with_a_full_name_is_known_by_it_and_by_its_short_one() -> None:
    known = hosts("pc7.school.example")
    assert known.knows("pc7.school.example")
    assert known.knows("pc7")
    assert known.knows("pc7.local")
    assert not known.knows("school.example")


def test_a_machine_without_a_name_adds_none() -> None:
    assert not hosts("").knows(".local")
