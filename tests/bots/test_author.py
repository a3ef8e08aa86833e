"""The bot of its author's function or class: its words, its results, its seed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cornered.bots.bot import Limit
from cornered.bots.roster import create, is_of_roster
from cornered.cli.bot_folder import write_bot
from cornered.clients.sdk import BotFailed
from cornered.engine import IllegalMove
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture
from tests.clients.sdk.test_bot_word import own_path

__all__ = ["own_path"]

TERMS = ContestTerms.of("trapgrid", {"size": 6}, time=2000)
START = TERMS.load().start()


def written(folder: Path, source: str) -> str:
    """Return the word of a file."""
    path = folder / "my_bot.py"
    path.write_text(source)
    return str(path)


def function(body: str) -> str:
    return f"import random\ndef choose(state, limit):\n    {body}\n"


def test_a_file_plays_in_a_contest_against_a_bot_of_the_roster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word = written(tmp_path, function("return state.moves()[0]"))
    game = play(TERMS, Fixture(0, (word, "random")))
    assert game.ending == "rules"
    assert create(word).label == "my_bot"
    assert not is_of_roster(word)
    assert is_of_roster("level:level=3")
    # Two spellings of a file are the same bot.
    monkeypatch.chdir(tmp_path)
    assert create("./my_bot.py").settings == create(word).settings


def test_a_coroutine_is_awaited_and_an_illegal_move_and_another_result_are_told_apart(tmp_path: Path) -> None:
    word = written(tmp_path, "async " + function("return state.moves()[0]").replace("import random\n", ""))
    assert create(word).choose(START, Limit(100)).move == START.moves()[0]
    for folder in ("illegal", "other"):
        (tmp_path / folder).mkdir()
    with pytest.raises(IllegalMove, match="z9"):
        create(written(tmp_path / "illegal", function("return 'z9'"))).choose(START, Limit(100))
    with pytest.raises(BotFailed, match="NoneType"):
        create(written(tmp_path / "other", function("return None"))).choose(START, Limit(100))


def test_a_seed_makes_the_moves_of_a_function_repeatable(tmp_path: Path) -> None:
    word = written(tmp_path, function("return random.choice(state.moves())"))
    seeded = [create(word, 3).choose(START, Limit(100)).move for _ in range(5)]
    assert len(set(seeded)) == 1
    assert len({create(word, seed).choose(START, Limit(100)).move for seed in range(12)}) > 1


def test_a_subclass_of_bot_has_its_settings(tmp_path: Path) -> None:
    source = """
from cornered.bots.bot import Bot, Setting, Thought

class BOT(Bot):
    name = "mine"
    description = "The move of this number."
    SETTINGS = (Setting("number", "Which move", 0, low=0, high=3),)

    def choose(self, state, limit):
        return Thought(state.moves()[int(self.settings["number"])])
"""
    word = written(tmp_path, source)
    bot = create(f"{word}:number=1", 1)
    assert bot.label == "mine-1"
    assert bot.choose(START, Limit(100)).move == START.moves()[1]
    with pytest.raises(ValueError, match="number is a whole number from 0 to 3, not '7'"):
        create(f"{word}:number=7")


def test_a_folder_is_the_bot_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_bot("my-bot", tmp_path)
    for word in ("my-bot", "./my-bot", "my-bot/", str(folder)):
        bot = create(word)
        assert (bot.label, bot.settings) == ("my_bot", create("my-bot/my_bot.py").settings)
        assert not is_of_roster(word)
    played = play(TERMS, Fixture(0, ("my-bot", "random")))
    assert played.ending == "rules"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="name the bot's file: empty has no Python file"):
        create("empty")


def test_a_bot_of_the_roster_comes_before_a_folder_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_bot("greedy", tmp_path)
    assert create("greedy").name == "greedy"
    assert create("./greedy").label == "greedy"
    assert create("./greedy").name == "author"


def test_an_unknown_word_suggests_what_is_near(subtests: pytest.Subtests) -> None:
    near = {"champoin": "did you mean champion?", "level3": "did you mean level"}
    for word, guess in {"nobody": "`cornered bots` lists", **near}.items():
        with subtests.test(word):
            expected = rf"there is no bot '{word}'; {re.escape(guess)}.*\./my_bot\.py, package"
            with pytest.raises(ValueError, match=expected) as error:
                create(word)
            assert len(str(error.value)) < 240


def test_a_word_may_be_a_level_and_settings_have_their_form() -> None:
    assert create("level-3").settings == create("level:level=3").settings
    assert is_of_roster("level-3")
    with pytest.raises(ValueError, match="level is"):
        create("level-11")
    with pytest.raises(ValueError, match="settings look like level:setting=value, not 'level:seven'"):
        create("level:seven")
