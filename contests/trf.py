"""Tournament Report Files: FIDE's format for results and for exchange with pairing programs, TRF16 (C.04, annex 2).

A line has its fields at fixed columns. A player's line begins with 001; each round is the opponent's number, the colour
and the result. `XXR`, and `142` of TRF26, have the number of rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cornered.contests.pairing import Entrant
from cornered.contests.standings import Meeting

__all__ = ["Report", "ReportPlayer", "Round", "read", "write"]

SHARES: Final[Mapping[str, float]] = (
    dict.fromkeys("1W+FU", 1.0) | dict.fromkeys("=DH", 0.5) | dict.fromkeys("0L-Z ", 0.0)
)
"""What each result is worth: `W D L` are games that are not rated, `+ -` by forfeit, `U F H Z` byes of the pairing, of
a point, of half a point, and of none."""
BOARD: Final = "10=WDL"
"""Results of games that were played."""
FIRST_ROUND: Final = 91
"""Characters before the first round."""
ROUND_WIDTH: Final = 10
MOST_ROUNDS: Final = 200
MOST_PLAYERS: Final = 9_999
COLOURS: Final = "wb"
"""The colours of seat 0, which moves first, and of seat 1."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a player. `result` is one of SHARES; a game that goes on has an opponent and the result " "."""

    result: str
    opponent: int | None = None
    seat: int | None = None

    @property
    def is_played(self) -> bool:
        return self.opponent is not None and self.result in BOARD


@dataclass(frozen=True, slots=True)
class ReportPlayer:
    """A player, by its number in the order of seeding."""

    number: int
    name: str
    rating: int
    points: float
    rank: int
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A tournament. `rounds` is how many there will be; None where the file does not say. `fields` are other lines, by
    their number: `042` is the day of the start, `052` that of the end, `092` the type, `122` the clock."""

    name: str
    players: tuple[ReportPlayer, ...]
    rounds: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def played(self) -> int:
        """The number of rounds for which players were paired; cells after them are byes that were asked for."""
        return max(
            (
                number
                for player in self.players
                for number, one in enumerate(player.rounds, 1)
                if one.opponent is not None or one.result == "U"
            ),
            default=0,
        )

    def meetings(self) -> dict[int, list[Meeting]]:
        """Return what each player's rounds count for the tie-breaks of a Swiss tournament; opponents by number."""
        return {player.number: [*self._meetings(player)] for player in self.players}

    def _meetings(self, player: ReportPlayer) -> Iterator[Meeting]:
        for one in _filled(player.rounds, self.played):
            share = SHARES[one.result]
            if one.is_played:
                yield Meeting(share, str(one.opponent))
            else:
                yield Meeting(share, None, "rest" if one.result in "HZ " and one.opponent is None else "unplayed")

    def entrants(self) -> list[Entrant]:
        """Return the players who are to be paired for the next round, in the order of their numbers: without those
        who have asked for a bye in it."""
        found = []
        for player in sorted(self.players, key=lambda player: player.number):
            if len(player.rounds) > self.played:
                continue
            games = [one for one in player.rounds if one.is_played]
            found.append(
                Entrant(
                    str(player.number),
                    sum(SHARES[one.result] for one in player.rounds),
                    tuple(str(one.opponent) for one in player.rounds if one.opponent is not None),
                    tuple(one.seat for one in games if one.seat is not None),
                    sum(one.result in "+FU" for one in player.rounds),
                    self.played - len(games),
                )
            )
        return found


def _filled(rounds: Sequence[Round], count: int) -> list[Round]:
    return [*rounds[:count], *([Round("Z")] * (count - len(rounds)))]


def write(report: Report) -> str:
    """Return a report as the text of a file. Names are cut to the 33 characters of their column."""
    lines = [f"012 {_line(report.name)}"]
    lines += [f"{number} {_line(value)}" for number, value in sorted(report.fields.items())]
    lines.append(f"062 {len(report.players)}")
    if report.rounds is not None:
        lines += [f"142 {report.rounds}", f"XXR {report.rounds}"]
    for player in sorted(report.players, key=lambda player: player.number):
        head = f"001 {player.number:4} {'':4} {_line(player.name)[:33]:33} {player.rating:4}"
        line = f"{head:80}{player.points:4.1f} {player.rank:4}"
        for one in player.rounds:
            colour = "-" if one.seat is None else COLOURS[one.seat]
            line += f"  {'0000' if one.opponent is None else f'{one.opponent:4}'} {colour} {one.result}"
        lines.append(line)
    return "".join(f"{line}\r\n" for line in lines)


def _line(text: str) -> str:
    return " ".join(text.split())


def read(text: str) -> Report:
    """Return the report in a file. Raises ValueError, which names the line, where a player cannot be read."""
    name, rounds = "", None
    players: dict[int, ReportPlayer] = {}
    fields = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        key, value = line[:3], line[4:].strip()
        try:
            if key == "001":
                player = _player(line)
                if player.number in players:
                    raise ValueError(f"player {player.number} is there twice")
                players[player.number] = player
            elif key in ("XXR", "142"):
                rounds = int(value)
            elif key == "012":
                name = value
            elif key.endswith("2") and key.isdigit() and key != "062":
                fields[key] = value
        except ValueError as error:
            raise ValueError(f"line {number} of the report: {error}") from None
    report = Report(name, tuple(players.values()), rounds, fields)
    _check(report)
    return report


def _player(line: str) -> ReportPlayer:
    number = int(line[4:8])
    if not 1 <= number <= MOST_PLAYERS:
        raise ValueError(f"a player's number is 1 to {MOST_PLAYERS}, not {number}")
    rounds: list[Round] = []
    for begin in range(FIRST_ROUND, len(line.rstrip()), ROUND_WIDTH):
        if len(rounds) == MOST_ROUNDS:
            raise ValueError(f"there are more than {MOST_ROUNDS} rounds")
        rounds.append(_round(line[begin : begin + ROUND_WIDTH].ljust(ROUND_WIDTH)))
    points, rank = line[80:84].strip(), line[85:89].strip()
    return ReportPlayer(
        number,
        line[14:47].strip(),
        int(line[48:52].strip() or 0),
        float(points) if points else sum(SHARES[one.result] for one in rounds),
        int(rank or 0),
        tuple(rounds),
    )


def _round(cell: str) -> Round:
    opponent, colour, result = cell[:4].strip(), cell[5], cell[7].upper()
    if result not in SHARES:
        raise ValueError(f"there is no result {result!r}")
    seat = COLOURS.find(colour.lower()) if colour.strip() else -1
    return Round(result, int(opponent or 0) or None, None if seat < 0 else seat)


def _check(report: Report) -> None:
    """Refuse a report whose players do not name each other."""
    known = {player.number: player for player in report.players}
    for player in report.players:
        for number, one in enumerate(player.rounds, 1):
            if one.opponent is None:
                continue
            other = known.get(one.opponent)
            back = other.rounds[number - 1] if other is not None and len(other.rounds) >= number else None
            if back is None or back.opponent != player.number:
                raise ValueError(f"player {player.number} meets {one.opponent} in round {number}, who does not say so")
