"""The stand-in for a socket of another node."""

from __future__ import annotations

from cornered.protocol.commands import LeaveLobby
from cornered.protocol.messages import Acknowledged, Notice, Refused
from cornered.protocol.values import Player
from cornered.server.cluster.messages import Forward, NodeMessage, ToClient
from cornered.server.runtime.client_connection import Broadcast
from cornered.server.runtime.remote_client import RemoteClient

ANN = Player(id="ann", name="Ann", kind="person")


def test_every_message_goes_to_the_socket_on_its_node_in_order() -> None:
    sent: list[tuple[str, NodeMessage]] = []
    forward = Forward(session="s1", player=ANN, address="10.0.0.1", lag=12, command=LeaveLobby(id="c1"))
    client = RemoteClient(forward, "east", lambda node, message: sent.append((node, message)))
    notice = Notice(code="restarting", text="The server restarts.")
    client.send(Acknowledged(id="c1"))
    client.answer(Acknowledged(id="c2"), Broadcast(notice))
    client.refuse("c3", "busy", "wait", retry_after=5)
    assert [node for node, _ in sent] == ["east"] * 4
    messages = [message.message for _, message in sent if isinstance(message, ToClient) and message.session == "s1"]
    assert messages == [
        Acknowledged(id="c1"),
        Acknowledged(id="c2"),
        notice,
        Refused(id="c3", code="busy", text="wait", retry_after=5),
    ]
    assert (client.player, client.address, client.lag) == (ANN, "10.0.0.1", 12)


def test_sockets_of_two_nodes_with_one_name_are_told_apart() -> None:
    forward = Forward(session="s1", player=ANN, address="", lag=0, command=LeaveLobby(id="c1"))
    east, west = (RemoteClient(forward, node, lambda *_: None) for node in ("east", "west"))
    assert east.id != west.id
    assert east.id == RemoteClient(forward, "east", lambda *_: None).id
