"""The search for the capacity, and what a phase says about its figures."""

from __future__ import annotations

import asyncio
import json

import pytest

from cornered.bench.workload.plan import TrialResult
from cornered.bench.workload.profiles import LEAST_RATE, MAX_PROBES, PRECISION, highest_rate
from cornered.bench.workload.report import LoadReport, Machine, Phase, lines


@pytest.mark.parametrize("capacity", [25.0, 400.0, 500.0, 1_234.0, 7_000.0])
async def test_the_search_finds_the_capacity_from_below(capacity: float) -> None:
    probes: list[float] = []

    async def passes(rate: float) -> bool:
        probes.append(rate)
        return rate <= capacity

    found = await highest_rate(passes, asyncio.Event())
    assert capacity / PRECISION / 1.01 <= found <= capacity
    assert len(probes) <= MAX_PROBES
    assert min(probes) >= LEAST_RATE


async def test_the_search_ends_where_no_rate_passes() -> None:
    async def passes(rate: float) -> bool:
        assert rate >= LEAST_RATE
        return False

    assert await highest_rate(passes, asyncio.Event()) == 0.0


async def test_an_interrupted_search_keeps_what_passed() -> None:
    ended = asyncio.Event()

    async def passes(rate: float) -> bool:
        if rate > 1_000:
            ended.set()
        return True

    assert await highest_rate(passes, ended) == 1_000.0


def phase(*, latency: float = 0.010, late: float = 0.0, generator_cpu: float = 1.0, count: int = 1_000) -> Phase:
    result = TrialResult(seconds=10.0, due=count, in_time=count, made=count)
    for _ in range(count):
        result.acknowledged.record(latency)
        result.late.record(late)
    return Phase("this server", 100.0, result, cpu={"server": 0.5}, generator_cpu=[generator_cpu])


def test_costs_are_those_of_the_moves_in_the_measured_time() -> None:
    one = phase()
    assert one.per_second == 100
    assert one.cpu_us("server") == 500
    assert one.moves_per_core_second == 2_000


def test_a_generator_that_was_late_itself_says_so() -> None:
    assert phase().generator_limit == ""
    assert "late itself" in phase(late=0.005).generator_limit
    assert phase(late=0.005, latency=1.0).generator_limit == ""
    assert phase(late=0.001).generator_limit == ""


def test_a_generator_without_cpu_left_says_so() -> None:
    assert "use more --workers" in phase(generator_cpu=9.5).generator_limit


def test_refusals_and_lost_connections_fail_a_run_and_are_told() -> None:
    report = LoadReport("play", "", Machine.present(), ["ws://a"], [phase()])
    assert not report.has_failed
    report.phases[0].result.refused["too_fast"] = 3
    report.phases[0].result.connections_lost = 2
    assert report.has_failed
    text = "\n".join(lines(report))
    assert "3 moves refused: too_fast" in text
    assert "2 connections were lost" in text


def test_results_of_processes_add_up_and_survive_json() -> None:
    one, other = phase().result, phase(latency=0.1).result
    one.refused["busy"] = 1
    other.refused["busy"] = 2
    one.add(TrialResult.from_json(json.loads(json.dumps(other.to_json()))))
    assert (one.due, one.acknowledged.count, one.refused["busy"]) == (2_000, 2_000, 3)
    assert one.acknowledged.max == pytest.approx(0.1)
    assert one.seconds == 10.0
