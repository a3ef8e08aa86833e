"""The games of a contest on disk: a folder with its plan and one line a game, so that a killed contest can be resumed.

Every line is a game record (`cornered.engine.records.record`) with further tags, so that `cornered check` verifies it.
A game counts when its line is with the operating system, which no kill takes away; the disk has it a second later, or
at the end. A line torn by a kill is removed when the contest is resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cornered.engine.records.files import LineWriter, read_lines
from cornered.engine.records.record import Record, RecordedMove, RecordError, SeatLeft, from_json, to_json
from cornered.lab.contests.folder import held
from cornered.lab.contests.terms import ENDINGS, ContestTerms, Effort, Fixture, GameEnding, PlayedGame

__all__ = ["GAMES_FILE", "ContestJournal", "from_record", "to_record"]

GAMES_FILE: Final = "games.jsonl"
SYNC_INTERVAL_S: Final = 1.0
"""Seconds after which a played game is on the disk."""


def to_record(terms: ContestTerms, played: PlayedGame) -> Record:
    """Return the record of a game. Unless the rules ended it, the loser leaves or a draw is agreed."""
    plies: list[RecordedMove | SeatLeft] = [RecordedMove(move) for move in played.moves]
    fixture, places = played.fixture, played.places
    loser = played.left if played.ranks else None if played.winner is None else 1 - played.winner
    if played.ending != "rules" and loser is not None:
        plies.append(SeatLeft(loser, played.ending))
    tags = {
        "Number": str(fixture.number),
        "Pair": str(fixture.pair),
        "Round": str(fixture.round),
        "Opening": str(len(fixture.opening)),
        "Moves": " ".join(str(effort.moves) for effort in played.efforts),
        "Seconds": " ".join(f"{effort.seconds:.6f}" for effort in played.efforts),
        "Slowest": " ".join(f"{effort.slowest:.6f}" for effort in played.efforts),
        "Nodes": " ".join(str(effort.nodes) for effort in played.efforts),
        "Depths": " ".join(str(effort.depths) for effort in played.efforts),
        "Overruns": " ".join(str(effort.overruns) for effort in played.efforts),
        **({"Fault": played.fault} if played.fault else {}),
    }
    return Record(terms.load(), tuple(plies), fixture.players, places, played.ending, tags=tags)


def from_record(record: Record) -> PlayedGame:
    """Return the game of a record; the inverse of `to_record`. Raises a ValueError or KeyError for a foreign record."""
    tags = record.tags
    moves = tuple(ply.text for ply in record.plies if isinstance(ply, RecordedMove))
    numbers = (int(tags[name]) for name in ("Number", "Pair", "Round", "Opening"))
    number, pair, round_, opening = numbers
    # Journals of earlier versions have no count of overruns.
    overruns = tags.get("Overruns", " ".join("0" for _ in record.players))
    texts = (*(tags[name] for name in ("Moves", "Seconds", "Slowest", "Nodes", "Depths")), overruns)
    columns = zip(*(text.split() for text in texts), strict=True)
    efforts = [Effort(int(a), float(b), float(c), int(d), int(e), int(f)) for a, b, c, d, e, f in columns]
    if record.termination not in ENDINGS:
        raise ValueError(f"no game of a contest ends by {record.termination!r}")
    ending: GameEnding = record.termination
    places = record.places
    if places is None or len(record.players) != len(places) or len(efforts) != len(places):
        raise ValueError("a game of a contest has a place, a player and an effort for each seat")
    winner = places.index(1) if places.count(1) == 1 else None
    fixture = Fixture(number, record.players, moves[:opening], pair, round_)
    ranks = places if len(places) > 2 else ()
    left = next((ply.seat for ply in record.plies if isinstance(ply, SeatLeft)), None) if ranks else None
    return PlayedGame(fixture, moves, winner, ending, tuple(efforts), tags.get("Fault", ""), ranks, left)


class ContestJournal:
    """A contest's folder, held by one process at a time. Get it from `ContestJournal.open`."""

    def __init__(self, folder: Path, terms: ContestTerms, games: dict[int, PlayedGame]) -> None:
        self.folder = folder
        self.terms = terms
        self.games = games
        """All games that have been played, by their numbers."""
        self._lines = LineWriter(folder / GAMES_FILE, sync_interval_s=SYNC_INTERVAL_S)

    @classmethod
    @contextmanager
    def open(cls, folder: Path, terms: ContestTerms, plan: Mapping[str, Any]) -> Iterator[ContestJournal]:
        """Open the folder of a contest, with the games played before; create the folder if it is missing.

        `plan` identifies the contest. Raises a ValueError when the folder holds another contest, is in use, or has a
        line that is no game.
        """
        with held(folder, {"terms": terms.as_json(), **plan}, "contest", GAMES_FILE):
            journal = cls(folder, terms, _read(folder / GAMES_FILE))
            try:
                yield journal
            finally:
                journal.close()

    def append(self, played: PlayedGame) -> None:
        """Keep a game. Raises a ValueError for one that is there already, and an OSError when the disk is full."""
        number = played.fixture.number
        if number in self.games:
            raise ValueError(f"game {number} was played before")
        self._lines.append(to_json(to_record(self.terms, played)))
        self.games[number] = played

    def close(self) -> None:
        """Write all games to the disk and close the file."""
        self._lines.close()


def _read(path: Path) -> dict[int, PlayedGame]:
    """Return the games of a file, without a torn one at its end."""
    games = {}
    for number, line in enumerate(read_lines(path)[0], 1):
        try:
            played = from_record(from_json(line.decode()))
        except (RecordError, ValueError, KeyError) as error:
            raise ValueError(f"{path}:{number}: this is no game of a contest: {error}") from None
        if played.fixture.number in games:
            raise ValueError(f"{path}:{number}: game {played.fixture.number} is there twice")
        games[played.fixture.number] = played
    return games
