"""The limit of open files, of which every socket is one. Many systems start programs with 1,024."""

from __future__ import annotations

import sys
from typing import Final

from cornered.server.settings import Settings

__all__ = ["RESERVE", "allow_open_files", "fitted"]

RESERVE: Final = 512
"""Open files beside the connections: the page's, the store's, other processes', and sockets that are being refused."""


def allow_open_files(wanted: int) -> int:
    """Let this process and its children open `wanted` files, or as many as the system lets it; return the limit.

    A limit that is higher already stays.
    """
    if sys.platform == "win32":
        # Its sockets are not files, and have no such limit.
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return sys.maxsize
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if limit > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return max(soft, limit)


def fitted(settings: Settings, limit: int) -> Settings:
    """Return the settings with no more connections than a process of `limit` open files can have, nor one address.

    A quarter of the connections stays for other addresses: one of them cannot take the server away.
    """
    room = max(1, limit - RESERVE, limit // 2)
    if room >= settings.max_connections:
        return settings
    shared = max(1, room * 3 // 4)
    return settings.model_copy(
        update={"max_connections": room, "max_per_address": min(settings.max_per_address, shared)}
    )
