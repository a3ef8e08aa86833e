"""What happened in a group, as the events of its stream. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.groups import GroupRole
from cornered.protocol.values import Player

__all__ = [
    "GROUP_EVENT",
    "CodeRevoked",
    "CodeSet",
    "GroupClosed",
    "GroupCreated",
    "GroupEvent",
    "GroupSettled",
    "MemberJoined",
    "MemberLeft",
    "RoleSet",
    "Told",
]


@dataclass(frozen=True, slots=True)
class GroupCreated:
    """A player has created the group. `address` is a digest of where from, by which their number is bounded.

    `digest` is that of the command's content; versions before it stored none.
    """

    at: int
    by: Player
    name: str
    guests: bool
    code: str
    address: str
    digest: str = ""
    type: Literal["created"] = field(default="created", kw_only=True)


@dataclass(frozen=True, slots=True)
class GroupSettled:
    """A teacher has renamed the group, or settled whether players without accounts may join."""

    at: int
    by: str
    name: str
    guests: bool
    type: Literal["settled"] = field(default="settled", kw_only=True)


@dataclass(frozen=True, slots=True)
class CodeSet:
    """A teacher has replaced the code by which players join."""

    at: int
    by: str
    code: str
    type: Literal["code_set"] = field(default="code_set", kw_only=True)


@dataclass(frozen=True, slots=True)
class CodeRevoked:
    """A teacher has revoked the code."""

    at: int
    by: str
    type: Literal["code_revoked"] = field(default="code_revoked", kw_only=True)


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """A player has joined by the code."""

    at: int
    player: Player
    type: Literal["joined"] = field(default="joined", kw_only=True)


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """A member has left, or was removed where `by` is another player."""

    at: int
    player: str
    by: str
    type: Literal["left"] = field(default="left", kw_only=True)


@dataclass(frozen=True, slots=True)
class RoleSet:
    """A teacher has given a member a role."""

    at: int
    by: str
    player: str
    role: GroupRole
    type: Literal["role_set"] = field(default="role_set", kw_only=True)


@dataclass(frozen=True, slots=True)
class Told:
    """A teacher has sent a line to all members."""

    at: int
    by: Player
    text: str
    type: Literal["told"] = field(default="told", kw_only=True)


@dataclass(frozen=True, slots=True)
class GroupClosed:
    """A teacher has ended the group."""

    at: int
    by: str
    type: Literal["closed"] = field(default="closed", kw_only=True)


GroupEvent: TypeAlias = (
    GroupCreated | GroupSettled | CodeSet | CodeRevoked | MemberJoined | MemberLeft | RoleSet | Told | GroupClosed
)
GROUP_EVENT: Final[TypeAdapter[GroupEvent]] = TypeAdapter(Annotated[GroupEvent, Field(discriminator="type")])
