"""Every attack of the registry, beside bystanders who play."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cornered.bench.attacks.attacker import ATTACK_MODULES
from cornered.bench.attacks.stage import ATTACKS, Attack
from cornered.bench.attacks.trials import TRIALS_BY_NAME, AttackTrial
from cornered.bench.attacks.verdict import AttackRow

pytestmark = pytest.mark.campaign

ON_ONE_SERVER = [attack for attack in ATTACKS.values() if not attack.needs_nodes]
ON_TWO_NODES = [
    attack
    for attack in ATTACKS.values()
    if attack.run.__module__.endswith((".accounts", ".between", ".crowds", ".matches")) and not attack.settings
]
"""Attacks on what nodes share. Those with frames and pages end at the node that they reach, and one with settings needs
nodes of its own, which take as long to start as three attacks."""


def test_every_module_of_attacks_registers_some() -> None:
    assert {attack.run.__module__ for attack in ATTACKS.values()} == {module.__name__ for module in ATTACK_MODULES}


@pytest.mark.parametrize("trial", TRIALS_BY_NAME.values(), ids=TRIALS_BY_NAME)
def test_nothing_is_lost_by(trial: AttackTrial, tried: dict[str, AttackRow]) -> None:
    row = tried[trial.name]
    assert row.is_withstood, "\n".join((f"{trial.words}: {row.did}", *row.faults))


@pytest.mark.parametrize("attack", ON_ONE_SERVER, ids=lambda attack: attack.name)
def test_bystanders_play_on_beside(attack: Attack, carry_out: Callable[[Attack], AttackRow]) -> None:
    row = carry_out(attack)
    assert row.is_withstood, "\n".join((f"{attack.words}: {row.did}", *row.faults))


@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.parametrize("trial", TRIALS_BY_NAME.values(), ids=TRIALS_BY_NAME)
def test_nothing_is_lost_on_two_nodes_by(trial: AttackTrial, tried_on_two_nodes: dict[str, AttackRow]) -> None:
    row = tried_on_two_nodes[trial.name]
    assert row.is_withstood, "\n".join((f"{trial.words}: {row.did}", *row.faults))


@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.parametrize("attack", ON_TWO_NODES, ids=lambda attack: attack.name)
def test_bystanders_on_two_nodes_play_on_beside(
    attack: Attack, carry_out_on_two_nodes: Callable[[Attack], AttackRow]
) -> None:
    row = carry_out_on_two_nodes(attack)
    assert row.is_withstood, "\n".join((f"{attack.words}: {row.did}", *row.faults))
