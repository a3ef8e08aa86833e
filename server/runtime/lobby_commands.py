"""Commands to the lobby from the clients of any node: carried out on its owner, forwarded to it on the others."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from cornered.protocol.commands import AskSeek, Challenge, LobbyCommand
from cornered.protocol.messages import Acknowledged, SeekInfo
from cornered.protocol.values import Player
from cornered.server.cluster.messages import AskVisitor, Forward
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.ports import NotOwner
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.forwarder import Forwarder
from cornered.server.runtime.lobby_authority import LobbyAuthority
from cornered.server.runtime.lobby_owner import LobbyOwner
from cornered.server.runtime.lobby_replica import LobbyReplica
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.remote_client import RemoteClient

__all__ = ["LobbyCommands"]

MAX_FORWARDED: Final = 4_096
"""Commands of other nodes that are carried out at once; further ones are dropped, and come again."""

log = structlog.get_logger("lobby")


class LobbyCommands:
    """Answers commands to the lobby, of this node's clients and of other nodes'."""

    def __init__(
        self, replica: LobbyReplica, owner: LobbyOwner, nodes: Nodes, forwarder: Forwarder, tasks: asyncio.TaskGroup
    ) -> None:
        self._replica = replica
        self._owner = owner
        self._nodes = nodes
        self._forwarder = forwarder
        self._tasks = tasks
        # Commands of other nodes that are being carried out, by socket and id.
        self._forwarded: set[tuple[str, str]] = set()

    # The clients of this node

    def ask_seek(self, client: ClientConnection, command: AskSeek) -> None:
        """Answer with a table; a follower that does not know it yet asks the owner. Raises Refusal."""
        table = self._replica.facts.tables.get(command.seek)
        if table is not None:
            client.send(SeekInfo(id=command.id, seek=table.seek))
        elif self._owner.is_deciding:
            raise _no_table()
        else:
            self._forwarder.forward(client, command, LOBBY_SLOT)

    async def carry_out(self, client: ClientConnection, command: LobbyCommand) -> None:
        """Carry out and answer a command, here or on the owner. Raises Refusal."""
        authority = self._owner.authority
        if authority is not None and self._owner.is_deciding:
            try:
                ref = await self._decide(authority, command, client.player)
            except NotOwner:
                # Its id makes the repetition harmless.
                self._nodes.look()
            else:
                client.send(Acknowledged(id=command.id, ref=ref))
                return
        self._forwarder.forward(client, command, LOBBY_SLOT)

    async def _decide(self, authority: LobbyAuthority, command: LobbyCommand, player: Player) -> str | None:
        """Carry out a command, and return the id of what it made. Raises Refusal and NotOwner."""
        if isinstance(command, Challenge):
            # Another node may have welcomed that player before its message about it came.
            await self._owner.look_for(command.to)
        return await authority.carry_out(command, player)

    # The clients of other nodes

    def forwarded(self, client: RemoteClient, forward: Forward) -> None:
        """Carry out a command of another node's client, once its node has told that the player is there."""
        command = forward.command
        if isinstance(command, AskSeek):
            self._answer_seek(client, command)
            return
        if not isinstance(command, LobbyCommand):
            return
        key = (client.id, command.id)
        is_waiting = key in self._forwarded or len(self._forwarded) >= MAX_FORWARDED
        if is_waiting or not self._owner.is_deciding:
            # It comes again.
            return
        if not self._owner.has(client.node, client.player.id):
            # What its node told of the player may be lost: the command comes again after the answer.
            self._nodes.send(client.node, AskVisitor(player=client.player.id))
            return
        self._forwarded.add(key)
        self._tasks.create_task(self._carry_out(client, command, key), name=f"forwarded[{client.id}]")

    def _answer_seek(self, client: RemoteClient, command: AskSeek) -> None:
        table = self._replica.facts.tables.get(command.seek)
        if table is not None:
            client.send(SeekInfo(id=command.id, seek=table.seek))
        elif self._owner.is_deciding:
            refusal = _no_table()
            client.refuse(command.id, refusal.code, refusal.text)

    async def _carry_out(self, client: RemoteClient, command: LobbyCommand, key: tuple[str, str]) -> None:
        authority = self._owner.authority
        try:
            if authority is not None:
                ref = await self._decide(authority, command, client.player)
                client.send(Acknowledged(id=command.id, ref=ref))
        except NotOwner:
            # The next owner gets it.
            pass
        except Refusal as refusal:
            client.refuse(command.id, refusal.code, refusal.text, retry_after=refusal.retry_after)
        except Exception:
            log.exception("a command of another node failed", command=command.type)
            client.refuse(command.id, "internal", "the server made a mistake; it is logged")
        finally:
            self._forwarded.discard(key)


def _no_table() -> Refusal:
    return Refusal("unknown_seek", "that table is gone")
