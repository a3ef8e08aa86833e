"""Ids of players."""

from __future__ import annotations

import secrets

import pytest

from cornered.server.adapters.tokens import new_player_id


def test_no_id_of_a_player_looks_like_an_option_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-option12345", "--option1234", "anna-1234567"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: next(drawn))
    assert new_player_id() == "anna-1234567"
