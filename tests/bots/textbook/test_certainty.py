"""Proofs at chance nodes: a synthetic game in which all dice outcomes but one win."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import Evaluator
from cornered.bots.textbook.deepening import search
from cornered.bots.textbook.expectiminimax import expectiminimax, farthest, score
from cornered.bots.textbook.search import CERTAIN_SCORE, TextbookSearch
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, Game, Outcome, State

GAME = engine.load("isolation", dice=True)


@dataclass(frozen=True)
class Luck(State):
    """Seat 0 moves, the dice roll, and so on `left` times; with `unlucky` the game is undecided if all of them show
    1."""

    left: int
    unlucky: bool
    is_roll: bool = False
    ones: bool = True
    game: Game = GAME

    @property
    def to_move(self) -> int:
        return CHANCE if self.is_roll else 0

    @property
    def outcome(self) -> Outcome | None:
        is_over = not self.left and not (self.unlucky and self.ones)
        return Outcome(0, (1, 2)) if is_over else None

    def moves(self) -> list[str]:
        return ["1", "2", "3"] if self.is_roll else ["a1"]

    def play(self, move: str) -> Luck:
        if not self.is_roll:
            return Luck(self.left, self.unlucky, True, self.ones)
        return Luck(self.left - 1, self.unlucky, False, self.ones and move == "1")

    def leave(self, seat: int) -> Luck:
        return self

    def explain(self, move: str) -> str:
        return "it is"

    def perft(self, depth: int) -> int:
        return 1

    def __str__(self) -> str:
        return "luck"


def test_a_win_by_every_roll_but_one_is_not_certain() -> None:
    best = Evaluator(lambda state, seat: 999.0)
    for rolls in (1, 2, 3, 4):
        limit = Limit(depth=2 * rolls)
        lucky = search(Luck(rolls, unlucky=True), limit, best, random.Random(1))
        assert lucky.score is not None
        assert rolls < 3 or lucky.score > CERTAIN_SCORE, "the mean alone would look like a win"
        assert lucky.proven is None
        sure = search(Luck(rolls, unlucky=False), limit, best, random.Random(1))
        assert (sure.score, sure.proven) == (WIN - 2 * rolls, "win")


def test_nor_does_it_score_like_one() -> None:
    def value(rolls: int, *, unlucky: bool) -> float:
        work = TextbookSearch(0, lambda state, seat: 999.0)
        return score(expectiminimax(Luck(rolls, unlucky), 2 * rolls, 0, work)[0], work.deepest, 3)

    for rolls in (1, 2, 3, 4):
        assert value(rolls, unlucky=True) <= 999
        assert value(rolls, unlucky=False) == WIN - 2 * rolls
    assert farthest(2) < farthest(1) < 1
