"""An engine for Cornered's TrapGrid in Python: alpha-beta over the Universal Game Interface (docs/engines.md).

    cornered match "exec:python3 examples/ugi_engine.py" random --game trapgrid --games 10

Needs the standard library alone. A thread searches while the main thread reads; `isready` is answered at once, and
every other line ends the search first. The same engine is beside it in C, JavaScript, Go and Rust.
"""

import sys
import threading
import time

WIN, LEAST_WIN, DEPTH_MAX = 10_000, 9_000, 64
WIDTH = 10  # The board has a border of blocked cells: a1 is cell 11, and b1 is cell 12.
STEPS = (WIDTH, -WIDTH, -1, 1)


class Position:
    def __init__(self, rows, turn=0):
        """Read rows from the top, joined by slashes: `0` and `1` are pawns, `.` is free, all else is blocked."""
        self.free, self.pawns, self.turn = [False] * WIDTH * WIDTH, [0, 0], turn
        for rank, row in enumerate(reversed(rows.split("/")), 1):
            for file, mark in enumerate(row, 1):
                self.free[WIDTH * rank + file] = mark == "."
                if mark in "01":
                    self.pawns[int(mark)] = WIDTH * rank + file

    def moves(self, seat):
        return [self.pawns[seat] + step for step in STEPS if self.free[self.pawns[seat] + step]]

    def play(self, cell):
        self.free[cell] = False
        self.pawns[self.turn], self.turn = cell, 1 - self.turn


def start(size):
    middle = "/".join(["." * size] * (size - 2))
    return Position(f"0{'.' * (size - 1)}/{middle}/{'.' * (size - 1)}1")


def name(cell):
    return f"{' abcdefgh'[cell % WIDTH]}{cell // WIDTH}"


class Search:
    """One `go`: deeper and deeper until a limit, the end of the game or `stopped`."""

    def __init__(self, position, words):
        limits = {word: int(words[at + 1]) for at, word in enumerate(words[:-1]) if words[at + 1].isdigit()}
        left, gain = (limits.get(f"p{position.turn + 1}{what}") for what in ("time", "inc"))
        times = [limits["movetime"]] if "movetime" in limits else []
        if left is not None:
            times.append(left // 20 + (gain or 0) // 2)
        self.position, self.stopped, self.nodes = position, threading.Event(), 0
        self.deadline = time.monotonic() + min(times) / 1000 if times else float("inf")
        self.nodes_max, self.depth_max = limits.get("nodes", float("inf")), limits.get("depth", DEPTH_MAX)
        self.is_infinite, self.is_over = "infinite" in words, False

    def run(self):
        began, best = time.monotonic(), next(iter(self.position.moves(self.position.turn)), None)
        for depth in range(1, self.depth_max + 1 if best else 1):
            score, move = self.value(depth, -WIN, WIN, 0)
            if self.is_over:
                break
            best, spent = move, 1000 * (time.monotonic() - began)
            mate = WIN - score if score > 0 else -WIN - score
            told = f"mate {mate}" if abs(score) > LEAST_WIN else f"cp {score}"
            say(f"info depth {depth} nodes {self.nodes} time {spent:.0f} score {told} pv {name(best)}")
            if abs(score) > LEAST_WIN:
                break
        if self.is_infinite:
            self.stopped.wait()
        say(f"bestmove {name(best) if best else 'none'}")

    def value(self, depth, alpha, beta, ply):
        """Return the score for the player to move, and the move: free steps of the one less those of the other."""
        self.nodes += 1
        if self.nodes > self.nodes_max or self.stopped.is_set() or time.monotonic() > self.deadline:
            self.is_over = True
            return 0, None
        here = self.position
        seat, moves = here.turn, here.moves(here.turn)
        if not moves:
            return ply - WIN, None
        if depth == 0:
            return 100 * (len(moves) - len(here.moves(1 - seat))), None
        best, came_from = None, here.pawns[seat]
        for cell in moves:
            here.play(cell)
            score = -self.value(depth - 1, -beta, -alpha, ply + 1)[0]
            here.free[cell], here.pawns[seat], here.turn = True, came_from, seat
            if self.is_over:
                return 0, None
            if best is None or score > alpha:
                best, alpha = cell, max(alpha, score)
            if alpha >= beta:
                break
        return alpha, best


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def answer(position, asked):
    is_over = not position.moves(position.turn)
    if asked in ("p1turn", "p2turn"):
        return str(not is_over and asked[1] == str(position.turn + 1)).lower()
    if asked == "gameover":
        return str(is_over).lower()
    return f"p{2 - position.turn}win" if is_over else "none"


def main():
    size, position, search, thread = 7, start(7), None, None
    for line in sys.stdin:
        words = line.split()
        if words == ["isready"]:
            say("readyok")
            continue
        if thread is not None:
            search.stopped.set()
            thread.join()
            thread = None
        match words:
            case ["ugi"]:
                say("id name Steps in Python\nid author the authors of Cornered")
                say("option name Game type combo default trapgrid var trapgrid\nugiok")
            case ["setoption", "name", "size", "value", value]:
                size = int(value)
                position = start(size)
            case ["position", *rest]:
                cut = rest.index("moves") if "moves" in rest else len(rest)
                position = start(size) if rest[0] == "startpos" else Position(rest[1], int(rest[2]))
                for move in rest[cut + 1 :]:
                    position.play("_abcdefgh".index(move[0]) + WIDTH * int(move[1]))
            case ["go", *rest]:
                search = Search(position, rest)
                thread = threading.Thread(target=search.run, daemon=True)
                thread.start()
            case ["query", asked]:
                say(f"response {answer(position, asked)}")
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
