"""The version of a bot on a whole server: in the lobby, in its matches and records, and in its profile."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from cornered.clients.sdk.address import require_version
from cornered.protocol import commands as cmd
from cornered.protocol.messages import LobbyPage, Paired
from cornered.protocol.ratings import Profile, Rated
from cornered.protocol.values import Accepts, Presence, SeekSettings
from tests.server.conftest import SMALL, Client, Pair, Running

ACCEPTS = (Accepts(game="trapgrid"),)


async def declare(bot: Client, version: str | None) -> None:
    await bot.do(cmd.Declare, accepts=ACCEPTS, concurrency=3, version=version)


async def shown(client: Client, player: str) -> Presence:
    page = await client.ask(cmd.AskLobby, section="players")
    assert isinstance(page, LobbyPage)
    return next(one for one in page.players if one.player.id == player)


async def finish(match: str, first: Client, second: Client) -> Rated:
    """Play the moves after which a result counts, have the first player resign, and return the change."""
    await first.do(cmd.Play, match=match, ply=0, move="a2")
    await second.do(cmd.Play, match=match, ply=1, move="c2")
    await first.do(cmd.Resign, match=match)
    return await first.hear(Rated)


async def test_a_version_is_shown_in_the_lobby_the_match_its_record_and_the_profile(
    running: Running, pair: Pair
) -> None:
    async with running.client("Ann") as ann, running.client("Bot", kind="bot") as bot:
        await declare(bot, "2.1-rc1")
        assert (await shown(ann, bot.player.id)).version == "2.1-rc1"
        assert (await shown(ann, ann.player.id)).version is None
        match = await pair(ann, bot, rated=True)
        async with running.client("Cas") as cas:
            assert [seat.version for seat in (await cas.join(match)).seats] == [None, "2.1-rc1"]
        change = await finish(match, ann, bot)
        record = await running.fetch(f"/matches/{match}.txt")
        assert '[Version1 "2.1-rc1"]' in record.body
        assert "Version0" not in record.body
        profile = await ann.ask(cmd.AskProfile, player=bot.player.id)
        assert isinstance(profile, Profile)
        (rating,) = profile.ratings
        (version,) = rating.versions
        assert (version.version, version.games, version.rating) == ("2.1-rc1", 1, change.changes[1].after)


async def test_a_rematch_is_of_the_version_that_plays_it(running: Running, pair: Pair) -> None:
    async with running.client("Ann") as ann, running.client("Bot", kind="bot") as bot:
        await declare(bot, "1.0")
        match = await pair(ann, bot, rated=True)
        await finish(match, ann, bot)
        await declare(bot, "1.1")
        await ann.do(cmd.Rematch, match=match)
        await bot.do(cmd.Rematch, match=match)
        again = (await ann.hear(Paired)).match
        if again == match:
            again = (await ann.hear(Paired)).match
        snapshot = await ann.join(again)
        assert [(seat.player.id, seat.version) for seat in snapshot.seats] == [
            (bot.player.id, "1.1"),
            (ann.player.id, None),
        ]


async def test_a_bot_at_a_table_has_its_version_in_the_match_too(running: Running) -> None:
    async with running.client("Ann") as ann, running.client("Bot", kind="bot") as bot:
        await declare(bot, "7")
        seek = await bot.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, seat=0))
        joined = await ann.do(cmd.JoinSeek, seek=seek.ref)
        assert [seat.version for seat in (await ann.join(joined.ref or "")).seats] == ["7", None]


def test_a_version_is_a_short_word(subtests: pytest.Subtests) -> None:
    for version in ("", "2.1 beta", "-1", "é", "x" * 21, "<b>", "1\n"):
        with subtests.test(version=version):
            with pytest.raises(ValidationError):
                cmd.Declare(id="c", accepts=(), concurrency=1, version=version)
            with pytest.raises(ValueError, match=r"such as 2\.1"):
                require_version(version)


async def test_a_person_has_no_version(running: Running) -> None:
    async with running.client("Ann") as ann:
        assert await ann.refused(cmd.Declare, accepts=(), concurrency=1, version="1.0") == "not_a_bot"
