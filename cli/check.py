"""Checks the rules against files of oracles or records, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cornered import engine
from cornered.engine.game import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.engine.records.record import RecordError, from_json
from cornered.engine.records.text import from_text

__all__ = ["CheckResult", "check_lines", "check_records"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of one line or record: `problem` is None when it agrees with the rules."""

    line: int
    kind: str
    game: str
    problem: str | None = None


class Difference(Exception):
    """The rules disagree with the file."""


def check_lines(lines: Iterable[str]) -> Iterator[CheckResult]:
    """Check each line of JSON lines; empty lines are skipped."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _check_line(number, line)


def check_records(text: str) -> Iterator[CheckResult]:
    """Check the records in a text, up to the first that cannot be read."""
    try:
        for number, record in enumerate(from_text(text), 1):
            yield CheckResult(number, "record", record.game.name)
    except RecordError as error:
        yield CheckResult(error.line or 0, "record", "?", str(error))


def _check_line(number: int, line: str) -> CheckResult:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        return CheckResult(number, "unreadable", "?", f"not JSON: {error}")
    if not isinstance(fields, dict):
        return CheckResult(number, "unreadable", "?", "not a JSON object")
    kind, game = str(fields.get("kind")), str(fields.get("game"))
    try:
        match kind:
            case "position":
                _check_position(fields)
            case "game":
                _check_game(fields)
            case "exact":
                _check_exact(fields)
            case "record":
                from_json(line, number)
            case _:
                raise Difference("the kind of a line is position, game, exact or record")
    except KeyError as error:
        return CheckResult(number, kind, game, f"the line has no {error}")
    except (Difference, ValueError, TypeError, AttributeError) as error:
        return CheckResult(number, kind, game, str(error))
    return CheckResult(number, kind, game)


def _require(claim: str, *, expected: object, found: object) -> None:
    if expected != found:
        raise Difference(f"{claim}: the file says {expected}, the rules say {found}")


def _start(fields: Mapping[str, Any]) -> State:
    return engine.load(fields["game"], **fields.get("options", {})).start()


def _replayed(fields: Mapping[str, Any]) -> State:
    state = _start(fields)
    for move in fields["moves"]:
        state = engine.apply(state, move)
    return state


def _require_legal(state: State, legal: Sequence[str], where: str) -> None:
    found = state.moves()
    if set(legal) == set(found) and len(found) == len(set(found)):
        return
    missing, extra = sorted(set(legal) - set(found)), sorted(set(found) - set(legal))
    raise Difference(f"legal moves {where}: missing {missing}, too many {extra}")


def _check_position(fields: Mapping[str, Any]) -> None:
    state = _replayed(fields)
    if "to_move" in fields:
        _require("to move", expected=fields["to_move"], found=state.to_move)
    _require_legal(state, fields["legal"], "here")
    for depth, count in enumerate(fields.get("perft", []), 1):
        _require(f"perft({depth})", expected=count, found=engine.perft(state, depth))


def _check_game(fields: Mapping[str, Any]) -> None:
    state = _start(fields)
    moves = fields["moves"]
    for ply in range(len(moves) + 1):
        if "legal" in fields:
            _require_legal(state, fields["legal"][ply], f"at ply {ply + 1}")
        if "territory" in fields:
            assert isinstance(state, TrapGridState)
            found = list(state.territory())
            _require(f"territory at ply {ply + 1}", expected=fields["territory"][ply], found=found)
        if ply < len(moves):
            state = engine.apply(state, moves[ply])
    if state.outcome is None:
        raise Difference("the game should be over after its last move")
    _require("the winner", expected=fields["winner"], found=state.outcome.winner)


def _check_exact(fields: Mapping[str, Any]) -> None:
    """Check the values of all moves for consistency; the values themselves need a search and are not checked."""
    state = _replayed(fields)
    legal = state.moves()
    _require("to move", expected=fields["to_move"], found=state.to_move)
    if "legal" in fields:
        _require_legal(state, fields["legal"], "here")
    if "move_values" in fields:
        _require_legal(state, list(fields["move_values"]), "among the move values")
    _require("winning moves that are not legal", expected=[], found=[m for m in fields["winning"] if m not in legal])
    if state.outcome is not None:
        winner = state.outcome.winner
        found = 0 if winner is None else 1 if winner == fields["to_move"] else -1
        _require("the value of a finished game", expected=fields["value"], found=found)
    elif (fields["value"] == 1) != bool(fields["winning"]):
        raise Difference("a won position has winning moves, and no other has")
