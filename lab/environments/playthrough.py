"""Playthroughs: random games written out ply by ply, as OpenSpiel does, to compare the rules of two versions."""

from __future__ import annotations

from collections.abc import Iterator

from cornered.engine import CHANCE, Game
from cornered.engine.hashing import mixed
from cornered.lab.environments.board import Board

__all__ = ["playthrough"]


def playthrough(game: Game, *, seed: int = 0) -> str:
    """Return one random game as text: at each ply the position, the legal actions, the observation and the choice.

    Equal games and seeds give equal texts, with every version that has the same rules and numbers.
    """
    return "".join(f"{line}\n" for line in _lines(game, seed))


def _lines(game: Game, seed: int) -> Iterator[str]:
    board = Board(game)
    coded = board.encoding
    yield f"game: {game!r}"
    yield f"actions: {coded.count}, {coded.actions[0]} to {coded.actions[-1]}"
    yield f"observation: {' x '.join(map(str, coded.shape))}"
    yield from (f"  plane {plane}: {name}" for plane, name in enumerate(coded.plane_names))
    yield from (f"symmetry: {symmetry.name}" for symmetry in coded.symmetries)
    while not board.is_over:
        ply, legal = len(board.history), board.legal_actions()
        yield ""
        yield f"ply {ply}, {'chance' if board.to_move == CHANCE else f'seat {board.to_move}'} to move: {board.state}"
        yield f"legal: {' '.join(map(str, legal))}"
        if board.to_move != CHANCE:
            for plane in board.observation():
                yield "  " + " ".join("".join(_digit(value) for value in row) for row in plane.tolist())
        action = legal[(mixed(seed, ply) >> 20) % len(legal)]
        yield f"plays {action}: {coded.move(action)}"
        board.apply(action)
    yield ""
    yield f"over: {board.state}"
    yield f"returns: {' '.join(f'{value:+g}' for value in board.returns())}"


def _digit(value: float) -> str:
    """Return a number from 0 to 1 as one character: `.` for 0, `#` for 1, else its tenths."""
    return "." if value == 0 else "#" if value == 1 else str(int(10 * value))
