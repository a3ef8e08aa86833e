"""Takes screenshots of the page in every state, in both colour schemes, on a desktop and on a phone, with a real server
and browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["FLAGS", "KNOWS_RULES", "find_chromium", "running_browser", "running_server", "take"]

FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
"""Options that stop Chromium's network requests of its own."""
DESKTOP: Final = (1440, 900)
PHONE: Final = (360, 740)
NARROW: Final = (320, 568)
PHONE_LANDSCAPE: Final = (740, 360)
OPENING_MOVES: Final = {
    "TrapGrid": "b7 f1 c7 e1 d7 e2 d6 d2 c6 d3 c5 d4 d5 c4 e5 b4 e6 b5 e7 b6 f7 a6",
    "Isolation": "d1 g1 d4 g2 e4 a2 b7 b3 b4 e6 a3 e7 c1 d6 g5 e5 g3 b5 d3 a5",
    "Bamboo": "c5 i4 a6 a5 j4 i1 f3 c6 i3 c4 h2 i7 h7 j5 c8 e7 e9 f10 k2 d1 j7 g6 a3 f1 d3 e3 g9 k6",
    "Quoridor": "e2 e8 e3 e7 e4 e6 e3h d7h c3h e4h d4 c5h e5v d6 a4h d4v d5 b6h d4 d7",
}
"""The beginning of a plausible game of each kind."""
POSITION: Final = (
    "quoridor/walls~10/.........-.........-...1.....-.........-.........-...0.....-.........-.........-........._0_"
    "walls~c3h-e3h-a4h-e4h-c5h-b6h-d7h-d4v-e5v_left~6-5"
)
"""A position in mid game, as in its link."""
KNOWS_RULES: Final = """
if (location.protocol.startsWith("http") && !localStorage.getItem("cornered.settings")) {
    const rules = ["trapgrid", "isolation", "bamboo", "quoridor"];
    localStorage.setItem("cornered.settings", JSON.stringify({ learned: { rules } }));
}
"""
"""Settings of a player to whom no rules are shown before a game."""
PAGE_TIMEOUT_MS: Final = 60_000
"""Timeout of an action on the page, in milliseconds."""
LIVE_GAME_MS: Final = 20_000
"""Milliseconds for which the lobby's live game goes on before its picture."""
START_TIMEOUT_S: Final = 120.0
"""Seconds until a server listens, the first compilation included."""
STOP_TIMEOUT_S: Final = 40.0
"""Seconds until a server has stopped: twice its own limit."""
ANALYST_TIMEOUT_S: Final = 300
"""Seconds until a bot serves analysis, the first compilation included."""


def find_chromium() -> str | None:
    """Return the path of an installed Chromium, if any."""
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


@contextmanager
def running_server(*arguments: str, command: Sequence[str] = ("serve",)) -> Iterator[str]:
    """Run `cornered serve`, or another command, on a free port with a temporary folder; yield the page's address."""
    with tempfile.TemporaryDirectory(prefix="cornered-") as folder:
        # Root's cluster has services of other users, who go through it to their own folders.
        os.chmod(folder, 0o711)
        words = [sys.executable, "-m", "cornered", *command, "--port", "0", "--data", folder, *arguments]
        environment = os.environ | {"CORNERED_LOG_LEVEL": "error", "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8", env=environment) as process:
            try:
                yield _address(process)
            finally:
                process.terminate()
                _wait_for_end(process)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    is_late = threading.Timer(START_TIMEOUT_S, process.kill)
    is_late.daemon = True
    is_late.start()
    for line in process.stdout:
        if found := re.search(r"http://\S+", line):
            is_late.cancel()
            return found.group()
    raise RuntimeError("the server does not start")


def _wait_for_end(process: subprocess.Popen[str]) -> None:
    """Wait for the process; kill it and raise TimeoutExpired when it does not stop in time."""
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


@dataclass(frozen=True, slots=True)
class Studio:
    """A browser, a server and a folder for the screenshots."""

    browser: Browser
    address: str
    out: Path

    def person(self, name: str, *, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Page:
        """Return a window of a new player, in the lobby."""
        phone = size[0] < 600
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if scheme == "dark" else "light",
            has_touch=phone,
            is_mobile=phone,
            device_scale_factor=2 if phone else 1,
        )
        context.set_default_timeout(PAGE_TIMEOUT_MS)
        context.add_init_script(KNOWS_RULES)
        page = context.new_page()
        page.goto(self.address)
        page.locator(".me").click()
        page.locator("dialog input[name=name]").fill(name)
        page.get_by_role("button", name="Use this name").click()
        page.get_by_role("button", name=f"You are {name}").wait_for()
        page.wait_for_selector(".lobby.ready")
        return page

    def shoot(self, page: Page, name: str, *, full: bool = False) -> None:
        """Take a screenshot once animations have ended."""
        page.wait_for_timeout(400)
        page.screenshot(path=self.out / f"{name}.png", full_page=full)


def begin(game: str, first: Page, *others: Page, players: int = 2, dice: bool = False) -> None:
    """Let `first` open a table, and the other players join it."""
    for page in (first, *others):
        page.locator(".brand").click()
        page.wait_for_selector(".lobby.ready")
    first.locator(".tile-card", has_text=game).get_by_role("button", name="Play someone").click()
    if players > 2:
        first.locator(f"dialog input[name='option:players'][value='{players}']").check(force=True)
    if dice:
        first.locator("dialog input[name='option:dice']").check()
    first.locator("dialog input[name='seat'][value='0']").check(force=True)
    first.get_by_role("button", name="Open the table").click()
    for page in others:
        page.get_by_role("button", name="Sit down").first.click()
    for page in (first, *others):
        page.wait_for_selector(".match .board")


def play(moves: str, players: Sequence[Page]) -> None:
    """Let the players enter these moves in turn."""
    for ply, move in enumerate(moves.split()):
        page = players[ply % len(players)]
        page.wait_for_selector(".match.myturn .board.mine")
        page.keyboard.type(move)
        page.keyboard.press("Enter")
        page.wait_for_selector(".match:not(.myturn)")


def say(text: str, page: Page) -> None:
    """Let a player write a line of chat, and give the focus back to the board's keys."""
    field = page.get_by_label("Message")
    field.fill(text)
    field.press("Enter")
    page.locator("[role=log] p.mine", has_text=text).wait_for()
    field.blur()


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def resign(page: Page) -> None:
    for _ in range(2):
        page.locator("[data-does=resign]").click()
    page.wait_for_selector(".match.over")


def lobbies(studio: Studio, windows: dict[str, Page]) -> None:
    """Take the lobby with house bots, the forms, and an open table."""
    desk = windows["desk-light"]
    warming = desk.get_by_text("The bots are warming up")
    if warming.count():
        studio.shoot(desk, "lobby-warming-desk-light")
    warming.wait_for(state="hidden", timeout=ANALYST_TIMEOUT_S * 1000)
    desk.wait_for_selector(".of-live .card")
    # A live game of bots needs a while to look like one.
    desk.wait_for_timeout(LIVE_GAME_MS)
    for name, page in windows.items():
        studio.shoot(page, f"lobby-{name}", full="phone" in name)
    resize(windows["phone-light"], NARROW)
    studio.shoot(windows["phone-light"], "lobby-narrow-light", full=True)
    resize(windows["phone-light"], PHONE)
    desk.get_by_label("Choose bot, board and clock for Quoridor").click()
    desk.wait_for_selector("dialog")
    studio.shoot(desk, "form-bot-desk-light")
    desk.keyboard.press("Escape")
    phone = windows["phone-dark"]
    phone.locator(".tile-card", has_text="Isolation").get_by_role("button", name="Play someone").click()
    studio.shoot(phone, "form-open-phone-dark")
    phone.get_by_role("button", name="Open the table").click()
    phone.wait_for_selector(".call.waiting")
    studio.shoot(phone, "waiting-phone-dark")
    studio.shoot(desk, "open-table-desk-light")
    phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    phone.get_by_role("button", name="Copy invite link").click()
    guest = windows["phone-light"]
    guest.goto(phone.evaluate("navigator.clipboard.readText()"))
    guest.wait_for_selector(".call.invite .quiet")
    studio.shoot(guest, "invite-phone-light")
    phone.locator(".call.waiting").get_by_role("button", name="Cancel").click()
    desk.keyboard.press("?")
    desk.wait_for_selector("dialog.help")
    studio.shoot(desk, "help-desk-light")
    desk.keyboard.press("Escape")


def matches(studio: Studio, windows: dict[str, Page]) -> None:
    """Take every game from each seat, as a spectator, and at its end."""
    light, dark = windows["desk-light"], windows["desk-dark"]
    for game, moves in OPENING_MOVES.items():
        begin(game, light, dark)
        for name in ("phone-light", "phone-dark"):
            windows[name].goto(light.url)
            windows[name].wait_for_selector(".match .board")
        play(moves, (light, dark))
        say("Good luck!", light)
        say("Thanks, you too.", dark)
        for name, page in windows.items():
            studio.shoot(page, f"{game.lower()}-{name}")
        resize(windows["phone-light"], PHONE_LANDSCAPE)
        studio.shoot(windows["phone-light"], f"{game.lower()}-landscape-light")
        resize(windows["phone-light"], PHONE)
        if game == "Quoridor":
            _walls(studio, light)
        resign(light)
        if game == "TrapGrid":
            for name, page in windows.items():
                studio.shoot(page, f"finished-{name}")
                _shoot_sheet(studio, page, "Share", f"share-{name}")
            light.locator(".move").nth(7).click()
            studio.shoot(light, "replay-desk-light")
        _analyses(studio, windows, game)


def _analyses(studio: Studio, windows: dict[str, Page], game: str) -> None:
    """Take the analysis of a finished game at its middle, with its overlays."""
    for name, page in windows.items():
        page.keyboard.press("End")
        page.keyboard.press("a")
        page.wait_for_selector(".study")
        for _ in range(6):
            page.keyboard.press("<")
        page.wait_for_selector(".found:not([inert]) .ways li", timeout=ANALYST_TIMEOUT_S * 1000)
        # The last word comes after a minute of search, and that of the other windows.
        page.locator(".study", has_text="was played").wait_for(timeout=ANALYST_TIMEOUT_S * 1000)
        page.locator(".passing").wait_for(state="hidden", timeout=ANALYST_TIMEOUT_S * 1000)
        studio.shoot(page, f"analysis-{game.lower()}-{name}", full="phone" in name)
        pictures = page.locator(".choice option").count()
        page.locator(".choice select").select_option(index=1 if "light" in name else pictures - 1)
        page.locator(".ways button").first.press("Enter")
        page.locator(".study").get_by_text("Game tree").click()
        studio.shoot(page, f"analysis-picture-{game.lower()}-{name}", full="phone" in name)


def hints(studio: Studio, windows: dict[str, Page]) -> None:
    """Take both steps of a hint in a game with help against a house bot."""
    for name, page in windows.items():
        page.goto(f"{studio.address}/#/")
        page.locator(".tile-card", has_text="TrapGrid").locator("button.opponent").click()
        page.wait_for_selector(".match.myturn .board.mine")
        page.get_by_role("button", name="Hint", exact=True).click()
        page.get_by_role("button", name="Show it").wait_for()
        studio.shoot(page, f"hint-{name}")
        page.get_by_role("button", name="Show it").click()
        studio.shoot(page, f"hint-shown-{name}")
        for _ in range(2):
            page.locator("[data-does=abort]").click()
        page.wait_for_selector(".match.over")


def searches(studio: Studio, windows: dict[str, Page]) -> None:
    """Take two searches side by side in their middle, once an analyst has run them."""
    for name, page in windows.items():
        page.goto(f"{page.url.split('#')[0]}#/think")
        for label, value in (("Board", "1"), ("Beside it", "minimax")):
            page.locator(f"label:has(span:text-is('{label}')) select").select_option(value)
        page.locator(".pane:nth-child(2) .content:not([hidden])").wait_for()
        page.locator(".pane:nth-child(1) .content:not([hidden])").wait_for()
        page.get_by_label("Step of the search").fill("60")
        studio.shoot(page, f"thinking-{name}", full="phone" in name)


def _walls(studio: Studio, page: Page) -> None:
    """Hover over a gap, so that the preview of a wall shows."""
    box = page.locator("[data-cell=g7]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] + 2)
    studio.shoot(page, "wall-desk-light")


def sharing(studio: Studio, windows: dict[str, Page]) -> None:
    """Take a position that was opened by its link, the editor, and the sheet that opens a record."""
    for name, page in windows.items():
        page.goto(f"{studio.address}/#/p/{POSITION}")
        page.locator(".study .ways li").first.wait_for(timeout=ANALYST_TIMEOUT_S * 1000)
        studio.shoot(page, f"position-{name}", full="phone" in name)
        for view, control in (("editor", "Set up a position"), ("record", "Open a record")):
            _shoot_sheet(studio, page, control, f"{view}-{name}")


def _shoot_sheet(studio: Studio, page: Page, control: str, name: str) -> None:
    """Take what a button opens."""
    # Not with the pointer: the analysis moves what is below it while it comes.
    page.get_by_role("button", name=control, exact=True).dispatch_event("click")
    page.locator("dialog[open]").wait_for()
    studio.shoot(page, name)
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="detached")


def accounts(studio: Studio, windows: dict[str, Page]) -> None:
    """Take the ways to an account, its sheets, a wait in a pool, a rated game, profiles and leaderboards."""
    for name, page in windows.items():
        page.goto(f"{studio.address}/#/")
        page.wait_for_selector(".lobby.ready")
        page.locator(".me").click()
        studio.shoot(page, f"name-{name}")
        page.get_by_role("button", name="Sign in").last.click()
        page.get_by_role("dialog", name="Sign in").get_by_label("Name").fill("Nobody")
        page.get_by_role("dialog", name="Sign in").get_by_label("Password", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        page.locator("dialog [aria-invalid]").wait_for()
        studio.shoot(page, f"sign-in-{name}")
        page.get_by_role("button", name="Create an account").click()
        page.get_by_label("Password", exact=True).fill("seven quiet herons")
        studio.shoot(page, f"register-{name}")
        page.keyboard.press("Enter")
        page.locator(".code-list").wait_for()
        studio.shoot(page, f"codes-{name}")
        page.get_by_label("I have kept them").check()
        page.get_by_role("button", name="Done").click()
        page.get_by_role("button", name="Your account").click()
        studio.shoot(page, f"account-{name}")
        for sheet in ("Password", "Signed-in devices", "Personal tokens", "Delete my account"):
            page.get_by_role("dialog", name="Your account").get_by_role("button", name=sheet).click()
            studio.shoot(page, f"{sheet.lower().replace(' ', '-')}-{name}")
            page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    _rated_games(studio, windows)
    for name, page in windows.items():
        page.locator(".bar a.name").last.click()
        page.wait_for_selector(".plot")
        studio.shoot(page, f"profile-{name}", full="phone" in name)
        page.get_by_role("link", name="Leaderboards").click()
        page.wait_for_selector(".leaderboards .empty, .leaders tbody tr")
        studio.shoot(page, f"leaderboards-{name}")


def _rated_games(studio: Studio, windows: dict[str, Page]) -> None:
    """Let the windows meet in pairs by quick pairing, and once more in a rematch; take the wait and the end."""
    names = list(windows)
    for one, other in (names[:2], names[2:]):
        first, second = windows[one], windows[other]
        button = first.locator(".pools").get_by_role("button", name="TrapGrid, 3 min + 2 s")
        button.click()
        first.locator(".in-pool").wait_for()
        studio.shoot(first, f"pool-{one}")
        studio.shoot(second, f"pool-seen-{other}")
        second.locator(".pools").get_by_role("button", name="TrapGrid, 3 min + 2 s").click()
        for game in range(2):
            for page in (first, second):
                page.wait_for_selector(".match:not(.over) .board")
            for _ in range(2):
                mover = next(page for page in _players_to_move((first, second)) if page is not None)
                box = mover.locator(".cell.target").first.bounding_box()
                assert box is not None
                mover.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                mover.wait_for_selector(".match:not(.myturn)")
            resign(second)
            for name, page in ((one, first), (other, second)):
                page.locator(".rated-result .change").wait_for()
                if game:
                    studio.shoot(page, f"rated-{name}")
            if not game:
                first.locator("[data-does=rematch]").click()
                second.locator("[data-does=rematch]").click()


def places(studio: Studio, windows: dict[str, Page]) -> None:
    """Take the archive, the opening explorer, TV and tournaments, with the games of the scenes before."""
    routes = {
        "archive": ("#/archive/", ".found"),
        "openings": ("#/openings/game=trapgrid", ".explorer .board"),
        "tv": ("#/tv", ".tv h1"),
        "tournaments": ("#/tournaments", ".tournaments h1"),
    }
    for name, page in windows.items():
        for shot, (route, ready) in routes.items():
            page.evaluate("route => { location.hash = route }", route)
            page.wait_for_selector(ready)
            studio.shoot(page, f"{shot}-{name}", full="phone" in name)
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".lobby.ready")


def crowds(studio: Studio, windows: dict[str, Page]) -> None:
    """Take a game of four players with dice."""
    players = tuple(windows.values())
    begin("Isolation", *players, players=4, dice=True)
    for _ in range(10):
        mover = next(page for page in _players_to_move(players) if page is not None)
        box = mover.locator(".cell.target").first.bounding_box()
        assert box is not None
        mover.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mover.wait_for_selector(".match:not(.myturn)")
    for name, page in windows.items():
        studio.shoot(page, f"four-{name}")


def _players_to_move(players: Sequence[Page]) -> Iterator[Page | None]:
    while True:
        for page in players:
            yield page if page.locator(".match.myturn .board.mine").count() else None
        players[0].wait_for_timeout(20)


def lessons(studio: Studio, windows: dict[str, Page]) -> None:
    """Take the rules, a lesson and the puzzles."""
    for name, page in windows.items():
        for view, path, ready in (
            ("lessons", "learn", ".learn h1"),
            ("lesson", "learn/bamboo/1", ".learn .board"),
            ("puzzles", "puzzles", ".learn .numbers"),
            ("puzzle", "puzzle/daily", ".learn .board"),
        ):
            page.goto(f"{studio.address}/#/{path}")
            page.wait_for_selector(ready)
            studio.shoot(page, f"{view}-{name}", full="phone" in name)
        page.goto(f"{studio.address}/#/")
        page.wait_for_selector(".lobby.ready")
        page.get_by_label("Choose bot, board and clock for Bamboo").click()
        page.locator("dialog").get_by_role("button", name="Rules").click()
        page.wait_for_selector("dialog .board")
        studio.shoot(page, f"rules-{name}")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Run a browser. Needs Playwright, a development dependency, and an installed Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise SystemExit("cornered: this needs Playwright; `./run test --co -q` installs it") from None
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("cornered: this needs Chromium; install it (Debian: apt install chromium) and try again")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


def take(out: Path) -> None:
    """Take all screenshots into `out`."""
    with running_browser() as browser:
        out.mkdir(parents=True, exist_ok=True)
        with running_server() as address:
            studio = Studio(browser, address, out)
            windows = {
                "desk-light": studio.person("Fox"),
                "desk-dark": studio.person("Heron", scheme="dark"),
                "phone-light": studio.person("Otter", size=PHONE),
                "phone-dark": studio.person("Wren", size=PHONE, scheme="dark"),
            }
            lobbies(studio, windows)
            lessons(studio, windows)
            matches(studio, windows)
            hints(studio, windows)
            searches(studio, windows)
            sharing(studio, windows)
            accounts(studio, windows)
            places(studio, windows)
            crowds(studio, windows)
        # The server has stopped, and the page shows it.
        for name, page in windows.items():
            page.wait_for_selector("#banner:not(:empty)")
            studio.shoot(page, f"away-{name}")
