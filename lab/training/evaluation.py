"""Evaluation of trained networks: pairs of games against fixed players and against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from cornered.bots.neural.network import NetworkKind
from cornered.bots.neural.weights import Trained, file_name, save
from cornered.engine.progress import Progress, Report
from cornered.lab.contests import match
from cornered.lab.contests.contest import MemoryGameStore
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.statistics.wilson import wilson

__all__ = ["OPPONENT_BOTS", "TrialResult", "evaluated"]

OPPONENT_BOTS: Final = ("bamboo-uniform", "bamboo-outer", "bamboo-minimax")
TRIAL_PAIRS: Final = 50
"""Pairs of games against each opponent."""
DUEL_PAIRS: Final = 100
"""Pairs of games between two networks."""
OPENING_PLIES: Final = 2
"""Random plies at the start of a pair: two deterministic players would repeat one game."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """A player's number of won games, since Bamboo has no draws, and its mean `milliseconds` per move."""

    wins: int
    games: int
    milliseconds: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share of wins."""
        return wilson(self.wins, self.games)

    def reversed(self, milliseconds: float) -> TrialResult:
        """Return the opponent's result, with its mean milliseconds per move."""
        return TrialResult(self.games - self.wins, self.games, milliseconds)

    def as_json(self) -> dict[str, Any]:
        """Return the result without times, which differ between runs."""
        low, high = self.interval
        return {"wins": self.wins, "games": self.games, "low": round(low, 4), "high": round(high, 4)}

    def __str__(self) -> str:
        low, high = self.interval
        share = self.wins / max(1, self.games)
        return f"{self.wins} of {self.games} ({100 * share:.0f}%, {100 * low:.0f} to {100 * high:.0f})"


def evaluated(
    networks: Mapping[NetworkKind, Trained], radius: int, seed: int, workforce: Workforce, report: Report
) -> dict[NetworkKind, dict[str, TrialResult]]:
    """Return the results, by network and opponent, of each network against each opponent and of two networks against
    each other. All randomness derives from `seed`. Raises RuntimeError when a player fails."""
    terms = ContestTerms.of("bamboo", {"radius": radius}, seed=seed)
    found: dict[NetworkKind, dict[str, TrialResult]] = {kind: {} for kind in networks}
    meetings: list[tuple[NetworkKind, str, int]] = [
        (kind, name, TRIAL_PAIRS) for kind in networks for name in OPPONENT_BOTS
    ]
    meetings += [(kind, other, DUEL_PAIRS) for kind, other in combinations(networks, 2)]
    total = sum(2 * pairs for _, _, pairs in meetings)
    games: list[PlayedGame] = []

    def on_game(played: PlayedGame, _: match.MatchTally) -> bool:
        if played.fault:
            raise RuntimeError(played.fault)
        games.append(played)
        report(Progress("trials", len(games), total))
        return False

    with TemporaryDirectory() as folder:
        words: dict[str, str] = {}
        for kind, trained in networks.items():
            path = Path(folder, file_name(kind, radius))
            save(trained, path)
            words[kind] = f"bamboo-neural:network={path}"
        for kind, name, pairs in meetings:
            before = len(games)
            first, second = words[kind], words.get(name, name)
            openings = random_plies(terms, OPENING_PLIES)
            duel = match.PairedMatch(first, second, terms, openings, pairs)
            tally = match.run(duel, workforce, MemoryGameStore(), until=on_game)
            times = [_milliseconds(games[before:], player) for player in (first, second)]
            found[kind][name] = TrialResult(tally.wins, tally.games, times[0])
            for other in networks:
                if other == name:
                    found[other][kind] = found[kind][name].reversed(times[1])
    return found


def _milliseconds(games: Sequence[PlayedGame], player: str) -> float:
    """Return a player's mean milliseconds per move."""
    efforts = [played.efforts[played.fixture.players.index(player)] for played in games]
    return 1000 * sum(effort.seconds for effort in efforts) / max(1, sum(effort.moves for effort in efforts))
