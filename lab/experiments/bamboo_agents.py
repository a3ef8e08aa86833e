"""Table IV of the Bamboo paper: round robin of the best player of each kind."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Final

from cornered.lab.contests.openings import no_opening, random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.bamboo_hybrid import UNPRINTED_NETWORK
from cornered.lab.experiments.bamboo_mcts_readings import SUMMED, ReadingGame, reading_wins
from cornered.lab.experiments.bamboo_round_robin import RADIUS, BambooRoundRobin
from cornered.lab.experiments.findings import FigureRow, Scale
from cornered.lab.experiments.judging import PAPER_GAMES, counted
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

__all__ = [
    "EXPERIMENTS",
    "SUMMED_PAIRS",
    "VARIANTS",
    "AgentVariant",
    "Agents",
    "distinct",
    "explained",
    "is_deterministic",
]

RANDOM: Final = "random"
MINIMAX: Final = "minimax"
MCTS: Final = "MCTS"
NETWORK: Final = "neural net"
HYBRID: Final = "hybrid"
DETERMINISTIC_BOTS: Final = ("bamboo-minimax", "bamboo-neural", "bamboo-hybrid")
CHANCE_BOTS: Final = ("bamboo-uniform", "network=chance")
SEARCH_BOT: Final = "bamboo-mcts"
OPENING_PLIES: Final = 2

AgentPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AgentVariant:
    """The table once more with other bots, or from other positions. `bots` replace those of the same names; `pairs` are
    the pairs that are played. A variant with openings is not the paper's and is compared with nothing."""

    suffix: str
    bots: Mapping[str, str] = field(default_factory=dict)
    pairs: Sequence[AgentPair] = ()
    has_openings: bool = False
    max_search_games: int = PAPER_GAMES
    """Most games of a pair with the tree search, which take seconds each."""


CHANCE: Final = AgentVariant(
    ", chance for the network",
    {NETWORK: "bamboo-uniform", HYBRID: "bamboo-hybrid:threshold=40,depth=2,groups=pairs,network=chance"},
    ((HYBRID, RANDOM), (NETWORK, MINIMAX), (HYBRID, MINIMAX), (NETWORK, MCTS), (HYBRID, MCTS)),
)
"""The paper's network wins 52% against uniform, so that uniform play in its place is the nearest control."""
ALL_GROUPS: Final = AgentVariant(
    ", single stones counted",
    {MINIMAX: "bamboo-minimax:depth=2,groups=all", HYBRID: "bamboo-hybrid:threshold=40,depth=2,groups=all"},
    (
        (MINIMAX, RANDOM),
        (HYBRID, RANDOM),
        (MCTS, MINIMAX),
        (NETWORK, MINIMAX),
        (HYBRID, MINIMAX),
        (HYBRID, MCTS),
        (HYBRID, NETWORK),
    ),
    max_search_games=40,
)
OPENINGS: Final = AgentVariant(
    f", after {OPENING_PLIES} random plies",
    {},
    ((MCTS, MINIMAX), (NETWORK, MINIMAX), (HYBRID, MINIMAX), (NETWORK, MCTS), (HYBRID, MCTS), (HYBRID, NETWORK)),
    has_openings=True,
    max_search_games=40,
)
VARIANTS: Final = (CHANCE, ALL_GROUPS, OPENINGS)
SUMMED_PAIRS: Final[Mapping[AgentPair, tuple[str, str]]] = {
    (MCTS, RANDOM): ("", "bamboo-uniform"),
    (MCTS, MINIMAX): ("", "bamboo-minimax:depth=2,groups=pairs"),
    (HYBRID, MCTS): (CHANCE.suffix, CHANCE.bots[HYBRID]),
}
"""Opponents of the tree search that takes v in equation 8 as the number of wins, by pair: suffix of the label, bot."""
SUMMED_GAMES: Final[Mapping[Scale, int]] = {"tiny": 2, "quick": 20, "full": 100}


def is_deterministic(*bots: str) -> bool:
    """Return whether bots always answer a position in the same way, so that the same opening gives the same game."""
    return all(bot.startswith(DETERMINISTIC_BOTS) and not any(random in bot for random in CHANCE_BOTS) for bot in bots)


def distinct(games: int, *bots: str) -> int:
    """Return how many of so many games of two bots from one position can be different."""
    return min(games, 2) if is_deterministic(*bots) else games


class Agents(BambooRoundRobin):
    name = "bamboo-table-4"
    title = "Table IV: the best of each kind against each other"
    source = "bamboo-paper.txt, section V.F, Table IV"
    place = 70
    players: ClassVar[Mapping[str, str]] = {
        RANDOM: "bamboo-uniform",
        MINIMAX: "bamboo-minimax:depth=2,groups=pairs",
        MCTS: "bamboo-mcts:iterations=1000,c=0.4",
        NETWORK: "bamboo-neural",
        HYBRID: "bamboo-hybrid:threshold=40,depth=2,groups=pairs",
    }
    printed: ClassVar[Mapping[AgentPair, float]] = {
        (MINIMAX, RANDOM): 100,
        (MCTS, RANDOM): 88,
        (NETWORK, RANDOM): 52,
        (HYBRID, RANDOM): 91,
        (MCTS, MINIMAX): 1,
        (NETWORK, MINIMAX): 0,
        (HYBRID, MINIMAX): 0,
        (NETWORK, MCTS): 1,
        (HYBRID, MCTS): 45,
        (HYBRID, NETWORK): 100,
    }

    def games(self, first: str, second: str, scale: Scale) -> int:
        if scale == "tiny":
            return 2
        if any(bot.startswith(SEARCH_BOT) for bot in (first, second)):
            return 20 if scale == "quick" else PAPER_GAMES
        return 100 if scale == "quick" else 1000

    def bot(self, name: str, scale: Scale) -> str:
        # Tests use fewer iterations: a thousand a move take too long.
        return "bamboo-mcts:iterations=20,c=0.4" if scale == "tiny" and name == MCTS else self.players[name]

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        pairs = [(later, earlier) for earlier, later in combinations(self.players, 2)]
        table = AgentVariant("", pairs=pairs)
        rows = {variant.suffix: self._rows(lab, variant) for variant in (table, *VARIANTS)}
        summed = self._summed(lab)
        chance, table_rows = rows[CHANCE.suffix], rows[""]
        every = [
            *(explained(row, chance.get(pair), summed.get(pair)) for pair, row in table_rows.items()),
            *(_bracketed(explained(row, summed.get(pair)), chance, summed) for pair, row in chance.items()),
            *(explained(row, table_rows[pair], summed.get(pair)) for pair, row in rows[ALL_GROUPS.suffix].items()),
            *rows[OPENINGS.suffix].values(),
            *(_bracketed(explained(row), chance, summed) for row in summed.values()),
        ]
        notes = [*self.notes(table_rows), *_variant_notes(rows, summed)]
        return every, notes, {"pairs": [list(pair) for pair in pairs]}

    def _summed(self, lab: Laboratory) -> dict[AgentPair, FigureRow]:
        """Return the rows of the tree search by the text below equation 8."""
        iterations, games = (20 if lab.scale == "tiny" else 1000), SUMMED_GAMES[lab.scale]
        items = [
            ReadingGame(SUMMED, 0.4, iterations, opponent, lab.seed, number)
            for _, opponent in SUMMED_PAIRS.values()
            for number in range(games)
        ]
        won = lab.measure("summed", reading_wins, items)
        rows = {}
        for place, (pair, (suffix, _)) in enumerate(SUMMED_PAIRS.items()):
            wins = sum(won[place * games : (place + 1) * games])
            tally = Tally.of(wins if pair[0] == MCTS else games - wins, games)
            rows[pair] = counted(f"{pair[0]} against {pair[1]}{suffix}, {SUMMED}", self.printed[pair], tally)
        return rows

    def _rows(self, lab: Laboratory, variant: AgentVariant) -> dict[AgentPair, FigureRow]:
        """Return the rows of a variant by pair."""
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        opening = random_plies(terms, OPENING_PLIES) if variant.has_openings else no_opening
        asked = []
        for pair in variant.pairs:
            first, second = (variant.bots.get(name, self.bot(name, lab.scale)) for name in pair)
            games = self.games(first, second, lab.scale)
            if any(bot.startswith(SEARCH_BOT) for bot in (first, second)):
                games = min(games, variant.max_search_games)
            asked.append((first, second, games if variant.has_openings else distinct(games, first, second)))
        meetings = lab.meet(f"games{variant.suffix.replace(',', '').replace(' ', '-')}", terms, asked, openings=opening)
        rows = {}
        for pair, meeting in zip(variant.pairs, meetings, strict=True):
            claimed = None if variant.has_openings else self.printed[pair]
            # Two games of the paper's are all that two deterministic players can have from the empty board.
            alike = is_deterministic(*(self.players[name] for name in pair))
            label = f"{pair[0]} against {pair[1]}{variant.suffix}"
            note = (
                f"printed for {PAPER_GAMES} games, which are 2 different ones" if alike and claimed is not None else ""
            )
            rows[pair] = counted(label, claimed, meeting.tally, of=2 if alike else PAPER_GAMES, note=note)
        return rows

    def notes(self, rows: Mapping[AgentPair, FigureRow]) -> list[str]:
        share = {pair: row.ours for pair, row in rows.items()}
        share.update({(second, first): 100 - ours for (first, second), ours in share.items()})
        means = {
            name: statistics.fmean(share[name, other] for other in self.players if other != name)
            for name in self.players
        }
        order = sorted(means, key=lambda name: -means[name])
        return [
            f"Size {RADIUS}, the paper's usual board, from the empty board, with groups of two stones or more.",
            "Minimax, network and hybrid always answer a position in the same way, so a hundred games of two of them "
            "from the empty board are two games, fifty times each. The paper's three such pairs have 0%, 0% and 100%, "
            "multiples of one half, as they must. Both counts are taken as two games, which decide nothing; the rows "
            f"after {OPENING_PLIES} random plies, the same for both games of a pair, are ours alone.",
            "By the mean of its four shares, each player: "
            + ", ".join(f"{name} {means[name]:.0f}%" for name in order)
            + f". The paper has minimax first with 99% and more against everybody; ours is {_place(order, MINIMAX)}, "
            f"with {min(share[MINIMAX, other] for other in self.players if other != MINIMAX):.0f}% against its "
            "hardest opponent.",
        ]


def explained(row: FigureRow, *others: FigureRow | None) -> FigureRow:
    """Return the row with the reason why it differs: another reading of the same pair agrees, or the network, which the
    paper does not print. A control without a network is no reading of the paper."""
    for other in others:
        if other is None or other.verdict != "agrees":
            continue
        agreement = f'{other.ours:.1f}%, which agrees: the row "{other.label}".'
        if CHANCE.suffix in other.label and CHANCE.suffix not in row.label:
            why = f"{UNPRINTED_NETWORK} With uniform play in its place, as a control, the figure is {agreement}"
            return row.because("vague", why)
        return row.because("definition", f"Another reading gives {agreement}")
    if CHANCE.suffix not in row.label and (NETWORK in row.label or HYBRID in row.label):
        why = f"{UNPRINTED_NETWORK} Ours has the printed shape; the printed one is no better than chance."
        return row.because("vague", why)
    return row.because(
        "unexplained",
        "Tried: our search by the text above equation 8, and by the text below it; uniform play in the place of the "
        "network; groups of two stones or more, and of one.",
    )


def _bracketed(
    row: FigureRow, chance: Mapping[AgentPair, FigureRow], summed: Mapping[AgentPair, FigureRow]
) -> FigureRow:
    """Return a row of the hybrid against MCTS as vague where the two readings of MCTS lie on either side of the printed
    share; any other row itself."""
    pair = HYBRID, MCTS
    if row.label not in (chance[pair].label, summed[pair].label):
        return row
    low, high = sorted((chance[pair].ours, summed[pair].ours))
    if not low < Agents.printed[pair] < high:
        return row
    return row.because(
        "vague",
        "The pair depends on the strength of the network, which is not printed, and on v in equation 8, which is "
        f"defined twice. With uniform play for the network the hybrid wins {chance[pair].ours:.0f}% by the average of "
        f"wins and {summed[pair].ours:.0f}% by their number, on either side of the printed figure.",
    )


def _variant_notes(
    rows: Mapping[str, Mapping[AgentPair, FigureRow]], summed: Mapping[AgentPair, FigureRow]
) -> list[str]:
    table, chance = rows[""], rows[CHANCE.suffix]
    notes = [
        "Minimax depends on what a group is and on where games begin. MCTS wins "
        f"{table[MCTS, MINIMAX].ours:.1f}% against it by the paper's definition, "
        f"{rows[ALL_GROUPS.suffix][MCTS, MINIMAX].ours:.1f}% when single stones count, and "
        f"{rows[OPENINGS.suffix][MCTS, MINIMAX].ours:.1f}% after {OPENING_PLIES} random plies; 1% is printed.",
        "With uniform play in the place of the network, as a control, the hybrid wins "
        f"{chance[HYBRID, RANDOM].ours:.1f}% against random (printed 91%), {chance[HYBRID, MINIMAX].ours:.1f}% against "
        f"minimax (printed 0%) and {chance[HYBRID, MCTS].ours:.1f}% against MCTS (printed 45%).",
    ]
    notes.append(
        "MCTS by the text below equation 8, with the number of wins for v, wins "
        f"{summed[MCTS, RANDOM].ours:.1f}% against random (printed 88%), and by the text above it, with their average, "
        f"{table[MCTS, RANDOM].ours:.1f}%."
    )
    if table[NETWORK, RANDOM].low > 50:
        notes.append(
            "The paper's network is no better than chance; ours, which has the same shape, beats the uniform "
            f"player in {table[NETWORK, RANDOM].ours:.0f}% of the games. So the shape was not what kept the "
            "paper's from learning."
        )
    return notes


def _place(order: list[str], name: str) -> str:
    return ("first", "second", "third", "fourth", "fifth")[order.index(name)]


EXPERIMENTS = (Agents(),)
