"""The compiled search, one template for all games: negamax with principal variation search. Executed once a game by
`cornered.bots.search.specialise`, with the game's kernels as globals in place of the declarations below.

In the order of the source: the transposition table (its bounds cut off null windows, its move is searched first),
internal iterative reduction, static null-move pruning, the quiescence search below depth 0, candidate moves in a
selective search, move ordering by killer moves, the history heuristic and the game's `order_score`, late-move pruning
and reductions, null windows, and the principal variation.

One recursive function, since compiled functions may call themselves but not each other in a circle. Its mutable state
is two records (`cornered.bots.search.layout`): the process's workspace and the table that processes share.

Scores are the mover's, in hundredths. A won game is MATE_SCORE less its plies from the root. Scores beyond PROVEN_SCORE
are proofs, whatever the depth: a win needs one move. A loss found among the candidate moves alone is either searched
again over all moves (from WIDENING_DEPTH on) or raised by UNPROVEN_LOSS_BONUS into the band between evaluations and
proofs. Repetitions are draws; no proof contains one, so a proof holds whatever moves led to its position.

An entry of the table is 44 bits: score + SCORE_OFFSET (19), age (6), bound (2), depth + DEPTH_OFFSET (8), move + 1 (9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cornered.bots.search.layout import MAX_PLY, MOVE_NUMBER_LIMIT, PRUNED_DEPTHS, REDUCED_DEPTHS, TABLE_ENTRIES

if TYPE_CHECKING:
    HAS_DRAWS = False
    """Whether games can be drawn and positions repeat; without draws the mover without a move has lost."""
    HAS_NETWORK = False
    """Whether the game has features of a network; it takes the place of `evaluate` where `workspace.uses_network`."""
    HAS_LOUD = False
    """Whether the game calls moves loud: the quiescence search looks at these where the network evaluates."""
    WORDS = 0
    """The words of its features."""

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def lost(position: Any) -> bool: ...
    def drawn(position: Any) -> bool: ...
    def evaluate(position: Any) -> int: ...
    def mark(position: Any, marked: Any) -> None: ...
    def update(ply: int, mover: int, words: int, network: Any) -> None: ...
    def forward(ply: int, network: Any) -> int: ...
    def preference(ply: int, mover: int, move: int, network: Any) -> int: ...
    def key(position: Any) -> int: ...
    def quiet(position: Any) -> bool: ...
    def order_score(position: Any, move: int) -> int: ...
    def loud_moves(position: Any, buffer: Any, count: int) -> int: ...
    def candidate_moves(position: Any, buffer: Any, count: int) -> int: ...
    def exact_value(position: Any, scratch: Any) -> int: ...


__all__ = ["INFINITE_SCORE", "MATE_SCORE", "PROVEN_SCORE", "search"]

INFINITE_SCORE: Final = 110_000
MATE_SCORE: Final = 100_000
PROVEN_SCORE: Final = 96_000
UNPROVEN_LOSS_BONUS: Final = 4_000
"""Added to a loss found among the candidate moves alone: the score drops from the band of proofs."""
PLY_COUNTING_SCORE: Final = 91_000
"""Scores beyond this count plies, proven or not; the table stores them relative to their position."""

UPPER_BOUND: Final = 1
LOWER_BOUND: Final = 2
EXACT_SCORE: Final = 3
SCORE_OFFSET: Final = 131_072
DEPTH_OFFSET: Final = 64

QUIESCENCE_PLIES: Final = 8
"""Plies of the quiescence search at most; their depths are below 0."""
LOUD_GAIN: Final = 400
"""Hundredths that a loud move is expected to gain at most (delta pruning)."""
WIDENING_DEPTH: Final = 3
"""From this depth on a node whose candidate moves all lose searches its other moves too."""
KILLER_ORDER_SCORE: Final = 1 << 30
SORTED_MOVES: Final = 16
"""Moves of a node that selection sort orders; after them a cutoff is unlikely."""


def search(position: Any, depth: int, alpha: int, beta: int, ply: int, workspace: Any, table: Any, scratch: Any) -> int:
    """Return the score of `position`: exact between `alpha` and `beta`, else a bound; meaningless once
    `workspace.stopped`.
    """
    # `ply < 0` never holds; it lets the compiler drop the wraparound of negative indices.
    if ply < 0 or workspace.stop | workspace.stopped != 0 or workspace.nodes >= workspace.limit:
        workspace.stopped = 1
        return 0
    workspace.nodes += 1
    workspace.pv_length[ply] = ply
    workspace.selective_depth = max(workspace.selective_depth, ply)
    selective = workspace.selective != 0
    if ply >= MAX_PLY - 1:
        depth = -QUIESCENCE_PLIES
    # An empty move list below shows a loss too, except at a leaf, which generates none, and in games with draws.
    if (HAS_DRAWS or depth <= 0) and lost(position):
        return ply - MATE_SCORE
    if HAS_DRAWS and drawn(position):
        return 0

    position_key, slot, table_move = 0, 0, -1
    if depth > 0:
        # Mate-distance pruning: no line from this node on beats a win at the next ply or a loss at this one.
        alpha, beta = max(alpha, ply - MATE_SCORE), min(beta, MATE_SCORE - ply - 1)
        if alpha >= beta:
            return alpha
        position_key = key(position) ^ workspace.salt
        if HAS_DRAWS and selective:
            workspace.path_keys[ply] = position_key
            for ancestor in range(ply - 4, -1, -2):
                if workspace.path_keys[ancestor] == position_key:
                    return 0
        slot = position_key & (TABLE_ENTRIES - 2)
        data: int = table.words[slot, 1]
        if table.words[slot, 0] ^ data != position_key:
            data = table.words[slot + 1, 1]
            if table.words[slot + 1, 0] ^ data != position_key:
                data = 0
        # Internal iterative reduction: a node that no search has been to yet has a poor order of moves. At depth 0 it
        # would be a leaf, of which more has to be known.
        if data == 0 and selective and depth > 1 and 0 < workspace.unknown_depth <= depth:
            depth -= 1
        if data != 0:
            workspace.table_hits += 1
            table_move = (data & 511) - 1
            # Transposition cutoff, in null windows alone: the principal variation stays whole.
            if beta - alpha == 1:
                bound, stored_depth, score = (
                    data >> 17 & 3,
                    (data >> 9 & 255) - DEPTH_OFFSET,
                    (data >> 25) - SCORE_OFFSET,
                )
                # A proof holds at any depth. A full-width search takes values of its exact depth only.
                if stored_depth == depth or (selective and (stored_depth > depth or abs(score) > PROVEN_SCORE)):
                    if score > PLY_COUNTING_SCORE:
                        score -= ply
                    elif score < -PLY_COUNTING_SCORE:
                        score += ply
                    if (bound & LOWER_BOUND != 0 and score >= beta) or (bound & UPPER_BOUND != 0 and score <= alpha):
                        return score

    side = position.turn & 1
    # A constant in the condition lets the compiler leave out what a game without a network has no fields for.
    uses_network = workspace.uses_network != 0
    # Whether the accumulator of this ply is this position's; nodes below have their own.
    is_updated = False
    # Static null-move pruning: in null windows near the leaves, an evaluation far above beta is taken for the score.
    is_null_window = beta - alpha == 1 and abs(beta) < PLY_COUNTING_SCORE
    static = 0
    if selective and is_null_window and 0 < depth < PRUNED_DEPTHS and workspace.margins[depth] != 0:
        if HAS_NETWORK and uses_network:
            mark(position, scratch.marked)
            update(ply, side, WORDS, scratch)
            is_updated = True
            static = forward(ply, scratch)
        else:
            static = evaluate(position)
        if static - workspace.margins[depth] >= beta:
            return static

    is_leaf = depth <= 0 and (not selective or depth <= -QUIESCENCE_PLIES or quiet(position))
    is_loud = False
    if HAS_LOUD and HAS_NETWORK and is_leaf and selective and uses_network:
        is_loud = depth > -min(workspace.loud_plies, QUIESCENCE_PLIES)
    moves, order_scores = workspace.moves[ply], workspace.order_scores[ply]
    total = 0
    if not is_leaf:
        total = gen(position, moves)
        if total == 0:
            return ply - MATE_SCORE
    if selective:
        plies = exact_value(position, scratch)
        if plies != 0:
            return MATE_SCORE - ply - plies if plies > 0 else ply - plies - MATE_SCORE
    if is_leaf:
        if HAS_NETWORK and uses_network:
            mark(position, scratch.marked)
            update(ply, side, WORDS, scratch)
            is_updated = True
            static = forward(ply, scratch)
            # The mover need not play a loud move, and one does not gain more than this.
            if not is_loud or static >= beta or static + LOUD_GAIN <= alpha:
                return static
            total = gen(position, moves)
        else:
            return evaluate(position)

    count = total
    if HAS_LOUD and is_loud:
        count = loud_moves(position, moves, total)
        if count == 0:
            return static
    elif selective:
        count = candidate_moves(position, moves, total)
    sort_from = 0
    if table_move >= 0:
        place = 0
        while place < total and moves[place] != table_move:
            place += 1
        if place < total:
            if place >= count:
                moves[place] = moves[count]
                place = count
                count += 1
            moves[place] = moves[0]
            moves[0] = table_move
            sort_from = 1

    is_pv_node = beta - alpha > 1
    alpha_at_entry, best, best_move = alpha, -INFINITE_SCORE, -1
    if HAS_LOUD and is_loud:
        best = static
        alpha = max(alpha, static)
    scored, index = 0, 0
    while True:
        if index >= count:
            if best > -PROVEN_SCORE or count == total:
                break
            if depth < WIDENING_DEPTH:
                best += UNPROVEN_LOSS_BONUS
                break
            # All candidate moves lose: the node widens to all moves before that counts as a proof.
            count = total
        if index >= sort_from:
            if scored < count:
                prefers = workspace.preference_weight != 0
                if HAS_NETWORK and prefers and not is_updated:
                    mark(position, scratch.marked)
                    update(ply, side, WORDS, scratch)
                    is_updated = True
                for i in range(max(index, scored), count):
                    move = moves[i] & (MOVE_NUMBER_LIMIT - 1)
                    if move == workspace.killers[ply, 0]:
                        order_scores[i] = KILLER_ORDER_SCORE
                    elif move == workspace.killers[ply, 1]:
                        order_scores[i] = KILLER_ORDER_SCORE - 1
                    else:
                        if HAS_NETWORK and prefers:
                            order_scores[i] = workspace.preference_weight * preference(ply, side, move, scratch)
                        else:
                            order_scores[i] = 4 * order_score(position, move)
                        order_scores[i] += workspace.history[side, move]
                        if workspace.order_noise != 0:
                            order_scores[i] += (move * workspace.order_noise >> 3) & 1023
                scored = count
            if index < SORTED_MOVES:
                top = index
                for i in range(index + 1, count):
                    if order_scores[i] > order_scores[top]:
                        top = i
                moves[index], moves[top] = moves[top], moves[index]
                order_scores[index], order_scores[top] = order_scores[top], order_scores[index]
        reduction = 0
        if selective and depth > 0 and index > 0 and order_scores[index] < KILLER_ORDER_SCORE - 1:
            # Late-move pruning: near the leaves, moves late in the order are left out. What is left is no proof.
            can_leave_out = depth < PRUNED_DEPTHS and not is_pv_node and best > -PROVEN_SCORE
            if can_leave_out and 0 < workspace.move_limits[depth] <= index:
                break
            # Late-move reductions: late, quiet-looking moves are searched less deep, and again when they beat alpha.
            reduction = workspace.reductions[min(depth, REDUCED_DEPTHS - 1), index]
            if reduction > 0:
                if is_pv_node:
                    reduction -= workspace.pv_reduction
                if workspace.history_plies != 0:
                    late = moves[index] & (MOVE_NUMBER_LIMIT - 1)
                    reduction -= workspace.history[side, late] // workspace.history_plies
                reduction = max(0, min(reduction, depth - 2))
        move = moves[index] & (MOVE_NUMBER_LIMIT - 1)
        child = advance(position, move)
        # Principal variation search: all but the first move have to beat alpha in a null window first.
        score = alpha + 1
        if index > 0:
            score = -search(child, depth - 1 - reduction, -alpha - 1, -alpha, ply + 1, workspace, table, scratch)
            if reduction > 0 and score > alpha:
                score = -search(child, depth - 1, -alpha - 1, -alpha, ply + 1, workspace, table, scratch)
        if index == 0 or (is_pv_node and alpha < score < beta):
            score = -search(child, depth - 1, -beta, -alpha, ply + 1, workspace, table, scratch)
        if workspace.stopped != 0:
            return 0
        index += 1
        if score > best:
            best, best_move = score, move
            if score > alpha:
                alpha = score
                if is_pv_node:
                    workspace.pv[ply, ply] = move
                    length = workspace.pv_length[ply + 1]
                    for i in range(ply + 1, length):
                        workspace.pv[ply, i] = workspace.pv[ply + 1, i]
                    workspace.pv_length[ply] = length
                if score >= beta:
                    workspace.pruned += count - index
                    if workspace.killers[ply, 0] != move:
                        workspace.killers[ply, 1] = workspace.killers[ply, 0]
                        workspace.killers[ply, 0] = move
                    if depth > 0:
                        bonus = min(16 * depth * depth, 1024)
                        # History gravity: entries stay within 2**13 of 0.
                        value = workspace.history[side, move]
                        workspace.history[side, move] = value + bonus - (value * bonus >> 13)
                    break

    if depth > 0:
        relative = best
        if best > PLY_COUNTING_SCORE:
            relative = best + ply
        elif best < -PLY_COUNTING_SCORE:
            relative = best - ply
        bound = UPPER_BOUND
        if best >= beta:
            bound = LOWER_BOUND
        elif best > alpha_at_entry:
            bound = EXACT_SCORE
        else:
            best_move = table_move
        word = (
            (relative + SCORE_OFFSET) << 25
            | workspace.age << 19
            | bound << 17
            | (depth + DEPTH_OFFSET) << 9
            | (best_move + 1)
        )
        # Replacement in a slot of two: the entry of the same position, else of an earlier search, else the shallower.
        target, least = slot, 1 << 30
        for place in range(slot, slot + 2):
            data = table.words[place, 1]
            if table.words[place, 0] ^ data == position_key:
                target = place
                break
            value = data >> 9 & 255
            if data >> 19 & 63 == workspace.age:
                value += 256
            if value < least:
                target, least = place, value
        table.words[target, 0] = position_key ^ word
        table.words[target, 1] = word
    return best
