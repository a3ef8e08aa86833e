"""`cornered bench strength`: the champion's versions against each other, on the boards that have a network."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from cornered.bench.duels import MAX_PLIES, Duel
from cornered.bots.evaluate import network_of
from cornered.bots.roster.champion import ChampionBot, distinct_versions
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.learning.plan import SUBJECTS

__all__ = ["DEFAULT_TIMES_MS", "games_with_networks", "replays", "versions"]

DEFAULT_TIMES_MS: Final = (50, 200, 1_000)
"""Milliseconds per move."""


def versions(game: str) -> list[str]:
    """Return the bot words of the champion's versions that differ on the board of a game's network, the first one
    first."""
    board = ContestTerms.of(game, SUBJECTS[game].options).load()
    return [f"{ChampionBot.name}:version={version}" for version in distinct_versions(board)]


def games_with_networks() -> list[str]:
    """Return the games for which a network ships. On other boards all versions are the same."""
    return [
        game
        for game, subject in SUBJECTS.items()
        if network_of(ContestTerms.of(game, subject.options).load()) is not None
    ]


def replays(games: Sequence[str], times: Sequence[int] = DEFAULT_TIMES_MS, *, seed: int = 1) -> list[Duel]:
    """Return the duels of each version with the one before, and of the newest with the first, at each time in
    milliseconds a move. Raises a ValueError for a game without a network."""
    known = games_with_networks()
    for game in games:
        if game not in known:
            raise ValueError(f"no network ships for {game}, so its champions are equal; choose {', '.join(known)}")
    return [
        Duel(newer, older, ContestTerms.of(game, SUBJECTS[game].options, time=time, longest=MAX_PLIES, seed=seed))
        for game in games
        for time in times
        for newer, older in _pairings(versions(game))
    ]


def _pairings(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairings, the newer first: neighbours, and the last and the first."""
    pairings = [(newer, older) for older, newer in itertools.pairwise(words)]
    return pairings if len(words) <= 2 else [*pairings, (words[-1], words[0])]
