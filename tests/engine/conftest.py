"""Compiled kernels for all tests of the engine."""

from __future__ import annotations

import pytest

from cornered.engine.warming import warm


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    warm()
