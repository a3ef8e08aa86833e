"""What a contest is made of: the terms that all its games share, the fixtures to be played, and what came of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from random import Random
from typing import Any, Final, Literal, Self, TypeAlias

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.engine import Game, OptionValue

__all__ = ["ENDINGS", "Effort", "Ending", "Fixture", "Played", "Terms"]

Ending: TypeAlias = Literal["rules", "adjudicated", "crashed", "illegal", "time", "length"]
"""Why a game was over: by its rules; by scores that both players have proven; because a bot raised an error, died or
played what is not legal; because it took too long for a move or lost on its clock; or because it was the longest that a
game may be, which is a draw."""

ENDINGS: Final[tuple[Ending, ...]] = ("rules", "adjudicated", "crashed", "illegal", "time", "length")

SEEDS: Final = 2**63
"""Compiled code counts in 64 bits, with a sign."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What all games of a contest have in common. Equal terms and fixtures make equal games, unless a clock decides.

    `time` is in milliseconds a move, `depth` in plies, `nodes` in positions a move; None does not limit. `server` is
    None for games in process.
    """

    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    time: int | None = None
    depth: int | None = None
    nodes: int | None = None
    seed: int = 1
    adjudicates: bool = False
    longest: int = 600
    """After how many plies a game that its rules have not ended is a draw."""
    server: str | None = None
    clock: str | None = None
    """The time control of games on a server, as in 5+3."""

    @classmethod
    def of(cls, game: str, options: Mapping[str, OptionValue] | None = None, **further: Any) -> Self:
        """Return terms with the options that matches have: the draw rules that the game suggests, unless others are
        given. Raises a ValueError that lists the valid names or options, or for a game that is not for two."""
        given = dict(options or {})
        loaded = engine.load(game, **given)
        settled = {**loaded.options, **loaded.suggestions(loaded.options), **given}
        terms = cls(game, dict(engine.load(game, **settled).options), **further)
        if terms.load().seats != 2:
            raise ValueError("contests are for two players; leave out the option of more")
        if not -SEEDS <= terms.seed < SEEDS:
            raise ValueError(f"a seed is from {-SEEDS} to {SEEDS - 1}, not {terms.seed}")
        for name in ("time", "depth", "nodes", "longest"):
            value = getattr(terms, name)
            if value is not None and value < 1:
                raise ValueError(f"the {name} of a contest is 1 or more, not {value}")
        return terms

    def load(self) -> Game:
        """Return the game with these options."""
        return _loaded(self.game, tuple(self.options.items()))

    def limit(self) -> Limit:
        """Return the limit of a move that begins now."""
        return Limit(time=self.time, depth=self.depth, nodes=self.nodes)

    def check(self, *bots: str) -> None:
        """Raise a ValueError for a word that is no bot's, or whose bot does not play this game with its settings."""
        game = self.load()
        for spec in bots:
            bot = create(spec)
            if not bot.plays(game):
                raise ValueError(f"{spec} does not play {game!r}")
            try:
                bot.check(game)
            except ValueError as error:
                raise ValueError(f"{spec} does not play {game!r}: {error}") from None

    def chance(self, *what: object) -> Random:
        """Return chance for one purpose: the same seed and purpose always give the same."""
        return Random(" ".join(map(str, (self.seed, self.game, *what))))

    def as_json(self) -> dict[str, Any]:
        """Return the terms as JSON holds them; `Terms(**json)` is the inverse."""
        return {**asdict(self), "options": dict(self.options)}


@cache
def _loaded(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game:
    return engine.load(name, **dict(options))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played: its number in the contest, who plays, by seat, and the moves that it begins with.

    The games of a pair begin with the same opening, with the seats swapped.
    """

    number: int
    players: tuple[str, str]
    opening: tuple[str, ...] = ()
    pair: int = 0
    round: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # What dataclasses with slots do by themselves takes three times as long, for millions of games.
        return Fixture, (self.number, self.players, self.opening, self.pair, self.round)


@dataclass(frozen=True, slots=True)
class Effort:
    """What one player spent on one game: its moves, and over all of them the time, the nodes and the depths."""

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """The seconds of the slowest move."""
    nodes: int = 0
    depths: int = 0
    """The sum of the depths that its searches reached."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Effort, (self.moves, self.seconds, self.slowest, self.nodes, self.depths)


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a fixture. `moves` are all from the start, the opening and what chance rolled included.

    `winner` is a seat, None for a draw; `efforts` are by seat; `fault` says in a line what went wrong with a bot.
    """

    fixture: Fixture
    moves: tuple[str, ...]
    winner: int | None
    ending: Ending
    efforts: tuple[Effort, Effort] = (Effort(), Effort())
    fault: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return Played, (self.fixture, self.moves, self.winner, self.ending, self.efforts, self.fault)

    def score(self, seat: int) -> float:
        """Return what the game was worth to a seat: 1, 0.5 or 0."""
        return 0.5 if self.winner is None else float(self.winner == seat)

    def score_of(self, bot: str) -> float:
        """Return what it was worth to one of two different bots."""
        return self.score(self.fixture.players.index(bot))
