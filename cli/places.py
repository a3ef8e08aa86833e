"""The tournament of games for three and four players of a command line: its schedule, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from cornered.cli.tournament import FAULTS_SHOWN, PIPE_COLUMNS, TournamentKind, rated, require_different

if TYPE_CHECKING:
    from cornered.lab.contests.openings import Openings
    from cornered.lab.contests.schedule import SeatRotation
    from cornered.lab.contests.terms import ContestTerms, PlayedGame

__all__ = ["PlacesTournament"]

DEFAULT_GAMES: Final = 12
"""Games of a group, which three and four divide."""


@dataclass(frozen=True, slots=True)
class PlacesTournament:
    """All groups of as many bots as a game has seats, `each` games a group."""

    seats: int
    bots: tuple[str, ...]
    each: int

    @classmethod
    def of(
        cls,
        seats: int,
        kind: TournamentKind,
        bots: Sequence[str],
        games: int | None,
        rounds: int | None,
        tested: int | None,
    ) -> Self:
        """Return the tournament of a command line. Raises ValueError that describes the invalid option."""
        if kind != "round-robin" or rounds is not None or tested is not None:
            raise ValueError(f"games of {seats} players are for --kind round-robin, without --rounds and --tested")
        if len(bots) < seats:
            raise ValueError(f"a game has {seats} seats: name {seats} bots or more")
        require_different(bots)
        each = games or DEFAULT_GAMES
        if each % seats:
            more = each + seats - each % seats
            raise ValueError(
                f"each bot has each seat equally often: give --games a multiple of {seats}, such as {more}"
            )
        return cls(seats, tuple(bots), each)

    def schedule(self, openings: Openings) -> SeatRotation:
        """Return the schedule, with these openings."""
        from cornered.lab.contests.schedule import SeatRotation

        return SeatRotation(self.bots, self.seats, self.each, openings)

    def words(self) -> str:
        """Return the kind of pairing in words."""
        return f"all groups of {self.seats} bots, {self.each} games a group in rotated seats"

    def as_json(self, terms: ContestTerms, played: Sequence[PlayedGame]) -> dict[str, Any]:
        """Return the whole result as JSON-compatible values."""
        from cornered.lab.contests.places import as_json, place_standings

        return {"tournament": asdict(self), **as_json(place_standings(terms, played, self.bots))}

    def write(self, folder: Path, terms: ContestTerms, played: Sequence[PlayedGame], about: Mapping[str, str]) -> None:
        """Write the report into the folder of the games."""
        from cornered.lab.reports.places_report import write

        write(folder, terms, played, self.bots, {**about, "Kind": self.words()})

    def show(self, terms: ContestTerms, played: Sequence[PlayedGame]) -> None:
        """Print the standings and the failures."""
        from rich.console import Console
        from rich.table import Table

        from cornered.lab.contests.places import place_standings
        from cornered.lab.reports.wording import counted

        found = place_standings(terms, played, self.bots)
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=PIPE_COLUMNS)
        title = f"{terms.load().title}, {self.words()}: {counted(found.games, 'game')}"
        table = Table(title=title, title_justify="left", box=None)
        table.add_column("#", justify="right")
        table.add_column("Bot", overflow="fold")
        ordinals = ("1st", "2nd", "3rd", "4th")[: self.seats]
        for column in ("Points", "Games", *ordinals, "Elo", "95%", "Glicko-2", "A move"):
            table.add_column(column, justify="right", no_wrap=True)
        for number, one in enumerate(found.table, 1):
            cells = (f"{one.points:.1f}", str(one.games), *map(str, one.places), *rated(one).values())
            table.add_row(str(number), one.bot, *cells)
        console.print(table)
        for fault in found.faults[:FAULTS_SHOWN]:
            console.print(f"game {fault.number}: {fault.ending}: {fault.text}", style="red", markup=False)
        if len(found.faults) > FAULTS_SHOWN:
            console.print(f"... and {len(found.faults) - FAULTS_SHOWN} more games that were lost like this")
