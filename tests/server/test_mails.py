"""E-mails of a running server: codes, notices at most once an hour, and the link that ends them."""

from __future__ import annotations

import asyncio
import contextlib
import email
import re
from collections.abc import AsyncIterator
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from cornered.protocol.account import AskExport, Register
from cornered.protocol.commands import Challenge
from cornered.protocol.social import AskNotices, ConfirmMail, EndMails, SetMail, SetNotices, SubscribePush
from cornered.protocol.values import Player
from cornered.server.adapters.mail_smtp import SmtpMailer
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal
from cornered.server.runtime import mail_service
from cornered.server.runtime.tallies import Allowance
from cornered.server.settings import SettingsError
from cornered.server.social.mails import Mail, notice_mail
from cornered.server.social.notices import PlayerNotice
from cornered.server.social.recent_challenges import QUIET_MS
from tests.server.conftest import SMALL, Client, Running, Start, Stores
from tests.server.push_service import Browser as PushBrowser
from tests.server.push_service import push_service

PAGE = "https://play.example.org"
HOUR_MS = 60 * 60 * 1000


class Sink:
    """A mail server on loopback that keeps what it is given."""

    def __init__(self) -> None:
        self.port = 0
        self.refuses = False
        self.held = 0
        """How many of the next connections get no greeting until `released`."""
        self.released = asyncio.Event()
        self.open = 0
        self.mails: list[EmailMessage] = []
        self.arrived = asyncio.Condition()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            with contextlib.suppress(ConnectionError):
                await self._serve(reader, writer)
        finally:
            writer.close()
            async with self.arrived:
                self.open -= 1
                self.arrived.notify_all()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.held:
            self.held -= 1
            await self.released.wait()
        writer.write(b"220 sink\r\n")
        while line := (await reader.readline()).decode().strip():
            word = line.split(" ")[0].upper()
            if word == "RCPT" and self.refuses:
                writer.write(b"550 there is nobody here\r\n")
            elif word == "DATA":
                writer.write(b"354 go on\r\n")
                body = (await reader.readuntil(b"\r\n.\r\n"))[:-3]
                message = email.message_from_bytes(body, policy=default)
                assert isinstance(message, EmailMessage)
                async with self.arrived:
                    self.mails.append(message)
                    self.arrived.notify_all()
                writer.write(b"250 thanks\r\n")
            elif word == "QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 ok\r\n")

    async def wait_for(self, count: int) -> EmailMessage:
        """Return the newest mail when there are so many."""
        async with asyncio.timeout(30), self.arrived:
            await self.arrived.wait_for(lambda: len(self.mails) >= count)
        return self.mails[-1]


@pytest.fixture
async def sink() -> AsyncIterator[Sink]:
    sink = Sink()
    server = await asyncio.start_server(sink.serve, "127.0.0.1", 0)
    sink.port = server.sockets[0].getsockname()[1]
    async with server:
        yield sink
        sink.released.set()
        async with asyncio.timeout(30), sink.arrived:
            await sink.arrived.wait_for(lambda: not sink.open)


def settings(sink: Sink) -> dict[str, Any]:
    return {
        "smtp": SecretStr(f"smtp://127.0.0.1:{sink.port}"),
        "mail_from": "Cornered <games@example.org>",
        "page_url": f"{PAGE}/",
        "guest_rate": 1_000,
    }


@pytest.fixture
async def server(running_server: Start, sink: Sink) -> AsyncIterator[Running]:
    async with running_server(**settings(sink)) as server:
        yield server


def words(message: EmailMessage) -> str:
    return str(message.get_content())


@contextlib.asynccontextmanager
async def with_account(server: Running, name: str) -> AsyncIterator[Client]:
    async with server.client(name) as client:
        await client.ask(Register, name=name, password="correct horse battery")
        yield client


async def confirmed(client: Client, sink: Sink, language: str = "en") -> None:
    """Give a client's player an address, and enter its code."""
    count = len(sink.mails)
    await client.do(SetMail, address=f"{client.player.name.lower()}@example.org", language=language)
    code = re.search(r"[0-9]{6}", words(await sink.wait_for(count + 1)))
    assert code is not None
    await client.do(ConfirmMail, code=code.group())


async def test_an_address_gets_mails_after_its_code_was_entered(running_server: Start, sink: Sink) -> None:
    async with running_server(**settings(sink)) as server, with_account(server, "Ann") as ann:
        assert (await ann.ask(AskNotices)).has_mail
        await ann.do(SetMail, address="ann@example.org", language="de")
        mail = await sink.wait_for(1)
        assert (mail["To"], mail["From"], mail["Auto-Submitted"]) == (
            "ann@example.org",
            "Cornered <games@example.org>",
            "auto-generated",
        )
        code = re.findall(r"[0-9]{6}", str(mail["Subject"]))[0]
        assert f"Gib {code}" in words(mail)
        wrong = f"{(int(code) + 1) % 1_000_000:06}"
        assert await ann.refused(ConfirmMail, code=wrong) == "bad_credentials"
        notices = await ann.ask(AskNotices)
        assert (notices.address, notices.is_confirmed) == ("ann@example.org", False)
        await ann.do(ConfirmMail, code=code)
        assert (await ann.ask(AskNotices)).is_confirmed
        assert await ann.refused(SetMail, address="other@example.org") == "busy"
        assert "ann@example.org" in (await ann.ask(AskExport)).text
        await ann.do(SetMail, address=None)
        assert (await ann.ask(AskNotices)).address is None
    assert len(sink.mails) == 1


async def test_who_is_away_gets_one_mail_an_hour_with_a_link_that_ends_them(
    running_server: Start, sink: Sink, stores: Stores
) -> None:
    async with running_server(**settings(sink)) as server, server.client("Ben") as ben:
        async with with_account(server, "Ann") as ann:
            await confirmed(ann, sink)
            # Who is here needs no mail.
            await ben.do(Challenge, to=ann.player.id, game=SMALL)
            player = ann.player.id
        stores.now.at += QUIET_MS
        await ben.do(Challenge, to=player, game=SMALL)
        mail = await sink.wait_for(2)
        assert str(mail["Subject"]) == "A challenge in TrapGrid"
        assert "You are challenged by Ben to a game of TrapGrid." in words(mail)
        stores.now.at += QUIET_MS
        await ben.do(Challenge, to=player, game=SMALL)
        await server.metrics_once(lambda found: found['cornered_notices_total{kind="challenge"}'] == 3)
        stop = str(mail["List-Unsubscribe"]).strip("<>")
        assert stop in words(mail).replace("=\n", "")
        mark = stop.rpartition("/")[2]
        assert stop == f"{PAGE}/#/mails/{player}/{mark}"
        assert await ben.refused(EndMails, player=player, mark="0" * 32) == "bad_credentials"
        # Of who gets no mails nothing is told.
        await ben.do(EndMails, player=ben.player.id, mark=mark)
        # Whoever has the link may end them, also twice, and signed in or not.
        for _ in range(2):
            await ben.do(EndMails, player=player, mark=mark)
        assert await stores.social.mail_box(player) is None
    assert len(sink.mails) == 2


async def away_with_mail(server: Running, sink: Sink, *names: str) -> list[str]:
    """Return players who get e-mails and are not connected."""
    players = []
    for name in names:
        async with with_account(server, name) as client:
            await confirmed(client, sink)
            players.append(client.player.id)
    return players


async def test_a_mail_that_the_mail_server_holds_up_holds_up_no_other(server: Running, ben: Client, sink: Sink) -> None:
    first, second = await away_with_mail(server, sink, "Ann", "Dora")
    sink.held = 1
    await ben.do(Challenge, to=first, game=SMALL)
    await server.metrics_once(lambda _: sink.held == 0)
    await ben.do(Challenge, to=second, game=SMALL)
    async with asyncio.timeout(10):
        assert (await sink.wait_for(3))["To"] == "dora@example.org"
    sink.released.set()
    await sink.wait_for(4)


async def test_a_slow_mail_server_holds_up_no_push_message(running_server: Start, sink: Sink) -> None:
    async with (
        push_service() as service,
        running_server(**settings(sink), push_origins=service.origin) as server,
        server.client("Ben") as ben,
        server.client("Cleo") as cleo,
    ):
        players = await away_with_mail(server, sink, "Ann", "Dora", "Emil", "Finn")
        await cleo.do(SubscribePush, endpoint=service.endpoint(), label="", **PushBrowser().keys)
        sink.held = len(players)
        for player in (*players, cleo.player.id):
            await ben.do(Challenge, to=player, game=SMALL)
        async with asyncio.timeout(10):
            await service.wait_for(1)
        sink.released.set()
        await sink.wait_for(2 * len(players))


async def test_a_mail_has_a_time_limit_as_a_whole(server: Running, sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.adapters.mail_smtp.SEND_SECONDS", 0.2)
    async with with_account(server, "Ann") as ann:
        sink.held = 1
        async with asyncio.timeout(10):
            assert await ann.refused(SetMail, address="ann@example.org") == "internal"
        sink.released.set()


async def test_kinds_are_chosen_and_guests_have_no_address(running_server: Start, sink: Sink) -> None:
    async with running_server(**settings(sink)) as server, server.client("Ben") as ben:
        assert await ben.refused(SetMail, address="ben@example.org") == "no_account"
        async with with_account(server, "Ann") as ann:
            await confirmed(ann, sink)
            await ann.do(SetNotices, mail=("turn",))
            notices = await ann.ask(AskNotices)
            assert (notices.mail, notices.push) == (("turn",), ("turn", "challenge", "round"))
            player = ann.player.id
        await ben.do(Challenge, to=player, game=SMALL)
        await server.metrics_once(lambda found: found.get('cornered_notices_total{kind="challenge"}') == 1)
    assert len(sink.mails) == 1


async def test_an_address_that_was_given_up_gets_no_code_for_another_player(running_server: Start, sink: Sink) -> None:
    async with running_server(**settings(sink)) as server, with_account(server, "Ann") as ann:
        await ann.do(SetMail, address="victim@example.org")
        await ann.do(SetMail, address=None)
        async with with_account(server, "Ben") as ben:
            for other in ("Victim@example.org", "victim+free@example.org"):
                assert await ben.refused(SetMail, address=other) == "busy"
    assert len(sink.mails) == 1


@pytest.mark.parametrize("bound", ["CODES_FROM_ADDRESS", "CODES_IN_ALL"])
async def test_codes_are_bounded_for_an_address_and_in_all(
    running_server: Start, sink: Sink, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(mail_service, bound, Allowance(burst=2, rate=1 / 3600))
    async with running_server(**settings(sink)) as server:
        for name in ("Ann", "Ben"):
            async with with_account(server, name) as client:
                await client.do(SetMail, address=f"{name}@example.org")
        async with with_account(server, "Cas") as cas:
            assert await cas.refused(SetMail, address="cas@example.org") == "too_fast"
    assert len(sink.mails) == 2


async def test_codes_that_are_asked_for_at_once_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_service, "CODES_FROM_ADDRESS", Allowance(burst=1, rate=1 / 3600))
    sent: list[Mail] = []

    class Slow:
        """A store and a mail server that let others go on."""

        async def set_mail(self, *given: object) -> None:
            await asyncio.sleep(0)

        async def send(self, mail: Mail) -> bool:
            sent.append(mail)
            return True

    slow: Any = Slow()
    mails = mail_service.MailService(slow, slow, b"", PAGE, lambda player: False, Counts(), now=lambda: HOUR_MS)
    asked = (mails.ask(name, f"{name}@example.org", "en", "home") for name in ("ann", "ben"))
    refused = [one for one in await asyncio.gather(*asked, return_exceptions=True) if one is not None]
    assert [type(one) for one in refused] == [Refusal]
    assert len(sent) == 1


def test_a_name_in_a_mail_is_no_address() -> None:
    for name, shown in (("Ann", "Ann"), ("win.example/free", "win example free"), ("a@b:c", "a b c"), ("./.", "?")):
        by = Player(id="p", name=name, kind="person")
        mail = notice_mail(
            "ann@example.org", PlayerNotice("challenge", "q", "trapgrid", by), "TrapGrid", "en", PAGE, "x"
        )
        assert f"challenged by {shown} to" in mail.text


async def test_an_address_that_the_mail_server_refuses_is_said_at_once(server: Running, sink: Sink) -> None:
    sink.refuses = True
    async with with_account(server, "Ann") as ann:
        assert await ann.refused(SetMail, address="ann@example.org") == "internal"


def test_what_is_no_address_is_malformed(subtests: pytest.Subtests) -> None:
    for address in ("ann", "ann@exa mple.org", "ann@example.org\r\nBcc: ben@example.org", "<a@b>@c"):
        with subtests.test(address=address), pytest.raises(ValidationError):
            SetMail(id="m1", address=address)


@pytest.mark.parametrize(
    "given",
    [
        {"smtp": SecretStr("mail.example.org"), "mail_from": "a@b", "page_url": PAGE},
        {"smtp": SecretStr("smtps://mail.example.org"), "mail_from": "", "page_url": PAGE},
        {"smtp": SecretStr("smtps://mail.example.org"), "mail_from": "a@b\r\nBcc: c@d", "page_url": PAGE},
        {"smtp": SecretStr("smtps://mail.example.org"), "mail_from": "a@b", "page_url": ""},
    ],
)
async def test_a_setting_that_lacks_something_is_named(start: Start, given: dict[str, Any]) -> None:
    with pytest.raises((SettingsError, ExceptionGroup)) as error:
        async with start(**given):
            pass
    assert "CORNERED_" in f"{error.value}{getattr(error.value, 'exceptions', '')}"


async def test_a_mail_server_that_is_not_there_fails_without_more(sink: Sink) -> None:
    mailer = SmtpMailer("smtp://127.0.0.1:1", "games@example.org")
    assert not await mailer.send(Mail("ann@example.org", "Hello", "Hello"))
