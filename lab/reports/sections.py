"""The sections of a contest's report that show what its games came to: each yields its tables, plots and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from cornered.lab.contests.results import Order, Score, Standing, Standings
from cornered.lab.contests.terms import GameEnding
from cornered.lab.reports.document import Block, Figure, Heading, Literal, Paragraph, ReportTable, Text
from cornered.lab.reports.wording import MISSING, counted, duration, interval, likely, number, percent, points, signed

__all__ = ["course", "openings", "pairings", "ranking", "seats", "spending", "superiority"]

LISTED: Final = 12
"""So many openings and faults are listed, at most."""
ENDED: Final[Mapping[GameEnding, str]] = {
    "rules": "by the rules",
    "adjudicated": "adjudicated: both bots had proven the result",
    "crashed": "a bot crashed",
    "illegal": "a bot made an illegal move",
    "time": "a bot took too long",
    "length": "a draw, as the game was too long",
}
ORDER_WORDS: Final[Mapping[Order, str]] = {
    "points": "",
    "rating": ", by rating, as not all have played as many games",
    "contest": ", as the contest's rules place them",
}


def ranking(standings: Standings, plots: Mapping[str, Figure]) -> Iterator[Block]:
    """Say who scored what, the ratings, and what breaks ties."""
    yield Heading("Standings")
    yield ReportTable(
        f"Who scored what{ORDER_WORDS[standings.order]}",
        ("Bot", "Points", "Games", "Won", "Drawn", "Lost", "Score %", "95% interval"),
        [
            (name, points(score.points), *_counts(score), percent(score.share), interval(score))
            for name, score in ((_name(standings, each), each.score) for each in standings.table)
        ],
        numeric=7,
    )
    yield Paragraph(
        "A 95% interval is made so that 95 of 100 contests like this one catch the true score in theirs; more games "
        "make it narrower. Draws count as half, and the formula is Wilson's."
    )
    yield ReportTable(
        "Ratings",
        ("Bot", "Elo", "95% interval", "Glicko-2", "Deviation", "Volatility"),
        [
            (
                _name(standings, each),
                signed(each.elo),
                f"{signed(each.low)} to {signed(each.high)}",
                f"{each.glicko.rating:.0f}",
                f"{each.glicko.deviation:.0f}",
                f"{each.glicko.volatility:.5f}",
            )
            for each in standings.table
        ],
        numeric=5,
    )
    periods = f"{standings.periods} rating periods, a round each" if standings.periods > 1 else "one rating period"
    yield Paragraph(
        "Elo is fitted to all games at once (Bradley-Terry), with one imagined draw for each bot, so that clean sweeps "
        "stay finite; 0 is the mean. Each interval is about one bot; how sure it is that one is stronger than another "
        f"is said by the likelihood of superiority. Glicko-2 begins at 1500 and takes {periods}; the true rating is "
        "within two deviations with 95% confidence."
    )
    yield from _plotted(plots, "ratings")
    if len(standings.table) > 2:
        yield ReportTable(
            "Tie-breaks",
            ("Bot", "Match points", "Byes", "Buchholz", "Sonneborn-Berger"),
            [
                (
                    _name(standings, each),
                    points(each.match_points, 2),
                    str(each.byes),
                    points(each.buchholz, 2),
                    points(each.sonneborn_berger, 2),
                )
                for each in standings.table
            ],
            numeric=4,
        )
        yield Paragraph(
            "A meeting of two bots is worth a match point, shared as its games were. Buchholz adds up the match points "
            "of those whom a bot met, Sonneborn-Berger what it scored against them times those points."
        )


def pairings(standings: Standings, plots: Mapping[str, Figure]) -> Iterator[Block]:
    """Say what each scored against each."""
    if not standings.pairings:
        return
    yield Heading("Who beats whom")
    counts = {score.games for score in standings.pairings.values()}
    same = len(counts) == 1

    def cell(one: str, other: str) -> str:
        score = standings.pairings.get((one, other))
        return MISSING if score is None else f"{points(score.points)}{'' if same else f' / {score.games}'}"

    each = f"{counted(counts.pop(), 'game')} a pairing" if same else "of so many games"
    yield _square(standings, f"Crosstable: the points of the row's bot against the column's, {each}", cell)
    yield from _plotted(plots, "win-rates")


def superiority(standings: Standings, plots: Mapping[str, Figure]) -> Iterator[Block]:
    """Say how sure it is who is stronger; nothing where two bots are all there are."""
    if len(standings.table) < 3 or not standings.superiority:
        return
    yield Heading("Who is stronger")

    def cell(one: str, other: str) -> str:
        chance = standings.superiority.get((one, other))
        return MISSING if chance is None else likely(chance)

    yield _square(standings, "Likelihood that the row's bot is stronger than the column's, in percent", cell)
    yield Paragraph(
        "The likelihood of superiority (LOS) says how sure it is that one is stronger, not by how much: 50% is nobody "
        "knows, and from about 97.5% on it is hardly chance. With many bots some pairing looks sure by luck."
    )
    yield from _plotted(plots, "superiority")


def seats(standings: Standings) -> Iterator[Block]:
    """Say what the first seat is worth, overall and to each bot."""
    yield Heading("The first seat")
    low, high = (percent(end) for end in standings.first.interval)
    yield Paragraph(
        f"Seat 0, which begins the game, scores {percent(standings.first.share)}% of all games "
        f"(95% interval {low} to {high}). That the seats differ is only sure where 50 is outside of that."
    )
    yield ReportTable(
        "What each bot scores in each seat",
        ("Bot", "Games in seat 0", "Score %", "95% interval", "Games in seat 1", "Score %", "95% interval"),
        [
            (_name(standings, each), *(cell for score in each.seats for cell in _share(score)))
            for each in standings.table
        ],
        numeric=6,
    )


def openings(standings: Standings) -> Iterator[Block]:
    """Say what the first seat scores after each opening; nothing where all games begin alike."""
    opened = standings.openings
    if len(opened) < 2:
        return
    yield ReportTable(
        "What seat 0 scores after each opening",
        ("Opening", "Games", "Won", "Drawn", "Lost", "Score %", "95% interval"),
        [
            (
                Literal(" ".join(each.opening)) if each.opening else "the start",
                *_counts(each.score),
                percent(each.score.share),
                interval(each.score),
            )
            for each in opened[:LISTED]
        ],
        numeric=6,
    )
    if len(opened) > LISTED:
        yield Paragraph(f"These are {LISTED} of {len(opened)} openings; --json tells all.")


def course(standings: Standings, plots: Mapping[str, Figure]) -> Iterator[Block]:
    """Say how long games are, how they end, and what went wrong."""
    lengths = standings.lengths
    if lengths is None:
        return
    yield Heading("How games go")
    yield Paragraph(
        f"A game takes {lengths.mean:.1f} plies on average, with a median of {lengths.median:g}, a minimum of "
        f"{lengths.shortest} and a maximum of {lengths.longest}; a ply is one player's move."
    )
    yield from _plotted(plots, "lengths")
    rows = [
        (ENDED[ending], str(count), f"{100 * count / standings.games:.1f}")
        for ending, count in standings.endings.items()
    ]
    yield ReportTable("How games ended", ("Ending", "Games", "%"), rows, numeric=2)
    if not standings.faults:
        yield Paragraph("No bot crashed, made an illegal move or took too long.")
        return
    yield ReportTable(
        "What went wrong",
        ("Game", "Ending", "What happened"),
        [(str(fault.number), fault.ending, Literal(fault.text)) for fault in standings.faults[:LISTED]],
    )
    if len(standings.faults) > LISTED:
        yield Paragraph(f"These are {LISTED} of {len(standings.faults)} faults; the game records tell all.")


def spending(standings: Standings, plots: Mapping[str, Figure]) -> Iterator[Block]:
    """Say what time and how many nodes each bot takes."""
    yield Heading("Time and nodes")
    yield ReportTable(
        "What each bot spends",
        ("Bot", "Time a move", "Slowest", "Nodes a move", "Nodes a second", "Depth", "Faults"),
        [
            (
                _name(standings, each),
                duration(each.seconds_a_move),
                duration(each.effort.slowest if each.effort.moves else None),
                number(each.nodes_a_move),
                number(each.nodes_a_second),
                number(each.mean_depth, 1),
                str(each.faults),
            )
            for each in standings.table
        ],
        numeric=6,
    )
    yield Paragraph(
        "Nodes are the positions that a search looks at, depth is how many plies it looks ahead; bots that do not "
        "search have none. Time, nodes and depth are means of all moves. Times depend on the machine, and on what else "
        "it did; the games do not, unless a limit of time decides how far a bot thinks."
    )
    yield from _plotted(plots, "times")


def _square(standings: Standings, caption: str, cell: Callable[[str, str], str]) -> ReportTable:
    numbers = [str(place) for place, _ in enumerate(standings.bots, 1)]
    rows = [
        (_name(standings, each), *(MISSING if other == each.bot else cell(each.bot, other) for other in standings.bots))
        for each in standings.table
    ]
    return ReportTable(caption, ("Bot", *numbers), rows, numeric=len(numbers))


def _plotted(plots: Mapping[str, Figure], name: str) -> Iterator[Block]:
    if name in plots:
        yield plots[name]


def _name(standings: Standings, standing: Standing) -> Text:
    return f"{standings.table.index(standing) + 1}. ", Literal(standing.bot)


def _counts(score: Score) -> tuple[str, str, str, str]:
    return str(score.games), str(score.wins), str(score.draws), str(score.losses)


def _share(score: Score) -> tuple[str, str, str]:
    return str(score.games), percent(score.share) if score.games else MISSING, interval(score)
