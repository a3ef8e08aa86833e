"""Settings of a server that the measurements start themselves: its limits on strangers would be what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["RAISED_LIMITS", "environment"]

RAISED_LIMITS: Final[Mapping[str, float]] = {
    "max_per_address": 100_000,
    "max_connections": 100_000,
    "message_rate": 1e9,
    "message_burst": 1e9,
    "address_rate": 1e9,
    "address_burst": 1e9,
    "server_rate": 1e9,
    "server_burst": 1e9,
    "arrival_rate": 1e9,
    "arrival_burst": 1e9,
    "guest_rate": 1e9,
    "guest_burst": 1e9,
    "max_seeks": 100_000,
    "max_seeks_per_address": 100_000,
    "max_challenges": 100_000,
    "max_challenges_per_address": 100_000,
    "max_matches_per_player": 100_000,
    "max_matches_per_address": 100_000,
    "max_pool_entries": 100_000,
    "max_pool_entries_per_address": 100_000,
}
"""By the names of `cornered.server.settings.Settings`."""


def environment() -> dict[str, str]:
    """Return the raised limits as environment variables of a server process."""
    return {f"CORNERED_{name.upper()}": str(value) for name, value in RAISED_LIMITS.items()}
