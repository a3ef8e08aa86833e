"""A bot that is another program, which speaks the Quoridor Text Protocol (docs/engines.md)."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import Final

from cornered.bots.bot import Limit, SettingValue, Thought
from cornered.bots.qtp.notation import (
    COLOURS,
    is_playable,
    move_between,
    move_of,
    quoridor,
    walls_of,
    written,
)
from cornered.bots.ugi.command import (
    START_TIMEOUT_S,
    UNLIMITED_TIME_S,
    CommandBot,
    IdlePrograms,
    Program,
    hang_margin,
)
from cornered.bots.ugi.process import EngineFailed
from cornered.engine import Game, IllegalMove, State
from cornered.engine.games.quoridor import QuoridorState

__all__ = ["QtpBot"]

ANSWER_TIMEOUT_S: Final = 2.0
"""Seconds for the answer to each command but `genmove`."""
PREPARE_TIMEOUT_S: Final = 60.0
"""Seconds for those that begin a game with another board or number of walls: a program may compile or load then."""


class Refused(Exception):
    """The program answered a command with `?` and this text."""


class QtpProgram(Program):
    """A started program, with the position that it has been told."""

    def __init__(self, command: tuple[str, ...], name: str) -> None:
        super().__init__(command, name)
        self.state: QuoridorState | None = None
        self._game: Game | None = None
        """The game that it played last."""
        try:
            self.ask("name", monotonic() + START_TIMEOUT_S)
        except TimeoutError:
            self.process.kill()
            raise EngineFailed(f"{name} did not answer `name` in {START_TIMEOUT_S:g} s") from None
        except Refused:
            pass

    def ask(self, command: str, deadline: float | None = None) -> str:
        """Return the first line of the answer to a command, without its `=`.

        Raises TimeoutError at the deadline, Refused, and EngineFailed where the program ends.
        """
        self.process.send(command)
        deadline = monotonic() + ANSWER_TIMEOUT_S if deadline is None else deadline
        # Comments, the empty line that ends an answer, and its other lines.
        while not (line := self.process.read_line(deadline)).startswith(("=", "?")):
            pass
        if line.startswith("?"):
            raise Refused(line[1:].strip() or "an error without a text")
        return line[1:].strip()

    def place(self, state: QuoridorState) -> None:
        """Bring the program to a position: by one move where that leads to it, otherwise from an empty board."""
        if self.state == state:
            return
        before, self.state = self.state, None
        move = None if before is None else move_between(before, state)
        if before is not None and move is not None:
            self._play(before.to_move, move, state.game.size)
        else:
            self._set_up(state)
        self.state = state

    def clear(self, game: Game) -> None:
        """Tell the program the board's size and the walls, and that a game begins. Raises Refused."""
        self.state = None
        deadline = monotonic() + (ANSWER_TIMEOUT_S if game == self._game else PREPARE_TIMEOUT_S)
        for command in (f"boardsize {game.options['size']}", "clear_board", f"walls {game.options['walls']}"):
            self.ask(command, deadline)
        self._game = game

    def _set_up(self, state: QuoridorState) -> None:
        """Walk the pawns to their cells on an empty board, and put up the walls: a colour may move twice in a row."""
        game = state.game
        self.clear(game)
        pawns = list(quoridor(game.start()).pawns())
        for seat, target in enumerate(state.pawns()):
            for cell in _way(pawns[seat], target, pawns[1 - seat], seat, game.size):
                self._play(seat, f"{'abcdefghi'[cell % 9]}{cell // 9 + 1}", game.size)
            pawns[seat] = target
        first = game.walls - state.stocks()[0]
        for number, wall in enumerate(walls_of(state)):
            self._play(int(number >= first), wall, game.size)

    def _play(self, seat: int, move: str, size: int) -> None:
        words = written(move, size)
        self.ask(f"{'playwall' if ' ' in words else 'playmove'} {COLOURS[seat]} {words}")


_idle: IdlePrograms[QtpProgram] = IdlePrograms()


class QtpBot(CommandBot[QtpProgram]):
    """The bot of a word `qtp:COMMAND`. The protocol has no limits: the program is killed where it takes longer."""

    name = "qtp"
    description = "Another program that speaks the Quoridor Text Protocol over its standard input and output."
    games = ("quoridor",)

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(_idle, seed, **settings)

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return game == "quoridor" if isinstance(game, str) else is_playable(game)

    def start(self) -> QtpProgram:
        return QtpProgram(self.command, self.label)

    def prepare(self, game: Game) -> None:
        """Start the program and tell it the game. Raises EngineFailed, ValueError for a game that it does not play."""
        if not is_playable(game):
            raise ValueError(f"{self.label} plays quoridor for two players, not {game!r}")
        program = self.running()
        try:
            program.clear(game)
        except Refused as refused:
            raise ValueError(f"{self.label} does not play {game!r}: {refused}") from None
        except TimeoutError:
            raise self._hung(program, "the board", PREPARE_TIMEOUT_S) from None

    def choose(self, state: State, limit: Limit) -> Thought:
        began = monotonic()
        if not is_playable(state.game):
            raise ValueError(f"{self.label} plays quoridor for two players, not {state.game!r}")
        program, here = self.running(), quoridor(state)
        deadline = (limit.deadline or began + UNLIMITED_TIME_S) + hang_margin(limit)
        try:
            program.place(here)
        except Refused as refused:
            raise EngineFailed(f"{self.label} refuses the position {state}: {refused}") from None
        except TimeoutError:
            raise self._hung(program, "the position") from None
        # What it plays is known only when it is legal.
        program.state = None
        try:
            answer = program.ask(f"genmove {COLOURS[here.to_move]}", deadline)
            move = move_of(answer.split(), here.game.size)
        except Refused as refused:
            raise EngineFailed(f"{self.label} gives no move: {refused}") from None
        except ValueError as error:
            raise EngineFailed(f"{self.label} answered `genmove` by {answer[:80]!r}: {error}") from None
        except TimeoutError:
            raise self._hung(program, "`genmove`", monotonic() - began) from None
        if not state.is_legal(move):
            raise IllegalMove(move, state.explain(move))
        program.state = here.play(move)
        return Thought(move, pv=(move,), seconds=monotonic() - began)

    def _hung(self, program: QtpProgram, what: str, seconds: float = ANSWER_TIMEOUT_S) -> EngineFailed:
        program.process.kill()
        return EngineFailed(f"{self.label} did not answer {what} in {seconds:.2f} s, and was killed")


def _way(start: int, target: int, other: int, seat: int, size: int) -> list[int]:
    """Return the cells of a shortest way on a board without walls, past the other pawn and off the own goal."""
    goal = size - 1 if seat == 0 else 0
    came_from = {start: start}
    edge = deque([start])
    while edge and target not in came_from:
        cell = edge.popleft()
        for x, y in ((0, 1), (0, -1), (-1, 0), (1, 0)):
            file, rank = cell % 9 + x, cell // 9 + y
            step = 9 * rank + file
            if 0 <= file < size and 0 <= rank < size and rank != goal and step != other and step not in came_from:
                came_from[step] = cell
                edge.append(step)
    way = [target]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[-2::-1]
