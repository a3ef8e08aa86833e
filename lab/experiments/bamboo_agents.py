"""Table IV of the Bamboo paper: round robin of the best player of each kind."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import ClassVar, Final

from cornered.lab.contests.openings import Openings, random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.bamboo_round_robin import RADIUS, BambooRoundRobin
from cornered.lab.experiments.findings import FigureRow, Scale

__all__ = ["EXPERIMENTS", "Agents"]

MCTS_BOT: Final = "bamboo-mcts:iterations=1000,c=0.4"


class Agents(BambooRoundRobin):
    name = "bamboo-table-4"
    title = "Table IV: the best of each kind against each other"
    source = "bamboo-paper.txt, section V.F, Table IV"
    place = 70
    players: ClassVar[Mapping[str, str]] = {
        "random": "bamboo-uniform",
        "minimax": "bamboo-minimax:depth=2",
        "MCTS": MCTS_BOT,
        "neural net": "bamboo-neural",
        "hybrid": "bamboo-hybrid:threshold=40,depth=2",
    }
    printed: ClassVar[Mapping[tuple[str, str], float]] = {
        ("minimax", "random"): 100,
        ("MCTS", "random"): 88,
        ("neural net", "random"): 52,
        ("hybrid", "random"): 91,
        ("MCTS", "minimax"): 1,
        ("neural net", "minimax"): 0,
        ("hybrid", "minimax"): 0,
        ("neural net", "MCTS"): 1,
        ("hybrid", "MCTS"): 45,
        ("hybrid", "neural net"): 100,
    }

    def games(self, first: str, second: str, scale: Scale) -> int:
        if scale == "tiny":
            return 2
        if scale == "quick":
            return 20 if MCTS_BOT in (first, second) else 100
        return 200 if MCTS_BOT in (first, second) else 1000

    def bot(self, name: str, scale: Scale) -> str:
        # Tests use fewer iterations: a thousand a move take too long.
        return "bamboo-mcts:iterations=20,c=0.4" if scale == "tiny" and name == "MCTS" else self.players[name]

    def openings(self, terms: ContestTerms) -> Openings:
        return random_plies(terms, 2)

    def notes(self, rows: Mapping[tuple[str, str], FigureRow]) -> list[str]:
        share = {pair: row.ours for pair, row in rows.items()}
        share.update({(second, first): 100 - ours for (first, second), ours in share.items()})
        means = {
            name: statistics.fmean(share[name, other] for other in self.players if other != name)
            for name in self.players
        }
        order = sorted(means, key=lambda name: -means[name])
        notes = [
            f"Size {RADIUS}, the paper's usual board.",
            "Every game begins with one random stone of each player, the same for both games of a pair: minimax, "
            "network and hybrid always answer a position in the same way, so a hundred games of two of them from the "
            "empty board would be two games, fifty times each.",
            "By the mean of its four shares, each player: "
            + ", ".join(f"{name} {means[name]:.0f}%" for name in order)
            + f". The paper has minimax first with 99% and more against everybody; ours is {_place(order, 'minimax')}, "
            f"with {min(share['minimax', other] for other in self.players if other != 'minimax'):.0f}% against its "
            "hardest opponent.",
        ]
        if rows["neural net", "random"].low > 50:
            notes.append(
                "The paper's network is no better than chance; ours, which has the same shape, beats the uniform "
                f"player in {rows['neural net', 'random'].ours:.0f}% of the games. So the shape was not what kept the "
                "paper's from learning. Our hybrid follows a better network until 40 cells are left, and is "
                "better for that."
            )
        if rows["MCTS", "minimax"].low > self.printed["MCTS", "minimax"]:
            notes.append(
                "Our tree search is stronger than the paper's with the same number of iterations and the same c: it "
                f"wins {rows['MCTS', 'minimax'].ours:.0f}% against minimax. The paper's text does not tell why."
            )
        return notes


def _place(order: list[str], name: str) -> str:
    return ("first", "second", "third", "fourth", "fifth")[order.index(name)]


EXPERIMENTS = (Agents(),)
