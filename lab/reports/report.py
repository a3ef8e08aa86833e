"""A contest's report, as Markdown with plots beside it and as one HTML page, for people who want to know how sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from cornered.lab.contests.journal import GAMES_FILE
from cornered.lab.contests.results import Standings
from cornered.lab.contests.standings import standings
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.reports import charts, sections
from cornered.lab.reports.document import (
    Block,
    CodeListing,
    Document,
    Figure,
    Heading,
    Literal,
    Paragraph,
    ReportTable,
    Text,
    markdown,
    page,
)
from cornered.lab.reports.wording import counted, likely, percent, points, signed
from cornered.lab.statistics.elo import elo_of_pairs

__all__ = ["MARKDOWN", "PAGE_FILE", "PLOTS", "document", "replay_section", "terms_section", "write"]

MARKDOWN: Final = "report.md"
PAGE_FILE: Final = "report.html"
PLOTS: Final = "plots"
LEADING: Final = ("command", "Result")
PAIR_SCORE_WORDS: Final = ("0", "0.5", "1", "1.5", "2")
"""What a pair of games can be worth."""


def write(
    folder: Path,
    terms: ContestTerms,
    games: Sequence[PlayedGame],
    bots: Sequence[str],
    about: Mapping[str, str],
    *,
    ranking: Sequence[str] = (),
    byes: Mapping[str, int] | None = None,
) -> list[Path]:
    """Write a contest's report and its plots into its folder and return the files: the two reports, then the plots.

    `about` says in words what was played: its `command` is shown as one, its `Result` begins the report, and all else
    is a line of a table.
    `ranking` and `byes` are as for `standings`.
    """
    (folder / PLOTS).mkdir(parents=True, exist_ok=True)
    result = standings(terms, games, bots, ranking=ranking, byes=byes)
    plots = charts.write(folder / PLOTS, result, games)
    report = document(result, about, [_figure(chart) for chart in plots])
    (folder / MARKDOWN).write_text(markdown(report), encoding="utf-8")
    (folder / PAGE_FILE).write_text(page(report, folder), encoding="utf-8")
    return [folder / MARKDOWN, folder / PAGE_FILE, *(chart.path for chart in plots)]


def _figure(chart: charts.Chart) -> Figure:
    return Figure(Path(PLOTS) / chart.path.name, chart.title, chart.alt)


def document(standings: Standings, about: Mapping[str, str], figures: Sequence[Figure] = ()) -> Document:
    """Return the report of a contest, with the plots that are there."""
    plots = {figure.path.stem: figure for figure in figures}
    bots, games = len(standings.bots), standings.games
    title = standings.terms.load().title
    what = " against ".join(standings.bots) if bots <= 2 else f"{bots} bots"
    blocks = chain(
        _summary(standings, about.get("Result", "")),
        sections.ranking(standings, plots),
        sections.pairings(standings, plots),
        sections.superiority(standings, plots),
        sections.seats(standings),
        sections.openings(standings),
        sections.course(standings, plots),
        sections.spending(standings, plots),
        terms_section(standings.terms, about),
        replay_section(),
    )
    return Document(f"{title}: {what}, {counted(games, 'game')}", list(blocks))


def _summary(standings: Standings, result: str) -> Iterator[Block]:
    if result:
        yield Paragraph(result)
    if not standings.superiority:
        yield Paragraph("No two different bots have met, so there is nothing to rank.")
        return
    best, second, *_ = standings.table
    chance = standings.superiority[best.bot, second.bot]
    yield Paragraph(
        (
            Literal(best.bot),
            f" comes first with {points(best.score.points)} points of {counted(best.score.games, 'game')} "
            f"({percent(best.score.share)}%). That it is really stronger than ",
            Literal(second.bot),
            f", who comes second, is {likely(chance)}% likely (LOS).",
        )
    )
    if any(standings.pairs):
        difference, low, high = elo_of_pairs(standings.pairs)
        pairs = ", ".join(
            f"{count} with {score}" for count, score in zip(standings.pairs, PAIR_SCORE_WORDS, strict=True)
        )
        yield Paragraph(
            f"The Elo difference is {signed(difference)}, with 95% confidence between {signed(low)} and "
            f"{signed(high)}: 100 Elo more mean 64% of the points, 200 mean 76%. It is counted by pairs of games with "
            f"the same opening, by their points: {pairs}."
        )


def terms_section(terms: ContestTerms, about: Mapping[str, str]) -> Iterator[Block]:
    """Yield what was played: the command, limits, options and openings."""
    yield Heading("What was played")
    if "command" in about:
        yield CodeListing(about["command"])
    limits = {
        "Time a move": None if terms.time is None else f"{terms.time} ms",
        "Depth": None if terms.depth is None else f"{terms.depth} plies",
        "Nodes a move": None if terms.nodes is None else f"{terms.nodes:,}",
        "Clock": terms.clock,
    }
    options = " ".join(f"{name}={str(value).lower()}" for name, value in terms.options.items())
    rows: list[tuple[Text, Text]] = [
        ("Game", Literal(f"{terms.game} {options}".strip())),
        ("Seed", str(terms.seed)),
        *((name, value) for name, value in limits.items() if value is not None),
        *([("Limit", "none but the bots' own settings")] if not any(limits.values()) else []),
        ("Adjudicated", "where both bots have proven the result" if terms.adjudicates else "no"),
        ("Longest game", f"{terms.longest} plies, then it is a draw"),
        ("Server", Literal(terms.server) if terms.server else "none, in process"),
        *((name, value) for name, value in about.items() if name not in LEADING),
    ]
    yield ReportTable("Terms", ("What", "Value"), rows)


def replay_section() -> Iterator[Block]:
    """Yield how the games are played again."""
    yield Heading("How to repeat it")
    yield Paragraph(
        (
            "Every game is a line of ",
            Literal(GAMES_FILE),
            " beside this report. This plays all of them again by the rules:",
        )
    )
    yield CodeListing(f"cornered check {GAMES_FILE}")
    yield Paragraph(
        "The command that made this report goes on with a contest that was cut short. With another folder it plays the "
        "same games again, move by move, as long as no clock decides."
    )
