"""Attacks on accounts at a server server: fixed sessions, names that are searched for, codes that are guessed or
repeated, and stolen tokens. Those with a load are in `bench/attacks/accounts.py`."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, Final

import pytest

from cornered.protocol import account as acc
from cornered.protocol.commands import Ping
from cornered.protocol.messages import Pong, Refused
from cornered.server.adapters.passwords_argon2 import Argon2Passwords
from cornered.server.runtime import limits
from cornered.server.runtime.codes import invitation_digest
from tests.server.conftest import Running, Start, Stores
from tests.server.scenes import OTHER, PASSWORD, fix_and_register, register
from tests.waiting import until

ADDRESSES: Final = itertools.count(1)


def far_away(server: Running) -> Any:
    """Connect from an address of its own, as a proxy tells it."""
    number = next(ADDRESSES)
    return server.socket(additional_headers={"X-Forwarded-For": f"10.1.{number >> 8}.{number & 255}"})


async def test_a_token_from_before_a_sign_in_is_never_signed_in(server: Running) -> None:
    async with server.client("Owner") as owner:
        await register(owner)
    # The attacker has given the victim a token of its own making, which the victim's two tabs use.
    async with server.client("Eve") as eve, server.client("Eve", token=eve.welcome.token) as tab:
        fixed = eve.welcome.token
        async with server.socket() as other_tab:
            answers = [await one.ask(acc.SignIn, name="Anna", password=PASSWORD) for one in (tab, other_tab)]
            assert len({fixed, *(answer.token for answer in answers)}) == 3
            # No socket has become another player's: neither the one that is open, nor the one that says hello later.
            for socket in (eve, tab):
                own = await socket.ask(acc.AskAccount)
                assert (own.player.id, own.has_account) == (eve.player.id, False)
                assert await socket.refused(acc.Rename, name="Berta") == "no_account"
            welcome = await other_tab.hello(token=fixed)
            assert (welcome.player.id, welcome.has_account) == (eve.player.id, False)
        async with server.socket() as third:
            assert (await third.hello("Somebody")).player.id not in (eve.player.id, answers[0].player.id)
        async with server.client(token=answers[0].token) as anna:
            sessions = (await anna.ask(acc.AskSessions)).sessions
            # The registration's session and two sign-ins.
            assert len(sessions) == 3
            await anna.do(acc.EndOtherSessions)
        assert isinstance(await tab.ask(Ping), Pong), "a guest's session is none of the account's"


async def test_a_token_from_before_a_registration_is_never_the_accounts(server: Running) -> None:
    await fix_and_register(server, server, "Anna")


class CountedPasswords(Argon2Passwords):
    """Counts the hashes that are made, for a comparison too."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_kib=64)
        self.made = 0

    async def hash(self, password: str) -> str:
        self.made += 1
        return await super().hash(password)

    async def verify(self, stored: str | None, password: str) -> bool:
        self.made += 1
        return await super().verify(stored, password)


async def test_known_and_unknown_names_take_the_same_work_and_get_the_same_answer(start: Start) -> None:
    passwords = CountedPasswords()
    async with start(passwords=passwords) as server, server.socket() as door:
        await register(door)
        for kind, more in ((acc.SignIn, {}), (acc.Recover, {"code": "abcde-fghjk"})):
            answers, made = [], [passwords.made]
            for name in ("Anna", "Nobody"):
                answers.append(await door.ask(kind, id="a", name=name, password=OTHER, **more))
                made.append(passwords.made)
            assert isinstance(answers[0], Refused)
            assert answers[0] == answers[1]
            assert made == [made[0], made[0] + 1, made[0] + 2]


async def test_what_shows_a_name_to_be_taken_shows_no_more_than_the_game_does(server: Running) -> None:
    """A registration and a renaming have to tell that a name is taken; they say the same of reserved names, of names
    that were given up and of guests' who are there."""
    async with server.client("Guest one") as ann, server.client("Guest two") as guest, server.client("Ben"):
        await register(ann)
        await ann.ask(acc.Rename, name="Berta")
        async with server.socket() as door:
            for socket, kind in ((guest, acc.Register), (door, acc.Register), (ann, acc.Rename)):
                names = ["admin", "Ben", "level-3", *(["Anna", "Berta"] if socket is not ann else [])]
                password = {"password": PASSWORD} if kind is acc.Register else {}
                answers = [await socket.ask(kind, id="n", name=name, **password) for name in names]
                assert {answer.code for answer in answers} == {"name_taken"}
                assert len({answer.text for answer in answers}) == 1


@pytest.mark.virtual_time
async def test_guesses_of_an_invitation_are_bounded_for_an_address_and_tell_nothing(
    running_server: Start, stores: Stores
) -> None:
    rate, burst, patience = 1.0, 5.0, 5.0
    slow = {"guest_rate": rate, "guest_burst": burst, "hello_seconds": 2 * patience}
    async with running_server(registration="invitation", log_level="error", **slow) as server:
        await stores.accounts.invite(invitation_digest("used-up"), 1, 0, 2**50)
        await stores.accounts.invite(invitation_digest("expired"), 1, 0, 1)
        async with server.socket() as door:
            made = await door.ask(acc.Register, name="Anna", password=PASSWORD, invitation="used-up")
            assert isinstance(made, acc.Registered)

        async def guess(number: int, code: str) -> Refused:
            async with server.socket() as door:
                answer = await door.ask(acc.Register, id="g", name=f"Eve {number}", password=PASSWORD, invitation=code)
                assert isinstance(answer, Refused), answer
                return answer

        codes = ["used-up", "expired", *(f"guess-{number}" for number in range(38))]
        began = asyncio.get_running_loop().time()
        answers = await asyncio.gather(*(guess(number, code) for number, code in enumerate(codes)))
        took = asyncio.get_running_loop().time() - began
        looked = [answer for answer in answers if answer.code == "bad_invitation"]
        assert len(set(looked)) == 1, "used up, past its time and unknown are one answer"
        assert {answer.code for answer in answers} - {"bad_invitation"} <= {"too_fast", "busy"}
        assert len(looked) <= burst + rate * (took + patience)
        assert (await server.metrics())["cornered_registrations_total"] == 1


@pytest.mark.virtual_time
async def test_a_flood_of_sign_ins_keeps_out_no_owner_at_a_known_address(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Few enough attackers for a test are more than the queue of passwords serves within its patience.
    monkeypatch.setattr(limits, "PASSWORD_RATE", 0.5)
    monkeypatch.setattr(limits, "PASSWORD_BURST", 4.0)
    async with start(proxies="127.0.0.1", log_level="error", hello_seconds=600) as server, far_away(server) as home:
        await register(home)
        await home.ask(acc.SignIn, name="Anna", password=PASSWORD)

        async def attack(number: int) -> str:
            async with far_away(server) as door:
                code: str = await door.refused(acc.SignIn, name=f"Nobody {number}", password=OTHER)
                return code

        async with asyncio.TaskGroup() as attackers:
            attempts = [attackers.create_task(attack(number)) for number in range(12)]
            await until(lambda: any(attempt.done() and attempt.result() == "busy" for attempt in attempts))
            assert isinstance(await home.ask(acc.SignIn, name="Anna", password=PASSWORD), acc.SignedIn)
            assert not all(attempt.done() for attempt in attempts), "the owner does not wait until the flood is over"
            async with far_away(server) as elsewhere:
                assert await elsewhere.refused(acc.SignIn, name="Anna", password=PASSWORD) == "busy"
        assert {attempt.result() for attempt in attempts} == {"bad_credentials", "busy"}


@pytest.mark.virtual_time
async def test_who_gives_up_leaves_the_queue_of_passwords(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PASSWORD_RATE", 0.2)
    monkeypatch.setattr(limits, "PASSWORD_BURST", 1.0)
    loop = asyncio.get_running_loop()
    async with start(proxies="127.0.0.1", log_level="error", hello_seconds=600) as server, far_away(server) as first:
        assert await first.refused(acc.SignIn, name="Nobody", password=OTHER) == "bad_credentials"
        async with far_away(server) as next_one:
            began = loop.time()
            await next_one.tell(acc.SignIn(id="s", name="Nobody else", password=OTHER))
            await until(lambda: loop.time() > began + 1)
        assert await first.refused(acc.SignIn, name="Nobody", password=OTHER) == "bad_credentials"
        assert loop.time() - began < 7, "the place in the queue of who has left takes five seconds more"
