"""What a proof run is to find out, and by which searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cornered import engine
from cornered.bots.proofs.layout import PLIES_MAX
from cornered.bots.proofs.search import has_cycles, supports
from cornered.engine import Game, OptionValue, State

__all__ = ["CYCLIC_PLIES", "JOB_NODES", "TABLE_MIB", "ProofPlan"]

JOB_NODES: Final = 4_000_000
TABLE_MIB: Final = 512
CYCLIC_PLIES: Final = 40
"""Plies within which a win is looked for where positions repeat, unless others are given."""


@dataclass(frozen=True, slots=True)
class ProofPlan:
    """The position after `moves`; the seats whose win is claimed, in `attackers`; `plies` is the greatest distance of a
    win where positions repeat. A job searches `nodes` nodes with a table of `table_mib` MiB."""

    game: str
    options: Mapping[str, OptionValue]
    moves: tuple[str, ...]
    attackers: tuple[int, ...]
    plies: int
    nodes: int = JOB_NODES
    table_mib: int = TABLE_MIB

    @classmethod
    def of(
        cls,
        state: State,
        moves: tuple[str, ...],
        winner: int | None = None,
        plies: int | None = None,
        nodes: int = JOB_NODES,
        table_mib: int = TABLE_MIB,
    ) -> ProofPlan:
        """Return the plan for the position `state`, which `moves` reach from the start.

        Raises a ValueError for games without a proof search, finished ones, and limits out of bounds.
        """
        game = state.game
        if not supports(game):
            raise ValueError(f"proofs are for two players without dice or draw rules, not for {game!r}")
        if state.outcome is not None:
            raise ValueError("the game is over in this position; leave some moves out")
        is_cyclic = has_cycles(game)
        if plies is not None and not is_cyclic:
            raise ValueError(f"every game of {game.name} ends by itself: leave --plies out")
        most = plies or (CYCLIC_PLIES if is_cyclic else PLIES_MAX)
        if not 1 <= most <= PLIES_MAX:
            raise ValueError(f"--plies is 1 to {PLIES_MAX}, not {most}")
        # Where games end by themselves one seat's refuted claim is the other's win.
        attackers = (state.to_move, 1 - state.to_move) if is_cyclic else (state.to_move,)
        if winner is not None:
            attackers = (winner,)
        return cls(game.name, dict(game.options), moves, attackers, most, nodes, table_mib)

    def load(self) -> Game:
        return engine.load(self.game, **self.options)

    def state(self, more: tuple[str, ...] = ()) -> State:
        """Return the position of the plan, after `more` moves."""
        state = self.load().start()
        for move in (*self.moves, *more):
            state = engine.apply(state, move)
        return state

    @property
    def is_cyclic(self) -> bool:
        """Whether positions can repeat, so that `plies` limits the claims."""
        return has_cycles(self.load())

    def as_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "options": dict(self.options),
            "moves": list(self.moves),
            "attackers": list(self.attackers),
            "plies": self.plies,
            "nodes": self.nodes,
            "table_mib": self.table_mib,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> ProofPlan:
        known = {**fields, "moves": tuple(fields["moves"]), "attackers": tuple(fields["attackers"])}
        return cls(**known)
