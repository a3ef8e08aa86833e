"""Ten levels for people, from a beginner's to full strength: a short look with errors like those of people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Final

from cornered.bots.bot import WIN, Limit, Line, Setting, SettingValue, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.roster.champion import ChampionBot
from cornered.bots.search.borrower import MemoryBorrower
from cornered.bots.search.searcher import Searcher
from cornered.bots.textbook.deepening import search
from cornered.engine import Game, State

if TYPE_CHECKING:
    from cornered.bots.search.memory import SearchMemory

__all__ = ["BOT", "FIRST_SURE_LEVEL", "LADDER", "LevelBot", "LevelSettings"]


@dataclass(frozen=True, slots=True)
class LevelSettings:
    """A level: a search of `depth` plies and `nodes` nodes at most, and two kinds of errors.

    With probability `overlook`, for each move by itself, what the search found out about a move is not seen, and it is
    judged at a glance: by the static evaluation of the position after it. So a move that looks as good as it is is
    never misjudged, a reply that refutes a natural move may be missed, and so may an unnatural move that is good; the
    error is as large as what calculation changes. Then a move that is judged `warmth` below the best, in moves' worth,
    is e times less likely (softmax).

    A win by the move itself is always played. A search of two plies or more never overlooks an end of the game
    within two plies.
    """

    depth: int
    nodes: int
    overlook: float
    warmth: float


LADDER: Final[Mapping[str, tuple[LevelSettings, ...]]] = {
    "trapgrid": (
        LevelSettings(1, 200, 1.0, 40.0),
        LevelSettings(1, 200, 1.0, 19.5),
        LevelSettings(1, 200, 1.0, 13.5),
        LevelSettings(1, 200, 1.0, 9.6),
        LevelSettings(1, 200, 1.0, 5.6),
        LevelSettings(1, 200, 0.77, 2.4),
        LevelSettings(2, 500, 0.62, 1.1),
        LevelSettings(2, 500, 0.58, 0.83),
        LevelSettings(6, 5_000, 0.05, 0.15),
    ),
    "isolation": (
        LevelSettings(1, 200, 1.0, 6.0),
        LevelSettings(1, 200, 0.9, 2.6),
        LevelSettings(2, 1_000, 0.62, 1.15),
        LevelSettings(2, 1_500, 0.19, 0.32),
        LevelSettings(3, 6_000, 0.15, 0.285),
        LevelSettings(4, 18_000, 0.088, 0.168),
        LevelSettings(5, 32_000, 0.012, 0.035),
        LevelSettings(7, 36_000, 0.0, 0.0),
        LevelSettings(9, 120_000, 0.0, 0.0),
    ),
    "bamboo": (
        LevelSettings(2, 2_000, 0.38, 0.67),
        LevelSettings(2, 2_700, 0.265, 0.515),
        LevelSettings(2, 3_500, 0.172, 0.39),
        LevelSettings(2, 4_700, 0.106, 0.29),
        LevelSettings(2, 7_200, 0.057, 0.208),
        LevelSettings(3, 10_800, 0.026, 0.143),
        LevelSettings(4, 14_500, 0.0145, 0.1),
        LevelSettings(4, 28_000, 0.004, 0.045),
        LevelSettings(6, 55_000, 0.0, 0.0),
    ),
    "quoridor": (
        LevelSettings(1, 200, 0.8, 1.3),
        LevelSettings(2, 1_000, 0.84, 0.86),
        LevelSettings(2, 1_000, 0.66, 0.66),
        LevelSettings(2, 1_100, 0.466, 0.49),
        LevelSettings(2, 2_000, 0.26, 0.27),
        LevelSettings(2, 5_000, 0.12, 0.125),
        LevelSettings(3, 6_000, 0.085, 0.095),
        LevelSettings(5, 8_400, 0.03, 0.035),
        LevelSettings(6, 4_000, 0.0, 0.0),
    ),
}
"""The first nine levels of each game, measured by `cornered bench ladder`; the tenth is `champion:version=1`."""

FIRST_SURE_LEVEL: Final = 8
"""The lowest level that overlooks nothing that its search has proven, so that it throws away no such win."""
QUICK_NODES_MAX: Final = 4_000
"""Nodes of a level that answers within milliseconds."""
DEFAULT_LADDER_GAME: Final = "isolation"
"""Whose rungs a game without its own is played by."""
IMMEDIATE_PLIES: Final = 2
"""Distance in plies of an end of the game that a search of this depth never overlooks."""


class LevelBot(MemoryBorrower):
    name = "level"
    description = "Ten levels for people: 1 hardly looks, 10 is the champion without networks."
    SETTINGS = (Setting("level", "How strong", 5, 1, 10),)

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self.level = int(self.settings["level"])
        self.is_quick = all(
            self.level <= len(rungs) and rungs[self.level - 1].nodes <= QUICK_NODES_MAX for rungs in LADDER.values()
        )
        # Without networks, as it was when the steps and the ratings of the levels were measured.
        self._champion = ChampionBot(seed, version=1)

    def gains_from_help(self, game: Game) -> bool:
        # Of all levels only the last one thinks as hard as it can.
        return self.level == 10 and self._champion.gains_from_help(game)

    def lend(self, memory: SearchMemory) -> None:
        self._champion.lend(memory)

    def prepare(self, game: Game) -> None:
        self._champion.prepare(game)

    def choose(self, state: State, limit: Limit) -> Thought:
        rungs = LADDER.get(state.game.name, LADDER[DEFAULT_LADDER_GAME])
        if self.level > len(rungs):
            return self._champion.choose(state, limit)
        rung = rungs[self.level - 1]
        thought = self._search(state, limit, rung)
        return _with_move(thought, self._judge(state, thought, rung))

    def _search(self, state: State, limit: Limit, rung: LevelSettings) -> Thought:
        nodes = rung.nodes if limit.nodes is None else min(rung.nodes, limit.nodes)
        depth = rung.depth if limit.depth is None else min(rung.depth, limit.depth)
        within = replace(limit, nodes=nodes, depth=depth)
        if rung.overlook or rung.warmth:
            within = replace(within, lines=len(state.moves()))
        if not Searcher.supports(state.game):
            return search(state, within, evaluator(state.game.name), self.chance)
        return Searcher(state.game).search(state, within)

    def _judge(self, state: State, thought: Thought, rung: LevelSettings) -> str:
        """Return the move that this level picks after what its search has found."""
        lines = [(line, line.score) for line in thought.lines if line.score is not None and not line.is_bound]
        if not lines or not (rung.overlook or rung.warmth):
            return thought.move
        glances = [_glance(state, line.move) for line, _ in lines]
        if WIN in glances:
            return lines[glances.index(WIN)][0].move
        # A search counts the reply and a glance does not: without the shift all overlooked moves would look better.
        changes = [score - glance for (line, score), glance in zip(lines, glances, strict=True) if line.proven is None]
        shift = median(changes) if changes else 0.0
        judged = [
            glance + shift if glance != -WIN and self._overlooks(line, rung) else score
            for (line, score), glance in zip(lines, glances, strict=True)
        ]
        best = max(judged)
        if not rung.warmth:
            return lines[judged.index(best)][0].move
        weights = [math.exp((score - best) / rung.warmth) for score in judged]
        return self.chance.choices([line.move for line, _ in lines], weights)[0]

    def _overlooks(self, line: Line, rung: LevelSettings) -> bool:
        """Return whether this level overlooks, this time, what its search has found out about a move."""
        if line.proven is not None and self.level >= FIRST_SURE_LEVEL:
            return False
        is_immediate = line.plies is not None and line.plies <= IMMEDIATE_PLIES
        return not (is_immediate and rung.depth >= IMMEDIATE_PLIES) and self.chance.random() < rung.overlook


def _glance(state: State, move: str) -> float:
    """Return the static evaluation after a move for its player, in moves' worth; `WIN` is the scale of finished
    games."""
    after = state.play(move)
    if after.outcome is None:
        return evaluator(state.game.name).evaluate(after, state.to_move)
    winner = after.outcome.winner
    return 0.0 if winner is None else WIN if winner == state.to_move else -WIN


def _with_move(thought: Thought, move: str) -> Thought:
    """Return the thought with another of its moves, and with what is known of that. What is proven of a worse move is
    not proven of the position."""
    if move == thought.move:
        return thought
    line = next(line for line in thought.lines if line.move == move)
    others = (other for other in thought.lines if other is not line)
    is_as_good = line.proven == thought.proven
    return replace(
        thought,
        move=move,
        score=line.score,
        pv=line.pv,
        proven=thought.proven if is_as_good else None,
        plies=line.plies if is_as_good else None,
        lines=(line, *others),
    )


BOT = LevelBot
