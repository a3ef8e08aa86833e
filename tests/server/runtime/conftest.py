"""Nodes of one lobby, of which the first, `a`, owns the lobby and every match."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.server.lobby_nodes import Cluster, cluster


@pytest.fixture
async def two() -> AsyncIterator[Cluster]:
    async with cluster("a", "b") as made:
        yield made


@pytest.fixture
async def three() -> AsyncIterator[Cluster]:
    async with cluster("a", "b", "c") as made:
        yield made
