"""Privilege escalation: every role sends every command of the protocol, with fields that are right for another player.

Which tokens permit a command is in `tests/server/net/test_scopes.py`; here it is enforced, together with what roles,
kinds of players and ownership add to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest
from pydantic import BaseModel
from websockets.exceptions import ConnectionClosed

from cornered.clients.sdk import Client as Kit
from cornered.protocol.account import Role, Scope
from cornered.protocol.commands import Command, Hello
from cornered.protocol.messages import Refused
from cornered.protocol.moderation import Ban
from cornered.protocol.values import Value
from cornered.server.accounts import NewAccount
from tests.protocol.conftest import COMMANDS
from tests.server.conftest import ANALYST_KEY, Client, Running, Start, Stores
from tests.server.net.test_scopes import PERMITTED
from tests.server.test_every_command import CASES, ROLES, Scene

DAY_MS: Final = 24 * 60 * 60 * 1000
NUMBERS: Final = itertools.count(1)
PLENTY: Final = {"guest_burst": 10_000, "message_burst": 100_000, "address_burst": 1_000_000}

Enter = Callable[[Running, Stores, Client], Awaitable[object]]


async def make_account(stores: Stores, role: Role = "player") -> tuple[str, str, str]:
    """Make an account with a role; return the ids of its player and its session, and the session's token."""
    number = next(NUMBERS)
    new = NewAccount(f"Account {number}", f"account {number}", "hash", ("code",), 1)
    made, token = await stores.accounts.register(new, None)
    await stores.accounts.set_role(made.player.id, role)
    return made.player.id, made.session, token


async def ban(server: Running, stores: Stores, player: str, **fields: Any) -> None:
    _, _, token = await make_account(stores, "admin")
    async with server.client(token=token) as admin:
        await admin.do(Ban, player=player, grounds="Insults", **fields)


async def enter_unknown(server: Running, stores: Stores, socket: Client) -> None:
    """Say nothing before the command."""


async def enter_deleted(server: Running, stores: Stores, socket: Client) -> None:
    player, session, token = await make_account(stores)
    await stores.accounts.delete(player, "hash", session)
    await socket.tell(Hello(token=token))
    assert (await socket.hear(Refused)).code == "bad_token"


async def enter_banned(server: Running, stores: Stores, socket: Client) -> None:
    player, _, token = await make_account(stores)
    await ban(server, stores, player)
    await socket.tell(Hello(token=token))
    assert (await socket.hear(Refused)).code == "banned"


async def enter_muted(server: Running, stores: Stores, socket: Client) -> None:
    player, _, token = await make_account(stores)
    await ban(server, stores, player, measure="mute")
    await socket.hello(token=token)


async def enter_former_admin(server: Running, stores: Stores, socket: Client) -> None:
    """Say hello as an administrator, whose role ends then."""
    player, _, token = await make_account(stores, "admin")
    await socket.hello(token=token)
    await stores.accounts.set_role(player, "player")


def enter_as_guest(**hello: Any) -> Enter:
    return lambda server, stores, socket: socket.hello("Somebody", **hello)


def enter_with_account(role: Role = "player", *scopes: Scope) -> Enter:
    """Enter with a session, or, where scopes are named, with a personal token."""

    async def enter(server: Running, stores: Stores, socket: Client) -> None:
        player, session, token = await make_account(stores, role)
        if scopes:
            now = stores.now()
            _, token = await stores.accounts.create_token(player, session, "", scopes, now, now + DAY_MS)
        await socket.hello(token=token)

    return enter


ENTRANCES: Final[dict[str, tuple[str, Enter]]] = {
    "stranger": ("", enter_unknown),
    "deleted": ("", enter_deleted),
    "banned": ("", enter_banned),
    "token to read": ("read", enter_with_account("player", "read")),
    "token to play": ("play", enter_with_account("player", "play")),
    "token of a bot": ("bot", enter_with_account("player", "bot")),
    "token of an administrator": ("admin", enter_with_account("admin", "admin")),
    "guest": ("session", enter_as_guest()),
    "bot": ("session", enter_as_guest(kind="bot")),
    "house bot": ("session", enter_as_guest(kind="bot", key=ANALYST_KEY)),
    "muted": ("session", enter_muted),
    "account": ("session", enter_with_account()),
    "former administrator": ("administrator's session", enter_former_admin),
    "administrator": ("administrator's session", enter_with_account("admin")),
}
"""Roles: how each connects, and the kind of its token in the table of scopes; empty where no hello is accepted."""
GUESTS: Final = ("guest", "bot", "house bot")
BOTS: Final = ("bot", "house bot")
PEOPLE: Final = tuple(name for name, (token, _) in ENTRANCES.items() if token and name not in BOTS)
ACCOUNTS: Final = tuple(name for name in PEOPLE if name != "guest")
EVERYBODY: Final = (*PEOPLE, *BOTS)
NO_ADMINS: Final = tuple(name for name in EVERYBODY if name != "administrator")
AT_THE_DOOR: Final = {
    "ask_passkey_challenge",
    "ask_policies",
    "begin_oidc",
    "finish_oidc",
    "recover",
    "register",
    "register_by_passkey",
    "sign_in",
    "sign_in_by_link",
    "sign_in_by_passkey",
}
"""Commands before hello."""
WRONG: Final[dict[str, dict[str, str]]] = {"recover": {"code": "aaaaa-bbbbb-ccccc-ddddd"}}
"""Fields of which the right value alone is the privilege."""

Refusals = dict[str, str]
"""Codes by role; a role that is missing is answered by the rules of the command, where its token permits it."""


def each(roles: tuple[str, ...], code: str) -> Refusals:
    return dict.fromkeys(roles, code)


TABLE: Final[tuple[tuple[str, Refusals], ...]] = (
    # What all may do who are admitted.
    (
        "ping ask_games ask_my_matches ask_archive ask_head_to_head ask_opening ask_seek ask_lobby ask_pools "
        "ask_profile ask_rating_history ask_leaderboard watch_lobby leave_lobby create_seek join_seek challenge "
        "leave_pool join leave ask_moves ask_history ask_variation ask_line read_record ask_analysis ask_study "
        "ask_trace cancel_analysis ask_policies sign_in ask_account ask_sessions sign_out end_other_sessions "
        "ask_tokens ask_export report_player follow_player unfollow_player block_player unblock_player ask_friends "
        "ask_blocked ask_notices set_notices unsubscribe_push ask_tv find_player ask_tournaments "
        "ask_tournament ask_standings ask_pairings watch_tournament leave_tournament "
        "join_tournament "
        "join_group ask_groups ask_passkey_challenge ask_passkeys remove_passkey "
        "begin_oidc finish_oidc unlink_oidc",
        {},
    ),
    # A name is text that everybody reads.
    ("create_tournament", {"muted": "muted"}),
    # What belongs to another player.
    (
        "leave_seek start_seek cancel_seek accept_challenge decline_challenge cancel_challenge",
        each(EVERYBODY, "not_yours"),
    ),
    (
        "play resign offer_draw accept_draw decline_draw abort request_takeback accept_takeback decline_takeback "
        "claim rematch decline_rematch withdraw_from_tournament",
        each(EVERYBODY, "not_a_player"),
    ),
    (
        "start_tournament finish_tournament cancel_tournament pair_by_hand pause_tournament resume_tournament "
        "forfeit_player",
        each(NO_ADMINS, "not_yours"),
    ),
    ("tell_tournament", each(NO_ADMINS, "not_yours") | {"muted": "muted"}),
    (
        "renew_group_code revoke_group_code ask_group set_group_role remove_member leave_group close_group",
        each(EVERYBODY, "unknown_group"),
    ),
    ("change_group tell_group", each(EVERYBODY, "unknown_group") | {"muted": "muted"}),
    ("say", each(EVERYBODY, "not_a_player") | {"muted": "muted"}),
    ("end_session", each(EVERYBODY, "unknown_session")),
    ("revoke_token", each(EVERYBODY, "unknown_token")),
    # What is for people, and what is for bots.
    ("enter_pool", each(BOTS, "not_allowed")),
    ("declare ask_bot_link ask_bot_report", each(PEOPLE, "not_a_bot")),
    ("report_failure ask_bot_requests", each(PEOPLE, "not_a_bot") | each(BOTS, "not_a_player")),
    ("offer_analysis", each(PEOPLE, "not_a_bot") | {"bot": "not_allowed"}),
    ("analysed", each(EVERYBODY, "unknown_analysis")),
    # What is for accounts, with the password of another one in the field.
    ("register register_by_passkey", each(ACCOUNTS, "already_registered") | each(BOTS, "not_accepted")),
    ("create_token", each(GUESTS, "no_account")),
    ("rename create_group", each(GUESTS, "no_account") | {"muted": "muted"}),
    ("change_password renew_codes add_passkey", each(ACCOUNTS, "bad_credentials") | each(GUESTS, "no_account")),
    ("delete_account", each(ACCOUNTS, "bad_credentials")),
    (
        "recover sign_in_by_link sign_in_by_passkey",
        each(("stranger", "deleted", *EVERYBODY), "bad_credentials"),
    ),
    # A page shows such a link, and a program gets a token of its own.
    ("ask_sign_in_link", each(ACCOUNTS, "not_accepted") | each(GUESTS, "no_account")),
    # What this server does not offer.
    ("subscribe_push set_mail confirm_mail end_mails", each(EVERYBODY, "not_allowed")),
    # What is for administrators, whose role is looked up each time.
    (
        "create_invitation ban unban ask_bans ask_reports ask_report close_report ask_audit ask_accounts",
        each(("former administrator",), "not_permitted"),
    ),
)
REFUSED: Final = {name: refusals for names, refusals in TABLE for name in names.split()}
UNTOUCHED: Final = {
    name
    for name in REFUSED
    if all(REFUSED[name].get(role) for role in EVERYBODY) or name in ("change_password", "renew_codes")
}
"""Commands that all others are refused: afterwards their rightful sender is answered as if nothing had happened."""
PRIVILEGE_CODES: Final = {"hello_first", "not_permitted", *(code for _, codes in TABLE for code in codes.values())}


def name_of(kind: type[BaseModel]) -> str:
    name: str = kind.model_fields["type"].default
    return name


def expected(role: str, name: str) -> str:
    """Return the code with which a role's command is refused for its privileges; empty where it is not."""
    token, _ = ENTRANCES[role]
    if role == "banned":
        return "closed"
    if not token:
        return REFUSED[name].get(role, "") if name in AT_THE_DOOR else "hello_first"
    return REFUSED[name].get(role, "") if token in PERMITTED[name] else "not_permitted"


async def attempt(server: Running, stores: Stores, role: str, kind: type[Command], fields: dict[str, Any]) -> str:
    """Send a command in a role; return the code of the refusal that is about privileges, empty for any other answer."""
    try:
        async with server.socket() as socket:
            await ENTRANCES[role][1](server, stores, socket)
            answer = await socket.ask(kind, **fields)
    except ConnectionClosed:
        return "closed"
    return answer.code if isinstance(answer, Refused) and answer.code in PRIVILEGE_CODES else ""


@pytest.mark.parametrize("kind", [kind for kind in COMMANDS if kind is not Hello], ids=name_of)
async def test_each_role_may_do_what_the_table_says_and_nothing_else(
    kind: type[Command], running_server: Start, stores: Stores
) -> None:
    name = name_of(kind)
    assert name in REFUSED, f"say in TABLE which roles are refused {name}"
    found: Refusals = {}
    async with running_server(log_level="error", **PLENTY) as server, AsyncExitStack() as stack:
        kits = [Kit.connect(server.url, name=name, kind=kind) for name, kind in ROLES]
        scene = Scene(*[await stack.enter_async_context(kit) for kit in kits])
        case = CASES[kind]
        rightful, fields = await case.arrange(scene)
        for role in ENTRANCES:
            # The operator's key is what makes a bot a house bot.
            given = {field: value for field, value in fields.items() if field != "key" or role == "house bot"}
            given |= WRONG.get(name, {})
            found[role] = await attempt(server, stores, role, kind, given)
        if name in UNTOUCHED and isinstance(case.answer, type):
            answer = await rightful.ask(kind(id=rightful.new_id(), **fields), Value)
            assert type(answer) is case.answer
    assert found == {role: expected(role, name) for role in ENTRANCES}


def test_the_table_of_roles_names_the_commands_that_there_are() -> None:
    names = [name for names, _ in TABLE for name in names.split()]
    assert sorted(names) == sorted(name_of(kind) for kind in COMMANDS if kind is not Hello)
