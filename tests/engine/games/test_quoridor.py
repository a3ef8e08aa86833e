"""Quoridor: jumps, edges, walls and paths, four players, passing, draw rules and action numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cornered import engine
from cornered.engine import Game, Outcome, State

Cell = tuple[int, int]

FOUR = engine.load("quoridor", size=5, players=4)


def name(cell: Cell) -> str:
    return f"{'abcdefghi'[cell[0]]}{cell[1] + 1}"


def cell(text: str) -> Cell:
    return "abcdefghi".index(text[0]), int(text[1]) - 1


def position(game: Game, pawns: str, turn: int = 0, **facts: str) -> State:
    """Return the position with the seats' pawns on these cells, `-` for an eliminated one."""
    size = int(game.options["size"] or 0)
    rows = [["."] * size for _ in range(size)]
    for seat, place in enumerate(pawns.split()):
        if place != "-":
            file, rank = cell(place)
            rows[size - 1 - rank][file] = str(seat)
    words = [f"{key}={value}" for key, value in facts.items()]
    return game.parse(" ".join(["/".join("".join(row) for row in rows), str(turn), *words]))


def nine(pawns: str, walls: str = "", turn: int = 0, **facts: str) -> State:
    """Return a position on 9x9 in which seat 0 put up all the walls."""
    game = engine.load("quoridor")
    if walls:
        facts = {"walls": walls, "left": f"{10 - len(walls.split(','))},10", **facts}
    return position(game, pawns, turn, **facts)


def doors(walls: set[str]) -> set[frozenset[Cell]]:
    """Return the pairs of neighbouring cells that walls separate."""
    parted = set()
    for wall in walls:
        x, y = cell(wall)
        for i in (0, 1):
            parted.add(frozenset({(x + i, y), (x + i, y + 1)} if wall[2] == "h" else {(x, y + i), (x + 1, y + i)}))
    return parted


def beside(size: int, at: Cell, parted: set[frozenset[Cell]]) -> Iterator[tuple[Cell, Cell]]:
    for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        to = at[0] + dx, at[1] + dy
        if 0 <= to[0] < size and 0 <= to[1] < size and frozenset({at, to}) not in parted:
            yield to, (dx, dy)


def is_home(size: int, players: int, seat: int, at: Cell) -> bool:
    x, y = at
    return (y == size - 1, x == size - 1, y == 0, x == 0)[seat * 4 // players]


def has_path(size: int, players: int, seat: int, start: Cell, parted: set[frozenset[Cell]]) -> bool:
    seen, todo = {start}, [start]
    while todo:
        at = todo.pop()
        if is_home(size, players, seat, at):
            return True
        fresh = [to for to, _ in beside(size, at, parted) if to not in seen]
        seen.update(fresh)
        todo += fresh
    return False


def expected_moves(state: State) -> set[str]:
    """Return the legal moves of a position text by the reference."""
    size, players = int(state.game.options["size"] or 0), state.game.seats
    rows, turn, *facts = str(state).split(" ")
    known = dict(fact.split("=") for fact in facts)
    lines = rows.split("/")
    pawns = {
        int(character): (x, size - 1 - y)
        for y, line in enumerate(lines)
        for x, character in enumerate(line)
        if character != "."
    }
    walls = set(known["walls"].split(",")) if "walls" in known else set()
    stock = int(known["left"].split(",")[int(turn)]) if "left" in known else int(state.game.options["walls"] or 0)
    parted, taken, found = doors(walls), set(pawns.values()), set()
    for near, (dx, dy) in beside(size, pawns[int(turn)], parted):
        if near not in taken:
            found.add(name(near))
            continue
        after = {direction: to for to, direction in beside(size, near, parted)}
        if (dx, dy) in after:
            over = {after[dx, dy]}
        else:
            over = {after[side] for side in ((dy, dx), (-dy, -dx)) if side in after}
        found |= {name(to) for to in over - taken}
    slots = [(x, y) for x in range(size - 1) for y in range(size - 1)] if stock else []
    for x, y in slots:
        for kind, along in (("h", (1, 0)), ("v", (0, 1))):
            row = [(x + i * along[0], y + i * along[1]) for i in (-1, 0, 1)]
            neighbours = {name(slot) + kind for slot in row if min(slot) >= 0}
            crossing = name((x, y)) + ("v" if kind == "h" else "h")
            if walls & {*neighbours, crossing}:
                continue
            wall = name((x, y)) + kind
            closed = parted | doors({wall})
            if all(has_path(size, players, seat, at, closed) for seat, at in pawns.items()):
                found.add(wall)
    return found or {"pass"}


@pytest.mark.parametrize(
    ("size", "players", "walls", "games", "every"),
    [
        (3, 2, 4, 40, 1),
        (5, 2, 9, 12, 1),
        (5, 4, 4, 12, 1),
        (7, 2, 14, 6, 3),
        (7, 4, 8, 6, 3),
        (9, 2, 20, 5, 5),
        (9, 4, 10, 4, 5),
    ],
)
def test_random_games_agree_with_the_rules_as_sets(size: int, players: int, walls: int, games: int, every: int) -> None:
    game = engine.load("quoridor", size=size, players=players, walls=walls)
    chance = random.Random(f"{size} {players}")
    for _ in range(games):
        state = game.start()
        for ply in range(60):
            if state.outcome is not None:
                break
            moves = state.moves()
            if ply % every == 0:
                assert set(moves) == expected_moves(state), str(state)
            if players == 4 and chance.random() < 0.02:
                state = state.leave(chance.randrange(4))
                continue
            put_up = [move for move in moves if len(move) == 3]
            state = engine.apply(state, chance.choice(put_up if put_up and chance.random() < 0.8 else moves))


def test_crowded_pawns_agree_with_the_rules_as_sets() -> None:
    chance, game = random.Random(3), engine.load("quoridor", players=4, walls=0)
    for _ in range(200):
        file, rank = chance.randrange(7), chance.randrange(7)
        window = [name((file + x, rank + y)) for x in range(3) for y in range(3)]
        state = position(game, " ".join(chance.sample(window, 4)), chance.randrange(4))
        assert state.outcome is not None or set(state.moves()) == expected_moves(state), str(state)


def test_the_seats_start_in_the_middle_of_their_sides() -> None:
    assert str(engine.load("quoridor").start()).split(" ")[0] == "....1..../" + "........./" * 7 + "....0...."
    four = str(engine.load("quoridor", players=4).start()).split(" ")[0]
    assert four == "....2..../" + "........./" * 3 + "1.......3/" + "........./" * 3 + "....0...."


def test_a_wall_takes_one_from_the_stock_and_an_empty_stock_allows_none() -> None:
    state = engine.apply(engine.load("quoridor", walls=1).start(), "e3h")
    assert state.gauges() == (("no walls left", 0), ("walls", 1))
    state = engine.apply(engine.apply(state, "e8"), "e2")
    assert len(state.moves()) > 4
    assert all(len(move) == 2 for move in engine.apply(state, "e7").moves())


def test_who_can_do_nothing_else_must_pass() -> None:
    game = engine.load("quoridor", size=5, players=4, walls=1)
    state = position(game, "a1 b1 c4 c1", walls="a1h", left="0,1,1,1")
    assert state.moves() == ["pass"]
    assert state.perft(1) == 1
    after = engine.apply(state, "pass")
    assert after.to_move == 1
    assert str(after).replace(" 1 ", " 0 ", 1) == str(state)
    with pytest.raises(engine.IllegalMove, match="only when nothing else"):
        engine.apply(after, "pass")


def test_who_leaves_takes_pawn_and_turn_along_and_the_last_place() -> None:
    state = FOUR.start().leave(0)
    assert state.to_move == 1
    assert state.outcome is None
    assert "0" not in str(state).split(" ")[0]
    assert state.leave(0) == state
    state = engine.apply(engine.apply(engine.apply(state, "b3"), "c4"), "d3")
    assert state.to_move == 1
    state = state.leave(2)
    assert str(state).endswith(" 1 out=0,2")
    assert state.leave(1).outcome == Outcome(winner=3, places=(4, 2, 3, 1))


def test_the_turn_skips_every_seat_that_left() -> None:
    assert FOUR.start().leave(1).leave(0).to_move == 2
    assert engine.apply(FOUR.start().leave(1).leave(2), "c2").to_move == 3


def test_winners_come_before_those_still_in_and_those_before_the_ones_that_left() -> None:
    state = position(FOUR, "c4 a2 d3 d2").leave(2)
    assert engine.apply(state, "c5").outcome == Outcome(winner=0, places=(1, 2, 4, 2))


def test_a_seat_that_left_needs_no_path() -> None:
    state = position(FOUR, "c1 a2 e5 b3", walls="d3h", left="1,2,2,2")
    assert "d4v" not in state.moves()
    assert "d4v" in state.leave(2).moves()


def play(state: State, moves: str) -> State:
    for move in moves.split():
        state = engine.apply(state, move)
    return state


def test_max_plies_ends_in_a_draw() -> None:
    state = play(engine.load("quoridor", size=5, max_plies=4).start(), "c2 c4 c1")
    assert state.outcome is None
    state = play(state, "c5")
    assert state.outcome == Outcome(winner=None, places=(1, 1))
    assert state.moves() == []
    assert state.perft(1) == 0


def test_a_win_on_the_last_ply_is_a_win() -> None:
    state = play(engine.load("quoridor", size=3, max_plies=3).start(), "a1 c3 a2")
    assert state.outcome == Outcome(winner=None, places=(1, 1))
    state = play(engine.load("quoridor", size=3, max_plies=5).start(), "a1 c3 a2 b3 a3")
    assert state.outcome == Outcome(winner=0, places=(1, 2))


def test_plies_without_a_wall_end_in_a_draw_and_a_wall_starts_them_again() -> None:
    state = play(engine.load("quoridor", size=5, no_progress=3).start(), "c2 c4")
    assert play(state, "c1").outcome == Outcome(winner=None, places=(1, 1))
    state = play(state, "a1h c5")
    assert str(state).endswith(" 0 walls=a1h left=4,5 quiet=1")
    assert play(state, "c1").outcome is None
    assert play(state, "c1 c4").outcome == Outcome(winner=None, places=(1, 1))


def test_counters_are_part_of_the_position_only_under_their_rule() -> None:
    there_and_back = "c2 c4 c1 c5"
    free = engine.load("quoridor", size=5)
    assert play(free.start(), there_and_back) == free.start()
    counted = engine.load("quoridor", size=5, max_plies=100)
    assert play(counted.start(), there_and_back) != counted.start()
    assert str(play(counted.start(), there_and_back)).endswith(" 0 ply=4")
    with pytest.raises(ValueError, match="quiet"):
        counted.parse(str(counted.start()) + " quiet=1")


def test_who_left_shares_no_draw() -> None:
    state = play(engine.load("quoridor", size=5, players=4, max_plies=3).start().leave(1), "c2 c4 d3")
    assert state.outcome == Outcome(winner=None, places=(1, 4, 1, 1))


def test_presets_get_the_draw_rules_of_the_board_and_rules_alone_none() -> None:
    game = engine.load("quoridor", size=7)
    assert dict(game.suggestions(game.options)) == {"max_plies": 150, "no_progress": 40}
    assert game.options["max_plies"] is None
    assert game.options["no_progress"] is None
    assert game.has_draws
    assert not FOUR.has_draws


# Options, numbers and words


def test_walls_depend_on_size_and_players_unless_given() -> None:
    found = {
        (size, players): engine.load("quoridor", size=size, players=players).options["walls"]
        for players, sizes in ((2, (3, 5, 7, 9)), (4, (5, 7, 9)))
        for size in sizes
    }
    assert found == {(3, 2): 2, (5, 2): 5, (7, 2): 8, (9, 2): 10, (5, 4): 2, (7, 4): 4, (9, 4): 5}
    assert engine.load("quoridor", walls=0).options["walls"] == 0
    assert engine.load("quoridor", walls=None) == engine.load("quoridor", walls=10)


def test_four_players_need_a_larger_board() -> None:
    with pytest.raises(ValueError, match="four players need a board of size 5, 7 or 9"):
        engine.load("quoridor", size=3, players=4)


def test_a_refusal_says_why() -> None:
    rows = (
        ("e1 e9", "", "E2", "a move is a cell such as e2 or a wall such as e3h or e3v"),
        ("e1 e9", "", "i10", "a move is a cell such as e2 or a wall such as e3h or e3v"),
        ("e1 e9", "", "pass", "a player passes only when nothing else is possible"),
        ("e1 e9", "", "e1", "your pawn already stands on e1"),
        ("e4 e5", "", "e5", "another pawn stands on e5"),
        ("e1 e9", "", "e3", "a pawn moves one step up, down, left or right, or jumps over a pawn next to it"),
        ("e1 e9", "", "d2", "a pawn moves one step up, down, left or right, or jumps over a pawn next to it"),
        ("e4 e5", "", "d5", "the pawn on e5 can be jumped straight, so not to the side"),
        ("e4 e5", "e5h,d5v", "d5", "a wall is in the way"),
        ("e4 e5", "e4h", "e6", "a wall is in the way"),
        ("e4 a9", "e4h", "e5", "a wall is in the way"),
        ("e1 e9", "e3h", "e3v", "this wall crosses another"),
        ("e1 e9", "e3h", "f3h", "this wall overlaps another"),
        ("e1 e9", "", "i3h", "a wall must lie wholly on the board"),
        ("e1 e9", "", "a9v", "a wall must lie wholly on the board"),
        ("e1 e9", "a4h,c4h,e4h,g4h,h4v", "h5h", "this wall would leave a player no path to the goal"),
        ("e1 e9", "a1h,a2h,a3h,a4h,a5h,a6h,a7h,a8h,c1h,c2h", "e5h", "no walls left"),
    )
    assert [nine(pawns, walls).explain(move) for pawns, walls, move, _ in rows] == [reason for *_, reason in rows]


def test_two_pawns_in_a_row_are_named_as_the_reason() -> None:
    assert position(FOUR, "c2 c3 c4 e4").explain("c4") == "another pawn stands on c4"
    assert position(FOUR, "c2 c3 c4 e4").explain("b3") == "two pawns in a row cannot be jumped"
    assert FOUR.start().explain("f1") == "the board goes from a1 to e5"


def test_a_wrong_position_text_is_refused(subtests: pytest.Subtests) -> None:
    for text, complaint in (
        ("..1../...../...../...../..0..", "needs the rows"),
        ("..1../...../...../..0.. 0", "5 rows of 5"),
        ("..1../...../..x../...../..0.. 0", "a cell is one of"),
        ("...../...../...../...../..0.. 0", "one pawn of seat 1"),
        ("..1../...../...../...../.00.. 0", "one pawn of seat 0"),
        ("..1../...../...../...../..0.. 2", "the turn is a seat"),
        ("..1../...../...../...../..0.. 0 walls=a1h", "should together be all"),
        ("..1../...../...../...../..0.. 0 walls=a1h,a1v left=4,4", "overlaps or crosses"),
        ("..1../...../...../...../..0.. 0 walls=e1h left=4,5", "off the board"),
        ("..1../...../...../...../..0.. 0 walls=pass left=4,5", "is no wall"),
        ("..1../...../...../...../..0.. 0 left=6,4", "0 to 5 walls"),
        ("..1../...../...../...../..0.. 0 left=5", "each of 2 seats"),
        ("..1../...../...../...../..0.. 0 walls=a2h,c2h,d2v,d3h left=3,3", "no path to the goal"),
        ("..1../...../...../...../..0.. 0 out=0,1", "not all of them"),
        ("..1../...../...../...../..0.. 0 ply=3", "have no 'ply'"),
    ):
        with subtests.test(text), pytest.raises(ValueError, match=complaint):
            engine.load("quoridor", size=5).parse(text)
