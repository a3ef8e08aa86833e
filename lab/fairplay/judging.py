"""What the champion says about each move: whether it is as good as the best, and what it loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cornered.bots.bot import Bot, Limit, Line, Proven
from cornered.bots.evaluate.chance import scale_of, win_probability
from cornered.engine import State
from cornered.lab.fairplay.games import FinishedGame

__all__ = ["EQUAL", "LINES", "OPENING_PLIES", "REASONABLE", "Judgement", "judge", "worth"]

OPENING_PLIES: Final = 4
"""The first plies of a game, which many know by heart, are not judged."""
LINES: Final = 3
"""Moves that get an exact score."""
REASONABLE: Final = 0.1
"""A move is reasonable whose probability of a win is at most this far below the best one's."""
EQUAL: Final = 0.01
"""The same for a move that counts as the champion's: several are often equally good, as mirrored ones are."""
DECIDED: Final = 0.97
"""A position whose best move has this probability of a loss, or of a win that is not proven, shows nothing."""
_PROVEN: Final[dict[Proven, float]] = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judged move: its game, its player, and by how much it lowers the probability of a win."""

    match: str
    player: str
    ply: int
    spent: int
    loss: float

    @property
    def agrees(self) -> bool:
        """Whether the move is as good as the champion's."""
        return self.loss <= EQUAL


def judge(game: FinishedGame, bot: Bot, limit: Limit) -> Iterator[Judgement | None]:
    """Yield a judgement of each move of people, and None for one that shows nothing: in a position that is decided, or
    where one move alone is reasonable, or all moves are alike.

    Raises a ValueError for a game without a curve of win probabilities.
    """
    scale = scale_of(game.game)
    if scale is None:
        raise ValueError(f"the champion's scores in {game.game.title} are no probabilities, so nothing is compared")
    for ply, (state, move) in enumerate(zip(game.states, game.moves, strict=True)):
        if ply < OPENING_PLIES or move.seat is None or game.players[move.seat].kind != "person":
            continue
        loss = _loss(state, move.move, bot, limit, scale)
        player = game.players[move.seat].id
        yield None if loss is None else Judgement(game.match, player, ply, move.spent, loss)


def _loss(state: State, move: str, bot: Bot, limit: Limit, scale: float) -> float | None:
    legal = state.moves()
    if len(legal) < 2:
        return None
    thought = bot.choose(state, limit)
    lines = _exact(thought.lines, scale)
    if len(lines) < 2:
        return None
    values = sorted(lines.values(), reverse=True)
    best = values[0]
    is_alike = len(lines) == len(legal) and best - values[-1] <= EQUAL
    is_decided = best <= 1 - DECIDED or (best >= DECIDED and thought.proven is None)
    if is_alike or is_decided or best - values[1] > REASONABLE:
        return None
    if move == thought.move:
        return 0.0
    own = lines[move] if move in lines else _value_after(state.play(move), state.to_move, bot, limit, scale)
    return max(0.0, best - own)


def _value_after(state: State, mover: int, bot: Bot, limit: Limit, scale: float) -> float:
    """Return the mover's probability of a win after a move, which leads to `state`."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0.5 if winner is None else float(winner == mover)
    answer = bot.choose(state, limit)
    found = worth(answer.score, answer.proven, scale)
    return 0.0 if found is None else 1.0 - found


def _exact(lines: Sequence[Line], scale: float) -> dict[str, float]:
    valued = {line.move: worth(line.score, line.proven, scale) for line in lines if not line.is_bound}
    return {move: value for move, value in valued.items() if value is not None}


def worth(score: float | None, proven: Proven | None, scale: float) -> float | None:
    """Return the probability of a win that a score means; None for no score."""
    if proven is not None:
        return _PROVEN[proven]
    return None if score is None else win_probability(score, scale)
