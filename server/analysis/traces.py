"""Searches that are shown step by step: the question, and the lines of an analyst, read against the rules. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cornered.engine.game import CHANCE, State
from cornered.protocol.commands import AskTrace
from cornered.protocol.traces import MAX_TRACE_CELLS, MAX_TRACE_LINES
from cornered.protocol.values import Move
from cornered.server.analysis.state import Question, TraceSoFar, shape_of
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal

__all__ = ["after_move", "question_to_trace", "read_lines"]

_NODE_LETTERS: Final = frozenset("-xspb")
"""The lines whose first word is a node that was entered."""


def question_to_trace(command: AskTrace) -> Question:
    """Return the question of a command. Raises Refusal: unknown game, large board, illegal move, nothing to search."""
    game, spec = catalogue.settle(command.game)
    state = game.start()
    if sum(shape_of(str(state))) > MAX_TRACE_CELLS:
        raise Refusal("bad_options", f"a search is shown on boards of at most {MAX_TRACE_CELLS} cells")
    for move in command.moves:
        state = after_move(state, move)
    if state.outcome is not None:
        raise Refusal("nothing_to_analyse", "the game is decided here; go back to an earlier move")
    if state.to_move == CHANCE:
        raise Refusal("nothing_to_analyse", "the dice are rolled here; go to another move")
    return Question.about_search(spec, state, command.settings)


def read_lines(so_far: TraceSoFar, lines: Sequence[str], start: State) -> TraceSoFar:
    """Return a trace with further lines. Raises Refusal: too many, an unknown node, an illegal move."""
    if len(so_far.lines) + len(lines) > MAX_TRACE_LINES:
        raise Refusal("malformed", f"trace: a search is shown in at most {MAX_TRACE_LINES} lines")
    states, positions = list(so_far.states), list(so_far.positions)
    for line in lines:
        words = line.split(" ")
        if words[0] in _NODE_LETTERS and int(words[1]) >= len(states):
            raise Refusal("malformed", "trace: a node is entered before anything else")
        if words[0] != "+":
            continue
        parent = int(words[1])
        if parent >= len(states):
            raise Refusal("malformed", "trace: a node comes after its parent")
        if (parent < 0) != (words[2] == "."):
            raise Refusal("malformed", "trace: a root, and no other node, has no move")
        state = start if parent < 0 else after_move(states[parent], words[2])
        states.append(state)
        positions.append(str(state))
    return replace(so_far, lines=(*so_far.lines, *lines), positions=tuple(positions), states=tuple(states))


def after_move(state: State, move: Move) -> State:
    """Return the position after a move. Raises Refusal where it is not legal."""
    if state.outcome is not None or not state.is_legal(move):
        raise Refusal("illegal_move", f"{move} is no move in this position")
    return state.play(move)
