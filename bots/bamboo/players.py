"""Bots that play Bamboo by the paper's minimax, wholly or in part."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final, cast

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.minimax import STOP, GroupKind, PruningKind, new_counters, search
from cornered.bots.bot import Bot, Limit, Line, Setting, Thought
from cornered.bots.kernels.timer import deadline_timer
from cornered.engine import Game
from cornered.engine.games.bamboo import BambooState, cell_names

__all__ = ["DEPTH_SETTING", "GROUPS", "PRUNING", "MinimaxPlayer", "minimax"]

PRUNING: Final = Setting("pruning", "How branches are cut off", "sorted", choices=("plain", "pruned", "sorted"))
GROUPS: Final = Setting("groups", "Groups that count: all, or of two stones or more", "all", choices=("all", "pairs"))
DEPTH_SETTING: Final = Setting("depth", "Plies to look ahead", 2, low=1, high=8)


def minimax(state: BambooState, limit: Limit, depth: int, pruning: PruningKind, groups: GroupKind = "all") -> Thought:
    """Return the thought of the paper's minimax, `depth` plies deep or to the limit.

    Scores are the mover's. At the limit, the best of the finished moves is played.
    """
    counters = new_counters(limit.nodes, groups)
    with deadline_timer(limit.remaining, partial(counters.__setitem__, STOP, 1)):
        depth = min(depth, limit.depth or depth)
        found = search(state.position, state.game.radius, depth, pruning, counters, limit.lines)
    names, sign = cell_names(state.game.radius), 1 if state.to_move == 0 else -1
    lines = [
        Line(names[move], float(sign * value), depth=depth, pv=(names[move],), is_bound=move not in found.exact)
        for move, value in found.values.items()
    ]
    move = names[found.move]
    lines.sort(key=lambda line: (line.move != move, line.is_bound, -(line.score or 0.0)))
    return Thought(
        move,
        None if found.value is None else float(sign * found.value),
        depth=depth if found.value is not None else 0,
        nodes=found.nodes,
        pruned=found.pruned,
        pv=(move,),
        deepest=depth if found.value is not None else 0,
        lines=tuple(lines),
    )


class MinimaxPlayer(Bot):
    """A bot with the settings of the paper's minimax."""

    games: ClassVar[tuple[str, ...] | None] = ("bamboo",)

    def prepare(self, game: Game) -> None:
        minimax(bamboo(game.start()), Limit(nodes=3), 2, "sorted")

    def look_ahead(self, state: BambooState, limit: Limit) -> Thought:
        pruning = cast(PruningKind, self.settings["pruning"])
        groups = cast(GroupKind, self.settings["groups"])
        return minimax(state, limit, int(self.settings["depth"]), pruning, groups)
