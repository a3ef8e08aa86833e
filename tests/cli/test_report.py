"""`cornered report`: standings and the next round from a file."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from cornered.cli.main import app
from tests.contests.test_trf import C9


def test_a_report_is_shown_with_its_next_round(tmp_path: Path) -> None:
    file = tmp_path / "open.trf"
    file.write_text(C9)
    told = json.loads(CliRunner().invoke(app, ["report", str(file), "--json"]).output)
    assert (told["next"], told["bye"]) == ([[2, 1], [3, 5]], 4)
    assert [row["number"] for row in told["standings"]] == [1, 2, 3, 4, 5]
    shown = CliRunner().invoke(app, ["report", str(file)]).output
    assert "   1 Test0002 Player0002 (2) - Test0001 Player0001 (1)\n" in shown
    assert "Test0004 Player0004 (4) has a bye\n" in shown


def test_a_file_without_players_and_one_in_another_encoding_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "open.trf"
    for content, words in ((b"012 Open\n", "has no players"), (b"012 \xe9\n", "no UTF-8")):
        file.write_bytes(content)
        result = CliRunner().invoke(app, ["report", str(file)])
        assert result.exit_code != 0
        assert words in result.output
