"""A puzzle: a position with one winning move at every own turn, the line, and all that the page needs to play it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, TypedDict

from cornered.bots.bot import Limit
from cornered.bots.solve import Solution, solver
from cornered.engine import State
from cornered.lab.puzzles.grading import depth_to_find
from cornered.lab.puzzles.scene import Scene, scene
from cornered.lab.puzzles.symmetry import standard

__all__ = ["MOST_PLIES", "Puzzle", "PuzzleData", "puzzle_of", "solution", "winning_line"]

MOST_PLIES: Final = 15
"""Moves of both sides in the longest puzzle."""
ID_DIGITS: Final = 6
GOALS: Final = {
    "bamboo": "leave the other side no cell for a stone",
    "isolation": "leave the other piece no cell to slide to",
    "quoridor": "reach the far side",
    "trapgrid": "leave the other piece no cell to step to",
}


class PuzzleData(TypedDict):
    """A puzzle in the shipped files. `board` is an index into the file's boards; `scenes` has one entry more than
    `line`; the moves of even index are the solver's."""

    id: str
    board: int
    seat: int
    n: int
    grade: int
    goal: str
    line: list[str]
    scenes: list[Scene]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A proven puzzle: `line` wins, each own move of it is the only one that does, and each reply resists longest."""

    state: State
    line: tuple[str, ...]
    grade: int

    @property
    def n(self) -> int:
        """How many own moves the win takes."""
        return (len(self.line) + 1) // 2

    @property
    def key(self) -> str:
        """The same text for puzzles that are images of each other."""
        options = ",".join(f"{name}={value}" for name, value in self.state.game.options.items())
        return f"{options} {standard(self.state)}"

    @property
    def id(self) -> str:
        """A name that stays when puzzles are added or left out."""
        return f"{self.state.game.name}-{hashlib.sha256(self.key.encode()).hexdigest()[:ID_DIGITS]}"

    @property
    def goal(self) -> str:
        """What to do, in one sentence."""
        aim = GOALS.get(self.state.game.name, "win the game")
        return f"Win at once: {aim}." if self.n == 1 else f"Win in {self.n} moves: {aim}."

    def data(self, board: int) -> PuzzleData:
        """Return the puzzle as it ships; legal moves only where it is the player's turn."""
        scenes = []
        state = self.state
        for ply, move in enumerate((*self.line, "")):
            shown = scene(state)
            if ply % 2 or not move:
                shown.pop("moves", None)
            scenes.append(shown)
            state = state.play(move) if move else state
        seat = self.state.to_move
        return PuzzleData(
            id=self.id,
            board=board,
            seat=seat,
            n=self.n,
            grade=self.grade,
            goal=self.goal,
            line=list(self.line),
            scenes=scenes,
        )


def solution(state: State) -> Solution | None:
    """Return the solution of a position where the solver answers at once."""
    of_game = solver(state.game.name)
    assert of_game is not None, f"{state.game.name} has no solver"
    return of_game.solve(state, Limit()) if of_game.is_within_reach(state) else None


def winning_line(state: State, found: Solution | None) -> tuple[str, ...] | None:
    """Return the line from `state`, whose solution is `found`, in which each own move is the only one that wins and
    each reply the longest loss; None where there is none within MOST_PLIES, or the first move is the only legal one."""
    line: list[str] = []
    plies = found.plies if found is not None and found.value == "win" else None
    if found is None or plies is None or plies > MOST_PLIES or len(found.moves) < 2:
        return None
    while state.outcome is None:
        if line:
            found = solution(state)
        if found is None or found.plies != plies - len(line):
            return None
        if len(line) % 2 == 0 and len(found.winning) != 1:
            return None
        move = found.best[0]
        line.append(move)
        state = state.play(move)
    return tuple(line)


def puzzle_of(state: State, found: Solution | None) -> Puzzle | None:
    """Return the puzzle that starts at `state`, whose solution is `found`; None without one, or without a grade."""
    line = winning_line(state, found)
    grade = None if line is None else depth_to_find(state, line[0], len(line))
    return None if line is None or grade is None else Puzzle(state, line, grade)
