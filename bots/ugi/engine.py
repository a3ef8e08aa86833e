"""A bot of this project as an engine: answers the lines of the Universal Game Interface (docs/engines.md).

`Engine.handle` takes one line and never waits for a search, which runs in a thread of its own.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from cornered import engine
from cornered.bots.bot import WIN, Bot, Limit, Thought
from cornered.bots.search.borrower import MemoryBorrower
from cornered.bots.search.memory import SearchMemory
from cornered.engine import CHANCE, Game, OptionValue, State
from cornered.engine.records.text import read_option

__all__ = ["Engine"]

DEFAULT_GAME: Final = "trapgrid"
STOP_TIMEOUT_S: Final = 0.1
"""Seconds from `stop` to the answer of a search that cannot be interrupted; then a legal move stands in."""
MOVES_LEFT: Final = 30
"""Moves over which the time of a clock without an increment is spread."""
CLOCK_SHARE_MAX: Final = 0.5
"""Share of the clock that one move takes at most."""
NO_MOVE: Final = "none"


@dataclass(slots=True)
class _Search:
    """A search that runs, or has been answered."""

    state: State
    bot: Bot
    is_over: threading.Event = field(default_factory=threading.Event)
    """Set when the bot has returned."""
    is_answered: bool = False
    is_infinite: bool = False
    """Whether the answer waits for `stop`."""
    thought: Thought | None = None


class Engine:
    """The engine's side of the interface. `write` gets each line of output; it is called in several threads, one at a
    time. `new_bot` is called for the bot and, after a search that could not be interrupted, for its successor."""

    def __init__(self, new_bot: Callable[[], Bot], write: Callable[[str], None]) -> None:
        self._new_bot = new_bot
        self._write = write
        self._bot: Bot | None = None
        self._memory: SearchMemory | None = None
        self._options: dict[str, OptionValue] = {}
        self._game: Game = engine.load(DEFAULT_GAME)
        self._state: State | None = None
        self._search: _Search | None = None
        self._answering = threading.RLock()
        """Held to answer a search, so that each gets one answer."""

    def handle(self, line: str) -> bool:
        """Carry out a line; return whether to go on. What cannot be carried out is told as `info string`."""
        match line.split():
            case ["ugi"]:
                self._introduce()
            case ["isready"]:
                if self._search is None or self._search.is_answered:
                    self._try(self._make_ready)
                self._say("readyok")
            case ["uginewgame"]:
                self.stop()
                self._state = None
            case ["setoption", "name", name, "value", value]:
                self._try(lambda: self._set(name, value))
            case ["position", *words]:
                self._try(lambda: self._place(words))
            case ["go", *words]:
                self.stop()
                self._try(lambda: self._go(words))
            case ["stop"]:
                self.stop()
            case ["query", what]:
                self._try(lambda: self._query(what))
            case ["quit"]:
                self.stop()
                return False
            case [] | [*_]:
                # As in UCI, so that later versions may have more commands.
                pass
        return True

    def wait(self) -> None:
        """Return when the running search has answered, for an input that ended without `quit`."""
        if (search := self._search) is not None and not search.is_infinite:
            search.is_over.wait()
            with self._answering:
                if not search.is_answered:
                    self._answer(search)
        self.stop()

    def stop(self) -> None:
        """Answer the running search, if any, with what it has found until now."""
        search = self._search
        if search is None or search.is_answered:
            return
        if self._memory is not None:
            self._memory.stop()
        is_over = search.is_over.wait(STOP_TIMEOUT_S)
        with self._answering:
            if not search.is_answered:
                if not is_over:
                    # It goes on in its thread, with the bot, until its own end.
                    self._bot = self._memory = None
                self._answer(search)

    def _say(self, line: str) -> None:
        with self._answering:
            self._write(line)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            self._say(f"info string {' '.join(str(error).split()) or type(error).__name__}")

    def _introduce(self) -> None:
        bot = self._new_bot()
        games = " ".join(f"var {kind.name}" for kind in engine.games() if bot.plays(kind.name))
        self._say(f"id name Cornered {bot.label}")
        self._say("id author the authors of Cornered")
        self._say(f"option name Game type combo default {self._game.name} {games}")
        self._say("ugiok")

    def _ready_bot(self) -> Bot:
        """Return the bot, prepared for the game. Raises ValueError where it does not play it."""
        if self._bot is None:
            self._bot = self._new_bot()
            if isinstance(self._bot, MemoryBorrower):
                self._memory = SearchMemory.private()
                self._bot.lend(self._memory)
        if self._memory is not None:
            self._memory.resume()
        if not self._bot.plays(self._game):
            raise ValueError(f"{self._bot.label} does not play {self._game!r}")
        self._bot.check(self._game)
        self._bot.prepare(self._game)
        return self._bot

    def _make_ready(self) -> None:
        self._ready_bot()

    def _set(self, name: str, value: str) -> None:
        if name.lower() == "game":
            self._game, self._options = engine.load(value), {}
        else:
            options = {**self._options, **dict([read_option(f"{name}={value}")])}
            self._game, self._options = engine.load(self._game.name, **options), options
        self._state = None

    def _place(self, words: Sequence[str]) -> None:
        cut = words.index("moves") if "moves" in words else len(words)
        match words[:cut]:
            case ["startpos"]:
                state = self._game.start()
            case ["fen", *text] if text:
                state = self._game.parse(" ".join(text))
            case _:
                raise ValueError("a position is `position startpos` or `position fen TEXT`, perhaps with `moves ...`")
        for move in words[cut + 1 :]:
            state = engine.apply(state, move)
        self._state = state

    def _here(self) -> State:
        return self._game.start() if self._state is None else self._state

    def _go(self, words: Sequence[str]) -> None:
        began, state = monotonic(), self._here()
        if state.outcome is not None or state.to_move == CHANCE:
            self._say("info string the game is over" if state.outcome else "info string the dice have to be rolled")
            self._say(f"bestmove {NO_MOVE}")
            return
        try:
            limit = replace(_limit(words, state.to_move), started=began)
            search = _Search(state, self._ready_bot(), is_infinite="infinite" in words)
        except ValueError:
            # Each `go` gets its `bestmove`.
            self._say(f"bestmove {NO_MOVE}")
            raise
        self._search = search
        threading.Thread(target=self._think, args=(search, limit), name="search", daemon=True).start()

    def _think(self, search: _Search, limit: Limit) -> None:
        try:
            search.thought = search.bot.choose(search.state, limit)
        except Exception as error:
            self._say(f"info string {type(error).__name__}: {' '.join(str(error).split())}")
        search.is_over.set()
        with self._answering:
            if not search.is_answered and not search.is_infinite:
                self._answer(search)

    def _answer(self, search: _Search) -> None:
        search.is_answered = True
        thought = search.thought or Thought(search.state.moves()[0])
        if search.thought is not None:
            self._write(_info(thought))
        self._write(f"bestmove {thought.move}")

    def _query(self, what: str) -> None:
        state = self._here()
        if turn := re.fullmatch(r"p([1-4])turn", what):
            is_on = state.outcome is None and state.to_move == int(turn[1]) - 1
            self._say(f"response {str(is_on).lower()}")
        elif what == "gameover":
            self._say(f"response {str(state.outcome is not None).lower()}")
        elif what == "result":
            outcome = state.outcome
            result = "none" if outcome is None else "draw" if outcome.winner is None else f"p{outcome.winner + 1}win"
            self._say(f"response {result}")
        else:
            raise ValueError(f"there is no query {what!r}; there are p1turn, p2turn, gameover and result")


def _limit(words: Sequence[str], seat: int) -> Limit:
    """Return the limit of the words after `go`. Raises ValueError for a number that is none."""
    numbers: dict[str, int] = {}
    named = iter(words)
    for name in named:
        if re.fullmatch(r"movetime|nodes|depth|p[1-4](time|inc)", name):
            value = next(named, "")
            if not re.fullmatch(r"-?\d{1,15}", value):
                raise ValueError(f"`go {name}` takes a whole number, not {value!r}")
            numbers[name] = int(value)
    time = numbers.get("movetime")
    left = numbers.get(f"p{seat + 1}time")
    if time is None and left is not None:
        increment = numbers.get(f"p{seat + 1}inc", 0)
        time = min(left // MOVES_LEFT + 3 * increment // 4, int(CLOCK_SHARE_MAX * left))
    nodes, depth = numbers.get("nodes"), numbers.get("depth")
    return Limit(
        None if time is None else max(1, time),
        None if depth is None else max(1, depth),
        None if nodes is None else max(1, nodes),
    )


def _info(thought: Thought) -> str:
    words = ["info", "depth", str(thought.depth), "nodes", str(thought.nodes)]
    if thought.score is not None:
        if thought.proven in ("win", "loss"):
            plies = thought.plies if thought.plies is not None else round(WIN - abs(thought.score))
            words += ["score", "mate", str(max(1, plies) * (1 if thought.proven == "win" else -1))]
        else:
            words += ["score", "cp", str(round(100 * thought.score))]
    if thought.seconds:
        words += ["time", str(round(1000 * thought.seconds))]
    return " ".join([*words, "pv", *(thought.pv or (thought.move,))])
