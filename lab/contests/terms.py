"""The input and output types of a contest: its terms, which all games share, its fixtures, and the games played."""

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

__all__ = ["ENDINGS", "FAULT_ENDINGS", "ContestTerms", "Effort", "Fixture", "GameEnding", "PlayedGame"]

GameEnding: TypeAlias = Literal["rules", "adjudicated", "crashed", "illegal", "time", "length"]
"""Why a game ended: `rules`; `adjudicated`, both players proved the same result; `crashed`, a bot raised an exception
or its process died; `illegal`, an illegal move; `time`, a late move or an expired clock; `length`, a draw at the
maximum number of plies."""

ENDINGS: Final[tuple[GameEnding, ...]] = ("rules", "adjudicated", "crashed", "illegal", "time", "length")

FAULT_ENDINGS: Final = frozenset[GameEnding]({"crashed", "illegal", "time"})
"""The endings by a bot's failure."""

SEED_LIMIT: Final = 2**63
"""Bound of seeds: compiled code uses signed 64-bit integers."""


@dataclass(frozen=True, slots=True)
class ContestTerms:
    """Parameters of all games of a contest. Equal terms and fixtures give equal games, unless a clock decides. `time`
    is in milliseconds a move, `depth` in plies, `nodes` in positions a move; None is no limit. `server` is None for
    games in this process."""

    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    time: int | None = None
    depth: int | None = None
    nodes: int | None = None
    seed: int = 1
    adjudicates: bool = False
    longest: int = 600
    """Number of plies after which an unfinished game is a draw."""
    server: str | None = None
    clock: str | None = None
    """Time control of games on a server, as in 5+3."""

    @classmethod
    def of(cls, game: str, options: Mapping[str, OptionValue] | None = None, **further: Any) -> Self:
        """Return the terms of games for two, as `of_any_seats` does. Raises ValueError for a game of more too."""
        terms = cls.of_any_seats(game, options, **further)
        if terms.load().seats != 2:
            raise ValueError("these contests are for two players; leave out the option of more, or play a tournament")
        return terms

    @classmethod
    def of_any_seats(cls, game: str, options: Mapping[str, OptionValue] | None = None, **further: Any) -> Self:
        """Return terms with the game's suggested draw rules where `options` gives none. Raises ValueError that lists
        the valid names or options, or says what games of more than two players cannot have."""
        given = dict(options or {})
        loaded = engine.load(game, **given)
        settled = {**loaded.options, **loaded.suggestions(loaded.options), **given}
        terms = cls(game, dict(engine.load(game, **settled).options), **further)
        if terms.load().seats > 2 and terms.server is not None:
            raise ValueError("contests of more than two players are played in process: leave out --server")
        if terms.load().seats > 2 and terms.adjudicates:
            raise ValueError("results of more than two players are not adjudicated: leave out --adjudicate")
        if not -SEED_LIMIT <= terms.seed < SEED_LIMIT:
            raise ValueError(f"a seed is from {-SEED_LIMIT} to {SEED_LIMIT - 1}, not {terms.seed}")
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
        """Raise ValueError for a name that is not a bot's, or a bot that does not play this game with its settings."""
        game = self.load()
        for spec in bots:
            bot = create(spec)
            if not bot.plays(game):
                instead = bot.played_instead(game)
                raise ValueError(f"{spec} does not play {game!r}{instead and f'; {instead}'}")
            try:
                bot.check(game)
            except ValueError as error:
                raise ValueError(f"{spec} does not play {game!r}: {error}") from None

    def chance(self, *what: object) -> Random:
        """Return a random generator that is determined by the seed and the purpose."""
        return Random(" ".join(map(str, (self.seed, self.game, *what))))

    def as_json(self) -> dict[str, Any]:
        """Return the terms as JSON-compatible values; `ContestTerms(**json)` is the inverse."""
        return {**asdict(self), "options": dict(self.options)}


@cache
def _loaded(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game:
    return engine.load(name, **dict(options))


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played: its number in the contest, the bots by seat, and its opening. The games of a pair have the
    same opening and the same bots, in rotated seats: two games of two bots, three of three."""

    number: int
    players: tuple[str, ...]
    opening: tuple[str, ...] = ()
    pair: int = 0
    round: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # Three times as fast as the pickling of slotted dataclasses, over millions of games.
        return Fixture, (self.number, self.players, self.opening, self.pair, self.round)


@dataclass(frozen=True, slots=True)
class Effort:
    """One player's effort in a game: its number of moves, and the sums of time, nodes and depths over them."""

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """Seconds of the slowest move."""
    nodes: int = 0
    depths: int = 0
    """Sum of the depths that its searches completed."""
    overruns: int = 0
    """Moves that took longer than their time by more than `arena.OVERRUN_TOLERANCE_S`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Effort, (self.moves, self.seconds, self.slowest, self.nodes, self.depths, self.overruns)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A played fixture. `moves` are all moves from the start, opening and dice rolls included. `winner` is a seat, None
    for a draw; `efforts` are by seat; `fault` describes in one line a bot's failure.

    Of a game for more than two, `ranks` are the places by seat, 1 the first, and `left` is the seat whose failure ended
    it; of two they follow from the winner.
    """

    fixture: Fixture
    moves: tuple[str, ...]
    winner: int | None
    ending: GameEnding
    efforts: tuple[Effort, ...] = (Effort(), Effort())
    fault: str = ""
    ranks: tuple[int, ...] = ()
    left: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.fixture, self.moves, self.winner, self.ending, self.efforts, self.fault
        return PlayedGame, (*fields, self.ranks, self.left) if self.ranks else fields

    @property
    def places(self) -> tuple[int, ...]:
        """The places by seat: 1 the first; those who share a place have the same."""
        if self.ranks:
            return self.ranks
        return (1, 1) if self.winner is None else (1, 2) if self.winner == 0 else (2, 1)

    @property
    def guilty(self) -> int | None:
        """The seat whose failure ended the game, if any."""
        if self.ending not in FAULT_ENDINGS:
            return None
        if self.ranks:
            return self.left
        return None if self.winner is None else 1 - self.winner

    def score(self, seat: int) -> float:
        """Return a seat's points: 1, 0.5 or 0, and of more than two players the mean over the others."""
        if self.ranks:
            return sum(self.beaten(seat, other) for other in range(len(self.ranks)) if other != seat) / (
                len(self.ranks) - 1
            )
        return 0.5 if self.winner is None else float(self.winner == seat)

    def beaten(self, seat: int, other: int) -> float:
        """Return the points of a seat against another one: 1 for a better place, 0.5 for the same, 0 for a worse."""
        mine, theirs = self.places[seat], self.places[other]
        return 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0

    def score_of(self, bot: str) -> float:
        """Return the points of a bot; the two bots have to differ."""
        return self.score(self.fixture.players.index(bot))
