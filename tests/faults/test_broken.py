"""Every broken build is caught, by the check that is there for it."""

from __future__ import annotations

import pytest

from cornered.bench.faults.broken import BUILDS
from cornered.bench.faults.campaign import Plan
from cornered.bench.faults.report import lines
from tests.faults.test_campaign import carry_out


@pytest.mark.campaign
@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.parametrize("name", BUILDS)
def test_a_broken_build_is_caught(name: str) -> None:
    is_alone = BUILDS[name].nodes == 1
    plan = Plan(
        12.0 if is_alone else 24.0,
        8 if is_alone else 4,
        seed=3,
        nodes=BUILDS[name].nodes,
        is_postgres=not is_alone,
        has_broker=not is_alone,
        pairs=3,
        watchers=0,
        settle_s=5.0,
        kinds=BUILDS[name].kinds,
        build=name,
    )
    campaign = carry_out(plan)
    found = {violation.check for violation in campaign.violations}
    assert BUILDS[name].check in found, "\n".join(lines(campaign))
