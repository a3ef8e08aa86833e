"""The compiled search of one game: iterative deepening at the root, principal variation search below it.

    searcher = Searcher(game)                                   # a memory of its own, kept from search to search
    thought = searcher.search(state, Limit(time=1000))          # strong
    style = learnt_style(state.game.name)
    thought = searcher.search(state, Limit(time=1000), style)   # stronger, where the board has a network
    thought = searcher.search(state, Limit(depth=4), FULL_WIDTH)  # the value of plain minimax at depth 4
    thought = searcher.search(state, Limit(depth=9, lines=3))   # exact scores and lines for the three best moves
    thought = searcher.search(state, limit, without={"e2"})     # the best of the other moves

Call `cornered.bots.search.warming.warm` once before: it compiles for all processes. A search ends at its limit, at a
proof, or when `stop` is called on its memory; it always returns a move. To ponder, search the expected position with
`Limit()` and stop it. To search with several processes, see `cornered.bots.search.memory`: each calls `search` with the
same state, game and style at its own workspace; the main workspace's answer counts, and its process then stops the
others.

The same memory content, state, depth or nodes give the same thought at workspace 0, as long as no other process uses
the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from cornered.bots.bot import Limit, Thought
from cornered.bots.search.iterative_deepening import IterativeDeepening
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.specialise import SpecialisedSearch, specialised_search, supports
from cornered.bots.search.style import FULL_WIDTH, SELECTIVE, Pruning, Style, learnt_style
from cornered.engine import Game, State

__all__ = ["FULL_WIDTH", "SELECTIVE", "Limit", "Pruning", "Searcher", "Style", "learnt_style"]


class Searcher:
    """Searches positions of one game. Not for two threads at once: each needs a memory, or a workspace, of its own."""

    def __init__(self, game: Game, memory: SearchMemory | None = None, made: SpecialisedSearch | None = None) -> None:
        """Load the game's search, or compile it, unless another one is given that was `made` for it.

        Raises a ValueError for a game that has no search.
        """
        if not supports(game):
            raise ValueError(f"the compiled search does not play {game!r}")
        self.game = game
        self.memory = SearchMemory.private() if memory is None else memory
        self.made = specialised_search(game.name) if made is None else made

    @staticmethod
    def supports(game: Game) -> bool:
        """Return whether there is a search for `game`: two players, no dice, and an evaluation of its own."""
        return supports(game)

    def search(
        self,
        state: State,
        limit: Limit,
        style: Style = SELECTIVE,
        *,
        without: Collection[str] = (),
        report: Callable[[Thought], None] | None = None,
    ) -> Thought:
        """Return the best move of `state`, which is not over, leaving out the moves of `without` but not all of them.

        `report` is called with the thought so far after each iteration. `proven` is certain for wins and losses and
        never set for draws; `plies` is then an upper bound on the distance.
        """
        if state.game != self.game:
            raise ValueError(f"this searcher plays {self.game!r}, not {state.game!r}")
        return IterativeDeepening(self.made, self.memory, state, limit, style, without, report).run()
