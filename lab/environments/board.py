"""A game in progress that is changed in place: the quick way to play in a Python loop."""

from __future__ import annotations

from operator import index
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cornered.engine import Game, IllegalMove, State
from cornered.engine.compile.rows import load, store
from cornered.engine.encoding import Encoding, encoding, encoding_module
from cornered.lab.environments.compiled import beginning, compiled_play, tables
from cornered.lab.environments.template import INDEX, LEGAL, NUMBER, STATUS, WIDTH, WORDS

__all__ = ["Board"]


class Board:
    """One game in progress, by numbers of actions. Not for two threads at once.

        board = Board(game)
        while not board.is_over:
            board.apply(random.choice(board.legal_actions()))

    The rules are those of `State`, and `state` is the position as one.
    """

    __slots__ = ("_choices", "_count", "_history", "_memory", "_play", "_start", "encoding", "game", "is_over")

    game: Game
    encoding: Encoding
    is_over: bool
    """Whether the game has ended."""

    def __init__(self, start: Game | State) -> None:
        """Begin at a game's start or at a position that is not over. Raises ValueError for one that is."""
        self._start = beginning(start)
        self.game = self._start.game
        self.encoding = encoding(self.game)
        self._play = compiled_play(self.game.name)
        self._memory = np.zeros((5, WIDTH), np.int64)
        self._memory[[INDEX, NUMBER]] = tables(self.game)
        self._choices = self._memory[LEGAL].data
        self._history: list[int] = []
        self.reset()

    def reset(self) -> None:
        """Go back to where the board began."""
        store(self._memory[WORDS], self._start.position)  # type: ignore[attr-defined]  # every state of ours has one
        self._history.clear()
        self._count = self._play(self._memory, -1)
        self.is_over = False

    def copy(self) -> Self:
        """Return another board with the same game in progress."""
        made = object.__new__(type(self))
        made.game, made.encoding, made.is_over = self.game, self.encoding, self.is_over
        made._start, made._play, made._count = self._start, self._play, self._count
        made._memory = self._memory.copy()
        made._choices = made._memory[LEGAL].data
        made._history = self._history.copy()
        return made

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        return _played, (self._start, self.history)

    def legal_actions(self) -> list[int]:
        """Return the legal actions in rising order; none when the game is over."""
        legal: list[int] = self._choices[: self._count].tolist()
        return legal

    def apply(self, action: int) -> None:
        """Play an action. Raises IllegalMove, or ValueError for a number of no action, and changes nothing then."""
        action = index(action)
        count = self._play(self._memory, action if action >= 0 else WIDTH)
        if count <= 0:
            if count < 0:
                self._refuse(self.encoding.move(action))
            self.is_over = True
        self._count = count
        self._history.append(action)

    def play(self, move: str) -> None:
        """Play a move in the game's notation, in place. Raises IllegalMove where it is not legal."""
        if move not in self.encoding.move_numbers:
            self._refuse(move)
        self.apply(self.encoding.action(move))

    @property
    def to_move(self) -> int:
        """The seat to move, or `engine.CHANCE` before a roll."""
        return int(self._memory[STATUS, 1])

    @property
    def winner(self) -> int | None:
        """The seat that has won; None for a draw, and while the game goes on."""
        found = int(self._memory[STATUS, 2])
        return found if found >= 0 else None

    def returns(self) -> list[float]:
        """Return for each seat 1 when it has won, -1 when another has, and 0 otherwise."""
        winner = self.winner
        if winner is None:
            return [0.0] * self.game.seats
        return [1.0 if seat == winner else -1.0 for seat in range(self.game.seats)]

    def mask(self) -> npt.NDArray[np.bool_]:
        """Return for every action whether it is legal, as booleans of shape (actions,)."""
        mask = np.zeros(self.encoding.count, np.bool_)
        mask[self._memory[LEGAL, : self._count]] = True
        return mask

    def observation(self) -> npt.NDArray[np.float32]:
        """Return the planes as the mover sees them, as 32-bit floats of `encoding.shape`."""
        planes = np.zeros(self.encoding.shape, np.float32)
        like: Any = self._start.position  # type: ignore[attr-defined]  # every state of ours has one
        position = load(self._memory[WORDS], like)
        encoding_module(self.game.name).observe(position, planes.reshape(-1), *self.encoding.shape[1:])
        return planes

    @property
    def history(self) -> tuple[int, ...]:
        """The actions since the board began."""
        return tuple(self._history)

    @property
    def state(self) -> State:
        """The position as an immutable state, played again from where the board began."""
        state = self._start
        for action in self._history:
            state = state.play(self.encoding.actions[action])
        return state

    def _refuse(self, move: str) -> None:
        raise IllegalMove(move, "the game is over" if self.is_over else self.state.explain(move))


def _played(start: State, actions: tuple[int, ...]) -> Board:
    """Return the board of a pickle."""
    board = Board(start)
    for action in actions:
        board.apply(action)
    return board
