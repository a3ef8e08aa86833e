"""The card of a network: what it is, how it was made, how strong it is, and what it does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cornered.bots.nnue.layout import HIDDEN, SECOND
from cornered.engine.records.files import replacing
from cornered.lab.learning.generations import Generation
from cornered.lab.learning.plan import SUBJECTS, LearningPlan

__all__ = ["CARD", "write_card"]

CARD: Final = "network.md"


def write_card(plan: LearningPlan, folder: Path, generation: Generation) -> None:
    """Write the card beside the network of a generation."""
    board = ", ".join(f"{name} {value}" for name, value in SUBJECTS[plan.game].options.items())
    judgement, loss = generation.judgement, generation.loss
    verdict = {"H1": "stronger", "H0": "not stronger", None: "undecided"}[judgement["verdict"]]
    text = f"""# Network of {plan.game.title()}, generation {generation.number}

Evaluates positions of {plan.game} for two ({board}) in the compiled search. A first layer of {HIDDEN} units over the
features of the position, {SECOND} units, and one score: the expected result of the mover. Beside it are preferences,
one for each move, which order the moves of the search.

| | |
| --- | --- |
| command | `{plan.command}` |
| seed | {plan.seed} |
| data | {generation.positions:,} positions of games that it played itself, {plan.nodes} nodes a move |
| training | {plan.epochs} epochs; cross-entropy {loss["learnt"]:.4f}, of games held out {loss["held_out"]:.4f} |
| against the network before | {verdict}: pairs of 0 to 2 points {judgement["pairs"]}, llr {judgement["llr"]} |

It knows boards of this size alone; the search uses the hand-written evaluation on others. Positions that no game of the
search comes near, such as those of random walls, were seen at the beginning of games only.
"""
    with replacing(folder / f"generation-{generation.number}" / CARD) as part:
        part.write_text(text, encoding="utf-8")
