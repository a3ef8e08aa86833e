"""Text from the server reaches the caller without terminal control sequences and direction overrides."""

from __future__ import annotations

import pytest

from cornered.clients.sdk import CommandRefused
from cornered.clients.sdk.escaping import escaped
from cornered.protocol.commands import Join
from cornered.protocol.messages import ChallengeClosed, Moves, Paired, Said
from cornered.protocol.messages import Refused as RefusedMessage
from cornered.protocol.values import Player
from tests.clients.sdk.scripted import Wire, client_of, played, snapshot

EVIL = "\x1b]0;owned\x07\x9b31m\u202e\u200b\n"
SEEN = "\\x1b]0;owned\\x07\\x9b31m\\u202e\\u200b\\x0a"
MALLORY = Player(id="eve", name=f"Eve{EVIL}", kind="person")


def test_every_text_of_a_message_is_escaped_however_deep_it_lies_and_no_other_is_copied() -> None:
    for message in (snapshot("c1"), played(0), Said(match="m", room="players", by=MALLORY, text="a", at=0)):
        assert (escaped(message) is message) == (message.type != "said")

    match = snapshot("c1")
    seat = match.seats[0].model_copy(update={"player": MALLORY})
    shown = escaped(match.model_copy(update={"seats": (seat, match.seats[1]), "title": EVIL, "moves": ("a1", EVIL)}))
    assert (shown.seats[0].player.name, shown.title, shown.moves) == (f"Eve{SEEN}", SEEN, ("a1", SEEN))
    assert shown.seats[1] is match.seats[1]
    moves = Moves(id="c", match="m", ply=0, moves=(), refused={"a1": EVIL}, notes={EVIL: "b"}, gauges=((EVIL, 1),))
    shown_moves = escaped(moves)
    assert (shown_moves.refused, shown_moves.notes, shown_moves.gauges) == ({"a1": SEEN}, {SEEN: "b"}, ((SEEN, 1),))


async def test_a_client_hands_on_no_hidden_character(caplog: pytest.LogCaptureFixture) -> None:
    async def say_evil(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(
            ChallengeClosed(challenge="c", how="declined", reason=EVIL),
            RefusedMessage(id=None, code="internal", text=EVIL),
            Paired(match="m", seat=0),
        )
        await wire.socket.send(b"\x81\xa4type\xa4\x1b[1m")
        join = await wire.hear(Join)
        await wire.refuse(join, "unknown_match", EVIL)

    async with client_of(say_evil) as client:
        async for news in client.news():
            if isinstance(news, ChallengeClosed):
                assert news.reason == SEEN
            if isinstance(news, Paired):
                break
        with pytest.raises(CommandRefused, match="owned") as caught:
            await client.join("m")
    assert str(caught.value).isprintable()
    assert any(SEEN in record.getMessage() for record in caplog.records)
    assert all(record.getMessage().isprintable() for record in caplog.records if record.name == "cornered.sdk")
