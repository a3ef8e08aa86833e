"""Which take-overs happened while nothing else was broken that they need."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from cornered.bench.faults.history import FaultRecord
from cornered.bench.faults.slot_watch import TakeOver

__all__ = ["judged", "percentile"]

_NODE_FAULTS: Final = frozenset({"kill", "pause"})
_LINK_FAULTS: Final = frozenset({"delay", "split", "stall", "stall up", "stall down", "bandwidth"})


def judged(take_overs: Sequence[TakeOver], faults: Sequence[FaultRecord], nodes: Collection[str]) -> list[TakeOver]:
    """Return the take-overs with `is_undisturbed` set where the database and another of `nodes` had no fault meanwhile.

    A fault of a link to the database counts as one of its node.
    """
    return [replace(one, is_undisturbed=_is_undisturbed(one, faults, nodes)) for one in take_overs]


def percentile(take_overs: Sequence[TakeOver], share: float) -> float | None:
    """Return the nearest-rank percentile of the seconds, which of few is the longest; None where there are none."""
    seconds = sorted(one.seconds for one in take_overs if one.seconds is not None)
    return seconds[max(0, math.ceil(share * len(seconds)) - 1)] if seconds else None


def _is_undisturbed(one: TakeOver, faults: Sequence[FaultRecord], nodes: Collection[str]) -> bool:
    ended = math.inf if one.seconds is None else one.began + one.seconds
    same_time = [fault for fault in faults if fault.began < ended and fault.ended > one.began]
    broken = {_node_of(fault) for fault in same_time}
    has_database = not any(fault.target == "database" for fault in same_time)
    return has_database and bool(set(nodes) - broken - {one.node})


def _node_of(fault: FaultRecord) -> str:
    """Return the node that a fault keeps from taking slots over; empty for none."""
    if fault.kind in _NODE_FAULTS:
        return fault.target
    node, _, service = fault.target.partition(">")
    return node if service == "database" and fault.kind in _LINK_FAULTS else ""
