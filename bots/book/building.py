"""Builds a book: searches the likeliest positions that it does not have yet, one after the other."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from contextlib import closing
from math import exp
from pathlib import Path
from typing import Final

from cornered.bots.book import Entry, read
from cornered.bots.book.mirror import named, standard
from cornered.bots.bot import Limit
from cornered.bots.search.searcher import Searcher
from cornered.engine import Game, State
from cornered.engine.records.files import LineWriter

__all__ = ["BOOK_LINES", "build"]

BOOK_LINES: Final = 4
"""Moves of a position that get an exact score and are followed."""
LIKELIHOOD_STEPS: Final = 0.5
"""Loss of score, in steps, that makes a move e times less likely."""


def build(game: Game, path: Path, command: str, positions: int, nodes: int) -> Iterator[int]:
    """Add to the book at `path` until it has so many positions, searching `nodes` nodes for each; yield their number.

    Entries in the file are kept, so that an interrupted build is resumed. The same arguments give the same file.
    Raises a ValueError when the file is no book, or one of another game or of other options.
    """
    is_new = not path.exists() or not path.stat().st_size
    book = {} if is_new else _found(path, game)
    with closing(LineWriter(path)) as lines:
        if is_new:
            lines.append(json.dumps({"game": game.name, "options": dict(game.options), "command": command}))
        yield len(book)
        for entry in _missing(game, book, positions, nodes):
            lines.append(entry.as_json())
            yield len(book)


def _missing(game: Game, book: dict[str, Entry], positions: int, nodes: int) -> Iterator[Entry]:
    """Add the likeliest positions that a book lacks, until it has so many, and yield each."""
    start = game.start()
    queue: list[tuple[float, str, State]] = [(-1.0, standard(start).text, start)]
    seen = {queue[0][1]}
    while queue and len(book) < positions:
        likelihood, text, state = heapq.heappop(queue)
        entry = book.get(text)
        if entry is None:
            entry = book[text] = _searched(state, nodes)
            yield entry
        is_mirrored = standard(state).is_mirrored
        best = entry.moves[0][1]
        weights = [exp((score - best) / LIKELIHOOD_STEPS) for _, score in entry.moves]
        for (move, _), weight in zip(entry.moves, weights, strict=True):
            after = state.play(named(move, state, is_mirrored=is_mirrored))
            image = standard(after).text
            if after.outcome is None and image not in seen:
                seen.add(image)
                heapq.heappush(queue, (likelihood * weight / sum(weights), image, after))


def _found(path: Path, game: Game) -> dict[str, Entry]:
    """Return the entries that a file has, if it is a book of this game with these options."""
    try:
        head = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])
        made_for = head["game"], dict(head["options"])
        book = read(path)
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no book; choose another file") from None
    if made_for != (game.name, dict(game.options)):
        options = ", ".join(f"{name}={json.dumps(value)}" for name, value in made_for[1].items())
        raise ValueError(f"{path} is a book of other options: {made_for[0]} with {options}; choose another file")
    return book


def _searched(state: State, nodes: int) -> Entry:
    """Return the entry of a position by a search with a table of its own, so that earlier searches do not matter."""
    thought = Searcher(state.game).search(state, Limit(nodes=nodes, lines=BOOK_LINES))
    image = standard(state)
    scored = [line for line in thought.lines if line.score is not None and not line.is_bound][:BOOK_LINES]
    moves = [(named(line.move, state, is_mirrored=image.is_mirrored), round(line.score or 0.0, 2)) for line in scored]
    if not moves:
        moves = [(named(thought.move, state, is_mirrored=image.is_mirrored), round(thought.score or 0.0, 2))]
    return Entry(image.text, thought.depth, tuple(moves))
