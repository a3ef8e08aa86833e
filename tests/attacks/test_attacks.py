"""Every attack of the registry, beside bystanders who play."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cornered.bench.attacks.attacker import ATTACK_MODULES
from cornered.bench.attacks.stage import ATTACKS, Attack
from cornered.bench.attacks.trials import TRIALS_BY_NAME, AttackTrial
from cornered.bench.attacks.verdict import AttackRow


def test_every_module_of_attacks_registers_some() -> None:
    assert {attack.run.__module__ for attack in ATTACKS.values()} == {module.__name__ for module in ATTACK_MODULES}


@pytest.mark.parametrize("trial", TRIALS_BY_NAME.values(), ids=TRIALS_BY_NAME)
def test_nothing_is_lost_by(trial: AttackTrial, tried: dict[str, AttackRow]) -> None:
    row = tried[trial.name]
    assert row.is_withstood, "\n".join((f"{trial.words}: {row.did}", *row.faults))


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_bystanders_play_on_beside(attack: Attack, carry_out: Callable[[Attack], AttackRow]) -> None:
    row = carry_out(attack)
    assert row.is_withstood, "\n".join((f"{attack.words}: {row.did}", *row.faults))
