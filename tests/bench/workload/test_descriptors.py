"""What many sockets need is checked before any is opened, and explained."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from cornered.bench.workload.descriptors import (
    PORTS_PER_ADDRESS,
    is_loopback,
    local_address,
    raise_limit,
    require_ports,
)


def test_more_sockets_than_the_hard_limit_are_refused_with_advice() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this system has no hard limit")
    with pytest.raises(ValueError, match=r"the server needs .* open files, .* raise the hard limit \(ulimit -Hn"):
        raise_limit(hard, "the server")


def test_the_soft_limit_is_raised_as_far_as_needed() -> None:
    code = (
        "import resource; from cornered.bench.workload.descriptors import raise_limit\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))\n"
        "raise_limit(500, 'this'); print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) >= 500


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("ws://127.0.0.1:8420", True),
        ("http://localhost:1", True),
        ("ws://[::1]:8420/ws", True),
        ("ws://127.3.2.1:8420", True),
        ("wss://play.example.org", False),
        ("ws://192.168.0.7:8420", False),
    ],
)
def test_loopback_addresses_are_known(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_sockets_beyond_the_ports_of_one_loopback_address_get_another() -> None:
    assert local_address(0, "ws://127.0.0.1:1") is None
    others = {local_address(number, "ws://127.0.0.1:1") for number in range(PORTS_PER_ADDRESS, 5 * PORTS_PER_ADDRESS)}
    assert len(others) == 4
    assert None not in others
    require_ports(100_000, ("ws://127.0.0.1:1",))


def test_more_connections_to_another_machine_than_ports_are_refused_with_advice() -> None:
    require_ports(PORTS_PER_ADDRESS, ("ws://192.0.2.1:1",))
    with pytest.raises(ValueError, match=r"net\.ipv4\.ip_local_port_range"):
        require_ports(70_000, ("ws://192.0.2.1:1",))
    require_ports(70_000, tuple(f"ws://192.0.2.{number}:1" for number in range(4)))
