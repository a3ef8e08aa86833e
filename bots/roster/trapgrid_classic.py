"""The reference's player (trapgrid-deep-dive): alpha-beta to an adaptive depth over its heuristic, as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Final

from cornered.bots.bot import WIN, Bot, Limit, Line, Proven, Setting, SettingValue, Thought
from cornered.bots.evaluate.trapgrid_classic import WEIGHTS, ClassicBoard, ClassicWeights, heuristic, quick_score
from cornered.bots.textbook.search import OutOfLimit
from cornered.bots.weights.setting import resolve, weights_setting
from cornered.bots.weights.trapgrid import weights
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.engine.kernels.grid import CELL_NAMES

__all__ = ["BOT", "ClassicSearch", "TrapGridClassicBot", "adaptive_depth", "board_of"]

SCORE_WIN: Final = 100_000.0
BASE_DEPTH: Final = 5
MAX_DEPTH_PLIES: Final = 8


def board_of(state: TrapGridState) -> ClassicBoard:
    """Return the position as the board of its mover, the AI and maximiser."""
    free, mover, other, _ = state.position
    return ClassicBoard(int(free), int(mover), int(other), state.game.size)


def adaptive_depth(board: ClassicBoard) -> int:
    """Return section 7's depth, by the smaller number of steps that either pawn has.

    The table is as printed, but no pawn has more than four steps, nor more than three after its first move: the rows
    above 4 never apply, so the depth is 8 or 7.
    """
    fewest = min(len(board.targets(is_max=True)), len(board.targets(is_max=False)))
    if fewest <= 2:
        return min(MAX_DEPTH_PLIES, BASE_DEPTH + 3)
    if fewest <= 4:
        return min(MAX_DEPTH_PLIES, BASE_DEPTH + 2)
    if fewest <= 6:
        return min(MAX_DEPTH_PLIES, BASE_DEPTH + 1)
    return BASE_DEPTH


@dataclass(slots=True)
class ClassicSearch:
    """Minimax with alpha-beta (sections 3 and 4); without `prunes` it is plain minimax, of the same value."""

    deadline: float = math.inf
    most_nodes: float = math.inf
    prunes: bool = True
    weights: ClassicWeights = WEIGHTS
    nodes: int = 0
    pruned: int = 0
    scores: dict[int, tuple[float, bool, tuple[int, ...]]] = field(default_factory=dict)
    """Results of the root's moves: the score, whether it is only a bound, and the line after it."""

    def root(self, board: ClassicBoard, depth: int, *, exact: int = 1) -> float:
        """Search all moves to `depth` and return the best score; `exact` of the moves get an exact one."""
        self.nodes += 1
        for after, target in self.ordered(board, is_max=True):
            known = sorted((score for score, _, _ in self.scores.values()), reverse=True)
            alpha = known[exact - 1] if len(known) >= exact else -math.inf
            score, line = self.minimax(after, depth - 1, alpha, math.inf, is_max=False)
            self.scores[target] = score, score <= alpha, line
        return max(score for score, _, _ in self.scores.values())

    def minimax(
        self, board: ClassicBoard, depth: int, alpha: float, beta: float, *, is_max: bool
    ) -> tuple[float, tuple[int, ...]]:
        """Return the score for the AI and the line that leads there. Raises OutOfLimit."""
        if self.nodes >= self.most_nodes or monotonic() > self.deadline:
            raise OutOfLimit
        self.nodes += 1
        if not board.targets(is_max=is_max):
            return (-SCORE_WIN if is_max else SCORE_WIN), ()
        if depth <= 0:
            return heuristic(board, self.weights), ()
        best = -math.inf if is_max else math.inf
        line: tuple[int, ...] = ()
        moves = self.ordered(board, is_max=is_max)
        for index, (after, target) in enumerate(moves):
            score, rest = self.minimax(after, depth - 1, alpha, beta, is_max=not is_max)
            if score > best if is_max else score < best:
                best, line = score, (target, *rest)
            if is_max:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if self.prunes and beta <= alpha:
                self.pruned += len(moves) - index - 1
                break
        return best, line

    def ordered(self, board: ClassicBoard, *, is_max: bool) -> list[tuple[ClassicBoard, int]]:
        """Return the boards after each move and the moves, in the order in which they are searched (section 5)."""
        moves = [(board.after(target, is_max=is_max), target) for target in board.targets(is_max=is_max)]
        moves.sort(key=lambda move: quick_score(*move), reverse=is_max)
        return moves


class TrapGridClassicBot(Bot):
    name = "trapgrid-classic"
    description = "The reference's player: eight terms, moves sorted by territory, seven or eight plies deep."
    games = ("trapgrid",)
    SETTINGS = (
        Setting("depth", "Plies to look ahead, 0 for as many as the position calls for", 0, 0, 12),
        weights_setting("trapgrid"),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self.weights = weights(resolve(self.settings["weights"], "trapgrid"))

    def choose(self, state: State, limit: Limit) -> Thought:
        assert isinstance(state, TrapGridState)
        started = perf_counter()
        board = board_of(state)
        depth = int(self.settings["depth"]) or adaptive_depth(board)
        depth = min(depth, limit.depth or depth)
        search = ClassicSearch(limit.deadline or math.inf, limit.nodes or math.inf, weights=self.weights)
        is_whole = True
        try:
            search.root(board, depth, exact=limit.lines)
        except OutOfLimit:
            is_whole = False
        order = [target for _, target in search.ordered(board, is_max=True)]
        # Sorting is stable: of equal scores the one that was searched first, which pruned the others, is the best. What
        # was not searched is better than what loses for certain.
        order.sort(key=lambda target: search.scores.get(target, (1 - SCORE_WIN,))[0], reverse=True)
        lines = tuple(_line(target, search, depth) for target in order)
        best = lines[0]
        proven = best.proven if is_whole or best.proven == "win" else None
        return Thought(
            best.move,
            best.score,
            depth if is_whole else 0,
            search.nodes,
            search.pruned,
            best.pv,
            proven,
            deepest=depth if is_whole else 0,
            seconds=perf_counter() - started,
            lines=lines,
        )


def _line(target: int, search: ClassicSearch, depth: int) -> Line:
    """Return what the search found about a move; a terminal's score means a pawn trapped within `depth`."""
    move = _name(target)
    if target not in search.scores:
        return Line(move, pv=(move,))
    score, is_bound, rest = search.scores[target]
    proven: Proven | None = "win" if score >= SCORE_WIN else "loss" if score <= -SCORE_WIN else None
    if proven is not None:
        score = math.copysign(WIN - depth, score)
        is_bound = False
    return Line(move, score, proven, None, depth, (move, *map(_name, rest)), is_bound)


def _name(target: int) -> str:
    return CELL_NAMES[target.bit_length() - 1]


BOT = TrapGridClassicBot
