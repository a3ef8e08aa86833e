"""Walks the shortest path home, and puts walls before opponents that are ahead."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.evaluate.rings import Maze, state_candidates
from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.kernels.walls import GONE

__all__ = ["BOT", "QuoridorPathBot"]


class QuoridorPathBot(Bot):
    """The specification's pathfinding agent (quoridor-specification, "Other Agents"). Ties go to the first move."""

    name = "quoridor-path"
    description = "Walks its shortest way home, and puts a wall across the way of the player ahead."
    games = ("quoridor",)

    def choose(self, state: State, limit: Limit) -> Thought:
        assert isinstance(state, QuoridorState)
        mover = state.to_move
        steps = ways(state)
        rivals = [seat for seat in steps if seat != mover]
        first = min(rivals, key=lambda seat: steps[seat])
        moves = [move for move in state.moves() if len(move) != 3]
        looked_at = len(moves)

        def own_steps(move: str) -> int:
            after = state.play(move)
            return -1 if after.outcome is not None else ways(after)[mover]

        move = min(moves, key=own_steps)
        if steps[first] < steps[mover] and state.stocks()[mover]:
            walls = [wall for wall in state_candidates(state) if len(wall) == 3]
            if limit.nodes is not None:
                walls = walls[: max(0, limit.nodes - looked_at)]
            looked_at += len(walls)
            gains = {wall: _gain(steps, ways(state.play(wall)), mover, first) for wall in walls}
            best = max(walls, key=lambda wall: gains[wall], default=None)
            if best is not None and gains[best] > 0:
                move = best
        return Thought(move, nodes=looked_at, pv=(move,))


def ways(state: QuoridorState) -> dict[int, int]:
    """Return how many steps the shortest path of each seat that still plays takes."""
    maze = Maze.of(state.position)
    return {seat: len(maze.rings(state.position, seat)) - 1 for seat, pawn in enumerate(state.pawns()) if pawn != GONE}


def _gain(before: dict[int, int], after: dict[int, int], mover: int, rival: int) -> int:
    """Return by how many steps a wall throws the rival back, less those that it costs the mover."""
    return after[rival] - before[rival] - (after[mover] - before[mover])


BOT = QuoridorPathBot
