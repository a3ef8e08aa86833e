"""Text of other users arrives without terminal control characters, from a real server."""

from __future__ import annotations

from typing import Any

import pytest

from cornered.clients.sdk.escaping import escaped
from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.commands import Challenge, DeclineChallenge, Hello, Say
from cornered.protocol.events import Ended, Played, Started
from cornered.protocol.messages import ChallengeClosed, Refused, Said, Welcome
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from tests.server.conftest import Pair, Running, Start, Stores

BOTH = pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
EVIL = {
    "escape": "\x1b[31m",
    "C1": "\x9b31m",
    "nul": "\x00",
    "newline": "\r\n",
    "bidi override": "\u202e",
    "zero width": "\u200b",
}
SPEC = GameSpec(name="trapgrid", options={"size": 3})


def unchecked(kind: Any, /, **fields: Any) -> Any:
    """Return a command with any text, as a client other than the SDK could send it."""
    return kind.model_construct(**fields)


@BOTH
@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL)
async def test_names_with_hidden_characters_are_refused_and_lines_lose_them(
    server: Running, pair: Pair, codec: Codec, evil: str
) -> None:
    async with server.socket(codec) as eve, server.client("Ann", codec) as ann:
        await eve.tell(unchecked(Hello, type="hello", name=f"E{evil}ve", token=None, kind="person", client=""))
        refused = await eve.hear(Refused)
        assert refused.code == "malformed"
        assert refused.text.startswith("name: a name must not hold")
        # The socket stays open, and the player may stay under a valid name.
        await eve.hello("Eve")
        match = await pair(eve, ann)
        say = unchecked(Say, type="say", id="s1", match=match, room="players", text=f"a{evil}b")
        await eve.tell(say)
        said = await ann.hear(Said)
        assert said.text in ("ab", "a b", "a  b", "a[31mb", "a31mb")
        assert said.text.isprintable()


@BOTH
async def test_a_reason_and_a_line_of_nothing_but_hidden_characters(server: Running, codec: Codec) -> None:
    async with server.client("Eve", codec) as eve, server.client("Ann", codec) as ann:
        sent = await ann.do(Challenge, to=eve.player.id, game=SPEC)
        fields = {
            "type": "decline_challenge",
            "id": "d1",
            "challenge": sent.ref,
            "reason": "\x1b]0;no\x07\u202e thanks\n",
        }
        await eve.tell(unchecked(DeclineChallenge, **fields))
        assert (await ann.hear(ChallengeClosed)).reason == "]0;no thanks"
        await eve.tell(unchecked(Say, type="say", id="s1", match="m", room="players", text="\x1b\u200b"))
        refused = await eve.answer("s1")
        assert (refused.code, refused.text) == ("malformed", "text: there is nothing in it that can be seen")


@BOTH
async def test_a_name_is_told_in_its_normal_form(server: Running, codec: Codec) -> None:
    async with server.socket(codec) as eve:
        await eve.tell(
            unchecked(Hello, type="hello", name="  Zoe\u0308 \u3000 B ", token=None, kind="person", client="")
        )
        assert (await eve.hear(Welcome)).player.name == "Zoë B"


async def test_a_match_that_was_stored_with_a_forbidden_name_goes_on_and_is_shown_escaped(
    running_server: Start, stores: Stores
) -> None:
    players = (Player(id="p1", name="An\x1b[31mn\u202e", kind="person"), Player(id="p2", name="Bo", kind="person"))
    spec = GameSpec(name="trapgrid", options={"size": 3})
    started = Started(
        seq=1, at=stores.now(), match="old", game=spec, players=players, clock=NO_CLOCK, commitment="0" * 64
    )
    played = Played(seq=2, at=stores.now(), seat=0, cause="c1", ply=0, move="b3", spent=0, left=(None, None))
    ended = Ended(seq=3, at=stores.now(), winner=0, places=(1, 2), reason="resignation", seed="0" * 64)
    await stores.journal.append("old", 0, [started, played])
    async with running_server() as server, server.client("Cleo") as cleo:
        match = await cleo.join("old")
        assert match.moves == ("b3",)
        assert match.seats[0].player.name == players[0].name
        assert escaped(match).seats[0].player.name == "An\\x1b[31mn\\u202e"
    await stores.journal.append("old", 2, [ended])
    async with running_server() as server:
        record = await server.fetch("/matches/old.txt")
        assert record.status == 200
        assert '[Player0 "An\\u001b[31mn\\u202e"]' in record.body
        assert all(line.isprintable() for line in record.body.split("\n"))
