"""The archive of a running server: by the client kit, and as downloads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from cornered.clients.sdk import Client, CommandRefused
from cornered.clients.sdk.backoff import retry
from cornered.engine.records.text import from_text
from cornered.protocol import commands
from cornered.protocol.archive import ArchiveFilter, HeadToHeadCount
from cornered.protocol.messages import Acknowledged, Archive
from cornered.server.net import archive_download, session
from tests.server.conftest import SMALL, TIMEOUT_S, Running, Start


@dataclass
class Club:
    """Ann and Ben, who have played: Ben resigned each match after Ann's first move."""

    ann: Client
    ben: Client
    matches: list[str]

    async def play(self, move: str) -> None:
        challenge = commands.Challenge(id=self.ann.new_id(), to=self.ben.player.id, game=SMALL, seat=0)
        sent = await self.ann.ask(challenge, Acknowledged)
        accept = commands.AcceptChallenge(id=self.ben.new_id(), challenge=sent.ref or "")
        match = (await self.ben.ask(accept, Acknowledged)).ref or ""
        await self.ann.ask(commands.Play(id=self.ann.new_id(), match=match, ply=0, move=move), Acknowledged)
        await self.ben.ask(commands.Resign(id=self.ben.new_id(), match=match), Acknowledged)
        self.matches.insert(0, match)


@pytest.fixture
async def server(start: Start) -> AsyncIterator[Running]:
    async with start() as server:
        yield server


@pytest.fixture
async def club(server: Running) -> AsyncIterator[Club]:
    async with AsyncExitStack() as stack, asyncio.timeout(TIMEOUT_S):
        ann, ben = [await stack.enter_async_context(Client.connect(server.url, name=name)) for name in ("Ann", "Ben")]
        club = Club(ann, ben, [])
        for move in ("b3", "b3", "a2"):
            await club.play(move)
        yield club


async def test_finished_matches_are_found_and_counted(club: Club) -> None:
    ann, ben = club.ann, club.ben
    assert [match.id async for match in ann.archive()] == club.matches
    wanted = ArchiveFilter(player=ann.player.id, opponent=ben.player.id, opening=("b3",), reason="resignation")
    found = [match async for match in ben.archive(wanted)]
    assert [match.id for match in found] == club.matches[1:]
    assert all(match.over and match.winner == 0 and match.ply == 1 for match in found)
    exact = ArchiveFilter(game="trapgrid", options={"size": 3}, exact=True)
    assert len([match async for match in ann.archive(exact)]) == 3
    assert [match async for match in ann.archive(ArchiveFilter(game="trapgrid", exact=True))] == []
    counted = HeadToHeadCount(game="trapgrid", wins=3, losses=0, draws=0)
    assert await ann.head_to_head(ann.player.id, ben.player.id) == (counted,)
    opening = await ann.opening("trapgrid", size=3)
    assert opening.games == 3
    assert [(one.move, one.games, one.wins) for one in opening.moves] == [("b3", 2, 2), ("a2", 1, 1)]


async def test_a_page_has_twenty_matches_and_the_next_follows_it(club: Club) -> None:
    for _ in range(20):
        await club.play("b3")
    first = await retry(lambda: club.ann.ask(commands.AskArchive(id="first"), Archive))
    assert [match.id for match in first.matches] == club.matches[:20]
    rest = await retry(lambda: club.ben.ask(commands.AskArchive(id="rest", after=first.more), Archive))
    assert [match.id for match in rest.matches] == club.matches[20:]
    assert rest.more is None


@pytest.mark.parametrize(
    "fields",
    [{"after": "nonsense"}, {"result": "win"}, {"options": {"size": 3}}, {"exact": True}],
    ids=lambda fields: next(iter(fields)),
)
async def test_conditions_that_need_others_are_refused(club: Club, fields: dict[str, Any]) -> None:
    with pytest.raises(CommandRefused) as refusal:
        await club.ann.ask(commands.AskArchive(id="c", **fields), Archive)
    assert refusal.value.code == "malformed"


async def test_matches_of_a_page_that_must_be_replayed_are_paid_for(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = list[int]()

    def cost(events: int) -> float:
        paid.append(events)
        return 1.0

    monkeypatch.setattr(session, "replay_cost", cost)
    assert len([match async for match in club.ann.archive()]) == 3
    assert len(paid) == 3
    assert len([match async for match in club.ann.archive()]) == 3
    assert len(paid) == 3


def unchunked(body: str) -> tuple[str, bool]:
    """Return a body that came in chunks of ASCII, and whether it is whole."""
    parts, rest = list[str](), body
    while rest:
        size, _, rest = rest.partition("\r\n")
        length = int(size, 16)
        if not length:
            return "".join(parts), True
        parts.append(rest[:length])
        rest = rest[length + 2 :]
    return "".join(parts), False


async def test_matches_are_downloaded_in_parts(club: Club, server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_download, "MAX_DOWNLOADED", 2)
    first = await server.fetch("/archive.jsonl?game=trapgrid&option=size=3")
    assert first.headers["transfer-encoding"] == "chunked"
    lines, is_whole = unchunked(first.body)
    assert is_whole
    assert [json.loads(line)["tags"]["Match"] for line in lines.splitlines()] == club.matches[:2]
    target = first.headers["link"].removeprefix("<").partition(">")[0]
    rest = await server.fetch(target)
    assert "link" not in rest.headers
    assert [json.loads(line)["tags"]["Match"] for line in unchunked(rest.body)[0].splitlines()] == club.matches[2:]


async def test_a_download_as_text_is_read_again_also_by_an_old_client(club: Club, server: Running) -> None:
    raw = await server.send_raw(b"GET /archive.txt?opening=b3 HTTP/1.0\r\nHost: localhost\r\n\r\n")
    head, _, body = raw.partition(b"\r\n\r\n")
    assert b"Transfer-Encoding" not in head
    assert [record.tags["Match"] for record in from_text(body.decode())] == club.matches[1:]


async def test_only_the_head_is_sent_where_it_alone_is_wanted(club: Club, server: Running) -> None:
    answer = await server.fetch("/archive.txt", method="HEAD")
    assert (answer.status, answer.body) == (200, "")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("sort=up", "no condition 'sort'"),
        ("least_plies=many", "whole number"),
        ("order=sideways", "order"),
        ("after=x", "Link"),
        ("result=win", "name one"),
        ("rated=1", "true or false"),
        ("opening=" + "+".join("a1" for _ in range(9)), "opening"),
        ("&".join(f"option=a{number}=1" for number in range(50)), ""),
    ],
)
async def test_a_query_that_cannot_be_understood_is_refused_with_the_reason(
    server: Running, query: str, reason: str
) -> None:
    answer = await server.fetch(f"/archive.txt?{query}")
    assert answer.status == 400
    assert reason in answer.body


async def test_a_client_that_leaves_ends_its_download(
    club: Club, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asyncio.Event()

    async def endless(*_: object, **__: object) -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"x" * 65_536
                await asyncio.sleep(0)
        finally:
            closed.set()

    monkeypatch.setattr(archive_download, "parts_of", endless)
    host, port = server.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /archive.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.readexactly(200_000)
    # Others are served while it reads nothing.
    assert (await server.fetch("/health")).status == 200
    writer.transport.abort()
    async with asyncio.timeout(TIMEOUT_S):
        await closed.wait()
