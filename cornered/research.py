"""The research interface: games as states, as numbers and as environments, and searches, proofs and playouts of them.

The names of `__all__` are stable: a change that breaks a program which uses them waits for the next major version, and
CHANGELOG.md tells of it. docs/research.md shows them all. Needs the extra `bots`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

try:
    from cornered.bots.bot import Bot, Line, Thought
    from cornered.bots.evaluate import EvaluateState, Evaluator, evaluator
    from cornered.bots.search.searcher import Searcher
    from cornered.bots.solve import Proof, Solution, solver, warm
    from cornered.bots.solve import prove as _prove
    from cornered.bots.textbook import deepening
    from cornered.engine import (
        CHANCE,
        Game,
        IllegalMove,
        Option,
        OptionValue,
        Outcome,
        State,
        apply,
        games,
        load,
        perft,
    )
    from cornered.engine.encoding import Encoding, encoding
    from cornered.engine.limit import Limit
    from cornered.engine.records.record import Record, RecordedMove, RecordError, SeatLeft, from_json, to_json
    from cornered.engine.records.text import from_text, to_text
    from cornered.engine.symmetry import Symmetry
    from cornered.lab.environments.board import Board
    from cornered.lab.environments.missing import library
    from cornered.lab.environments.opponent import Opponent, bot
    from cornered.lab.environments.playouts import LONGEST, PlayoutResults, playouts
    from cornered.lab.environments.playthrough import playthrough
    from cornered.lab.environments.vector import Ply, VectorGames
except ModuleNotFoundError as error:
    if error.name not in ("numba", "numpy"):
        raise
    text = f"cornered.research needs {error.name}, which is not installed: pip install 'cornered[bots]'"
    raise ModuleNotFoundError(text, name=error.name) from error

if TYPE_CHECKING:
    import gymnasium
    from pettingzoo import AECEnv

__all__ = [
    "CHANCE",
    "Board",
    "Bot",
    "Encoding",
    "Game",
    "IllegalMove",
    "Limit",
    "Line",
    "Opponent",
    "Option",
    "OptionValue",
    "Outcome",
    "PlayoutResults",
    "Ply",
    "Proof",
    "Record",
    "RecordError",
    "RecordedMove",
    "SeatLeft",
    "Solution",
    "State",
    "Symmetry",
    "Thought",
    "VectorGames",
    "apply",
    "bot",
    "encoding",
    "from_json",
    "from_text",
    "games",
    "gymnasium_env",
    "load",
    "openspiel_game",
    "perft",
    "pettingzoo_env",
    "playouts",
    "playthrough",
    "prove",
    "record",
    "search",
    "solve",
    "to_json",
    "to_text",
]


def pettingzoo_env(game: Game, *, longest: int = LONGEST, render_mode: str | None = None) -> AECEnv:
    """Return a game as an environment of PettingZoo's AEC interface, truncated at `longest` plies.

    Raises ModuleNotFoundError without the extra `pettingzoo`.
    """
    library("pettingzoo", "pettingzoo")
    from cornered.lab.environments.pettingzoo_env import pettingzoo_env as env

    return env(game, longest=longest, render_mode=render_mode)


def gymnasium_env(
    game: Game,
    *,
    against: str | Opponent = "random",
    milliseconds: int = 100,
    seat: int = 0,
    longest: int = LONGEST,
    render_mode: str | None = None,
) -> gymnasium.Env[dict[str, Any], Any]:
    """Return one seat of a game as an environment of Gymnasium; `against` plays the others: a bot of the roster, with
    so many milliseconds for each move, or a function that returns a legal action for a `Board`.

    Raises ModuleNotFoundError without the extra `gymnasium`, and ValueError for a seat or bot that does not fit.
    """
    library("gymnasium", "gymnasium")
    from cornered.lab.environments.gymnasium_env import OpponentEnv

    return OpponentEnv(
        game, against=against, milliseconds=milliseconds, seat=seat, longest=longest, render_mode=render_mode
    )


def openspiel_game(game: Game) -> Any:
    """Return a game as a `pyspiel.Game`; the games are also registered in OpenSpiel, as `cornered_quoridor` and so on.

    Raises ModuleNotFoundError without the extra `openspiel`.
    """
    library("pyspiel", "openspiel")
    from cornered.lab.environments.openspiel_games import openspiel_game as made

    return made(game)


def search(
    state: State,
    *,
    evaluate: EvaluateState | None = None,
    time: int | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    lines: int = 1,
    seed: int = 0,
) -> Thought:
    """Return the best move of a position by alpha-beta, within milliseconds, plies or nodes, at least one of them.

    Without `evaluate` the compiled search of the champion searches with its own evaluation where it plays the game (two
    players, no dice). With `evaluate(state, seat)`, which returns how good a position that is not over is for a seat
    (0 is even, 1 about a move's worth, always between -1,000 and 1,000), and for all other games, a search in plain
    Python does: dice are averaged, and several opponents are one enemy. `seed` decides its order of equal moves.

    Raises ValueError for a position that is over or in which chance rolls, and without any limit.
    """
    if time is None and depth is None and nodes is None:
        raise ValueError("a search needs a limit: time in milliseconds, depth in plies or nodes")
    if state.outcome is not None or state.to_move == CHANCE:
        raise ValueError(f"nobody is to move at {state}")
    if evaluate is None and Searcher.supports(state.game):
        searcher = Searcher(state.game)
        return searcher.search(state, Limit(time=time, depth=depth, nodes=nodes, lines=lines))
    own = evaluator(state.game.name) if evaluate is None else Evaluator(evaluate)
    limit = Limit(time=time, depth=depth, nodes=nodes, lines=lines)
    return deepening.search(state, limit, own, random.Random(seed))


def solve(state: State, *, time: int | None = None, nodes: int | None = None) -> Solution | None:
    """Return the value of a position and of each of its moves under perfect play, within milliseconds or nodes.

    None when the limit was used up first, or when the solver of the game does not reach these options.
    """
    of_game = solver(_unfinished(state).game.name)
    if of_game is None:
        return None
    warm(state.game.name)
    return of_game.solve(state, Limit(time, nodes=nodes))


def prove(state: State, *, time: int | None = None, nodes: int | None = None) -> Proof | None:
    """Return a proof, perhaps of some moves only, within milliseconds or nodes; None where none is worth a try."""
    warm(_unfinished(state).game.name)
    return _prove(state, Limit(time, nodes=nodes))


def record(
    game: Game, moves: Sequence[str], *, players: Sequence[str] = (), tags: Mapping[str, str] | None = None
) -> Record:
    """Return the record of a game from its start. Raises IllegalMove at the first move that is not legal."""
    state = game.start()
    for move in moves:
        state = apply(state, move)
    places = None if state.outcome is None else state.outcome.places
    plies = tuple(RecordedMove(move) for move in moves)
    return Record(game, plies, tuple(players), places, tags=tags or {})


def _unfinished(state: State) -> State:
    if state.outcome is not None:
        raise ValueError(f"the game is over at {state}")
    return state
