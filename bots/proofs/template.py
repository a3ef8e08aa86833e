"""Depth-first proof-number search (df-pn; Nagai 2002), one template for all games. Executed once a game by
`cornered.bots.proofs.search`, with the game's kernels as globals in place of the declarations below.

A claim is "seat `attacker` wins from here within `remaining` plies". A node has two numbers in the mover's view: `phi`
estimates how many leaves have to be settled until the mover has its way (the attacker proves the claim, the defender
refutes it), `delta` how many until it cannot. phi is the least delta of the successors. delta is their greatest phi and
one for each further open successor: a sum would count transpositions several times (weak proof-number search; Ueda,
Hashimoto, Hashimoto and Iida 2008).

Where positions repeat, `remaining` falls with each ply, so the graph of claims has no cycle and no result depends on
the path (the graph-history interaction problem). A proof within n plies holds for every greater distance, a refutation
within n plies for every smaller one; the table keeps both distances for a position, and the numbers of the newest
claim, which are estimates only. Where games end by themselves `remaining` stays PLIES_MAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cornered.bots.proofs.layout import INFINITE, PLIES_MAX, WAYS

if TYPE_CHECKING:
    HAS_CYCLES = False
    """Whether positions can repeat."""

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def lost(position: Any) -> bool: ...
    def evaluate(position: Any) -> int: ...
    def key(position: Any) -> int: ...
    def representative(position: Any, columns: int, rows: int) -> Any: ...
    def exact_value(position: Any, scratch: Any) -> int: ...


__all__ = ["prove"]

DOUBLINGS: Final = 6
"""How often an evaluation doubles or halves a first proof number at most."""
BYTE: Final = 255
NUMBER: Final = 0xFFFF_FFFF


def prove(
    position: Any,
    remaining: int,
    phi_bound: int,
    delta_bound: int,
    ply: int,
    workspace: Any,
    table: Any,
    scratch: Any,
) -> int:
    """Search until phi or delta of a position that is not over reaches its bound, or the nodes are used up.

    The numbers and distances found are in the workspace's fields at `ply`. Returns the number of the position's moves,
    whose numbers are in the workspace too.
    """
    # `ply < 0` never holds; it lets the compiler drop the wraparound of negative indices.
    if ply < 0:
        return 0
    is_attacking = position.turn == workspace.attacker
    began = workspace.nodes
    moves = workspace.moves[ply]
    phis, deltas = workspace.phis[ply], workspace.deltas[ply]
    provens, refuteds = workspace.provens[ply], workspace.refuteds[ply]
    efforts = workspace.efforts[ply]
    below = remaining - 1 if HAS_CYCLES else remaining
    count = gen(position, moves)
    for i in range(count):
        child = advance(position, int(moves[i]))
        child_key = key(representative(child, workspace.columns, workspace.rows))
        first = (child_key & (table.shape[0] // WAYS - 1)) * WAYS
        phi, delta, proven, refuted, effort = 0, 0, -1, -1, 0
        for slot in range(first, first + WAYS):
            if table[slot, 0] == child_key:
                phi, delta = table[slot, 1] >> 32, table[slot, 1] & NUMBER
                proven, refuted = (table[slot, 2] & BYTE) - 1, (table[slot, 2] >> 8 & BYTE) - 1
                effort = table[slot, 3]
                break
        if proven > below:
            proven = -1
        if refuted < below:
            refuted = -1
        if proven < 0 and refuted < 0 and (phi == 0 or below <= 0):
            workspace.nodes += 1
            if lost(child):
                # The mover after this move is the one who has lost.
                if is_attacking:
                    proven = 0
                else:
                    refuted = PLIES_MAX
            else:
                plies = exact_value(child, scratch)
                if plies != 0 and (plies < 0) == is_attacking and abs(plies) <= below:
                    proven = abs(plies)
                elif plies != 0 and (plies < 0) != is_attacking:
                    refuted = PLIES_MAX
                elif below <= 0:
                    refuted = 0
                else:
                    phi = delta = 1 << DOUBLINGS
                    if workspace.scale != 0:
                        doublings = max(-DOUBLINGS, min(DOUBLINGS, evaluate(child) // workspace.scale))
                        # A better position is easier to prove and harder to refute for its mover.
                        if doublings > 0:
                            phi >>= doublings
                        else:
                            delta >>= -doublings
                    else:
                        phi = delta = 1
        if proven >= 0 or refuted >= 0:
            # The child's mover is the defender where this one attacks.
            has_won = (proven >= 0) != is_attacking
            phi, delta = (0, INFINITE) if has_won else (INFINITE, 0)
        phis[i], deltas[i], provens[i], refuteds[i] = phi, delta, proven, refuted
        efforts[i] = effort

    while True:
        best, phi, second, delta, open_count = -1, INFINITE, INFINITE, 0, 0
        for i in range(count):
            if deltas[i] < phi or best < 0:
                best, second, phi = i, phi, deltas[i]
            elif deltas[i] < second:
                second = deltas[i]
            if deltas[i] < INFINITE:
                open_count += 1
                delta = max(delta, phis[i])
        if phi == 0:
            delta = INFINITE
        elif open_count > 0:
            delta = min(delta + open_count - 1, INFINITE - 1)
        proven, refuted = -1, -1
        if phi == 0 or delta == 0:
            # The mover needs one good move and takes the quickest proof, or the refutation that holds the longest;
            # against all moves the worst counts.
            if (phi == 0) == is_attacking:
                proven = PLIES_MAX if is_attacking else 0
                for i in range(count):
                    if provens[i] >= 0:
                        proven = min(proven, provens[i]) if is_attacking else max(proven, provens[i])
                proven = min(proven + 1, PLIES_MAX)
            else:
                refuted = PLIES_MAX if is_attacking else 0
                for i in range(count):
                    if refuteds[i] >= 0:
                        refuted = min(refuted, refuteds[i]) if is_attacking else max(refuted, refuteds[i])
                refuted = min(refuted + 1, PLIES_MAX)
        if phi == 0 or delta == 0 or phi >= phi_bound or delta >= delta_bound:
            break
        if workspace.nodes >= workspace.limit:
            workspace.stopped = 1
            break
        # A child keeps its turn a little beyond the second best (the 1 + epsilon trick; Pawlewicz and Lew 2007).
        prove(
            advance(position, int(moves[best])),
            below,
            delta_bound - (open_count - 1),
            min(phi_bound, second + second // 4 + 1),
            ply + 1,
            workspace,
            table,
            scratch,
        )
        phis[best], deltas[best] = workspace.phi[ply + 1], workspace.delta[ply + 1]
        efforts[best] += 1
        provens[best], refuteds[best] = workspace.proven[ply + 1], workspace.refuted[ply + 1]

    workspace.phi[ply], workspace.delta[ply] = phi, delta
    workspace.proven[ply], workspace.refuted[ply] = proven, refuted
    own_key = key(representative(position, workspace.columns, workspace.rows))
    first = (own_key & (table.shape[0] // WAYS - 1)) * WAYS
    target = first
    for slot in range(first, first + WAYS):
        if table[slot, 0] == own_key:
            target = slot
            break
        if table[slot, 3] < table[target, 3]:
            target = slot
    effort = workspace.nodes - began + 1
    old_proven, old_refuted = -1, -1
    if table[target, 0] == own_key:
        effort += table[target, 3]
        old_proven, old_refuted = (table[target, 2] & BYTE) - 1, (table[target, 2] >> 8 & BYTE) - 1
    if old_proven >= 0:
        proven = old_proven if proven < 0 else min(proven, old_proven)
    refuted = max(refuted, old_refuted)
    is_open = phi > 0 and delta > 0
    table[target, 0] = own_key
    table[target, 1] = phi << 32 | delta if is_open else 0
    table[target, 2] = proven + 1 | refuted + 1 << 8
    table[target, 3] = effort
    return count
