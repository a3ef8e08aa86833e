"""The parameters of a run, and the command that repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from cornered import engine
from cornered.engine import Game

__all__ = ["SUBJECTS", "LearningPlan", "Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is learnt: the board of a game that has features, and how its games begin.

    So many random plies begin a game; `first_share` is the probability that one of them is among the first moves in
    order. `network` is the name of the file that the program ships.
    """

    options: Mapping[str, int]
    network: str
    random_plies: range
    first_share: float = 0.0


SUBJECTS: Final[Mapping[str, Subject]] = {
    # The first moves are steps, which random moves rarely are.
    "quoridor": Subject({"size": 9, "walls": 10}, "quoridor-9x9", range(2, 13), first_share=0.5),
    # The placements and up to three slides each.
    "isolation": Subject({"width": 7, "height": 7}, "isolation-7x7", range(2, 9)),
    "bamboo": Subject({"radius": 5}, "bamboo-radius5", range(2, 17)),
}


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """Parameters of a run. Equal plans give equal networks on one machine.

    Each generation plays `games` games with `nodes` nodes a move, in files of `shard_games`, and learns for `epochs`
    from its own games and those of the `memory` generations before. Raises ValueError for a game without features.
    """

    game: str
    generations: int
    games: int
    nodes: int
    epochs: int
    seed: int
    shard_games: int = 250
    memory: int = 2

    def __post_init__(self) -> None:
        if self.game not in SUBJECTS:
            raise ValueError(f"no network evaluates {self.game}; there are networks for {', '.join(SUBJECTS)}")
        for name in ("generations", "games", "nodes", "epochs", "shard_games"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is 1 or more, not {getattr(self, name)}")

    def load(self) -> Game:
        """Return the game on the board that the network is for."""
        return engine.load(self.game, **SUBJECTS[self.game].options)

    @property
    def shards(self) -> int:
        """The number of files of a generation."""
        return -(-self.games // self.shard_games)

    def numbers(self, shard: int) -> range:
        """Return the numbers of the games of a file."""
        return range(shard * self.shard_games, min((shard + 1) * self.shard_games, self.games))

    @property
    def command(self) -> str:
        """The command that carries out the plan."""
        return (
            f"cornered train {self.game} --generations {self.generations} --games {self.games} --nodes {self.nodes} "
            f"--epochs {self.epochs} --seed {self.seed}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON-compatible values."""
        return asdict(self)
