"""What a training run does, and the command that does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from cornered.bots.neural.network import KINDS, Kind
from cornered.lab.training.games import MIX, read_mix, spell

__all__ = ["BOTH", "EPOCHS", "GAMES", "Plan"]

GAMES: Final[Mapping[int, int]] = {1: 150, 2: 600, 3: 600, 4: 600, 5: 600, 6: 150}
"""How many games are played by default, by radius."""
EPOCHS: Final = 20
BOTH: Final = "both"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. Equal plans make equal weights on one platform, but for what several kinds add: each network's
    games against the others."""

    radius: int
    games: int
    epochs: int = EPOCHS
    seed: int = 1
    kinds: tuple[Kind, ...] = KINDS
    mix: str = spell(MIX)

    @classmethod
    def of(cls, radius: int, games: int | None, epochs: int, seed: int, network: str, mix: str) -> Self:
        """Return the plan of a command line. Raises a ValueError for a mix that is none."""
        kinds = tuple(kind for kind in KINDS if network in (kind, BOTH))
        return cls(radius, games or GAMES[radius], epochs, seed, kinds, spell(read_mix(mix)))

    @property
    def command(self) -> str:
        """The command that carries it out."""
        network = BOTH if len(self.kinds) > 1 else self.kinds[0]
        return (
            f"cornered train bamboo --network {network} --radius {self.radius} --games {self.games} "
            f"--epochs {self.epochs} --seed {self.seed} --mix {self.mix}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON holds it."""
        return {**asdict(self), "kinds": list(self.kinds)}
