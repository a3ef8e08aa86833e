"""Every broken build is caught, by the check that is there for it."""

from __future__ import annotations

import pytest

from cornered.bench.faults.broken import BUILDS
from cornered.bench.faults.campaign import Plan
from cornered.bench.faults.report import lines
from tests.faults.test_campaign import carry_out

SEED_ALONE = 49
"""Kills the node twice, for 4.7 s each: longer than what a clock may be charged for an outage."""


@pytest.mark.campaign
@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.parametrize("name", BUILDS)
def test_a_broken_build_is_caught(name: str, *, is_long: bool) -> None:
    build = BUILDS[name]
    is_alone = build.nodes == 1
    seconds, faults, seed = (8.0, 6, SEED_ALONE) if is_alone else (14.0, 3, 3)
    plan = Plan(
        seconds * (2 if is_long else 1),
        faults,
        seed=seed,
        nodes=build.nodes,
        is_postgres=not is_alone,
        has_broker=not is_alone,
        pairs=3 if is_alone else 8,
        watchers=0,
        settle_s=2.0,
        kinds=build.kinds,
        build=name,
    )
    campaign = carry_out(plan)
    found = {violation.check for violation in campaign.violations}
    assert build.check in found, "\n".join(lines(campaign))
