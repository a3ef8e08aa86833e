"""Bonds between players and their notifications in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cornered.protocol.social import NOTICE_KINDS, NoticeKind
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.social.ports import Bond, Device, TooManyBonds, UnknownPerson

__all__ = ["MemorySocialStore"]


class MemorySocialStore:
    """Implements `SocialStore`. No change waits for anything between its checks and its end."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._bonds: dict[tuple[str, Bond], dict[str, int]] = {}
        self._kinds: dict[str, Sequence[NoticeKind]] = {}
        self._devices: dict[str, list[Device]] = {}
        self._turns: dict[str, int] = {}
        self._push_secret = b""
        accounts.on_delete.append(self._forget)

    # Bonds

    async def tie(self, player: str, bond: Bond, other: str, at: int, most: int) -> None:
        for one in (player, other):
            self._require(one)
        bonds = self._bonds.setdefault((player, bond), {})
        if other in bonds:
            return
        if len(bonds) >= most:
            raise TooManyBonds
        bonds[other] = at
        if bond == "block":
            await self.untie(player, "follow", other)

    async def untie(self, player: str, bond: Bond, other: str) -> None:
        self._bonds.get((player, bond), {}).pop(other, None)

    async def tied(self, player: str, bond: Bond) -> Mapping[str, int]:
        return dict(self._bonds.get((player, bond), {}))

    async def blocks_of(self, players: Collection[str]) -> Mapping[str, frozenset[str]]:
        return {player: frozenset(blocked) for player in players if (blocked := self._bonds.get((player, "block")))}

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
        """Delete what is stored of a deleted player, and the bonds that others have with the player."""
        for key in [key for key in self._bonds if key[0] == player]:
            del self._bonds[key]
        for bonds in self._bonds.values():
            bonds.pop(player, None)
        self._kinds.pop(player, None)
        self._devices.pop(player, None)
