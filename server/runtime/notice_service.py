"""Notices to players: in the page where one is open, and by push messages to the browsers that have asked for them.

`notify` never waits: notices are in a bounded queue until one of a few workers sends them, so no move is delayed. A
turn is claimed in the store before it is announced, so that of several nodes, and of a node before and after its
restart, one announces it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias, assert_never

import structlog

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
from cornered.server.social.notices import LIFETIME_S, PlayerNotice, payload_of, topic_of
from cornered.server.social.ports import Device, PushSender, SocialStore, SocialUnavailable, UnknownPerson

__all__ = ["NoticeCommand", "NoticeService", "Teller"]

MAX_QUEUE: Final = 1_000
"""Notices that may wait; further ones are dropped."""
WORKERS: Final = 4
"""Notices that are sent at once."""
ATTEMPTS: Final = 3
"""How often a notice is tried while the store is away."""
RETRY_SECONDS: Final = 5.0

NoticeCommand: TypeAlias = AskNotices | SetNotices | SubscribePush | UnsubscribePush | SetMail | ConfirmMail | EndMails

log = structlog.get_logger("notices")


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
        # A text is the id of a correspondence game that is over.
        self._queue: asyncio.Queue[PlayerNotice | str] = asyncio.Queue(MAX_QUEUE)

    # Notifier

    def notify(self, notice: PlayerNotice) -> None:
        self._put(notice)

    def match_over(self, match: str) -> None:
        """Forget which turns of a match were announced."""
        self._put(match)

    def _put(self, item: PlayerNotice | str) -> None:
        try:
            self._queue.put_nowait(item)
        except asyncio.QueueFull:
            self._counts.noticed("dropped")

    @property
    def waiting(self) -> int:
        """How many notices wait."""
        return self._queue.qsize()

    # Sending

    async def run(self) -> None:
        """Send notices until cancelled."""
        async with asyncio.TaskGroup() as workers:
            for number in range(WORKERS):
                workers.create_task(self._work(), name=f"notices[{number}]")

    async def _work(self) -> None:
        while True:
            item = await self._queue.get()
            try:
                await self._carry_out(item)
            except Exception:
                # A defect here must not end the server, nor keep the next notice from being sent.
                self._counts.noticed("failed")
                log.exception("a notice could not be sent")

    async def _carry_out(self, item: PlayerNotice | str) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                if isinstance(item, str):
                    await self._store.forget_turns(item)
                elif item.kind != "turn" or await self._store.claim_turn(item.match or "", item.seq):
                    await self._send(item)
                return
            except SocialUnavailable as error:
                log.warning("a notice waits for the store", reason=str(error), attempt=attempt)
                await asyncio.sleep(RETRY_SECONDS)
        self._counts.noticed("failed")

    async def _send(self, notice: PlayerNotice) -> None:
        self._counts.noticed(notice.kind)
        if notice.kind == "turn":
            # Of a challenge, and of a game that is ready, the page has the message itself.
            self._tell(notice.player, Notified(kind=notice.kind, game=notice.game, by=notice.by, match=notice.match))
        await self._send_push(notice)
        if self.mails is not None:
            await self.mails.send_notice(notice)

    async def _send_push(self, notice: PlayerNotice) -> None:
        if self._push is None or notice.kind not in await self._store.push_kinds(notice.player):
            return
        payload, topic, ttl = payload_of(notice), topic_of(notice), LIFETIME_S[notice.kind]
        for device in await self._store.devices(notice.player):
            outcome = await self._push.send(device, payload, topic=topic, ttl=ttl)
            self._counts.pushed(outcome)
            if outcome == "gone":
                await self._store.remove_device(notice.player, device.endpoint)

    # Commands

    async def answer(self, command: NoticeCommand, player: Player, *, has_account: bool = False) -> ServerMessage:
        """Carry out a command and return its answer. Raises Refusal."""
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
                    await self._set_mail(command, player, has_account=has_account)
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

    async def _set_mail(self, command: SetMail, player: Player, *, has_account: bool) -> None:
        if command.address is None:
            await self._store.forget_mail(player.id)
            return
        mails = self._require_mails()
        if not has_account:
            raise Refusal("no_account", "mails are for players with an account; register or sign in")
        await mails.ask(player.id, command.address, command.language)

    async def _subscribe(self, command: SubscribePush, player: str) -> None:
        if self._push is None:
            raise Refusal("not_allowed", "this server sends no push messages")
        device = Device(command.endpoint, command.p256dh, command.auth, command.label, self._now())
        try:
            self._push.check(device)
        except ValueError as error:
            raise Refusal("not_allowed", str(error)) from None
        await self._store.add_device(player, device, MAX_DEVICES)
