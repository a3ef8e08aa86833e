"""The queue of analyses among the nodes: the lobby's owner has it, and serves the sockets of all nodes.

Nothing of it is durable. A new owner begins with an empty queue: every node offers the analysts among its sockets
again, and ends the analyses of its clients, who may ask again. The same happens where messages may have been lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from cornered.engine.game import State
from cornered.protocol.commands import (
    Analysed,
    AnalysisCommand,
    AskAnalysis,
    AskStudy,
    AskTrace,
    CancelAnalysis,
    OfferAnalysis,
)
from cornered.protocol.messages import Acknowledged, Analyse, Analysis, StopAnalysis, Traced, TraceSearch
from cornered.server.analysis.state import Question
from cornered.server.cluster.messages import AskAnalysts, ClosedSockets, Forward, Studied, ToClient
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal
from cornered.server.runtime.analysis_service import INTERRUPTED, AnalysisService, failure
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.forwarder import Forwarder
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.readiness import Readiness
from cornered.server.runtime.remote_client import RemoteClient

__all__ = ["AnalysisExchange"]


class _Asked(NamedTuple):
    """What a client of this node has asked the owner on another one."""

    position: str
    is_trace: bool


@dataclass(slots=True)
class _Socket:
    """A socket of this node that has asked or offered.

    `asked` has the questions without an answer by their commands' ids, `running` those of analyses, and `jobs` what the
    owner on another node has assigned to it.
    """

    client: ClientConnection
    offer: OfferAnalysis | None = None
    asked: dict[str, _Asked] = field(default_factory=dict)
    running: dict[str, _Asked] = field(default_factory=dict)
    jobs: dict[str, None] = field(default_factory=dict)


class AnalysisExchange:
    """The analyses of one node's clients, here or at the owner, and at the owner those of other nodes' clients."""

    def __init__(self, service: AnalysisService, nodes: Nodes, forwarder: Forwarder, readiness: Readiness) -> None:
        self._service = service
        self._nodes = nodes
        self._forwarder = forwarder
        self._readiness = readiness
        self._sockets: dict[str, _Socket] = {}
        # The sockets of other nodes that have asked or offered here, by node and session.
        self._remotes: dict[str, dict[str, RemoteClient]] = {}
        # The other node that has the queue, as far as is known.
        self._owner: str | None = None

    # The clients of this node

    def offer(self, client: ClientConnection, command: OfferAnalysis) -> None:
        """Register a bot as analyst, and answer it. Raises Refusal."""
        self._service.check_offer(client, command)
        # The key stays on the node that has checked it.
        offer = command.model_copy(update={"key": None})
        self._socket(client).offer = offer if offer.jobs else None
        if self._nodes.owns_lobby():
            self._service.offer(client, offer)
        else:
            self._forwarder.forward(client, offer, LOBBY_SLOT)

    def analysed(self, client: ClientConnection, command: Analysed) -> None:
        """Pass an analyst's results to the queue, and answer it. Raises Refusal."""
        if self._nodes.owns_lobby():
            self._service.analysed(client, command)
        else:
            self._forwarder.forward(client, command, LOBBY_SLOT)

    def ask(self, client: ClientConnection, command: AskAnalysis | AskStudy | AskTrace, question: Question) -> None:
        """Queue an analysis, and answer with its id and the results so far. Raises Refusal."""
        if self._nodes.owns_lobby():
            self._service.ask(client, command.id, question)
            return
        asked = self._socket(client).asked
        studied = Studied(game=question.game, position=question.position)
        is_new = self._forwarder.forward(
            client, command, LOBBY_SLOT, studied=studied, done=lambda: asked.pop(command.id, None)
        )
        if is_new:
            asked[command.id] = _Asked(question.position, question.search is not None)

    def cancel(self, client: ClientConnection, command: CancelAnalysis) -> None:
        """Unsubscribe a client from an analysis, and acknowledge it. Raises Refusal."""
        known = self._sockets.get(client.id)
        was_forwarded = known is not None and known.running.pop(command.analysis, None) is not None
        if self._nodes.owns_lobby() and not was_forwarded:
            self._service.cancel(client, command)
        else:
            self._forwarder.forward(client, command, LOBBY_SLOT)

    def leave(self, client: ClientConnection) -> None:
        """Forget a closed connection, here and at the owner."""
        self._service.leave(client)
        owner = self._nodes.owner_of(LOBBY_SLOT)
        if self._sockets.pop(client.id, None) is not None and owner is not None:
            self._nodes.send(owner, ClosedSockets(sessions=(client.id,)))

    def _socket(self, client: ClientConnection) -> _Socket:
        return self._sockets.setdefault(client.id, _Socket(client))

    def told(self, told: ToClient) -> bool:
        """Pass a message of the queue on to its socket; return False where it is no such message.

        An acknowledgement is only noted: it belongs to the command.
        """
        known, message = self._sockets.get(told.session), told.message
        if isinstance(message, Analysis | Traced):
            if known is not None and message.analysis in known.running:
                if message.final:
                    del known.running[message.analysis]
                if message.final or not known.client.is_behind:
                    known.client.send(message)
        elif isinstance(message, Analyse | TraceSearch):
            if known is not None:
                known.jobs[message.job] = None
                known.client.send(message)
        elif isinstance(message, StopAnalysis):
            if known is not None and message.job in known.jobs:
                del known.jobs[message.job]
                known.client.send(message)
        elif isinstance(message, Acknowledged):
            if known is not None and message.ref and (asked := known.asked.pop(message.id, None)) is not None:
                known.running[message.ref] = asked
            return False
        else:
            return False
        return True

    # Changes of the owner

    def gained(self) -> None:
        """This node has the queue now."""
        self._interrupt()
        self._owner = None
        for known in self._sockets.values():
            if known.offer is not None:
                self._service.register(known.client, known.offer)
        for node in self._nodes.others():
            self._nodes.send(node, AskAnalysts())

    def lost(self) -> None:
        """Another node has the queue now."""
        self._remotes.clear()
        self._service.reset()

    def nodes_changed(self) -> None:
        """The living nodes, or the owner of the queue, are different now."""
        others = self._nodes.others()
        for node in self._remotes.keys() - others - {self._nodes.here}:
            for client in self._remotes.pop(node).values():
                self._service.leave(client)
        owner = self._nodes.owner_of(LOBBY_SLOT)
        owner = owner if owner in others else None
        if self._owner is not None and owner != self._owner:
            self._interrupt()
        self._owner = owner

    def link_restored(self, node: str) -> None:
        """Messages of a node may have been lost."""
        if node == self._nodes.owner_of(LOBBY_SLOT):
            self._offer_again(node)

    def _offer_again(self, node: str) -> None:
        """Begin anew with a node that has the queue."""
        self._interrupt()
        self._nodes.send(node, ClosedSockets(is_all=True))
        for known in self._sockets.values():
            client, offer = known.client, known.offer
            if offer is not None:
                # Its answer is dropped: the offer was acknowledged before.
                forward = Forward(
                    session=client.id, player=client.player, address=client.address, lag=client.lag, command=offer
                )
                self._nodes.send(node, forward)

    def _interrupt(self) -> None:
        """End what the owner did for the sockets of this node."""
        for known in self._sockets.values():
            for job in known.jobs:
                known.client.send(StopAnalysis(job=job))
            known.jobs.clear()
            for analysis, asked in known.running.items():
                known.client.send(failure(analysis, asked.position, INTERRUPTED, is_trace=asked.is_trace))
            known.running.clear()

    # The sockets of other nodes

    def received(self, node: str, message: AskAnalysts | ClosedSockets) -> None:
        """Take one message of another node."""
        if isinstance(message, AskAnalysts):
            self._nodes.look()
            self._offer_again(node)
        elif message.is_all:
            for client in self._remotes.pop(node, {}).values():
                self._service.interrupt(client)
        else:
            for session in message.sessions:
                closed = self._remotes.get(node, {}).pop(session, None)
                if closed is not None:
                    self._service.leave(closed)

    def forwarded(self, client: RemoteClient, forward: Forward) -> None:
        """Carry out a command of another node's client; without the queue it is dropped, and comes again."""
        command = forward.command
        if not self._nodes.owns_lobby() or not isinstance(command, AnalysisCommand):
            return
        try:
            match command:
                case OfferAnalysis():
                    self._offer(client, command)
                case Analysed():
                    self._service.analysed(client, command)
                case CancelAnalysis():
                    self._service.cancel(client, command)
                case AskAnalysis() | AskStudy() | AskTrace():
                    self._ask(client, command, forward.studied)
                case _:
                    assert_never(command)
        except Refusal as refusal:
            client.refuse(command.id, refusal.code, refusal.text, retry_after=refusal.retry_after)

    def _offer(self, client: RemoteClient, command: OfferAnalysis) -> None:
        if client.node == self._nodes.here:
            # It waited until this node had the queue, which has the offers of its own sockets from the beginning.
            client.send(Acknowledged(id=command.id))
        else:
            self._known(client)
            self._service.offer(client, command)

    def _ask(self, client: RemoteClient, command: AskAnalysis | AskStudy | AskTrace, studied: Studied | None) -> None:
        if studied is None or studied.game.name in self._readiness.missing:
            return
        self._known(client)
        state = _parsed(studied)
        if isinstance(command, AskTrace):
            question = Question.about_search(studied.game, state, command.settings)
        else:
            question = Question(studied.game, studied.position, command.lines, state, command.milliseconds)
        self._service.ask(client, command.id, question)

    def _known(self, client: RemoteClient) -> None:
        self._remotes.setdefault(client.node, {})[client.session] = client


def _parsed(studied: Studied) -> State:
    try:
        return catalogue.load(studied.game).parse(studied.position)
    except ValueError as error:
        raise Refusal("internal", f"this position cannot be studied: {error}") from None
