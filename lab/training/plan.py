"""The parameters of a training run, and the command that repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from cornered.bots.neural.network import NETWORK_KINDS, NetworkKind
from cornered.lab.training.games import MIX, read_mix, spell

__all__ = ["BOTH_NETWORKS", "EPOCHS", "GAMES_BY_RADIUS", "TrainingPlan"]

GAMES_BY_RADIUS: Final[Mapping[int, int]] = {1: 150, 2: 600, 3: 600, 4: 600, 5: 600, 6: 150}
"""Default number of games, by radius."""
EPOCHS: Final = 20
BOTH_NETWORKS: Final = "both"


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Parameters of a run. Equal plans give equal weights on one platform, except for the recorded games between
    networks when several kinds are trained."""

    radius: int
    games: int
    epochs: int = EPOCHS
    seed: int = 1
    kinds: tuple[NetworkKind, ...] = NETWORK_KINDS
    mix: str = spell(MIX)

    @classmethod
    def of(cls, radius: int, games: int | None, epochs: int, seed: int, network: str, mix: str) -> Self:
        """Return the plan of a command line. Raises ValueError for an invalid mix."""
        kinds = tuple(kind for kind in NETWORK_KINDS if network in (kind, BOTH_NETWORKS))
        return cls(radius, games or GAMES_BY_RADIUS[radius], epochs, seed, kinds, spell(read_mix(mix)))

    @property
    def command(self) -> str:
        """The command that carries out the plan."""
        network = BOTH_NETWORKS if len(self.kinds) > 1 else self.kinds[0]
        return (
            f"cornered train bamboo-neural --network {network} --radius {self.radius} --games {self.games} "
            f"--epochs {self.epochs} --seed {self.seed} --mix {self.mix}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON-compatible values."""
        return {**asdict(self), "kinds": list(self.kinds)}
