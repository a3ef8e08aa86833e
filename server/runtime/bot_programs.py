"""Several programs that are connected as one bot, to one node or to several: they are told of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from cornered.protocol.messages import Notice
from cornered.server.cluster.messages import ProgramCame, ProgramFound
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.nodes import Nodes

__all__ = ["BotPrograms"]

_CERTAIN: Final = "another program plays as {} too; stop one of them, or give it a token of its own"
_POSSIBLE: Final = (
    "{} has another connection; if it is another program's, both play all of its matches: "
    "stop one, or give it a token of its own"
)


class BotPrograms:
    """The programs of bots that are connected to this node.

    Those that gave different instances are both told. A program without an `instance` may have come back before its
    old connection was missed, or have several: then the new connection alone is told. Two windows of a person are
    normal. What passes between nodes may be lost, and the notice with it.
    """

    def __init__(self, nodes: Nodes, clients_of: Callable[[str], Iterable[ClientConnection]]) -> None:
        """`clients_of` returns a player's connections to this node."""
        self._nodes = nodes
        self._clients_of = clients_of

    def came(self, client: ClientConnection) -> None:
        """Tell the programs of the bot that has come with `client`, on all nodes."""
        if client.player.kind != "bot":
            return
        player = client.player.id
        others = [one for one in self._clients_of(player) if one is not client]
        is_certain = _tell_others(others, client.instance)
        if is_certain is not None:
            _tell(client, is_certain=is_certain)
        for node in self._nodes.others():
            self._nodes.send(node, ProgramCame(player=player, session=client.id, instance=client.instance))

    def received(self, node: str, message: ProgramCame | ProgramFound) -> None:
        """Take a message of another node."""
        player, session = message.player, message.session
        here = tuple(self._clients_of(player))
        if isinstance(message, ProgramCame):
            is_certain = _tell_others(here, message.instance)
            if is_certain is not None:
                self._nodes.send(node, ProgramFound(player=player, session=session, is_certain=is_certain))
            return
        for client in here:
            if client.id == session:
                _tell(client, is_certain=message.is_certain)


def _tell_others(others: Sequence[ClientConnection], instance: str | None) -> bool | None:
    """Tell the programs that are certainly not the one that has come.

    Return whether there are any; None where the newcomer is not to be told either.
    """
    known = [one for one in others if one.instance not in (None, instance)]
    if instance is not None and known:
        for one in known:
            _tell(one, is_certain=True)
        return True
    return False if any(None in (instance, one.instance) for one in others) else None


def _tell(client: ClientConnection, *, is_certain: bool) -> None:
    text = (_CERTAIN if is_certain else _POSSIBLE).format(client.player.name)
    client.send(Notice(code="also_here", text=text))
