"""Every attack of the registry, beside bystanders who play."""

from __future__ import annotations

import pytest

from cornered.bench.attacks.attacker import ATTACK_MODULES
from cornered.bench.attacks.stage import ATTACKS
from cornered.bench.attacks.trials import TRIALS_BY_NAME
from tests.attacks.conftest import Trials

ON_SHARED_STATE = (".accounts", ".between", ".crowds", ".matches")
"""Modules of attacks on what nodes share. Those with frames and pages end at the node that they reach."""


def test_every_module_of_attacks_registers_some() -> None:
    assert {attack.run.__module__ for attack in ATTACKS.values()} == {module.__name__ for module in ATTACK_MODULES}


@pytest.mark.campaign
def test_nothing_is_lost_when_the_machine_fails_or_tokens_end(trials: Trials, subtests: pytest.Subtests) -> None:
    for row in trials.try_out(list(TRIALS_BY_NAME.values())):
        with subtests.test(row.attack):
            assert row.is_withstood, "\n".join((f"{TRIALS_BY_NAME[row.attack].words}: {row.did}", *row.faults))


@pytest.mark.campaign
def test_bystanders_play_on_beside_every_attack(trials: Trials, subtests: pytest.Subtests) -> None:
    if trials.nodes == 1:
        attacks = [attack for attack in ATTACKS.values() if not attack.needs_nodes]
    else:
        # One with settings needs nodes of its own, which take as long to start as three attacks.
        attacks = [
            attack
            for attack in ATTACKS.values()
            if attack.run.__module__.endswith(ON_SHARED_STATE) and not attack.settings
        ]
    for attack in attacks:
        with subtests.test(attack.name):
            row = trials.attack(attack)
            assert row.is_withstood, "\n".join((f"{attack.words}: {row.did}", *row.faults))
