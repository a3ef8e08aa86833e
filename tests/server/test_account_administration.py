"""`cornered admin accounts`: what the operator types, beside a server that runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cornered.cli.main import app
from cornered.protocol import account as acc
from cornered.protocol.messages import Refused
from tests.server.conftest import Running, Start
from tests.server.scenes import PASSWORD, REVOKED, closing


async def admin(tmp_path: Path, *words: str) -> Result:
    """Run `cornered admin accounts` in a thread, since its own event loop cannot run in the test's."""
    arguments = ["admin", "accounts", *words, "--data", str(tmp_path)]
    return await asyncio.to_thread(CliRunner().invoke, app, arguments)


async def said(tmp_path: Path, *words: str) -> str:
    result = await admin(tmp_path, *words)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


async def signed_in(server: Running, name: str) -> str:
    async with server.socket() as door:
        answer = await door.ask(acc.SignIn, name=name, password=PASSWORD)
        return "" if isinstance(answer, Refused) else answer.token


async def test_the_operator_makes_resets_and_closes_accounts(start: Start, tmp_path: Path) -> None:
    async with start(database="", registration="closed") as server:
        code = await said(tmp_path, "create", "Anna")
        assert await signed_in(server, "Anna") == ""
        async with server.socket() as door:
            answer = await door.ask(acc.Recover, name="Anna", code=code, password=PASSWORD)
            assert isinstance(answer, acc.SignedIn), answer
            welcome = await door.hello(token=answer.token)
            assert "admin" not in welcome.scopes
            assert await said(tmp_path, "grant", "anna", "admin") == "Anna is an administrator now"
            (listed,) = json.loads(await said(tmp_path, "list", "--json"))
            assert (listed["name"], listed["role"], listed["id"]) == ("Anna", "admin", welcome.player.id)
            assert "Anna  admin  since " in await said(tmp_path, "list")
            async with server.client(token=await signed_in(server, "Anna")) as again:
                assert "admin" in again.welcome.scopes
                assert isinstance(await again.ask(acc.CreateInvitation), acc.InvitationCreated)
                await said(tmp_path, "grant", welcome.player.id, "player")
                assert await again.refused(acc.CreateInvitation) == "not_permitted"
            code = await said(tmp_path, "reset-password", "Anna")
            assert await signed_in(server, "Anna"), "the old password is valid until the code is used"
            assert await said(tmp_path, "close", "Anna") == "the account of Anna is closed"
            assert await closing(door) == REVOKED
        assert await signed_in(server, "Anna") == ""
        assert "Anna  player closed  since " in await said(tmp_path, "list")
        await said(tmp_path, "close", "Anna", "--open")
        assert await signed_in(server, "Anna")


async def test_an_invitation_is_printed_once(start: Start, tmp_path: Path) -> None:
    async with start(database="", registration="invitation") as server, server.client("Guest") as guest:
        code = await said(tmp_path, "invite", "--uses", "1", "--days", "2")
        answer = await guest.ask(acc.Register, name="Anna", password=PASSWORD, invitation=code)
        assert isinstance(answer, acc.Registered)


@pytest.mark.usefixtures("sqlite_url")
async def test_what_cannot_be_done_is_one_line(tmp_path: Path, subtests: pytest.Subtests) -> None:
    await said(tmp_path, "create", "Anna")
    for words, why in (
        (("grant", "Zoe", "admin"), "there is no account called Zoe"),
        (("close", "Zoe"), "there is no account called Zoe"),
        (("reset-password", "Zoe"), "there is no account called Zoe"),
        (("create", "Deleted"), "the name Deleted is reserved"),
        (("create", "anna"), "the name anna is an account's, or was"),
    ):
        with subtests.test(str(words)):
            result = await admin(tmp_path, *words)
            assert result.exit_code == 2
            assert why in result.stderr


async def test_a_store_in_memory_has_no_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERED_DATABASE", "memory")
    result = await admin(tmp_path, "list")
    assert result.exit_code == 2
    assert "CORNERED_DATABASE" in result.stderr
