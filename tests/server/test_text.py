"""Text of other users arrives without terminal control characters, from a real server."""

from __future__ import annotations

from typing import Any

from cornered.clients.sdk.escaping import escaped
from cornered.protocol.codec import JSON, MSGPACK
from cornered.protocol.commands import Challenge, DeclineChallenge, Hello, Say
from cornered.protocol.events import Ended, Played, Started
from cornered.protocol.messages import ChallengeClosed, Refused, Said, Welcome
from cornered.protocol.values import NO_CLOCK, Player
from tests.server.conftest import SMALL, Pair, Running, Start, Stores

EVIL = "\x1b[31m\u202e"


def unchecked(kind: Any, /, **fields: Any) -> Any:
    """Return a command with any text, as a client other than the SDK could send it."""
    return kind.model_construct(**fields)


async def test_names_with_hidden_characters_are_refused_and_lines_lose_them(server: Running, pair: Pair) -> None:
    for codec in (JSON, MSGPACK):
        async with server.socket(codec) as eve, server.client("Ann", codec) as ann:
            hello = {"type": "hello", "token": None, "kind": "person", "client": ""}
            await eve.tell(unchecked(Hello, name=f"E{EVIL}ve", **hello))
            refused = await eve.hear(Refused)
            assert refused.code == "malformed"
            assert refused.text.startswith("name: a name must not hold")
            # The socket stays open, and the player may stay under a valid name, which is told in its normal form.
            await eve.tell(unchecked(Hello, name="  Zoe\u0308 \u3000 B ", **hello))
            eve.welcome = await eve.hear(Welcome)
            # The one of the other codec may not have gone yet.
            assert eve.player.name in ("Zoë B", "Zoë B (2)")
            match = await pair(eve, ann)
            await eve.tell(unchecked(Say, type="say", id="s1", match=match, room="players", text=f"a{EVIL}b"))
            assert (await ann.hear(Said)).text == "a[31mb"
            sent = await ann.do(Challenge, to=eve.player.id, game=SMALL)
            decline = {"type": "decline_challenge", "id": "d1", "challenge": sent.ref}
            await eve.tell(unchecked(DeclineChallenge, reason="\x1b]0;no\x07\u202e thanks\n", **decline))
            declined = await ann.hear(ChallengeClosed, lambda said: said.how == "declined")
            assert declined.reason == "]0;no thanks"
            await eve.tell(unchecked(Say, type="say", id="s2", match="m", room="players", text="\x1b\u200b"))
            refused = await eve.answer("s2")
            assert (refused.code, refused.text) == ("malformed", "text: there is nothing in it that can be seen")


async def test_a_match_that_was_stored_with_a_forbidden_name_goes_on_and_is_shown_escaped(
    running_server: Start, stores: Stores
) -> None:
    players = (Player(id="p1", name="An\x1b[31mn\u202e", kind="person"), Player(id="p2", name="Bo", kind="person"))
    started = Started(
        seq=1, at=stores.now(), match="old", game=SMALL, players=players, clock=NO_CLOCK, commitment="0" * 64
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
