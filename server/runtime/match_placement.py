"""Where a new match is opened: on the node that owns its slot, which its id says, near one of its players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from cornered.protocol.messages import ErrorCode
from cornered.server.cluster.messages import MatchReserved, OpenedMatch, OpenMatch, ReserveMatch
from cornered.server.cluster.slots import LOBBY_SLOT, slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.ports import Journal, JournalUnavailable, NotOwner
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import MatchRegistry, new_id
from cornered.server.runtime.nodes import Nodes

__all__ = ["MatchPlacement"]

MAX_DRAWS: Final = 64
"""Ids that are drawn for one whose slot belongs to the wished node."""
OPEN_SECONDS: Final = 10.0
"""How long the opening of a match waits for the owner of its slot: more than a take-over takes."""
RESERVE_SECONDS: Final = 5.0
"""How long a rematch waits for the owner of the lobby."""
REPEAT_SECONDS: Final = 1.0
"""How often a request without an answer is sent again."""
MAX_OPENING: Final = 4_096
"""Matches that are opened for other nodes at once; further requests are dropped, and come again."""

log = structlog.get_logger("matches")


class MatchPlacement:
    """Opens matches for the lobby on any node, and opens those of this node for a lobby on another."""

    def __init__(
        self,
        registry: MatchRegistry,
        nodes: Nodes,
        journal: Journal,
        tasks: asyncio.TaskGroup,
        reserve: Callable[[MatchMade], None],
    ) -> None:
        """`reserve` takes the places of a rematch where this node owns the lobby, and raises Refusal."""
        self._registry = registry
        self._nodes = nodes
        self._journal = journal
        self._tasks = tasks
        self._reserve_here = reserve
        self._loop = asyncio.get_running_loop()
        self._answers: dict[str, asyncio.Future[tuple[ErrorCode | None, str]]] = {}
        self._opening: set[str] = set()

    def draw_id(self, node: str) -> str:
        """Return a new id; as that of a match it says, if possible, that the match is on `node`."""
        drawn = new_id()
        for _ in range(MAX_DRAWS):
            if self._nodes.owner_of(slot_of(drawn)) == node:
                break
            drawn = new_id()
        return drawn

    # Opening

    async def open(self, made: MatchMade) -> bool:
        """Have the owner of its slot store and open a match; return whether it exists. Raises Refusal."""
        deadline = self._loop.time() + OPEN_SECONDS
        while self._loop.time() < deadline:
            if self._nodes.owns_match(made.match):
                try:
                    return await self._open_here(made)
                except NotOwner:
                    self._nodes.look()
            answer = await self._ask(made.match, slot_of(made.match), OpenMatch(made=made))
            if answer is not None:
                return answer[0] is None
        return await self._exists(made.match)

    async def _open_here(self, made: MatchMade) -> bool:
        try:
            await self._registry.open_new(made)
        except NotOwner:
            raise
        except JournalUnavailable:
            # A commit whose answer was lost may have stored the match: reading it back decides.
            try:
                await self._registry.find(made.match)
            except Refusal:
                return False
        return True

    async def _exists(self, match: str) -> bool:
        try:
            return await self._journal.holds(match, 1)
        except JournalUnavailable:
            return False

    def asked_to_open(self, node: str, request: OpenMatch) -> None:
        """The owner of the lobby asks this node to open a match."""
        match = request.made.match
        if match not in self._opening and len(self._opening) < MAX_OPENING:
            self._opening.add(match)
            self._tasks.create_task(self._open_for(node, request.made), name=f"open[{match}]")

    async def _open_for(self, node: str, made: MatchMade) -> None:
        code: ErrorCode | None = None
        try:
            if not self._nodes.owns_match(made.match):
                self._nodes.look()
                return
            if not await self._open_here(made):
                code = "internal"
        except Refusal as refusal:
            if refusal.code == "shutting_down":
                # The next owner of the slot is asked.
                return
            code = refusal.code
        except NotOwner:
            self._nodes.look()
            return
        except Exception:
            log.exception("a match could not be opened", match=made.match)
            code = "internal"
        finally:
            self._opening.discard(made.match)
        self._nodes.send(node, OpenedMatch(match=made.match, code=code))

    # Rematches

    async def reserve(self, made: MatchMade) -> None:
        """Take the places of a rematch. Raises Refusal where a player has none left, or the lobby is out of reach."""
        deadline = self._loop.time() + RESERVE_SECONDS
        while self._loop.time() < deadline:
            if self._nodes.owns_lobby():
                self._reserve_here(made)
                return
            answer = await self._ask(made.match, LOBBY_SLOT, ReserveMatch(made=made))
            if answer is not None:
                code, text = answer
                if code is not None:
                    raise Refusal(code, text)
                return
        raise Refusal("internal", "the lobby cannot be reached just now; try again")

    def asked_to_reserve(self, node: str, request: ReserveMatch) -> None:
        """The owner of a match asks the lobby for the places of the rematch."""
        made = request.made
        try:
            self._reserve_here(made)
        except Refusal as refusal:
            answer = MatchReserved(match=made.match, code=refusal.code, text=refusal.text)
        else:
            answer = MatchReserved(match=made.match)
        self._nodes.send(node, answer)

    # Answers

    def answered(self, answer: OpenedMatch | MatchReserved) -> None:
        """Take the answer to a request; one that is not waited for any more is dropped."""
        waiting = self._answers.get(answer.match)
        if waiting is not None and not waiting.done():
            waiting.set_result((answer.code, answer.text))

    async def _ask(
        self, match: str, slot: int, request: OpenMatch | ReserveMatch
    ) -> tuple[ErrorCode | None, str] | None:
        """Send a request to the owner of a slot, and return its answer; None where there is none after a while."""
        waiting = self._answers[match] = self._loop.create_future()
        owner = self._nodes.owner_of(slot)
        if owner is not None:
            self._nodes.send(owner, request)
        try:
            await asyncio.wait([waiting], timeout=REPEAT_SECONDS)
        finally:
            if self._answers.get(match) is waiting:
                del self._answers[match]
        return waiting.result() if waiting.done() else None
