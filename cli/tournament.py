"""The tournament of a command line: its schedule, and its result as text, report and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from cornered.lab.contests.contest import Schedule
    from cornered.lab.contests.openings import Openings
    from cornered.lab.contests.results import Glicko, Standings
    from cornered.lab.contests.schedule_knockout import Knockout, Meeting
    from cornered.lab.contests.schedule_swiss import Swiss
    from cornered.lab.contests.terms import ContestTerms, PlayedGame

__all__ = [
    "DEFAULT_GAMES",
    "FAULTS_SHOWN",
    "PIPE_COLUMNS",
    "Tournament",
    "TournamentKind",
    "rated",
    "require_different",
]

TournamentKind: TypeAlias = Literal["round-robin", "gauntlet", "swiss", "knockout"]
DEFAULT_GAMES: Final[Mapping[TournamentKind, int]] = {"round-robin": 10, "gauntlet": 10, "swiss": 2, "knockout": 4}
"""Default number of games of a meeting."""
PIPE_COLUMNS: Final = 160
"""Width of the table in columns where standard output is no terminal."""
COLUMN_WIDTHS: Final = {
    "Points": 8,
    "Buchholz": 10,
    "S.-B.": 8,
    "Games": 7,
    "Elo": 7,
    "95%": 16,
    "Glicko-2": 13,
    "A move": 10,
}
"""Columns of a table's cells on the screen, with the space before them."""
OPTIONAL_COLUMNS: Final = ("Glicko-2", "A move", "S.-B.", "Games", "Buchholz")
"""Columns that a narrow terminal omits, in this order."""
RANK_COLUMNS: Final = 6
NAME_COLUMNS: Final = 36
"""Names longer than this may be folded."""
FAULTS_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Tournament:
    """The bots, and how they are paired. `rounds` is used by Swiss tournaments, `tested` by gauntlets; otherwise 0."""

    kind: TournamentKind
    bots: tuple[str, ...]
    each: int
    rounds: int = 0
    tested: int = 0

    @classmethod
    def of(
        cls, kind: TournamentKind, bots: Sequence[str], games: int | None, rounds: int | None, tested: int | None
    ) -> Self:
        """Return the tournament of a command line. Raises ValueError that describes the invalid option."""
        from cornered.contests.pairing import rounds_for

        if len(bots) < 2:
            raise ValueError("a tournament takes two bots or more")
        require_different(bots)
        each = games or DEFAULT_GAMES[kind]
        if each % 2 and kind != "swiss":
            raise ValueError(f"two games make a pair: give --games an even number, {each - 1 or 2} or {each + 1}")
        if rounds is not None and kind != "swiss":
            raise ValueError(f"--rounds is for --kind swiss; a {kind} has as many as it takes")
        if tested is not None and kind != "gauntlet":
            raise ValueError("--tested is for --kind gauntlet")
        if tested is not None and tested >= len(bots):
            raise ValueError(f"no bot is left to play the first {tested}; name more bots, or lower --tested")
        return cls(
            kind,
            tuple(bots),
            each,
            (rounds or rounds_for(len(bots))) if kind == "swiss" else 0,
            (tested or 1) if kind == "gauntlet" else 0,
        )

    def schedule(self, openings: Openings) -> Schedule:
        """Return the schedule, with these openings."""
        from cornered.lab.contests.schedule import Gauntlet, RoundRobin

        match self.kind:
            case "round-robin":
                return RoundRobin(self.bots, self.each, openings)
            case "gauntlet":
                return Gauntlet(self.bots, self.each, openings, self.tested)
            case "swiss":
                return self._swiss(openings)
            case "knockout":
                return self._knockout(openings)

    def _swiss(self, openings: Openings) -> Swiss:
        from cornered.lab.contests.schedule_swiss import Swiss

        return Swiss(self.bots, self.rounds, self.each, openings)

    def _knockout(self, openings: Openings) -> Knockout:
        from cornered.lab.contests.schedule_knockout import Knockout

        return Knockout(self.bots, self.each, openings)

    def words(self) -> str:
        """Return the kind of pairing in words."""
        games = f"{self.each} game{'' if self.each == 1 else 's'} a meeting"
        match self.kind:
            case "round-robin":
                return f"round robin, {games}"
            case "gauntlet":
                return f"gauntlet of the first {self.tested}, {games}"
            case "swiss":
                return f"Swiss, {self.rounds} round{'' if self.rounds == 1 else 's'}, {games}"
            case "knockout":
                return f"knockout, {games}, more where it is tied"

    def places(self, played: Sequence[PlayedGame]) -> list[str] | None:
        """Return the bots in the order of the kind's own rules, None where points or ratings decide."""
        from cornered.lab.contests.openings import no_opening

        if self.kind == "swiss":
            return [place.name for place in self._swiss(no_opening).standing(played)]
        if self.kind == "knockout":
            wins = dict.fromkeys(self.bots, 0)
            reached = dict.fromkeys(self.bots, 0)
            for meeting in self._knockout(no_opening).meetings(played):
                for name in meeting.players:
                    reached[name] = meeting.round
                    wins[name] += meeting.winner == name
            return sorted(self.bots, key=lambda name: (-reached[name], -wins[name], self.bots.index(name)))
        return None

    def byes(self, played: Sequence[PlayedGame]) -> dict[str, int]:
        """Return the number of byes by bot, which only a Swiss tournament has."""
        from cornered.lab.contests.openings import no_opening

        if self.kind != "swiss":
            return {}
        return {place.name: place.byes for place in self._swiss(no_opening).standing(played)}

    def standings(self, terms: ContestTerms, played: Sequence[PlayedGame]) -> Standings:
        """Return the standings, in the order of the kind of tournament."""
        from cornered.lab.contests.standings import standings

        ranking, byes = self.places(played) or (), self.byes(played)
        return standings(terms, played, self.bots, ranking=ranking, byes=byes)

    def as_json(self, terms: ContestTerms, played: Sequence[PlayedGame]) -> dict[str, Any]:
        """Return the whole result as JSON-compatible values."""
        from cornered.lab.contests.openings import no_opening
        from cornered.lab.contests.standings import as_json

        told: dict[str, Any] = {"tournament": asdict(self), "places": self.places(played)}
        if self.kind == "swiss":
            told["swiss"] = [asdict(place) for place in self._swiss(no_opening).standing(played)]
        if self.kind == "knockout":
            told["meetings"] = [asdict(meeting) for meeting in self._knockout(no_opening).meetings(played)]
        return {**told, **as_json(self.standings(terms, played))}

    def write(self, folder: Path, terms: ContestTerms, played: Sequence[PlayedGame], about: Mapping[str, str]) -> None:
        """Write the report into the folder of the games."""
        from cornered.lab.reports.report import write

        ranking, byes = self.places(played) or (), self.byes(played)
        write(folder, terms, played, self.bots, {**about, "Kind": self.words()}, ranking=ranking, byes=byes)

    def show(self, terms: ContestTerms, played: Sequence[PlayedGame]) -> None:
        """Print the standings, the meetings of a knockout, and the failures."""
        from rich.console import Console
        from rich.table import Table

        from cornered.lab.contests.openings import no_opening
        from cornered.lab.reports.wording import counted

        result = self.standings(terms, played)
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=PIPE_COLUMNS)
        swiss = (
            {place.name: place for place in self._swiss(no_opening).standing(played)} if self.kind == "swiss" else {}
        )
        table = Table(
            title=f"{terms.load().title}, {self.words()}: {counted(len(played), 'game')}",
            title_justify="left",
            box=None,
        )
        table.add_column("#", justify="right")
        table.add_column("Bot", overflow="fold")
        columns = ["Points", *(["Buchholz", "S.-B."] if swiss else []), "Games", "Elo", "95%", "Glicko-2", "A move"]
        # The report has the columns that are omitted here; folded names are unreadable.
        widest = max(len(bot) for bot in self.bots)
        room = console.width - RANK_COLUMNS - min(widest, NAME_COLUMNS)
        while sum(COLUMN_WIDTHS[column] for column in columns) > room and (
            spare := [each for each in OPTIONAL_COLUMNS if each in columns]
        ):
            columns.remove(spare[0])
        for column in columns:
            table.add_column(column, justify="right", no_wrap=True)
        for number, standing in enumerate(result.table, 1):
            cells = {"Points": f"{standing.score.points:g}", "Games": str(standing.score.games), **rated(standing)}
            if place := swiss.get(standing.bot):
                cells |= {
                    "Points": f"{place.points:g}",
                    "Buchholz": f"{place.buchholz:g}",
                    "S.-B.": f"{place.sonneborn_berger:g}",
                }
            table.add_row(str(number), standing.bot, *(cells[column] for column in columns))
        console.print(table)
        if self.kind == "knockout":
            meetings = self._knockout(no_opening).meetings(played)
            for meeting in meetings:
                console.print(_met(meeting, meetings[-1].round), markup=False)
        for fault in result.faults[:FAULTS_SHOWN]:
            console.print(f"game {fault.number}: {fault.ending}: {fault.text}", style="red", markup=False)
        if len(result.faults) > FAULTS_SHOWN:
            console.print(f"... and {len(result.faults) - FAULTS_SHOWN} more games that were lost like this")


def require_different(bots: Sequence[str]) -> None:
    """Raise ValueError when two specs mean the same bot, however they are written."""
    from cornered.bots.roster import create

    known: dict[tuple[object, ...], str] = {}
    for word in bots:
        bot = create(word)
        what = bot.name, *sorted(bot.settings.items())
        if what in known:
            also = "" if known[what] == word else f" as {known[what]} and as {word}"
            raise ValueError(f"{bot.label} is there twice{also}; in a tournament every bot plays once")
        known[what] = word


class RatedBot(Protocol):
    """What is shown of a bot's strength and speed."""

    @property
    def elo(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def glicko(self) -> Glicko: ...
    @property
    def seconds_a_move(self) -> float | None: ...


def rated(standing: RatedBot) -> dict[str, str]:
    """Return the ratings with their interval, and the time per move."""
    ends = (f"{end:+.0f}" if math.isfinite(end) else "?" for end in (standing.low, standing.high))
    seconds = standing.seconds_a_move
    return {
        "Elo": f"{standing.elo:+.0f}",
        "95%": " to ".join(ends),
        "Glicko-2": f"{standing.glicko.rating:.0f} ± {2 * standing.glicko.deviation:.0f}",
        "A move": "-"
        if seconds is None
        else f"{1000 * seconds:,.0f} ms"
        if seconds >= 0.1
        else f"{1000 * seconds:.2g} ms",
    }


def _met(meeting: Meeting, final: int) -> str:
    left = final - meeting.round
    name = {0: "final", 1: "semi-final", 2: "quarter-final"}.get(left, f"round {meeting.round + 1}")
    (one, other), (score, against) = meeting.players, meeting.scores
    how = " as the better seed" if meeting.is_by_seed else ""
    return f"{name}: {one} {score:g} - {against:g} {other}; {meeting.winner} goes on{how}".replace(
        "goes on", "wins" if left == 0 else "goes on"
    )
