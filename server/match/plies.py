"""The positions and clocks of a match, one after each ply, and the moves between them. Pure as seen from outside."""

from __future__ import annotations

from typing import TypeAlias

from cornered.engine.game import State

__all__ = ["Left", "Plies"]

Left: TypeAlias = tuple[int | None, ...]
"""Milliseconds that each seat has left; None without a limit."""


class Plies:
    """An immutable sequence of positions to which a move is appended in constant time.

    A sequence and the ones that were appended to it share its lists, of which each of them sees the first `ply` moves
    only. The newest one appends to the shared lists; an older one, as after a takeback, copies what it sees first.
    """

    __slots__ = ("_lefts", "_moves", "_states", "_texts", "ply")

    def __init__(
        self, states: list[State], moves: list[str], texts: list[str | None], lefts: list[Left], ply: int
    ) -> None:
        """`states[k]`, its position text `texts[k]`, None until it is asked for, and what each seat's clock had left,
        `lefts[k]`, follow after k of `moves`."""
        self._states = states
        self._moves = moves
        self._texts = texts
        self._lefts = lefts
        self.ply = ply

    @classmethod
    def of(cls, start: State, left: Left) -> Plies:
        """Return the sequence that begins."""
        return cls([start], [], [None], [left], 0)

    @property
    def state(self) -> State:
        """The newest position."""
        return self._states[self.ply]

    @property
    def states(self) -> tuple[State, ...]:
        return tuple(self._states[: self.ply + 1])

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(self._moves[: self.ply])

    def state_at(self, ply: int) -> State:
        """Return the position after `ply` moves, 0 to `self.ply`."""
        if not 0 <= ply <= self.ply:
            raise IndexError(f"ply {ply} is not among 0 to {self.ply}")
        return self._states[ply]

    def text_at(self, ply: int) -> str:
        """Return the position text after `ply` moves; each is rendered once."""
        state = self.state_at(ply)
        text = self._texts[ply]
        if text is None:
            text = self._texts[ply] = str(state)
        return text

    def left_at(self, ply: int) -> Left:
        """Return what each seat's clock had left when the turn after `ply` moves began; None without a limit."""
        self.state_at(ply)
        return self._lefts[ply]

    def texts(self) -> tuple[str, ...]:
        """Return the position texts from the start to the newest."""
        return tuple(self.text_at(ply) for ply in range(self.ply + 1))

    def after(self, move: str, state: State, left: Left) -> Plies:
        """Return the sequence with one more move, which leads to `state` and leaves the clocks at `left`."""
        base = self if len(self._moves) == self.ply else self._copied()
        base._moves.append(move)
        base._states.append(state)
        base._texts.append(None)
        base._lefts.append(left)
        return Plies(base._states, base._moves, base._texts, base._lefts, self.ply + 1)

    def back_to(self, ply: int) -> Plies:
        """Return the sequence up to `ply`."""
        self.state_at(ply)
        return Plies(self._states, self._moves, self._texts, self._lefts, ply)

    def with_newest(self, state: State) -> Plies:
        """Return the sequence with another newest position."""
        copy = self._copied()
        copy._states[self.ply], copy._texts[self.ply] = state, None
        return copy

    def _copied(self) -> Plies:
        ply = self.ply
        return Plies(self._states[: ply + 1], self._moves[:ply], self._texts[: ply + 1], self._lefts[: ply + 1], ply)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plies):
            return NotImplemented
        mine, others = self._lefts[: self.ply + 1], other._lefts[: other.ply + 1]
        return self.moves == other.moves and self.states == other.states and mine == others

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.ply} plies: {self.text_at(self.ply)}>"
