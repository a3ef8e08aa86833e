"""Monte Carlo tree search with a network's priors and values (PUCT; Silver and others, "Mastering the game of Go
without human knowledge", 2017), one template for all games. Executed once a game by `cornered.bots.puct.search`, with
the game's kernels as globals in place of the declarations below.

A visit descends from the root by the best upper confidence bound to a position that is new, which the network values.
A node gets its edges at its second visit: most are never visited again, and need no priors. The root gets them at its
first, so that a search of one visit can choose by priors. Positions are not kept: each descent makes the moves of its
path.

Results are propagated where they are exact: a node with a lost child is won, and one all of whose moves are won for the
other side is lost (MCTS-Solver; Winands, Bjornsson and Saito 2008). A position whose candidate moves all lose gets its
other moves before that is a proof. A position that repeats one of its path is a draw in its place of the tree.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.nnue.layout import LOGIT_SCORE
from cornered.bots.puct.layout import (
    CANDIDATES,
    DEEPEST,
    DRAWN,
    EDGE_COUNT,
    EVERY_MOVE,
    EXHAUSTED,
    NEVER,
    NODE_COUNT,
    PLIES,
    STOP,
    UNEXPANDED,
    WIDENING,
)

if TYPE_CHECKING:
    HAS_DRAWS = False
    """Whether games can be drawn and positions repeat."""
    WORDS = 0
    """The words of the network's features."""

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def lost(position: Any) -> bool: ...
    def drawn(position: Any) -> bool: ...
    def mark(position: Any, marked: Any) -> None: ...
    def update(ply: int, mover: int, words: int, network: Any) -> None: ...
    def forward(ply: int, network: Any) -> int: ...
    def preference(ply: int, mover: int, move: int, network: Any) -> int: ...
    def key(position: Any) -> int: ...
    def candidate_moves(position: Any, buffer: Any, count: int) -> int: ...
    def exact_value(position: Any, scratch: Any) -> int: ...


__all__ = ["grow"]

LOWEST_BOUND: Final = -1e30


def grow(start: Any, visits: int, deepest: int, tree: Any, tuning: Any, scratch: Any) -> int:
    """Visit the tree of the position `start` so many times, or until it is proven, stopped or full.

    No visit goes deeper than `deepest` plies, which is less than MAX_PLY: its value there is the mean of the node's.

    Returns the number of visits.
    """
    done = 0
    # The bound would take any winning move, at each turn again one that makes a detour.
    shortest_win = -1
    if HAS_DRAWS:
        plies = exact_value(start, scratch)
        for i in range(gen(start, tree.moves)):
            after = advance(start, tree.moves[i])
            if lost(after):
                shortest_win = tree.moves[i]
                break
            # A value of 0 is unknown.
            if shortest_win < 0 and plies > 1 and exact_value(after, scratch) == 1 - plies:
                shortest_win = tree.moves[i]
    while done < visits and tree.control[STOP] == 0 and tree.result[0] == 0:
        if tree.control[NODE_COUNT] >= len(tree.visits) or tree.control[EDGE_COUNT] + len(tree.moves) > len(tree.child):
            tree.control[EXHAUSTED] = 1
            break
        done += 1
        node, position, ply, value = 0, start, 0, 0.0
        while True:
            tree.path_nodes[ply] = node
            is_new = tree.visits[node] == 0
            if is_new:
                repeats = False
                if HAS_DRAWS:
                    here = key(position)
                    for ancestor in range(ply - 4, -1, -2):
                        if tree.path_keys[ancestor] == here:
                            repeats = True
                if lost(position):
                    tree.result[node] = -1
                elif repeats or (HAS_DRAWS and drawn(position)):
                    tree.result[node] = DRAWN
                else:
                    # The root gets its moves even where exact_value knows its result.
                    plies = 0 if node == 0 else exact_value(position, scratch)
                    if plies != 0:
                        tree.result[node] = plies + 1 if plies > 0 else plies - 1
                    else:
                        mark(position, scratch.marked)
                        update(ply, position.turn & 1, WORDS, scratch)
                        value = 2.0 / (1.0 + math.exp(-forward(ply, scratch) / LOGIT_SCORE)) - 1.0
            if (
                tree.result[node] == 0
                and ply < deepest
                and (not is_new or node == 0)
                and (tree.stage[node] == UNEXPANDED or tree.stage[node] == WIDENING)
            ):
                # Its edges, those of an earlier stage among them.
                total = gen(position, tree.moves)
                stage = EVERY_MOVE
                if total == 0:
                    tree.result[node] = -1
                else:
                    count = total
                    if tree.stage[node] == UNEXPANDED:
                        count = candidate_moves(position, tree.moves, total)
                        if count < total:
                            stage = CANDIDATES
                    else:
                        for edge in range(tree.first[node], tree.first[node] + tree.width[node]):
                            tree.places[tree.move[edge]] = edge
                    side = position.turn & 1
                    mark(position, scratch.marked)
                    update(ply, side, WORDS, scratch)
                    greatest = LOWEST_BOUND
                    for i in range(count):
                        tree.logits[i] = preference(ply, side, tree.moves[i], scratch) / (100.0 * tuning.temperature)
                        greatest = max(greatest, tree.logits[i])
                    normaliser = 0.0
                    for i in range(count):
                        tree.logits[i] = math.exp(tree.logits[i] - greatest)
                        normaliser += tree.logits[i]
                    first = tree.control[EDGE_COUNT]
                    tree.control[EDGE_COUNT] += count
                    for i in range(count):
                        edge = first + i
                        tree.move[edge] = tree.moves[i]
                        tree.prior[edge] = tree.logits[i] / normaliser
                        tree.edge_visits[edge], tree.edge_total[edge], tree.child[edge] = 0, 0.0, -1
                        before = tree.places[tree.moves[i]]
                        if before >= 0:
                            tree.prior[edge] = NEVER
                            tree.edge_visits[edge] = tree.edge_visits[before]
                            tree.edge_total[edge] = tree.edge_total[before]
                            tree.child[edge] = tree.child[before]
                            tree.places[tree.moves[i]] = -1
                    tree.first[node], tree.width[node], tree.stage[node] = first, count, stage
            if tree.result[node] != 0:
                value = 0.0
                if tree.result[node] != DRAWN:
                    value = 1.0 if tree.result[node] > 0 else -1.0
                break
            if is_new and (node != 0 or shortest_win < 0):
                break
            if ply >= deepest:
                value = tree.total[node] / tree.visits[node]
                break
            if HAS_DRAWS:
                tree.path_keys[ply] = key(position)
            first, width = tree.first[node], tree.width[node]
            best, highest = first, LOWEST_BOUND
            # The best upper confidence bound.
            visited_prior = 0.0
            for edge in range(first, first + width):
                if tree.edge_visits[edge] > 0 and tree.prior[edge] > 0:
                    visited_prior += tree.prior[edge]
            seen = max(1, tree.visits[node])
            unvisited = tree.total[node] / seen - tuning.unvisited_loss * math.sqrt(visited_prior)
            weight = tuning.exploration + math.log(1.0 + tree.visits[node] / tuning.growth)
            weight *= math.sqrt(seen)
            for edge in range(first, first + width):
                if tree.prior[edge] < 0:
                    continue
                bound = unvisited
                if tree.edge_visits[edge] > 0:
                    bound = tree.edge_total[edge] / tree.edge_visits[edge]
                bound += weight * tree.prior[edge] / (1 + tree.edge_visits[edge])
                if HAS_DRAWS and node == 0 and tree.move[edge] == shortest_win:
                    bound = -LOWEST_BOUND
                if bound > highest:
                    best, highest = edge, bound
            tree.path_edges[ply] = best
            position = advance(position, int(tree.move[best]))
            if tree.child[best] < 0:
                made = tree.control[NODE_COUNT]
                tree.control[NODE_COUNT] += 1
                tree.first[made] = tree.width[made] = tree.stage[made] = 0
                tree.visits[made] = tree.total[made] = tree.result[made] = 0
                tree.child[best] = made
            node = tree.child[best]
            ply += 1

        tree.control[DEEPEST] = max(tree.control[DEEPEST], ply)
        tree.control[PLIES] += ply
        # Back up the value, and the result where it is new.
        while True:
            tree.visits[node] += 1
            tree.total[node] += value
            if ply == 0:
                break
            result = tree.result[node]
            ply -= 1
            node, edge = tree.path_nodes[ply], tree.path_edges[ply]
            value = -value
            if result < 0:
                # The other side has lost.
                if tree.result[node] == 0:
                    tree.result[node] = 1 - result
                    value = 1.0
            elif 0 < result < DRAWN and tree.prior[edge] >= 0:
                tree.prior[edge] = NEVER
                longest = 0
                for other in range(tree.first[node], tree.first[node] + tree.width[node]):
                    if tree.prior[other] >= 0:
                        longest = -1
                        break
                    if tree.child[other] >= 0 and tree.result[tree.child[other]] < DRAWN:
                        longest = max(longest, tree.result[tree.child[other]])
                if longest >= 0:
                    if tree.stage[node] == EVERY_MOVE:
                        tree.result[node] = -1 - longest
                        value = -1.0
                    else:
                        tree.stage[node] = WIDENING
            tree.edge_visits[edge] += 1
            tree.edge_total[edge] += value
    return done
