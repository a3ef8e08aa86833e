"""Visible names: no two players in the lobby have names that look the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from cornered.protocol.text import MAX_NAME
from cornered.protocol.values import Name, Player
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import Departed
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.names import RESERVED_WORDS, Names, is_numbered
from cornered.server.settings import Settings

NAME: TypeAdapter[str] = TypeAdapter(Name)


def arrive(lobby: Lobby, player: str, name: str, kind: str = "person", *, is_operators: bool = False) -> str:
    visitor = Player.model_validate({"id": player, "name": name, "kind": kind})
    for event in lobby.arrive(visitor, is_operators=is_operators):
        lobby.evolve(event)
    return lobby.guests[player].player.name


def test_a_second_player_whose_name_reads_the_same_gets_a_number() -> None:
    for second in ("Ada", "ada", "ADA", "\uff21da", "A da", "Ada.", "\u0410da"):
        lobby = Lobby()
        assert arrive(lobby, "one", "Ada") == "Ada"
        assert arrive(lobby, "two", second) == f"{second} (2)"
        assert arrive(lobby, "three", "Ada") == "Ada (3)"


def test_a_name_stays_the_same_for_the_visit_and_a_new_one_frees_it() -> None:
    lobby = Lobby()
    arrive(lobby, "one", "Ada")
    assert arrive(lobby, "two", "Ada") == "Ada (2)"
    lobby.evolve(Departed("one"))
    assert arrive(lobby, "two", "Ada") == "Ada (2)"
    assert arrive(lobby, "two", "Ada (2)") == "Ada (2)"
    assert arrive(lobby, "three", "Ada") == "Ada"
    lobby = Lobby()
    arrive(lobby, "one", "Ada")
    assert arrive(lobby, "one", "Bea") == "Bea"
    assert arrive(lobby, "two", "Ada") == "Ada"
    assert arrive(lobby, "one", "Ada") == "Ada (2)"
    lobby = Lobby()
    assert arrive(lobby, "one", "Ada (2)") == "Ada (2)"
    assert arrive(lobby, "two", "Ada") == "Ada"
    assert arrive(lobby, "three", "Ada") == "Ada (3)"


def test_a_number_is_not_given_again_while_a_bearer_of_the_name_is_here_or_in_a_live_match() -> None:
    lobby = Lobby()
    for player in ("one", "two", "three"):
        arrive(lobby, player, "Ada")
    lobby.evolve(Departed("three"))
    assert arrive(lobby, "four", "Ada") == "Ada (4)"
    for player in ("one", "two", "four"):
        lobby.evolve(Departed(player))
    assert [arrive(lobby, player, "Ada") for player in ("five", "six")] == ["Ada", "Ada (2)"]
    names = Names(["level-3"])
    names.take("a", "Ann", "Ann")
    names.seat("a", "Ann")
    names.seat("a", "Ann")
    names.free("Ann", "Ann")
    assert names.choose("b", "ann") == "ann (2)"
    assert names.choose("a", "Ann") == "Ann"
    names.unseat("a", "Ann")
    assert names.choose("b", "ann") == "ann (2)"
    names.unseat("a", "Ann")
    assert names.choose("b", "ann") == "ann"
    names.seat("old", "level-3")
    assert names.choose("new", "level-3", is_operators=True) == "level-3", "a house bot that lost its token"


def test_a_stranger_never_bears_a_reserved_name_alone_even_before_its_owner_comes() -> None:
    for kind in ("person", "bot"):
        lobby = Lobby(Names(["level-3"]))
        assert arrive(lobby, "one", "Level 3", kind) == "Level 3 (2)"
        assert arrive(lobby, "bot", "level-3", "bot", is_operators=True) == "level-3"
        assert arrive(lobby, "two", "level-3", kind) == "level-3 (3)"


def test_a_bot_that_turns_out_to_be_the_operators_gets_its_name_while_it_is_here() -> None:
    lobby = Lobby(Names(["level-3"]))
    assert arrive(lobby, "bot", "level-3", "bot") == "level-3 (2)"
    assert arrive(lobby, "bot", "level-3", "bot", is_operators=True) == "level-3"
    assert arrive(lobby, "bot", "level-3", "bot") == "level-3"
    assert arrive(lobby, "other", "level-3", "bot", is_operators=True) == "level-3 (2)"
    assert arrive(lobby, "other", "level-3", "bot", is_operators=True) == "level-3 (2)"
    lobby.evolve(Departed("bot"))
    assert arrive(lobby, "other", "level-3", "bot", is_operators=True) == "level-3"


def test_the_house_bots_names_are_reserved_by_default() -> None:
    from cornered.bots.online.host import player_name
    from cornered.bots.roster import create
    from cornered.cli.house_process import HOUSE_BOTS

    assert {player_name(create(bot)) for bot in HOUSE_BOTS} <= set(Settings(port=0).reserved_names)


@given(st.lists(st.tuples(st.text("aA. (2)\u2460\u0301", min_size=1, max_size=MAX_NAME), st.booleans()), max_size=12))
def test_visible_names_are_names_and_no_two_are_the_same(visits: list[tuple[str, bool]]) -> None:
    lobby = Lobby(bounds=Bounds())
    for number, (name, departs) in enumerate(visits):
        try:
            NAME.validate_python(name)
        except ValueError:
            continue
        NAME.validate_python(arrive(lobby, f"p{number}", name))
        if departs:
            lobby.evolve(Departed(f"p{number}"))
    shown = [guest.player.name.casefold() for guest in lobby.guests.values()]
    assert len(set(shown)) == len(shown)


def test_many_of_one_name_and_names_with_numbers_of_their_own_make_no_search_long() -> None:
    names, tried = Names(), set[str]()
    names.take("p0", "Ada", "Ada")
    for number in range(2, 4_000):
        names.take(f"p{number}", f"Ada ({number})", f"Ada ({number})")
    for newcomer in ("one", "two", "three"):
        shown = names.choose(newcomer, "Ada")
        assert int(shown[5:-1]) > 4_000
        names.take(newcomer, "Ada", shown)
        tried.add(shown)
    assert len(tried) == 3
    names = Names()
    names.take("p0", "Ada", "Ada")
    for number in range(1, 1_000):
        shown = names.choose(f"p{number}", "Ada")
        assert shown == f"Ada ({number + 1})"
        names.take(f"p{number}", "Ada", shown)


def test_a_name_that_is_an_accounts_is_shown_for_nobody_else() -> None:
    lobby = Lobby()

    def claim(player: str, name: str, shown_before: str = "") -> str:
        visitor = Player(id=player, name=name, kind="person")
        for event in lobby.arrive(visitor, is_claimed=True, shown_before=shown_before):
            lobby.evolve(event)
        return lobby.guests[player].player.name

    assert claim("one", "Ada", shown_before="ada") == "Ada (2)", "the owner is away, and another node showed the name"
    assert arrive(lobby, "owner", "Ada") == "Ada"
    assert claim("one", "Ada") == "Ada (2)", "a number stays for the visit"
    assert arrive(lobby, "two", "Bea") == "Bea"
    assert claim("two", "Bea") == "Bea (2)", "an account has got the name meanwhile"


def test_reserved_words_and_bearers_are_known() -> None:
    names = Names(["level-3"])
    for word in ("level 3", "Admin", "dele\u0442ed", *RESERVED_WORDS):
        assert names.is_reserved(word)
        assert names.choose("a", word) != word
    assert not names.is_reserved("Ada")
    names.take("a", "Ada", "Ada")
    names.seat("b", "Bea")
    assert [names.holder(name) for name in ("ADA", "bea", "Cleo")] == ["a", "b", None]
    assert [is_numbered(name) for name in ("Ada (2)", "Ada 2", "(2)")] == [True, False, False]
