"""What becomes of a visit to the provider of identities: a session, a new account, or a link to an account."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cornered.protocol.account import Registered, SignedIn
from cornered.protocol.messages import Acknowledged
from cornered.protocol.oidc import FinishOidc
from cornered.server.accounts import NO_PASSWORD, Accounts, IdentityTaken, NameTaken, NewSession, StaleAccount
from cornered.server.refusal import Refusal
from cornered.server.runtime.oidc_visits import OidcVisits, Returned
from cornered.server.runtime.registrations import Registrations
from cornered.server.runtime.sign_ins import address_digest
from cornered.server.runtime.visits import Visit

__all__ = ["ProviderSignIns"]


class ProviderSignIns:
    """The visits that end at this node. All methods raise Refusal, NameTaken and TooMany."""

    def __init__(
        self, accounts: Accounts, visits: OidcVisits, registrations: Registrations, *, now: Callable[[], int]
    ) -> None:
        """`now` is the time in milliseconds since 1970."""
        self._accounts = accounts
        self.visits = visits
        self._registrations = registrations
        self._now = now

    async def finish(self, command: FinishOidc, visit: Visit) -> SignedIn | Registered | Acknowledged:
        """Carry out what a visit was begun for. Its code stays good where the name of a new account is taken."""
        returned = self.visits.opened(command, visit)
        if returned.purpose == "link":
            return await self._link(command, returned, visit)
        holder = await self._accounts.identity_holder(returned.person.identity)
        if holder is None:
            return await self._register(command, returned, visit)
        await self.visits.spend(returned, visit)
        session = NewSession(command.label, self._now(), address_digest(holder, visit.key))
        try:
            identity, token = await self._accounts.enter_by_identity(returned.person.identity, session)
        except StaleAccount:
            raise Refusal("bad_credentials", "this account is closed; ask those who run this server") from None
        return SignedIn(id=command.id, player=identity.player, token=token)

    async def _link(self, command: FinishOidc, returned: Returned, visit: Visit) -> Acknowledged:
        identity = visit.identity
        assert identity is not None
        await self.visits.spend(returned, visit)
        try:
            await self._accounts.link(identity.player.id, returned.person.identity, identity.session, self._now())
        except IdentityTaken:
            text = "this identity is linked to an account already, or yours to another one"
            raise Refusal("already_linked", text) from None
        return Acknowledged(id=command.id)

    async def _register(self, command: FinishOidc, returned: Returned, visit: Visit) -> Registered:
        if not self.visits.creates:
            text = "no account is linked to you; sign in another way and link it in your account"
            raise Refusal("no_account", text)
        self._registrations.check_player(visit)
        name = command.name or await self._free_name(returned.person.names, visit)
        await self._registrations.check_claim(name, visit)
        await self.visits.spend(returned, visit)
        # The provider admits its people, whoever else may register.
        new = self._registrations.draft(name, NO_PASSWORD, label=command.label)
        new = replace(new, identity=returned.person.identity, invitation=None)
        return await self._registrations.store(command.id, new, visit, has_codes=False)

    async def _free_name(self, names: Sequence[str], visit: Visit) -> str:
        for name in names:
            try:
                await self._registrations.check_claim(name, visit)
            except (NameTaken, Refusal):
                continue
            return name
        raise NameTaken
