"""Commands, answers and updates about groups: classes and clubs, which players join by a code."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from cornered.protocol.values import SPEECH, Command, CommandId, Key, Made, Milliseconds, Player

__all__ = [
    "CODE_ALPHABET",
    "CODE_CHARS",
    "MAX_GROUPS_OF_PLAYER",
    "MAX_GROUP_NAME",
    "MAX_MEMBERS",
    "TOLD_KEPT",
    "AskGroup",
    "AskGroups",
    "ChangeGroup",
    "CloseGroup",
    "CreateGroup",
    "GroupAnswer",
    "GroupChanged",
    "GroupCommand",
    "GroupInfo",
    "GroupLine",
    "GroupMessage",
    "GroupRole",
    "GroupState",
    "GroupUpdate",
    "Groups",
    "InGroup",
    "JoinGroup",
    "LeaveGroup",
    "MemberInfo",
    "RemoveMember",
    "RenewGroupCode",
    "RevokeGroupCode",
    "SetGroupRole",
    "TellGroup",
]

MAX_GROUP_NAME: Final = 60
"""Characters of a group's name."""
MAX_MEMBERS: Final = 200
"""Members of one group."""
MAX_GROUPS_OF_PLAYER: Final = 20
"""Groups in which one player is a member."""
TOLD_KEPT: Final = 50
"""The newest lines of a group, which `ask_group` answers with."""
CODE_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits of which no two look the same."""
CODE_CHARS: Final = 8
"""31^8 codes: with 2,000 groups one guess in 400 million finds a group."""


def _typed(code: object) -> object:
    """Return a code as it is stored, however it was typed."""
    return "".join(char for char in code.upper() if char not in " -\t") if isinstance(code, str) else code


GroupName: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=MAX_GROUP_NAME)]
GroupCode: TypeAlias = Annotated[str, BeforeValidator(_typed), Field(min_length=1, max_length=32)]
"""What is typed to join a group. Case, spaces and dashes make no difference."""
GroupRole: TypeAlias = Literal["teacher", "member"]
"""`teacher`: who leads the group. Every group has at least one."""


class InGroup(Command):
    """Base of the commands about one group. To others than its members there is no such group."""

    group: Key


class CreateGroup(Command):
    """Create a group, as its teacher; an account is needed. The acknowledgement's `ref` is its id."""

    type: Literal["create_group"] = "create_group"
    name: GroupName
    guests: bool = True
    """Whether players without accounts may join."""


class ChangeGroup(InGroup):
    """Rename a group, or settle whether players without accounts may join; for teachers. Members stay."""

    type: Literal["change_group"] = "change_group"
    name: GroupName
    guests: bool


class RenewGroupCode(InGroup):
    """Replace the code by which players join, or make one again; for teachers. The acknowledgement's `ref` is it."""

    type: Literal["renew_group_code"] = "renew_group_code"


class RevokeGroupCode(InGroup):
    """Let nobody join any more; for teachers."""

    type: Literal["revoke_group_code"] = "revoke_group_code"


class JoinGroup(Command):
    """Join the group with this code. The acknowledgement's `ref` is the group's id."""

    type: Literal["join_group"] = "join_group"
    code: GroupCode


class AskGroups(Command, json_schema_extra={"answers": ["groups"]}):
    """Ask for the groups in which one is a member: 20 at most."""

    type: Literal["ask_groups"] = "ask_groups"


class AskGroup(InGroup, json_schema_extra={"answers": ["group"]}):
    """Ask for a group with its members, who of them is here, and its newest lines; for members."""

    type: Literal["ask_group"] = "ask_group"


class SetGroupRole(InGroup):
    """Make a member a teacher, who needs an account for that, or a teacher a member; for teachers."""

    type: Literal["set_group_role"] = "set_group_role"
    player: Key
    role: GroupRole


class RemoveMember(InGroup):
    """Remove a member; for teachers. The code still admits: renew or revoke it."""

    type: Literal["remove_member"] = "remove_member"
    player: Key


class LeaveGroup(InGroup):
    """Leave a group. Its last teacher makes another member a teacher first, or closes it."""

    type: Literal["leave_group"] = "leave_group"


class CloseGroup(InGroup):
    """End a group; for teachers. Its matches stay with their players, its tournaments with their organisers."""

    type: Literal["close_group"] = "close_group"


class TellGroup(InGroup):
    """Send a line to all members; for teachers. Those who are not here find it later."""

    type: Literal["tell_group"] = "tell_group"
    text: Annotated[str, SPEECH, Field(min_length=1, max_length=300)]


class GroupInfo(Made):
    """A group as a member's list shows it; `role` is the asking player's."""

    id: Key
    name: str
    guests: bool
    members: int
    role: GroupRole
    created: Milliseconds


class MemberInfo(Made):
    """A member. `here` is whether the player has a connection to the server."""

    player: Player
    role: GroupRole
    since: Milliseconds
    here: bool


class GroupLine(Made):
    """A teacher's line to all members."""

    by: Player
    text: str
    at: Milliseconds


class Groups(Made):
    """The answer to `ask_groups`, the oldest membership first."""

    type: Literal["groups"] = "groups"
    id: CommandId
    groups: tuple[GroupInfo, ...]


class GroupState(Made):
    """The answer to `ask_group`. Members are in the order in which they joined."""

    type: Literal["group"] = "group"
    id: CommandId
    group: GroupInfo
    seq: int
    code: str | None
    """The code by which players join; null where nobody can, and to others than teachers."""
    members: tuple[MemberInfo, ...]
    told: tuple[GroupLine, ...]


class GroupChanged(Made):
    """A group of this player has changed: `ask_group` tells how. `is_over` where the player is no member any more."""

    type: Literal["group_changed"] = "group_changed"
    group: Key
    seq: int
    is_over: bool = False


class GroupMessage(Made):
    """A teacher's line to all members of a group."""

    type: Literal["group_message"] = "group_message"
    group: Key
    name: str
    line: GroupLine


GroupCommand: TypeAlias = (
    CreateGroup
    | ChangeGroup
    | RenewGroupCode
    | RevokeGroupCode
    | JoinGroup
    | AskGroups
    | AskGroup
    | SetGroupRole
    | RemoveMember
    | LeaveGroup
    | CloseGroup
    | TellGroup
)
GroupAnswer: TypeAlias = Groups | GroupState
GroupUpdate: TypeAlias = GroupChanged | GroupMessage
