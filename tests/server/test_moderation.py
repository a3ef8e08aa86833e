"""Moderation on a running server: reports, bans, mutes and the log, for administrators and against everybody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from cornered.protocol import account as acc
from cornered.protocol import moderation as mod
from cornered.protocol.commands import Challenge, DeclineChallenge, DeclineRematch, Hello, Rematch, Resign, Say
from cornered.protocol.events import RematchDeclined
from cornered.protocol.groups import ChangeGroup, CreateGroup, TellGroup
from cornered.protocol.messages import ChallengeClosed, Challenged, Happened, Notice, Refused, Said
from cornered.server.accounts import NewAccount
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.moderation.events import NO_SEAL, Entry, Reported, seal_of
from cornered.server.moderation.ports import ModerationUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.moderation_service import ModerationService, address_mark
from tests.server.conftest import SMALL, Client, Pair, Running, Start, Stores
from tests.server.scenes import PASSWORD, admin_of, closing, token_of
from tests.virtual_time import after
from tests.waiting import until

GROUNDS: Final = "Insults in the chat"


@pytest.fixture
async def admin(server: Running, stores: Stores) -> AsyncIterator[Client]:
    """Cas, an administrator."""
    async with admin_of(server, stores) as admin:
        yield admin


async def refused_hello(server: Running, token: str | None) -> Refused | None:
    async with server.socket() as stranger:
        await stranger.tell(Hello(token=token))
        answer = await stranger.listen()
        return answer if isinstance(answer, Refused) else None


async def test_an_administrator_bans_and_unbans(server: Running, admin: Client, ann: Client, pair: Pair) -> None:
    async with server.client("Ben") as ben:
        await pair(ann, ben)
        token = ben.welcome.token
        done = await admin.do(mod.Ban, player=ben.player.id, seconds=3600, grounds=GROUNDS)
        code, reason = await closing(ben)
        assert code == 1008
        assert reason.startswith("you are banned until 20")
    refused = await refused_hello(server, token)
    assert refused is not None
    assert (refused.code, GROUNDS in refused.text) == ("banned", True)
    (ban,) = (await admin.ask(mod.AskBans)).bans
    assert (str(ban.number), ban.player.id, ban.by, ban.grounds) == (done.ref, ben.player.id, "Cas", GROUNDS)
    assert await refused_hello(server, None) is None
    await admin.do(mod.Unban, ban=ban.number, grounds="Sorry")
    assert await refused_hello(server, token) is None
    assert (await admin.ask(mod.AskBans)).bans == ()


async def test_a_banned_address_gets_no_new_guest_and_no_account(running_server: Start, stores: Stores) -> None:
    far: dict[str, Any] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
    async with running_server(proxies="127.0.0.1") as server, admin_of(server, stores) as admin:
        async with server.socket(**far) as ben:
            await ben.hello("Ben")
            await admin.do(mod.Ban, player=ben.player.id, address=True, grounds=GROUNDS)
            await closing(ben)
        players = len(stores.accounts._players)
        for message in (Hello(name="Ben"), acc.Register(id="r", name="Ben", password=PASSWORD)):
            async with server.socket(**far) as door:
                await door.tell(message)
                answer = await door.listen()
                assert isinstance(answer, Refused)
                assert answer.code == "banned"
        assert len(stores.accounts._players) == players
        assert await refused_hello(server, None) is None


async def test_an_administrator_does_not_ban_the_own_address(admin: Client, ben: Client) -> None:
    assert await admin.refused(mod.Ban, player=ben.player.id, address=True, grounds=GROUNDS) == "not_permitted"


async def test_long_grounds_close_the_connection_and_nothing_else(
    server: Running, admin: Client, ben: Client, stores: Stores
) -> None:
    """A close frame has at most 125 bytes."""
    long = "ä" * 300
    await admin.do(mod.Ban, player=ben.player.id, grounds=long)
    code, reason = await closing(ben)
    assert (code, reason.endswith("ää")) == (1008, True)
    refused = await refused_hello(server, ben.welcome.token)
    assert refused is not None
    assert long in refused.text
    # An order of the operator comes by the log.
    async with server.client("Cleo") as cleo:
        service = ModerationService(stores.moderation_log, stores.accounts, Connections(), b"", now=stores.now)
        await service.begin()
        await service.order(mod.Ban(id="b", player=cleo.player.id, grounds=long))
        assert (await closing(cleo))[0] == 1008
    assert (await admin.ask(mod.AskBans)).bans[0].by == "operator"
    assert await admin.refused(mod.Unban, ban=2, grounds="Sorry") == "not_permitted"


async def test_a_ban_ends_by_itself(server: Running, admin: Client, ben: Client, stores: Stores) -> None:
    await admin.do(mod.Ban, player=ben.player.id, seconds=60, grounds=GROUNDS)
    await closing(ben)
    assert await refused_hello(server, ben.welcome.token) is not None
    stores.now.at += 60_000
    assert await refused_hello(server, ben.welcome.token) is None


async def test_who_is_muted_plays_and_reads_but_does_not_write(
    admin: Client, ann: Client, ben: Client, pair: Pair
) -> None:
    match = await pair(ann, ben)
    await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
    assert await ben.refused(Say, match=match, room="players", text="Hello") == "muted"
    await ann.do(Say, match=match, room="players", text="Hello")
    await admin.do(mod.Unban, ban=1, grounds="Sorry")
    await ben.do(Say, match=match, room="players", text="Hello")


async def test_what_a_muted_player_declines_is_declined_without_a_word(
    admin: Client, ann: Client, ben: Client, pair: Pair
) -> None:
    match = await pair(ann, ben)
    await ben.do(Resign, match=match)
    for is_muted in (False, True):
        if is_muted:
            await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
        reason = "" if is_muted else "You bore me"
        sent = await ann.do(Challenge, to=ben.player.id, game=SMALL)
        await ben.hear(Challenged)
        await ben.do(DeclineChallenge, challenge=sent.ref, reason="You bore me")
        closed = await ann.hear(ChallengeClosed, lambda said: said.how == "declined")
        assert (closed.how, closed.reason) == ("declined", reason)
        await ann.do(Rematch, match=match)
        await ben.do(DeclineRematch, match=match, reason="You bore me")
        declined = await ann.hear(Happened, lambda said: isinstance(said.events[-1], RematchDeclined))
        assert declined.events[-1].reason == reason  # type: ignore[union-attr]


async def test_a_muted_player_keeps_its_name(server: Running, admin: Client, ben: Client) -> None:
    await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
    async with server.client("Ann is a bore", token=ben.welcome.token) as again:
        assert again.player.name == "Ben"
    await ben.ask(acc.Register, name="Ben", password=PASSWORD)
    assert await ben.refused(acc.Rename, name="Ann is a bore") == "muted"


async def test_nobody_writes_where_there_is_no_chat(running_server: Start, pair: Pair) -> None:
    async with running_server(chat="nobody") as server, server.client("Ann") as ann, server.client("Ben") as ben:
        match = await pair(ann, ben)
        await ann.ask(acc.Register, name="Ann", password=PASSWORD)
        assert await ann.refused(Say, match=match, room="players", text="Hello") == "no_chat"
        assert (await ben.ask(acc.AskPolicies)).chat == "nobody"


async def test_words_of_the_list_are_in_no_line_and_no_name(running_server: Start, tmp_path: Path, pair: Pair) -> None:
    words = tmp_path / "words.txt"
    words.write_text("knave\n")
    async with running_server(chat_filter=words) as server, server.client("Ann") as ann, server.client("Ben") as ben:
        match = await pair(ann, ben)
        assert await ann.refused(Say, match=match, room="players", text="You kn\u0430ve!") == "forbidden_words"
        await ann.do(Say, match=match, room="players", text="You brave one!")
        for command in (Hello(name="Knave"), Hello(name="Knave", token=ben.welcome.token)):
            async with server.socket() as door:
                await door.tell(command)
                assert (await door.hear(Refused)).code == "forbidden_words"
        assert await ann.refused(acc.Register, name="K.n.a.v.e", password=PASSWORD) == "forbidden_words"
        await ann.ask(acc.Register, name="Ann", password=PASSWORD)
        assert await ann.refused(acc.Rename, name="Knave") == "forbidden_words"
        assert await ann.refused(CreateGroup, name="The knave") == "forbidden_words"
        group = (await ann.do(CreateGroup, name="Class 7b")).ref
        assert await ann.refused(ChangeGroup, group=group, name="Knave", guests=True) == "forbidden_words"
        assert await ann.refused(TellGroup, group=group, text="You knave!") == "forbidden_words"
        sent = await ann.do(Challenge, to=ben.player.id, game=SMALL)
        await ben.do(DeclineChallenge, challenge=sent.ref, reason="No, knave")
        assert (await ann.hear(ChallengeClosed, lambda said: said.how == "declined")).reason == ""
    async with (
        running_server(chat_filter=words, chat_filter_action="mask") as server,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        match = await pair(ann, ben)
        await ann.do(Say, match=match, room="players", text="You knave!")
        assert (await ben.hear(Said)).text == "You ******"


async def test_an_export_has_the_reports_that_one_made(admin: Client, ann: Client, ben: Client, stores: Stores) -> None:
    for match in ("m1", None):
        await ann.do(mod.ReportPlayer, player=ben.player.id, match=match, grounds=f"About {match}")
    await admin.do(mod.CloseReport, report=1, grounds="Talked to")
    await admin.do(mod.ReportPlayer, player=ann.player.id, grounds="Reports too much")
    reports = json.loads((await ann.ask(acc.AskExport)).text)["reports"]
    assert [(one["number"], one["match"], one["grounds"]) for one in reports] == [
        (1, "m1", "About m1"),
        (2, None, "About None"),
    ]
    assert all((one["player"]["name"], one["at"]) == ("Ben", stores.now()) for one in reports)
    (own,) = json.loads((await admin.ask(acc.AskExport)).text)["reports"]
    assert own["player"]["id"] == ann.player.id
    assert json.loads((await ben.ask(acc.AskExport)).text)["reports"] == []
    # Of a report whose words are erased the log has the rest, and of a deleted player the id.
    event = Reported(ben.player.id, "m2", ann.player.id, "digest")
    await stores.moderation_log.append(Entry(5, 7, ann.player.id, event, "seal"))
    await ben.do(acc.DeleteAccount)
    *_, last = json.loads((await ann.ask(acc.AskExport)).text)["reports"]
    player = {"id": ben.player.id, "name": "deleted", "kind": "person"}
    assert last == {"number": 5, "at": 7, "player": player, "match": "m2", "grounds": None}


async def test_a_report_shows_the_chat_that_its_reporter_saw_and_is_told_to_be_read_once(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with (
        running_server() as server,
        admin_of(server, stores) as admin,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
        server.client("Eve") as eve,
    ):
        match = await pair(ann, ben)
        await eve.join(match)
        await ben.do(Say, match=match, room="players", text="Loser")
        await eve.do(Say, match=match, room="spectators", text="Whatever")
        made = await ann.do(mod.ReportPlayer, player=ben.player.id, match=match, grounds="See the chat")
        await eve.do(mod.ReportPlayer, player=ben.player.id, grounds="No match")
        details = await admin.ask(mod.AskReport, report=int(made.ref or 0))
        assert [(line.by.name, line.text) for line in details.chat] == [("Ben", "Loser")]
        assert (details.report.grounds, details.verified) == ("See the chat", True)
        assert (await admin.ask(mod.AskReport, report=2)).chat == ()
        await admin.do(mod.CloseReport, report=1, grounds="Talked to")
        notice = await ann.hear(Notice)
        assert notice.code == "report_closed"
        assert await admin.refused(mod.AskReport, report=1) == "unknown_report"
        token, admin_token = ann.welcome.token, await token_of(server, "Cas")
    # Who was told is not told again, and who was away is told on coming back.
    async with running_server() as server, server.client(token=admin_token) as admin, server.client(token=token) as ann:
        await admin.do(mod.CloseReport, report=2, grounds="Nothing in it")
        async with server.client(token=eve.welcome.token) as back:
            assert (await back.hear(Notice)).code == "report_closed"
        assert not [one for one in ann.heard if isinstance(one, Notice)]


async def test_who_is_deleted_is_called_deleted_in_the_log_too(server: Running, admin: Client) -> None:
    async with server.client("Benedikt") as ben, server.client("Annabel") as ann:
        await ann.do(mod.ReportPlayer, player=ben.player.id, grounds=GROUNDS)
        await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
        assert "Benedikt" in (await admin.ask(mod.AskAudit)).entries[0].what
        await ben.ask(acc.DeleteAccount)
        await ann.ask(acc.DeleteAccount)
    shown = [await admin.ask(kind) for kind in (mod.AskAudit, mod.AskReports, mod.AskBans)]
    assert not any(name in answer.model_dump_json() for answer in shown for name in ("Benedikt", "Annabel"))
    assert shown[1].reports[0].player.name == "deleted"


async def test_an_entry_that_was_edited_in_the_store_is_named_in_the_log(
    admin: Client, ben: Client, stores: Stores
) -> None:
    for _ in range(3):
        await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
    assert (await admin.ask(mod.AskAudit)).broken is None
    entries = stores.moderation_log._entries
    good = entries[1]
    entries[1] = replace(good, event=replace(good.event, grounds="Nothing"))
    assert (await admin.ask(mod.AskAudit)).broken == 2
    # Even where all seals after it are made anew.
    edited = entries[1].event
    entries[1] = replace(entries[1], seal=seal_of(entries[0].seal, 2, good.at, good.by, edited))
    last = entries[2]
    entries[2] = replace(last, seal=seal_of(entries[1].seal, 3, last.at, last.by, last.event))
    assert (await admin.ask(mod.AskAudit)).broken is not None


async def test_administrators_find_accounts_by_name_and_everybody_by_id(server: Running, admin: Client) -> None:
    async with server.client("Guest") as ben:
        for name in ("Carla", "Casper"):
            async with server.client("Guest") as guest:
                await guest.ask(acc.Register, name=name, password=PASSWORD)
        await admin.do(mod.Ban, player=ben.player.id, measure="mute", grounds=GROUNDS)
        found = await admin.ask(mod.AskAccounts, text="CAS")
        assert [(one.player.name, one.role, one.seen > 0) for one in found.accounts] == [
            ("Cas", "admin", True),
            ("Casper", "player", True),
        ]
        (guest_found,) = (await admin.ask(mod.AskAccounts, text=ben.player.id)).accounts
        assert (guest_found.role, guest_found.bans) == (None, (1,))
        assert (await admin.ask(mod.AskAccounts, text="nobody")).accounts == ()


async def test_a_report_is_read_and_closed_and_all_is_in_the_log(admin: Client, ann: Client, ben: Client) -> None:
    made = await ann.do(mod.ReportPlayer, player=ben.player.id, match="m1", grounds=GROUNDS)
    assert await ann.refused(mod.ReportPlayer, player=ben.player.id, match="m1", grounds="Again") == "busy"
    reports = await admin.ask(mod.AskReports)
    assert isinstance(reports, mod.Reports)
    (report,) = reports.reports
    assert (str(report.number), report.by.id, report.player.id) == (made.ref, ann.player.id, ben.player.id)
    await admin.do(mod.CloseReport, report=report.number, grounds="Talked to")
    assert (await admin.ask(mod.AskReports)).reports == ()
    audit = await admin.ask(mod.AskAudit)
    assert isinstance(audit, mod.Audit)
    assert [one.number for one in audit.entries] == [2, 1]
    assert [one.by for one in audit.entries] == ["Cas", "Ann"]


async def test_an_administrator_bans_neither_itself_nor_another_one(admin: Client, ann: Client, stores: Stores) -> None:
    await ann.ask(acc.Register, name="Ann", password=PASSWORD)
    await stores.accounts.set_role(ann.player.id, "admin")
    assert await admin.refused(mod.Ban, player=ann.player.id, grounds=GROUNDS) == "not_permitted"
    assert await admin.refused(mod.Ban, player=admin.player.id, grounds=GROUNDS) in ("yourself", "not_permitted")


async def test_bans_and_the_log_come_in_pages() -> None:
    accounts = MemoryAccounts()
    admin, ben = [(await accounts.create(name, "person"))[0] for name in ("Cas", "Ben")]
    await accounts.register(NewAccount("Cas", "cas", "hash", ("code",), 1), admin.player.id, admin.session)
    await accounts.set_role(admin.player.id, "admin")
    service = ModerationService(MemoryModerationLog(), accounts, Connections(), b"", now=lambda: 1)

    async def ask(command: mod.ModerationCommand) -> Any:
        return await service.answer(command, admin.player)

    for _ in range(52):
        await ask(mod.Ban(id="b", player=ben.player.id, measure="mute", grounds=GROUNDS))
    first, second = await ask(mod.AskBans(id="1")), await ask(mod.AskBans(id="2", after=3))
    assert (len(first.bans), first.bans[0].number, first.more) == (50, 52, 3)
    assert ([one.number for one in second.bans], second.more) == ([2, 1], None)
    first, second = await ask(mod.AskAudit(id="3")), await ask(mod.AskAudit(id="4", after=3))
    assert (len(first.entries), first.more) == (50, 3)
    assert ([one.number for one in second.entries], second.more) == ([2, 1], None)


# Several nodes


class Connections:
    """Players who are connected to one node, by their addresses."""

    def __init__(self, **here: str) -> None:
        self.here = here
        self.put: dict[str, str] = {}
        self.told: list[tuple[str, str]] = []

    def address_of(self, player: str) -> str:
        return self.here.get(player, "")

    def is_connected(self, player: str) -> bool:
        return player in self.here

    def notify(self, player: str, notice: Notice) -> None:
        self.told.append((player, notice.code))

    def put_out(self, is_excluded: Any) -> None:
        for player, address in self.here.items():
            if reason := is_excluded(player, address):
                self.put[player] = reason


class Faltering(MemoryModerationLog):
    """A log that cannot be read at times."""

    is_away = False

    async def read(self, since: int, limit: int) -> Any:
        if self.is_away:
            raise ModerationUnavailable("the store is away")
        return await super().read(since, limit)


@pytest.mark.virtual_time
async def test_a_ban_holds_on_every_node_within_a_second_also_after_an_outage() -> None:
    moderation_log, accounts = Faltering(), MemoryAccounts()
    identity, _ = await accounts.create("Ben", "person")
    ben = identity.player.id
    one_side, other_side = Connections(), Connections(**{ben: "1.2.3.4"})
    one = ModerationService(moderation_log, accounts, one_side, b"secret", now=lambda: 1)
    other = ModerationService(moderation_log, accounts, other_side, b"secret", now=lambda: 1)
    await other.begin()
    following = asyncio.create_task(other.run())
    moderation_log.is_away = True
    await after(0.6)
    moderation_log.is_away = False
    await one.order(mod.Ban(id="b", player=ben, grounds=GROUNDS))
    await until(lambda: other_side.put)
    assert other_side.put == {ben: f"you are banned here: {GROUNDS}"}
    with pytest.raises(Refusal, match=GROUNDS):
        other.check(ben, "")
    following.cancel()


async def test_of_decisions_on_three_nodes_none_is_lost_and_the_log_is_sealed() -> None:
    moderation_log, accounts = MemoryModerationLog(), MemoryAccounts()
    players = [(await accounts.create(f"P{number}", "person"))[0].player.id for number in range(8)]
    nodes = [ModerationService(moderation_log, accounts, Connections(), b"", now=lambda: 1) for _ in range(3)]
    made = await asyncio.gather(
        *(nodes[number % 3].order(mod.Ban(id="b", player=player, grounds="x")) for number, player in enumerate(players))
    )
    assert sorted(entry.number for entry in made) == list(range(1, 9))
    for node in nodes:
        await node.begin()
        assert node.bans == 8
    entries: list[Entry] = list(await moderation_log.read(0, 100))
    seal = NO_SEAL
    for one in entries:
        seal = seal_of(seal, one.number, one.at, one.by, one.event)
        assert one.seal == seal


def test_of_a_banned_address_the_store_has_a_mark_that_needs_its_secret() -> None:
    assert address_mark(b"one", "1.2.3.4") == address_mark(b"one", "1.2.3.4") != address_mark(b"other", "1.2.3.4")
    assert "1.2.3.4" not in address_mark(b"one", "1.2.3.4")
