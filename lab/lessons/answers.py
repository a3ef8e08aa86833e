"""What a lesson may ask for: rules that compute the right moves of a position."""

from __future__ import annotations

from cornered.bots.bot import Limit
from cornered.bots.solve import solver
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, sizes
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.text import PositionText

__all__ = ["ends", "fewest_replies", "grows", "jumps", "keeps_groups", "legal", "nearer", "new_group", "slides", "wins"]


def legal(state: State) -> list[str]:
    """Any legal move."""
    return state.moves()


def wins(state: State) -> list[str]:
    """The moves that win against every defence, by the game's solver."""
    of_game = solver(state.game.name)
    found = of_game.solve(state, Limit()) if of_game is not None else None
    if found is None:
        raise ValueError(f"{state} is beyond the solver")
    return list(found.winning)


def ends(state: State) -> list[str]:
    """The moves that win at once."""
    after = {move: state.play(move).outcome for move in state.moves()}
    return [move for move, outcome in after.items() if outcome is not None and outcome.winner == state.to_move]


def fewest_replies(state: State) -> list[str]:
    """The moves that leave the other side the fewest moves."""
    replies = {move: len(state.play(move).moves()) for move in state.moves()}
    return [move for move, count in replies.items() if count == min(replies.values())]


def slides(state: State) -> list[str]:
    """The moves over more than one cell."""
    at = _place(state)
    return [move for move in state.moves() if _distance(at, _cell(move)) > 1]


def jumps(state: State) -> list[str]:
    """The pawn's moves over the other pawn, straight on or sideways."""
    (x, y) = _place(state)
    steps = [move for move in state.moves() if len(move) == 2]
    return [move for move in steps if abs(_cell(move)[0] - x) + abs(_cell(move)[1] - y) == 2]


def nearer(state: State) -> list[str]:
    """The pawn's moves towards its goal's side."""
    assert isinstance(state, QuoridorState)
    _, y = _place(state)
    towards = 1 if state.to_move == 0 else -1
    return [move for move in state.moves() if len(move) == 2 and (_cell(move)[1] - y) * towards > 0]


def _sizes_after(state: State, move: str) -> list[int]:
    assert isinstance(state, BambooState)
    return sizes(state.play(move).stones()[state.to_move])


def _sizes_now(state: State) -> list[int]:
    assert isinstance(state, BambooState)
    return sizes(state.stones()[state.to_move])


def grows(state: State) -> list[str]:
    """Bamboo's moves that make one's largest group larger."""
    largest = max(_sizes_now(state))
    return [move for move in state.moves() if max(_sizes_after(state, move)) > largest]


def new_group(state: State) -> list[str]:
    """Bamboo's moves that begin a group."""
    return [move for move in state.moves() if len(_sizes_after(state, move)) > len(_sizes_now(state))]


def keeps_groups(state: State) -> list[str]:
    """Bamboo's moves that lose no group by joining."""
    return [move for move in state.moves() if len(_sizes_after(state, move)) >= len(_sizes_now(state))]


def _cell(name: str) -> tuple[int, int]:
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def _place(state: State) -> tuple[int, int]:
    """Return file and rank of the mover's piece on a square board."""
    rows = PositionText.parse(str(state)).rows
    row = next(row for row, line in enumerate(rows) if str(state.to_move) in line)
    return rows[row].index(str(state.to_move)), len(rows) - 1 - row


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
