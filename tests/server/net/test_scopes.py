"""The table of scopes: what each token permits, for every command that there is."""

from __future__ import annotations

from typing import Any, Final

import pytest

from cornered.protocol import account, commands
from cornered.protocol.account import Scope
from cornered.protocol.values import Player
from cornered.server.accounts import ALL_SCOPES, PLAIN_SCOPES, Identity
from cornered.server.net.scopes import permits
from tests.protocol.conftest import COMMANDS

TOKENS: Final[dict[str, tuple[tuple[Scope, ...], bool]]] = {
    "play": (("play",), False),
    "bot": (("bot",), False),
    "read": (("read",), False),
    "admin": (("admin",), False),
    "session": (PLAIN_SCOPES, True),
    "administrator's session": (ALL_SCOPES, True),
}
"""Kinds of tokens: scopes, and whether it is a session."""
EVERYBODY: Final = set(TOKENS)
SESSIONS: Final = {"session", "administrator's session"}
READERS: Final = {"play", "bot", "read", *SESSIONS}
PLAYERS: Final = {"play", "bot", *SESSIONS}
PERSONS: Final = {"play", *SESSIONS}
BOTS: Final = {"bot", *SESSIONS}
ADMINISTRATORS: Final = {"admin", "administrator's session"}
TABLE: Final[dict[str, set[str]]] = {
    "hello ping ask_policies ask_account end_mails": EVERYBODY,
    "ask_games ask_my_matches ask_seek ask_lobby watch_lobby leave_lobby join leave ask_moves ask_history "
    "ask_variation ask_line read_record ask_archive ask_head_to_head ask_opening ask_pools ask_profile "
    "ask_rating_history ask_leaderboard ask_tv find_player ask_tournaments ask_tournament ask_standings ask_pairings "
    "watch_tournament leave_tournament ask_groups ask_group ask_bot_report ask_bot_requests": READERS,
    "create_seek join_seek leave_seek start_seek cancel_seek challenge accept_challenge decline_challenge "
    "cancel_challenge say play resign offer_draw accept_draw decline_draw abort request_takeback accept_takeback "
    "decline_takeback claim rematch decline_rematch report_player create_tournament join_tournament "
    "withdraw_from_tournament start_tournament finish_tournament cancel_tournament pair_by_hand pause_tournament "
    "resume_tournament tell_tournament forfeit_player create_group change_group renew_group_code revoke_group_code "
    "join_group set_group_role remove_member leave_group close_group tell_group": PLAYERS,
    "ask_analysis ask_study ask_trace cancel_analysis enter_pool leave_pool follow_player unfollow_player block_player "
    "unblock_player ask_friends ask_blocked": PERSONS,
    "declare offer_analysis analysed report_failure ask_bot_link": BOTS,
    "register sign_in recover rename change_password renew_codes ask_sessions sign_out end_session end_other_sessions "
    "create_token ask_tokens revoke_token ask_export delete_account ask_passkey_challenge register_by_passkey "
    "sign_in_by_passkey ask_passkeys add_passkey remove_passkey begin_oidc finish_oidc unlink_oidc "
    "sign_in_by_link ask_sign_in_link ask_notices set_notices subscribe_push unsubscribe_push set_mail "
    "confirm_mail": SESSIONS,
    "create_invitation ban unban ask_bans ask_reports ask_report close_report ask_audit ask_accounts": ADMINISTRATORS,
}
PERMITTED: Final = {name: who for names, who in TABLE.items() for name in names.split()}


def made(kind: Any) -> Any:
    """Return a command without its fields, which no scope looks at."""
    return kind.model_construct()


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_each_token_permits_what_the_table_says_and_nothing_else(kind: Any) -> None:
    name = kind.model_fields["type"].default
    assert name in PERMITTED, f"say in TABLE which tokens permit {name}"
    player = Player(id="p", name="Ann", kind="person")
    found = {
        token
        for token, (scopes, is_session) in TOKENS.items()
        if permits(Identity(player, "s", scopes, is_session), made(kind))
    }
    assert found == PERMITTED[name]


def test_the_table_names_commands_that_there_are() -> None:
    assert set(PERMITTED) == {kind.model_fields["type"].default for kind in COMMANDS}


def test_a_token_without_scopes_permits_next_to_nothing() -> None:
    nobody = Identity(Player(id="p", name="Ann", kind="person"), "s", (), is_session=False)
    assert permits(nobody, made(commands.Ping))
    assert not permits(nobody, made(commands.Join))
    assert not permits(nobody, made(account.CreateToken))
