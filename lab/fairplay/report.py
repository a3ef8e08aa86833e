"""The report of a comparison: text, JSON and one HTML page, each with what it does not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from cornered.lab.fairplay.comparison import Comparison, Figure, Group
from cornered.lab.fairplay.judging import EQUAL, OPENING_PLIES, REASONABLE
from cornered.lab.reports.document import Block, Document, Heading, Paragraph, ReportTable, Text, markdown, page

__all__ = ["CAUTION", "as_html", "as_json", "as_text"]

CAUTION: Final = (
    "People judge, and nothing follows from this report by itself. Strong players agree with the champion often, easy "
    "positions more than hard ones, and of many players who are looked at some stand out by chance. Look at the games, "
    "ask the player, and decide together with somebody else."
)
HOW: Final = (
    f"Judged are moves of people after the first {OPENING_PLIES} plies, in positions that are not lost and have "
    f"more than one reasonable move: one that, by the champion, lowers the probability of a win by at most "
    f"{REASONABLE:.0%}. A move agrees where it lowers it by at most {EQUAL:.0%}. Intervals are of 95%, of games, "
    "since the moves of one game are alike."
)


def as_json(comparison: Comparison, about: dict[str, Any]) -> dict[str, Any]:
    """Return a comparison as values, with facts about how it was made."""
    return {**about, **asdict(comparison), "how": HOW, "caution": CAUTION}


def as_text(comparison: Comparison, about: Sequence[str]) -> str:
    """Return a comparison as text, with sentences about how it was made."""
    return markdown(_document(comparison, about))


def as_html(comparison: Comparison, about: Sequence[str]) -> str:
    """Return a comparison as a page that needs no other file."""
    return page(_document(comparison, about), Path())


def _document(comparison: Comparison, about: Sequence[str]) -> Document:
    name = comparison.player.name
    columns = ("who", "games", "moves", "agree with the champion", "mean loss")
    blocks: list[Block] = [
        Paragraph(CAUTION),
        *map(Paragraph, about),
        ReportTable(
            f"{name} beside others", columns, [_row(one) for one in (comparison.player, *comparison.others)], numeric=4
        ),
        Paragraph(_difference(comparison)),
        Heading("By thinking time"),
        Paragraph(
            "People take longer over hard moves, and are then wrong more often. Equal times for easy and hard moves, "
            "or agreement that does not fall with the time, are unusual."
        ),
        ReportTable(
            f"The moves of {name} by their time",
            ("time", *columns[1:]),
            [_row(one) for one in comparison.times],
            numeric=4,
        ),
        Heading("How it was made"),
        Paragraph(HOW),
    ]
    return Document(f"Fair play: {name}", blocks)


def _row(one: Group) -> tuple[Text, ...]:
    return one.name, str(one.games), str(one.moves), _shown(one.agreement), _shown(one.loss)


def _shown(figure: Figure | None) -> str:
    return "-" if figure is None else f"{figure.value:.1%} ({figure.low:.1%} to {figure.high:.1%})"


def _difference(comparison: Comparison) -> str:
    """Return in words whether the player's agreement is outside of everybody else's interval."""
    own = comparison.player.agreement
    others = [one for one in comparison.others if one.agreement is not None]
    if own is None or not others:
        return "There are too few judged moves for a comparison."
    apart = [one.name for one in others if one.agreement is not None and own.low > one.agreement.high]
    if not apart:
        return "The intervals overlap: the player does not agree with the champion clearly more often than the others."
    return (
        f"The player agrees with the champion clearly more often than {' and '.join(apart)}: the intervals are apart."
    )
