"""What thousands of sockets need of the system: file descriptors, and ports of the local addresses."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cornered.server.open_files import allow_open_files

__all__ = ["PORTS_PER_ADDRESS", "is_loopback", "local_address", "raise_limit", "require_ports"]

SPARE: Final = 200
"""Descriptors beside the sockets: libraries, pipes, the database."""
PORTS_PER_ADDRESS: Final = 20_000
"""Connections from one loopback address, below the 28,232 ephemeral ports that Linux offers by default."""
_PORT_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_DEFAULT_PORTS: Final = (49_152, 65_535)
"""The range of RFC 6335, where the system does not tell its own."""


def raise_limit(sockets: int, who: str) -> None:
    """Let this process and its children open `sockets` sockets each. Raises ValueError where the system forbids it."""
    needed = sockets + SPARE
    if (limit := allow_open_files(needed)) < needed:
        raise ValueError(
            f"{who} needs {needed:,} open files, and this system allows a process {limit:,}: raise the hard limit "
            "(ulimit -Hn, LimitNOFILE of a systemd unit, /etc/security/limits.conf), or ask for fewer sockets"
        )


def is_loopback(address: str) -> bool:
    """Return whether a server's address is this machine's loopback interface."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def local_address(number: int, address: str) -> str | None:
    """Return the loopback address for the client socket `number`, None where the system chooses.

    On Linux all of 127.0.0.0/8 is this machine's, each address with ports of its own.
    """
    host = urlsplit(address).hostname or ""
    if number < PORTS_PER_ADDRESS or sys.platform != "linux" or not host.startswith("127."):
        return None
    return f"127.0.1.{number // PORTS_PER_ADDRESS}"


def require_ports(sockets: int, addresses: tuple[str, ...]) -> None:
    """Raise a ValueError where one of the servers gets more connections than this machine has ports for it."""
    each = -(-sockets // len(addresses))
    if each <= PORTS_PER_ADDRESS or all(local_address(each, address) for address in addresses):
        return
    low, high = _port_range()
    if each > high - low + 1:
        raise ValueError(
            f"{each:,} connections to one address need more than this machine's {high - low + 1:,} ports "
            "(net.ipv4.ip_local_port_range): give more of the server's addresses with --server, or use more machines"
        )


def _port_range() -> tuple[int, int]:
    try:
        low, high = map(int, _PORT_RANGE.read_text(encoding="utf-8").split())
    except (OSError, ValueError):
        return _DEFAULT_PORTS
    return low, high
