"""The SDK's part for accounts, against a running server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from cornered.clients import sdk
from cornered.clients.sdk import Client, CommandRefused, Unreachable
from cornered.protocol.account import CODE_COUNT
from cornered.server import app
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.conftest import free_port

PASSWORD = "correct horse battery"
OTHER = "staple of another kind"


@pytest.fixture
async def url(tmp_path: Path, compiled: None) -> AsyncIterator[str]:
    key = SecretStr("the-key-of-the-operator")
    settings = Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, log_level="warning", analyst_key=key)
    async with app.run(settings) as address:
        yield address


async def test_a_player_registers_and_signs_in_elsewhere(url: str) -> None:
    assert (await sdk.policies(url)).registration == "open"
    async with Client.connect(url, name="Guest") as client:
        made = await client.account.register("Anna", PASSWORD)
        assert (made.player.id, len(made.codes)) == (client.player.id, CODE_COUNT)
        token = await sdk.sign_in(url, "Anna", PASSWORD, label="a telephone")
        async with Client.connect(url, token=token) as phone:
            assert phone.player.id == client.player.id
        sessions = await client.account.sessions()
        assert "a telephone" in {one.label for one in sessions}
        await client.account.end_session(next(one.session for one in sessions if not one.is_current))
        with pytest.raises(CommandRefused, match="token"):
            async with Client.connect(url, token=token):
                raise AssertionError("the session has ended")
        assert (await client.account.rename("Berta")).player.name == "Berta"
        renewed = await client.account.renew_codes(PASSWORD)
        await client.account.change_password(PASSWORD, OTHER)
        await client.account.end_other_sessions()
        assert (await client.account.about()).codes_left == CODE_COUNT
    token = await sdk.recover(url, "Berta", renewed[0], PASSWORD)
    async with Client.connect(url, token=token) as client:
        made_token = await client.account.create_token("a bot", ("play", "bot"), password=PASSWORD, days=3)
        assert await client.account.tokens() == (made_token.token,)
        async with Client.connect(url, token=made_token.secret) as bot:
            assert bot.player.id == client.player.id
        await client.account.revoke_token(made_token.token.token)
        parts = [json.loads(part) async for part in client.account.export()]
        assert parts[0]["account"]["name"] == "Berta"
        assert parts[-1] == {"matches": []}
        await client.account.delete(PASSWORD)
    with pytest.raises(CommandRefused, match="bad_credentials"):
        await sdk.sign_in(url, "Berta", PASSWORD)


async def test_a_new_player_registers_and_signs_out(url: str) -> None:
    token, codes = await sdk.register(url, "Anna", PASSWORD, label="a script")
    assert len(codes) == CODE_COUNT
    async with Client.connect(url, token=token) as client:
        assert client.player.name == "Anna"
        await client.account.sign_out()
    with pytest.raises(CommandRefused, match="name_taken"):
        await sdk.register(url, "anna", PASSWORD)
    with pytest.raises(ValidationError) as error:
        await sdk.register(url, "Berta", "sh0rt!!")
    assert "sh0rt" not in str(error.value)


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(Unreachable):
        await sdk.policies(f"http://127.0.0.1:{free_port()}")
