"""What concerns one player on all nodes: messages for all of the player's sockets, and changes of whom they block."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cornered.protocol.social import Notified
from cornered.server.cluster.messages import BlocksChanged, ToPlayer
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.social_service import SocialService

__all__ = ["PlayerExchange"]


class PlayerExchange:
    """The players of this node, as the other nodes reach them, and the reverse."""

    def __init__(
        self,
        nodes: Nodes,
        social: SocialService,
        clients_of: Callable[[str], Iterable[ClientConnection]],
        players: Callable[[], Iterable[str]],
    ) -> None:
        """`clients_of` returns a player's connections to this node, and `players` those who have any."""
        self._nodes = nodes
        self._social = social
        self._clients_of = clients_of
        self._players = players

    def tell(self, player: str, message: Notified) -> None:
        """Send a message to all sockets of a player, on all nodes. It may be lost."""
        self._deliver(player, message)
        for node in self._nodes.others():
            self._nodes.send(node, ToPlayer(player=player, message=message))

    def received(self, message: BlocksChanged | ToPlayer) -> None:
        """Take a message of another node."""
        if isinstance(message, ToPlayer):
            self._deliver(message.player, message.message)
        else:
            self._social.blocks_changed(message.player)

    def link_restored(self) -> None:
        """Messages of another node may have been lost."""
        self._social.link_restored(tuple(self._players()))

    def _deliver(self, player: str, message: Notified) -> None:
        broadcast = Broadcast(message)
        for client in self._clients_of(player):
            client.deliver(broadcast)
