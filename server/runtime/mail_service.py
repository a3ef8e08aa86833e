"""E-mails to players who have asked for them: first a code to the address, then at most one notice an hour."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from cornered import engine
from cornered.protocol.social import MailLanguage
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal, milliseconds
from cornered.server.runtime.tallies import Allowance, Tally
from cornered.server.social.mails import code_mail, notice_mail, stop_mark
from cornered.server.social.notices import PlayerNotice
from cornered.server.social.ports import HOUR_MS, Mailer, SocialStore, TooSoon

__all__ = ["MailService"]

MAX_ASKED: Final = 10_000
"""Mailboxes of which this node remembers when a code was sent to them."""
CODES_FROM_ADDRESS: Final = Allowance(burst=20, rate=20 / 3600)
"""Mails with a code that are sent for clients of one address, which may be a whole school."""
CODES_IN_ALL: Final = Allowance(burst=300, rate=300 / 3600)
"""Mails with a code that one node sends: more of them, and others take its mail for spam."""


class MailService:
    """Sends the e-mails of one node. Every method may raise SocialUnavailable."""

    def __init__(
        self,
        store: SocialStore,
        mailer: Mailer,
        secret: bytes,
        page: str,
        is_here: Callable[[str], bool],
        counts: Counts,
        *,
        now: Callable[[], int],
    ) -> None:
        """`secret` is the store's, `page` the page's address; `is_here` returns whether a player is connected."""
        self._store = store
        self._mailer = mailer
        self._secret = secret
        self._page = page
        self._is_here = is_here
        self._counts = counts
        self._now = now
        # When a code was sent to an address, by its digest: players who give up their addresses take them from the
        # store, and one after the other could have codes sent to somebody's.
        self._asked: OrderedDict[str, int] = OrderedDict()
        # All players are counted as one: each of them gets a code an hour.
        self._sent = Tally(player=CODES_IN_ALL, address=CODES_FROM_ADDRESS)

    async def ask(self, player: str, address: str, language: MailLanguage, client: str) -> None:
        """Send a code to an address that a player names as theirs, from the address `client`. Raises Refusal."""
        code = f"{secrets.randbelow(1_000_000):06}"
        if wait := self._sent.wait("", client):
            text = "too many codes were mailed for your address; try again later"
            raise Refusal("too_fast", text, retry_after=milliseconds(wait))
        # Before anything waits: those who ask at the same moment are counted too.
        self._sent.count("", client)
        try:
            if not self._is_due(address):
                raise TooSoon
            await self._store.set_mail(player, address, language, self._digest(player, code), self._now())
        except TooSoon:
            raise Refusal("busy", "a code was sent a short while ago; ask for another one in an hour") from None
        self._asked[self._digest("", _mailbox(address))] = self._now()
        if len(self._asked) > MAX_ASKED:
            self._asked.popitem(last=False)
        is_sent = await self._mailer.send(code_mail(address, code, language, self._page))
        self._counts.mailed(is_sent=is_sent)
        if not is_sent:
            raise Refusal("internal", "the mail could not be sent; check the address, and try again in an hour")

    def _is_due(self, address: str) -> bool:
        """Return whether no code was sent to a mailbox within the last hour, and forget those of before."""
        while self._asked and next(iter(self._asked.values())) <= self._now() - HOUR_MS:
            self._asked.popitem(last=False)
        return self._digest("", _mailbox(address)) not in self._asked

    async def confirm(self, player: str, code: str) -> None:
        """Confirm a player's address by the code that was sent to it. Raises Refusal."""
        if not await self._store.confirm_mail(player, self._digest(player, code), self._now()):
            raise Refusal("bad_credentials", "this is not the code, or it was sent more than an hour ago")

    async def end(self, player: str, mark: str) -> None:
        """End the mails to a player by the mark in one of them. Raises Refusal."""
        box = await self._store.mail_box(player)
        if box is not None:
            if not hmac.compare_digest(stop_mark(self._secret, player, box.address), mark):
                raise Refusal("bad_credentials", "this link is of another address; use that of a newer mail")
            await self._store.forget_mail(player)

    async def send_notice(self, notice: PlayerNotice) -> None:
        """Send a notice to a player who is not connected and has had no mail within the last hour."""
        if self._is_here(notice.player):
            return
        box = await self._store.claim_mail(notice.player, notice.kind, self._now())
        if box is None:
            return
        stop = f"{self._page}/#/mails/{notice.player}/{stop_mark(self._secret, notice.player, box.address)}"
        title = next((kind.title for kind in engine.games() if kind.name == notice.game), notice.game)
        mail = notice_mail(box.address, notice, title, box.language, self._page, stop)
        self._counts.mailed(is_sent=await self._mailer.send(mail))

    def _digest(self, player: str, code: str) -> str:
        return hmac.new(self._secret, f"mail code {player} {code}".encode(), sha256).hexdigest()


def _mailbox(address: str) -> str:
    """Return what all addresses of a mailbox have in common: a subaddress (RFC 5233) leads to the same one."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"
