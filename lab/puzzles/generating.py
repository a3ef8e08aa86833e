"""Looks for puzzles in games between careless bots: often enough one of them lets the other win."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from cornered import engine
from cornered.bots.evaluate import evaluator
from cornered.engine import Game, OptionValue, State
from cornered.engine.records.files import replacing
from cornered.lab.puzzles.puzzle import MOST_PLIES, Puzzle, PuzzleData, puzzle_of, solution

__all__ = ["BOARDS", "Collection", "generate"]

BOARDS: Final[Mapping[str, tuple[Mapping[str, int], ...]]] = {
    "bamboo": ({"radius": 2}, {"radius": 3}),
    "isolation": ({"width": 5, "height": 5}, {"width": 6, "height": 6}, {"width": 7, "height": 7}),
    "quoridor": ({"size": 5, "walls": 1}, {"size": 7, "walls": 1}, {"size": 5, "walls": 2}),
    "trapgrid": ({"size": 5}, {"size": 6}, {"size": 7}),
}
"""The boards of each game's puzzles, all of which the solvers settle."""
CARELESSNESS: Final = 0.35
"""The share of random moves in the games that are searched."""
SHARES: Final = {1: 0.1, 2: 0.3, 3: 0.3, 4: 0.3}
"""The share of puzzles in so many own moves; the last includes all that take more."""
EASY_GRADE_SHARE: Final = 0.2
"""The share of puzzles, those in one move left aside, whose move the evaluation alone finds."""


@dataclass
class Collection:
    """The puzzles of one game, and how far its games have been searched."""

    game: str
    seed: int
    size: int
    games: int = 0
    """Games searched so far."""
    puzzles: list[Puzzle] = field(default_factory=list)
    _keys: set[str] = field(default_factory=set)
    _counts: Counter[int] = field(default_factory=Counter)
    _easy: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.puzzles) >= self.size

    def _wants(self, puzzle: Puzzle) -> bool:
        if self.is_full or puzzle.key in self._keys:
            return False
        if self._counts[_bucket(puzzle.n)] >= _rounded_up(self.size * SHARES[_bucket(puzzle.n)]):
            return False
        return puzzle.n == 1 or puzzle.grade > 1 or self._easy < self.size * EASY_GRADE_SHARE

    def add(self, puzzle: Puzzle) -> bool:
        """Keep a puzzle if it is a new one of a kind of which there are not enough yet."""
        if not self._wants(puzzle):
            return False
        self._keys.add(puzzle.key)
        self._counts[_bucket(puzzle.n)] += 1
        self._easy += puzzle.n > 1 and puzzle.grade == 1
        self.puzzles.append(puzzle)
        return True

    def text(self) -> str:
        """Return the file: the easiest puzzles first, one a line, so that changes can be read."""
        ordered = sorted(self.puzzles, key=lambda puzzle: (puzzle.grade, puzzle.n, puzzle.id))
        boards: list[Game] = []
        lines = []
        for puzzle in ordered:
            if puzzle.state.game not in boards:
                boards.append(puzzle.state.game)
            data = puzzle.data(boards.index(puzzle.state.game))
            lines.append(json.dumps(data, separators=(",", ":")))
        head = {
            "game": self.game,
            "title": engine.load(self.game).title,
            "seed": self.seed,
            "games": self.games,
            "boards": [{"options": _given(board), "start": str(board.start())} for board in boards],
        }
        return f'{json.dumps(head)[:-1]}, "puzzles": [\n' + ",\n".join(lines) + "\n]}\n"

    def write(self, path: Path) -> None:
        """Replace the file; a kill leaves the old one or the new one."""
        with replacing(path) as new:
            new.write_text(self.text(), encoding="utf-8")

    def resume(self, path: Path) -> None:
        """Take over the puzzles of an earlier run with the same seed, and go on behind the games that it searched.

        Raises ValueError where the file is another seed's or no file of puzzles.
        """
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if (found["game"], found["seed"]) != (self.game, self.seed):
                raise ValueError(
                    f"{path} holds puzzles of {found['game']} with seed {found['seed']}; choose another file"
                )
            boards = [engine.load(self.game, **board["options"]) for board in found["boards"]]
            puzzles: list[PuzzleData] = found["puzzles"]
            for one in puzzles:
                state = boards[one["board"]].parse(one["scenes"][0]["position"])
                self.add(Puzzle(state, tuple(one["line"]), one["grade"]))
            self.games = int(found["games"])
        except (KeyError, IndexError, TypeError) as error:
            raise ValueError(f"{path} is no file of puzzles: {error}") from error


def _given(board: Game) -> dict[str, OptionValue]:
    """Return the options of a board that differ among the game's puzzles; the others have their defaults."""
    return {name: board.options[name] for name in BOARDS[board.name][0]}


def _bucket(n: int) -> int:
    return min(n, max(SHARES))


def _rounded_up(number: float) -> int:
    return -int(-number // 1)


def generate(collection: Collection, most_games: int) -> Iterator[Puzzle | None]:
    """Search games until the collection is full or so many were searched in all; yield after each game the puzzle that
    it gave, or None.

    A game depends on the seed and its number alone, and gives one puzzle at most.
    """
    for options in BOARDS["quoridor"] if collection.game == "quoridor" else ():
        # Tables of the empty board hold every later position, so that each is settled once.
        solution(engine.load("quoridor", **options).start())
    while not collection.is_full and collection.games < most_games:
        kept = next((puzzle for puzzle in _puzzles(collection) if collection.add(puzzle)), None)
        collection.games += 1
        yield kept


def _puzzles(collection: Collection) -> Iterator[Puzzle]:
    """Yield the puzzles of the collection's next game, the longest first.

    The game is searched from its end, up to where it takes too long to decide: there positions are solved at once.
    """
    number = collection.games
    boards = BOARDS[collection.game]
    board = engine.load(collection.game, **boards[number % len(boards)])
    found: list[Puzzle] = []
    for state in reversed(list(_positions(board, _random(collection, number)))):
        solved = solution(state)
        if solved is None or solved.plies is None or solved.plies > MOST_PLIES:
            break
        if (puzzle := puzzle_of(state, solved)) is not None:
            found.append(puzzle)
    yield from reversed(found)


def _random(collection: Collection, number: int) -> Random:
    digest = hashlib.sha256(f"{collection.game} {collection.seed} {number}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def _positions(board: Game, random: Random) -> Iterator[State]:
    """Yield the positions of a game in which both sides look one move ahead, or do not look at all."""
    evaluate = evaluator(board.name).evaluate
    state = board.start()
    while state.outcome is None:
        yield state
        moves = state.moves()
        random.shuffle(moves)
        if random.random() < CARELESSNESS:
            state = state.play(moves[0])
            continue
        mover = state.to_move
        children = [state.play(move) for move in moves]
        won = [child for child in children if child.outcome is not None and child.outcome.winner == mover]
        going_on = [child for child in children if child.outcome is None]
        state = won[0] if won else max(going_on, key=lambda child: evaluate(child, mover), default=children[0])
