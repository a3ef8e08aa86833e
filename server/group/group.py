"""Decides one group: commands of its members become events or refusals, events become state. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias, assert_never

from cornered.protocol.groups import (
    MAX_MEMBERS,
    TOLD_KEPT,
    ChangeGroup,
    CloseGroup,
    GroupRole,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    RenewGroupCode,
    RevokeGroupCode,
    SetGroupRole,
    TellGroup,
)
from cornered.protocol.values import Player
from cornered.server.group.events import (
    CodeRevoked,
    CodeSet,
    GroupClosed,
    GroupCreated,
    GroupEvent,
    GroupSettled,
    MemberJoined,
    MemberLeft,
    RoleSet,
    Told,
)
from cornered.server.refusal import Refusal

__all__ = ["MAX_GROUP_EVENTS", "Group", "GroupChange", "Member", "unknown_code", "unknown_group"]

MAX_GROUP_EVENTS: Final = 10_000
"""Events of one group, after which it can only be left and closed: its stream is read at each start."""

GroupChange: TypeAlias = (
    ChangeGroup
    | RenewGroupCode
    | RevokeGroupCode
    | JoinGroup
    | SetGroupRole
    | RemoveMember
    | LeaveGroup
    | CloseGroup
    | TellGroup
)
"""The commands that change a group."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member, with the name at the time of joining."""

    player: Player
    role: GroupRole
    since: int


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `members` are in the order in which they joined, `told` the newest lines, oldest first."""

    id: str
    seq: int
    name: str
    guests: bool
    created: int
    address: str
    code: str | None
    members: dict[str, Member]
    told: tuple[Told, ...] = ()
    is_closed: bool = False
    digest: str = ""
    """That of the content of the command that created it; empty where an earlier version stored none."""

    @classmethod
    def begin(cls, group: str, event: GroupCreated) -> Self:
        """Return the group that begins."""
        teacher = Member(event.by, "teacher", event.at)
        members = {event.by.id: teacher}
        return cls(
            group, 1, event.name, event.guests, event.at, event.address, event.code, members, digest=event.digest
        )

    @property
    def teachers(self) -> tuple[str, ...]:
        return tuple(player for player, member in self.members.items() if member.role == "teacher")

    def role_of(self, player: str) -> GroupRole | None:
        """Return a player's role; None for a player who is no member, and in a closed group."""
        member = None if self.is_closed else self.members.get(player)
        return None if member is None else member.role

    def decide(
        self, command: GroupChange, by: Player, now: int, *, code: str, has_account: bool
    ) -> tuple[GroupEvent, ...]:
        """Return what a command of `by` leads to, nothing where it is so already. Raises Refusal.

        `code` is a new one. `has_account` is of the player of a `set_group_role`, and otherwise of `by`.
        """
        if isinstance(command, JoinGroup):
            return self._join(command, by, now, has_account=has_account)
        role = self.role_of(by.id)
        if role is None:
            raise unknown_group()
        if isinstance(command, LeaveGroup):
            self._check_last_teacher(by.id, "make another member a teacher before you leave, or close the group")
            return (MemberLeft(now, by.id, by.id),)
        if role != "teacher":
            raise Refusal("not_permitted", "only teachers of the group do that")
        if self.seq >= MAX_GROUP_EVENTS and not isinstance(command, RemoveMember | CloseGroup):
            raise _full_history()
        match command:
            case ChangeGroup():
                is_so = (self.name, self.guests) == (command.name, command.guests)
                return () if is_so else (GroupSettled(now, by.id, command.name, command.guests),)
            case RenewGroupCode():
                return (CodeSet(now, by.id, code),)
            case RevokeGroupCode():
                return () if self.code is None else (CodeRevoked(now, by.id),)
            case SetGroupRole():
                return self._set_role(command, by, now, has_account=has_account)
            case RemoveMember():
                return self._remove(command, by, now)
            case CloseGroup():
                return (GroupClosed(now, by.id),)
            case TellGroup():
                return (Told(now, by, command.text),)
            case _:
                assert_never(command)

    def departed(self, player: str, now: int) -> tuple[GroupEvent, ...]:
        """Return what follows when a player is deleted: without its last teacher a group is over."""
        if self.role_of(player) is None:
            return ()
        if self.teachers == (player,):
            return (GroupClosed(now, player),)
        return (MemberLeft(now, player, player),)

    def _join(self, command: JoinGroup, by: Player, now: int, *, has_account: bool) -> tuple[GroupEvent, ...]:
        if self.is_closed or self.code is None or command.code != self.code:
            raise unknown_code()
        if by.id in self.members:
            return ()
        if not (self.guests or has_account):
            raise Refusal("no_account", "this group is for players with accounts; register first, and join again")
        if len(self.members) >= MAX_MEMBERS:
            raise Refusal("server_full", f"this group has {MAX_MEMBERS} members already")
        if self.seq >= MAX_GROUP_EVENTS:
            raise _full_history()
        return (MemberJoined(now, by),)

    def _set_role(self, command: SetGroupRole, by: Player, now: int, *, has_account: bool) -> tuple[GroupEvent, ...]:
        member = self._member(command.player)
        if member.role == command.role:
            return ()
        if command.role == "member":
            self._check_last_teacher(command.player, "a group has at least one teacher; make another member one first")
        elif not has_account:
            raise Refusal("no_account", "a teacher needs an account, which the member has to register first")
        return (RoleSet(now, by.id, command.player, command.role),)

    def _remove(self, command: RemoveMember, by: Player, now: int) -> tuple[GroupEvent, ...]:
        self._member(command.player)
        if command.player == by.id:
            raise Refusal("yourself", "you cannot remove yourself; leave the group instead")
        return (MemberLeft(now, command.player, by.id),)

    def _member(self, player: str) -> Member:
        member = self.members.get(player)
        if member is None:
            raise Refusal("unknown_player", "there is no such member")
        return member

    def _check_last_teacher(self, player: str, text: str) -> None:
        if self.teachers == (player,):
            raise Refusal("last_teacher", text)

    def evolve(self, event: GroupEvent) -> Self:
        """Return the group after its next event."""
        after = replace(self, seq=self.seq + 1)
        match event:
            case GroupCreated():
                raise ValueError(f"group {self.id} was created already")
            case GroupSettled():
                return replace(after, name=event.name, guests=event.guests)
            case CodeSet():
                return replace(after, code=event.code)
            case CodeRevoked():
                return replace(after, code=None)
            case MemberJoined():
                joined = Member(event.player, "member", event.at)
                return replace(after, members={**self.members, event.player.id: joined})
            case MemberLeft():
                members = {player: member for player, member in self.members.items() if player != event.player}
                return replace(after, members=members)
            case RoleSet():
                changed = replace(self.members[event.player], role=event.role)
                return replace(after, members={**self.members, event.player: changed})
            case Told():
                return replace(after, told=(*self.told, event)[-TOLD_KEPT:])
            case GroupClosed():
                return replace(after, is_closed=True, code=None)
            case _:
                assert_never(event)


def unknown_group() -> Refusal:
    return Refusal("unknown_group", "there is no such group, or you are no member of it")


def unknown_code() -> Refusal:
    return Refusal("unknown_code", "no group has this code; it may have been replaced: ask for the new one")


def _full_history() -> Refusal:
    return Refusal("server_full", "this group has a history that is too long; create a new one")
