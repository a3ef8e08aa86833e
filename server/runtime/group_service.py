"""The group service: carries out the commands of classes and clubs, and follows what other nodes decide.

Every node folds the streams of all open groups. A command is decided on the newest state and appended behind it: where
another node was faster, its events are folded and the command is decided again. What is stored is told to members.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Final, Protocol, assert_never

import structlog

from cornered.protocol.groups import (
    CODE_ALPHABET,
    CODE_CHARS,
    AskGroup,
    AskGroups,
    ChangeGroup,
    CloseGroup,
    CreateGroup,
    GroupChanged,
    GroupCommand,
    GroupInfo,
    GroupLine,
    GroupMessage,
    GroupRole,
    Groups,
    GroupState,
    JoinGroup,
    LeaveGroup,
    MemberInfo,
    RemoveMember,
    RenewGroupCode,
    RevokeGroupCode,
    SetGroupRole,
    TellGroup,
)
from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts, AccountsUnavailable
from cornered.server.group.directory import GroupDirectory
from cornered.server.group.events import GROUP_EVENT, GroupEvent, Told
from cornered.server.group.group import Group, GroupChange, Member, unknown_code, unknown_group
from cornered.server.refusal import Refusal, id_reused
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.following import follow
from cornered.server.runtime.guesses import Guesses
from cornered.server.runtime.rights import RightEnded, Rights
from cornered.server.streams.ports import EventStreams, StaleStream, StreamsUnavailable

__all__ = ["LOOK_SECONDS", "GroupService", "People"]

KIND: Final = "group"
LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for what other nodes have stored."""
READ_PAGE: Final = 500
ATTEMPTS: Final = 8
"""How often a command is decided again because another node was faster."""

log = structlog.get_logger("groups")


class People(Protocol):
    """Who is connected."""

    def is_anywhere(self, player: str) -> bool:
        """Return whether a player has a connection to any node."""

    def tell(self, players: Iterable[str], message: ServerMessage) -> None:
        """Send a message to the connections of players to this node."""


class _Nobody:
    """People of whom none is connected."""

    def is_anywhere(self, player: str) -> bool:
        return False

    def tell(self, players: Iterable[str], message: ServerMessage) -> None:
        """Do nothing."""


class GroupService:
    """The groups of one node. Tournaments of a group ask here who may see and lead them."""

    def __init__(
        self,
        streams: EventStreams,
        accounts: Accounts,
        secret: bytes,
        *,
        now: Callable[[], int],
        rights: Rights | None = None,
    ) -> None:
        """`secret` is the store's, `now` the time in milliseconds since 1970. `people` is set before it `begin`s.

        `rights` are told of memberships that end, and tell who is deleted.
        """
        self._streams = streams
        self._accounts = accounts
        self._secret = secret
        self._now = now
        self._directory = GroupDirectory()
        self._number = 0
        self._turn = asyncio.Lock()
        self._guesses = Guesses()
        self._rights = rights or Rights()
        self._rights.register(self._right_ended)
        # Deleted players who are to leave their groups; and whether all members were looked at after the start.
        self._leaving: dict[str, None] = {}
        self._has_looked = False
        # Groups whose streams cannot be folded: they are not closed.
        self._damaged: set[str] = set()
        self.people: People = _Nobody()

    @property
    def open(self) -> int:
        """How many groups are open."""
        return len(self._directory.groups)

    def name_of(self, group: str) -> str | None:
        """Return the name of a group; None where there is none that is open."""
        known = self._directory.groups.get(group)
        return None if known is None else known.name

    def is_open(self, group: str) -> bool:
        """Return whether there is such a group, which is not closed."""
        return group in self._directory.groups

    def memberships(self, player: str) -> tuple[tuple[Group, Member], ...]:
        """Return the groups of a player with what the player is there, the oldest membership first."""
        return tuple((group, group.members[player]) for group in self._directory.of_player(player))

    async def is_closed(self, group: str) -> bool:
        """Return whether a group is over, by the newest that is stored. Raises StreamsUnavailable."""
        if not self.is_open(group):
            await self._catch_up()
        return not self.is_open(group) and group not in self._damaged

    async def outsiders(self, group: str, players: Collection[str]) -> Collection[str]:
        """Return those of these players who are no members of a group that is open, by the newest that is stored.

        Raises StreamsUnavailable.
        """
        await self._catch_up()
        known = self._directory.groups.get(group)
        return () if known is None else [player for player in players if player not in known.members]

    async def check_member(self, group: str, player: Player) -> None:
        """Raise a Refusal unless a player belongs to a group."""
        if await self._role_of(group, player) is None:
            raise unknown_group()

    async def check_leader(self, group: str, player: Player) -> None:
        """Raise a Refusal unless a player is a teacher of a group."""
        role = await self._role_of(group, player)
        if role is None:
            raise unknown_group()
        if role != "teacher":
            raise Refusal("not_permitted", "only teachers of the group do that")

    async def _role_of(self, group: str, player: Player) -> GroupRole | None:
        """Return a player's role; one that is not known here may have been given on another node a moment ago."""
        role = self._directory.role_of(group, player.id)
        if role is None:
            with suppress(StreamsUnavailable):
                await self._catch_up()
            role = self._directory.role_of(group, player.id)
        return role

    # Life

    async def begin(self) -> None:
        """Read the streams of open groups, before players are admitted. Raises StreamsUnavailable."""
        self._number = await self._streams.newest(KIND)
        before: int | None = None
        while heads := await self._streams.heads(KIND, is_closed=False, before=before, limit=READ_PAGE):
            for head in heads:
                await self._read(head.stream)
            before = heads[-1].number

    async def run(self) -> None:
        """Follow the streams until cancelled; what is stored during an outage of the store is found after it."""
        outages = (AccountsUnavailable, StreamsUnavailable)
        await follow("groups", self._look, partial(asyncio.sleep, LOOK_SECONDS), outages)

    async def _look(self) -> None:
        await self._catch_up()
        if not self._has_looked:
            members = {player for group in self._directory.groups.values() for player in group.members}
            departed = await self._accounts.departed(members)
            self._leaving |= {player: None for player, how in departed.items() if how == "deleted"}
            self._has_looked = True
        for player in tuple(self._leaving):
            for group in self._directory.of_player(player):
                await self._leave(group.id, player)
            del self._leaving[player]

    async def _leave(self, group: str, player: str) -> None:
        """Have a deleted player leave a group; every node does, and the second one finds it done."""
        async with self._turn:
            for _ in range(ATTEMPTS):
                known = self._directory.groups.get(group)
                events = () if known is None else known.departed(player, self._now())
                if known is None or not events:
                    return
                try:
                    await self._append(group, known.seq, events)
                except StaleStream:
                    await self._catch_up()
        raise StreamsUnavailable("others change the group at the same time")

    def _right_ended(self, right: RightEnded) -> None:
        if right.kind == "deleted":
            self._leaving[right.player] = None

    async def _read(self, group: str) -> None:
        events: list[GroupEvent] = []
        try:
            while page := await self._streams.read(KIND, group, len(events), READ_PAGE):
                events += [GROUP_EVENT.validate_json(one.body) for one in page]
            self._directory.fold(group, events)
        except StreamsUnavailable:
            raise
        except Exception:
            self._lose(group)

    def _lose(self, group: str) -> None:
        """Show a group no more whose stream cannot be folded, from the handler of the error; it harms no other one."""
        log.exception("a group is damaged", group=group)
        self._damaged.add(group)
        self._directory.forget(group)

    async def _catch_up(self) -> None:
        """Fold what is stored and not known here, and tell members of it. Raises StreamsUnavailable."""
        while page := await self._streams.follow(KIND, self._number, READ_PAGE):
            for one in page:
                if one.number != self._number + 1:
                    # Another look was faster.
                    continue
                self._number = one.number
                known = self._directory.groups.get(one.stream)
                try:
                    event = GROUP_EVENT.validate_json(one.body)
                    after = self._directory.evolve(one.stream, one.seq, event)
                except Exception:
                    self._lose(one.stream)
                    continue
                if after is not None:
                    self._tell(known, after, event)
            if len(page) < READ_PAGE:
                return

    def _tell(self, before: Group | None, after: Group, event: GroupEvent) -> None:
        if isinstance(event, Told):
            message = GroupMessage(group=after.id, name=after.name, line=_line(event, event.by))
            self.people.tell(after.members, message)
            return
        was = before.members.keys() if before is not None else set[str]()
        over = was if after.is_closed else was - after.members.keys()
        for player in over:
            self._rights.ended(RightEnded("membership", player, after.id))
        self.people.tell(over, GroupChanged(group=after.id, seq=after.seq, is_over=True))
        if not after.is_closed:
            self.people.tell(after.members, GroupChanged(group=after.id, seq=after.seq))

    # Commands

    async def answer(self, command: GroupCommand, client: ClientConnection) -> ServerMessage:
        """Carry out a command of a client's player, and return its answer. Raises Refusal."""
        by = client.player
        try:
            match command:
                case AskGroups():
                    groups = self._directory.of_player(by.id)
                    return Groups(id=command.id, groups=tuple(_info(group, by.id) for group in groups))
                case AskGroup():
                    return await self._state(command, by)
                case CreateGroup():
                    if not client.identity.has_account:
                        raise Refusal("no_account", "a group needs a teacher with an account; register first")
                    return Acknowledged(id=command.id, ref=await self._create(command, by, client.address))
                case JoinGroup():
                    return Acknowledged(id=command.id, ref=await self._join(command, client))
                case SetGroupRole():
                    known = await self._accounts.account(command.player)
                    is_registered = known is not None and not known.is_closed
                    await self._change(command.group, command, by, has_account=is_registered)
                    return Acknowledged(id=command.id)
                case RenewGroupCode():
                    group = await self._change(command.group, command, by)
                    return Acknowledged(id=command.id, ref=None if group is None else group.code)
                case ChangeGroup() | RevokeGroupCode() | RemoveMember() | LeaveGroup() | CloseGroup() | TellGroup():
                    await self._change(command.group, command, by)
                    return Acknowledged(id=command.id)
                case _:
                    assert_never(command)
        except (AccountsUnavailable, StreamsUnavailable):
            raise Refusal("internal", "groups cannot be reached just now; try again") from None

    async def _create(self, command: CreateGroup, by: Player, address: str) -> str:
        """Return the id of the new group, which follows from the command: a repeated one makes no second group."""
        group = sha256(f"group {by.id} {command.id}".encode()).hexdigest()[:16]
        mark = hmac.new(self._secret, f"group's address {address}".encode(), sha256).hexdigest()[:16]
        async with self._turn:
            await self._catch_up()
            known = self._directory.groups.get(group)
            if known is None:
                event = self._directory.create(command, by, self._now(), address=mark, code=self._new_code())
                try:
                    await self._append(group, 0, (event,))
                except StaleStream:
                    raise Refusal("conflict", "this was done already, and the group is closed") from None
            elif known.digest and known.digest != command.digest():
                raise id_reused()
        return group

    async def _join(self, command: JoinGroup, client: ClientConnection) -> str:
        by = client.player
        self._guesses.check(by.id, client.address)
        group = self._directory.of_code(command.code)
        if group is None:
            # Another node may have made the code a moment ago.
            await self._catch_up()
            group = self._directory.of_code(command.code)
        if group is None:
            self._guesses.failed(by.id, client.address)
            raise unknown_code()
        await self._change(group.id, command, by, has_account=client.identity.has_account)
        return group.id

    async def _change(self, group: str, command: GroupChange, by: Player, *, has_account: bool = False) -> Group | None:
        """Decide and store a command about one group; return the group as it is then, None where it is over."""
        async with self._turn:
            # What another node decided a moment ago must not be refused as unknown.
            await self._catch_up()
            for _ in range(ATTEMPTS):
                known = self._directory.groups.get(group)
                if known is None:
                    raise unknown_group()
                if isinstance(command, JoinGroup) and by.id not in known.members:
                    self._directory.check_room(by.id)
                events = known.decide(command, by, self._now(), code=self._new_code(), has_account=has_account)
                if not events:
                    return known
                try:
                    await self._append(group, known.seq, events)
                except StaleStream:
                    await self._catch_up()
                    continue
                return self._directory.groups.get(group)
        raise Refusal("internal", "others change the group at the same time; try again", retry_after=1000)

    async def _append(self, group: str, expected: int, events: Sequence[GroupEvent]) -> None:
        is_closed = events[-1].type == "closed"
        bodies = [GROUP_EVENT.dump_json(event).decode() for event in events]
        await self._streams.append(KIND, group, expected, bodies, is_closed=is_closed)
        await self._catch_up()

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARS))
            if self._directory.of_code(code) is None:
                return code

    async def _state(self, command: AskGroup, by: Player) -> GroupState:
        group = self._directory.groups.get(command.group)
        role = None if group is None else group.role_of(by.id)
        if group is None or role is None:
            raise unknown_group()
        players = {*group.members, *(line.by.id for line in group.told)}
        names = await self._accounts.called(players)

        def shown(player: Player) -> Player:
            """Return a player under the name of today: of an account's, or that the player is deleted."""
            return player.model_copy(update={"name": names.get(player.id, player.name)})

        def info(member: Member) -> MemberInfo:
            player = member.player
            here = self.people.is_anywhere(player.id)
            return MemberInfo(player=shown(player), role=member.role, since=member.since, here=here)

        return GroupState(
            id=command.id,
            group=_info(group, by.id),
            seq=group.seq,
            code=group.code if role == "teacher" else None,
            members=tuple(info(member) for member in group.members.values()),
            told=tuple(_line(line, shown(line.by)) for line in group.told),
        )


def _info(group: Group, player: str) -> GroupInfo:
    role = group.role_of(player)
    assert role is not None
    return GroupInfo(
        id=group.id,
        name=group.name,
        guests=group.guests,
        members=len(group.members),
        role=role,
        created=group.created,
    )


def _line(told: Told, by: Player) -> GroupLine:
    return GroupLine(by=by, text=told.text, at=told.at)
