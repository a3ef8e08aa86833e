"""Links by which a device that is signed in signs in another one: signed, short-lived, and good once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from cornered.protocol.account import AskSignInLink, SignedIn, SignInByLink, SignInLink
from cornered.server.accounts import Accounts, Identity, NewSession, StaleAccount, UnknownPlayer
from cornered.server.refusal import Refusal
from cornered.server.runtime.sign_ins import SignIns, address_digest
from cornered.server.runtime.signed_texts import BadSignature, TextSigner
from cornered.server.runtime.used_texts import spend
from cornered.server.runtime.visits import Visit

__all__ = ["LINK_SECONDS", "DeviceLinks"]

LINK_SECONDS: Final = 120
_PURPOSE: Final = "sign-in link"
_TEXT: Final = "this link is used, or its two minutes are over; let the other device show another one"


class DeviceLinks:
    """The links that this node's pages show, and those that its visitors bring from any node."""

    def __init__(
        self,
        accounts: Accounts,
        signer: TextSigner,
        sign_ins: SignIns,
        draw_qr: Callable[[str], Awaitable[tuple[str, ...]]],
        *,
        now: Callable[[], int],
    ) -> None:
        """`draw_qr` returns the rows of a link's QR code; `now` is the time in milliseconds since 1970."""
        self._accounts = accounts
        self._signer = signer
        self._sign_ins = sign_ins
        self._draw_qr = draw_qr
        self._now = now

    def check_page(self, visit: Visit) -> None:
        """Raise a Refusal where a link would lead nowhere: to no page."""
        if not visit.origin:
            raise Refusal("not_accepted", "a page shows such a link; a program gets a personal token")

    async def show(self, command: AskSignInLink, identity: Identity, visit: Visit) -> SignInLink:
        """Return a link to the account of a session, which is good as long as the session."""
        facts = {"player": identity.player.id, "session": identity.session}
        code = self._signer.sign(_PURPOSE, facts, seconds=LINK_SECONDS)
        link = f"{visit.origin}/#/enter/{code}"
        expires = self._now() + LINK_SECONDS * 1000
        return SignInLink(id=command.id, link=link, qr=await self._draw_qr(link), expires=expires)

    async def enter(self, command: SignInByLink, visit: Visit) -> SignedIn:
        """Begin a session by a link; attempts are bounded for each address. Raises Refusal and TooMany."""
        with self._sign_ins.attempt("link", visit.address, visit.key) as attempt:
            try:
                signed = self._signer.verify(_PURPOSE, command.code)
            except BadSignature:
                raise Refusal("bad_credentials", _TEXT) from None
            if not await spend(self._accounts, signed, visit.address, self._now()):
                raise Refusal("bad_credentials", _TEXT)
            player = signed.facts["player"]
            session = NewSession(command.label, self._now(), address_digest(player, visit.key))
            try:
                identity, token = await self._accounts.sign_in_again(player, signed.facts["session"], session)
            except (StaleAccount, UnknownPlayer):
                raise Refusal("bad_credentials", _TEXT) from None
            attempt.succeeded()
        return SignedIn(id=command.id, player=identity.player, token=token)
