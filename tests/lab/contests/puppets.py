"""Bots that behave as a test requires."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.roster import create
from cornered.engine import State
from cornered.lab.contests import arena

Act = Callable[[State], Thought]


class Puppet(Bot):
    name = "puppet"
    description = "For tests."

    def __init__(self, act: Act, limits: list[Limit]) -> None:
        super().__init__(1)
        self._act = act
        self._limits = limits

    def choose(self, state: State, limit: Limit) -> Thought:
        self._limits.append(limit)
        return self._act(state)


def stage(monkeypatch: pytest.MonkeyPatch, **acts: Act) -> list[Limit]:
    """Register puppets under names; return the limits that they receive."""
    limits: list[Limit] = []

    def make(spec: str, seed: int | None = None) -> Bot:
        return Puppet(acts[spec], limits) if spec in acts else create(spec, seed)

    monkeypatch.setattr(arena, "create", make)
    return limits


def first_move(state: State) -> Thought:
    return Thought(state.moves()[0], nodes=5, depth=3)
