"""All groups that are open, folded from their streams, and the bounds of their number. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cornered.protocol.groups import MAX_GROUPS_OF_PLAYER, CreateGroup, GroupRole
from cornered.protocol.values import Player
from cornered.server.group.events import GroupCreated, GroupEvent
from cornered.server.group.group import Group
from cornered.server.refusal import Refusal

__all__ = ["MAX_GROUPS", "MAX_GROUPS_OF_ADDRESS", "GroupDirectory"]

MAX_GROUPS: Final = 2_000
"""Open groups of the server."""
MAX_GROUPS_OF_ADDRESS: Final = 100
"""Open groups that were created from one address, such as that of a school."""


@dataclass(slots=True)
class GroupDirectory:
    """The open groups, by id; a group that is closed is forgotten."""

    groups: dict[str, Group] = field(default_factory=dict)
    _of_code: dict[str, str] = field(default_factory=dict)
    # The groups of each player, the oldest membership first, and how many were created from each address.
    _of_player: dict[str, dict[str, None]] = field(default_factory=dict)
    _of_address: dict[str, int] = field(default_factory=dict)

    def of_code(self, code: str) -> Group | None:
        """Return the group that this code admits to."""
        return self.groups.get(self._of_code.get(code, ""))

    def of_player(self, player: str) -> tuple[Group, ...]:
        """Return the groups of a player, the oldest membership first."""
        return tuple(self.groups[group] for group in self._of_player.get(player, ()))

    def role_of(self, group: str, player: str) -> GroupRole | None:
        """Return a player's role in a group; None for a player who is no member, and where there is no such group."""
        known = self.groups.get(group)
        return None if known is None else known.role_of(player)

    def create(self, command: CreateGroup, by: Player, now: int, *, address: str, code: str) -> GroupEvent:
        """Return the beginning of a group; `address` is a digest. Raises Refusal."""
        self.check_room(by.id)
        if len(self.groups) >= MAX_GROUPS:
            raise Refusal("server_full", "the server has as many groups as it takes; try again another day")
        if self._of_address.get(address, 0) >= MAX_GROUPS_OF_ADDRESS:
            raise Refusal("server_full", f"{MAX_GROUPS_OF_ADDRESS} groups were created from your address; close some")
        return GroupCreated(now, by, command.name, command.guests, code, address, command.digest())

    def check_room(self, player: str) -> None:
        """Raise a Refusal where a player is in as many groups as one may be."""
        if len(self._of_player.get(player, ())) >= MAX_GROUPS_OF_PLAYER:
            raise Refusal("server_full", f"you are in {MAX_GROUPS_OF_PLAYER} groups already; leave one first")

    def evolve(self, group: str, seq: int, event: GroupEvent) -> Group | None:
        """Fold the event number `seq` of a group in; return the group as it is then, or None where it is known."""
        known = self.groups.get(group)
        if (0 if known is None else known.seq) != seq - 1:
            return None
        if known is None:
            assert isinstance(event, GroupCreated)
            after = Group.begin(group, event)
        else:
            after = known.evolve(event)
        self._index(known, after)
        return after

    def fold(self, group: str, events: Sequence[GroupEvent]) -> None:
        """Fold a whole stream in, from its first event on."""
        for seq, event in enumerate(events, 1):
            self.evolve(group, seq, event)

    def forget(self, group: str) -> None:
        """Forget a group; its later events change nothing."""
        known = self.groups.get(group)
        if known is not None:
            self._index(known, replace(known, is_closed=True, code=None))

    def _index(self, before: Group | None, after: Group) -> None:
        """Find the group by its new code and members; nobody finds one that is closed."""
        if before is None:
            self._of_address[after.address] = self._of_address.get(after.address, 0) + 1
        elif before.code is not None and before.code != after.code:
            del self._of_code[before.code]
        if after.code is not None:
            self._of_code[after.code] = after.id
        members = () if after.is_closed else after.members
        for player in before.members if before else ():
            if player not in members:
                del self._of_player[player][after.id]
                if not self._of_player[player]:
                    del self._of_player[player]
        for player in members:
            self._of_player.setdefault(player, {})[after.id] = None
        self.groups[after.id] = after
        if after.is_closed:
            del self.groups[after.id]
            self._of_address[after.address] -= 1
            if not self._of_address[after.address]:
                del self._of_address[after.address]
