"""The measurement of a start finds the matches that it stored."""

from __future__ import annotations

import json

from cornered.bench.start import as_json, lines, run


def test_a_start_with_a_few_matches_is_measured(compiled: None) -> None:
    report = run(3, plies=4)
    assert (report.matches, report.plies) == (3, 4)
    assert 0 < report.ready_seconds <= report.loaded_seconds + 0.1
    assert json.loads(as_json(report))["matches"] == 3
    assert lines(report)[0] == "3 live matches of 4 plies"
