"""Games as games of OpenSpiel, registered as `cornered_trapgrid` and so on when this module is imported. Needs the
extra `openspiel`.

The parameters are the options of the game; -1 stands for an option that is not given. Actions are those of
`cornered.engine.encoding`, and the rolls 1, 2, 3 of chance are its outcomes 0, 1, 2.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyspiel

from cornered import engine
from cornered.engine import CHANCE, Game
from cornered.engine.encoding import encoding
from cornered.engine.kernels.slides import DICE_SIDES
from cornered.lab.environments.board import Board
from cornered.lab.environments.playouts import LONGEST

__all__ = ["openspiel_game"]

PREFIX: Final = "cornered_"
NOT_GIVEN: Final = -1


def openspiel_game(game: Game) -> Any:
    """Return a game as a `pyspiel.Game`: `pyspiel.load_game` with the same name and options returns it too."""
    return pyspiel.load_game(f"{PREFIX}{game.name}", _parameters(type(game), dict(game.options)))


def _parameters(kind: type[Game], options: dict[str, Any]) -> dict[str, Any]:
    return {
        option.name: NOT_GIVEN if options.get(option.name) is None else options[option.name] for option in kind.OPTIONS
    }


def _kind(kind: type[Game], seats: tuple[int, int], *, has_dice: bool) -> Any:
    """Return OpenSpiel's description of a game for so many players at least and at most."""
    return pyspiel.GameType(
        short_name=f"{PREFIX}{kind.name}",
        long_name=f"{kind.title} of Cornered",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=(
            pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC if has_dice else pyspiel.GameType.ChanceMode.DETERMINISTIC
        ),
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM if seats[1] == 2 else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats[1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(kind, {option.name: option.default for option in kind.OPTIONS}),
    )


class _SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """A game of Cornered with its options."""

    kind: type[Game]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {name: value for name, value in (params or {}).items() if value != NOT_GIVEN}
        self.rules = self.kind(**given)
        coded, seats = encoding(self.rules), self.rules.seats
        has_dice = bool(self.rules.options.get("dice"))
        limit = self.rules.options.get("max_plies")
        cells = coded.shape[1] * coded.shape[2]
        super().__init__(
            _kind(self.kind, (seats, seats), has_dice=has_dice),
            pyspiel.GameInfo(
                num_distinct_actions=coded.count - (DICE_SIDES if has_dice else 0),
                max_chance_outcomes=DICE_SIDES if has_dice else 0,
                num_players=seats,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0 if seats == 2 else None,
                max_game_length=int(limit) if limit else cells if self.rules.name != "quoridor" else LONGEST,
            ),
            params or {},
        )

    def __reduce__(self) -> tuple[object, ...]:
        # Its class is made for the rules when this module is imported, and has no name in it.
        return openspiel_game, (self.rules,)

    def new_initial_state(self, state: None = None) -> Any:
        return _SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        return _SpielObserver(encoding(self.rules).shape)


class _SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """One game in progress."""

    def __init__(self, game: _SpielGame) -> None:
        super().__init__(game)
        self.board = Board(game.rules)
        self._first_roll = self.board.encoding.count - DICE_SIDES

    def current_player(self) -> Any:
        if self.board.is_over:
            return pyspiel.PlayerId.TERMINAL
        seat = self.board.to_move
        return pyspiel.PlayerId.CHANCE if seat == CHANCE else seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(outcome, 1 / DICE_SIDES) for outcome in range(DICE_SIDES)]

    def is_terminal(self) -> bool:
        return self.board.is_over

    def returns(self) -> list[float]:
        return self.board.returns()

    def _legal_actions(self, player: int) -> list[int]:
        return self.board.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.board.apply(action + self._first_roll if self.board.to_move == CHANCE else action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.board.encoding.move(action + self._first_roll if player == pyspiel.PlayerId.CHANCE else action)

    def __str__(self) -> str:
        return str(self.board.state)


class _SpielObserver:
    """Writes the planes of a position into a tensor, and its text."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: _SpielState, player: int) -> None:
        self.dict["observation"][:] = state.board.observation()

    def string_from(self, state: _SpielState, player: int) -> str:
        return str(state)


def _register() -> None:
    for kind in engine.games():
        names = {option.name: option.choices for option in kind.OPTIONS}
        most = max(names.get("players", (2,)))
        made = type(f"{kind.__name__}Game", (_SpielGame,), {"kind": kind})
        pyspiel.register_game(_kind(kind, (2, most), has_dice="dice" in names), made)


_register()
