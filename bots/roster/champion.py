"""The strongest player of every game: the book, then a proof, then one of the two compiled searches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Final

from cornered.bots.book import lookup
from cornered.bots.bot import Limit, Line, Proven, Setting, SettingValue, Thought
from cornered.bots.evaluate import evaluator, has_network
from cornered.bots.roster.puct import PuctBot
from cornered.bots.search.borrower import TableKeeper
from cornered.bots.search.searcher import SELECTIVE, Searcher, Style, learnt_style
from cornered.bots.solve import Proof, prove, score, warm
from cornered.bots.textbook.deepening import search
from cornered.engine import Game, State

__all__ = ["BOT", "PUCT_GAMES", "ChampionBot", "distinct_versions"]

PROOF_TIME_MIN_MS = 5
"""Milliseconds from which on a proof is tried."""
UNKNOWN_LENGTH_PLIES = 500
"""Assumed distance in plies of a proven result without a counted one."""
TIE_BREAK_TIME_MS = 40
"""Milliseconds for the search that chooses among moves that are proven to be equally good."""


FIRST_LEARNT_VERSION: Final = 2
FIRST_PUCT_VERSION: Final = 3
FIRST_TUNED_VERSION: Final = 4
NEWEST_VERSION: Final = 4
PUCT_GAMES: Final[Mapping[str, Mapping[str, float]]] = {
    "bamboo": {},
    "isolation": {"exploration": 0.8, "loss": 0.16, "temperature": 1.6},
}
"""Where Monte Carlo tree search by the network is stronger than the compiled search, and the settings of `puct` that
replace its defaults from FIRST_TUNED_VERSION on: docs/strength.md."""


def distinct_versions(game: Game) -> tuple[int, ...]:
    """Return the versions that play a board differently from the one before, the first one first."""
    if not has_network(game):
        return (1,)
    if game.name not in PUCT_GAMES:
        return (1, FIRST_LEARNT_VERSION)
    by_puct = (FIRST_PUCT_VERSION, FIRST_TUNED_VERSION) if PUCT_GAMES[game.name] else (FIRST_PUCT_VERSION,)
    return (1, FIRST_LEARNT_VERSION, *by_puct)


class _Stopped(Exception):
    """This process's stop flag is set."""


class ChampionBot(TableKeeper):
    name = "champion"
    description = "The strongest: plays what it can prove, and searches millions of positions where it cannot."
    SETTINGS = (
        Setting(
            "version",
            "1 is without networks, 2 without Monte Carlo tree search, 3 with its default settings",
            NEWEST_VERSION,
            1,
            NEWEST_VERSION,
        ),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._version = int(self.settings["version"])
        self._puct: tuple[str, PuctBot] | None = None
        """A game, and the player with its settings. One for all games, since its trees may take hundreds of MB."""

    def gains_from_help(self, game: Game) -> bool:
        # A tree of visits is in no table that workers share. Searches of several lines could share one, and do not.
        return not self._plays_by_puct(game)

    def prepare(self, game: Game) -> None:
        start = game.start()
        if not Searcher.supports(game):
            search(start, Limit(nodes=10), evaluator(game.name), self.chance)
            return
        self.searcher(game, Limit(time=1)).search(start, Limit(depth=1), self._style(game))
        lookup(start)
        warm(game.name)
        if self._plays_by_puct(game):
            self._tree_search(game).prepare(game)

    def _style(self, game: Game) -> Style:
        return learnt_style(game.name) if self._version >= FIRST_LEARNT_VERSION else SELECTIVE

    def _plays_by_puct(self, game: Game) -> bool:
        """Return whether a board is played by Monte Carlo tree search, where time or nodes limit it."""
        return self._version >= FIRST_PUCT_VERSION and FIRST_PUCT_VERSION in distinct_versions(game)

    def _tree_search(self, game: Game) -> PuctBot:
        """Return the player of a game's boards by Monte Carlo tree search, with this version's settings."""
        if self._puct is None or self._puct[0] != game.name:
            settings = PUCT_GAMES[game.name] if self._version >= FIRST_TUNED_VERSION else {}
            self._puct = game.name, PuctBot(None, **settings)
        player = self._puct[1]
        if self.memory is not None:
            player.lend(self.memory)
        return player

    def choose(self, state: State, limit: Limit) -> Thought:
        if not Searcher.supports(state.game):
            return search(state, limit, evaluator(state.game.name), self.chance)
        booked = lookup(state) if limit.lines == 1 and limit.depth is None else None
        if booked is not None:
            return Thought(booked.move, booked.score, booked.depth, pv=booked.pv or (booked.move,))
        started = perf_counter()
        searcher = self.searcher(state.game, limit)
        proof = self._proof(state, limit)
        if proof is None:
            return self._searched(state, limit, searcher)
        if proof.value is not None:
            return replace(_proof_thought(state, limit, proof, searcher), seconds=perf_counter() - started)
        if limit.nodes is not None:
            limit = replace(limit, nodes=limit.nodes - proof.nodes)
        thought = self._searched(state, limit, searcher, without=frozenset(proof.values))
        return replace(thought, nodes=thought.nodes + proof.nodes, seconds=thought.seconds + proof.seconds)

    def _searched(
        self, state: State, limit: Limit, searcher: Searcher, without: Collection[str] = frozenset()
    ) -> Thought:
        """Return what a search finds, by the kind that is stronger here. Only one of them has exact lines, and a
        depth."""
        if limit.depth is None and limit.lines == 1 and self._plays_by_puct(state.game):
            return self._tree_search(state.game).choose_without(state, limit, without)
        return searcher.search(state, limit, self._style(state.game), without=without)

    def _proof(self, state: State, limit: Limit) -> Proof | None:
        """Return a proof by half of the limit; none for a limit of depth, which asks for a search."""
        is_in_haste = limit.remaining is not None and limit.remaining * 1000 < PROOF_TIME_MIN_MS
        if limit.depth is not None or limit.nodes == 1 or is_in_haste:
            return None
        time = None if limit.time is None else max(1, limit.time // 2)
        nodes = None if limit.nodes is None else limit.nodes // 2
        with suppress(_Stopped):
            return prove(state, replace(limit, time=time, nodes=nodes), self._raise_when_stopped)
        return None

    def _raise_when_stopped(self, _: int) -> None:
        """End a proof when the stop flag is set, as a search does by itself."""
        if self.memory is not None and self.memory.is_stopped:
            raise _Stopped


def _proof_thought(state: State, limit: Limit, proof: Proof, searcher: Searcher) -> Thought:
    """Return the thought of a proof; the search chooses among equally good moves."""
    order = list(proof.best)
    first, looked = order[0], None
    equals = [move for move in order if _proven_score(proof, move) == _proven_score(proof, first)]
    left = None if limit.nodes is None else limit.nodes - proof.nodes
    if len(equals) > 1 and left != 0:
        time = (
            TIE_BREAK_TIME_MS
            if limit.remaining is None
            else max(1, min(TIE_BREAK_TIME_MS, round(limit.remaining * 1000)))
        )
        others = frozenset(order).difference(equals)
        looked = searcher.search(state, Limit(None if left is not None else time, nodes=left), without=others)
        order.remove(looked.move)
        order.insert(0, looked.move)
    lines = tuple(
        Line(
            move,
            score(proof.values[move], proof.lengths.get(move, UNKNOWN_LENGTH_PLIES)) if move in proof.values else None,
            proof.values.get(move),
            proof.lengths.get(move),
            pv=proof.lines.get(move, (move,)),
        )
        for move in order
    )
    return Thought(
        order[0],
        lines[0].score,
        depth=looked.depth if looked else 0,
        nodes=proof.nodes + (looked.nodes if looked else 0),
        pruned=looked.pruned if looked else 0,
        pv=lines[0].pv,
        proven=proof.value,
        plies=lines[0].plies,
        deepest=looked.deepest if looked else 0,
        hits=looked.hits if looked else 0,
        lines=lines,
    )


def _proven_score(proof: Proof, move: str) -> tuple[Proven | None, int | None]:
    return proof.values.get(move), proof.lengths.get(move)


BOT = ChampionBot
