"""Relations between players and their notifications in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from cornered.protocol.social import NOTICE_KINDS, MailLanguage, NoticeKind
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.social.ports import (
    CODE_TRIES,
    HOUR_MS,
    Device,
    MailBox,
    Relation,
    TooManyRelations,
    TooSoon,
    UnknownPerson,
)

__all__ = ["MemorySocialStore"]


@dataclass(slots=True)
class _Mail:
    box: MailBox
    code: str
    asked: int
    tries: int = 0
    mailed: int = 0


class MemorySocialStore:
    """Implements `SocialStore`. No change waits for anything between its checks and its end."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._relations: dict[tuple[str, Relation], dict[str, int]] = {}
        self._kinds: dict[str, Sequence[NoticeKind]] = {}
        self._devices: dict[str, list[Device]] = {}
        self._turns: dict[str, int] = {}
        self._mail: dict[str, _Mail] = {}
        self._push_secret = b""
        accounts.on_delete.append(self._forget)

    # Relations

    async def add_relation(self, player: str, relation: Relation, other: str, at: int, most: int) -> None:
        for one in (player, other):
            self._require(one)
        relations = self._relations.setdefault((player, relation), {})
        if other in relations:
            return
        if len(relations) >= most:
            raise TooManyRelations
        relations[other] = at
        if relation == "block":
            await self.remove_relation(player, "follow", other)

    async def remove_relation(self, player: str, relation: Relation, other: str) -> None:
        self._relations.get((player, relation), {}).pop(other, None)

    async def relations(self, player: str, relation: Relation) -> Mapping[str, int]:
        return dict(self._relations.get((player, relation), {}))

    async def blocks_of(self, players: Collection[str]) -> Mapping[str, frozenset[str]]:
        return {player: frozenset(blocked) for player in players if (blocked := self._relations.get((player, "block")))}

    # Notifications

    async def push_kinds(self, player: str) -> Sequence[NoticeKind]:
        return self._kinds.get(player, NOTICE_KINDS)

    async def choose_push(self, player: str, kinds: Collection[NoticeKind]) -> None:
        self._require(player)
        self._kinds[player] = [kind for kind in NOTICE_KINDS if kind in kinds]

    async def devices(self, player: str) -> Sequence[Device]:
        return sorted(self._devices.get(player, ()), key=lambda device: -device.created)

    async def add_device(self, player: str, device: Device, most: int) -> None:
        self._require(player)
        for known in self._devices.values():
            known[:] = [one for one in known if one.endpoint != device.endpoint]
        self._devices.setdefault(player, []).append(device)
        self._devices[player] = list(await self.devices(player))[:most]

    async def remove_device(self, player: str, endpoint: str | None) -> None:
        kept = [device for device in self._devices.get(player, ()) if endpoint not in (None, device.endpoint)]
        self._devices[player] = kept

    async def mail_box(self, player: str) -> MailBox | None:
        known = self._mail.get(player)
        return known.box if known is not None and known.box.address else None

    async def set_mail(self, player: str, address: str, language: MailLanguage, code: str, at: int) -> None:
        self._require(player)
        if any(
            (owner == player or one.box.address == address) and one.asked > at - HOUR_MS
            for owner, one in self._mail.items()
        ):
            raise TooSoon
        known = self._mail.get(player)
        kinds = NOTICE_KINDS if known is None else known.box.kinds
        box = MailBox(address, language, is_confirmed=False, kinds=kinds)
        self._mail[player] = _Mail(box, code, at, mailed=0 if known is None else known.mailed)

    async def confirm_mail(self, player: str, code: str, at: int) -> bool:
        known = self._mail.get(player)
        if known is None or not known.code or known.asked <= at - HOUR_MS or known.tries >= CODE_TRIES:
            return False
        known.tries += 1
        if known.code != code:
            return False
        known.code, known.box = "", replace(known.box, is_confirmed=True)
        return True

    async def choose_mail(self, player: str, kinds: Collection[NoticeKind]) -> None:
        known = self._mail.get(player)
        if known is not None:
            known.box = replace(known.box, kinds=tuple(kind for kind in NOTICE_KINDS if kind in kinds))

    async def forget_mail(self, player: str) -> None:
        known = self._mail.get(player)
        if known is not None:
            known.code, known.box = "", replace(known.box, address="", is_confirmed=False)

    async def claim_mail(self, player: str, kind: NoticeKind, at: int) -> MailBox | None:
        known, box = self._mail.get(player), await self.mail_box(player)
        if known is None or box is None or not box.is_confirmed or kind not in box.kinds:
            return None
        if known.mailed > at - HOUR_MS:
            return None
        known.mailed = at
        return box

    async def claim_turn(self, match: str, seq: int) -> bool:
        if self._turns.get(match, -1) >= seq:
            return False
        self._turns[match] = seq
        return True

    async def forget_turns(self, match: str) -> None:
        self._turns.pop(match, None)

    async def push_secret(self, new: bytes) -> bytes:
        self._push_secret = self._push_secret or new
        return self._push_secret

    def _require(self, player: str) -> None:
        if not self._accounts.has(player):
            raise UnknownPerson(player)

    def _forget(self, player: str) -> None:
        """Delete what is stored of a deleted player, and the relations that others have with the player."""
        for key in [key for key in self._relations if key[0] == player]:
            del self._relations[key]
        for relations in self._relations.values():
            relations.pop(player, None)
        self._kinds.pop(player, None)
        self._devices.pop(player, None)
        self._mail.pop(player, None)
