"""A position as the page shows it without rules: its text, the legal moves, and the game's notes and numbers."""

from __future__ import annotations

from typing import TypedDict

from cornered.engine import State
from cornered.engine.games.bamboo import BambooState
from cornered.engine.text import PositionText

__all__ = ["Scene", "scene"]


class Scene(TypedDict, total=False):
    """`notes` and `refused` (why a free cell may not be played) are by cell, `gauges` one text a seat; what is empty is
    left out."""

    position: str
    moves: list[str]
    refused: dict[str, str]
    notes: dict[str, str]
    gauges: list[str]


def scene(state: State, *, has_refusals: bool = False) -> Scene:
    """Return the scene of a position, which may be a finished one; refusals where every free cell may be tried."""
    shown = Scene(position=str(state))
    if moves := state.moves():
        shown["moves"] = moves
    if has_refusals and isinstance(state, BambooState) and (refused := _refused(state)):
        shown["refused"] = refused
    if notes := state.notes():
        shown["notes"] = dict(notes)
    if gauges := _gauges(state):
        shown["gauges"] = gauges
    return shown


def _refused(state: BambooState) -> dict[str, str]:
    parts = PositionText.parse(str(state))
    cells = {
        parts.name(row, column): content for row, line in enumerate(parts.rows) for column, content in enumerate(line)
    }
    return {name: state.explain(name) for name, content in cells.items() if content == "." and not state.is_legal(name)}


def _gauges(state: State) -> list[str]:
    # At zero the label says all.
    return [
        f"{value} {label if value != 1 else label.replace('s', '', 1)}" if value else label
        for label, value in state.gauges()
    ]
