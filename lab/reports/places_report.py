"""The report of a contest of games for three and four players, as Markdown and as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from cornered.lab.contests.places import PlaceStandings, place_standings
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.reports.document import (
    Block,
    Document,
    Heading,
    Literal,
    Paragraph,
    ReportTable,
    Text,
    markdown,
    page,
)
from cornered.lab.reports.report import MARKDOWN, PAGE_FILE, replay_section, terms_section
from cornered.lab.reports.wording import counted, duration, number, percent, points, signed

__all__ = ["document", "write"]


def write(
    folder: Path, terms: ContestTerms, games: Sequence[PlayedGame], bots: Sequence[str], about: Mapping[str, str]
) -> list[Path]:
    """Write a contest's report into its folder and return the two files; `about` is as for two players."""
    report = document(place_standings(terms, games, bots), about)
    (folder / MARKDOWN).write_text(markdown(report), encoding="utf-8")
    (folder / PAGE_FILE).write_text(page(report, folder), encoding="utf-8")
    return [folder / MARKDOWN, folder / PAGE_FILE]


def document(found: PlaceStandings, about: Mapping[str, str]) -> Document:
    """Return the report of a contest."""
    title = found.terms.load().title
    blocks = chain(
        _ranking(found),
        _pairings(found),
        _seats(found),
        _course(found),
        terms_section(found.terms, about),
        replay_section(),
    )
    return Document(f"{title}: {len(found.table)} bots, {counted(found.games, 'game')}", list(blocks))


def _ranking(found: PlaceStandings) -> Iterator[Block]:
    seats = found.terms.load().seats
    yield Heading("Who is how strong")
    yield Paragraph(
        "A game gives each player the mean over the others of 1 for a better place, 0.5 for the same and 0 for a "
        "worse. Elo is by Bradley-Terry on all pairs of a game. Since they are not independent, a game is weighted as "
        f"{seats - 1} results, and variances are {found.effect:.2f} times those of independent results, as games that "
        "share an opening show. In Glicko-2 a game is one result against the mean of the others."
    )
    rows: list[tuple[Text, ...]] = [
        (
            Literal(one.bot),
            points(one.points),
            str(one.games),
            percent(one.share),
            *map(str, one.places),
            signed(one.elo),
            f"{signed(one.low)} to {signed(one.high)}",
            f"{one.glicko.rating:.0f} ± {2 * one.glicko.deviation:.0f}",
            duration(one.seconds_a_move),
        )
        for one in found.table
    ]
    ordinals = ("First", "Second", "Third", "Fourth")[:seats]
    columns = ("Bot", "Points", "Games", "%", *ordinals, "Elo", "95%", "Glicko-2", "A move")
    yield ReportTable("Standings", columns, rows, numeric=len(columns) - 1)


def _pairings(found: PlaceStandings) -> Iterator[Block]:
    bots = [one.bot for one in found.table]
    yield Heading("Against each other")
    rows: list[tuple[Text, ...]] = []
    for bot in bots:
        scores = [found.pairings.get((bot, other)) for other in bots]
        rows.append((Literal(bot), *("-" if one is None else percent(one[0] / one[1]) for one in scores)))
    yield ReportTable(
        "Points of the row's bot against the column's in their common games, in %",
        ("Bot", *(str(place) for place in range(1, len(bots) + 1))),
        rows,
        numeric=len(bots),
    )


def _seats(found: PlaceStandings) -> Iterator[Block]:
    yield Heading("Seats")
    yield Paragraph("Each bot had each seat equally often.")
    seats = range(1, len(found.seats) + 1)
    rows: list[tuple[Text, ...]] = [("all", *map(percent, found.seats))]
    rows += [
        (Literal(one.bot), *("-" if share is None else percent(share) for share in one.seats)) for one in found.table
    ]
    yield ReportTable("Points by seat, in %", ("Bot", *(f"Seat {seat}" for seat in seats)), rows, numeric=len(seats))


def _course(found: PlaceStandings) -> Iterator[Block]:
    yield Heading("How the games went")
    endings = ", ".join(f"{ending} {count:,}" for ending, count in found.endings.items())
    yield Paragraph(f"A game took {number(found.mean_plies, 1)} plies. Endings: {endings}.")
    if found.faults:
        yield Paragraph("After a bot's failure the others that are still in share the first place.")
        rows = [(str(fault.number), fault.ending, Literal(fault.text)) for fault in found.faults]
        yield ReportTable("Failures", ("Game", "Ending", "What"), rows)
