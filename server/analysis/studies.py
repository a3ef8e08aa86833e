"""Positions and games that belong to no match: lines of play, questions about them, and records that are read. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import shorten
from typing import Final

from cornered.engine.game import CHANCE, Game, State
from cornered.engine.records.record import Record, RecordedMove, from_json
from cornered.engine.records.text import from_text
from cornered.protocol.analysis import MAX_STUDIED_MOVES
from cornered.protocol.commands import AskLine, AskStudy, ReadRecord
from cornered.protocol.messages import RecordRead
from cornered.protocol.text import ForbiddenText, clean_name
from cornered.protocol.values import GameSpec
from cornered.server.analysis.state import Question
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal

__all__ = ["MAX_RECORD_WORDS", "line_of", "question_to_study", "read_record", "words_of"]

MAX_REASON: Final = 300
"""Characters of a reason, which may quote what it is about."""
MAX_RECORD_WORDS: Final = 2 * MAX_STUDIED_MOVES
"""Words of a record: its moves, their numbers and its tags."""
_WORDS: Final = re.compile(r"[^\s,{}]+|[{}]")
_NAMELESS: Final = "?"


def line_of(command: AskLine) -> list[State]:
    """Return the positions of a line of play, the first one too. Raises Refusal."""
    game = catalogue.load(command.game)
    state = game.start() if command.position is None else _parsed(game, command.position)
    states = [state]
    for number, move in enumerate(command.moves, 1):
        states.append(_after(states[-1], move, number))
    return states


def question_to_study(command: AskStudy) -> Question:
    """Return the question about a position of no match. Raises Refusal where no player is to move in it."""
    game = catalogue.load(command.game)
    state = _parsed(game, command.position)
    if state.outcome is not None:
        raise Refusal("nothing_to_analyse", "the game is decided here; go back to an earlier move")
    if state.to_move == CHANCE:
        raise Refusal("nothing_to_analyse", "the dice are rolled here; roll them first")
    spec = GameSpec(name=game.name, options=dict(game.options))
    return Question(spec, str(state), command.lines, state, command.milliseconds)


def words_of(text: str) -> int:
    """Return how many words a record has, each of which may be a move to replay."""
    return sum(1 for _ in _WORDS.finditer(text))


def read_record(command: ReadRecord) -> RecordRead:
    """Return the game of a record, as text or JSON, which was replayed. Raises Refusal with the line of an error."""
    if words_of(command.text) > MAX_RECORD_WORDS:
        raise Refusal("malformed", f"a record that is read has at most {MAX_STUDIED_MOVES} moves; shorten it")
    record = _record(command.text)
    moves: list[str] = []
    for ply in record.plies:
        if not isinstance(ply, RecordedMove):
            break
        moves.append(ply.text)
    if len(moves) > MAX_STUDIED_MOVES:
        raise Refusal("malformed", f"a record that is read has at most {MAX_STUDIED_MOVES} moves; shorten it")
    game = record.game
    return RecordRead(
        id=command.id,
        game=GameSpec(name=game.name, options=dict(game.options)),
        moves=tuple(moves),
        players=tuple(map(_name, record.players)),
        places=record.places,
        termination=record.termination if re.fullmatch(r"[a-z_]{1,32}", record.termination) else "",
    )


def _record(text: str) -> Record:
    try:
        if text.lstrip().startswith("{"):
            lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
            _only_one(lines)
            return from_json(lines[0][1], lines[0][0])
        records = from_text(text)
        _only_one(records)
        return records[0]
    except ValueError as error:
        raise Refusal("malformed", _reason(error)) from None


def _only_one(records: Sequence[object]) -> None:
    if len(records) != 1:
        raise Refusal("malformed", f"this should be the record of one game; it has {len(records)}")


def _name(name: str) -> str:
    """Return a player's name of a record as it may be shown."""
    try:
        return clean_name(name)
    except ForbiddenText:
        return _NAMELESS


def _parsed(game: Game, text: str) -> State:
    try:
        return game.parse(text)
    except ValueError as error:
        raise Refusal("bad_position", _reason(error)) from None


def _reason(error: ValueError) -> str:
    """Return what is wrong, of which a part may be quoted from a stranger's text: without what cannot be sent."""
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(error))
    return shorten(text, MAX_REASON, placeholder=" …")


def _after(state: State, move: str, number: int) -> State:
    if state.outcome is not None:
        raise Refusal("illegal_move", f"move {number}, {move}, comes after the end of the game")
    if not state.is_legal(move):
        raise Refusal("illegal_move", f"move {number}, {move}: {state.explain(move)}")
    return state.play(move)
