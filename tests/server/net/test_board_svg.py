"""Drawings of positions: everything on the board is there, and animations show what changes when it does."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import pytest

from cornered import engine
from cornered.server.net.board_svg import HELD_FRAMES, MAX_FRAMES, Board, Scene, animated, drawn, policy_of, scenes

GAMES = [
    ("trapgrid", {"size": 5}),
    ("isolation", {"players": 3, "dice": True}),
    ("bamboo", {"radius": 3}),
    ("quoridor", {}),
    ("quoridor", {"players": 4}),
]


def played(name: str, options: dict[str, int], plies: int = 40) -> tuple[list[Scene], Board]:
    game = engine.load(name, **options)
    chance, state = random.Random(3), game.start()
    positions, moves = [str(state)], list[str]()
    while state.outcome is None and len(moves) < plies:
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
        positions.append(str(state))
    return scenes(positions, moves), Board(positions[0], "walls" in game.options)


def counts(svg: str, text: str) -> None:
    """Check that a drawing has what a position text has."""
    ElementTree.fromstring(svg)
    rows, _, facts = text.partition(" ")
    for seat in "0123":
        assert svg.count(f'href="#p{seat}"') == rows.count(seat)
    assert svg.count('class="hole"') == rows.count("x")
    assert svg.count('class="tile"') == len(rows.replace("/", ""))
    walls = re.search(r"walls=(\S+)", facts)
    assert svg.count('class="wall"') == (len(walls[1].split(",")) if walls else 0)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_a_drawing_and_each_frame_of_an_animation_have_all_that_their_position_has(
    name: str, options: dict[str, int]
) -> None:
    """The rules of visibility are read from the style, and what they show is compared with the position."""
    found, board = played(name, options)
    for scene in found:
        counts(drawn(scene, board), scene.position)
        assert 'class="bg"' in drawn(scene, board, is_preview=True)
    svg = animated(found, board)
    root = ElementTree.fromstring(svg)
    steady = [each for each in root if each.tag.endswith(("use", "path"))]
    length = len(found) + HELD_FRAMES - 1
    for number in range(length):
        rows = found[min(number, len(found) - 1)].position.split(" ")[0]
        shown = list(steady)
        for element in root:
            run = re.match(r"m (k\d+-\d+)", element.get("class") or "")
            if run and visible(svg, run[1], 100 * (number + 0.5) / length):
                shown += element
        there = "".join(ElementTree.tostring(each, encoding="unicode") for each in shown)
        assert sorted(re.findall(r"#p(\d)", there)) == sorted(re.findall(r"\d", rows))
        assert there.count('class="hole"') == rows.count("x")


def test_walls_and_holes_have_the_colours_of_who_made_them() -> None:
    game = engine.load("quoridor", size=5)
    first = game.start().play("a1h")
    second = first.play("c3v")
    found = scenes([str(game.start()), str(first), str(second)], ["a1h", "c3v"])
    assert found[-1].owners == {"a1h": 0, "c3v": 1}
    assert found[-1].last == "c3v"
    svg = drawn(found[-1], Board(str(game.start()), is_walled=True))
    assert svg.count('class="w z"') == 1
    left = scenes(["0../.../..1 0", "x../0../..1 1"], ["a2"])
    assert left[-1].owners == {"a3": 0}
    assert 'class="o0"' in drawn(left[-1], Board("0../.../..1 0", is_walled=False))


def visible(svg: str, name: str, percent: float) -> bool:
    """Return whether the style shows what has this class after so much of the animation."""
    rule = re.search(rf"@keyframes {name}{{((?:[0-9.]+%{{visibility:\w+}})+)}}", svg)
    assert rule is not None
    states = [state for at, state in re.findall(r"([0-9.]+)%{visibility:(\w+)}", rule[1]) if float(at) <= percent]
    return str(states[-1]) == "visible"


def test_an_animation_is_bounded_and_still_for_those_who_want_no_motion_and_uses_its_own_style_alone() -> None:
    found, board = played("trapgrid", {"size": 5})
    svg = animated(found * 40, board)
    assert f"-{MAX_FRAMES}" in svg
    assert f"-{MAX_FRAMES + 1}" not in svg
    assert "prefers-reduced-motion:reduce" in svg
    assert "prefers-color-scheme:dark" in svg
    # What is left in the end is what is seen without motion.
    still = re.findall(r'class="m k\d+-(\d+)( h)?"', animated(found, board))
    assert all((int(end) == len(found)) == (not hidden) for end, hidden in still)
    found, board = played("trapgrid", {"size": 5}, 3)
    one, other = policy_of(drawn(found[0], board)), policy_of(animated(found, board))
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; frame-ancestors 'none'", one)
    assert one != other
