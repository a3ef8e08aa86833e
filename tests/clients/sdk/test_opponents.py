"""Opponents by their names in the lobby."""

from __future__ import annotations

from cornered.clients.sdk.opponents import name_order


def test_names_are_sorted_by_their_numbers() -> None:
    names = ["level-10", "champion", "level-2", "Level-1", "level-1-b", "7"]
    assert sorted(names, key=name_order) == ["7", "champion", "Level-1", "level-1-b", "level-2", "level-10"]
