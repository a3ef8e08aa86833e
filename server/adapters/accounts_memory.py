"""Accounts in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cornered.protocol.values import Player, PlayerKind
from cornered.server.adapters.tokens import digest_of, new_player_id, new_token
from cornered.server.ports import Identity, UnknownPlayer

__all__ = ["MemoryAccounts"]


class MemoryAccounts:
    """Implements `Accounts`."""

    def __init__(self) -> None:
        self._players: dict[str, Identity] = {}
        self._tokens: dict[str, str] = {}
        self._revoked: list[str] = []

    async def create(self, name: str, kind: PlayerKind) -> tuple[Identity, str]:
        identity = Identity(Player(id=new_player_id(), name=name, kind=kind))
        token = new_token()
        self._players[identity.player.id] = identity
        self._tokens[digest_of(token)] = identity.player.id
        return identity, token

    async def by_token(self, token: str) -> Identity | None:
        player = self._tokens.get(digest_of(token))
        return None if player is None else self._players[player]

    async def by_id(self, player: str) -> Identity | None:
        return self._players.get(player)

    async def by_ids(self, players: Collection[str]) -> Mapping[str, Player]:
        return {player: self._players[player].player for player in players if player in self._players}

    async def rename(self, player: str, name: str) -> Identity:
        known = self._players.get(player)
        if known is None:
            raise UnknownPlayer(player)
        renamed = Identity(Player(id=player, name=name, kind=known.player.kind))
        self._players[player] = renamed
        return renamed

    async def named(self, name: str, limit: int) -> Sequence[Player]:
        bearers = set(self._tokens.values())
        found = (known.player for player, known in self._players.items() if player in bearers)
        return [player for player in found if player.name == name][:limit]

    async def revoke(self, player: str) -> bool:
        digests = [digest for digest, bearer in self._tokens.items() if bearer == player]
        for digest in digests:
            del self._tokens[digest]
        if digests:
            self._revoked.append(player)
        return bool(digests)

    async def revoked(self, since: int) -> Sequence[tuple[int, str]]:
        return list(enumerate(self._revoked, 1))[since:]
