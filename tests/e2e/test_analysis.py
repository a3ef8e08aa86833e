"""Analysis of a game in a real browser, by a bot in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.analysts import STARTING, Analyst, running_analyst
from tests.e2e.window import PHONE, OpenWindow, Window, begin, pair, play

pytestmark = pytest.mark.browser

MOVES = "b5 d1 c5 c1 c4 c2"
MIRRORED = "a4 e2 a3 e3 b3 d3"
"""The same game, whose positions no analyst has seen at the first run."""

ASK = """async ([match, ply]) => {
    const { page } = await import("./main.js");
    return page.link.ask({ type: "ask_analysis", match, ply }).then(() => "asked", (error) => error.code);
}"""


@pytest.fixture(scope="module")
def address(own_address: str) -> str:
    """The address of a server whose analyses are those of the analyst under test."""
    return own_address


@pytest.fixture(scope="module")
def analyst(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    with running_analyst(address, tmp_path_factory.mktemp("analyst")) as analyst:
        yield analyst


def finished(open_window: OpenWindow, moves: str = MOVES, **how: object) -> tuple[Window, Window]:
    """Return two players of a game of TrapGrid on 5x5 that one has resigned after six moves."""
    first, second = open_window(**how), open_window()
    begin(first, second, "TrapGrid", size=5)
    play((first, second), moves)
    second.resign()
    first.page.wait_for_selector(".match.over")
    return first, second


def lines(window: Window) -> Locator:
    return window.page.locator(".ways li")


def study(window: Window) -> None:
    """Open the analysis, and wait for it; the page asks until the analyst has started."""
    window.page.get_by_role("button", name="Analyse").click()
    expect(lines(window).first).to_be_visible(timeout=STARTING)


def ply(window: Window) -> Locator:
    """The move in the list that led to the position on the board."""
    return window.page.locator(".movelist [aria-current=step]")


def surveyed(window: Window) -> None:
    """Wait until the whole game was looked at."""
    expect(window.page.locator(".passing")).to_be_hidden(timeout=STARTING)


def test_a_finished_game_is_studied(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second = finished(open_window)
    names = [window.page.locator(".me").inner_text() for window in (first, second)]
    study(first)
    surveyed(first)
    page, panel = first.page, first.page.locator(".study")
    bar = page.locator(".evaluation")
    expect(panel.locator(".verdict")).to_contain_text(re.compile(rf"({'|'.join(names)}) wins"))
    expect(panel.locator(".verdict")).to_contain_text("proven, says champion", timeout=STARTING)
    expect(bar).to_have_attribute("aria-label", re.compile(r"^Evaluation: .* wins"))
    shares = bar.locator("i").evaluate_all("parts => parts.map(part => part.getBoundingClientRect().height)")
    assert min(shares) <= 2 < max(shares)
    panel.get_by_text("Statistics").click()
    figures = panel.locator(".figures")
    for words in ("Depth", "Positions", "A second", "Pruned", "Table hits", "Time", "champion"):
        expect(figures).to_contain_text(words, timeout=STARTING)

    before = first.board
    line = lines(first).first.locator("button")
    line.press("Enter")
    move = line.locator("[data-step]").first.inner_text()
    expect(first.status).to_have_text(f"After {move}")
    expect(page.locator(".boardbox.preview")).to_be_visible()
    assert first.board != before
    page.keyboard.press("Escape")
    expect(first.status).not_to_contain_text("After")
    assert first.board == before

    chooser = page.get_by_label("On the board")
    expect(chooser).to_be_visible(timeout=STARTING)
    chooser.select_option("Territory")
    expect(page.locator(".overlay .piece").first).to_be_visible()
    expect(panel).to_contain_text("Cells that only one pawn can still reach")
    expect(panel.locator(".key")).to_contain_text("both")
    assert page.locator("[aria-label*='Territory: ']").count() == page.locator(".overlay > g").count() > 0
    chooser.select_option("Danger")
    expect(page.locator(".overlay.heat > g").first).to_be_visible()
    expect(panel.locator(".key")).to_contain_text(re.compile("0 points.*10 points"))
    chooser.select_option("nothing")
    expect(page.locator(".overlay > g")).to_have_count(0)

    panel.get_by_text("Game tree").click()
    branch = panel.locator(".tree summary.best").first
    expect(branch).to_be_visible()
    # The tree shows the proof that the lines show, in the same unit.
    best = lines(first).first
    assert branch.locator("strong").inner_text() == best.locator("[data-step]").first.inner_text()
    expect(branch).to_contain_text(best.locator("strong").inner_text())
    assert not re.search(r"[+\u2212]\d", panel.inner_text())
    below = branch.locator("xpath=../ul")
    expect(below).to_be_visible()
    branch.press("Enter")
    expect(below).to_be_hidden()
    expect(first.status).to_have_text(f"After {branch.locator('strong').inner_text()}")

    page.keyboard.press("End")
    page.keyboard.press("<")
    expect(first.status).to_contain_text("Move 3 of 3")
    expect(ply(first)).to_have_attribute("data-ply", "5")
    expect(panel).to_contain_text("c2 was played", timeout=STARTING)
    page.keyboard.press(">")
    expect(first.status).to_have_text("You won")
    page.keyboard.press("a")
    expect(panel).to_be_hidden()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_who_steps_through_the_game_meanwhile_stays_there(open_window: OpenWindow, analyst: Analyst) -> None:
    first, _ = finished(open_window, MIRRORED)
    first.page.get_by_role("button", name="Analyse").click()
    expect(first.page.locator(".study .course")).to_be_visible(timeout=STARTING)
    first.page.keyboard.press("Home")
    surveyed(first)
    expect(first.page.get_by_role("slider", name="Course of the game")).to_have_attribute("aria-valuenow", "0")
    expect(lines(first).first).to_be_visible(timeout=STARTING)


def test_it_opens_at_the_mistake_that_decided_the_game(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second = finished(open_window)
    loser = second.page.locator(".me").inner_text()
    study(first)
    surveyed(first)
    page = first.page
    # Both threw a win away; that of the loser, the fourth move, was the last.
    expect(ply(first)).to_have_attribute("data-ply", "3")
    told = page.locator(".mistakes button")
    expect(told).to_have_count(2)
    decisive = page.locator(".mistakes [aria-current=true]")
    expect(decisive).to_contain_text(f"{loser} threw away a win in 10; d2 was better")
    expect(decisive).to_contain_text("decisive")
    expect(page.locator(".advice.best")).to_have_count(1)
    expect(page.locator(".advice")).to_have_count(2)
    expect(page.locator(".spot")).to_have_count(2)
    line = lines(first).first
    expect(line).to_contain_text("wins in 10", timeout=STARTING)
    # To the end: nineteen moves.
    expect(line.locator("[data-step]")).to_have_count(19, timeout=STARTING)

    slider = page.get_by_role("slider", name="Course of the game")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(ply(first)).to_have_attribute("data-ply", "2")
    expect(slider).to_have_attribute("aria-valuenow", "2")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("After 2 of 6 moves: .* 99%"))
    page.keyboard.press("End")
    expect(first.status).to_have_text("You won")
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.51, box["y"] + 5)
    expect(ply(first)).to_have_attribute("data-ply", "3")
    told.first.press("Enter")
    expect(ply(first)).to_have_attribute("data-ply", "2")


PROOF_SEEN_LATE = """async () => {
    const { backed, decisiveOf, mistakesOf } = await import("./mistakes.js");
    const report = (proven, score, plies = null) =>
        ({ proven, score, plies, scale: 2, lines: [{ move: "best" }] });
    const record = {
        seats: [{ player: { name: "Ann" } }, { player: { name: "Bob" } }], positions: ["", "", "", "", ""],
        moves: ["a", "b", "c", "d"], ply: 4, over: true, reason: "resignation", winner: 0, moverOf: (ply) => ply % 2,
    };
    const [open, lost, won] = [report(null, 0), report("loss", -9990, 10), report("win", 9991, 9)];
    const found = [open, open, report(null, 0.1), lost, won];
    const told = (reports) => mistakesOf(record, reports).map(({ ply, words }) => `${ply} ${words}`);
    const carried = backed(record, found);
    return [told(found), told(carried), decisiveOf(record, mistakesOf(record, carried)).move];
}"""


def test_a_proof_counts_for_the_moves_that_led_to_it(open_window: OpenWindow) -> None:
    before, after, decisive = open_window().page.evaluate(PROOF_SEEN_LATE)
    # The short look at the third position missed the win that the next one shows.
    assert before == []
    assert after == ["1 Bob went from 50% into a loss in 6"]
    assert decisive == "b"


LOOKED_AT_AGAIN = """async (best) => {
    const { Pass } = await import("./pass.js");
    const report = (proven) => ({ proven, score: 0, plies: proven && 9, scale: 2, lines: [{ move: best }] });
    const asked = [];
    let hear;
    const link = {
        state: "online",
        hear: (listeners) => (hear = listeners.analysis),
        ask: async ({ ply, milliseconds }) => {
            const ref = asked.push(`${ply} ${milliseconds}`);
            const proven = ply === 0 ? "win" : milliseconds > 150 ? "loss" : null;
            setTimeout(() => hear({ analysis: ref, final: true, report: report(proven) }));
            return { ref };
        },
    };
    const record = {
        id: "m", positions: ["", ""], moves: ["a"], ply: 1, over: true, reason: "resignation", moverOf: (ply) => ply,
    };
    const pass = new Pass({ link }, record, () => {});
    pass.start();
    while (pass.running) await new Promise((done) => setTimeout(done, 1));
    return [asked, pass.found[1].proven];
}"""


def test_a_win_is_let_go_only_after_a_longer_look(open_window: OpenWindow) -> None:
    page = open_window().page
    assert page.evaluate(LOOKED_AT_AGAIN, "b") == [["0 150", "1 150", "1 400"], "loss"]
    assert page.evaluate(LOOKED_AT_AGAIN, "a") == [["0 150", "1 150"], None]


PROOF_OF_THE_MOVE = """async () => {
    const { backed, mistakesOf } = await import("./mistakes.js");
    const report = (proven, plies) => ({ proven, score: 0, plies, scale: 2, lines: [{ move: "a" }] });
    const record = {
        seats: [{ player: { name: "Ann" } }, { player: { name: "Bob" } }], positions: ["", ""], moves: ["a"], ply: 1,
        over: true, reason: "resignation", winner: 0, moverOf: (ply) => ply % 2,
    };
    const found = [report("win", 9), report(null, null)];
    const carried = backed(record, found);
    const told = (reports) => mistakesOf(record, reports).map(({ ply, words }) => `${ply} ${words}`);
    return [told(found), told(carried), carried[1].proven, carried[1].plies];
}"""


def test_the_best_move_of_a_proof_keeps_the_win(open_window: OpenWindow) -> None:
    before, after, proven, plies = open_window().page.evaluate(PROOF_OF_THE_MOVE)
    assert before == ["0 Ann let go of a win in 5"]
    assert after == []
    assert (proven, plies) == ("loss", 8)


def test_variations_of_ones_own_are_played_on_the_board(open_window: OpenWindow, analyst: Analyst) -> None:
    first, _ = finished(open_window)
    study(first)
    surveyed(first)
    page = first.page
    expect(ply(first)).to_have_attribute("data-ply", "3")
    before = first.board
    expect(first.cell("c1")).to_have_class(re.compile("target"))
    first.click("d2")
    expect(first.status).to_have_text("After d2")
    expect(page.locator(".verdict")).to_contain_text("wins in 9", timeout=STARTING)
    expect(first.cell("c4")).to_have_class(re.compile("target"))
    first.click("c4")
    expect(first.status).to_have_text("After d2 c4")
    back = page.get_by_role("button", name="Back to the game", exact=True)
    expect(back).to_be_visible()
    first.click("a1")
    expect(first.status).to_have_text("After d2 c4")
    back.click()
    expect(first.status).not_to_contain_text("After")
    assert first.board == before


def test_a_link_leads_to_a_position(open_window: OpenWindow, analyst: Analyst) -> None:
    first, _ = finished(open_window)
    third = open_window()
    third.page.goto(f"{first.page.url}/4")
    third.page.wait_for_selector(".match .board")
    expect(ply(third)).to_have_attribute("data-ply", "4")
    third.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    study(third)
    expect(ply(third)).to_have_attribute("data-ply", "4")
    third.page.get_by_role("button", name="Copy link to this position").click()
    expect(third.page.locator(".toast")).to_contain_text("copied")
    assert third.page.evaluate("navigator.clipboard.readText()") == f"{first.page.url}/4"


def test_who_plays_gets_no_help_and_nor_do_watchers(open_window: OpenWindow, analyst: Analyst, axe: str) -> None:
    first, second, third = open_window(), open_window(), open_window()
    begin(first, second, "TrapGrid", size=4)
    match = first.page.url.rpartition("/")[2]
    first.await_turn()
    assert first.page.evaluate(ASK, [match, 0]) == "not_now"
    assert not first.page.get_by_role("button", name="Analyse").count()
    second.page.keyboard.press("a")
    expect(second.page.locator(".explanation")).to_contain_text("no help while you play")
    expect(second.page.locator(".study")).to_be_hidden()
    third.watch(first)
    third.page.get_by_role("button", name="Analyse").click()
    expect(third.page.locator(".study")).to_contain_text("A person is playing")
    expect(lines(third)).to_have_count(0)
    assert third.violations(axe) == []


def test_on_a_phone_the_analysis_is_below_the_board(open_window: OpenWindow, analyst: Analyst, axe: str) -> None:
    first, _ = finished(open_window, size=PHONE)
    study(first)
    surveyed(first)
    page = first.page
    slider = page.get_by_role("slider", name="Course of the game")
    page.locator(".mistakes button").first.tap()
    expect(slider).to_have_attribute("aria-valuenow", "2")
    slider.tap()
    expect(slider).to_have_attribute("aria-valuenow", "3")
    assert not first.is_too_wide()
    boxes = [page.locator(selector).bounding_box() for selector in (".board", ".evaluation", ".steps", ".study")]
    tops = [box["y"] for box in boxes if box is not None]
    assert len(tops) == 4
    assert tops == sorted(tops)
    bar = boxes[1]
    assert bar is not None
    assert bar["width"] > 10 * bar["height"]
    expect(page.get_by_label("On the board")).to_be_visible(timeout=STARTING)
    page.locator(".study").get_by_text("Game tree").click()
    page.get_by_label("On the board").select_option("Territory")
    for width in (PHONE[0], 1200):
        page.set_viewport_size({"width": width, "height": 740})
        assert first.violations(axe) == [], width


def test_the_job_of_an_analyst_that_dies_is_done_by_the_next(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second = pair(open_window, "Quoridor", size=7)
    first.await_turn()
    first.make("d2")
    second.await_turn()
    for _ in range(2):
        second.does("resign" if second.does("resign").count() else "abort").click()
    first.page.wait_for_selector(".match.over")
    first.page.get_by_role("button", name="Analyse").click()
    expect(first.page.locator(".study [role=status]")).to_have_text("champion looks deeper…", timeout=STARTING)
    analyst.kill()
    expect(first.page.locator(".study [role=status]")).to_have_text("1 position to look at before this one.")
    analyst.start()
    expect(lines(first).first).to_be_visible(timeout=STARTING)
    expect(first.page.locator(".figures")).to_contain_text("champion")
