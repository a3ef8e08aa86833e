"""Proofs of claims: "this seat wins from here", by depth-first proof-number search with a bounded table.

A found proof is a claim of the search alone, since its table tells positions apart by hashes. `strategy` turns it into
moves that anyone can check with the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np

from cornered import engine
from cornered.bots.evaluate import evaluation_module, is_duel
from cornered.bots.kernels.specialise import specialise_template
from cornered.bots.proofs.layout import ENTRY_BYTES, INFINITE, PLIES_MAX, WAYS, WORDS, WORKSPACE_LAYOUT
from cornered.bots.proofs.representatives import REPRESENTATIVES, itself
from cornered.bots.search.specialise import SCRATCH, hooks
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of

__all__ = ["ProofNumbers", "ProofSearch", "has_cycles", "supports"]

TEMPLATE: Final = Path(__file__).with_name("template.py")
KERNELS: Final = ("gen", "advance", "lost", "evaluate", "key", "exact_value")
SLICE_NODES: Final = 100_000
"""Nodes between two reports: some tens of milliseconds."""
UNLIMITED_NODES: Final = 1 << 62
SCALES: Final = {"quoridor": 50, "isolation": 100, "bamboo": 400, "trapgrid": 400}
"""Hundredths of evaluation that double a first proof number."""


@dataclass(frozen=True, slots=True)
class ProofNumbers:
    """What a search knows of a claim: whether it is proven, refuted (False) or open (None), its proof and disproof
    numbers, how many nodes it took, and the numbers of the positions after each legal move."""

    is_proven: bool | None
    proof: int
    disproof: int
    nodes: int
    children: tuple[tuple[int, int], ...]


def supports(game: Game) -> bool:
    """Return whether claims of a game can be searched: two players, neither dice nor draw rules, and short enough."""
    has_draws = game.options.get("max_plies") is not None or game.options.get("no_progress") is not None
    is_long = (game.options.get("radius") or 0) > 5
    return is_duel(game) and not has_draws and not is_long and evaluation_module(game.name) is not None


def has_cycles(game: Game) -> bool:
    """Return whether positions of a game can repeat, so that distances limit its claims."""
    return bool(hooks(game.name)["HAS_DRAWS"])


@cache
def _compiled(name: str) -> Any:
    """Return the search over a game's kernels, compiled now or loaded."""
    known = hooks(name)
    given = {kernel: known[kernel] for kernel in KERNELS} | {
        "HAS_CYCLES": known["HAS_DRAWS"],
        "representative": REPRESENTATIVES.get(name, itself),
    }
    position: Any = engine.load(name).start().position  # type: ignore[attr-defined]  # every game of ours has one
    layout = getattr(evaluation_module(name), "SCRATCH", SCRATCH)
    types = (
        numba.typeof(position),  # type: ignore[no-untyped-call]
        *[numba.int64] * 4,
        numba.from_dtype(WORKSPACE_LAYOUT),
        numba.int64[:, ::1],
        numba.from_dtype(layout),
    )
    folder = cache_of(
        f"cornered.bots.proofs.{name}",
        "cornered.bots.proofs.template",
        "cornered.bots.proofs.representatives",
        "cornered.bots.kernels.specialise",
        f"cornered.engine.games.{name}",
        f"cornered.bots.evaluate.{name}",
    )
    return specialise_template(TEMPLATE, "prove", name, given, types, folder)


class ProofSearch:
    """Searches claims about positions of one game for one attacker, with one table of at most `table_bytes`.

    What was proven stays in the table, so a repeated call goes on where limits ended it.
    """

    def __init__(self, game: Game, attacker: int, table_bytes: int, scale: int | None = None) -> None:
        if not supports(game):
            raise ValueError(f"no proof search plays {game!r}: it takes two players without dice and draw rules")
        if not 0 <= attacker <= 1:
            raise ValueError(f"the attacker is seat 0 or 1, not {attacker}")
        buckets = table_bytes // (ENTRY_BYTES * WAYS)
        if buckets < 1:
            raise ValueError(f"a table takes {ENTRY_BYTES * WAYS} bytes or more, not {table_bytes}")
        self.game = game
        self.attacker = attacker
        self.ply = int(has_cycles(game))
        """What a ply takes from the distance of a claim: 0 where games end by themselves, so that none is counted."""
        self._search = _compiled(game.name)
        self._table = np.zeros((WAYS << (buckets.bit_length() - 1), WORDS), np.int64)
        self._workspace: Any = np.zeros(1, WORKSPACE_LAYOUT).view(np.recarray)[0]
        self._workspace.attacker = attacker
        self._workspace.scale = SCALES[game.name] if scale is None else scale
        size = game.options.get("size") or game.options.get("radius") or 0
        self._workspace.columns = game.options.get("width") or size
        self._workspace.rows = game.options.get("height") or size
        layout = getattr(evaluation_module(game.name), "SCRATCH", SCRATCH)
        self._scratch: Any = np.zeros(max(1, layout.itemsize), np.uint8).view(layout).view(np.recarray)[0]

    def prove(
        self, state: State, nodes: int, report: Callable[[int], None] | None = None, plies: int = PLIES_MAX
    ) -> ProofNumbers:
        """Search the claim that the attacker wins a position that is not over within `plies`, with so many nodes.

        `report` is called with the nodes so far every some tens of milliseconds; an exception from it ends the search.
        """
        work = self._workspace
        work.nodes = 0
        while True:
            work.limit = min(nodes, int(work.nodes) + SLICE_NODES)
            count = self._searched(state, plies)
            phi, delta = int(work.phi[0]), int(work.delta[0])
            if report is not None:
                report(int(work.nodes))
            if phi == 0 or delta == 0 or work.nodes >= nodes:
                break
        # phi is what the mover has to settle, and after a move the other one is the mover.
        is_attacking = state.to_move == self.attacker
        proof, disproof = (phi, delta) if is_attacking else (delta, phi)
        is_proven = True if proof == 0 else False if disproof == 0 else None
        pairs = zip(work.phis[0, :count].tolist(), work.deltas[0, :count].tolist(), strict=True)
        children = tuple((delta, phi) if is_attacking else (phi, delta) for phi, delta in pairs)
        return ProofNumbers(is_proven, proof, disproof, int(work.nodes), children)

    def winning_move(self, state: State, winner: int, plies: int) -> tuple[int, int]:
        """Return the place of a move among the legal ones by which `winner`, to move, wins within `plies`, and in how
        many plies it does at most.

        Raises a ValueError where the search does not have this result.
        """
        work = self._workspace
        work.nodes, work.limit = 0, UNLIMITED_NODES
        count = self._searched(state, plies)
        is_claim = winner == self.attacker
        if not (is_claim or self.ply == 0) or work.phi[0] != 0:
            raise ValueError(f"no win of seat {winner} within {plies} plies is proven at {state}")
        distances = (work.provens if is_claim else work.refuteds)[0, :count]
        won = [place for place in range(count) if distances[place] >= 0]
        # Positions that took the least effort have the smallest certificates.
        place = min(won, key=lambda place: (int(work.efforts[0, place]), int(distances[place])))
        return place, int(distances[place]) + self.ply

    def _searched(self, state: State, plies: int) -> int:
        """Search within the workspace's limit; return the number of moves."""
        position: Any = state.position  # type: ignore[attr-defined]  # every game of ours has one
        bounds = INFINITE, INFINITE
        return int(self._search(position, plies, *bounds, 0, self._workspace, self._table, self._scratch))
