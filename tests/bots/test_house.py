"""Who the bots of a house are."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from bots.house import LONGEST_NAME, Guest, player_name
from bots.roster import bots, create
from protocol.values import Name


@pytest.mark.parametrize("kind", bots(), ids=lambda kind: kind.name)
def test_every_bot_has_a_name_that_the_server_takes_whatever_its_settings(kind: type) -> None:
    settings = ",".join(f"{setting.name}={setting.default}" for setting in kind.SETTINGS)
    for spec in (kind.name, f"{kind.name}:{settings}" if settings else kind.name):
        name = player_name(create(spec))
        assert TypeAdapter(Name).validate_python(name) == name
        assert len(name) <= LONGEST_NAME


def test_long_names_keep_the_settings_that_tell_bots_apart() -> None:
    names = {player_name(create(f"level:level={level}")) for level in (1, 10)}
    assert names == {"level-1", "level-10"}
    bot = create("random")
    bot.label = "random" + "-a-very-long-setting-indeed-7"
    assert player_name(bot).endswith("-indeed-7")
    assert len(player_name(bot)) <= LONGEST_NAME


def test_two_bots_of_one_name_are_an_error() -> None:
    assert [guest.name for guest in Guest.all_of(["random", "greedy"])] == ["random", "greedy"]
    with pytest.raises(ValueError, match="two bots would be called 'random'"):
        Guest.all_of(["random", "greedy", "random"])
    with pytest.raises(ValueError, match="there is no bot 'nobody'"):
        Guest.all_of(["nobody"])
