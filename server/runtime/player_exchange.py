"""What concerns one player on all nodes.

These are messages for all of the player's sockets, changes of whom they block, and several programs of one bot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cornered.protocol.social import Notified
from cornered.server.cluster.messages import BlocksChanged, ProgramCame, ProgramFound, ToPlayer
from cornered.server.runtime.bot_programs import BotPrograms
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
        programs: BotPrograms,
        clients_of: Callable[[str], Iterable[ClientConnection]],
        players: Callable[[], Iterable[str]],
    ) -> None:
        """`clients_of` returns a player's connections to this node, and `players` those who have any."""
        self._nodes = nodes
        self._social = social
        self._programs = programs
        self._clients_of = clients_of
        self._players = players

    def tell(self, player: str, message: Notified) -> None:
        """Send a message to all sockets of a player, on all nodes. It may be lost."""
        self._deliver(player, message)
        for node in self._nodes.others():
            self._nodes.send(node, ToPlayer(player=player, message=message))

    def received(self, node: str, message: BlocksChanged | ToPlayer | ProgramCame | ProgramFound) -> None:
        """Take a message of another node."""
        match message:
            case ToPlayer():
                self._deliver(message.player, message.message)
            case BlocksChanged():
                self._social.blocks_changed(message.player)
            case _:
                self._programs.received(node, message)

    def link_restored(self) -> None:
        """Messages of another node may have been lost."""
        self._social.link_restored(tuple(self._players()))

    def _deliver(self, player: str, message: Notified) -> None:
        broadcast = Broadcast(message)
        for client in self._clients_of(player):
            client.deliver(broadcast)
