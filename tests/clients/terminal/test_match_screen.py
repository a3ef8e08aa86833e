"""The match screen: its contents, and its keys."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from textual.app import App

from cornered import engine
from cornered.clients.terminal.board_view import BoardView
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.match_source import LineState
from cornered.protocol.messages import Said
from cornered.protocol.values import Fischer, Player
from tests.clients.terminal.conftest import LocalMatch

CLOCK = Fischer(initial=180, increment=2)


def kind_summary(name: str) -> str:
    return next(kind.summary for kind in engine.games() if kind.name == name)


def screen(table: LocalMatch) -> CorneredApp:
    return CorneredApp(MatchScreen(table))


@pytest.mark.parametrize("game", ["trapgrid", "isolation", "bamboo", "quoridor"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_every_game_is_shown_whole_in_a_terminal(
    game: str, size: tuple[int, int], local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    app = screen(local_table(game))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        layout, room = app.screen.query_one(BoardView).layout_now, app.screen.query_one(BoardView).size
        assert layout.width <= room.width
        assert layout.height <= room.height
        text = shown(app)
        assert "● Ana (you)" in text
        assert "◆ minimax [bot]" in text
        assert "Your turn: you play ●." in text


async def test_enter_plays_and_the_opponents_answer_appears(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", size=3)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert table.played == [("a2", 0)]
        assert "minimax to move (◆)." in shown(app)
        table.opponent_plays("b1")
        await pilot.pause()
        assert "1 a2    b1" in shown(app)
        assert "Your turn" in shown(app)


async def test_a_typed_move_is_played(local_table: type[LocalMatch]) -> None:
    table = local_table("quoridor")
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("m", *"E3H", "enter")
        await pilot.pause()
        assert table.played == [("e3h", 0)]
        assert isinstance(app.focused, BoardView)


async def test_a_refused_move_says_why_and_may_be_tried_again(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", size=3)
    table.refuses = "the match went on without you"
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert "The match went on without you" in shown(app)
        table.refuses = None
        await pilot.press("enter")
        await pilot.pause()
        assert table.played == [("a2", 0)]


async def test_cells_that_look_playable_say_why_they_are_not(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", size=3)
    table.refused = {"c3": "a pawn makes one step"}
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("up", "right", "right")
        await pilot.pause()
        assert "c3: a pawn makes one step" in shown(app)


async def test_resigning_takes_two_presses_in_a_row(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", ["a6", "g2"])
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("x")
        assert "Press x again to resign" in shown(app)
        await pilot.press("left", "x")
        await pilot.pause()
        assert table.done == []
        await pilot.press("x")
        await pilot.pause()
        assert table.done == ["resign"]


async def test_before_the_second_move_the_match_is_called_off_and_not_resigned(local_table: type[LocalMatch]) -> None:
    table = local_table("trapgrid")
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("x", "x")
        await pilot.pause()
        assert table.done == ["abort"]


async def test_d_offers_a_draw_and_accepts_the_opponents(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("quoridor", has_draws=True)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("d")
        await pilot.pause()
        table.change(draw_offer=1)
        await pilot.pause()
        assert "minimax offers a draw: d accepts, n declines." in shown(app)
        await pilot.press("d")
        await pilot.pause()
        assert table.done == ["offer_draw", "accept_draw"]


async def test_n_declines_what_is_offered(local_table: type[LocalMatch]) -> None:
    table = local_table("trapgrid", ["a6", "g2"])
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("n")
        table.change(takeback=1)
        await pilot.pause()
        await pilot.press("n")
        await pilot.pause()
        assert table.done == ["decline_takeback"]


async def test_games_without_draws_have_no_key_for_one(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid")
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Draw" not in shown(app)
        await pilot.press("d")
        await pilot.pause()
        assert table.done == []


async def test_the_end_says_who_won_and_why_and_offers_a_rematch(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", ["a6", "g2"])
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        table.change(over=True, winner=0, reason="time")
        await pilot.pause()
        assert "You won, on time." in shown(app)
        await pilot.press("x", "x", "g")
        await pilot.pause()
        assert table.done == ["rematch"]


async def test_clocks_show_the_servers_time(local_table: type[LocalMatch], shown: Callable[[App[None]], str]) -> None:
    table = local_table("trapgrid", ["a6", "g2"], clock=CLOCK, left=(61_000, 9_500))
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "1:01" in shown(app)
        assert "9.5" in shown(app)
        table.time = 11_000
        table.change()
        await pilot.pause()
        assert "0:50" in shown(app)
        assert "9.5" in shown(app)


async def test_a_banner_says_that_the_line_is_broken_until_it_stands_again(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid")
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        table.changes.put_nowait(LineState("Reconnecting."))
        await pilot.pause()
        assert "Reconnecting." in shown(app)
        table.changes.put_nowait(LineState(None))
        await pilot.pause()
        assert "Reconnecting." not in shown(app)


async def test_words_are_shown_as_they_are_and_can_be_answered(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid")
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        by = Player(id="p1", name="minimax", kind="bot")
        table.changes.put_nowait(Said(match="m1", room="players", by=by, text="[b]hi[/b]", at=0))
        await pilot.pause()
        assert "minimax [bot]: [b]hi[/b]" in shown(app)
        await pilot.press("c", *"thanks", "enter")
        await pilot.pause()
        assert table.said == ["thanks"]


async def test_keys_of_the_game_are_letters_while_typing(local_table: type[LocalMatch]) -> None:
    table = local_table("trapgrid", ["a6", "g2"])
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("c", *"xx tdg", "enter")
        await pilot.pause()
        assert table.done == []
        assert table.said == ["xx tdg"]


async def test_a_spectator_can_neither_play_nor_resign(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", ["a6", "g2"], seat=None)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter", "x", "x", "t", "g")
        await pilot.pause()
        assert table.played == []
        assert table.done == []
        assert "Ana to move (●)." in shown(app)
        assert "Spectators" in shown(app)


async def test_the_dice_are_named_when_they_roll(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("isolation", ["d4", "a1"], dice=True)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "The dice are rolling." in shown(app)
        table.opponent_plays(table.state.moves()[1])
        await pilot.pause()
        assert "Your turn" in shown(app)
        assert "roll 2" in shown(app)


async def test_four_players_are_told_apart_by_shape(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    app = screen(local_table("quoridor", players=4))
    async with app.run_test() as pilot:
        await pilot.pause()
        text = shown(app)
        for piece, name in zip("●◆▲■", ("Ana", "minimax", "Cleo", "Dan"), strict=True):
            assert f"{piece} {name}" in text


async def test_question_mark_shows_all_keys_and_escape_hides_them(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    app = screen(local_table("trapgrid"))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        assert "claim victory" in shown(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "claim victory" not in shown(app)


async def test_the_help_of_a_match_has_the_rules_of_its_game(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("quoridor", size=5)
    app = screen(table)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("question_mark", "end")
        await pilot.pause()
        seen = "".join(shown(app).split())
        for end in ("This match: Quoridor 5x5.", kind_summary("quoridor").rpartition(". ")[2]):
            assert "".join(end.split()) in seen.replace("│", "")


@pytest.mark.parametrize(("stock", "text"), [(0, "no walls left"), (1, "1 wall"), (2, "2 walls")])
async def test_one_wall_is_told_in_the_singular(
    stock: int, text: str, local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    app = screen(local_table("quoridor", size=5, walls=stock))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert re.search(rf"{text}\b", shown(app))


async def test_b_switches_between_dark_and_light(local_table: type[LocalMatch]) -> None:
    app = screen(local_table("trapgrid"))
    async with app.run_test() as pilot:
        before = app.current_theme.dark
        await pilot.press("b")
        assert app.current_theme.dark is not before


async def test_escape_leaves_the_entry_first_and_then_the_match(local_table: type[LocalMatch]) -> None:
    app = screen(local_table("trapgrid"))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("m", "escape")
        assert isinstance(app.focused, BoardView)
        await pilot.press("escape")
        await pilot.pause()
    assert app.return_code == 0


async def test_after_a_resignation_nothing_can_be_played_any_more(
    local_table: type[LocalMatch], shown: Callable[[App[None]], str]
) -> None:
    table = local_table("trapgrid", size=3)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Play" in shown(app)
        table.change(over=True, winner=0, reason="resignation")
        await pilot.pause()
        assert "Play" not in shown(app)


async def test_control_c_quits_even_while_typing(local_table: type[LocalMatch]) -> None:
    app = screen(local_table("trapgrid", size=3))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("m", "a", "ctrl+c")
        await pilot.pause()
        assert not app.is_running


async def test_an_event_of_the_match_that_comes_while_the_screen_is_removed_is_no_error(
    local_table: type[LocalMatch],
) -> None:
    table = local_table("trapgrid", size=3)
    app = screen(table)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        # Widgets are removed one after the other, before the worker that follows the match is cancelled.
        await app.screen.query_one("#title").remove()
        table.opponent_plays("b1")
        await pilot.pause()
        assert app.is_running
