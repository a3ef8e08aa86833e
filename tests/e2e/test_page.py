"""The page in a real browser against a real server, through what users do and see."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import pytest
from playwright.sync_api import expect

from cornered.clients.sdk import Client
from cornered.protocol.values import GameSpec, SeekSettings
from tests.e2e.window import PHONE, OpenWindow, begin, pair, play, play_to_the_end, turn_of, wait_until

pytestmark = pytest.mark.browser

GAMES = {
    "TrapGrid": {"size": 3},
    "Isolation": {"width": 3, "height": 3},
    "Bamboo": {"radius": 1},
    "Quoridor": {"size": 3},
}


@pytest.mark.parametrize("game", GAMES)
def test_two_people_play_a_game_while_a_third_watches(game: str, open_window: OpenWindow) -> None:
    first, second, third = open_window(), open_window(), open_window()
    first.open_table(game, seat=0, **GAMES[game])  # type: ignore[arg-type]  # only options of games
    second.sit_down(game)
    first.in_match()
    second.in_match()
    third.watch(first)
    play_to_the_end((first, second))
    results = []
    for window in (first, second, third):
        window.page.wait_for_selector(".match.over")
        results.append(window.status.inner_text())
    assert sorted(results[:2]) == ["You lost", "You won"]
    assert results[2].endswith(" won")
    assert first.moves == second.moves == third.moves != []
    assert not third.page.locator(".actions button").count()
    assert [len(view) for view in first.board] == [len(view) for view in third.board]
    third.page.get_by_role("button", name="Share").click()
    record = third.page.get_by_role("link", name="Record (text)").get_attribute("href")
    told = third.page.request.get(f"{third.address}/{record}").text()
    assert all(move in told for move in third.moves)


def test_an_address_that_is_no_encoding_of_a_text_opens_its_view_too(open_window: OpenWindow) -> None:
    window = open_window()
    for route, shown in (
        ("#/p/%", "This position cannot be shown"),
        ("#/leaders/%", "Leaderboard"),
        ("#/join/%", "You are invited"),
        ("#/think/%", "Board"),
    ):
        window.page.evaluate("(route) => { location.hash = route; }", route)
        expect(window.page.locator("#view")).to_contain_text(shown)
        assert window.errors == []


def test_a_reload_in_mid_game_resumes_also_where_the_match_cannot_be_joined_at_once(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    play((first, second), "b5 d1")
    first.await_turn()
    before = first.board
    first.put_off("join")
    first.page.reload()
    first.in_match()
    first.await_turn()
    assert first.moves == ["b5", "d1"]
    expect(first.page.locator(".cell.blocked.seat-0")).to_have_count(1)
    assert first.board == before
    first.make("c5")
    second.await_turn()


def test_walls_are_placed_by_mouse_turned_by_r_and_refused_with_a_reason(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    first.await_turn()
    first.page.mouse.move(*first.gap("b2", "b3"))
    ghost = first.page.locator(".ghost.wall.hover")
    expect(ghost).to_be_visible()
    flat = ghost.bounding_box()
    first.page.keyboard.press("r")
    turned = ghost.bounding_box()
    assert flat is not None
    assert turned is not None
    assert flat["width"] > flat["height"]
    assert turned["width"] < turned["height"]
    first.page.keyboard.press("r")
    first.page.mouse.click(*first.gap("b2", "b3"))
    expect(second.page.locator(".walls .wall")).to_have_count(1)
    assert second.moves[0][-1] == "h"
    second.await_turn()
    # The same slot again: the wall is illegal, which shows before it is tried, and the server gives the reason.
    reason = second.page.locator(".reason")
    expect(reason).to_be_hidden()
    second.page.mouse.move(*second.gap("b2", "b3"))
    expect(second.page.locator(".ghost.wall.wrong")).to_be_visible()
    expect(reason).to_have_text("This wall overlaps another.")
    second.page.mouse.move(*second.middle("e1"))
    expect(reason).to_be_hidden()
    second.page.mouse.click(*second.gap("b2", "b3"))
    expect(second.page.locator(".explanation")).not_to_be_empty()
    assert second.walls() == 1

    rack = second.page.locator(".rack.mine")
    walls = rack.locator("i")
    before = walls.count()
    assert before > 1
    box = rack.bounding_box()
    assert box is not None
    mouse = second.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(*second.gap("b3", "b4"), steps=5)
    expect(second.page.locator(".ghost.wall")).to_be_visible()
    mouse.up()
    expect(second.page.locator(".walls .wall")).to_have_count(2)
    expect(second.page.locator(".movelist .move")).to_have_count(2)
    expect(walls).to_have_count(before - 1)


def test_a_game_is_played_by_keyboard_alone(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    keys, ring = first.page.keyboard, ".board [tabindex='0']"
    first.await_turn()
    # The ring starts at one's own piece.
    expect(first.page.locator(ring)).to_have_attribute("data-cell", "c1")
    expect(second.page.locator(ring)).to_have_attribute("data-cell", "c5")
    first.page.locator(ring).focus()
    for key in ("ArrowUp", "ArrowUp", "Enter"):
        keys.press(key)
    expect(first.cell("c3")).to_be_focused()
    expect(first.page.locator(".explanation")).to_contain_text("A pawn moves one step up, down, left or right")
    keys.press("ArrowDown")
    expect(first.cell("c2")).to_be_focused()
    assert "c2" in (first.cell("c2").get_attribute("aria-label") or "")
    keys.press("Enter")
    expect(first.page.locator(".movelist .move")).to_have_text(["c2"])
    second.await_turn()
    second.page.keyboard.type("c4")
    second.page.keyboard.press("Enter")
    first.await_turn()
    keys.press("w")
    expect(first.page.locator(".ghost.wall.armed")).to_be_visible()
    keys.press("ArrowUp")
    keys.press("ArrowLeft")
    keys.press("r")
    keys.press("Enter")
    expect(first.page.locator(".walls .wall")).to_have_count(1)
    assert first.moves[2] == "b3v"
    assert "wall towards c3" in (first.cell("b3").get_attribute("aria-label") or "")
    assert "wall towards b4" in (first.cell("c4").get_attribute("aria-label") or "")
    expect(first.page.locator("#polite")).to_contain_text("You played b3v")
    keys.press("?")
    expect(first.page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    second.await_turn()
    second.page.keyboard.type("e5h")
    second.page.keyboard.press("Enter")
    expect(second.page.locator(".explanation")).not_to_be_empty()
    assert len(second.moves) == 3


def test_forbidden_cells_say_why_and_stones_tell_their_groups(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Bamboo", radius=2)
    play((first, second), "a1")
    second.await_turn()
    # Without a piece of one's own, the ring starts where one may play.
    assert second.page.locator(".board [tabindex='0']").get_attribute("data-cell") in second.targets()
    play((first, second), "e1 b4 e3 a2 d1")
    first.await_turn()
    expect(first.cell("a3")).to_have_class("cell refused")
    first.click("a3")
    words = "a3: This would make a group of 4, and you would have only 1 group."
    expect(first.page.locator(".explanation")).to_have_text(words)
    first.page.keyboard.press("z")
    assert sorted(first.page.locator(".count").all_text_contents()) == ["1", "1", "2", "2", "2", "2"]
    assert len(first.moves) == 6


def test_everybody_starts_at_the_near_side_and_a_piece_can_be_dragged(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=5)
    assert first.middle("a5")[1] > first.middle("e1")[1]
    assert second.middle("a5")[1] < second.middle("e1")[1]
    second.page.get_by_role("button", name="Flip").click()
    assert second.middle("a5")[1] > second.middle("e1")[1]
    first.await_turn()
    mouse = first.page.mouse
    for place in ("c3", "a4"):
        assert first.moves == []
        mouse.move(*first.middle("a5"))
        mouse.down()
        mouse.move(*first.middle(place), steps=4)
        mouse.up()
    expect(first.page.locator(".movelist .move")).to_have_text(["a4"])


def test_draws_takebacks_resignation_and_rematch(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=3)
    first.await_turn()
    first.make("a1")
    first.does("request_takeback").click()
    second.does("accept_takeback").click()
    first.await_turn()
    assert first.moves == []
    first.make("a1")
    second.does("offer_draw").click()
    expect(first.page.locator(".question")).to_contain_text("offers a draw")
    first.does("decline_draw").click()
    expect(first.page.locator(".question")).to_have_count(0)
    second.await_turn()
    second.make("a3")
    first.does("resign").click()
    expect(first.does("resign")).to_have_text("Really resign?")
    assert not first.is_over()
    first.does("resign").click()
    expect(second.status).to_have_text("You won")
    expect(second.page.locator(".explanation")).to_contain_text(" resigned.")
    first.does("rematch").click()
    expect(second.page.locator(".result")).to_contain_text("wants a rematch")
    before = second.page.url
    second.does("rematch").click()
    second.await_turn()
    assert second.page.url != before
    # The news of the rematch reach the two browsers in any order.
    first.page.wait_for_url(f"**#{second.page.url.partition('#')[2]}")


def test_moves_can_be_clicked_through_and_a_game_comes_back_by_its_address(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=4)
    play((first, second), "b4 c1 c4 b1")
    first.await_turn()
    now = first.board
    first.page.locator(".move").nth(1).click()
    expect(first.status).to_have_text("Move 1 of 2: c1")
    expect(first.page.locator(".cell.blocked")).to_have_count(2)
    assert first.targets() == []
    first.page.keyboard.press("Home")
    expect(first.page.locator(".cell.blocked")).to_have_count(0)
    first.page.get_by_role("button", name="Back to the game").click()
    first.await_turn()
    assert first.board == now
    stranger = open_window()
    stranger.watch(first)
    expect(stranger.page.locator(".movelist .move")).to_have_text(["b4", "c1", "c4", "b1"])
    expect(stranger.page.locator(".cell.blocked.seat-1")).to_have_count(2)


def test_four_people_play_with_dice_that_anyone_can_check(open_window: OpenWindow, axe: str) -> None:
    people = [open_window() for _ in range(4)]
    people[0].open_table("Isolation", seat=0, width=3, height=3, players=4, dice=True)
    for window in people[1:]:
        window.sit_down("Isolation")
    for window in people:
        window.in_match()
    for _ in people:
        mover = turn_of(people)
        assert mover is not None
        mover.make(mover.targets()[0])
    # All are placed, and a roll says what may be done.
    assert people[0].violations(axe) == []
    play_to_the_end(people)
    last = people[3].page
    last.wait_for_selector(".match.over")
    assert sorted(last.locator(".bar .notes").all_inner_texts(), key=lambda text: text[-3:])[0].endswith("1st")
    last.get_by_text("Check the dice").click()
    last.get_by_role("button", name="Verify").click()
    expect(last.locator(".proof [role=status]")).to_contain_text("the seed matches the promise")


def test_players_and_spectators_talk_in_rooms_of_their_own(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=4)
    third = open_window()
    third.watch(first)
    for window, text in ((first, "<b>good luck</b>"), (third, "who will win?")):
        field = window.page.get_by_label("Message")
        if not field.is_visible():
            window.page.locator(".chat > button").click()
        field.fill(text)
        field.press("Enter")
    second.page.locator(".chat > button").click()
    expect(second.page.locator(".chat .lines")).to_contain_text("<b>good luck</b>")
    expect(third.page.locator(".chat .lines p")).to_have_count(1)
    expect(first.page.locator(".chat .lines p")).to_have_count(1)
    assert first.moves == []


def test_a_line_of_chat_on_a_phone_takes_no_focus_and_is_no_news_after_a_reload(
    open_window: OpenWindow,
) -> None:
    phone, other = open_window(size=PHONE), open_window()
    begin(phone, other, "TrapGrid", size=4)
    phone.await_turn()

    def says(text: str) -> None:
        other.page.get_by_label("Message").fill(text)
        other.page.get_by_role("button", name="Send").click()

    lines, unread = phone.page.locator(".chat .lines"), phone.page.locator(".unread")
    phone.cell("b4").focus()
    says("Good luck!")
    bubble = phone.page.locator(".toast", has_text="Good luck!")
    expect(bubble).to_be_visible()
    assert phone.page.evaluate("document.activeElement.dataset.cell") == "b4"
    expect(unread).to_have_text("1")
    phone.page.reload()
    phone.in_match()
    expect(lines.locator("p")).to_have_count(1)
    expect(lines).to_contain_text("Good luck!")
    expect(lines).to_have_attribute("aria-live", "off")
    expect(unread).to_be_empty()
    says("Are you back?")
    expect(unread).to_have_text("1")
    expect(lines.locator("p")).to_have_count(2)
    expect(lines).to_have_attribute("aria-live", "polite")
    phone.page.locator(".toast", has_text="Are you back?").get_by_role("button", name="Open chat").click()
    expect(phone.page.get_by_role("log")).to_be_in_viewport()
    expect(phone.page.locator(".toast")).to_have_count(0)


def test_a_player_is_challenged_and_may_say_no(open_window: OpenWindow, axe: str) -> None:
    first, second = open_window(), open_window()
    first.take_name("Otter")
    second.take_name("Wren")
    for answer in ("No, thanks", "Play"):
        first.page.get_by_label("Challenge Wren").click()
        first.page.locator("dialog").get_by_role("button", name="TrapGrid").click()
        first.page.get_by_role("button", name="Start", exact=True).click()
        toast = second.page.locator(".toast", has_text="Otter asks you for a game: TrapGrid")
        expect(toast).to_be_visible()
        if answer == "Play":
            assert second.violations(axe) == []
        toast.get_by_role("button", name=answer).click()
        if answer != "Play":
            expect(first.page.locator(".toast", has_text="declined")).to_be_visible()
    first.in_match()
    second.in_match()
    expect(first.page.locator(".far .name")).to_have_text("Wren")


def test_a_clock_of_my_own_making_runs_out_on_the_screen(open_window: OpenWindow) -> None:
    first, second = open_window(), open_window()
    first.page.locator(".tile-card", has_text="TrapGrid").get_by_role("button", name="Play someone").click()
    first.page.locator("dialog label", has_text="Custom").locator("input").check(force=True)
    first.page.get_by_label("Kind of clock").select_option("per_move")
    first.page.get_by_label("Seconds").first.fill("2")
    first.page.locator("dialog input[name=seat][value='0']").check(force=True)
    first.page.get_by_role("button", name="Open the table").click()
    second.sit_down("TrapGrid")
    first.in_match()
    expect(first.page.locator(".near .clock.urgent")).to_be_visible()
    expect(second.status).to_have_text("You won")
    expect(first.page.locator(".explanation")).to_have_text("Your time ran out.")


def test_an_invite_tells_what_it_leads_to_and_the_host_may_start_early(open_window: OpenWindow, axe: str) -> None:
    host, guest, late = open_window(), open_window(), open_window()
    host.take_name("Stoat")
    guest.take_name("Siskin")
    host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    host.open_table("Isolation", private=True, minimum=2, clock="1 min + 1 s", width=5, height=4, players=3)
    host.page.get_by_role("button", name="Copy invite link").click()
    expect(host.page.locator(".toast")).to_contain_text("copied")
    link = host.page.evaluate("navigator.clipboard.readText()")
    invite, waiting = guest.page.locator(".call.invite"), host.page.locator(".call.waiting")
    # A private table is in no list.
    assert late.page.locator(".of-tables .line").count() == 0
    guest.page.goto(link)
    for words in (
        "Stoat invites you to a game of Isolation.",
        "5 \N{MULTIPLICATION SIGN} 4",
        "1 min + 1 s",
        "private",
        "Stoat (1 of 3)",
    ):
        expect(invite).to_contain_text(words)
    assert guest.violations(axe) == []
    expect(waiting.get_by_role("button", name="Start now")).to_have_count(0)
    invite.get_by_role("button", name="Sit down").click()
    expect(waiting).to_contain_text("At the table: you, Siskin (2 of 3).")
    expect(guest.page.locator(".call.waiting")).to_contain_text("Stoat, you (2 of 3)")
    guest.page.reload()
    expect(guest.page.locator(".call.waiting").get_by_role("button", name="Leave")).to_be_visible()
    expect(invite).to_have_count(0)
    waiting.get_by_role("button", name="Start now").click()
    host.in_match()
    guest.in_match()
    assert turn_of((host, guest)) is not None
    late.page.goto(link)
    expect(late.page.locator(".call.invite")).to_contain_text("That table is gone.")
    expect(late.page.get_by_role("button", name="Sit down")).to_have_count(0)


def test_a_name_is_taken_and_kept_and_one_that_is_refused_leaves_the_visitor_with_it(open_window: OpenWindow) -> None:
    window, other = open_window(), open_window()
    window.take_name("Ali")
    expect(other.page.locator(".of-here")).to_contain_text("Ali")
    window.page.reload()
    expect(window.page.locator(".me")).to_have_text("Ali")
    window.page.locator(".me").click()
    window.page.locator("dialog input").fill("Ali\u200cReza")
    window.page.get_by_role("button", name="Use this name").click()
    expect(window.page.locator(".toast")).to_contain_text("U+200C")
    window.page.evaluate("async () => { globalThis.link = (await import('./main.js')).page.link; }")
    wait_until(window.page, "() => link.state === 'online'")
    expect(window.page.locator(".me")).to_have_text("Ali")


def test_a_long_list_of_tables_is_shown_page_by_page(open_window: OpenWindow, address: str) -> None:
    window = open_window()

    async def open_tables() -> None:
        spec = GameSpec(name="isolation", options={"players": 3})
        async with contextlib.AsyncExitStack() as stack:
            for number in range(12):
                client = await stack.enter_async_context(Client.connect(address, name=f"Host {number}"))
                for _ in range(5):
                    await client.seek(SeekSettings(game=spec))
            await asyncio.to_thread(shown.wait)

    shown = threading.Event()
    hosts = threading.Thread(target=lambda: asyncio.run(open_tables()))
    hosts.start()
    try:
        tables, more = window.page.locator(".of-tables .line"), window.page.locator(".of-tables .further")
        expect(more).to_have_text("Show more (10)")
        expect(tables).to_have_count(50)
        more.click()
        expect(tables).to_have_count(60)
        expect(more).to_be_hidden()
        window.page.reload()
        expect(tables).to_have_count(50)
        expect(more).to_have_text("Show more (10)")
        more.click()
        expect(tables).to_have_count(60)
    finally:
        shown.set()
        hosts.join(60)
        assert not hosts.is_alive()


def test_colours_follow_the_system_and_can_be_pinned(open_window: OpenWindow) -> None:
    window = open_window(dark=True)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = window.page.evaluate(background)
    window.page.emulate_media(color_scheme="light")
    light = window.page.evaluate(background)
    assert dark != light
    window.page.get_by_label("Colours: system").click()
    window.page.get_by_label("Colours: light").click()
    assert window.page.evaluate(background) == dark
    window.page.reload()
    window.page.wait_for_selector(".lobby.ready")
    assert window.page.evaluate(background) == dark


def test_axe_finds_nothing_serious(open_window: OpenWindow, axe: str) -> None:
    first, second = open_window(), open_window()
    assert first.violations(axe) == []
    for opener in (
        first.page.get_by_role("button", name="Help and keys"),
        first.page.get_by_role("button", name="Play someone").last,
        first.page.get_by_label("Choose bot, board and clock for Quoridor"),
    ):
        opener.click()
        expect(first.page.locator("dialog")).to_be_visible()
        first.page.evaluate("for (const one of document.querySelectorAll('dialog details')) one.open = true")
        assert first.violations(axe) == []
        first.page.keyboard.press("Escape")
        expect(first.page.locator("dialog")).to_have_count(0)
    begin(first, second, "Quoridor", size=5)
    first.await_turn()
    assert first.violations(axe) == []
    first.make("c2")
    second.does("abort").click()
    second.does("abort").click()
    first.page.wait_for_selector(".match.over")
    assert first.violations(axe) == []
