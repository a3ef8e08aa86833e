"""The public matches of all nodes as lists show them: each node tells the others how its own look.

A message has what changed since the one before, at most four times a second. After messages may have been lost it is
followed by all matches, in parts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Protocol

from cornered.protocol.values import MatchSummary
from cornered.server.cluster.messages import Summaries
from cornered.server.match import views
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.nodes import Nodes

__all__ = ["MAX_CHANGED", "MAX_SHOWN", "SEND_INTERVAL_S", "MatchSummaries", "SummariesObserver"]

SEND_INTERVAL_S: Final = 0.25
"""Least interval of changes to the other nodes."""
MAX_CHANGED: Final = 200
"""Summaries in one message, about 100 KB; new matches come first, and what is left follows with the next message."""
MAX_ENDED: Final = 2_000
"""Ended matches in one message."""
PART_PAUSE_S: Final = 0.02
"""The pause between two parts of all matches, in which the bus sends them on."""
MAX_SHOWN: Final = 50_000
"""Matches of one other node that are kept; further ones are not listed."""


class SummariesObserver(Protocol):
    """Who lists matches."""

    def match_began(self, match: str) -> None:
        """A public match goes on. Called again for a match whose node has changed."""

    def match_moved(self, match: str) -> None:
        """A public match looks different."""

    def match_ended(self, match: str) -> None:
        """A public match is over, or not known any more."""


@dataclass(slots=True)
class _Others:
    """The matches of another node. `named`: those since the first part of a list of all; None outside of one."""

    shown: dict[str, MatchSummary] = field(default_factory=dict)
    named: set[str] | None = None


class MatchSummaries:
    """The live public matches of this node and of all others."""

    def __init__(self, nodes: Nodes, registry: MatchRegistry) -> None:
        self._nodes = nodes
        self._registry = registry
        self._loop = asyncio.get_running_loop()
        self.observer: SummariesObserver | None = None
        # The live public matches of this node, and those of them that the other nodes are not told of yet.
        self._own: dict[str, None] = {}
        self._new: dict[str, None] = {}
        self._moved: dict[str, None] = {}
        self._ended: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        # The nodes that are sent all matches, with what is left to send and when.
        self._wholes: dict[str, asyncio.TimerHandle] = {}
        self._others: dict[str, _Others] = {}
        # By match, the node that told of it last.
        self._node_of: dict[str, str] = {}

    def __len__(self) -> int:
        """The number of known matches of other nodes."""
        return len(self._node_of)

    def of(self, match: str) -> MatchSummary | None:
        """Return a live public match as its spectators see it, with their delay."""
        if match in self._own:
            match_task = self._registry.owned(match)
            if match_task is not None:
                return views.summary(match_task.spectators.shown, match_task.watchers)
        node = self._node_of.get(match)
        return None if node is None else self._others[node].shown.get(match)

    def close(self) -> None:
        """Stop every timer."""
        if self._timer is not None:
            self._timer.cancel()
        for timer in self._wholes.values():
            timer.cancel()
        self._wholes.clear()

    # The matches of this node

    def began(self, match_task: MatchTask) -> None:
        """A match of this node goes on."""
        if match_task.is_listed:
            match = match_task.match.id
            self._own[match] = None
            self._ended.pop(match, None)
            self._new[match] = None
            self._report_began(match)
            self._send_soon()

    def moved(self, match_task: MatchTask) -> None:
        """A match of this node looks different."""
        match = match_task.match.id
        if match in self._own:
            if match not in self._new:
                self._moved[match] = None
            if self.observer is not None:
                self.observer.match_moved(match)
            self._send_soon()

    def ended(self, match: str) -> None:
        """A match of this node is over, or another node's now."""
        if match in self._own:
            del self._own[match]
            self._new.pop(match, None)
            self._moved.pop(match, None)
            self._ended[match] = None
            self._report_gone(match)
            self._send_soon()

    def _send_soon(self) -> None:
        if self._timer is not None:
            return
        if self._nodes.others():
            self._timer = self._loop.call_later(SEND_INTERVAL_S, self._send)
        else:
            # A node that joins is sent all matches.
            for pending in (self._new, self._moved, self._ended):
                pending.clear()

    def _send(self) -> None:
        self._timer = None
        ended = tuple(islice(self._ended, MAX_ENDED))
        for match in ended:
            del self._ended[match]
        taken = [*islice(self._new, MAX_CHANGED)]
        taken += islice(self._moved, MAX_CHANGED - len(taken))
        for match in taken:
            self._new.pop(match, None)
            self._moved.pop(match, None)
        message = Summaries(changed=self._seen(taken), ended=ended)
        for node in self._nodes.others():
            self._nodes.send(node, message)
        if self._new or self._moved or self._ended:
            self._send_soon()

    def _seen(self, matches: Collection[str]) -> tuple[MatchSummary, ...]:
        found = (self.of(match) for match in matches if match in self._own)
        return tuple(one for one in found if one is not None)

    def link_restored(self, node: str) -> None:
        """Messages to a node may have been lost: send it all matches."""
        self._stop_whole(node)
        self._send_part(node, iter(tuple(self._own)), is_first=True)

    def _send_part(self, node: str, rest: Iterator[str], *, is_first: bool = False) -> None:
        self._wholes.pop(node, None)
        matches = tuple(islice(rest, MAX_CHANGED))
        is_last = len(matches) < MAX_CHANGED
        self._nodes.send(node, Summaries(changed=self._seen(matches), is_first=is_first, is_last=is_last))
        if not is_last:
            self._wholes[node] = self._loop.call_later(PART_PAUSE_S, self._send_part, node, rest)

    def _stop_whole(self, node: str) -> None:
        timer = self._wholes.pop(node, None)
        if timer is not None:
            timer.cancel()

    # The matches of other nodes

    def received(self, node: str, told: Summaries) -> None:
        """Take how the matches of another node look."""
        others = self._others.setdefault(node, _Others())
        if told.is_first:
            others.named = set()
        for summary in told.changed:
            if others.named is not None:
                others.named.add(summary.id)
            if summary.id in others.shown or len(others.shown) < MAX_SHOWN:
                self._show(node, others, summary)
        for match in told.ended:
            self._forget(node, match)
        if told.is_last and others.named is not None:
            for match in others.shown.keys() - others.named:
                self._forget(node, match)
            others.named = None

    def keep(self, nodes: Collection[str]) -> None:
        """Forget the matches of all nodes but these."""
        for node in self._others.keys() - nodes:
            for match in tuple(self._others[node].shown):
                self._forget(node, match)
            del self._others[node]
        for node in self._wholes.keys() - nodes:
            self._stop_whole(node)

    def _show(self, node: str, others: _Others, summary: MatchSummary) -> None:
        match = summary.id
        others.shown[match] = summary
        before = self._node_of.get(match)
        self._node_of[match] = node
        if before is None:
            self._report_began(match)
        elif self.observer is not None:
            self.observer.match_moved(match)

    def _forget(self, node: str, match: str) -> None:
        """Forget a match of a node. Another node that told of it too keeps it in the lists."""
        self._others[node].shown.pop(match, None)
        if self._node_of.get(match) == node:
            del self._node_of[match]
            other = next((name for name, others in self._others.items() if match in others.shown), None)
            if other is not None:
                self._node_of[match] = other
            self._report_gone(match)

    def _report_began(self, match: str) -> None:
        if self.observer is not None:
            self.observer.match_began(match)

    def _report_gone(self, match: str) -> None:
        """Report a match that no node tells of; one that another node has looks different at most."""
        if self.observer is None:
            return
        if match in self._own or match in self._node_of:
            self.observer.match_moved(match)
        else:
            self.observer.match_ended(match)
