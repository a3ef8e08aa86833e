"""The hosts that a server answers for, as protection against DNS rebinding."""

from __future__ import annotations

from typing import Any

from cornered.server.net.hosts import KnownHosts
from cornered.server.settings import MEMORY_DATABASE, Settings


def hosts(machine: str = "teacher-laptop", **given: Any) -> KnownHosts:
    return KnownHosts.of(Settings(database=MEMORY_DATABASE, **given), machine)


def test_this_machines_names_and_all_addresses_are_known_and_no_other_host() -> None:
    text = """localhost localhost:8420 LOCALHOST. 127.0.0.1 127.0.0.1:80 [::1]:8420 192.168.1.17:8420 8.8.8.8
        [2001:db8::7] teacher-laptop:8420 Teacher-Laptop.local:8420 teacher-laptop.lan"""
    names = text.split()
    known = hosts(host="0.0.0.0")
    assert [name for name in names if not known.knows(name)] == []
    text = """evil.example evil.example:8420 localhost.evil.example 127.0.0.1.evil.example
        teacher-laptop.evil.example 127.0.0.1@evil.example localhost,evil.example localhost:evil localhost:8420:1 [evil]
        [::1 ::1 : :8420 ."""
    others = text.split()
    others += ["", "localhost evil.example", "x" * 10_000]
    assert [name for name in others if hosts().knows(name)] == []


def test_settings_add_hosts_and_so_do_origins_and_the_name_to_listen_on() -> None:
    known = hosts(host="games.school", hosts="Play.Example, other.example.", origins="https://site.example:8443,x://[")
    for host in ("games.school", "play.example:443", "other.example", "site.example"):
        assert known.knows(host), host
    assert not known.knows("example")


def test_a_machine_is_known_by_its_full_name_and_its_short_one_and_without_a_name_by_none() -> None:
    known = hosts("pc7.school.example")
    assert known.knows("pc7.school.example")
    assert known.knows("pc7")
    assert known.knows("pc7.local")
    assert not known.knows("school.example")
    assert not hosts("").knows(".local")
