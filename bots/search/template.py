"""The search itself, written once. `cornered.bots.search.specialise` executes this file once a game, with the game's
kernels as globals in place of the declarations below, and compiles it.

One recursive function, since compiled functions may call themselves but not each other in a circle. Everything that
changes is in two records: the process's workspace and the table that processes share (see
`cornered.bots.search.layout`).

Scores are the mover's, in hundredths. A won game is MATE_SCORE less its plies from the root. Scores beyond PROVEN_SCORE are proofs,
whatever the depth: a win needs one move, and a loss that was found among a choice of the moves either becomes a loss
among all of them (from depth WIDENING_DEPTH on) or is called doubtful, a score between evaluations and proofs. Repetitions count
as even; no proof has one in it, so a proof holds however its position was reached.

An entry of the table is 44 bits: score + SCORE_OFFSET (19), age (6), bound (2), depth + DEPTH_OFFSET (8), move + 1 (9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cornered.bots.search.layout import MAX_PLY, MOVE_NUMBER_LIMIT, TABLE_ENTRIES

if TYPE_CHECKING:
    HAS_DRAWS = False
    """Whether games can be drawn and positions come again; if not, who has no move has lost."""

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def lost(position: Any) -> bool: ...
    def drawn(position: Any) -> bool: ...
    def worth(position: Any) -> int: ...
    def key(position: Any) -> int: ...
    def quiet(position: Any) -> bool: ...
    def rank(position: Any, move: int) -> int: ...
    def narrow(position: Any, buffer: Any, count: int) -> int: ...
    def known(position: Any, scratch: Any) -> int: ...


__all__ = ["INFINITE_SCORE", "MATE_SCORE", "PROVEN_SCORE", "search"]

INFINITE_SCORE: Final = 110_000
MATE_SCORE: Final = 100_000
PROVEN_SCORE: Final = 96_000
UNPROVEN_LOSS_BONUS: Final = 4_000
"""What brings a loss that is not proven from the one band into the other."""
PLY_COUNTING_SCORE: Final = 91_000
"""Scores beyond this count plies, proven or not: they are stored relative to their position."""

UPPER_BOUND: Final = 1
LOWER_BOUND: Final = 2
EXACT_SCORE: Final = 3
SCORE_OFFSET: Final = 131_072
DEPTH_OFFSET: Final = 64

QUIESCENCE_PLIES: Final = 8
"""For how many plies a search looks on at most where a position is not quiet; their depths are below 0."""
WIDENING_DEPTH: Final = 3
FULL_DEPTH_MOVES: Final = 3
"""How many moves are searched to full depth before others are reduced."""
KILLER_ORDER_SCORE: Final = 1 << 30
SORTED_MOVES: Final = 16
"""So many moves are put in order one by one; after them a cut has become unlikely."""


def search(position: Any, depth: int, alpha: int, beta: int, ply: int, workspace: Any, table: Any, scratch: Any) -> int:
    """Return the score of `position`: exact between `alpha` and `beta`, else a bound; meaningless once
    `workspace.over`.
    """
    # Told that no index is negative, the compiler need not let any of them count from the end.
    if ply < 0 or workspace.stop | workspace.over != 0 or workspace.nodes >= workspace.limit:
        workspace.over = 1
        return 0
    workspace.nodes += 1
    workspace.length[ply] = ply
    workspace.deepest = max(workspace.deepest, ply)
    selective = workspace.selective != 0
    if ply >= MAX_PLY - 1:
        depth = -QUIESCENCE_PLIES
    # Where who is stuck has lost, an empty list of moves says so below; a leaf makes none.
    if (HAS_DRAWS or depth <= 0) and lost(position):
        return ply - MATE_SCORE
    if HAS_DRAWS and drawn(position):
        return 0

    here, slot, remembered = 0, 0, -1
    if depth > 0:
        # Nothing from here on is better than a win at once, or worse than a loss at once.
        alpha, beta = max(alpha, ply - MATE_SCORE), min(beta, MATE_SCORE - ply - 1)
        if alpha >= beta:
            return alpha
        here = key(position) ^ workspace.salt
        if HAS_DRAWS and selective:
            workspace.path[ply] = here
            for earlier in range(ply - 4, -1, -2):
                if workspace.path[earlier] == here:
                    return 0
        slot = here & (TABLE_ENTRIES - 2)
        data: int = table.words[slot, 1]
        if table.words[slot, 0] ^ data != here:
            data = table.words[slot + 1, 1]
            if table.words[slot + 1, 0] ^ data != here:
                data = 0
        if data != 0:
            workspace.hits += 1
            remembered = (data & 511) - 1
            if beta - alpha == 1:
                bound, reached, score = data >> 17 & 3, (data >> 9 & 255) - DEPTH_OFFSET, (data >> 25) - SCORE_OFFSET
                # A proof does not depend on the depth; the textbook's value does.
                if reached == depth or (selective and (reached > depth or abs(score) > PROVEN_SCORE)):
                    if score > PLY_COUNTING_SCORE:
                        score -= ply
                    elif score < -PLY_COUNTING_SCORE:
                        score += ply
                    if (bound & LOWER_BOUND != 0 and score >= beta) or (bound & UPPER_BOUND != 0 and score <= alpha):
                        return score

    is_leaf = depth <= 0 and (not selective or depth <= -QUIESCENCE_PLIES or quiet(position))
    moves, order = workspace.moves[ply], workspace.order[ply]
    total = 0
    if not is_leaf:
        total = gen(position, moves)
        if total == 0:
            return ply - MATE_SCORE
    if selective:
        plies = known(position, scratch)
        if plies != 0:
            return MATE_SCORE - ply - plies if plies > 0 else ply - plies - MATE_SCORE
    if is_leaf:
        return worth(position)

    count = total
    if selective:
        count = narrow(position, moves, total)
    first = 0
    if remembered >= 0:
        place = 0
        while place < total and moves[place] != remembered:
            place += 1
        if place < total:
            if place >= count:
                moves[place] = moves[count]
                place = count
                count += 1
            moves[place] = moves[0]
            moves[0] = remembered
            first = 1

    side = position.turn & 1
    is_exact = beta - alpha > 1
    asked, best, best_move = alpha, -INFINITE_SCORE, -1
    ordered, index = 0, 0
    while True:
        if index >= count:
            if best > -PROVEN_SCORE or count == total:
                break
            if depth < WIDENING_DEPTH:
                best += UNPROVEN_LOSS_BONUS
                break
            # All of the choice lose: before that counts as a proof, the others have their turn.
            count = total
        if index >= first:
            if ordered < count:
                for i in range(max(index, ordered), count):
                    move = moves[i] & (MOVE_NUMBER_LIMIT - 1)
                    if move == workspace.killers[ply, 0]:
                        order[i] = KILLER_ORDER_SCORE
                    elif move == workspace.killers[ply, 1]:
                        order[i] = KILLER_ORDER_SCORE - 1
                    else:
                        order[i] = 4 * rank(position, move) + workspace.history[side, move]
                        if workspace.noise != 0:
                            order[i] += (move * workspace.noise >> 3) & 1023
                ordered = count
            if index < SORTED_MOVES:
                top = index
                for i in range(index + 1, count):
                    if order[i] > order[top]:
                        top = i
                moves[index], moves[top] = moves[top], moves[index]
                order[index], order[top] = order[top], order[index]
        move = moves[index] & (MOVE_NUMBER_LIMIT - 1)
        child = advance(position, move)
        less = 0
        if selective and depth >= 3 and index >= FULL_DEPTH_MOVES and order[index] < KILLER_ORDER_SCORE - 1:
            less = 1
            if depth >= 5 and index >= 2 * FULL_DEPTH_MOVES + 2:
                less = 2
        score = alpha + 1
        if index > 0:
            score = -search(child, depth - 1 - less, -alpha - 1, -alpha, ply + 1, workspace, table, scratch)
            if less > 0 and score > alpha:
                score = -search(child, depth - 1, -alpha - 1, -alpha, ply + 1, workspace, table, scratch)
        if index == 0 or (is_exact and alpha < score < beta):
            score = -search(child, depth - 1, -beta, -alpha, ply + 1, workspace, table, scratch)
        if workspace.over != 0:
            return 0
        index += 1
        if score > best:
            best, best_move = score, move
            if score > alpha:
                alpha = score
                if is_exact:
                    workspace.line[ply, ply] = move
                    length = workspace.length[ply + 1]
                    for i in range(ply + 1, length):
                        workspace.line[ply, i] = workspace.line[ply + 1, i]
                    workspace.length[ply] = length
                if score >= beta:
                    workspace.pruned += count - index
                    if workspace.killers[ply, 0] != move:
                        workspace.killers[ply, 1] = workspace.killers[ply, 0]
                        workspace.killers[ply, 0] = move
                    if depth > 0:
                        bonus = min(16 * depth * depth, 1024)
                        # The history heuristic's gravity: a score comes no further than 2**13 from 0.
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
        elif best > asked:
            bound = EXACT_SCORE
        else:
            best_move = remembered
        word = (
            (relative + SCORE_OFFSET) << 25
            | workspace.age << 19
            | bound << 17
            | (depth + DEPTH_OFFSET) << 9
            | (best_move + 1)
        )
        # Of a slot's two entries the same position's gives way, else the one of an earlier search, else the shallower.
        target, least = slot, 1 << 30
        for place in range(slot, slot + 2):
            data = table.words[place, 1]
            if table.words[place, 0] ^ data == here:
                target = place
                break
            value = data >> 9 & 255
            if data >> 19 & 63 == workspace.age:
                value += 256
            if value < least:
                target, least = place, value
        table.words[target, 0] = here ^ word
        table.words[target, 1] = word
    return best
