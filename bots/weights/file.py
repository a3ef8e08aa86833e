"""A file of weights: their game, their origin, and their match against the printed ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cornered.bots.weights.model import Model, Values, model
from cornered.engine.records.files import read_text, replacing

__all__ = ["SHIPPED", "Method", "Tuned", "WeightsVerdict", "read", "shipped", "shipped_path", "write"]

SHIPPED: Final = Path(__file__).parent / "data"
Method = Literal["td", "grid", "spsa", "optuna", "hand"]
Number = Annotated[float, Field(allow_inf_nan=False)]


class WeightsVerdict(BaseModel):
    """The result of a match of these weights against the printed ones, by a sequential probability ratio test."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str
    seed: int
    depth: int
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]
    """How many pairs of games scored 0, 0.5, 1, 1.5 and 2."""
    bounds: tuple[Number, Number]
    """The normalised Elo differences between which the test decides."""
    llr: Number
    elo: Number | None
    """None where everything was won or lost."""
    decision: Literal["better", "not better", "undecided"]


class Tuned(BaseModel):
    """Weights and how they were found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cornered: Literal["weights"] = "weights"
    version: Literal[1] = 1
    game: str
    options: dict[str, int | bool | None]
    """The game's options that they were found under."""
    bot: str
    """The bot that played by them."""
    depth: Annotated[int, Field(ge=1)]
    """Its search depth in plies."""
    weights: dict[str, Number]
    printed: dict[str, Number]
    """The weights at the start of the tuning."""
    method: Method
    command: str
    seed: int
    settings: dict[str, Any]
    result: dict[str, Any]
    """The method's own result, such as the end of a learning curve or a table of ratings."""
    curve: list[dict[str, Any]] = []
    """Points of the learning curve, in order."""
    tests: list[WeightsVerdict] = []

    @property
    def model(self) -> Model:
        return model(self.game)

    @property
    def values(self) -> Values:
        """The weights as a bot takes them."""
        return self.model.complete(self.weights)


def read(path: Path, game: str | None = None) -> Tuned:
    """Return the weights of a file. Raises an OSError, or a ValueError that names the file and says what is wrong
    with it, such as that it is for another game than `game`."""
    try:
        tuned = Tuned.model_validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        what = ": ".join([*map(str, first["loc"]), first["msg"]])
        raise ValueError(f"{path} holds no weights of ours: {what}") from None
    try:
        known = tuned.model
        known.complete(tuned.weights)
    except ValueError as error:
        raise ValueError(f"{path} holds no weights of ours: {error}") from None
    missing = [name for name in known.names[: known.linear] if name not in tuned.weights]
    if missing:
        raise ValueError(f"{path} holds no weights of ours: there is no weight {missing[0]!r}")
    if game is not None and tuned.game != game:
        raise ValueError(f"{path} holds weights for {tuned.game}, not for {game}")
    return tuned


def write(tuned: Tuned, path: Path) -> None:
    """Write weights, whole or not at all."""
    with replacing(path) as part:
        part.write_text(json.dumps(tuned.model_dump(mode="json"), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def shipped_path(game: str, name: str) -> Path:
    """Return where the weights called `name` are that come with the program, or would be."""
    return SHIPPED / f"{game}-{name}.json"


def shipped(game: str) -> tuple[str, ...]:
    """Return the names of the weights for a game that come with the program."""
    return tuple(sorted(path.stem.removeprefix(f"{game}-") for path in SHIPPED.glob(f"{game}-*.json")))
