"""A campaign's report as lines, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from cornered.bench.faults.campaign import Campaign
from cornered.bench.faults.history import as_json as entry_json
from cornered.bench.faults.take_overs import percentile

__all__ = ["as_json", "lines", "write"]

MAX_SHOWN: Final = 20
"""Violations that a report shows with their text; all are counted."""


def as_json(campaign: Campaign) -> dict[str, Any]:
    """Return the report as JSON-compatible values; times count from the beginning of the campaign."""
    began = campaign.began
    return {
        "plan": asdict(campaign.plan),
        "was_interrupted": campaign.was_interrupted,
        "disk": campaign.disk,
        "notes": campaign.notes,
        "figures": asdict(campaign.figures),
        "schedule": [asdict(fault) for fault in campaign.schedule],
        "faults": [
            asdict(one) | {"began": round(one.began - began, 3), "ended": round(one.ended - began, 3)}
            for one in campaign.history.faults
        ],
        "outages": [
            {"began": round(one.began - began, 3), "ended": round(one.ended - began, 3), "cause": one.cause}
            for one in campaign.history.outages
        ],
        "violations": [
            {"check": one.check, "text": one.text, "evidence": one.evidence} for one in campaign.violations[:MAX_SHOWN]
        ],
        "violations_total": len(campaign.violations),
        "take_overs": [asdict(one) | {"began": round(one.began - began, 3)} for one in campaign.take_overs],
    }


def lines(campaign: Campaign) -> Iterator[str]:
    """Yield the report; the first violation comes with its evidence."""
    plan, figures = campaign.plan, campaign.figures
    store = "PostgreSQL" if plan.is_postgres else "SQLite"
    yield (
        f"{plan.nodes} node{'s' * (plan.nodes > 1)} on {store}, seed {plan.seed}: {sum(figures.faults.values())} faults"
        f" in {campaign.history.calm_at - campaign.began:.0f} s{', interrupted' * campaign.was_interrupted}"
    )
    yield "  " + ", ".join(f"{number} {kind}" for kind, number in sorted(figures.faults.items()))
    yield (
        f"{figures.matches:,} matches, {figures.events:,} events, {figures.acknowledged:,} moves acknowledged,"
        f" {figures.connections:,} connections, {figures.repeated:,} commands repeated,"
        f" {figures.refunds:,} refunds of {figures.refunded:,.0f} s"
    )
    refused = ", ".join(f"{number} {code}" for code, number in figures.refused.items())
    yield f"refused: {refused or 'nothing'}"
    name, worst = max(figures.worst_waits.items(), key=lambda item: item[1], default=("", 0.0))
    waits = sorted(figures.worst_waits.values())
    median = waits[len(waits) // 2] if waits else 0.0
    yield f"longest wait for an answer: {worst:.1f} s ({name}); the median client's {median:.1f} s"
    for kind in sorted({one.kind for one in figures.recoveries}):
        seconds = sorted(one.seconds for one in figures.recoveries if one.kind == kind)
        yield (
            f"the next move after {kind}: {seconds[len(seconds) // 2]:.1f} s in the median, {seconds[-1]:.1f} s at most"
            f" ({len(seconds)} times)"
        )
    for which, taken in (
        ("while nothing else was broken", [one for one in campaign.take_overs if one.is_undisturbed]),
        ("with the database or all others broken too", [one for one in campaign.take_overs if not one.is_undisturbed]),
    ):
        if taken:
            half, most = percentile(taken, 0.5), percentile(taken, 0.99)
            times = f"p50 {half:.1f} s, p99 {most:.1f} s" if half is not None and most is not None else "none"
            done = sum(one.seconds is not None for one in taken)
            yield f"take-over of a killed or paused node's slots {which}: {times} ({done} of {len(taken)})"
    yield from (f"note: {note}" for note in campaign.notes)
    yield f"violations: {len(campaign.violations)}"
    for number, violation in enumerate(campaign.violations[:MAX_SHOWN]):
        yield f"    - {violation.check}: {violation.text}"
        if number == 0:
            yield from (f"        {line}" for line in violation.evidence)


def write(campaign: Campaign, folder: Path) -> None:
    """Write `report.json` and `report.md`, and all logs where there is a violation. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(as_json(campaign), indent=1) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(_markdown(campaign), encoding="utf-8")
    if not campaign.violations:
        return
    with (folder / "logs.jsonl").open("w", encoding="utf-8") as file:
        for client in campaign.history.clients:
            for entry in client.entries:
                file.write(json.dumps({"client": client.name} | entry_json(entry)) + "\n")
    with (folder / "nodes.jsonl").open("w", encoding="utf-8") as file:
        for node, logged in campaign.node_logs.items():
            for line in logged:
                file.write(json.dumps({"node": node} | line) + "\n")
    with (folder / "journal.jsonl").open("w", encoding="utf-8") as file:
        for match, events in campaign.history.journal.items():
            for event in events:
                file.write(json.dumps({"match": match, "event": event.model_dump(mode="json")}) + "\n")


def _markdown(campaign: Campaign) -> str:
    plan, began = campaign.plan, campaign.began
    command = f"cornered bench faults --minutes {plan.seconds / 60:g} --faults {plan.faults} --seed {plan.seed}"
    command += f" --nodes {plan.nodes} --pairs {plan.pairs}{' --postgres' * plan.is_postgres}"
    text = ["# Faults", "", f"`{command}`", "", "```", *lines(campaign), "```", "", "## What was done", ""]
    text += ["| number | begins, s | lasts, s | fault | of | |", "| ---: | ---: | ---: | --- | --- | --- |"]
    text += [
        f"| {one.number} | {one.began - began:.1f} | {one.ended - one.began:.1f}"
        f" | {one.kind} | {one.target} | {one.words} |"
        for one in sorted(campaign.history.faults, key=lambda record: record.number)
    ]
    return "\n".join(text) + "\n"
