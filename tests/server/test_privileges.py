"""Privilege escalation: every role sends every command of the protocol, with fields that are right for another player.

The tables state which tokens permit a command, and what roles, kinds of players and ownership add to that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from pydantic import BaseModel
from websockets.exceptions import ConnectionClosed

from cornered.protocol.account import Role, Scope
from cornered.protocol.commands import Command, Hello
from cornered.protocol.messages import Refused
from cornered.protocol.moderation import Ban
from cornered.protocol.values import Player, Value
from cornered.server.accounts import ALL_SCOPES, PLAIN_SCOPES, Identity
from cornered.server.net.scopes import permits
from tests.protocol.conftest import COMMANDS
from tests.server.conftest import ANALYST_KEY, PLENTY, Client, Running, Start, Stores
from tests.server.scenes import DAY_MS, make_account
from tests.server.test_every_command import CASES, scene_at


@dataclass
class House:
    """A server with its stores, and an administrator who bans."""

    server: Running
    stores: Stores
    admin: Client
    open: AsyncExitStack
    kept: dict[str, Client] = field(default_factory=dict)
    """Sockets by role of which all commands were refused, so that they are as they were after hello."""

    async def account(self, role: Role = "player", **measure: Any) -> tuple[str, str, str]:
        """Return a new account as `make_account` does, which is banned or muted where a measure is named."""
        made = await make_account(self.stores, role)
        if measure:
            await self.admin.do(Ban, player=made[0], grounds="Insults", **measure)
        return made


Enter = Callable[[House, Client], Awaitable[object]]


async def enter_unknown(house: House, socket: Client) -> None:
    """Say nothing before the command."""


async def enter_deleted(house: House, socket: Client) -> None:
    player, session, token = await house.account()
    await house.stores.accounts.delete(player, "hash", session)
    await socket.tell(Hello(token=token))
    assert (await socket.hear(Refused)).code == "bad_token"


async def enter_banned(house: House, socket: Client) -> None:
    _, _, token = await house.account(measure="ban")
    await socket.tell(Hello(token=token))
    assert (await socket.hear(Refused)).code == "banned"


async def enter_muted(house: House, socket: Client) -> None:
    _, _, token = await house.account(measure="mute")
    await socket.hello(token=token)


async def enter_former_admin(house: House, socket: Client) -> None:
    """Say hello as an administrator, whose role ends then."""
    player, _, token = await house.account("admin")
    await socket.hello(token=token)
    await house.stores.accounts.set_role(player, "player")


def enter_as_guest(**hello: Any) -> Enter:
    return lambda house, socket: socket.hello("Somebody", **hello)


def enter_with_account(role: Role = "player", *scopes: Scope) -> Enter:
    """Enter with a session, or, where scopes are named, with a personal token."""

    async def enter(house: House, socket: Client) -> None:
        player, session, token = await house.account(role)
        if scopes:
            now = house.stores.now()
            _, token = await house.stores.accounts.create_token(player, session, "", scopes, now, now + DAY_MS)
        await socket.hello(token=token)

    return enter


TOKENS: Final[dict[str, tuple[tuple[Scope, ...], bool]]] = {
    "play": (("play",), False),
    "bot": (("bot",), False),
    "read": (("read",), False),
    "admin": (("admin",), False),
    "session": (PLAIN_SCOPES, True),
    "administrator's session": (ALL_SCOPES, True),
}
"""Kinds of tokens: scopes, and whether it is a session."""
ALL_TOKENS: Final = set(TOKENS)
SESSIONS: Final = {"session", "administrator's session"}
READER_TOKENS: Final = {"play", "bot", "read", *SESSIONS}
PLAYER_TOKENS: Final = {"play", "bot", *SESSIONS}
PERSON_TOKENS: Final = {"play", *SESSIONS}
BOT_TOKENS: Final = {"bot", *SESSIONS}
ADMIN_TOKENS: Final = {"admin", "administrator's session"}
SCOPES: Final[dict[str, set[str]]] = {
    "hello ping ask_policies ask_account end_mails": ALL_TOKENS,
    "ask_games ask_my_matches ask_seek ask_lobby watch_lobby leave_lobby join leave ask_moves ask_history "
    "ask_variation ask_line read_record ask_archive ask_head_to_head ask_opening ask_pools ask_profile "
    "ask_rating_history ask_leaderboard ask_tv find_player ask_tournaments ask_tournament ask_standings ask_pairings "
    "watch_tournament leave_tournament ask_groups ask_group ask_bot_report ask_bot_requests": READER_TOKENS,
    "create_seek join_seek leave_seek start_seek cancel_seek challenge accept_challenge decline_challenge "
    "cancel_challenge say play resign offer_draw accept_draw decline_draw abort request_takeback accept_takeback "
    "decline_takeback claim rematch decline_rematch report_player create_tournament join_tournament "
    "withdraw_from_tournament start_tournament finish_tournament cancel_tournament pair_by_hand pause_tournament "
    "resume_tournament tell_tournament forfeit_player create_group change_group renew_group_code revoke_group_code "
    "join_group set_group_role remove_member leave_group close_group tell_group": PLAYER_TOKENS,
    "ask_analysis ask_study ask_trace cancel_analysis enter_pool leave_pool follow_player unfollow_player block_player "
    "unblock_player ask_friends ask_blocked": PERSON_TOKENS,
    "declare offer_analysis analysed report_failure ask_bot_link": BOT_TOKENS,
    "register sign_in recover rename change_password renew_codes ask_sessions sign_out end_session end_other_sessions "
    "create_token ask_tokens revoke_token ask_export delete_account ask_passkey_challenge register_by_passkey "
    "sign_in_by_passkey ask_passkeys add_passkey remove_passkey begin_oidc finish_oidc unlink_oidc "
    "sign_in_by_link ask_sign_in_link ask_notices set_notices subscribe_push unsubscribe_push set_mail "
    "confirm_mail": SESSIONS,
    "create_invitation ban unban ask_bans ask_reports ask_report close_report ask_audit ask_accounts": ADMIN_TOKENS,
}
PERMITTED: Final = {name: who for names, who in SCOPES.items() for name in names.split()}

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
    ("rename create_group", each(GUESTS, "no_account") | {"muted": "muted"}),
    (
        "change_password renew_codes add_passkey create_token",
        each(ACCOUNTS, "bad_credentials") | each(GUESTS, "no_account"),
    ),
    ("delete_account", each(ACCOUNTS, "bad_credentials")),
    ("recover sign_in_by_link sign_in_by_passkey", each(("stranger", "deleted", *EVERYBODY), "bad_credentials")),
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


async def attempt(house: House, role: str, kind: type[Command], fields: dict[str, Any]) -> str:
    """Send a command in a role; return the code of the refusal that is about privileges, empty for any other answer."""
    token, enter = ENTRANCES[role]
    socket = house.kept.pop(role, None)
    try:
        if socket is None:
            socket = await house.open.enter_async_context(house.server.socket())
            await enter(house, socket)
        answer = await socket.ask(kind, **fields)
    except ConnectionClosed:
        return "closed"
    if token and isinstance(answer, Refused):
        house.kept[role] = socket
    else:
        await socket.socket.close()
    return answer.code if isinstance(answer, Refused) and answer.code in PRIVILEGE_CODES else ""


def test_each_token_permits_what_the_table_says_and_nothing_else() -> None:
    # No scope looks at the fields of a command.
    made: dict[str, Any] = {name_of(kind): kind.model_construct() for kind in COMMANDS}
    player = Player(id="p", name="Ann", kind="person")
    tokens = {name: Identity(player, "s", scopes, is_session) for name, (scopes, is_session) in TOKENS.items()}
    found = {
        name: {token for token, identity in tokens.items() if permits(identity, command)}
        for name, command in made.items()
    }
    assert found == PERMITTED
    nobody = Identity(player, "s", (), is_session=False)
    assert {name for name, command in made.items() if permits(nobody, command)} == {
        name for name, who in PERMITTED.items() if who == ALL_TOKENS
    }


async def attempt_all(house: House, kind: type[Command]) -> Refusals:
    """Send a command in each role, with fields that are right for the player in its case; return the codes by role."""
    name, case = name_of(kind), CASES[kind]
    found: Refusals = {}
    async with scene_at(house.server) as scene:
        rightful, fields = await case.arrange(scene)
        for role in ENTRANCES:
            # The operator's key is what makes a bot a house bot.
            given = {field: value for field, value in fields.items() if field != "key" or role == "house bot"}
            found[role] = await attempt(house, role, kind, given | WRONG.get(name, {}))
        if name in UNTOUCHED and isinstance(case.answer, type):
            answer = await rightful.ask(kind(id=rightful.new_id(), **fields), Value)
            assert type(answer) is case.answer
    return found


async def test_each_role_may_do_what_the_table_says_and_nothing_else(
    running_server: Start, stores: Stores, subtests: pytest.Subtests, many_passwords: None
) -> None:
    kinds: dict[str, type[Any]] = {name_of(kind): kind for kind in COMMANDS if kind is not Hello}
    assert sorted(name for names, _ in TABLE for name in names.split()) == sorted(kinds), "a command that is in no row"
    _, _, token = await make_account(stores, "admin")
    async with running_server(log_level="error", **PLENTY) as server, AsyncExitStack() as sockets:
        admin = await sockets.enter_async_context(server.client(token=token))
        house = House(server, stores, admin, sockets)
        for name, kind in kinds.items():
            with subtests.test(name):
                assert await attempt_all(house, kind) == {role: expected(role, name) for role in ENTRANCES}
