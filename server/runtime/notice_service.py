"""Notices to players: in the page where one is open, and by push messages to the browsers that have asked for them.

`notify` never waits: notices are in bounded queues until one of a few workers sends them, so no move is delayed, and no
push message by a mail. A turn is claimed in the store before it is announced, so that of several nodes, and of a node
before and after its restart, one announces it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias, assert_never

from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.social import (
    MAX_DEVICES,
    AskNotices,
    ConfirmMail,
    EndMails,
    Notices,
    Notified,
    SetMail,
    SetNotices,
    SubscribePush,
    UnsubscribePush,
)
from cornered.protocol.values import Player
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal
from cornered.server.runtime.mail_service import MailService
from cornered.server.runtime.notice_queue import NoticeQueue
from cornered.server.social.notices import LIFETIME_S, PlayerNotice, payload_of, topic_of
from cornered.server.social.ports import Device, PushSender, SocialStore, SocialUnavailable, UnknownPerson
from cornered.server.social.recent_challenges import RecentChallenges

__all__ = ["NoticeCommand", "NoticeService", "Teller"]

WORKERS: Final = 4
"""Notices that are announced at once, and those that are sent by push messages at once."""
MAIL_WORKERS: Final = 2
"""Notices that are sent by e-mail at once, fewer than the mails that leave at once: a code waits for none of them."""

NoticeCommand: TypeAlias = AskNotices | SetNotices | SubscribePush | UnsubscribePush | SetMail | ConfirmMail | EndMails


class Teller(Protocol):
    """Sends a message to all sockets of a player, on all nodes."""

    def __call__(self, player: str, message: Notified) -> None: ...


class NoticeService:
    """Implements `Notifier` for one node, and answers the commands about notifications."""

    mails: MailService | None = None
    """Sends e-mails; None where the server sends none."""

    def __init__(
        self,
        store: SocialStore,
        tell: Teller,
        counts: Counts,
        push: PushSender | None = None,
        *,
        now: Callable[[], int],
    ) -> None:
        """Without `push` browsers cannot subscribe. `now` is the time in milliseconds since 1970."""
        self._store = store
        self._tell = tell
        self._counts = counts
        self._push = push
        self._now = now
        self._challenges = RecentChallenges()
        # A text is the id of a correspondence game that is over.
        self._announcements: NoticeQueue[PlayerNotice | str] = NoticeQueue(
            "notices", self._announce, counts, workers=WORKERS
        )
        # Of their own, since a mail server may be slow, and a push service as well.
        self._pushes = NoticeQueue("pushes", self._send_push, counts, workers=WORKERS)
        self._mails = NoticeQueue("mails", self._send_mail, counts, workers=MAIL_WORKERS)

    # Notifier

    def notify(self, notice: PlayerNotice) -> None:
        if self._is_repeated(notice):
            self._counts.noticed("repeated")
            return
        self._announcements.put(notice)

    def match_over(self, match: str) -> None:
        """Forget which turns of a match were announced."""
        self._announcements.put(match)

    def _is_repeated(self, notice: PlayerNotice) -> bool:
        by = notice.by
        return (
            notice.kind == "challenge"
            and by is not None
            and not self._challenges.admit(by.id, notice.player, self._now())
        )

    @property
    def waiting(self) -> int:
        """How many notices wait."""
        return sum(queue.waiting for queue in (self._announcements, self._pushes, self._mails))

    # Sending

    async def run(self) -> None:
        """Send notices until cancelled."""
        async with asyncio.TaskGroup() as workers:
            for queue in (self._announcements, self._pushes, self._mails):
                queue.start(workers)

    async def _announce(self, item: PlayerNotice | str) -> None:
        if isinstance(item, str):
            await self._store.forget_turns(item)
            return
        if item.kind == "turn":
            if not await self._store.claim_turn(item.match or "", item.seq):
                return
            # Of a challenge, and of a game that is ready, the page has the message itself.
            self._tell(item.player, Notified(kind=item.kind, game=item.game, by=item.by, match=item.match))
        self._counts.noticed(item.kind)
        if self._push is not None:
            self._pushes.put(item)
        if self.mails is not None:
            self._mails.put(item)

    async def _send_push(self, notice: PlayerNotice) -> None:
        assert self._push is not None
        if notice.kind not in await self._store.push_kinds(notice.player):
            return
        payload, topic, ttl = payload_of(notice), topic_of(notice), LIFETIME_S[notice.kind]
        for device in await self._store.devices(notice.player):
            outcome = await self._push.send(device, payload, topic=topic, ttl=ttl)
            self._counts.pushed(outcome)
            if outcome == "gone":
                await self._store.remove_device(notice.player, device.endpoint)

    async def _send_mail(self, notice: PlayerNotice) -> None:
        assert self.mails is not None
        await self.mails.send_notice(notice)

    # Commands

    async def answer(
        self, command: NoticeCommand, player: Player, client: str, *, has_account: bool = False
    ) -> ServerMessage:
        """Carry out a command from the address `client` and return its answer. Raises Refusal."""
        try:
            match command:
                case AskNotices():
                    return await self._notices(command, player.id)
                case SetNotices():
                    if command.push is not None:
                        await self._store.choose_push(player.id, command.push)
                    if command.mail is not None:
                        await self._store.choose_mail(player.id, command.mail)
                case SubscribePush():
                    await self._subscribe(command, player.id)
                case UnsubscribePush():
                    await self._store.remove_device(player.id, command.endpoint)
                case SetMail():
                    await self._set_mail(command, player, client, has_account=has_account)
                case ConfirmMail():
                    await self._require_mails().confirm(player.id, command.code)
                case EndMails():
                    await self._require_mails().end(command.player, command.mark)
                case _:
                    assert_never(command)
        except SocialUnavailable:
            raise Refusal("internal", "your notifications cannot be reached just now; try again") from None
        except UnknownPerson:
            raise Refusal("unknown_player", "there is no such player") from None
        return Acknowledged(id=command.id)

    async def _notices(self, command: AskNotices, player: str) -> Notices:
        box = None if self.mails is None else await self._store.mail_box(player)
        return Notices(
            has_mail=self.mails is not None,
            mail=() if box is None else box.kinds,
            address=None if box is None else box.address,
            is_confirmed=box is not None and box.is_confirmed,
            id=command.id,
            push_key=None if self._push is None else self._push.public_key,
            push=tuple(await self._store.push_kinds(player)),
            devices=tuple(device.label for device in await self._store.devices(player)),
        )

    def _require_mails(self) -> MailService:
        if self.mails is None:
            raise Refusal("not_allowed", "this server sends no mails")
        return self.mails

    async def _set_mail(self, command: SetMail, player: Player, client: str, *, has_account: bool) -> None:
        if command.address is None:
            await self._store.forget_mail(player.id)
            return
        mails = self._require_mails()
        if not has_account:
            raise Refusal("no_account", "mails are for players with an account; register or sign in")
        await mails.ask(player.id, command.address, command.language, client)

    async def _subscribe(self, command: SubscribePush, player: str) -> None:
        if self._push is None:
            raise Refusal("not_allowed", "this server sends no push messages")
        device = Device(command.endpoint, command.p256dh, command.auth, command.label, self._now())
        try:
            self._push.check(device)
        except ValueError as error:
            raise Refusal("not_allowed", str(error)) from None
        await self._store.add_device(player, device, MAX_DEVICES)
