"""All lessons as one file, as the page loads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from cornered import engine
from cornered.lab.lessons import bamboo, isolation, quoridor, trapgrid
from cornered.lab.lessons.lesson import Lesson

__all__ = ["LESSONS", "lessons_text"]

LESSONS: Final[Mapping[str, tuple[Lesson, ...]]] = {
    "trapgrid": trapgrid.LESSONS,
    "isolation": isolation.LESSONS,
    "bamboo": bamboo.LESSONS,
    "quoridor": quoridor.LESSONS,
}


def lessons_text() -> str:
    """Return the file of all lessons, one a line."""
    games = []
    for game, lessons in LESSONS.items():
        lines = ",\n".join(json.dumps(lesson.data(), separators=(",", ":")) for lesson in lessons)
        games.append(f'"{game}":{{"title":"{engine.load(game).title}","lessons":[\n{lines}\n]}}')
    return "{" + ",\n".join(games) + "}\n"
