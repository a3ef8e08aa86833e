"""Searches are compiled before they are needed, with progress, once for all processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.bots.search import warming
from cornered.bots.search.specialise import directory
from cornered.bots.search.warming import warm
from cornered.engine.compile.marks import Mark
from cornered.engine.progress import Progress


def test_a_warm_search_reports_nothing() -> None:
    reports: list[Progress] = []
    warm("trapgrid")
    warm("trapgrid", report=reports.append)
    assert Mark(directory("trapgrid")).is_set
    assert reports == []


def test_a_cold_search_reports_its_steps_and_sets_the_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warm("trapgrid")
    monkeypatch.setattr(warming, "directory", lambda name: tmp_path / name)
    reports: list[Progress] = []
    warm("trapgrid", report=reports.append)
    assert Mark(tmp_path / "trapgrid").is_set
    assert reports == [Progress("trapgrid: search", 0, 1), Progress("trapgrid: ready", 1, 1)]
