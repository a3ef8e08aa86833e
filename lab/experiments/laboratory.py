"""What an experiment gets: worker processes, seeded chance, a folder of finished work, and progress reports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cornered.engine.progress import Progress, Report
from cornered.engine.records.files import LineWriter, read_lines
from cornered.lab.contests.contest import stream
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.openings import Openings, no_opening
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.experiments.data_tables import SUFFIX, DataTable, game_table, item_table
from cornered.lab.experiments.findings import Scale
from cornered.lab.statistics.tally import Tally

__all__ = ["DATA_FOLDER", "BotPairing", "Laboratory", "opening_cluster", "tally_of"]

DATA_FOLDER: Final = "data"
"""Folder of the finished steps' data inside the experiment's folder."""


@dataclass(frozen=True, slots=True)
class BotPairing:
    """The games of two bots; the first has seat 0 in the even-numbered games."""

    first: str
    second: str
    games: tuple[PlayedGame, ...]

    @property
    def scores(self) -> list[float]:
        """Points of the first bot in each game; a draw counts as half a win."""
        return [played.score(number % 2) for number, played in enumerate(self.games)]

    @property
    def wins(self) -> float:
        """Points of the first bot."""
        return sum(self.scores)

    @property
    def tally(self) -> Tally:
        """The first bot's points, with the games of each opening as a cluster."""
        return tally_of(self.games, self.scores)

    @property
    def efforts(self) -> list[Effort]:
        """Effort of the first bot in each game."""
        return [played.efforts[number % 2] for number, played in enumerate(self.games)]


def opening_cluster(played: PlayedGame) -> Hashable:
    """Return what games that may be alike have in common: the opening, or without one the game alone."""
    return played.fixture.opening or played.fixture.number


def tally_of(games: Sequence[PlayedGame], scores: Sequence[float]) -> Tally:
    """Return the scores of games, one for each, as a tally. Games of deterministic players, which are move for move
    alike whenever opening and seats are, count once; the others form clusters by their openings."""
    alike: dict[Hashable, list[int]] = {}
    for place, played in enumerate(games):
        alike.setdefault((played.fixture.opening, played.fixture.players), []).append(place)
    repeats = [group for group in alike.values() if len(group) > 1]
    is_determined = bool(repeats) and all(len({games[place].moves for place in group}) == 1 for group in repeats)
    kept = [group[0] for group in alike.values()] if is_determined else range(len(games))
    once = Tally.clustered([scores[place] for place in kept], [opening_cluster(games[place]) for place in kept])
    return replace(once, successes=once.share * len(games), trials=len(games))


class Laboratory:
    """One experiment's workers and folder. Work finished before an interruption is read from the folder, not
    repeated."""

    def __init__(self, workforce: Workforce, folder: Path, scale: Scale, seed: int, report: Report) -> None:
        self.workforce = workforce
        self.folder = folder
        self.scale: Scale = scale
        self.seed = seed
        self.report = report
        self.counts: dict[str, int] = {}
        """Number of games or items of work by step so far."""
        self.tables: dict[str, DataTable] = {}
        """Files of finished steps in `data_folder`, by step."""

    @property
    def data_folder(self) -> Path:
        """The folder of the finished steps' data."""
        return self.folder / DATA_FOLDER

    def play(self, step: str, terms: ContestTerms, fixtures: Iterable[Fixture]) -> list[PlayedGame]:
        """Return the games of these fixtures in order, stored in the folder `step`. Raises RuntimeError when a bot
        fails in a game: a loss by failure would distort the figure."""
        listed = list(fixtures)
        self.counts[step] = len(listed)
        games = []
        plan = {"step": step, "fixtures": hashlib.sha256(repr(listed).encode()).hexdigest()}
        with (
            ContestJournal.open(self.folder / step, terms, plan) as journal,
            closing(stream(terms, listed, self.workforce, journal)) as playing,
        ):
            for played in playing:
                if played.fault:
                    again = f"remove {journal.folder} to play again"
                    raise RuntimeError(f"game {played.fixture.number} of {step}: {played.fault}; {again}")
                games.append(played)
                self.report(Progress(step, len(games), len(listed)))
        self.tables[step] = game_table(self.data_folder / f"{step}{SUFFIX}", games)
        return games

    def meet(
        self,
        step: str,
        terms: ContestTerms,
        pairings: Iterable[tuple[str, str, int]],
        *,
        openings: Openings = no_opening,
    ) -> list[BotPairing]:
        """Return the games of pairs of bots, the given number for each, with the seats divided equally. Games come in
        pairs with the same opening. The pairings are interleaved, so that other load on the machine affects all of them
        alike. Raises ValueError for a bot that does not play the game."""
        asked = list(pairings)
        for first, second, _ in asked:
            terms.check(first, second)
        turns = [
            (game, place)
            for two in range(0, max((games for *_, games in asked), default=0), 2)
            for place, (*_, games) in enumerate(asked)
            for game in range(two, min(two + 2, games))
        ]
        fixtures = []
        for number, (game, place) in enumerate(turns):
            first, second, _ = asked[place]
            players = (first, second) if game % 2 == 0 else (second, first)
            fixtures.append(Fixture(number, players, openings(game // 2), game // 2))
        games_of: list[list[PlayedGame]] = [[] for _ in asked]
        for (_, place), played in zip(turns, self.play(step, terms, fixtures), strict=True):
            games_of[place].append(played)
        return [BotPairing(first, second, tuple(games_of[place])) for place, (first, second, _) in enumerate(asked)]

    def measure(self, step: str, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Return `function` of each item, in order, stored in the file `step.jsonl`. `function` has to be importable by
        worker processes and to return JSON-compatible values."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.counts[step] = len(items)
        path = self.folder / f"{step}.jsonl"
        made_of = hashlib.sha256(repr((function.__module__, function.__qualname__, list(items))).encode()).hexdigest()
        lines, _ = read_lines(path)
        if lines and json.loads(lines[0]) != {"made_of": made_of}:
            raise ValueError(
                f"{path} holds the results of other work, or of another version; remove it, "
                "or choose another folder with --out"
            )
        kept: dict[int, Any] = dict(json.loads(line) for line in lines[1:])
        missing = [place for place in range(len(items)) if place not in kept]
        todo = (items[place] for place in missing)
        with closing(LineWriter(path)) as file, closing(self.workforce.carry_out(function, todo)) as working:
            if not lines:
                file.append(json.dumps({"made_of": made_of}))
            for index, result in working:
                line = json.dumps([missing[index], result])
                # Normalised through JSON, so that an uninterrupted run returns the same values as a resumed one.
                kept[missing[index]] = json.loads(line)[1]
                file.append(line)
                self.report(Progress(step, len(kept), len(items)))
        results = [kept[place] for place in range(len(items))]
        self.tables[step] = item_table(self.data_folder / f"{step}{SUFFIX}", function, items, results)
        return results
