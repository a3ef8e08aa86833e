"""A socket of another node, at the owner of what its command is about."""

from __future__ import annotations

from collections.abc import Callable

from cornered.protocol.messages import ErrorCode, Refused, ServerMessage
from cornered.server.cluster.messages import Forward, NodeMessage, ToClient
from cornered.server.runtime.client_connection import Broadcast

__all__ = ["RemoteClient"]


class RemoteClient:
    """Answers one socket of another node, which counts and limits what that socket is sent and refused.

    Nothing here waits or raises. `id` is unique among the sockets of all nodes and the same for every forwarded
    command of one socket.
    """

    __slots__ = ("_send", "address", "id", "lag", "node", "player", "session")

    is_behind = False

    def __init__(self, forward: Forward, node: str, send: Callable[[str, NodeMessage], None]) -> None:
        """`send` queues a message to a node, here to `node`, which has the socket."""
        self._send = send
        self.node = node
        self.session = forward.session
        self.id = f"{node}/{forward.session}"
        self.player = forward.player
        self.address = forward.address
        self.lag = forward.lag

    def charge(self) -> None:
        """Do nothing: the socket's node charges for a refused move when it passes the refusal on."""

    def send(self, message: ServerMessage) -> None:
        """Send a message that is for this socket alone."""
        self._send(self.node, ToClient(session=self.session, message=message))

    def deliver(self, broadcast: Broadcast) -> None:
        """Send a message that goes to several sockets."""
        self.send(broadcast.message)

    def answer(self, answer: ServerMessage, broadcast: Broadcast | None) -> None:
        """Send an answer and what follows from it at once."""
        self.send(answer)
        if broadcast is not None:
            self.send(broadcast.message)

    def refuse(self, command_id: str | None, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None:
        """Send a refusal; `retry_after` is in milliseconds."""
        self.send(Refused(id=command_id, code=code, text=text, retry_after=retry_after))
