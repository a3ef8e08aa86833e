"""Registrations by password, passkey or provider: the policy, the name, and the new account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cornered.protocol.account import Registered
from cornered.server.accounts import Accounts, NameTaken, NewAccount, is_name_claimed
from cornered.server.lobby.names import comparison_key, is_numbered
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal
from cornered.server.runtime.codes import code_digest, invitation_digest, new_codes
from cornered.server.runtime.limits import Limits
from cornered.server.runtime.visits import Visit, Visits

__all__ = ["Registrations"]


class Registrations:
    """The registrations at one node."""

    def __init__(
        self,
        accounts: Accounts,
        limits: Limits,
        counts: Counts,
        visits: Visits,
        *,
        clean_name: Callable[[str], str],
        now: Callable[[], int],
    ) -> None:
        """`clean_name` raises a Refusal for a forbidden name; `now` is the time in milliseconds since 1970."""
        self._clean_name = clean_name
        self._accounts = accounts
        self._settings = limits.settings
        self._counts = counts
        self._visits = visits
        self._now = now

    def check_policy(self, invitation: str | None) -> None:
        """Raise a Refusal where registration is closed, or needs an invitation that is missing."""
        if self._settings.registration == "closed":
            raise Refusal("registration_closed", "no accounts are made here; ask those who run this server")
        if self._settings.registration == "invitation" and invitation is None:
            raise Refusal("bad_invitation", "one needs an invitation to make an account here")

    def check_player(self, visit: Visit) -> None:
        """Refuse players that have an account, and bots."""
        identity = visit.identity
        if identity is not None and identity.has_account:
            raise Refusal("already_registered", "you have an account already")
        if identity is not None and identity.player.kind == "bot":
            raise Refusal("not_accepted", "accounts are for people; give your bot a personal token of your account")

    def check_name(self, name: str, player: str | None) -> None:
        """Raise a Refusal or NameTaken where a name is forbidden, reserved, or somebody else bears it just now."""
        self._clean_name(name)
        names = self._visits.names
        if is_numbered(name):
            raise Refusal("name_taken", "names with a number in parentheses are given to guests; choose another")
        if names.is_reserved(name) or names.holder(name) not in (None, player):
            raise NameTaken

    async def check_claim(self, name: str, visit: Visit) -> None:
        """Do the same, also where it is an account's: before work is done, since the store decides again."""
        player = None if visit.identity is None else visit.identity.player.id
        self.check_name(name, player)
        if await is_name_claimed(self._accounts, name, player or ""):
            raise NameTaken

    def draft(self, name: str, stored: str, *, label: str, invitation: str | None = None) -> NewAccount:
        """Return an account to make, without codes; `stored` is the hash of the password or NO_PASSWORD."""
        used = invitation_digest(invitation or "") if self._settings.registration == "invitation" else None
        return NewAccount(name, comparison_key(name), stored, (), self._now(), label=label, invitation=used)

    async def store(self, command_id: str, new: NewAccount, visit: Visit, *, has_codes: bool = True) -> Registered:
        """Make the account of the visit's guest, or of a new player, and answer with its recovery codes."""
        identity = visit.identity
        codes = new_codes() if has_codes else ()
        new = replace(new, codes=tuple(map(code_digest, codes)))
        player, by = ("", "") if identity is None else (identity.player.id, identity.session)
        with visit.replacing() as replace_identity:
            known, token = await self._accounts.register(new, player or None, by)
            replace_identity(known)
        self._counts.registrations += 1
        if identity is not None:
            self._visits.changed(known.player)
        return Registered(id=command_id, player=known.player, token=token, codes=codes)
