"""Finished matches as the archive indexes them, made from their events, and what they add to its counters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Final, Literal, NamedTuple, TypeAlias

from cornered.protocol.archive import MAX_OPENING_PLIES, HeadToHeadCount, OpeningMove
from cornered.protocol.events import Ended, MatchEvent, Played, Rolled, Started, TakenBack
from cornered.protocol.values import GameSpec, OptionValue

__all__ = [
    "MAX_MOVES",
    "Indexed",
    "Line",
    "Pair",
    "Scores",
    "heads",
    "index_of",
    "moves_of",
    "option_text",
    "options_text",
    "variant_of",
]

MAX_MOVES: Final = 60
"""Moves of an opening that are answered."""
TIE_BITS: Final = 48
VARIANT_CHARACTERS: Final = 32

SeatResult: TypeAlias = Literal["win", "loss", "draw", "none"]
Outcome: TypeAlias = Literal["decided", "draw", "none"]


class Scores(NamedTuple):
    """Numbers of results, of one side."""

    wins: int
    losses: int
    draws: int

    def plus(self, other: Scores) -> Scores:
        return Scores(*(one + more for one, more in zip(self, other, strict=True)))


class Line(NamedTuple):
    """A move after a line of a variant, the moves of which are separated by spaces."""

    variant: str
    line: str
    move: str


class Pair(NamedTuple):
    """Two players and a game, as the first of them sees it."""

    player: str
    opponent: str
    game: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """A finished match as the archive finds it.

    `results` is by seat. `opening` has the first plies with the seat of each move, None for a roll. `variant` is the
    key of the game with all its options.
    """

    match: str
    game: str
    options: str
    variant: str
    clock: str
    private: bool
    rated: bool
    plies: int
    winner: int | None
    outcome: Outcome
    reason: str
    started: int
    ended: int
    players: tuple[tuple[str, str], ...]
    places: tuple[int, ...]
    opening: tuple[tuple[str, int | None], ...]

    @property
    def tie(self) -> int:
        return int.from_bytes(hashlib.sha256(self.match.encode()).digest()[: TIE_BITS // 8], "big")

    @property
    def opening_text(self) -> str:
        """The moves of the opening, each followed by a space."""
        return "".join(f"{move} " for move, _ in self.opening)

    def result(self, seat: int) -> SeatResult:
        """Return the result of a seat; a best place that is shared is a draw."""
        if not self.places:
            return "none"
        if self.places[seat] != 1:
            return "loss"
        return "win" if self.places.count(1) == 1 else "draw"

    def seats(self) -> Iterator[tuple[int, str, str, SeatResult]]:
        """Yield each player once, with its first seat, kind and result."""
        seen = set[str]()
        for seat, (player, kind) in enumerate(self.players):
            if player not in seen:
                seen.add(player)
                yield seat, player, kind, self.result(seat)

    def pairs(self) -> Iterator[tuple[Pair, Scores]]:
        """Yield what the match adds to the results of each two of its players: nothing if it is private."""
        if self.private or not self.places:
            return
        for one, other in permutations(range(len(self.players)), 2):
            player, opponent = self.players[one][0], self.players[other][0]
            if player != opponent:
                mine, theirs = self.places[one], self.places[other]
                yield Pair(player, opponent, self.game), Scores(mine < theirs, mine > theirs, mine == theirs)

    def lines(self) -> Iterator[tuple[Line, Scores]]:
        """Yield what the match adds to the moves of its opening, from their players' sides: nothing if private."""
        if self.private or not self.places:
            return
        moves: list[str] = []
        for move, seat in self.opening:
            result = "loss" if seat is None else self.result(seat)
            if seat is None and self.outcome == "draw":
                result = "draw"
            score = Scores(result == "win", result == "loss", result == "draw")
            yield Line(self.variant, " ".join(moves), move), score
            moves.append(move)


def index_of(events: Iterable[MatchEvent]) -> Indexed | None:
    """Return a finished match as the archive indexes it; None for one that goes on, or does not begin."""
    started: Started | None = None
    ended: Ended | None = None
    plies, opening = 0, list[tuple[str, int | None]]()
    for event in events:
        # Offers, refunds, departures and rematches change nothing here: what comes of them is in `ended`.
        if isinstance(event, Started):
            started = event
        elif isinstance(event, Played | Rolled):
            plies = event.ply + 1
            if event.ply < MAX_OPENING_PLIES:
                opening.append((event.move, event.seat if isinstance(event, Played) else None))
        elif isinstance(event, TakenBack):
            plies = event.ply
            del opening[plies:]
        elif isinstance(event, Ended):
            ended = event
    if started is None or ended is None:
        return None
    outcome: Outcome = "none" if not ended.places else "draw" if ended.winner is None else "decided"
    return Indexed(
        match=started.match,
        game=started.game.name,
        options=options_text(started.game.options),
        variant=variant_of(started.game),
        clock=started.clock.kind,
        private=started.private,
        rated=ended.rated,
        plies=plies,
        winner=ended.winner,
        outcome=outcome,
        reason=ended.reason,
        started=started.at,
        ended=ended.at,
        players=tuple((player.id, player.kind) for player in started.players),
        places=ended.places,
        opening=tuple(opening),
    )


def options_text(options: Mapping[str, OptionValue]) -> str:
    """Return options as one text: `|name=value|` for each, in the order of their names."""
    return "".join(option_text(name, options[name]) for name in sorted(options))


def option_text(name: str, value: OptionValue) -> str:
    """Return one option as `options_text` has it."""
    return f"|{name}={'none' if value is None else str(value).lower()}|"


def variant_of(spec: GameSpec) -> str:
    """Return the key of a game with these options, all of which a match names."""
    text = spec.name + options_text(spec.options)
    return hashlib.sha256(text.encode()).hexdigest()[:VARIANT_CHARACTERS]


def heads(found: Iterable[tuple[str, Scores]]) -> tuple[HeadToHeadCount, ...]:
    """Return the results of each game as messages have them, the game with the most matches first."""
    ranked = sorted(found, key=lambda each: (-sum(each[1]), each[0]))
    return tuple(HeadToHeadCount(game=game, wins=won, losses=lost, draws=drawn) for game, (won, lost, drawn) in ranked)


def moves_of(found: Iterable[tuple[str, Scores]]) -> tuple[int, tuple[OpeningMove, ...]]:
    """Return in how many games a move followed, and the moves as messages have them, the most frequent first."""
    ranked = sorted(found, key=lambda each: (-sum(each[1]), each[0]))
    total = sum(sum(score) for _, score in ranked)
    return total, tuple(
        OpeningMove(move=move, games=sum(score), wins=score.wins, draws=score.draws)
        for move, score in ranked[:MAX_MOVES]
    )
