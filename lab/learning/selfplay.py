"""Games that the compiled search plays against itself, a number of nodes a move, from random openings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from cornered.bots.evaluate import evaluation_module
from cornered.bots.nnue.network import Network, install, load
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import Searcher, Style
from cornered.bots.search.template import INFINITE_SCORE, PROVEN_SCORE
from cornered.engine import Game
from cornered.lab.learning.plan import SUBJECTS, LearningPlan, Subject
from cornered.lab.learning.positions import Positions, maker

__all__ = ["TEACHER", "play_shard", "searcher_with"]

FIRST_MOVES: Final = 4
"""A subject's `first_share` is of so many."""
EXPLORE: Final = 0.04
"""The probability that a random move is played in the place of the search's."""
NOISE_SHARE: Final = 0.3
"""The probability that the search of a move breaks ties by chance: it orders moves as a helper does."""
GOES_ON_THOUGH_PROVEN: Final = 0.1
"""The probability that a game goes on after a move whose game is proven, and the one before."""
MAX_PLIES: Final = 160
"""Longer games are drawn."""
REPETITIONS: Final = 3
"""A position that comes so often is a draw."""
DEEPEST: Final = 30
TEACHER: Final = Style(learnt=True, preference_weight=16)
"""How its games are searched: without the pruning that players tune, so that equal commands give equal games."""


def searcher_with(game: Game, network: Network | None) -> Searcher:
    """Return a search with a memory of its own that evaluates by a network, or by hand without one."""
    searcher = Searcher(game, SearchMemory.private())
    if network is not None:
        record = searcher.memory.scratch(game, searcher.made.scratch)
        install(network, evaluation_module(game.name).FEATURES.turned(), record)  # type: ignore[union-attr]
    return searcher


class _Player:
    """Plays games against itself, with a network or without one."""

    def __init__(self, subject: Subject, game: Game, network: Network | None, nodes: int) -> None:
        self._subject = subject
        self._searcher = searcher_with(game, network)
        self._made = self._searcher.made
        self._memory = self._searcher.memory
        self._scratch = self._memory.scratch(game, self._made.scratch)
        self._has_network = network is not None
        self._has_preferences = network is not None and bool(self._scratch.has_preferences)
        self._nodes = nodes
        self._buffer = np.zeros(MAX_MOVES_PER_POSITION, np.int64)
        self._start: Any = game.start().position  # type: ignore[attr-defined]  # every game of ours has one
        self._typed = maker(self._start)

    def play(self, chance: Random) -> tuple[list[tuple[Any, int, int]], int]:
        """Play a game; return its positions that were searched, each with the score and the best move, and the result
        for seat 0."""
        hooks, position = self._made.hooks, self._start
        self._memory.table.words[:] = 0
        random_plies = chance.choice(self._subject.random_plies)
        seen: Counter[int] = Counter()
        searched: list[tuple[Any, int, int]] = []
        for ply in range(MAX_PLIES):
            if hooks["lost"](position):
                return searched, 1 if position.turn == 1 else -1
            if hooks["drawn"](position):
                break
            if ply < random_plies:
                position = self._after(position, self._random(position, chance, self._subject.first_share))
                continue
            here = int(hooks["key"](position))
            seen[here] += 1
            if seen[here] == REPETITIONS:
                break
            score, move = self._search(position, chance)
            is_known = abs(score) > PROVEN_SCORE and len(searched) > 1 and abs(searched[-1][1]) > PROVEN_SCORE
            if is_known and chance.random() >= GOES_ON_THOUGH_PROVEN:
                return searched, 1 if (score > 0) == (position.turn == 0) else -1
            searched.append((position, score, move))
            if chance.random() < EXPLORE:
                move = self._random(position, chance, 0.0)
            position = self._after(position, move)
        return searched, 0

    def _after(self, position: Any, move: int) -> Any:
        return self._typed(self._made.hooks["advance"](position, move))

    def _random(self, position: Any, chance: Random, share: float) -> int:
        count = self._made.hooks["gen"](position, self._buffer)
        first = chance.random() < share
        return int(self._buffer[chance.randrange(min(count, FIRST_MOVES) if first else count)])

    def _search(self, position: Any, chance: Random) -> tuple[int, int]:
        """Return the score and the move of the deepest search that the nodes allow."""
        workspace = self._memory.own
        TEACHER.write(workspace, has_network=self._has_network, has_preferences=self._has_preferences)
        workspace.salt = 1
        workspace.order_noise = 2 * chance.randrange(1 << 16) + 1 if chance.random() < NOISE_SHARE else 0
        workspace.age = self._memory.next_age()
        workspace.limit, workspace.nodes, workspace.stopped = self._nodes, 0, 0
        workspace.killers[:] = -1
        workspace.history[:] = 0
        score, move = 0, -1
        for depth in range(1, DEEPEST + 1):
            found = self._made.search(
                position,
                depth,
                -INFINITE_SCORE,
                INFINITE_SCORE,
                0,
                workspace,
                self._memory.table,
                self._scratch,
            )
            if workspace.stopped:
                break
            score = int(found)
            if workspace.pv_length[0] > 0:
                move = int(workspace.pv[0, 0])
            if abs(score) > PROVEN_SCORE:
                break
        return score, move if move >= 0 else self._random(position, chance, 0.0)


def play_shard(plan: LearningPlan, generation: int, network: Path | None, shard: int) -> Positions:
    """Play the games of a file with the network of a file, or by hand-written rules without one. Equal arguments give
    equal rows."""
    game = plan.load()
    player = _Player(SUBJECTS[plan.game], game, None if network is None else load(network).network, plan.nodes)
    fields: list[Any] = []
    scores, moves, results, games = [], [], [], []
    for number in plan.numbers(shard):
        searched, result = player.play(Random(f"{plan.seed} {generation} {number}"))
        for position, score, move in searched:
            fields.append(position)
            scores.append(score)
            moves.append(move)
            results.append(result if position.turn == 0 else -result)
            games.append(number)
    width = len(game.start().position)  # type: ignore[attr-defined]  # every game of ours has one
    return Positions(
        np.array(fields, np.int64).reshape(len(fields), width),
        np.array(scores, np.int32),
        np.array(moves, np.int16),
        np.array(results, np.int8),
        np.array(games, np.int32),
    )
