"""Games in numbers, for programs that learn: actions, observations and symmetries. One module a game, found by being
there.

A game's module offers:

- `move_numbers(game) -> dict[str, int]`: each move's notation with its number in the kernels, in the order of actions.
- `board_shape(game)`, `plane_names(game)`: the rows and columns of a plane, and what each plane shows.
- `symmetries(game)`: the symmetries of the rules, the identity first.
- `observe(position, planes, rows, columns)`: the kernel that writes the planes, one after the other.
- `verdict(position)`, `stuck(position)`, `rolls(position)`: kernels that tell how a game goes on: the seat that has
  won, -2 for a draw, -1 while it goes on; the winner where the mover has no move; whether chance is to move.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache, cached_property
from types import ModuleType
from typing import Final

from cornered.engine.compile.arrays import Planes, zeros
from cornered.engine.game import Game, State
from cornered.engine.symmetry import Symmetry

__all__ = ["DRAWN", "GOES_ON", "Encoding", "Symmetry", "encoding", "encoding_module"]

GOES_ON: Final = -1
DRAWN: Final = -2


class Encoding:
    """The numbers of one game under its options. Get it from `encoding`."""

    def __init__(self, game: Game) -> None:
        module = encoding_module(game.name)
        self.game: Final = game
        self.move_numbers: Final[dict[str, int]] = module.move_numbers(game)
        self.actions: Final[tuple[str, ...]] = tuple(self.move_numbers)
        """The notation of each action, by its index. Those of chance, where there are dice, are the last three."""
        self.plane_names: Final[tuple[str, ...]] = module.plane_names(game)
        rows, columns = module.board_shape(game)
        self.shape: Final[tuple[int, int, int]] = (len(self.plane_names), rows, columns)
        """Planes, rows from the bottom, columns from the left."""
        self._indices = {text: index for index, text in enumerate(self.actions)}
        self._observe = module.observe

    @property
    def count(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries of the rules, the identity first."""
        found: tuple[Symmetry, ...] = encoding_module(self.game.name).symmetries(self.game)
        return found

    def action(self, move: str) -> int:
        """Return the action of a move. Raises ValueError for what is no move of the game on any position."""
        if move not in self._indices:
            raise ValueError(f"{move!r} is no move of {self.game!r}; it has {self._range()}")
        return self._indices[move]

    def move(self, action: int) -> str:
        """Return the move of an action. Raises ValueError beyond the last one."""
        if not 0 <= action < len(self.actions):
            raise ValueError(f"{self.game!r} has actions 0 to {len(self.actions) - 1}, not {action}")
        return self.actions[action]

    def legal_actions(self, state: State) -> list[int]:
        """Return the actions that are legal in a position, in rising order; none when the game is over."""
        return [self._indices[move] for move in self._own(state).moves()]

    def mask(self, state: State) -> list[bool]:
        """Return for every action whether it is legal in a position."""
        mask = [False] * len(self.actions)
        for action in self.legal_actions(state):
            mask[action] = True
        return mask

    def observe(self, state: State) -> Planes:
        """Return the planes of a position as the mover sees them, flat: `shape` in one row of 32-bit floats."""
        planes = zeros(self.shape[0] * self.shape[1] * self.shape[2])
        self._observe(self._own(state).position, planes, *self.shape[1:])  # type: ignore[attr-defined]  # all have one
        return planes

    def _own(self, state: State) -> State:
        if state.game != self.game:
            raise ValueError(f"this encodes {self.game!r}, not {state.game!r}")
        return state

    def _range(self) -> str:
        return f"{len(self.actions)}, {self.actions[0]} to {self.actions[-1]}"


@cache
def encoding_module(game: str) -> ModuleType:
    """Return the module named after a game. Raises ValueError where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        raise ValueError(f"there are no numbers for {game!r}: it needs a module of cornered.engine.encoding")
    return importlib.import_module(f"{__name__}.{game}")


@cache
def encoding(game: Game) -> Encoding:
    """Return the numbers of a game. Raises ValueError for one without a module here."""
    return Encoding(game)
