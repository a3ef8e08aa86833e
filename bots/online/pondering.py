"""Per-match state of a bot between moves: what it thought so far, and pondering during the opponent's turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from cornered.bots.bot import Bot, Thought
from cornered.bots.online.draws import DrawPolicy
from cornered.bots.pool.pool import Pool
from cornered.clients.sdk import Closed, Limit, MatchView
from cornered.engine import CHANCE, State

__all__ = ["Ponderer", "Think", "expectation"]

Think: TypeAlias = Callable[[State, Limit], Awaitable[Thought]]
"""Returns a bot's thought about a position within a limit."""

PONDER_LIMIT_S: Final = 60.0
"""Maximum seconds of pondering on one move."""


class Ponderer:
    """The matches of one bot."""

    def __init__(self, spec: str, bot: Bot, pool: Pool, tasks: asyncio.TaskGroup, think: Think) -> None:
        """`spec` names `bot` in the pool; `tasks` owns the pondering tasks; `think` chooses the moves."""
        self._think = think
        self._spec = spec
        self._bot = bot
        self._pool = pool
        self._tasks = tasks
        self._draws: WeakKeyDictionary[MatchView, DrawPolicy] = WeakKeyDictionary()
        self._ahead: WeakKeyDictionary[MatchView, asyncio.Task[None]] = WeakKeyDictionary()
        """The pondering task of each match, cancelled at the bot's next move."""

    def agrees(self, match: MatchView) -> bool:
        """Return whether the bot accepts a draw now."""
        policy = self._draws.get(match)
        return policy is not None and policy.agrees(match.ply)

    async def choose(self, match: MatchView, limit: Limit, *, ahead: bool) -> str:
        """Return a move; with `ahead`, start pondering until the bot's next turn."""
        if before := self._ahead.pop(match, None):
            before.cancel()
        state, ply = match.state, match.ply
        thought = await self._think(state, limit)
        self._draws.setdefault(match, DrawPolicy()).note(thought)
        if ahead and self._bot.gains_from_help(state.game) and (expected := expectation(state, thought)) is not None:
            thinking = self._think_ahead(match, ply, expected)
            self._ahead[match] = self._tasks.create_task(thinking, name=f"ahead[{match.id}]")
        return thought.move

    async def _think_ahead(self, match: MatchView, ply: int, expected: State) -> None:
        async with asyncio.TaskGroup() as tasks:
            thinking = tasks.create_task(self._pool.ponder(self._spec, expected, PONDER_LIMIT_S))
            with contextlib.suppress(Closed):
                while not match.over and not (match.my_turn and match.ply != ply):
                    await match.changed(match.version)
            thinking.cancel()


def expectation(state: State, thought: Thought) -> State | None:
    """Return the position to ponder: that after the expected reply, or before it where no reply is expected. None where
    no player is to move."""
    answers = state.play(thought.move)
    if answers.outcome is not None or answers.to_move == CHANCE:
        return None
    if len(thought.pv) > 1 and thought.pv[0] == thought.move and answers.is_legal(thought.pv[1]):
        later = answers.play(thought.pv[1])
        if later.outcome is None and later.to_move == state.to_move:
            return later
    return answers
