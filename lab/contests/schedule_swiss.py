"""Swiss tournament: few rounds, each of which pairs bots of similar score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cornered.contests.pairing import Entrant, swiss
from cornered.contests.standings import Meeting, buchholz, sonneborn_berger
from cornered.lab.contests.openings import Openings
from cornered.lab.contests.schedule import arranged
from cornered.lab.contests.terms import Fixture, PlayedGame

__all__ = ["Place", "Swiss"]


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place: match points, then the tie-breaks Buchholz and Sonneborn-Berger. A bye counts as a win against a
    virtual opponent with the bot's own points (FIDE handbook, C.07)."""

    name: str
    points: float
    buchholz: float
    sonneborn_berger: float
    byes: int


@dataclass(frozen=True, slots=True)
class Swiss:
    """`rounds` rounds of meetings of `each` games; `bots` are in the order of their seeding. A meeting is worth one
    point, divided as its games are. With an odd number of bots one of them has a bye in each round and scores the
    point without a game. With an odd number of games a meeting, the bot that had the first seat less often has it
    once more."""

    bots: tuple[str, ...]
    rounds: int
    each: int
    openings: Openings

    def games(self) -> int:
        return self.rounds * (len(self.bots) // 2) * self.each

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> list[Fixture]:
        if round_ >= self.rounds:
            return []
        meetings, _ = swiss(self._entrants(played), top_meets=True)
        begun = round_ * ((self.each + 1) // 2)
        return arranged(
            ((round_, first.name, second.name) for first, second in meetings),
            lambda pair: self.openings(begun + pair),
            self.each,
            played,
        )

    def standing(self, played: Sequence[PlayedGame]) -> list[Place]:
        """Return the places, best first; the seeding decides between equal places."""
        results = self._results(played)
        rounds = _begun(played)
        points = {entrant.name: entrant.points for entrant in self._entrants(played)}
        places = []
        for name in self.bots:
            byes = len(rounds) - len(results[name])
            met = [Meeting(share, other) for other, share in results[name].values()] + [Meeting(1.0)] * byes
            tie_breaks = buchholz(name, met, points), sonneborn_berger(name, met, points)
            places.append(Place(name, points[name], *tie_breaks, byes))
        return sorted(places, key=lambda place: (-place.points, -place.buchholz, -place.sonneborn_berger))

    def _results(self, played: Sequence[PlayedGame]) -> dict[str, dict[int, tuple[str, float]]]:
        """Return each bot's opponents by round, and its share of the meeting with each."""
        results: dict[str, dict[int, tuple[str, float]]] = {name: {} for name in self.bots}
        for game in played:
            players = game.fixture.players
            for seat, name in enumerate(players):
                _, share = results[name].get(game.fixture.round, ("", 0.0))
                results[name][game.fixture.round] = players[1 - seat], share + game.score(seat) / self.each
        return results

    def _entrants(self, played: Sequence[PlayedGame]) -> list[Entrant]:
        results = self._results(played)
        rounds = _begun(played)
        seats: dict[str, list[int]] = {name: [] for name in self.bots}
        for game in played:
            for seat, name in enumerate(game.fixture.players):
                seats[name].append(seat)
        return [
            Entrant(
                name,
                sum(share for _, share in results[name].values()) + len(rounds) - len(results[name]),
                tuple(other for other, _ in results[name].values()),
                tuple(seats[name]),
                byes=len(rounds) - len(results[name]),
                unplayed=len(rounds) - len(results[name]),
            )
            for name in self.bots
        ]


def _begun(played: Sequence[PlayedGame]) -> range:
    return range(1 + max((game.fixture.round for game in played), default=-1))
