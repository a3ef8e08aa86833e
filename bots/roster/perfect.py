"""Never wrong: plays the quickest win there is, and where there is none, the longest defence."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from cornered.bots.bot import Bot, Limit, Line, Thought
from cornered.bots.solve import Proof, score
from cornered.bots.solve.trapgrid import prove
from cornered.engine import State

__all__ = ["BOT", "PerfectBot"]


class PerfectBot(Bot):
    name = "perfect"
    description = "Solves the position: wins whatever can be won, as fast as it can, and loses as late as possible."
    games = ("trapgrid",)

    def choose(self, state: State, limit: Limit) -> Thought:
        started = perf_counter()
        proof = prove(state, limit)
        move, nodes = self._trickiest(state, proof, limit)
        others = (other for other in proof.best if other != move)
        lines = tuple(_line(state, proof, candidate, limit) for candidate in (move, *others))
        best = lines[0]
        proven = best.proven if best.proven == "win" or proof.is_whole else None
        return Thought(
            move,
            best.score if proven else None,
            best.depth,
            nodes,
            pv=best.pv or (move,),
            proven=proven,
            plies=best.plies if proven else None,
            deepest=best.depth,
            seconds=perf_counter() - started,
            lines=lines,
        )

    def _trickiest(self, state: State, proof: Proof, limit: Limit) -> tuple[str, int]:
        """Return the best move, and of equally long losses the one with the fewest right answers; and all nodes."""
        best, nodes = proof.best[0], proof.nodes
        if not proof.lengths or len(proof.lengths) < len(proof.moves) or proof.values[best] == "win":
            return best, nodes
        equals = [move for move in proof.best if proof.lengths[move] == proof.lengths[best]]
        fewest = 1.0
        for move in equals if len(equals) > 1 and proof.lengths[best] > 2 else ():
            left = None if limit.nodes is None else limit.nodes - nodes
            if left == 0 or limit.remaining == 0:
                break
            answers = prove(state.play(move), replace(limit, nodes=left, lines=1))
            nodes += answers.nodes
            right = sum(value == "win" for value in answers.values.values()) / len(answers.moves)
            if answers.is_whole and right < fewest:
                best, fewest = move, right
        return best, nodes


def _line(state: State, proof: Proof, move: str, limit: Limit) -> Line:
    value = proof.values.get(move)
    plies = proof.lengths.get(move) if value else None
    if value is None:
        return Line(move, pv=(move,))
    # An open length is bounded by the board.
    distance = plies if plies is not None else str(state).count(".")
    depth = min(distance, limit.depth or distance)
    return Line(move, score(value, distance), value, plies, depth, proof.lines.get(move, (move,)))


BOT = PerfectBot
