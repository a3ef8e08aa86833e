"""A bot of this project as a Quoridor program: answers the commands of the Quoridor Text Protocol (docs/engines.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cornered import engine
from cornered.bots.bot import Bot, Limit
from cornered.bots.qtp.notation import COLOURS, colour_of, move_of, quoridor, vertex_of, walls_of, written
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.text import PositionText

__all__ = ["QtpEngine"]

HISTORY_MAX: Final = 10_000
"""Moves that can be taken back."""


class Failure(Exception):
    """A command fails with this text."""


class QtpEngine:
    """The program's side of the protocol. `write` gets each answer whole, with the empty line that ends it."""

    def __init__(self, bot: Bot, write: Callable[[str], None], limit: Callable[[], Limit]) -> None:
        """`limit` is called for each move, since the protocol has no limits. Raises ValueError for a bot that does not
        play Quoridor."""
        if not bot.plays("quoridor"):
            raise ValueError(f"{bot.label} does not play quoridor, which is all that the Quoridor Text Protocol has")
        self._bot = bot
        self._write = write
        self._limit = limit
        self._states = [quoridor(engine.load("quoridor").start())]
        """The positions of the game, the newest last."""
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "name": lambda words: f"Cornered {bot.label}",
            "known_command": lambda words: str(" ".join(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            "boardsize": self._set_size,
            "clear_board": lambda words: self._begin(self._here.game.size, self._here.game.walls),
            "walls": self._set_walls,
            "playmove": lambda words: self._play(words, 2),
            "playwall": lambda words: self._play(words, 3),
            "genmove": self._choose,
            "undo": self._undo,
            "winner": self._winner,
            "showboard": lambda words: drawn(self._here),
        }

    @property
    def _here(self) -> QuoridorState:
        return self._states[-1]

    def handle(self, line: str) -> bool:
        """Carry out a line; return whether to go on."""
        text, _, _ = "".join(mark for mark in line if mark >= " " or mark == "\t").partition("#")
        name, *words = text.split() or [""]
        if not name:
            return True
        try:
            if name not in self._commands:
                raise Failure("unknown command")
            self._write(f"= {self._commands[name](words)}".rstrip(" ") + "\n\n")
        except Exception as error:
            self._write(f"? {' '.join(str(error).split()) or type(error).__name__}\n\n")
        return name != "quit"

    def _set_size(self, words: Sequence[str]) -> str:
        size = _number(words)
        if size not in (3, 5, 7, 9):
            raise Failure("unacceptable size")
        return self._begin(size, None)

    def _set_walls(self, words: Sequence[str]) -> str:
        """Give each player so many walls, in a new game: nothing says what they are in the middle of one."""
        walls = _number(words)
        if walls > 20:
            raise Failure("unacceptable number of walls")
        return self._begin(self._here.game.size, walls)

    def _begin(self, size: int, walls: int | None) -> str:
        game = engine.load("quoridor", size=size, **({} if walls is None else {"walls": walls}))
        self._bot.check(game)
        self._bot.prepare(game)
        self._states = [quoridor(game.start())]
        return ""

    def _turned_to(self, seat: int) -> QuoridorState:
        """Return the position with this seat to move: a colour may move twice in a row."""
        here = self._here
        if here.outcome is not None or here.to_move == seat:
            return here
        text = PositionText.parse(str(here))
        return here.game.parse(str(PositionText(text.rows, str(seat), text.facts)))

    def _play(self, words: Sequence[str], count: int) -> str:
        try:
            if len(words) != count:
                raise ValueError
            here = self._turned_to(colour_of(words[0]))
            move = move_of(list(words[1:]), here.game.size)
        except ValueError:
            raise Failure("syntax error") from None
        if not here.is_legal(move):
            raise Failure("illegal move")
        self._add(here.play(move))
        return ""

    def _choose(self, words: Sequence[str]) -> str:
        try:
            [colour] = words
            here = self._turned_to(colour_of(colour))
        except ValueError:
            raise Failure("syntax error") from None
        if here.outcome is not None:
            raise Failure("the game is over")
        move = self._bot.choose(here, self._limit()).move
        self._add(here.play(move))
        return written(move, here.game.size)

    def _add(self, state: QuoridorState) -> None:
        self._states.append(state)
        del self._states[: -HISTORY_MAX - 1]

    def _undo(self, words: Sequence[str]) -> str:
        times = _number(words) if words else 1
        if not 0 < times < len(self._states):
            raise Failure("cannot undo")
        del self._states[-times:]
        return ""

    def _winner(self, words: Sequence[str]) -> str:
        outcome = self._here.outcome
        return "false" if outcome is None or outcome.winner is None else f"true {COLOURS[outcome.winner]}"


def _number(words: Sequence[str]) -> int:
    if len(words) != 1 or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 6:
        raise Failure("syntax error")
    return int(words[0])


def drawn(state: QuoridorState) -> str:
    """Return the board for people: `B` and `W` are the pawns, `=` and `H` are walls."""
    size = state.game.size
    pawns = {
        vertex_of(f"{'abcdefghi'[cell % 9]}{cell // 9 + 1}", size): seat for seat, cell in enumerate(state.pawns())
    }
    horizontal, vertical = set[str](), set[str]()
    for wall in walls_of(state):
        file, rank = ord(wall[0]) - ord("a"), size + 1 - int(wall[1:-1])
        if wall[-1] == "h":
            horizontal |= {f"{'ABCDEFGHI'[file + more]}{rank}" for more in (0, 1)}
        else:
            vertical |= {f"{'ABCDEFGHI'[file]}{rank - more}" for more in (0, 1)}
    files = "ABCDEFGHI"[:size]
    letters = "    " + "   ".join(files)
    lines = ["", letters]
    for rank in range(size, 0, -1):
        cells = [f" {'BW'[pawns[name]] if (name := f'{file}{rank}') in pawns else '.'} " for file in files]
        walls = ["H" if f"{file}{rank}" in vertical else " " for file in files]
        row = "".join(cell + wall for cell, wall in zip(cells, walls, strict=True)).rstrip()
        lines.append(f"{rank:2} {row:{4 * size}} {rank}")
        if under := "".join("=== " if f"{file}{rank}" in horizontal else "    " for file in files).rstrip():
            lines.append(f"   {under}")
    black, white = state.stocks()
    return "\n".join([*lines, letters, f"walls left: black {black}, white {white}"])
