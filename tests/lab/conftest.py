"""Workers for all tests that need not start or kill them: each loads its bots once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cornered.lab.execution.workforce import Workforce


@pytest.fixture(scope="session")
def workforce() -> Iterator[Workforce]:
    with Workforce.open(2) as workforce:
        yield workforce
