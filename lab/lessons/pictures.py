"""The rules of each game in a few moving pictures: moves that the engine plays, with one sentence each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypedDict

from cornered import engine
from cornered.engine import OptionValue
from cornered.lab.puzzles.scene import Scene, scene

__all__ = ["PICTURES", "Picture", "rules_text"]


@dataclass(frozen=True, slots=True)
class Picture:
    """`moves` are played one after the other from `position`, or from the start; the last position shows where its
    mover may go."""

    words: str
    moves: str = ""
    position: str = ""
    options: Mapping[str, OptionValue] = field(default_factory=dict)


class _PictureData(TypedDict):
    words: str
    start: str
    moves: list[str]
    scenes: list[Scene]


PICTURES: Final[Mapping[str, tuple[Picture, ...]]] = {
    "trapgrid": (
        Picture(
            "In turn, step to a free cell beside your piece: up, down, left or right.", "b5 d1 c5 d2", "", {"size": 5}
        ),
        Picture(
            "The cell you leave is crossed out for ever. The board shrinks with every step.",
            "c5 d2 c4 d3 b4 e3",
            "x0.../...../...../...../...1x 0",
            {"size": 5},
        ),
        Picture(
            "Whoever cannot step on their turn loses. So cut the other piece off, and keep room for yourself.",
            "a2",
            "xx.../xx.../0..../.xx../1x... 0",
            {"size": 5},
        ),
    ),
    "isolation": (
        Picture("First each player puts a piece on any free cell.", "c3 d1", "", {"width": 5, "height": 5}),
        Picture(
            "Then slide like a queen in chess: any distance in a straight line, also diagonally, over free cells only.",
            "c5 a4 e3 b5",
            "...../...../..0../...../...1. 0",
            {"width": 5, "height": 5},
        ),
        Picture(
            "The cell you leave is blocked for ever, and pieces block too. Whoever cannot slide loses.",
            "c4",
            "x1x../xx.../.x.../...../..0.. 0",
            {"width": 5, "height": 5},
        ),
    ),
    "bamboo": (
        Picture(
            "In turn, put a stone on a free cell. Stones of your colour that touch form a group.",
            "c2 c4 e1",
            "",
            {"radius": 2},
        ),
        Picture(
            "The rule: no group of yours may have more stones than you have groups. With two groups, each may have two "
            "stones.",
            "a2 e2",
            "0.1/..../...../..../1.0 0",
            {"radius": 2},
        ),
        Picture(
            "More groups, more freedom: a new group raises the limit for all of them. Dimmed cells are forbidden.",
            "c3 c1",
            "0.1/0..1/...../..../1.0 0",
            {"radius": 2},
        ),
        Picture(
            "Joining groups lowers the limit: the two dimmed cells in the middle would. Whoever cannot place loses.",
            "",
            "0000/...../.....1/0.0.0.1/.....1/.1.1./1.1. 0",
            {"radius": 3},
        ),
    ),
    "quoridor": (
        Picture(
            "Be the first to reach the far side. In turn, step one cell, or place a wall.", "c2 c4 c3", "", {"size": 5}
        ),
        Picture(
            "A wall is two cells long and makes the way longer. It must never close it: everyone keeps a way home.",
            "c3h d4 b2v",
            "...../..1../...../..0../..... 0 left=2,2",
            {"size": 5, "walls": 2},
        ),
        Picture(
            "Face to face, jump over the other pawn.",
            "c4 c2 c5",
            "...../...../..1../..0../..... 0 left=2,2",
            {"size": 5, "walls": 2},
        ),
        Picture(
            "With a wall or the edge behind the other pawn, jump to its left or right instead.",
            "b3",
            "...../...../..1../..0../..... 0 walls=c3h left=2,1",
            {"size": 5, "walls": 2},
        ),
    ),
}


def _data(game: str, picture: Picture) -> _PictureData:
    board = engine.load(game, **picture.options)
    state = board.parse(picture.position) if picture.position else board.start()
    scenes = [scene(state)]
    moves = picture.moves.split()
    for move in moves:
        state = engine.apply(state, move)
        scenes.append(scene(state))
    for one in scenes[:-1]:
        one.pop("moves", None)
    scenes[-1] = scene(state, has_refusals=True)
    return _PictureData(words=picture.words, start=str(board.start()), moves=moves, scenes=scenes)


def rules_text() -> str:
    """Return the file of all pictures, one a line."""
    games = []
    for game, pictures in PICTURES.items():
        lines = ",\n".join(json.dumps(_data(game, picture), separators=(",", ":")) for picture in pictures)
        games.append(f'"{game}":{{"title":"{engine.load(game).title}","pictures":[\n{lines}\n]}}')
    return "{" + ",\n".join(games) + "}\n"
