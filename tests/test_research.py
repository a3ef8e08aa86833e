"""cornered.research: the stable interface does what docs/research.md shows, and says what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cornered import research
from cornered.research import State

PAGE = Path(__file__).resolve().parent.parent / "docs" / "research.md"
STABLE = [
    "CHANCE", "Board", "Bot", "Encoding", "Game", "IllegalMove", "Limit", "Line", "Opponent", "Option",
    "OptionValue", "Outcome", "PlayoutResults", "Ply", "Proof", "Record", "RecordError", "RecordedMove",
    "SeatLeft", "Solution", "State", "Symmetry", "Thought", "VectorGames", "apply", "bot", "encoding",
    "from_json", "from_text", "games", "gymnasium_env", "load", "openspiel_game", "perft", "pettingzoo_env",
    "playouts", "playthrough", "prove", "record", "search", "solve", "to_json", "to_text",
]  # fmt: skip


def test_the_names_of_the_interface_stay() -> None:
    assert research.__all__ == STABLE
    assert all(getattr(research, name) is not None for name in STABLE)


def test_the_page_names_the_whole_interface() -> None:
    shown = set(re.findall(r"\w+", PAGE.read_text(encoding="utf-8")))
    assert set(STABLE) <= shown


def test_a_search_uses_ones_own_evaluation() -> None:
    state = research.load("quoridor", size=5).start()
    asked: list[State] = []

    def nearest_to_a1(position: State, seat: int) -> float:
        asked.append(position)
        rows = str(position).split(" ")[0].split("/")
        return -float(next(row.index(str(seat)) for row in rows if str(seat) in row))

    assert research.search(state, evaluate=nearest_to_a1, depth=1).move == "b1"
    assert {position.to_move for position in asked} == {1}


def test_a_search_without_an_evaluation_finds_a_win() -> None:
    for name, options in (("trapgrid", {"size": 3}), ("isolation", {"width": 3, "height": 3})):
        thought = research.search(research.load(name, **options).start(), depth=20)
        assert thought.proven == "win"


def test_a_search_plays_dice_and_several_opponents() -> None:
    state = research.load("isolation", width=3, height=3, players=3, dice=True).start()
    assert research.search(state, depth=2, seed=4).move in state.moves()
    assert research.search(state, depth=2, seed=4) == research.search(state, depth=2, seed=4)


def test_a_search_without_limits_or_without_a_mover_is_refused() -> None:
    game = research.load("isolation", width=3, height=3, dice=True)
    with pytest.raises(ValueError, match="a search needs a limit"):
        research.search(game.start())
    for state in (game.start().leave(0), game.start().play("a1").play("c3")):
        with pytest.raises(ValueError, match="nobody is to move"):
            research.search(state, depth=1)


def test_a_proof_is_the_games_value() -> None:
    found = research.solve(research.load("trapgrid", size=4).start(), time=10_000)
    assert found is not None
    assert found.value == "loss"
    proof = research.prove(research.load("isolation", width=3, height=3).start(), time=10_000)
    assert proof is not None
    assert (proof.value, proof.best[0]) == ("win", "b2")
    finished = research.load("trapgrid").start().leave(0)
    for ask in (research.solve, research.prove):
        with pytest.raises(ValueError, match="the game is over"):
            ask(finished)


def test_a_record_is_checked_and_read_again() -> None:
    game = research.load("quoridor", size=5)
    made = research.record(game, ["c2", "b3h"], players=("one", "two"), tags={"Site": "here"})
    assert research.from_text(research.to_text(made)) == [made]
    assert research.from_json(research.to_json(made)) == made
    with pytest.raises(research.IllegalMove, match="c9"):
        research.record(game, ["c2", "c9"])


def test_a_bot_plays_by_its_word() -> None:
    game = research.load("bamboo", radius=2)
    bot = research.bot("random", game, seed=3)
    assert bot.choose(game.start(), research.Limit(time=1000)).move in game.start().moves()
    with pytest.raises(ValueError, match="perfect does not play bamboo"):
        research.bot("perfect", game)


def test_without_the_extra_its_name_is_told() -> None:
    for module in ("numba", "numpy"):
        code = f"import sys; sys.modules[{module!r}] = None\nimport cornered.research"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
        assert f"needs {module}, which is not installed: pip install 'cornered[bots]'" in done.stderr
