"""A ply of one game and of many, written once. `cornered.lab.environments.compiled` executes this file once a game,
with the game's kernels as globals in place of the declarations below, and compiles it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cornered.bots.playout.choice import one_of
from cornered.engine.compile.rows import load, store
from cornered.engine.hashing import mixed

if TYPE_CHECKING:
    MAX_MOVES = 0
    LIKE: Any = ()
    """A position, for its types."""

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def observe(position: Any, planes: Any, rows: int, columns: int) -> None: ...
    def verdict(position: Any) -> int: ...
    def stuck(position: Any) -> int: ...
    def rolls(position: Any) -> bool: ...


__all__ = [
    "CHANCE_TURN",
    "CUT",
    "GOES_ON",
    "INDEX",
    "LEGAL",
    "NUMBER",
    "STATUS",
    "WIDTH",
    "WORDS",
    "play",
    "play_many",
    "play_out",
]

WIDTH: Final = 256
"""The items of each line of a board's memory: more than any game has actions, or numbers of moves."""
WORDS: Final = 0
"""The line of the position's words."""
INDEX: Final = 1
"""The line of the action of each move number."""
NUMBER: Final = 2
"""The line of the move number of each action."""
LEGAL: Final = 3
"""The line of the legal actions, in rising order."""
STATUS: Final = 4
"""The line of what is known besides: the number of legal actions, the seat to move, the winner."""

GOES_ON: Final = -1
CHANCE_TURN: Final = -1
CUT: Final = -3
"""In the place of the winner of a game that reached its most plies; -2 is a draw by the rules."""


def play(memory: Any, action: int) -> int:
    """Play an action on a board, or with an action of -1 only look at it; return the number of legal actions then.

    Returns 0 when the game is over, and -1, changing nothing, where the action is not legal.
    """
    position = load(memory[WORDS], LIKE)
    if action >= 0:
        found = False
        for at in range(memory[STATUS, 0]):
            if memory[LEGAL, at] == action:
                found = True
                break
        if not found:
            return -1
        position = advance(position, memory[NUMBER, action])
        store(memory[WORDS], position)
    winner = int(verdict(position))
    count = 0
    if winner == GOES_ON:
        count = int(gen(position, memory[LEGAL]))
        if count == 0:
            winner = int(stuck(position))
    for at in range(count):
        memory[LEGAL, at] = memory[INDEX, memory[LEGAL, at]]
    memory[STATUS, 0] = count
    memory[STATUS, 1] = CHANCE_TURN if rolls(position) else position.turn
    memory[STATUS, 2] = winner
    return count


def play_many(
    positions: Any, start: Any, tables: Any, actions: Any, seeds: Any, legal: Any, planes: Any, status: Any, shape: Any
) -> int:
    """Play one action in each of many games, or with an empty `actions` begin them all; games that end begin anew.

    `positions` and `start` are rows of words, `tables` the lines INDEX and NUMBER of a board's memory, `seeds` decides
    the dice of each game and counts its rolls. `status` has a row for each game: the seat to move, the plies, the most
    plies there may be, the winner and the plies of the game that has just ended (GOES_ON and 0 without one). `planes`
    has a row for each game, or none to leave them out; `shape` are its rows and columns. Returns -1, or the number of
    a game whose action is not legal: then nothing has changed.
    """
    buffer = np.empty(MAX_MOVES, np.int64)
    is_new = len(actions) == 0
    if not is_new:
        for game in range(len(positions)):
            if not 0 <= actions[game] < legal.shape[1] or not legal[game, actions[game]]:
                return game
    for game in range(len(positions)):
        row = positions[game]
        if is_new:
            position = load(start, LIKE)
            status[game, 1] = 0
        else:
            position = advance(load(row, LIKE), tables[1, actions[game]])
            status[game, 1] += 1
        status[game, 3] = GOES_ON
        status[game, 4] = 0
        count = 0
        while count == 0:
            winner = int(verdict(position))
            if winner == GOES_ON:
                count = int(gen(position, buffer))
                if count == 0:
                    winner = int(stuck(position))
                elif rolls(position):
                    seeds[game, 1] += 1
                    choice = one_of(mixed(mixed(1, seeds[game, 0]), seeds[game, 1]), count)
                    position = advance(position, buffer[choice])
                    count = 0
                    continue
                elif status[game, 1] >= status[game, 2]:
                    winner = CUT
                    count = 0
            if winner != GOES_ON:
                status[game, 3] = winner
                status[game, 4] = status[game, 1]
                status[game, 1] = 0
                position = load(start, LIKE)
        store(row, position)
        status[game, 0] = position.turn
        legal[game, :] = False
        for at in range(count):
            legal[game, tables[0, buffer[at]]] = True
        if len(planes) > 0:
            observe(position, planes[game], shape[0], shape[1])
    return -1


def play_out(start: Any, seed: int, longest: int, winners: Any, plies: Any) -> None:
    """Play random games from a row of words, one for each item of `winners`, and write how they ended and when.

    The seed decides all games; game n is the same whatever their number. `longest` bounds the plies of each.
    """
    buffer = np.empty(MAX_MOVES, np.int64)
    for game in range(len(winners)):
        position = load(start, LIKE)
        word = mixed(1, mixed(seed, game))
        ply = 0
        while True:
            winner = int(verdict(position))
            if winner != GOES_ON:
                break
            count = int(gen(position, buffer))
            if count == 0:
                winner = int(stuck(position))
                break
            if ply >= longest:
                winner = CUT
                break
            ply += 1
            position = advance(position, buffer[one_of(mixed(word, ply), count)])
        winners[game] = winner
        plies[game] = ply
