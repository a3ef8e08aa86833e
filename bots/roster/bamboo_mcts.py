"""The Bamboo paper's Monte Carlo tree search: UCT, random playouts, the tree kept between moves (section IV.C)."""

from __future__ import annotations

from collections import OrderedDict
from random import Random
from typing import ClassVar, Final

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.tree import BambooTreeNode, new_node, run_iteration
from cornered.bots.bot import Bot, Limit, Line, Setting, SettingValue, Thought
from cornered.engine import Game, State
from cornered.engine.games.bamboo import cell_names
from cornered.engine.kernels.hexagon import Position

__all__ = ["BOT", "BambooMctsBot"]

TREES_KEPT: Final = 32
"""How many games' trees are kept."""
TREE_DEPTH_MAX: Final = 127


class BambooMctsBot(Bot):
    name = "bamboo-mcts"
    description = "Bamboo: plays a thousand random games a move and goes where most of the good ones went."
    games: ClassVar[tuple[str, ...] | None] = ("bamboo",)
    score_unit = "result"
    SETTINGS = (
        Setting("iterations", "Random games a move", 1000, low=1, high=1_000_000),
        Setting("c", "How much to explore", 0.4, low=0.0, high=10.0),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._seed = self.chance.getrandbits(64)
        self._kept: OrderedDict[Position, BambooTreeNode] = OrderedDict()
        """The trees below played moves, by position. Searches grow copies, so that another game through the same
        positions starts from the same tree."""

    def prepare(self, game: Game) -> None:
        # Apart from the trees that are kept: those must not depend on it.
        chance = Random(0)
        run_iteration(new_node(bamboo(game.start()).position, chance), 0.4, 1, chance)

    def choose(self, state: State, limit: Limit) -> Thought:
        here = bamboo(state)
        # Chance depends on the position alone: how many other games were played in between does not matter.
        chance = Random(f"{self._seed} {here.game.radius} {here}")
        root = self.recall(here.position) or new_node(here.position, chance)
        iterations, deepest = int(self.settings["iterations"]), limit.depth or TREE_DEPTH_MAX
        done = 0
        while done < min(iterations, limit.nodes or iterations) and (limit.remaining != 0.0 or not root.children):
            run_iteration(root, float(self.settings["c"]), deepest, chance)
            done += 1
        names = cell_names(here.game.radius)
        ranked = sorted(root.children.items(), key=lambda item: -item[1].visits)
        lines = tuple(
            Line(names[move], 2 * child.value - 1, pv=(names[move], *(names[reply] for reply in child.principal())))
            for move, child in ranked
        )
        self._keep(ranked[0][1])
        first = lines[0]
        return Thought(first.move, first.score, depth=1, nodes=done, pv=first.pv, deepest=len(first.pv), lines=lines)

    def recall(self, position: Position) -> BambooTreeNode | None:
        """Return a copy of the kept tree below `position` when the opponent's move leads into one, pruned to the
        current position."""
        for parent in reversed(self._kept.values()):
            for child in parent.children.values():
                if child.position == position:
                    return child.copy()
        return None

    def _keep(self, node: BambooTreeNode) -> None:
        self._kept[node.position] = node
        self._kept.move_to_end(node.position)
        if len(self._kept) > TREES_KEPT:
            self._kept.popitem(last=False)


BOT = BambooMctsBot
