"""An engine for Cornered's TrapGrid: Python's standard library and one ply, over the Universal Game Interface.

    cornered match "exec:python3 examples/ugi_engine.py" random --game trapgrid --games 10

It steps to the free cell from which most cells can be reached. docs/engines.md describes the interface.
"""

import random
import sys

FILES = "abcdefgh"


def read(text):
    """Return the rows from the bottom, and the seat to move, of a position text such as `x0./.../.1x 0`."""
    rows, turn = text.split()[:2]
    return [list(row) for row in reversed(rows.split("/"))], turn


def start(size):
    """Return the starting position: the pawns in opposite corners, seat 0 at the top left."""
    rows = [["."] * size for _ in range(size)]
    rows[size - 1][0], rows[0][size - 1] = "0", "1"
    return rows, "0"


def steps(rows, cell):
    """Return the free cells beside a cell."""
    x, y = cell
    beside = (x, y + 1), (x, y - 1), (x - 1, y), (x + 1, y)
    return [(x, y) for x, y in beside if 0 <= y < len(rows) and 0 <= x < len(rows) and rows[y][x] == "."]


def pawn(rows, seat):
    return next((x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == seat)


def reach(rows, cell):
    """Count the cells that can be reached from a cell."""
    seen, edge = {cell}, [cell]
    while edge:
        for step in steps(rows, edge.pop()):
            if step not in seen:
                seen.add(step)
                edge.append(step)
    return len(seen)


def play(position, move):
    """Play a move: the cell that the pawn leaves is blocked."""
    rows, turn = position
    x, y = pawn(rows, turn)
    rows[y][x] = "x"
    rows[int(move[1:]) - 1][FILES.index(move[0])] = turn
    return rows, "1" if turn == "0" else "0"


def choose(position, chance):
    """Return the step after which most cells are in reach, at random among equals; `none` without a step."""
    rows, turn = position
    found = steps(rows, pawn(rows, turn))
    best = max(found, key=lambda cell: (reach(rows, cell), chance.random()), default=None)
    return "none" if best is None else f"{FILES[best[0]]}{best[1] + 1}"


def over(position):
    rows, turn = position
    return not steps(rows, pawn(rows, turn))


def main():
    size, position, chance = 7, start(7), random.Random(1)
    for line in sys.stdin:
        answer = None
        match line.split():
            case ["ugi"]:
                answer = (
                    "id name Reach\nid author Cornered\noption name Game type combo default trapgrid var trapgrid\n"
                    "option name seed type spin default 1\nugiok"
                )
            case ["isready"]:
                answer = "readyok"
            case ["setoption", "name", "size", "value", value]:
                size = int(value)
                position = start(size)
            case ["setoption", "name", "seed", "value", value]:
                chance = random.Random(int(value))
            case ["position", *words]:
                cut = words.index("moves") if "moves" in words else len(words)
                position = start(size) if words[0] == "startpos" else read(" ".join(words[1:cut]))
                for move in words[cut + 1 :]:
                    position = play(position, move)
            case ["go", *_]:
                answer = f"bestmove {choose(position, chance)}"
            case ["query", "gameover"]:
                answer = f"response {str(over(position)).lower()}"
            case ["query", ("p1turn" | "p2turn") as asked]:
                answer = f"response {str(not over(position) and position[1] == str(int(asked[1]) - 1)).lower()}"
            case ["query", "result"]:
                answer = f"response {f'p{2 - int(position[1])}win' if over(position) else 'none'}"
            case ["quit"]:
                return
        if answer is not None:
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
