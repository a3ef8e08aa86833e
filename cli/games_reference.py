"""Writes GAMES.md: `python -m cornered.cli.games_reference`, or `--check` to compare.

The prose is by hand. Options, examples, perft counts and limits come from the rules and the server.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cornered import engine
from cornered.engine.game import COUNTDOWN_TURNS, Game, Option, OptionValue, State
from cornered.engine.games.quoridor import DEFAULT_WALLS, DRAW_RULES
from cornered.engine.text import PositionText
from cornered.protocol.analysis import MAX_LINES, MAX_OPEN_ANALYSES
from cornered.protocol.codec import CODECS, MAX_CONTAINERS, MAX_FRAME, MAX_NESTING
from cornered.protocol.text import MAX_MARKS, MAX_NAME
from cornered.protocol.values import MAX_CHAT, MAX_PAUSE_SECONDS, MAX_VALUES, Correspondence, Delay, Fischer, PerMove
from cornered.server.lobby.bounds import (
    MAX_BOT_MATCHES,
    MAX_CHALLENGES_RECEIVED,
    MAX_CHALLENGES_RECEIVED_PER_ADDRESS,
    MAX_CHALLENGES_SENT,
    MAX_SEEKS_PER_PLAYER,
)
from cornered.server.lobby.events import DEPARTURE_DELAY_MS, MAX_CACHED_ANSWERS, TABLE_LIFETIME_MS
from cornered.server.lobby.lobby import CHALLENGE_LIFETIME_MS
from cornered.server.lobby.views import MATCHES_PAGE, PLAYERS_PAGE, SEEKS_PAGE
from cornered.server.match.clock import LAG_PER_MOVE, LAG_QUOTA, LAG_REGAIN
from cornered.server.net.costs import BYTES_PER_TOKEN, MALFORMED, MALFORMED_BYTES_PER_TOKEN
from cornered.server.settings import Settings

__all__ = ["FILE", "generate"]

FILE: Final = Path(__file__).resolve().parent.parent / "GAMES.md"

Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class _Example:
    """A position, by its text or by the moves that lead to it, and what is to be seen in it."""

    options: Options
    words: str
    moves: str = ""
    position: str | None = None


_EXAMPLES: Final[Mapping[str, tuple[_Example, ...]]] = {
    "trapgrid": (
        _Example({"size": 3}, "The start."),
        _Example({"size": 3}, "After one step: the cell left is blocked.", "b3"),
        _Example({"size": 3}, "Seat 1 has no step and has lost.", position="x../.0x/.x1 1"),
        _Example({"size": 3}, "Seat 0 gave up.", position="0../.../..1 1 out=0"),
    ),
    "isolation": (
        _Example({"width": 3, "height": 2}, "The start: no pawn is on the board."),
        _Example({"width": 3, "height": 3}, "Both have placed; seat 0 slides, and not over a pawn.", "a1 c3"),
        _Example({"width": 3, "height": 3, "dice": True}, "With dice chance rolls before the slide.", "a1 c3"),
        _Example({"width": 3, "height": 3, "dice": True}, "A roll of 1 allows one step.", "a1 c3 1"),
        _Example({"width": 3, "height": 3, "players": 3}, "Seat 1 of three is out.", position="0.x/x1x/..2 2 out=1"),
    ),
    "bamboo": (
        _Example({"radius": 1}, "The start: the middle row is the longest."),
        _Example({"radius": 2}, "Seat 0 has one group, so it may not make a group of two.", "c3 a1"),
        _Example({"radius": 2}, "Two groups allow a group of two.", "c3 a1 e1 b4"),
        _Example({"radius": 1}, "Free cells, and none of them legal: seat 0 has lost.", position="10/0.1/10 0"),
    ),
    "quoridor": (
        _Example({"size": 3}, "The start on the smallest board: cells, then `h`, then `v` walls."),
        _Example(
            {"size": 5, "walls": 1},
            "Pawns meet: c4 is taken, and c5 is the jump.",
            position="...../..1../..0../...../..... 0 left=0,0 walls=a1h,a4v",
        ),
        _Example(
            {"size": 5, "walls": 1},
            "A wall behind the pawn (`c4h`): the jump goes to its sides.",
            position="...../..1../..0../...../..... 0 walls=c4h,a1h left=0,0",
        ),
        _Example(
            {"size": 5, "walls": 1},
            "`c3h` closes c3-c4 and d3-d4.",
            position="1..../...../..0../...../..... 0 walls=c3h,a1h left=0,0",
        ),
        _Example(
            {"size": 5, "walls": 1},
            "`c3v` closes c3-d3 and c4-d4.",
            position="1..../...../..0../...../..... 0 walls=c3v,a1h left=0,0",
        ),
        _Example(
            {"size": 5, "players": 4, "walls": 0},
            "Seat 1 of four is out; its pawn is off the board.",
            position="..2../...../....3/...../..0.. 0 out=1",
        ),
        _Example(
            {"size": 3, "walls": 1, "max_plies": 20, "no_progress": 8},
            "Both counters of the draw rules, after a wall and a step.",
            "a1h b2",
        ),
        _Example({"size": 3, "walls": 0}, "Seat 0 has reached its goal and has won.", position=".0./1../... 1"),
    ),
}

_COUNTS: Final[tuple[tuple[str, Options, int], ...]] = (
    ("trapgrid", {}, 11),
    ("trapgrid", {"size": 3}, 7),
    ("trapgrid", {"size": 5}, 14),
    ("isolation", {}, 4),
    ("isolation", {"width": 3, "height": 3}, 10),
    ("isolation", {"width": 4, "height": 3}, 6),
    ("isolation", {"width": 3, "height": 3, "players": 3}, 7),
    ("isolation", {"width": 3, "height": 3, "dice": True}, 7),
    ("bamboo", {}, 3),
    ("bamboo", {"radius": 1}, 7),
    ("bamboo", {"radius": 2}, 5),
    ("bamboo", {"radius": 3}, 4),
    ("quoridor", {}, 3),
    ("quoridor", {"size": 7}, 3),
    ("quoridor", {"size": 5}, 4),
    ("quoridor", {"size": 3}, 6),
    ("quoridor", {"players": 4}, 3),
    ("quoridor", {"size": 5, "players": 4}, 4),
    ("quoridor", {"size": 3, "walls": 1, "max_plies": 5}, 6),
)

_HEADER: Final = """\
<!-- Generated by `python -m cornered.cli.games_reference`: do not edit. -->
# The games

The rules of the four games and their notation, for clients and bots in any language. [PROTOCOL.md](PROTOCOL.md) has the
messages. A client that only draws needs [positions](#positions) and [drawing](#drawing): a match that is joined with
`"legal": true` has the legal moves with each position, and `ask_moves` returns them for any. A program that searches
needs the rules, and checks its own against the [examples](#trapgrid) and the [perft counts](#perft).

## Common to all games

- Seats are numbered from 0, in the order in which they move.
- A move is text. The same text is used in `play`, in events, in records and in lists of legal moves.
- A turn cannot be left out, but by `pass` in Quoridor for four.
- In TrapGrid, Isolation and Bamboo a player without a legal move has lost, and no game is drawn by their rules.
- A game is its name and its options. Options that a client leaves out have their defaults; on the server the draw rules
  of Quoridor are then on (see there), and off where they are given as `null`. `null` is called "nothing" below.
- A player may resign, lose on time or be absent too long (`eliminated` with more than two players). With two players
  the other wins. With three or four, that player takes the last free place and the others go on.
- The result is the winner's seat, or none for a draw, and a place for each seat: 1 is the best, equal ones are shared.
- The server ends each match after a number of plies ([limits](#limits), `max_plies`) as a draw of all who remain.
- With two players a draw may be agreed where the game has draws: in Quoridor.

## Positions

A position text has one form for all games:

    <rows> <turn> [key=value ...]

- `<rows>`: the board's rows joined by `/`, the top one first; one character a cell, from the left. `.` is free, `x`
  blocked for ever, a digit the piece of that seat. No position has other characters.
- `<turn>`: the seat to move, or `c` while chance rolls. When the game is over its value means nothing.
- Then come the game's keys, in any order, each at most once and left out where it has its default; single spaces
  separate the words. A list is separated by commas, without spaces.

| key | games | value | default |
| --- | --- | --- | --- |
| `out` | all | Seats that have left, the first to leave first. In a game for two the named seat gave up, and the game is over. | nobody |
| `mover` | isolation | The seat that moves after the roll; exactly where the turn is `c`. | none |
| `roll` | isolation | The roll for the coming slide, 1 to 3; only with `dice`. | none |
| `walls` | quoridor | The walls on the board; `h` before `v`, each by rank and then file, where the server writes it. | none |
| `left` | quoridor | How many walls each seat has left. These and the walls on the board are together all at the start. | `walls` of the options, for each seat |
| `ply` | quoridor | Plies played; only with `max_plies`. | 0 |
| `quiet` | quoridor | Plies since the last wall; only with `no_progress`. | 0 |

## Drawing

Rows of equal length are a board of squares: files are lettered from the left, ranks numbered from the bottom, and `a1`
is the bottom left cell. Rows of different length are a hexagon of hexagons: its rows are lettered from the bottom, the
cells of a row numbered from the left, and `a1` is the leftmost cell of the bottom row. Each row is centred, half a cell
further in than its longer neighbour, and neighbours are one apart:

```python
def centres(rows):
    \"\"\"Return the name and the middle (x to the right, y down) of every cell of a hexagon, by its rows from the top.\"\"\"
    widest = max(map(len, rows))
    letters = "abcdefghijklmnopqrstuvwxyz"[: len(rows)][::-1]
    return {
        f"{letter}{number + 1}": (number + (widest - len(row)) / 2, line * 3**0.5 / 2)
        for line, (letter, row) in enumerate(zip(letters, rows))
        for number in range(len(row))
    }
```

The hexagons stand on a corner, with a width of 1. This is the board of radius 2 with its cells' names:

```text
"""  # noqa: E501

_RULES: Final[Mapping[str, str]] = {
    "trapgrid": """\
Two pawns begin in opposite corners: seat 0 top left, seat 1 bottom right. Seat 0 moves first. In turn each steps to a
cell next to its own, up, down, left or right, that is free: not blocked, and without a pawn. The cell that it leaves is
blocked for ever. The player to move who has no such cell has lost.

A move is the name of the target cell: `a6`.
""",
    "isolation": """\
The board is empty at first. In turn, seat 0 first, each player places a pawn on any free cell. From then on a move
slides the pawn like a queen of chess: any distance in one of eight directions, over free cells only. Every cell on
which a pawn ever stood stays blocked, and pawns are in each other's way.

- Two players: the one to move who has no move has lost.
- Three or four: whoever has no move when the turn comes is out at once, in the last free place, and its cell stays
  blocked; so does the cell of one who gave up, which is shown with the seat's digit still. The last one left wins, and
  the places of the others are in the reverse order of their leaving.
- With `dice` chance rolls 1, 2 or 3, each as likely, before each slide: the greatest distance of that slide. Nothing is
  rolled before a placing, nor for a player who has no move at all, so every roll leaves a move. A roll is a ply with
  the moves `1`, `2`, `3`; the server makes it, and PROTOCOL.md says how it is verified.

A move is the name of the target cell, for a placing as for a slide: `d4`.
""",
    "bamboo": """\
The board is a hexagon of `radius` n: 3n(n+1)+1 cells in 2n+1 rows. In turn, seat 0 first, each player puts a stone of
its own on a free cell; stones stay. Stones of one player on neighbouring cells are a group, and so is a single stone. A
placing is legal if after it every group of the player has at most as many stones as the player has groups. A placing
can join groups, and then the number of groups falls: all of the player's groups count, not only the new
one. The opponent's groups do not matter. The player to move who has no legal cell has lost.

A move is the name of the cell: `f6`. In cube coordinates with x + y + z = 0, x to the right and z down, the row's
letter has the index n - z, and the number is x - max(-n, -n - z) + 1.
""",
    "quoridor": """\
Two players begin in the middle of the bottom row (seat 0) and of the top row (seat 1). Four sit clockwise: seat 0 at
the bottom, seat 1 left, seat 2 at the top, seat 3 right. Each has its pawn to bring to any cell of the opposite side,
and the first who does wins; the others share place 2, but those who left earlier have their own places. Each turn is a
step or a wall.

- A step goes to a free cell next to the pawn, up, down, left or right, with no wall between.
- A pawn next to it, with no wall between, is jumped: to the cell straight behind, if no wall lies between. If a wall or
  the edge of the board is behind that pawn, the jump goes to the left or the right of it instead, where no wall lies
  between it and that cell and no pawn stands there. If a third pawn stands behind, that pawn is not jumped at all.
- A wall takes one of the player's own stock. It is two cells long and lies between four cells, wholly on the board. It
  may touch others, but neither overlap half of one nor cross one in its middle. After it every pawn on the board still
  has a path to its goal, where pawns are not in the way.
- A player who can neither step nor put up a wall must `pass`; only then is it legal. For two this does not happen.
- A player of four who gives up leaves the board with its pawn; its walls stay, its stock is lost.

A step is the name of the target cell: `e2`. A wall is the name of the cell nearest `a1` of the four that it touches,
and `h` or `v`: `e3h` lies above e3 and f3, `e3v` to the right of e3 and e4. `e3h` overlaps `d3h` and `f3h` and crosses
`e3v`; `e3v` overlaps `e2v` and `e4v`.

Draws: with `max_plies` the game is drawn when that many plies are played, with `no_progress` when so many have passed
without a wall. A pawn that comes home with that ply wins. Positions may repeat, and nothing else draws a game.
""",
}

_FUTURE: Final = """\
## What version 1 may gain

The subprotocols {protocols} name version 1.
What is described here and in PROTOCOL.md stays within it. A server may gain, without a new
version, and a client should expect:

- messages, events and fields that the client does not know: it ignores them;
- codes of `refused` and reasons of an end: it shows the text, and treats the command as refused, the match as over;
- games and options, with keys of their own in position texts: a client plays those that it knows, and may draw any
  position from its rows and turn;
- greater limits of choices, and lower or greater numbers of those that operators set.

Rules of a game under given options, notation and the characters of rows do not change within version 1. Towards the
server the messages are strict: it refuses fields and types that it does not know.
"""


def generate() -> str:
    """Return GAMES.md."""
    parts = [_HEADER + _hexagon() + "```\n"]
    for kind in engine.games():
        parts.append(f"## {kind.title}\n\n`{kind.name}`. {kind.summary}\n")
        parts += [_RULES[kind.name], _options(kind)]
        if kind.name == "quoridor":
            parts.append(_quoridor_defaults())
        parts.append(_examples(kind.name))
    parts += [_perft(), _limits(), _FUTURE.format(protocols=" and ".join(f"`{name}`" for name in CODECS))]
    return "\n".join(parts)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _hexagon() -> str:
    """Return a drawing of the hexagon of radius 2 with the names of its cells."""
    parts = PositionText.parse(str(engine.load("bamboo", radius=2).start()))
    widest = max(map(len, parts.rows))
    return "".join(
        "  " * (widest - len(row)) + "  ".join(parts.name(index, column) for column in range(len(row))) + "\n"
        for index, row in enumerate(parts.rows)
    )


def _value(value: OptionValue) -> str:
    return "nothing" if value is None else f"`{json.dumps(value)}`"


def _options(kind: type[Game]) -> str:
    def default(option: Option) -> str:
        return "by size and players" if option.name == "walls" else _value(option.default)

    rows = ((f"`{one.name}`", one.title, one.describe(), default(one)) for one in kind.OPTIONS)
    return _table(("option", "meaning", "takes", "default"), rows)


def _quoridor_defaults() -> str:
    rows = (
        (str(size), str(players), str(walls), *map(str, DRAW_RULES[size]))
        for (size, players), walls in DEFAULT_WALLS.items()
    )
    head = ("size", "players", "`walls`", "`max_plies` on the server", "`no_progress` on the server")
    return (
        "The default of `walls`, and the draw rules that the server adds where a client leaves them out. Four players\n"
        "need a board of size 5 or more. When a draw is at most "
        f"{COUNTDOWN_TURNS} turns away, the server's `countdown` says so.\n\n{_table(head, rows)}"
    )


def _settings_words(options: Options) -> str:
    return f"`{json.dumps(dict(options))}`"


def _state(name: str, example: _Example) -> State:
    game = engine.load(name, **example.options)
    state = game.start() if example.position is None else game.parse(example.position)
    for move in example.moves.split():
        state = engine.apply(state, move)
    return state


def _outcome(state: State) -> str:
    outcome = state.outcome
    if outcome is None:
        return " ".join(f"`{move}`" for move in state.moves())
    result = "drawn" if outcome.winner is None else f"seat {outcome.winner} has won"
    return f"none: {result}, places {', '.join(map(str, outcome.places))}"


def _examples(name: str) -> str:
    def row(example: _Example) -> tuple[str, ...]:
        state = _state(name, example)
        return _settings_words(example.options), f"`{state}`", _outcome(state), example.words

    return "Positions to check against:\n\n" + _table(
        ("options", "position", "legal moves", "what it shows"), map(row, _EXAMPLES[name])
    )


def _perft() -> str:
    def row(name: str, options: Options, depth: int) -> tuple[str, ...]:
        start = engine.load(name, **options).start()
        counts = (str(engine.perft(start, ply)) for ply in range(1, depth + 1))
        return f"`{name}`", _settings_words(options), ", ".join(counts)

    return (
        "## Perft\n\nHow many sequences of exactly 1, 2, 3 ... plies there are from the start. A roll is a ply with\n"
        "three moves; a finished game adds nothing at greater depths. Options that are not named have their defaults,\n"
        "and draw rules that are not named are off.\n\n"
        + _table(("game", "options", "perft(1), perft(2), ..."), (row(*one) for one in _COUNTS))
    )


_SETTINGS: Final = (
    "max_plies",
    "first_move_seconds",
    "gone_seconds",
    "hello_seconds",
    "ping_seconds",
    "playing_ping_seconds",
    "max_connections",
    "max_per_address",
    "max_per_player",
    "message_rate",
    "message_burst",
    "address_rate",
    "address_burst",
    "arrival_rate",
    "arrival_burst",
    "guest_rate",
    "guest_burst",
    "max_seeks",
    "max_seeks_per_address",
    "max_challenges",
    "max_challenges_per_address",
    "max_matches_per_player",
    "max_matches_per_address",
    "max_pool_entries",
    "max_pool_entries_per_address",
)
"""The settings that a client notices."""


def _range(kind: type[Fischer | Delay | PerMove | Correspondence], field: str) -> str:
    schema = kind.model_json_schema()["properties"][field]
    bounds = schema.get("anyOf", [schema])[0]
    return f"{bounds['minimum']:,} to {bounds['maximum']:,}"


def _limits() -> str:
    fixed: tuple[tuple[str, int | str], ...] = (
        ("bytes of a client's message", MAX_FRAME),
        ("maps and arrays in it", MAX_CONTAINERS),
        ("depth of its nesting", MAX_NESTING),
        ("bytes of a message for each token of the rate limit", BYTES_PER_TOKEN),
        ("tokens of a malformed message, besides its bytes", MALFORMED),
        ("bytes of a malformed message for each further token", MALFORMED_BYTES_PER_TOKEN),
        ("characters of a name", MAX_NAME),
        ("characters of a chat line", MAX_CHAT),
        ("combining marks on a character", MAX_MARKS),
        ("commands of a player that the lobby remembers", MAX_CACHED_ANSWERS),
        ("values of an option that a bot may declare", MAX_VALUES),
        ("open tables of a player", MAX_SEEKS_PER_PLAYER),
        ("open challenges of a player", MAX_CHALLENGES_SENT),
        ("challenges to a player", MAX_CHALLENGES_RECEIVED),
        ("challenges to a player from one address", MAX_CHALLENGES_RECEIVED_PER_ADDRESS),
        ("seconds of a challenge", CHALLENGE_LIFETIME_MS // 1000),
        ("hours of a table", TABLE_LIFETIME_MS // 3_600_000),
        ("seconds until a player without a connection leaves the lobby", DEPARTURE_DELAY_MS // 1000),
        ("matches at once that a bot may declare", MAX_BOT_MATCHES),
        ("tables on a page of the lobby", SEEKS_PAGE),
        ("matches on a page of the lobby", MATCHES_PAGE),
        ("players on a page of the lobby", PLAYERS_PAGE),
        ("analyses of a player that are not over", MAX_OPEN_ANALYSES),
        ("lines of an analysis", MAX_LINES),
        ("seconds of a pause", MAX_PAUSE_SECONDS),
        ("`fischer`: `initial` seconds", _range(Fischer, "initial")),
        ("`fischer`: `increment` seconds", _range(Fischer, "increment")),
        ("`delay`: `initial` seconds", _range(Delay, "initial")),
        ("`delay`: `delay` seconds", _range(Delay, "delay")),
        ("`per_move`: `seconds`", _range(PerMove, "seconds")),
        ("`correspondence`: `days`", _range(Correspondence, "days")),
        ("lag compensation of a move, milliseconds", LAG_PER_MOVE),
        ("its quota, milliseconds", LAG_QUOTA),
        ("what the quota regains with a move, milliseconds", LAG_REGAIN),
    )
    fields = Settings.model_fields
    numbers = ((words, f"{most:,}" if isinstance(most, int) else most) for words, most in fixed)
    chosen = (
        (f"`{name}`", f"{fields[name].default:,}", " ".join(str(fields[name].description).split()))
        for name in _SETTINGS
    )
    return (
        "## Limits\n\nThe same on every server:\n\n"
        + _table(("of what", "at most, or from and to"), numbers)
        + "\nThe operator's settings, which may differ; `games` has the server's `max_plies`:\n\n"
        + _table(("setting", "default", "meaning"), chosen)
    )


def main(arguments: list[str]) -> int:
    """Write the file if it is stale, or with `--check` only say so. Returns the exit code."""
    text = generate()
    if FILE.is_file() and FILE.read_text(encoding="utf-8") == text:
        return 0
    if arguments == ["--check"]:
        sys.stderr.write("run `python -m cornered.cli.games_reference`: GAMES.md is out of date\n")
        return 1
    FILE.write_text(text, encoding="utf-8")
    sys.stdout.write("wrote GAMES.md\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
