"""The Quoridor Text Protocol's moves: its black is seat 0, and its board stands on its head.

Black begins there, from the middle of the highest rank, and seat 0 begins here from the middle of the first: files are
equal and ranks are counted from the other end. A wall is named there by the cell at its upper left of the four that it
touches, which is here the one nearest `a1`, so that one rule turns cells and walls over.
"""

from __future__ import annotations

import re
from typing import Final

from cornered.engine import Game, State
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.text import FILES, PositionText

__all__ = [
    "COLOURS",
    "colour_of",
    "is_playable",
    "move_between",
    "move_of",
    "quoridor",
    "vertex_of",
    "walls_of",
    "written",
]

COLOURS: Final = ("black", "white")
"""The colour of each seat."""
ORIENTATIONS: Final = {"h": "horizontal", "v": "vertical"}


def is_playable(game: Game) -> bool:
    """Return whether the protocol has a game: Quoridor for two players. It knows no draws, which do no harm."""
    return game.name == "quoridor" and game.options["players"] == 2


def quoridor(state: State) -> QuoridorState:
    """Return a state of a game that `is_playable`."""
    assert isinstance(state, QuoridorState)
    return state


def colour_of(word: str) -> int:
    """Return the seat of a colour or its first letter. Raises ValueError."""
    for seat, colour in enumerate(COLOURS):
        if word.lower() in (colour, colour[0]):
            return seat
    raise ValueError(f"{word!r} is no colour")


def vertex_of(cell: str, size: int) -> str:
    """Return a cell of ours, such as `e2`, as a vertex of a board of this size, such as `E8`."""
    return f"{cell[0].upper()}{size + 1 - int(cell[1:])}"


def written(move: str, size: int) -> str:
    """Return a move as the arguments of `playmove` and `playwall` have it: `E8`, or `E7 horizontal`."""
    if move[-1] in ORIENTATIONS:
        return f"{vertex_of(move[:-1], size)} {ORIENTATIONS[move[-1]]}"
    return vertex_of(move, size)


def move_of(words: list[str], size: int) -> str:
    """Return the move of a vertex and perhaps an orientation. Raises ValueError."""
    match words:
        case [vertex]:
            kind = ""
        case [vertex, orientation] if orientation.lower() in {*ORIENTATIONS, *ORIENTATIONS.values()}:
            kind = orientation[0].lower()
        case _:
            raise ValueError(f"{' '.join(words)!r} is no vertex with perhaps an orientation")
    found = re.fullmatch(r"([a-z])([1-9]\d?)", vertex.lower())
    if found is None or found[1] not in FILES[:size] or int(found[2]) > size:
        raise ValueError(f"{vertex!r} is no vertex of a board of size {size}")
    return f"{found[1]}{size + 1 - int(found[2])}{kind}"


def walls_of(state: QuoridorState) -> tuple[str, ...]:
    """Return the walls on the board."""
    names = PositionText.parse(str(state)).facts.get("walls")
    return tuple(names.split(",")) if names else ()


def move_between(before: State, after: State) -> str | None:
    """Return the move that leads from one position to another; None where no single one does."""
    if before.game != after.game or before.outcome is not None:
        return None
    first, second = quoridor(before), quoridor(after)
    new = [*(set(walls_of(second)) - set(walls_of(first)))]
    mover = second.pawns()[first.to_move]
    move = new[0] if len(new) == 1 else f"{FILES[mover % 9]}{mover // 9 + 1}"
    return move if before.is_legal(move) and before.play(move) == after else None
