"""A campaign's faults as a pure function of its seed: when each begins, what it does to what, and for how long."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = ["KINDS", "Fault", "Kind", "Shape", "schedule"]

Place: TypeAlias = Literal["client link", "broker link", "database link", "node", "broker", "database"]
_LINKS: Final[tuple[Place, ...]] = ("client link", "broker link", "database link")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault. `seconds` bounds its duration, `amount` its strength in the kind's own unit."""

    places: tuple[Place, ...]
    weight: int
    seconds: tuple[float, float]
    amount: tuple[float, float] = (0.0, 0.0)


KINDS: Final[dict[str, Kind]] = {
    # Seconds of delay; as much again is jitter.
    "delay": Kind(_LINKS, 3, (2.0, 6.0), (0.02, 0.25)),
    "split": Kind(_LINKS, 2, (2.0, 6.0)),
    "stall": Kind(_LINKS, 3, (1.0, 7.0)),
    "stall up": Kind(_LINKS, 2, (1.0, 7.0)),
    "stall down": Kind(_LINKS, 2, (1.0, 7.0)),
    "reset": Kind(_LINKS, 4, (0.0, 0.0)),
    "half-close up": Kind(_LINKS, 1, (0.0, 0.0)),
    "half-close down": Kind(_LINKS, 1, (0.0, 0.0)),
    # The share of publications that arrive twice.
    "duplicate": Kind(("broker link",), 2, (2.0, 8.0), (0.2, 1.0)),
    "garble": Kind(("client link",), 2, (0.0, 0.0)),
    # Bytes a second.
    "bandwidth": Kind(_LINKS, 2, (2.0, 6.0), (2_000.0, 20_000.0)),
    "kill": Kind(("node",), 5, (0.0, 5.0)),
    "pause": Kind(("node",), 2, (5.5, 8.0)),
    "kill broker": Kind(("broker",), 1, (0.0, 4.0)),
    "pause broker": Kind(("broker",), 1, (2.0, 6.0)),
    "kill database": Kind(("database",), 2, (0.0, 4.0)),
    "pause database": Kind(("database",), 1, (2.0, 6.0)),
    "disk": Kind(("node",), 2, (2.0, 6.0)),
    # Seconds by which the wall clock is ahead; negative for behind.
    "clock": Kind(("node", "database"), 2, (3.0, 10.0), (-3_600.0, 3_600.0)),
}
REST_S: Final = 2.0
"""Seconds without another fault of the same place after one that stopped it, in which it may recover."""
STOPPING: Final = frozenset({"kill", "pause", "disk", "kill broker", "pause broker", "kill database", "pause database"})


@dataclass(frozen=True, slots=True)
class Shape:
    """What a campaign's installation consists of. Links are named `<from>><to>`."""

    nodes: tuple[str, ...]
    links: tuple[str, ...]
    has_broker: bool
    has_database: bool
    has_clocks: bool
    """Whether wall clocks can be stepped."""
    has_disks: bool
    """Whether a node's disk can be full."""

    def targets(self, name: str) -> Sequence[str]:
        """Return what a kind of fault can be done to."""
        places = KINDS[name].places
        found = [link for link in self.links if _place_of(link) in places]
        if "node" in places and (name != "disk" or self.has_disks) and (name != "clock" or self.has_clocks):
            found += self.nodes
        if "broker" in places and self.has_broker:
            found.append("broker")
        if "database" in places and self.has_database and (name != "clock" or self.has_clocks):
            found.append("database")
        return found


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `at` counts seconds from the start of the campaign, `seconds` is how long its cause stays."""

    number: int
    at: float
    kind: str
    target: str
    seconds: float
    amount: float


def schedule(
    seed: int, seconds: float, faults: int, shape: Shape, kinds: Sequence[str] = tuple(KINDS)
) -> tuple[Fault, ...]:
    """Return the faults of one campaign. Every possible kind of `kinds` occurs once before any occurs again."""
    chance = random.Random(seed)
    deck = _deck(chance, [name for name in kinds if shape.targets(name)])
    waiting: list[str] = []
    free_at: dict[tuple[str, str], float] = {}
    made: list[Fault] = []
    for number in range(1, faults + 1):
        at = (number - 1 + chance.random()) * seconds / faults
        while True:
            fault = _first_possible(chance, number, at, waiting, shape, free_at)
            if fault is not None:
                break
            waiting.append(next(deck))
        free_at[_resource(fault)] = at + fault.seconds + (REST_S if fault.kind in STOPPING else 0.0)
        made.append(fault)
    return tuple(made)


def _deck(chance: random.Random, names: Sequence[str]) -> Iterator[str]:
    """Yield kinds for ever: each once, then each as often as its weight, shuffled."""
    once = list(names)
    chance.shuffle(once)
    yield from once
    while True:
        cards = [name for name in names for _ in range(KINDS[name].weight)]
        chance.shuffle(cards)
        yield from cards


def _first_possible(
    chance: random.Random,
    number: int,
    at: float,
    waiting: list[str],
    shape: Shape,
    free_at: dict[tuple[str, str], float],
) -> Fault | None:
    """Take the first waiting kind that has a free target at this time."""
    for index, name in enumerate(waiting):
        kind = KINDS[name]
        targets = list(shape.targets(name))
        chance.shuffle(targets)
        for target in targets:
            fault = Fault(
                number,
                round(at, 3),
                name,
                target,
                round(chance.uniform(*kind.seconds), 3),
                round(chance.uniform(*kind.amount), 3),
            )
            if free_at.get(_resource(fault), 0.0) <= at:
                del waiting[index]
                return fault
    return None


def _resource(fault: Fault) -> tuple[str, str]:
    """Return what no two faults may hold at once: a process, or one property of a link."""
    if _place_of(fault.target) in _LINKS:
        return fault.target, fault.kind.partition(" ")[0]
    return fault.target, "clock" if fault.kind == "clock" else "process"


def _place_of(target: str) -> Place:
    if target.startswith("clients>"):
        return "client link"
    if target.endswith(">broker"):
        return "broker link"
    if target.endswith(">database"):
        return "database link"
    return "broker" if target == "broker" else "database" if target == "database" else "node"
