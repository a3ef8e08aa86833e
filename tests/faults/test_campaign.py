"""Campaigns on real processes: every kind of fault, and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cornered.bench.faults.campaign import Campaign, Plan, run
from cornered.bench.faults.report import lines, write
from cornered.bench.faults.schedule import KINDS
from cornered.services.service import NotInstalled
from tests.conftest import IN_CI

SHORT = (20.0, 22)
"""Seconds, and faults: every kind once."""
LONG = (360.0, 210)
LEAST_MOVES_PER_S = 5
REPORTS = Path(__file__).parents[2] / "faults-report"


def carry_out(plan: Plan) -> Campaign:
    """Run a campaign; where a program is missing skip the test, in CI fail it."""
    try:
        return run(plan, lambda text: None)
    except NotInstalled as error:
        if IN_CI:
            raise
        pytest.skip(str(error))


@pytest.mark.campaign
def test_an_interrupted_campaign_checks_what_was() -> None:
    command = [sys.executable, "-m", "cornered", "bench", "faults", "--minutes", "5", "--pairs", "2"]
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(
            [*command, "--out", folder, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            assert process.stderr is not None
            assert process.stdout is not None
            while "moves acknowledged" not in (line := process.stderr.readline()):
                if "not installed" in line and not IN_CI:
                    pytest.skip(line)
                assert line, "the campaign has ended"
            process.send_signal(signal.SIGINT)
            report = json.loads(process.stdout.read())
            process.stderr.read()
        assert process.returncode == 130
        assert json.loads((Path(folder) / "report.json").read_text())["plan"] == report["plan"]
    assert report["was_interrupted"]
    assert 0 < len(report["faults"]) < len(report["schedule"]) == 200
    assert report["violations_total"] == 0


@pytest.mark.campaign
@pytest.mark.mqtt
@pytest.mark.parametrize("nodes", [1, pytest.param(2, marks=pytest.mark.postgres)])
def test_nothing_is_lost_by_faults(nodes: int, *, is_long: bool) -> None:
    seconds, faults = LONG if is_long else SHORT
    for is_postgres in (False, True) if nodes == 1 and is_long else (nodes > 1,):
        campaign = carry_out(Plan(seconds, faults, seed=4, nodes=nodes, is_postgres=is_postgres, pairs=4, watchers=1))
        if campaign.violations:
            write(campaign, REPORTS)
        assert not campaign.violations, "\n".join(lines(campaign))
        kinds = set(campaign.figures.faults)
        assert kinds >= set(KINDS) - ({"disk"} if is_postgres else {"kill database", "pause database"})
        assert campaign.figures.acknowledged > seconds * LEAST_MOVES_PER_S
        assert campaign.figures.refunds > 0
        assert campaign.figures.repeated > 0
        if nodes > 1:
            assert campaign.take_overs
