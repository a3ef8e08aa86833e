"""Maximum matchings in graphs by augmenting paths: J. Edmonds, "Paths, trees, and flowers" (1965).

An augmenting path from one vertex is found in O(vertices^2 + edges). A matching is kept while its graph shrinks: what
is asked about the rest costs a path for each vertex that lost its mate, and no matching from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

__all__ = ["Matching", "graph"]

_NONE = -1


def graph(count: int, may_meet: Callable[[int, int], bool]) -> list[list[int]]:
    """Return the neighbours of each of `count` vertices; `may_meet` is asked once for a pair, the lower one first."""
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in combinations(range(count), 2):
        if may_meet(a, b):
            neighbours[a].append(b)
            neighbours[b].append(a)
    return neighbours


class Matching:
    """A matching of greatest size between the vertices 0, 1, ... of a graph, from which vertices can be taken."""

    def __init__(self, neighbours: Sequence[Iterable[int]]) -> None:
        """`neighbours[vertex]` are the vertices to which it has an edge, both ways, without itself."""
        self._neighbours = [tuple(sorted(others)) for others in neighbours]
        self._edges = [frozenset(others) for others in self._neighbours]
        self._mates = [_NONE] * len(self._neighbours)
        self._is_gone = [False] * len(self._neighbours)
        for vertex, others in enumerate(self._neighbours):
            # Most vertices find a free neighbour: paths are for the few that are left.
            if self._mates[vertex] == _NONE:
                free = next((other for other in others if self._mates[other] == _NONE), _NONE)
                if free != _NONE:
                    self._mates[vertex], self._mates[free] = free, vertex
        self._augment_all()

    def may_meet(self, one: int, other: int) -> bool:
        """Return whether there is an edge between two vertices."""
        return other in self._edges[one]

    def exposed(self) -> list[int]:
        """Return the vertices without a mate."""
        return [vertex for vertex, mate in enumerate(self._mates) if mate == _NONE and not self._is_gone[vertex]]

    def without(self, *vertices: int) -> Matching:
        """Return a maximum matching of the rest without some vertices, which this one is the beginning of."""
        rest = Matching.__new__(Matching)
        rest._neighbours, rest._edges = self._neighbours, self._edges
        rest._mates = list(self._mates)
        rest._is_gone = list(self._is_gone)
        for vertex in vertices:
            mate = rest._mates[vertex]
            rest._is_gone[vertex] = True
            rest._mates[vertex] = _NONE
            if mate != _NONE:
                rest._mates[mate] = _NONE
        rest._augment_all()
        return rest

    def _augment_all(self) -> None:
        """Look for a path from each exposed vertex, once: one without a path gets none by the paths of others."""
        for vertex in self.exposed():
            if self._mates[vertex] == _NONE:
                self._augment(vertex)

    def _augment(self, root: int) -> bool:
        """Match one more pair of vertices, one of which is `root`, if there is an augmenting path from it."""
        count = len(self._mates)
        mates = self._mates
        # The vertex before an inner one on the path from the root; blossoms are contracted to their bases.
        before = [_NONE] * count
        base = list(range(count))
        is_outer = [False] * count
        is_outer[root] = True
        queue = [root]
        for vertex in queue:
            for other in self._neighbours[vertex]:
                if self._is_gone[other] or base[vertex] == base[other] or mates[vertex] == other:
                    continue
                if other == root or (mates[other] != _NONE and before[mates[other]] != _NONE):
                    top = _common_base(vertex, other, base, before, mates)
                    inside = [False] * count
                    _mark(vertex, top, other, base, before, mates, inside)
                    _mark(other, top, vertex, base, before, mates, inside)
                    for each in range(count):
                        if inside[base[each]]:
                            base[each] = top
                            if not is_outer[each]:
                                is_outer[each] = True
                                queue.append(each)
                elif before[other] == _NONE:
                    before[other] = vertex
                    if mates[other] == _NONE:
                        _flip(other, before, mates)
                        return True
                    is_outer[mates[other]] = True
                    queue.append(mates[other])
        return False


def _common_base(one: int, other: int, base: list[int], before: list[int], mates: list[int]) -> int:
    """Return the base at which the paths from two outer vertices to the root meet."""
    passed = set()
    while True:
        one = base[one]
        passed.add(one)
        if mates[one] == _NONE:
            break
        one = before[mates[one]]
    while (other := base[other]) not in passed:
        other = before[mates[other]]
    return other


def _mark(
    vertex: int, top: int, child: int, base: list[int], before: list[int], mates: list[int], inside: list[bool]
) -> None:
    """Mark the bases from a vertex to the `top` of a blossom as inside it, with paths through the blossom."""
    while base[vertex] != top:
        mate = mates[vertex]
        inside[base[vertex]] = inside[base[mate]] = True
        before[vertex] = child
        child = mate
        vertex = before[mate]


def _flip(end: int, before: list[int], mates: list[int]) -> None:
    """Exchange the matched and unmatched edges of the augmenting path to `end`."""
    while end != _NONE:
        previous = before[end]
        following = mates[previous]
        mates[end], mates[previous] = previous, end
        end = following
