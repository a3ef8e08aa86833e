"""Ten levels for people, from a beginner's to full strength: limited depth, and random errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cornered.bots.bot import Limit, Line, Setting, SettingValue, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.roster.champion import ChampionBot
from cornered.bots.search.borrower import MemoryBorrower
from cornered.bots.search.searcher import Searcher
from cornered.bots.textbook.deepening import search
from cornered.engine import Game, State

if TYPE_CHECKING:
    from cornered.bots.search.memory import SearchMemory

__all__ = ["BOT", "LADDER", "LevelBot", "LevelSettings"]


@dataclass(frozen=True, slots=True)
class LevelSettings:
    """A level: a search of `depth` plies and `nodes` nodes at most, then a random choice (softmax): a move `warmth`
    below the best is e times less likely; with probability `slip` any move is chosen."""

    depth: int
    nodes: int
    warmth: float
    slip: float = 0.0


LADDER: Final[Mapping[str, tuple[LevelSettings, ...]]] = {
    "trapgrid": (
        LevelSettings(1, 100, 9.0, 0.9),
        LevelSettings(1, 100, 9.0, 0.6),
        LevelSettings(1, 100, 9.0, 0.35),
        LevelSettings(1, 100, 5.0, 0.22),
        LevelSettings(1, 100, 4.0, 0.13),
        LevelSettings(1, 100, 2.5, 0.06),
        LevelSettings(1, 100, 1.8),
        LevelSettings(2, 300, 1.5),
        LevelSettings(8, 5_000, 0.6),
    ),
    "isolation": (
        LevelSettings(1, 100, 9.0, 0.5),
        LevelSettings(1, 100, 5.0, 0.2),
        LevelSettings(1, 100, 2.0, 0.05),
        LevelSettings(2, 1_000, 1.5),
        LevelSettings(2, 2_000, 0.5),
        LevelSettings(3, 5_000, 0.3),
        LevelSettings(4, 15_000, 0.1),
        LevelSettings(5, 50_000, 0.0),
        LevelSettings(7, 150_000, 0.0),
    ),
    "bamboo": (
        LevelSettings(1, 200, 9.0, 0.5),
        LevelSettings(1, 200, 3.5, 0.12),
        LevelSettings(2, 2_000, 2.0),
        LevelSettings(2, 4_000, 1.1),
        LevelSettings(2, 4_000, 0.65),
        LevelSettings(2, 4_000, 0.4),
        LevelSettings(2, 4_000, 0.22),
        LevelSettings(2, 8_000, 0.0),
        LevelSettings(4, 30_000, 0.0),
    ),
    "quoridor": (
        LevelSettings(1, 200, 3.0, 0.4),
        LevelSettings(1, 200, 1.8, 0.18),
        LevelSettings(1, 200, 1.1, 0.08),
        LevelSettings(1, 200, 0.7, 0.03),
        LevelSettings(2, 1_000, 0.5),
        LevelSettings(2, 2_000, 0.2),
        LevelSettings(3, 4_000, 0.1),
        LevelSettings(4, 8_000, 0.03),
        LevelSettings(5, 20_000, 0.0),
    ),
}
"""The first nine levels of each game, measured by `cornered bench ladder`; the tenth is `champion:version=1`."""

QUICK_NODES_MAX: Final = 2_000
"""Nodes of a level that answers within milliseconds."""
DEFAULT_LADDER_GAME: Final = "isolation"
"""Whose rungs a game without its own is played by."""


class LevelBot(MemoryBorrower):
    name = "level"
    description = "Ten levels for people: 1 hardly looks, 10 is the champion without networks."
    SETTINGS = (Setting("level", "How strong", 5, 1, 10),)

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self.level = int(self.settings["level"])
        # Of all levels only the last one thinks as hard as it can.
        self.helps = self.level == 10
        self.is_quick = all(
            self.level <= len(rungs) and rungs[self.level - 1].nodes <= QUICK_NODES_MAX for rungs in LADDER.values()
        )
        # Without networks, as it was when the steps and the ratings of the levels were measured.
        self._champion = ChampionBot(seed, version=1)

    def lend(self, memory: SearchMemory) -> None:
        self._champion.lend(memory)

    def prepare(self, game: Game) -> None:
        self._champion.prepare(game)

    def choose(self, state: State, limit: Limit) -> Thought:
        rungs = LADDER.get(state.game.name, LADDER[DEFAULT_LADDER_GAME])
        if self.level > len(rungs):
            return self._champion.choose(state, limit)
        rung = rungs[self.level - 1]
        nodes = rung.nodes if limit.nodes is None else min(rung.nodes, limit.nodes)
        depth = rung.depth if limit.depth is None else min(rung.depth, limit.depth)
        within = replace(limit, nodes=nodes, depth=depth)
        if not Searcher.supports(state.game):
            return self._slip(state, search(state, within, evaluator(state.game.name), self.chance), rung)
        if rung.warmth:
            within = replace(within, lines=len(state.moves()))
        return self._slip(state, Searcher(state.game).search(state, within), rung)

    def _slip(self, state: State, thought: Thought, rung: LevelSettings) -> Thought:
        """Return the thought with the move that this level picks after all."""
        lines = [line for line in thought.lines if line.score is not None and not line.is_bound]
        if self.chance.random() < rung.slip:
            move = self.chance.choice(state.moves())
        elif rung.warmth and lines:
            best = max(line.score or 0.0 for line in lines)
            weights = [math.exp(((line.score or 0.0) - best) / rung.warmth) for line in lines]
            move = self.chance.choices([line.move for line in lines], weights)[0]
        else:
            return thought
        if move == thought.move:
            return thought
        line = next((line for line in thought.lines if line.move == move), Line(move, pv=(move,)))
        first = (line, *(other for other in thought.lines if other is not line))
        score = None if line.is_bound else line.score
        return replace(
            thought,
            move=move,
            score=score,
            pv=line.pv or (move,),
            proven=line.proven,
            plies=line.plies,
            lines=first if thought.lines else (),
        )


BOT = LevelBot
