"""The decider of groups: who joins, who leads, what is refused; and the directory of all groups with its bounds."""

from __future__ import annotations

from typing import Any

import pytest

from cornered.protocol import groups as grp
from cornered.protocol.values import Player
from cornered.server.group import directory as directories
from cornered.server.group.directory import MAX_GROUPS, MAX_GROUPS_OF_ADDRESS, GroupDirectory
from cornered.server.group.events import GROUP_EVENT, GroupEvent
from cornered.server.group.group import MAX_GROUP_EVENTS, Group, GroupChange
from cornered.server.refusal import Refusal

ANN, BEN, CLEO = (Player(id=name.lower(), name=name, kind="person") for name in ("Ann", "Ben", "Cleo"))


class School:
    """A directory driven by commands, whose events pass through their stored form."""

    def __init__(self) -> None:
        self.directory = GroupDirectory()
        self.log: dict[str, list[GroupEvent]] = {}
        self.numbers = 0

    def take(self, group: str, *events: GroupEvent) -> None:
        for event in events:
            stored = GROUP_EVENT.validate_json(GROUP_EVENT.dump_json(event))
            assert stored == event
            log = self.log.setdefault(group, [])
            log.append(stored)
            assert self.directory.evolve(group, len(log), stored) is not None

    def create(self, by: Player = ANN, *, address: str = "school", guests: bool = True) -> str:
        self.numbers += 1
        group, code = f"g{self.numbers}", f"CODE{self.numbers}"
        command = grp.CreateGroup(id="c", name="Class 7b", guests=guests)
        self.take(group, self.directory.create(command, by, self.numbers, address=address, code=code))
        return group

    def do(self, group: str, kind: type[GroupChange], by: Player, *, has_account: bool = False, **fields: Any) -> int:
        """Carry a command out; return how many events it had."""
        self.numbers += 1
        known = self.directory.groups[group]
        named = fields if kind is grp.JoinGroup else {"group": group, **fields}
        command = kind(id="c", **named)
        events = known.decide(command, by, self.numbers, code=f"NEW{self.numbers}", has_account=has_account)
        self.take(group, *events)
        return len(events)

    def join(self, group: str, *players: Player) -> None:
        for player in players:
            self.do(group, grp.JoinGroup, player, code=self.of(group).code)

    def of(self, group: str) -> Group:
        return self.directory.groups[group]

    def refused(self, group: str, kind: type[GroupChange], by: Player, **fields: Any) -> str:
        with pytest.raises(Refusal) as caught:
            self.do(group, kind, by, **fields)
        return caught.value.code


@pytest.fixture
def school() -> School:
    return School()


TEACHERS: dict[type[Any], dict[str, Any]] = {
    grp.ChangeGroup: {"name": "Mine", "guests": True},
    grp.RenewGroupCode: {},
    grp.RevokeGroupCode: {},
    grp.SetGroupRole: {"player": "ben", "role": "teacher"},
    grp.RemoveMember: {"player": "cleo"},
    grp.CloseGroup: {},
    grp.TellGroup: {"text": "Hello"},
}


@pytest.mark.parametrize("kind", TEACHERS, ids=lambda kind: kind.__name__)
def test_members_and_strangers_do_nothing_that_teachers_do(school: School, kind: type[Any]) -> None:
    group, other = school.create(), school.create(CLEO)
    school.join(group, BEN)
    assert school.refused(group, kind, BEN, **TEACHERS[kind]) == "not_permitted"
    assert school.refused(group, kind, CLEO, **TEACHERS[kind]) == "unknown_group"
    assert school.directory.role_of(other, "cleo") == "teacher"
    assert school.directory.role_of(group, "cleo") is None


def test_who_has_the_code_joins_once(school: School) -> None:
    group = school.create()
    school.join(group, BEN)
    assert school.do(group, grp.JoinGroup, BEN, code=school.of(group).code) == 0
    assert [(one.player.name, one.role) for one in school.of(group).members.values()] == [
        ("Ann", "teacher"),
        ("Ben", "member"),
    ]
    assert school.refused(group, grp.JoinGroup, CLEO, code="WRONG") == "unknown_code"


def test_a_code_is_typed_in_any_case_with_dashes_and_spaces() -> None:
    assert grp.JoinGroup(id="c", code=" abcd-efgh ").code == "ABCDEFGH"


def test_a_renewed_code_replaces_the_one_before_and_a_revoked_one_admits_nobody(school: School) -> None:
    group = school.create()
    before = school.of(group).code
    assert before is not None
    school.do(group, grp.RenewGroupCode, ANN)
    after = school.of(group).code
    assert after is not None
    assert school.directory.of_code(before) is None
    assert school.directory.of_code(after) is school.of(group)
    assert school.refused(group, grp.JoinGroup, BEN, code=before) == "unknown_code"
    school.do(group, grp.RevokeGroupCode, ANN)
    assert school.directory.of_code(after) is None
    assert school.refused(group, grp.JoinGroup, BEN, code=after) == "unknown_code"
    assert school.do(group, grp.RevokeGroupCode, ANN) == 0
    school.do(group, grp.RenewGroupCode, ANN)
    school.join(group, BEN)


def test_a_group_may_be_for_players_with_accounts(school: School) -> None:
    group = school.create(guests=False)
    code = school.of(group).code
    assert school.refused(group, grp.JoinGroup, BEN, code=code) == "no_account"
    school.do(group, grp.JoinGroup, BEN, code=code, has_account=True)
    school.do(group, grp.ChangeGroup, ANN, name="Club", guests=True)
    school.join(group, CLEO)
    assert (school.of(group).name, len(school.of(group).members)) == ("Club", 3)


def test_the_last_teacher_hands_over_before_leaving(school: School) -> None:
    group = school.create()
    school.join(group, BEN)
    assert school.refused(group, grp.LeaveGroup, ANN) == "last_teacher"
    assert school.refused(group, grp.SetGroupRole, ANN, player="ann", role="member") == "last_teacher"
    assert school.refused(group, grp.SetGroupRole, ANN, player="ben", role="teacher") == "no_account"
    school.do(group, grp.SetGroupRole, ANN, player="ben", role="teacher", has_account=True)
    school.do(group, grp.LeaveGroup, ANN)
    assert school.directory.of_player("ann") == ()
    assert school.of(group).teachers == ("ben",)


def test_a_group_loses_who_is_deleted_and_is_over_without_its_last_teacher(school: School) -> None:
    group = school.create()
    school.join(group, BEN)
    assert school.of(group).departed("cleo", 9) == ()
    school.take(group, *school.of(group).departed("ben", 9))
    assert list(school.of(group).members) == ["ann"]
    school.take(group, *school.of(group).departed("ann", 9))
    assert school.directory.groups == {}


def test_a_removed_member_is_none_and_may_join_again_by_the_code(school: School) -> None:
    group = school.create()
    school.join(group, BEN)
    school.do(group, grp.RemoveMember, ANN, player="ben")
    assert school.directory.role_of(group, "ben") is None
    assert school.refused(group, grp.RemoveMember, ANN, player="ben") == "unknown_player"
    assert school.refused(group, grp.RemoveMember, ANN, player="ann") == "yourself"
    school.join(group, BEN)


def test_a_closed_group_is_forgotten(school: School) -> None:
    group = school.create()
    school.join(group, BEN)
    code = school.of(group).code
    school.do(group, grp.CloseGroup, ANN)
    assert school.directory == GroupDirectory()
    assert code is not None
    assert school.directory.of_code(code) is None


def test_the_newest_lines_are_kept(school: School) -> None:
    group = school.create()
    for number in range(grp.TOLD_KEPT + 5):
        school.do(group, grp.TellGroup, ANN, text=f"line {number}")
    told = school.of(group).told
    assert [line.text for line in told] == [f"line {number}" for number in range(5, grp.TOLD_KEPT + 5)]


def test_a_group_has_a_bounded_number_of_members(school: School) -> None:
    group = school.create()
    for number in range(grp.MAX_MEMBERS - 1):
        school.join(group, Player(id=f"p{number}", name="P", kind="person"))
    assert school.refused(group, grp.JoinGroup, BEN, code=school.of(group).code) == "server_full"


def test_a_history_that_is_too_long_can_only_be_ended(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_GROUP_EVENTS <= 10_000
    monkeypatch.setattr("cornered.server.group.group.MAX_GROUP_EVENTS", 3)
    group = school.create()
    school.join(group, BEN)
    school.do(group, grp.TellGroup, ANN, text="Hello")
    assert school.refused(group, grp.TellGroup, ANN, text="Hello") == "server_full"
    assert school.refused(group, grp.JoinGroup, CLEO, code=school.of(group).code) == "server_full"
    school.do(group, grp.LeaveGroup, BEN)
    school.do(group, grp.CloseGroup, ANN)


def test_a_player_is_in_a_bounded_number_of_groups(school: School) -> None:
    for _ in range(grp.MAX_GROUPS_OF_PLAYER):
        group = school.create()
    with pytest.raises(Refusal) as caught:
        school.create()
    assert caught.value.code == "server_full"
    school.do(group, grp.CloseGroup, ANN)
    school.create()


def test_groups_of_an_address_and_of_all_are_bounded(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MAX_GROUPS_OF_ADDRESS, MAX_GROUPS) == (100, 2_000)
    monkeypatch.setattr(directories, "MAX_GROUPS_OF_ADDRESS", 2)
    monkeypatch.setattr(directories, "MAX_GROUPS", 3)
    first = school.create()
    school.create()
    for address in ("school", "home"):
        if address == "home":
            school.create(address="home")
        with pytest.raises(Refusal) as caught:
            school.create(address=address)
        assert caught.value.code == "server_full"
    school.do(first, grp.CloseGroup, ANN)
    school.create()


def test_a_stream_folds_to_the_same_groups(school: School) -> None:
    one, two = school.create(), school.create(BEN)
    school.join(one, BEN, CLEO)
    school.do(one, grp.RemoveMember, ANN, player="cleo")
    school.do(two, grp.CloseGroup, BEN)
    again = GroupDirectory()
    for group, events in school.log.items():
        again.fold(group, events)
    assert again == school.directory
    assert again.evolve(one, 1, school.log[one][0]) is None
