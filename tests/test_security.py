"""docs/security.md names tests that exist, and every attack that there is."""

from __future__ import annotations

import re
from pathlib import Path

from cornered.bench.attacks.attacker import ATTACK_MODULES
from cornered.bench.attacks.stage import ATTACKS
from cornered.bench.attacks.trials import TRIALS_BY_NAME

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_every_test_that_the_document_names_exists() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))
    }
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert len(named) > 40
    assert named - there == set()


def test_every_attack_stands_beside_a_promise() -> None:
    assert ATTACK_MODULES
    named = set(re.findall(r"(?<!\*)\*([a-z-]+)\*(?!\*)", TEXT)) - {"names"}
    assert named == {*ATTACKS, *TRIALS_BY_NAME}
