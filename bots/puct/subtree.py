"""Copies what is below a node of a tree: the tree of the next move."""

from __future__ import annotations

from cornered.bots.puct.layout import DRAWN, EDGE_COUNT, NODE_COUNT, Tree
from cornered.engine.compile.kernel import kernel

__all__ = ["clear", "copy_subtree"]


@kernel
def clear(tree: Tree) -> None:
    """Make a tree one node, which nothing visited yet."""
    tree.control[:] = 0
    tree.control[NODE_COUNT] = 1
    tree.first[0] = tree.width[0] = tree.stage[0] = tree.visits[0] = tree.result[0] = 0
    tree.total[0] = 0.0


@kernel
def copy_subtree(tree: Tree, root: int, into: Tree) -> None:
    """Make `into` the tree below the node `root`.

    Draws by repetition are forgotten: those of positions before the root are none any more.
    """
    clear(into)
    # Until a node is copied, `first` has its number in the old tree.
    into.first[0] = root
    node = 0
    while node < into.control[NODE_COUNT]:
        old = into.first[node]
        into.width[node], into.stage[node] = tree.width[old], tree.stage[old]
        into.visits[node], into.total[node] = tree.visits[old], tree.total[old]
        into.result[node] = tree.result[old]
        if tree.result[old] == DRAWN:
            into.result[node] = into.visits[node] = 0
            into.total[node] = 0.0
        first = into.control[EDGE_COUNT]
        into.control[EDGE_COUNT] += tree.width[old]
        into.first[node] = first
        for i in range(tree.width[old]):
            edge, before = first + i, tree.first[old] + i
            into.move[edge], into.prior[edge] = tree.move[before], tree.prior[before]
            into.edge_visits[edge], into.edge_total[edge] = tree.edge_visits[before], tree.edge_total[before]
            into.child[edge] = -1
            if tree.child[before] >= 0:
                made = into.control[NODE_COUNT]
                into.control[NODE_COUNT] += 1
                into.first[made] = tree.child[before]
                into.child[edge] = made
        node += 1
