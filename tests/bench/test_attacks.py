"""What `cornered bench attacks` refuses before it starts a server."""

from __future__ import annotations

import pytest

from cornered.bench.attacks.table import run


@pytest.mark.parametrize(
    ("name", "reason"),
    [("broker-flood", "add --nodes 2"), ("nonsense", "there is no attack 'nonsense'; there are .*revoked-token")],
)
def test_an_attack_that_cannot_be_carried_out_is_refused(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        run([name], seconds=1.0, scale=1.0, tell=print)
