"""The lobby's pages, and the updates that keep the first one current."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornered.protocol.commands import AskLobby
from cornered.protocol.messages import LobbyChanged, LobbyPage, LobbyState
from cornered.protocol.values import NO_CLOCK, Accepts, GameSpec, MatchSummary, Player, Seek, SeekSettings
from cornered.server.lobby import updates, views
from cornered.server.lobby.bounds import (
    Bounds,
)
from cornered.server.lobby.events import (
    Declared,
    Departed,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.updates import MAX_GONE, MAX_PENDING_GONE, MOVED_INTERVAL_MS, LobbyUpdates
from cornered.server.lobby.views import MATCHES_PAGE, PLAYERS_PAGE, SEEKS_PAGE, for_viewer
from cornered.server.refusal import Refusal
from cornered.server.settings import Settings

TRAPGRID = GameSpec(name="trapgrid", options={"size": 5})
BAMBOO = GameSpec(name="bamboo")


def person(name: str) -> Player:
    return Player(id=name, name=name, kind="person")


ANN, BEN, CYD = map(person, ("ann", "ben", "cyd"))


def take_over(known: dict[str, dict[str, Any]], message: LobbyState | LobbyChanged | LobbyPage) -> None:
    """Apply a message to what a client knows."""
    known["seeks"] |= {one.id: one for one in message.seeks}
    known["matches"] |= {one.id: one for one in message.matches}
    known["players"] |= {one.player.id: one for one in message.players}
    if isinstance(message, LobbyChanged):
        for moved in message.moved:
            # A match unknown to this client arrives as a whole later.
            if moved.id in known["matches"]:
                changed = {"ply": moved.ply, "position": moved.position, "watchers": moved.watchers}
                known["matches"][moved.id] = known["matches"][moved.id].model_copy(update=changed)
        gone = (message.seeks_gone, message.matches_gone, message.players_gone)
        for section, names in zip(known.values(), gone, strict=True):
            for name in names:
                section.pop(name, None)


@dataclass
class Watched:
    """A lobby with public matches, and the state of one watcher."""

    lobby: Lobby = field(default_factory=Lobby)
    plies: dict[str, int] = field(default_factory=dict)
    now: int = 1_000_000
    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.updates = LobbyUpdates(self.lobby, self.summary)
        self.read(self.updates.first_page())

    def summary(self, match: str) -> MatchSummary | None:
        return MatchSummary(
            id=match,
            game=TRAPGRID,
            clock=NO_CLOCK,
            players=(ANN, BEN),
            ply=self.plies[match],
            position=f"after {self.plies[match]}",
            watchers=0,
            started=0,
        )

    def arrive(self, *players: Player) -> None:
        for player in players:
            for event in self.lobby.arrive(player):
                self.lobby.evolve(event)

    def post(self, name: str, by: Player = ANN, *, game: GameSpec = TRAPGRID, private: bool = False) -> None:
        settings = SeekSettings(game=game, private=private)
        seek = Seek(id=name, by=by, settings=settings, joined=(by,), seats=3, since=self.now)
        self.lobby.evolve(SeekPosted(seek, game))

    def begin(self, *matches: str) -> None:
        for match in matches:
            self.plies[match] = 0
            self.updates.match_began(match)

    def move(self, *matches: str) -> None:
        for match in matches:
            self.plies[match] += 1
            self.updates.match_moved(match)

    def read(self, message: LobbyState | LobbyChanged | LobbyPage) -> None:
        """Apply a message as clients do."""
        if isinstance(message, LobbyState):
            self.known = {"seeks": {}, "matches": {}, "players": {}}
        take_over(self.known, message)

    def hear(self) -> LobbyChanged | LobbyState | None:
        """Take the next word."""
        word = self.updates.take(self.now).public
        if word is not None:
            self.read(word)
        return word

    def hear_all(self) -> list[LobbyChanged | LobbyState]:
        """Receive all pending updates."""
        words = []
        while self.updates.is_waiting or self.lobby.changes.players or self.lobby.changes.tables:
            word = self.hear()
            self.now += MOVED_INTERVAL_MS
            words += [word] if word else []
        return words

    def check_page(self) -> None:
        """See that the watcher knows the first page exactly."""
        page = self.updates.lists.first_page()
        assert {one.id: one for one in page.seeks}.items() <= self.known["seeks"].items()
        assert {one.id: one for one in page.matches}.items() <= self.known["matches"].items()
        assert {one.player.id: one for one in page.players}.items() <= self.known["players"].items()

    def page(self, section: str, after: str | None = None, game: str | None = None) -> LobbyPage:
        return self.updates.lists.page(AskLobby(id="c", section=section, after=after, game=game))  # type: ignore[arg-type]


@pytest.fixture
def watched() -> Watched:
    watched = Watched()
    watched.arrive(ANN, BEN, CYD)
    watched.hear_all()
    return watched


def test_the_first_page_lists_the_newest_and_tells_how_many_there_are(watched: Watched) -> None:
    for number in range(3 * SEEKS_PAGE):
        watched.post(f"s{number}")
    watched.begin(*(f"m{number}" for number in range(3 * MATCHES_PAGE)))
    watched.arrive(*(person(f"p{number}") for number in range(3 * PLAYERS_PAGE)))
    page = watched.updates.lists.first_page()
    assert [one.id for one in page.seeks] == [f"s{149 - number}" for number in range(SEEKS_PAGE)]
    assert [one.id for one in page.matches] == [f"m{149 - number}" for number in range(MATCHES_PAGE)]
    assert [one.player.id for one in page.players] == [f"p{599 - number}" for number in range(PLAYERS_PAGE)]
    assert (page.seeks_total, page.matches_total, page.players_total) == (150, 150, 603)


def test_pages_lead_through_the_whole_list_whatever_happens_meanwhile(watched: Watched) -> None:
    for number in range(3 * SEEKS_PAGE):
        watched.post(f"s{number}")
    page = watched.updates.lists.first_page()
    heard, more = [one.id for one in page.seeks], page.seeks_more
    while more is not None:
        watched.lobby.evolve(SeekClosed(heard[-1]))
        watched.post(f"new{len(heard)}")
        further = watched.page("seeks", more)
        heard, more = heard + [one.id for one in further.seeks], further.more
    assert heard == [f"s{149 - number}" for number in range(150)]


def test_a_page_of_one_game_has_that_game_only(watched: Watched) -> None:
    for number in range(4_000):
        watched.post(f"s{number}", game=BAMBOO if number in (5, 3_500) else TRAPGRID)
    heard, more, pages = list[str](), None, 0
    while pages == 0 or more is not None:
        page = watched.page("seeks", more, "bamboo")
        heard, more, pages = heard + [one.id for one in page.seeks], page.more, pages + 1
    assert (heard, pages) == (["s3500", "s5"], 4)


def test_bots_are_listed_before_people_and_the_one_that_is_here_longest_leads(watched: Watched) -> None:
    bots = [Player(id=f"b{number}", name=f"bot {number}", kind="bot") for number in range(2)]
    watched.arrive(*bots)
    accepts = Accepts(game="bamboo")
    watched.lobby.evolve(Declared("b1", (accepts,), 1))
    page = watched.updates.lists.first_page()
    assert [one.player.id for one in page.players] == ["b0", "b1", "cyd", "ben", "ann"]
    assert [one.player.id for one in watched.page("players", game="bamboo").players] == ["b1"]


def test_a_cursor_that_no_page_gave_is_refused(watched: Watched) -> None:
    for after in ("x", "-1", "9" * 30):
        with pytest.raises(Refusal, match="more"):
            watched.page("seeks", after)


def test_a_viewer_is_shown_its_own_tables_matches_and_itself_beside_the_page(watched: Watched) -> None:
    watched.post("hidden", private=True)
    watched.post("mine")
    for number in range(SEEKS_PAGE):
        watched.post(f"s{number}", by=BEN)
    watched.arrive(*(person(f"p{number}") for number in range(2 * PLAYERS_PAGE)))
    watched.begin("m")
    page = watched.updates.lists.first_page()
    own = watched.summary("m")
    assert own is not None
    shown = for_viewer(page, "c1", "ann", watched.lobby, [own])
    assert {"hidden", "mine"} == {one.id for one in shown.seeks} - {one.id for one in page.seeks}
    assert [one.id for one in shown.matches] == ["m"]
    assert (shown.id, shown.players[0].player, len(shown.players)) == ("c1", ANN, PLAYERS_PAGE + 1)


def test_words_tell_what_is_new_and_what_is_gone_and_nothing_else(watched: Watched) -> None:
    assert watched.hear() is None
    watched.post("one")
    watched.lobby.evolve(Departed("cyd"))
    word = watched.hear()
    assert isinstance(word, LobbyChanged)
    assert ([one.id for one in word.seeks], word.players, word.players_gone) == (["one"], (), ("cyd",))
    assert (word.seeks_total, word.players_total) == (1, 2)
    watched.lobby.evolve(SeekJoined("one", BEN))
    watched.lobby.evolve(SeekClosed("one"))
    word = watched.hear()
    assert isinstance(word, LobbyChanged)
    assert (word.seeks, word.seeks_gone) == ((), ("one",))
    assert watched.hear() is None
    watched.post("hidden", private=True)
    assert watched.hear() is None


def test_many_changes_make_many_words_of_bounded_size_and_the_page_is_known_in_the_end(watched: Watched) -> None:
    watched.arrive(*(person(f"p{number}") for number in range(500)))
    for number in range(300):
        watched.post(f"s{number}")
    watched.begin(*(f"m{number}" for number in range(300)))
    words = watched.hear_all()
    assert all(len(word.seeks) <= 20 and len(word.matches) <= 20 and len(word.players) <= 50 for word in words)
    watched.check_page()


def test_what_comes_back_onto_the_page_is_told_again(watched: Watched) -> None:
    for number in range(SEEKS_PAGE):
        watched.post(f"s{number}")
    watched.begin(*(f"m{number}" for number in range(MATCHES_PAGE)))
    watched.hear_all()
    watched.post("newest")
    watched.begin("newest")
    watched.hear_all()
    watched.lobby.evolve(SeekJoined("s0", BEN))
    watched.move("m0")
    watched.hear_all()
    assert watched.known["seeks"]["s0"].joined == (ANN,)
    assert watched.known["matches"]["m0"].ply == 0
    watched.lobby.evolve(SeekClosed("newest"))
    watched.updates.match_ended("newest")
    watched.hear_all()
    assert watched.known["seeks"]["s0"].joined == (ANN, BEN)
    assert watched.known["matches"]["m0"].ply == 1
    watched.check_page()


def test_a_page_that_was_handed_out_in_between_is_kept_up_to_date(watched: Watched) -> None:
    for number in range(SEEKS_PAGE):
        watched.post(f"s{number}")
    watched.hear_all()
    watched.post("newest")
    watched.read(watched.updates.first_page())
    watched.lobby.evolve(SeekClosed("newest"))
    watched.hear_all()
    watched.check_page()


VIEW = ("seeks", "matches", "players")


class Watchers:
    """A lobby with short pages, and the state of each of its watchers."""

    def __init__(self) -> None:
        self.watched = Watched()
        self.views: list[dict[str, dict[str, Any]]] = []
        self.count = 0
        self.watched.arrive(ANN, BEN)

    def take(self, step: str, section: str, choice: int) -> None:
        """Take a step; `choice` selects the entry of `section`, counted from the newest."""
        watched, lobby = self.watched, self.watched.lobby
        people = [one for one in lobby.guests if one not in ("ann", "ben")]
        names = {"seeks": list(lobby.tables), "matches": list(watched.plies), "players": people}[section]
        name = names[-1 - choice] if choice < len(names) else None
        self.count += 1
        match step, section:
            case "watch", _:
                self.views.append({one: {} for one in VIEW})
                take_over(self.views[-1], watched.updates.first_page())
            case "tell", _:
                self.tell()
            case "add", "seeks":
                watched.post(f"s{self.count}")
            case "add", "matches":
                watched.begin(f"m{self.count}")
            case "add", "players":
                watched.arrive(person(f"p{self.count}"))
            case "change", "seeks" if name:
                is_there = BEN in lobby.tables[name].seek.joined
                lobby.evolve(SeekLeft(name, "ben") if is_there else SeekJoined(name, BEN))
            case "change", "matches" if name:
                watched.move(name)
            case "remove", "seeks" if name:
                lobby.evolve(SeekClosed(name))
            case "remove", "matches" if name:
                watched.updates.match_ended(name)
                del watched.plies[name]
            case "remove", "players" if name:
                lobby.evolve(Departed(name))

    def tell(self) -> None:
        self.watched.now += MOVED_INTERVAL_MS
        word = self.watched.updates.take(self.watched.now).public
        for view in self.views:
            if isinstance(word, LobbyState):
                view.update({one: {} for one in VIEW})
            if word is not None:
                take_over(view, word)

    def tell_all(self) -> None:
        pending, facts = self.watched.updates, self.watched.lobby
        while pending.is_waiting or facts.changes.players or facts.changes.tables:
            self.tell()

    def check(self) -> None:
        """Check that each knows the first page, and nothing that is gone, once all updates are delivered."""
        watched = self.watched
        self.tell_all()
        page: dict[str, dict[str, Any]] = {one: {} for one in VIEW}
        take_over(page, watched.updates.lists.first_page())
        lobby = watched.lobby
        there = {"seeks": set(lobby.tables), "matches": set(watched.plies), "players": set(lobby.guests)}
        for view in self.views:
            for section in VIEW:
                assert page[section] == {key: view[section].get(key) for key in page[section]}
                assert set(view[section]) <= there[section]


STEPS = st.tuples(
    st.sampled_from(["add", "remove", "change", "watch", "tell"]), st.sampled_from(VIEW), st.integers(0, 3)
)


@settings(max_examples=60)
@given(st.lists(STEPS, min_size=10, max_size=60))
def test_each_watcher_is_told_of_all_that_its_page_lacks(steps: list[tuple[str, str, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SEEKS_PAGE", "MATCHES_PAGE", "PLAYERS_PAGE"):
            patch.setattr(updates, name, 3)
            patch.setattr(views, name, 3)
        for name in ("MAX_SEEKS", "MAX_MATCHES", "MAX_PLAYERS", "MAX_GONE"):
            patch.setattr(updates, name, 2)
        patch.setattr(updates, "MAX_PENDING_GONE", 8)
        watchers = Watchers()
        for section in VIEW * 4:
            watchers.take("add", section, 0)
        watchers.tell_all()
        for step, section, choice in steps:
            watchers.take(step, section, choice)
        watchers.check()


def test_only_matches_of_the_page_are_followed_and_each_at_most_once_a_second(watched: Watched) -> None:
    matches = [f"m{number}" for number in range(1_000)]
    watched.begin(*matches)
    watched.hear_all()
    told: dict[str, int] = {}
    for _ in range(20):
        watched.move(*matches)
        word = watched.hear()
        watched.now += 250
        for one in word.moved if isinstance(word, LobbyChanged) else ():
            told[one.id] = told.get(one.id, 0) + 1
    assert set(told) == set(matches[-MATCHES_PAGE:])
    assert max(told.values()) <= 5
    watched.hear_all()
    watched.check_page()


def test_who_sits_at_a_table_off_the_page_is_told_of_it_separately(watched: Watched) -> None:
    watched.post("old")
    for number in range(SEEKS_PAGE):
        watched.post(f"s{number}", by=CYD)
    watched.hear_all()
    watched.lobby.evolve(SeekJoined("old", BEN))
    word = watched.updates.take(watched.now)
    assert set(word.personal) == {"ann", "ben"}
    assert [one.joined for one in word.personal["ann"].seeks] == [(ANN, BEN)]


def test_private_tables_are_told_to_those_who_sit_at_them_alone(watched: Watched) -> None:
    watched.post("hidden", private=True)
    watched.lobby.evolve(SeekJoined("hidden", BEN))
    word = watched.updates.take(watched.now)
    assert (word.public, set(word.personal)) == (None, {"ann", "ben"})
    watched.lobby.evolve(SeekLeft("hidden", "ben"))
    word = watched.updates.take(watched.now)
    assert word.personal["ben"].seeks_gone == ("hidden",)
    assert [one.joined for one in word.personal["ann"].seeks] == [(ANN,)]
    watched.lobby.evolve(SeekClosed("hidden"))
    word = watched.updates.take(watched.now)
    assert {name: one.seeks_gone for name, one in word.personal.items()} == {"ann": ("hidden",)}


def test_too_much_that_is_gone_is_told_as_a_fresh_first_page(watched: Watched) -> None:
    crowd = [person(f"p{number}") for number in range(MAX_PENDING_GONE + 1)]
    watched.arrive(*crowd)
    watched.hear_all()
    for one in crowd[: MAX_GONE + 1]:
        watched.lobby.evolve(Departed(one.id))
    first, second = watched.hear_all()
    assert [len(word.players_gone) for word in (first, second) if isinstance(word, LobbyChanged)] == [MAX_GONE, 1]
    watched.arrive(*crowd)
    watched.hear_all()
    for one in crowd:
        watched.lobby.evolve(Departed(one.id))
    word = watched.hear()
    assert isinstance(word, LobbyState)
    assert (word.id, set(watched.known["players"])) == (None, {"ann", "ben", "cyd"})
    assert not watched.updates.is_waiting


def test_a_change_costs_the_same_however_much_is_there() -> None:
    def cost(size: int) -> float:
        """Return the least CPU seconds of some changes in a lobby with `size` players, tables and matches."""
        watched = Watched(Lobby(bounds=Bounds(seeks=size)))
        crowd = [person(f"p{number}") for number in range(size)]
        watched.arrive(*crowd)
        for number in range(size):
            watched.post(f"s{number}", by=crowd[number])
        watched.begin(*(f"m{number}" for number in range(size)))
        watched.hear_all()
        taken = []
        for _ in range(5):
            began = time.process_time()
            for number in range(40):
                watched.post(f"t{number}", by=crowd[number])
                watched.lobby.evolve(SeekClosed(f"t{number}"))
                watched.lobby.evolve(WentAway(f"p{number}", watched.now))
                assert watched.lobby.deadline() is not None
                watched.arrive(crowd[number])
                watched.hear()
            taken.append(time.process_time() - began)
        return min(taken)

    assert cost(4_000) < 4 * cost(40)


def test_the_bounds_by_default_are_those_of_the_settings() -> None:
    settings = Settings(port=0)
    assert Bounds() == Bounds(
        settings.max_seeks,
        settings.max_seeks_per_address,
        settings.max_challenges,
        settings.max_challenges_per_address,
        settings.max_matches_per_player,
        settings.max_matches_per_address,
        settings.max_pool_entries,
        settings.max_pool_entries_per_address,
    )
