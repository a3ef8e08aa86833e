"""Which log records of bots a command prints."""

from __future__ import annotations

import logging

import pytest

from cornered.cli.running_bots import run_until_ended

GAME, CONNECTION, WARNING = "a match begins", "no server answers", "a bot is slow"


async def log_of_each_kind() -> None:
    logging.getLogger("cornered.bot").info(GAME)
    logging.getLogger("cornered.sdk").info(CONNECTION)
    logging.getLogger("cornered.bot").warning(WARNING)
    logging.getLogger("cornered.bot").warning(WARNING)


def test_a_command_prints_its_kind_of_records_and_no_record_twice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # House bots end with their standard input, which a test has none of.
    monkeypatch.setattr("cornered.cli.running_bots.until_stdin_ends", log_of_each_kind)
    printed = []
    # The last sets the level of a logger.
    for how in ({}, {"is_house": True}, {"only_games": True}):
        run_until_ended(log_of_each_kind, **how)
        printed.append(capsys.readouterr().err.splitlines())
    assert printed == [[GAME, CONNECTION, WARNING], [WARNING], [GAME, WARNING]]
