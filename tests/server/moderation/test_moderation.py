"""Reports, bans and mutes: what is decided, and who is excluded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.protocol.moderation import Ban, CloseReport, ReportPlayer, Unban
from cornered.protocol.values import Player
from cornered.server.moderation import moderation
from cornered.server.moderation.events import (
    MODERATION_EVENT,
    Banned,
    Entry,
    Lifted,
    ModerationEvent,
    Reported,
    broken_seal,
    seal_of,
    sentence,
)
from cornered.server.moderation.moderation import (
    MAX_REPORTS_OF_ADDRESS,
    MAX_REPORTS_OF_PLAYER,
    TELL_MS,
    Decision,
    Moderation,
)
from cornered.server.refusal import Refusal

ANN, BEN, CAS = (Player(id=name, name=name.title(), kind="person") for name in ("ann", "ben", "cas"))
PLAYERS = {player.id: player for player in (ANN, BEN, CAS)}
HOME = "mark of an address"
NOW = 1_000_000


class Scene:
    """A moderation with its log."""

    def __init__(self) -> None:
        self.state = Moderation()
        self.log: list[Entry] = []
        self.now = NOW

    def do(self, command: Decision, by: Player | None = CAS, address: str = HOME) -> int:
        subject = PLAYERS.get(command.player) if isinstance(command, Ban | ReportPlayer) else None
        event = self.state.decide(command, subject, by, address, self.now)
        name, number = "operator" if by is None else by.id, self.state.newest + 1
        seal = seal_of(self.state.seal, number, self.now, name, event)
        self.log.append(Entry(number, self.now, name, event, seal))
        self.state.evolve(self.log[-1])
        return number

    def refused(self, command: Decision, by: Player | None = CAS, address: str = HOME) -> str:
        with pytest.raises(Refusal) as caught:
            self.do(command, by, address)
        return caught.value.code

    def is_banned(self, player: str, address: str = "elsewhere") -> bool:
        return self.state.ban_of(player, address, self.now) is not None


def ban(player: Player = BEN, **fields: object) -> Ban:
    return Ban.model_validate({"id": "c", "player": player.id, "grounds": "Insults"} | fields)


def report(player: Player = BEN, match: str | None = "m1") -> ReportPlayer:
    return ReportPlayer(id="c", player=player.id, match=match, grounds="Insults")


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_who_is_banned_is_excluded_until_that_is_lifted(scene: Scene) -> None:
    number = scene.do(ban())
    assert scene.is_banned("ben")
    assert not scene.is_banned("ann")
    assert not scene.is_banned("ann", HOME)
    scene.do(Unban(id="c", ban=number, grounds="Sorry"))
    assert not scene.is_banned("ben")
    assert scene.refused(Unban(id="c", ban=number, grounds="Again")) == "unknown_ban"


def test_a_ban_with_the_address_excludes_everybody_from_there(scene: Scene) -> None:
    scene.do(ban(address=True))
    assert scene.is_banned("ann", HOME)
    assert scene.is_banned("", HOME)
    assert scene.is_banned("ben")
    assert not scene.is_banned("ann")
    assert scene.refused(ban(ANN, address=True), address="") == "unknown_player"


def test_a_ban_ends_at_its_time_and_is_forgotten(scene: Scene) -> None:
    number = scene.do(ban(seconds=60, address=True))
    scene.now += 59_999
    assert scene.is_banned("ben")
    scene.now += 1
    assert not scene.is_banned("ben")
    scene.state.tick(scene.now)
    assert not scene.state.bans
    assert scene.refused(Unban(id="c", ban=number, grounds="Late")) == "unknown_ban"


def test_the_ban_that_lasts_longest_is_named(scene: Scene) -> None:
    scene.do(ban(seconds=600))
    longest = scene.do(ban())
    scene.do(ban(seconds=60))
    entry = scene.state.ban_of("ben", "", scene.now)
    assert entry is not None
    assert entry.number == longest


def test_a_mute_excludes_nobody(scene: Scene) -> None:
    scene.do(ban(measure="mute", seconds=60))
    assert not scene.is_banned("ben")
    assert scene.state.mute_of("ben", scene.now) is not None
    assert scene.state.mute_of("ann", scene.now) is None
    assert scene.refused(ban(measure="mute", address=True)) == "bad_options"


def test_what_the_operator_decided_and_what_concerns_oneself_is_lifted_by_others(scene: Scene) -> None:
    first, second = scene.do(ban(), by=None), scene.do(ban(CAS, measure="mute"), by=ANN)
    assert scene.refused(Unban(id="c", ban=first, grounds="x")) == "not_permitted"
    assert scene.refused(Unban(id="c", ban=second, grounds="x")) == "yourself"
    scene.do(Unban(id="c", ban=first, grounds="x"), by=None)
    scene.do(Unban(id="c", ban=second, grounds="x"), by=ANN)


def test_what_makes_no_sense_is_refused(scene: Scene) -> None:
    assert scene.refused(ban(CAS)) == "yourself"
    assert scene.refused(report(CAS)) == "yourself"
    assert scene.refused(ban(Player(id="nobody", name="Nobody", kind="person"))) == "unknown_player"
    assert scene.refused(CloseReport(id="c", report=1, grounds="What?")) == "unknown_report"


def test_reports_are_bounded_and_the_same_one_comes_once(scene: Scene) -> None:
    scene.do(report())
    assert scene.refused(report()) == "busy"
    for number in range(1, MAX_REPORTS_OF_PLAYER):
        scene.do(report(match=f"n{number}"))
    assert scene.refused(report(ANN)) == "busy"
    scene.do(report(CAS), by=ANN)
    scene.do(CloseReport(id="c", report=1, grounds="Talked to"))
    scene.do(report())


def test_the_open_reports_of_one_address_are_bounded_whoever_makes_them(scene: Scene) -> None:
    for number in range(MAX_REPORTS_OF_ADDRESS):
        scene.do(report(), by=Player(id=f"guest{number}", name="Guest", kind="person"))
    stranger = Player(id="stranger", name="Guest", kind="person")
    assert scene.refused(report(), by=stranger) == "busy"
    scene.do(report(), by=stranger, address="another")
    scene.do(CloseReport(id="c", report=1, grounds="Read"))
    scene.do(report(), by=ANN)


def test_the_log_has_neither_names_nor_what_a_report_says(scene: Scene) -> None:
    scene.do(report())
    scene.do(ban())
    stored = " ".join(f"{entry.by} {MODERATION_EVENT.dump_json(entry.event).decode()}" for entry in scene.log)
    assert "Ben" not in stored
    assert "Cas" not in stored
    assert isinstance(scene.log[0].event, Reported)
    assert "Insults" not in str(scene.log[0])


def test_a_reporter_is_to_be_told_once_and_not_after_a_long_time(scene: Scene) -> None:
    scene.do(report())
    scene.do(report(match="m2"))
    assert scene.state.untold == {}
    for number in (1, 2):
        scene.do(CloseReport(id="c", report=number, grounds="Read"), by=ANN)
    assert scene.state.untold == {1: "cas", 2: "cas"}
    scene.state.told(1)
    scene.state.tick(scene.now + TELL_MS - 1)
    assert scene.state.untold == {2: "cas"}
    scene.state.tick(scene.now + TELL_MS)
    assert scene.state.untold == {}


def test_all_reports_and_bans_are_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moderation, "MAX_REPORTS", 1)
    monkeypatch.setattr(moderation, "MAX_BANS", 1)
    scene.do(report())
    assert scene.refused(report(CAS), by=ANN) == "server_full"
    scene.do(ban())
    assert scene.refused(ban(ANN)) == "server_full"


def test_every_entry_has_a_sentence_and_comes_back_from_the_store_as_it_was(scene: Scene) -> None:
    scene.do(report())
    scene.do(CloseReport(id="c", report=1, grounds="Talked to"))
    scene.do(ban(address=True, seconds=60))
    scene.do(ban(measure="mute"), by=None)
    scene.do(Unban(id="c", ban=3, grounds="Sorry"))
    assert [sentence(entry.event, {"ben": "Ben", "cas": "deleted"}) for entry in scene.log] == [
        "deleted reports Ben (ben) in match m1",
        "report 1 is closed: Talked to",
        "Ben (ben) is banned with the address: Insults",
        "Ben (ben) is muted: Insults",
        "ban 3 is lifted: Sorry",
    ]
    for entry in scene.log:
        assert MODERATION_EVENT.validate_json(MODERATION_EVENT.dump_json(entry.event)) == entry.event


def test_an_edited_entry_breaks_its_seal(scene: Scene) -> None:
    scene.do(ban())
    scene.do(report())
    one, two = scene.log
    assert isinstance(one.event, Banned)

    def seals(event: ModerationEvent) -> tuple[str, str]:
        first = seal_of("", 1, one.at, one.by, event)
        return first, seal_of(first, 2, two.at, two.by, two.event)

    assert seals(one.event) == (one.seal, two.seal)
    assert broken_seal(scene.log) is None
    assert broken_seal([one, replace(two, event=Lifted(1, "x"))]) == 2
    assert broken_seal([two]) == 1
    assert all(
        left != right for left, right in zip(seals(replace(one.event, grounds="x")), (one.seal, two.seal), strict=True)
    )
    assert seal_of("", 1, one.at, "somebody", one.event) != one.seal
    assert seal_of("", 1, one.at + 1, one.by, one.event) != one.seal


@given(st.lists(st.tuples(st.sampled_from(["ann", "ben"]), st.integers(0, 3), st.booleans()), max_size=20))
def test_the_fold_agrees_with_the_list_of_bans_that_hold(steps: list[tuple[str, int, bool]]) -> None:
    scene = Scene()
    holding = dict[int, tuple[str, int | None, bool]]()
    for player, seconds, address in steps:
        if seconds == 3 and holding:
            number = next(iter(holding))
            del holding[number]
            scene.do(Unban(id="c", ban=number, grounds="x"))
        else:
            number = scene.do(ban(PLAYERS[player], address=address, **({"seconds": seconds} if seconds else {})))
            holding[number] = player, scene.now + 1000 * seconds if seconds else None, address
        scene.now += 1_000
        scene.state.tick(scene.now)
        holding = {key: one for key, one in holding.items() if one[1] is None or one[1] > scene.now}
        assert set(scene.state.bans) == set(holding)
        for name in ("ann", "ben", "cas"):
            expected = any(one[0] == name or one[2] for one in holding.values())
            assert scene.is_banned(name, HOME) == expected
            assert scene.is_banned(name) == any(one[0] == name for one in holding.values())
