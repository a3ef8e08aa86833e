"""The match screen: its contents, and its keys."""

from __future__ import annotations

import re

import pytest

from cornered import engine
from cornered.clients.terminal.board_view import BoardView
from cornered.clients.terminal.match_source import LineState
from cornered.protocol.messages import Said
from cornered.protocol.values import Fischer, Player
from tests.clients.terminal.tables import LocalMatch, on_screen

CLOCK = Fischer(initial=180, increment=2)


def under_way(**fields: object) -> LocalMatch:
    """Return a match after a move of each player, which can be resigned."""
    return LocalMatch("trapgrid", ["a6", "g2"], **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "size"),
    [*((game, (80, 24)) for game in ("trapgrid", "isolation", "bamboo", "quoridor")), ("bamboo", (120, 40))],
)
async def test_every_game_is_shown_whole_in_a_terminal(game: str, size: tuple[int, int]) -> None:
    async with on_screen(LocalMatch(game), size) as scene:
        board = scene.app.screen.query_one(BoardView)
        assert board.layout_now.width <= board.size.width
        assert board.layout_now.height <= board.size.height
        assert "● Ana (you)" in scene.text
        assert "◆ minimax [bot]" in scene.text
        assert "Your turn: you play ●." in scene.text


async def test_enter_plays_what_is_not_refused_and_the_opponents_answer_appears() -> None:
    table = LocalMatch("trapgrid", size=3)
    table.refuses = "the match went on without you"
    async with on_screen(table) as scene:
        await scene.press("enter")
        assert "The match went on without you" in scene.text
        table.refuses = None
        await scene.press("enter")
        assert table.played == [("a2", 0)]
        assert "minimax to move (◆)." in scene.text
        await scene.answer("b1")
        assert "1 a2    b1" in scene.text
        assert "Your turn" in scene.text
        # Widgets are removed one after the other, before the worker that follows the match is cancelled.
        await scene.app.screen.query_one("#title").remove()
        await scene.change(watchers=1)
        assert scene.app.is_running


async def test_a_typed_move_is_played_and_escape_leaves_the_entry_first_and_then_the_match() -> None:
    async with on_screen(LocalMatch("quoridor")) as scene:
        await scene.press("m", *"E3H", "enter")
        assert scene.table.played == [("e3h", 0)]
        assert isinstance(scene.app.focused, BoardView)
        await scene.press("m", "escape")
        assert isinstance(scene.app.focused, BoardView)
        await scene.press("escape")
    assert scene.app.return_code == 0


async def test_cells_that_look_playable_say_why_they_are_not() -> None:
    table = LocalMatch("trapgrid", size=3)
    table.refused = {"c3": "a pawn makes one step"}
    async with on_screen(table) as scene:
        await scene.press("up", "right", "right")
        assert "c3: a pawn makes one step" in scene.text


async def test_resigning_takes_two_presses_in_a_row_and_n_declines_what_is_offered() -> None:
    async with on_screen(under_way()) as scene:
        await scene.press("x")
        assert "Press x again to resign" in scene.text
        await scene.press("left", "x", "n")
        assert scene.table.done == []
        await scene.press("x", "x")
        assert scene.table.done == ["resign"]
        await scene.change(takeback=1)
        await scene.press("n")
        assert scene.table.done == ["resign", "decline_takeback"]


async def test_before_the_second_move_the_match_is_called_off_and_not_resigned() -> None:
    async with on_screen(LocalMatch("trapgrid")) as scene:
        assert "Draw" not in scene.text, "games without draws have no key for one"
        await scene.press("d")
        assert scene.table.done == []
        await scene.press("x", "x")
        assert scene.table.done == ["abort"]


async def test_d_offers_a_draw_and_accepts_the_opponents() -> None:
    async with on_screen(LocalMatch("quoridor", has_draws=True)) as scene:
        await scene.press("d")
        await scene.change(draw_offer=1)
        assert "minimax offers a draw: d accepts, n declines." in scene.text
        await scene.press("d")
        assert scene.table.done == ["offer_draw", "accept_draw"]


async def test_the_end_says_who_won_and_why_and_offers_a_rematch_and_no_move() -> None:
    async with on_screen(under_way()) as scene:
        assert "Play" in scene.text
        await scene.change(over=True, winner=0, reason="time")
        assert "You won, on time." in scene.text
        assert "Play" not in scene.text
        await scene.press("x", "x", "g")
        assert scene.table.done == ["rematch"]


async def test_clocks_show_the_servers_time_and_a_banner_that_the_line_is_broken() -> None:
    async with on_screen(under_way(clock=CLOCK, left=(61_000, 9_500))) as scene:
        assert "1:01" in scene.text
        assert "9.5" in scene.text
        scene.table.time = 11_000
        await scene.change()
        assert "0:50" in scene.text
        assert "9.5" in scene.text
        await scene.tell(LineState("Reconnecting."))
        assert "Reconnecting." in scene.text
        await scene.tell(LineState(None))
        assert "Reconnecting." not in scene.text


async def test_words_are_shown_as_they_are_and_keys_of_the_game_are_letters_while_answering() -> None:
    async with on_screen(under_way()) as scene:
        by = Player(id="p1", name="minimax", kind="bot")
        await scene.tell(Said(match="m1", room="players", by=by, text="[b]hi[/b]", at=0))
        assert "minimax [bot]: [b]hi[/b]" in scene.text
        await scene.press("c", *"xx tdg", "enter")
        assert scene.table.done == []
        assert scene.table.said == ["xx tdg"]
        await scene.press("m", "a", "ctrl+c")
        assert not scene.app.is_running


async def test_a_spectator_can_neither_play_nor_resign() -> None:
    async with on_screen(under_way(seat=None)) as scene:
        await scene.press("enter", "x", "x", "t", "g")
        assert scene.table.played == []
        assert scene.table.done == []
        assert "Ana to move (●)." in scene.text
        assert "Spectators" in scene.text


async def test_the_dice_are_named_when_they_roll() -> None:
    async with on_screen(LocalMatch("isolation", ["d4", "a1"], dice=True)) as scene:
        assert "The dice are rolling." in scene.text
        await scene.answer(scene.table.state.moves()[1])
        assert "Your turn" in scene.text
        assert "roll 2" in scene.text


async def test_four_players_are_told_apart_by_shape() -> None:
    async with on_screen(LocalMatch("quoridor", players=4)) as scene:
        for piece, name in zip("●◆▲■", ("Ana", "minimax", "Cleo", "Dan"), strict=True):
            assert f"{piece} {name}" in scene.text


async def test_question_mark_shows_all_keys_and_the_rules_and_escape_hides_them() -> None:
    (rules,) = (kind.summary for kind in engine.games() if kind.name == "quoridor")
    async with on_screen(LocalMatch("quoridor", size=5, walls=1)) as scene:
        assert re.search(r"1 wall\b", scene.text), "one wall is told in the singular"
        is_dark = scene.app.current_theme.dark
        await scene.press("b")
        assert scene.app.current_theme.dark is not is_dark
        await scene.press("question_mark")
        assert "claim victory" in scene.text
        await scene.press("end")
        seen = "".join(scene.text.split()).replace("│", "")
        for end in ("This match: Quoridor 5x5.", rules.rpartition(". ")[2]):
            assert "".join(end.split()) in seen
        await scene.press("escape")
        assert "claim victory" not in scene.text
