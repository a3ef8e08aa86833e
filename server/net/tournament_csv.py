"""A tournament as a table for spreadsheets: its standings, and below them its pairings with their results."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from cornered.server.tournament.standings import TIE_BREAKS, places
from cornered.server.tournament.state import TournamentState
from cornered.server.tournament.views import pairing_info, standing

__all__ = ["csv_slices"]

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet runs as a formula (OWASP, CSV injection)."""


ROWS_PER_SLICE: Final = 100
BYTE_ORDER_MARK: Final = "\ufeff"


def csv_slices(state: TournamentState) -> Iterator[str]:
    """Yield the table in slices of `ROWS_PER_SLICE`; an apostrophe is before what a spreadsheet would run.

    It begins with a byte order mark: without one Excel reads UTF-8 as the encoding of the country.
    """
    yield BYTE_ORDER_MARK
    rest = _rows(state)
    while rows := list(islice(rest, ROWS_PER_SLICE)):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerows([_safe(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
        yield text.getvalue()


def _rows(state: TournamentState) -> Iterator[tuple[object, ...]]:
    yield ("rank", "player", "kind", "rating", "points", *TIE_BREAKS[state.settings.format], "games")
    for place in places(state):
        row = standing(state, place)
        yield (row.rank, row.player.name, row.player.kind, row.rating, row.points, *row.tie_breaks, row.games)
    yield ()
    yield ("round", "board", "first", "second", "points of first", "points of second", "how", "match")
    for round_, pairing in state.games():
        one = pairing_info(state, round_, pairing)
        names = [player.name for player in one.players]
        yield (round_, one.board, *_padded(names), *_padded(one.points), one.how, one.match or "")


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _padded(cells: Iterable[object]) -> tuple[object, object]:
    first, second, *_ = (*cells, "", "")
    return first, second
