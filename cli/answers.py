"""Converts the command line's limits, and formats thoughts as JSON and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cornered.engine import State

if TYPE_CHECKING:
    from cornered.bots.bot import Limit, Thought

__all__ = ["answer", "describe", "limit_of", "milliseconds", "score_text"]

DEFAULT_LIMIT_S: Final = 1.0
"""Seconds per position without a limit."""


def milliseconds(seconds: float | None) -> int | None:
    """Return seconds of the command line in milliseconds."""
    return None if seconds is None else max(1, round(seconds * 1000))


def limit_of(seconds: float | None, depth: int | None, nodes: int | None, lines: int) -> Limit:
    """Return the limit of the command line, which starts now; `DEFAULT_LIMIT_S` without any."""
    from cornered.bots.bot import Limit

    if seconds is None and depth is None and nodes is None:
        seconds = DEFAULT_LIMIT_S
    return Limit(milliseconds(seconds), depth, nodes, lines)


def answer(thought: Thought, position: State) -> dict[str, Any]:
    """Return a thought as JSON-compatible values; scores are the mover's, positive is good."""
    return {
        "position": str(position),
        "move": thought.move,
        "score": thought.score,
        "proven": thought.proven,
        "plies": thought.plies,
        "depth": thought.depth,
        "deepest": thought.deepest,
        "nodes": thought.nodes,
        "pruned": thought.pruned,
        "efficiency": round(thought.efficiency, 1),
        "hits": thought.hits,
        "seconds": round(thought.seconds, 4),
        "pv": list(thought.pv),
        "lines": [
            {
                "move": line.move,
                "score": line.score,
                "bound": line.is_bound,
                "proven": line.proven,
                "plies": line.plies,
                "depth": line.depth,
                "pv": list(line.pv),
            }
            for line in thought.lines
        ],
    }


def score_text(score: float | None, proven: str | None, plies: int | None, *, is_bound: bool = False) -> str:
    """Return a score as text: `win within 7`, `+1.30`, `at most -0.50`. A bound is an upper bound of the move's score:
    it can prove a loss, never a win."""
    if proven is not None and (proven == "loss" or not is_bound):
        # A search stops at the first win that it finds; a shorter one may exist.
        return proven if plies is None or proven == "draw" else f"{proven} within {plies}"
    if score is None:
        return "-"
    return f"at most {score:+.2f}" if is_bound else f"{score:+.2f}"


def describe(thought: Thought, bot: str, lines: int) -> str:
    """Return a thought as a few lines of text."""
    said = [f"{thought.move}  {score_text(thought.score, thought.proven, thought.plies)}"]
    for number, line in enumerate(thought.lines[:lines] if lines > 1 else (), 1):
        score = score_text(line.score, line.proven, line.plies, is_bound=line.is_bound)
        said.append(f"{number:3}. {line.move:<5} {score:<16} {' '.join(line.pv)}")
    if lines == 1 and thought.pv:
        said.append(f"line: {' '.join(thought.pv)}")
    speed = f", {thought.speed / 1e6:.2f} M/s" if thought.seconds >= 0.001 else ""
    said.append(
        f"{bot}: depth {thought.depth}/{max(thought.depth, thought.deepest)}, {thought.nodes:,} nodes in "
        f"{thought.seconds:.3f} s{speed}, {thought.pruned:,} pruned ({thought.efficiency:.0f}%), {thought.hits:,} hits"
    )
    return "\n".join(said)
