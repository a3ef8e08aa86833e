"""Certificates: files that show by the rules alone that a seat wins a position.

A certificate is gzip of one line of JSON and a string of bytes:

- `game`, `options`, `moves` name the position, reached from the start; `winner` is the seat that wins it; `positions`
  is how many the walk below comes to, and `format` is 1.
- The bytes are the winner's choices, in the order of a depth-first walk: where the loser is to move the walk follows
  every legal move in the order of `State.moves`, where the winner is to move the one at the place that the next byte
  gives, without a byte where there is one move only. A position that was walked before is left out.

Both together have at most `UNPACKED_BYTES_MAX` bytes: a folder may come from a stranger, and a small file can unpack to
more than the memory holds.

`walk` reads and writes them. It uses the rules and nothing else: no search, no table, no hash of a position. It fails
where a play ends without the win of `winner`, where a play comes back to a position on its own path (so the winner's
moves could go on for ever), and where bytes are missing or left over.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cornered import engine
from cornered.engine.game import State
from cornered.engine.records.files import replacing

__all__ = ["UNPACKED_BYTES_MAX", "Certificate", "Flaw", "check", "read", "walk", "write"]

FORMAT: Final = 1
UNPACKED_BYTES_MAX: Final = 64 << 20
"""Choices of over 100 million positions, of which plain Python walks some 25,000 a second."""


class Flaw(Exception):
    """A certificate that shows nothing, and why."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The claim that `winner` wins `game` after `moves`, and its choices; `positions` is the size of the walk."""

    game: engine.Game
    moves: tuple[str, ...]
    winner: int
    positions: int
    choices: bytes

    @property
    def state(self) -> State:
        """The position of the claim. Raises Flaw where a move is not legal."""
        state = self.game.start()
        for move in self.moves:
            if not state.is_legal(move):
                raise Flaw(f"{move} is no legal move at {state}")
            state = state.play(move)
        return state


def walk(state: State, winner: int, choose: Callable[[State, int], int]) -> int:
    """Walk all plays in which `winner` moves as chosen; return how many different positions there are.

    `choose` takes a position and its number of moves, at least 2, and returns the place of one. Raises Flaw.
    """

    def followed(here: State) -> Iterator[State]:
        """Return the positions that the walk visits after this one: none where `winner` has won."""
        outcome = here.outcome
        if outcome is not None:
            if outcome.winner != winner:
                raise Flaw(f"seat {winner} does not win at {here}")
            return iter(())
        moves = here.moves()
        if here.to_move == winner and len(moves) > 1:
            place = choose(here, len(moves))
            if not 0 <= place < len(moves):
                raise Flaw(f"there is no move {place} of {len(moves)} at {here}")
            moves = [moves[place]]
        return map(here.play, moves)

    done: set[State] = set()
    # The positions of the play that is followed, in its order, each with an iterator over those that are left to visit.
    # An explicit stack: a play may have more plies than Python's recursion limit.
    path = {state: followed(state)}
    while path:
        here, left = next(reversed(path.items()))
        following = next(left, None)
        if following is None:
            path.popitem()
            done.add(here)
        elif following in path:
            raise Flaw(f"play comes back to {following}")
        elif following not in done:
            path[following] = followed(following)
    return len(done)


def check(certificate: Certificate) -> None:
    """Raise Flaw unless a certificate shows that its winner wins."""
    choices: Iterator[int] = iter(certificate.choices)

    def choose(here: State, count: int) -> int:
        for place in choices:
            return place
        raise Flaw(f"no choice is left at {here}")

    positions = walk(certificate.state, certificate.winner, choose)
    if any(True for _ in choices):
        raise Flaw("choices are left over")
    if positions != certificate.positions:
        raise Flaw(f"the walk has {positions} positions, not {certificate.positions}")


def certify(game: engine.Game, moves: tuple[str, ...], winner: int, choose: Callable[[State, int], int]) -> Certificate:
    """Return the certificate of the choices of `choose`, which `walk` calls. Raises Flaw where they do not win."""
    empty = Certificate(game, moves, winner, 0, b"")
    choices = bytearray()

    def note(here: State, count: int) -> int:
        place = choose(here, count)
        choices.append(place)
        return place

    positions = walk(empty.state, winner, note)
    return Certificate(game, moves, winner, positions, bytes(choices))


def write(certificate: Certificate, path: Path) -> None:
    """Write a certificate; equal ones are equal files."""
    head = {
        "format": FORMAT,
        "game": certificate.game.name,
        "options": dict(certificate.game.options),
        "moves": list(certificate.moves),
        "winner": certificate.winner,
        "positions": certificate.positions,
    }
    content = json.dumps(head).encode() + b"\n" + certificate.choices
    with replacing(path) as part:
        part.write_bytes(gzip.compress(content, 9, mtime=0))


def read(path: Path) -> Certificate:
    """Return the certificate of a file. Raises Flaw where it is none."""
    try:
        with gzip.open(path) as file:
            content = file.read(UNPACKED_BYTES_MAX + 1)
        if len(content) > UNPACKED_BYTES_MAX:
            raise Flaw(
                f"{path} unpacks to more than {UNPACKED_BYTES_MAX >> 20} MiB: divide the proof into smaller "
                "certificates, by cornered prove with fewer --nodes in another folder"
            )
        line, _, choices = content.partition(b"\n")
        head: dict[str, Any] = json.loads(line)
        if head["format"] != FORMAT:
            raise Flaw(f"{path} has the format {head['format']}, not {FORMAT}")
        game = engine.load(head["game"], **head["options"])
        moves = tuple(str(move) for move in head["moves"])
        return Certificate(game, moves, head["winner"], head["positions"], choices)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Flaw(f"{path} is no certificate: {error}") from None
