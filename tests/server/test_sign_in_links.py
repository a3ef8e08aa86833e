"""Links by which a second device signs in: once, for two minutes, as long as the session goes on that shows it."""

from __future__ import annotations

import pytest

from cornered.protocol import account as acc
from cornered.server.runtime.device_links import LINK_SECONDS
from cornered.server.runtime.limits import ACCOUNT_FAILURE_BURST
from tests.server.conftest import Client, Running, Stores
from tests.server.scenes import OTHER, PASSWORD, refusal, register
from tests.server.test_passkeys import page


async def shown(client: Client) -> str:
    """Return the code of a link that a page shows."""
    answer = await client.ask(acc.AskSignInLink, password=PASSWORD)
    assert isinstance(answer, acc.SignInLink), answer
    assert answer.link.startswith("http://localhost:")
    assert {len(row) for row in answer.qr} == {len(answer.qr)}
    return answer.link.rpartition("/#/enter/")[2]


async def test_a_second_device_signs_in_by_a_link_once(server: Running) -> None:
    async with page(server, "Guest") as ann, page(server) as phone, page(server, "Other") as other:
        made = await register(ann)
        code = await shown(ann)
        answer = await phone.ask(acc.SignInByLink, code=code, label="a telephone")
        assert isinstance(answer, acc.SignedIn)
        assert answer.player == made.player
        assert answer.token not in (ann.welcome.token, "")
        assert await other.refused(acc.SignInByLink, code=code) == "bad_credentials"
        assert (await other.ask(acc.AskAccount)).player == other.player
        sessions = (await ann.ask(acc.AskSessions)).sessions
        assert sorted(one.label for one in sessions) == ["", "a telephone"]


async def test_a_link_ends_with_the_session_that_shows_it(server: Running) -> None:
    async with page(server, "Guest") as ann, page(server) as phone:
        await register(ann)
        code = await shown(ann)
        await ann.do(acc.SignOut)
        assert await phone.refused(acc.SignInByLink, code=code) == "bad_credentials"


async def test_who_has_a_session_alone_makes_nothing_that_outlives_it(server: Running) -> None:
    async with page(server, "Guest") as ann, page(server) as phone:
        await register(ann)
        for secret in ({}, {"password": OTHER}):
            assert await ann.refused(acc.AskSignInLink, **secret) == "bad_credentials"
            assert await ann.refused(acc.CreateToken, label="a bot", scopes=("play",), **secret) == "bad_credentials"
        link = await phone.ask(acc.SignInByLink, code=await shown(ann))
        signed_in = await phone.ask(acc.SignIn, name="Anna", password=PASSWORD)
        made = await ann.ask(acc.CreateToken, label="a bot", scopes=("play",), password=PASSWORD)
        async with server.client(token=signed_in.token) as owner:
            assert len((await owner.ask(acc.AskSessions)).sessions) == 3
            await owner.do(acc.EndOtherSessions)
            assert (await owner.ask(acc.AskTokens)).tokens == ()
        for ended in (ann.welcome.token, link.token, made.secret):
            assert await refusal(server, ended) == "bad_token"
        assert await refusal(server, signed_in.token) == ""


@pytest.mark.virtual_time
async def test_a_session_guesses_the_password_no_more_often_by_making_others(server: Running) -> None:
    async with page(server, "Guest") as ann, page(server) as phone:
        await register(ann)
        other = await phone.ask(acc.SignInByLink, code=await shown(ann))
        guesses = int(ACCOUNT_FAILURE_BURST)
        codes = [await ann.refused(acc.RenewCodes, password=OTHER) for _ in range(guesses)]
        assert codes == ["bad_credentials"] * guesses
        async with page(server, token=other.token) as second:
            assert await second.refused(acc.RenewCodes, password=OTHER) == "too_fast"


@pytest.mark.virtual_time
async def test_a_link_is_over_after_two_minutes(server: Running, stores: Stores) -> None:
    async with page(server, "Guest") as ann, page(server) as phone:
        await register(ann)
        code = await shown(ann)
        stores.now.at += LINK_SECONDS * 1000
        assert await phone.refused(acc.SignInByLink, code=code) == "bad_credentials"


async def test_forged_links_sign_nobody_in_and_are_slowed_down(server: Running) -> None:
    async with page(server, "Guest") as ann, page(server, "Other") as other:
        await register(ann)
        code = await shown(ann)
        written, _, mark = code.partition(".")
        for forged in (f"{written}.{mark[::-1]}", f"{written[::-1]}.{mark}", "code"):
            assert await other.refused(acc.SignInByLink, code=forged) == "bad_credentials"
        codes = [await other.refused(acc.SignInByLink, code=f"{number}") for number in range(12)]
        assert "too_fast" in codes


async def test_guests_and_programs_show_no_link(server: Running) -> None:
    async with page(server, "Guest") as guest, server.client("Bert") as program:
        assert await guest.refused(acc.AskSignInLink) == "no_account"
        await register(program, "Bert")
        assert await program.refused(acc.AskSignInLink) == "not_accepted"
