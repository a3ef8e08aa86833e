"""Values of the messages that show a search step by step: which search, and the lines that record it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import Value

__all__ = [
    "MAX_SENT_LINES",
    "MAX_TRACE_CELLS",
    "MAX_TRACE_DEPTH",
    "MAX_TRACE_LINES",
    "MAX_TRACE_MOVES",
    "MAX_TRACE_PLAYOUTS",
    "TRACE_GRAMMAR",
    "SearchName",
    "TraceLine",
    "TraceSettings",
]

MAX_TRACE_CELLS: Final = 25
"""Cells of a board on which a search is shown."""
MAX_TRACE_MOVES: Final = 60
"""Moves from the start to the position that is searched."""
MAX_TRACE_DEPTH: Final = 12
MAX_TRACE_PLAYOUTS: Final = 400
MAX_TRACE_LINES: Final = 1_500
"""Lines of one recording, which an analyst can send within a second by its rate limit. A search that takes more steps
is counted to its end all the same."""
MAX_SENT_LINES: Final = 250
"""Lines in one message of an analyst, which the frame limit bounds too."""

SearchName: TypeAlias = Literal[
    "minimax", "alphabeta", "sorted", "deepening", "mcts", "expectiminimax", "star1", "maxn", "korf"
]


class TraceSettings(Value):
    """A search as textbooks print it. Only `mcts` has `playouts`, all others have a `depth` in plies."""

    search: SearchName
    depth: Annotated[int, Field(ge=1, le=MAX_TRACE_DEPTH)] = 3
    playouts: Annotated[int, Field(ge=1, le=MAX_TRACE_PLAYOUTS)] = 50


TRACE_GRAMMAR: Final = """\
- `d DEPTH`: an iteration of this depth begins; the next node entered is its root.
- `+ PARENT MOVE ALPHA BETA [1/N]`: the next node, counted from 0, is entered; a root has the parent -1 and the
  move `.`. The last word is the probability of a roll.
- `- NODE VALUE BEST ALPHA BETA`: a node is left with a value; then come the best value of its parent so far, and the
  parent's window. A value is one number or, for max^n, one of each seat, whose sum is the whole.
- `x NODE COUNT`: this many moves of a node are pruned.
- `s NODE BOUND`: Monte Carlo tree search selects a node by its upper confidence bound, or by a roll.
- `p NODE PLIES REWARDS`: a random game from a node, with each seat's reward.
- `b NODE VISITS MEAN`: the visits of a node and the mean reward of the player who moved there.
- `~`: the recording ends here, the search went on.
- A number that a search does not have is `*`."""
"""What a line of a trace says, by its first letter."""

_NODE: Final = r"\d{1,4}"
_NUMBER: Final = r"(\*|-?inf|-?\d{1,16}(\.\d{1,12})?(e[+-]\d{1,3})?)"
_VALUE: Final = rf"{_NUMBER}(,{_NUMBER}){{0,3}}"

TraceLine: TypeAlias = Annotated[
    str,
    Field(
        max_length=128,
        pattern="^("
        + "|".join(
            (
                r"d \d{1,3}",
                rf"\+ (-1|{_NODE}) [!-~]{{1,16}} {_NUMBER} {_NUMBER}( 1/\d{{1,2}})?",
                rf"- {_NODE} {_VALUE} {_VALUE} {_NUMBER} {_NUMBER}",
                rf"x {_NODE} \d{{1,3}}",
                rf"s {_NODE} {_NUMBER}",
                rf"p {_NODE} \d{{1,4}} {_VALUE}",
                rf"b {_NODE} \d{{1,4}} {_NUMBER}",
                "~",
            )
        )
        + ")$",
    ),
]
"""One step of a search, in the grammar of TRACE_GRAMMAR."""
