"""A browser window of one player, driven by what is visible: clicks, taps and keys."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Locator, Page, WebSocketRoute, expect

from cornered.cli.screenshots import KNOWS_RULES

__all__ = [
    "DESK",
    "HOST_NAME",
    "PHONE",
    "Lost",
    "OpenWindow",
    "Window",
    "begin",
    "pair",
    "play",
    "play_to_the_end",
    "turn_of",
    "wait_until",
]

DESK: Final = (1200, 800)
PHONE: Final = (360, 740)
HOST_NAME: Final = "games.example"
"""The servers' name on a network, where browsers know no address of this machine."""
Lost: TypeAlias = Literal["commands", "answers", "everything"]
TIMEOUT_MS: Final = 60_000
"""Milliseconds that any action on the page may take on a busy machine."""
POLL_MS = 20
expect.set_options(timeout=TIMEOUT_MS)
OVERFLOW: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ASK: Final = "async (command) => (await import('./main.js')).page.link.ask(command, { lasting: true })"
SETTINGS: Final = '{"learned":{"rules":["trapgrid","isolation","bamboo","quoridor"]}}'
"""What `KNOWS_RULES` stores."""
GO_HOME: Final = """async (settings) => {
    const { page: { link, store } } = await import("./main.js");
    const isClean = link.state === "online" && !store.challenges.size && !document.querySelector("dialog, .toast");
    if (!isClean || localStorage.getItem("cornered.settings") !== settings) return false;
    location.hash = "#/";
    return true;
}"""
"""Shows the lobby, and says whether nothing else is left of an earlier test."""
# The checker describes every node that passes too, and all of it would be sent here, if it is not told not to.
CHECK: Final = "(how) => axe.run({ resultTypes: ['violations'], ...how }).then(({ violations }) => violations)"
LEAVE: Final = """async () => {
    const { page: { link, store } } = await import("./main.js");
    const quietly = (command) => link.ask(command).catch(() => {});
    const match = document.querySelector(".match:not(.over)") && location.hash.split("/")[2];
    if (match) for (const type of ["abort", "resign"]) await quietly({ type, match });
    for (const { id, joined } of store.seeks.values())
        if (joined.some((player) => player.id === link.me.id)) await quietly({ type: "leave_seek", seek: id });
}"""


OpenWindow: TypeAlias = "Callable[..., Window]"


class Window:
    """A window with storage of its own, so that it is a new player, who knows the rules where nothing else is said.

    `errors` collects the console's errors.
    """

    def __init__(
        self,
        browser: Browser,
        address: str,
        *,
        size: tuple[int, int] = DESK,
        dark: bool = False,
        cuttable: bool = False,
        knows_rules: bool = True,
        moves: bool = False,
        locale: str = "en-US",
    ) -> None:
        """`moves` asks for motion, which other tests do not wait for. `locale` is the browser's language."""
        phone = size[0] < 600
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            has_touch=phone,
            is_mobile=phone,
            reduced_motion="no-preference" if moves else "reduce",
            locale=locale,
        )
        self.context.set_default_timeout(TIMEOUT_MS)
        # Requests that pass through a service worker are hidden from routes.
        self.context.add_init_script("delete Navigator.prototype.serviceWorker")
        if knows_rules:
            self.context.add_init_script(KNOWS_RULES)
        self.address = address
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None
        )
        self._visits = 0
        self._is_cuttable = cuttable
        self._is_dark = dark
        self._is_cut = False
        self._loses: Lost | Literal["nothing"] = "nothing"
        self._is_restarting = False
        self._spoils = False
        self._put_off = ""
        self.plays: list[str] = []
        """The ids of the moves that the window sent, where it is cuttable."""
        self.alters: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        """Changes what the server sends before the window gets it, where it is cuttable."""
        self._route: WebSocketRoute | None = None
        if cuttable:
            self.page.route_web_socket("**/ws", self._connect)
        self.page.goto(address)
        self.page.wait_for_selector(".lobby.ready")

    def start_over(self) -> None:
        """Return to the lobby as the same player, with no other state."""
        self.errors.clear()
        if not (self._is_on_page() and self.page.evaluate(GO_HOME, SETTINGS)):
            if not self.page.url.startswith(self.address):
                # A page that was left has no storage.
                self.page.goto(self.address)
            self.page.evaluate("localStorage.removeItem('cornered.settings')")
            self._visits += 1
            # A new query forces a page load.
            self.page.goto(f"{self.address}/?{self._visits}")
        self.page.wait_for_selector(".lobby.ready")

    def _is_on_page(self) -> bool:
        """Say whether the window shows the page, and not a picture or nothing."""
        return self.page.url.startswith(self.address) and urlsplit(self.page.url).path == "/"

    def leave(self) -> None:
        """End the match on the page, and leave the player's tables: the lobby of later tests has none of them."""
        if self._is_on_page() and not self._is_cuttable:
            with contextlib.suppress(Error):
                self.page.evaluate(LEAVE)

    def ask(self, kind: str, **fields: object) -> dict[str, Any]:
        """Send a command of the window's player on the page's own connection, and return the answer."""
        answer: dict[str, Any] = self.page.evaluate(ASK, {"type": kind, **fields})
        return answer

    # The network

    def _connect(self, route: WebSocketRoute) -> None:
        if self._is_cut:
            route.close(code=1001)
            return
        self._route = route
        server = route.connect_to_server()

        def send(message: str | bytes) -> None:
            command = json.loads(message)
            if command["type"] == "play":
                self.plays.append(command["id"])
            if self._is_restarting:
                words = "the server restarts; connect again in a moment"
                refused = {"type": "refused", "id": command["id"], "code": "shutting_down", "text": words}
                route.send(json.dumps(refused))
            elif command["type"] == self._put_off:
                self._put_off = ""
                refused = {"type": "refused", "id": command["id"], "code": "too_fast", "text": "slow down"}
                route.send(json.dumps({**refused, "retry_after": 1}))
            elif self._loses not in ("commands", "everything"):
                server.send(message)

        def hear(message: str | bytes) -> None:
            if self._spoils:
                self._spoils = False
                route.send(message[: len(message) // 2])
            elif self._loses not in ("answers", "everything"):
                route.send(message if self.alters is None else json.dumps(self.alters(json.loads(message))))

        route.on_message(send)
        server.on_message(hear)

    def lose(self, what: Lost) -> None:
        """Drop these messages from now on, undetected by either side."""
        self._loses = what

    def spoil(self) -> None:
        """Cut off the end of the next message, the only one that is lost."""
        self._spoils = True

    def meet_a_restart(self) -> None:
        """Answer every command from now on as a server that is about to restart."""
        self._is_restarting = True

    def put_off(self, kind: str) -> None:
        """Defer the next command of this type, which the server then accepts when repeated."""
        self._put_off = kind

    def cut(self) -> None:
        """Close the socket and refuse new ones."""
        self._is_cut = True
        assert self._route is not None
        self._route.close(code=1001)

    def refuse_sockets(self) -> None:
        """Refuse new sockets, and leave the present one as it is."""
        self._is_cut = True

    def unplug(self) -> None:
        """Take the device's network away: nothing passes, no socket is closed, and the browser says so."""
        self.refuse_sockets()
        self.lose("everything")
        self.context.set_offline(True)

    def mend(self) -> None:
        """Allow sockets again."""
        self._is_cut = self._is_restarting = False
        self._loses = "nothing"
        self.context.set_offline(False)

    # The lobby

    def take_name(self, name: str) -> None:
        self.page.locator(".me").click()
        self.page.locator("dialog input[name=name]").fill(name)
        self.page.get_by_role("button", name="Use this name").click()
        expect(self.page.locator(".me")).to_have_text(name)

    def to_lobby(self) -> None:
        self.page.locator(".brand").click()
        self.page.wait_for_selector(".lobby.ready")

    def open_table(
        self,
        game: str,
        *,
        seat: int | None = None,
        clock: str | None = None,
        private: bool = False,
        minimum: int | None = None,
        **options: int | bool,
    ) -> None:
        """Fill in the form of `Play someone` and send it."""
        self.page.locator(".tile-card", has_text=game).get_by_role("button", name="Play someone").click()
        self._fill_in(options, seat, clock)
        if minimum is not None:
            self.page.locator(f"dialog input[name=minimum][value='{minimum}']").check(force=True)
        if private:
            self.page.locator("dialog summary").click()
            self.page.get_by_label("Private").check()
        self.page.get_by_role("button", name="Open the table").click()

    def challenge_bot(self, game: str, *, seat: int | None = None, **options: int | bool) -> None:
        """Fill in the form of `Play a bot` and send it."""
        self.page.get_by_label(f"Choose bot, board and clock for {game}").click()
        self._fill_in(options, seat, None)
        self.page.get_by_role("button", name="Start", exact=True).click()

    def _fill_in(self, options: dict[str, int | bool], seat: int | None, clock: str | None) -> None:
        dialog = self.page.locator("dialog")
        for name, value in options.items():
            field = dialog.locator(f"input[name='option:{name}']")
            if isinstance(value, bool):
                field.set_checked(value)
            elif field.first.get_attribute("type") == "radio":
                dialog.locator(f"input[name='option:{name}'][value='{value}']").check(force=True)
            else:
                dialog.locator("details").evaluate("element => element.open = true")
                field.fill(str(value))
        if seat is not None:
            dialog.locator(f"input[name=seat][value='{seat}']").check(force=True)
        if clock is not None:
            dialog.locator("label", has_text=clock).locator("input").check(force=True)

    def sit_down(self, game: str) -> None:
        """Join the newest open table of a game."""
        self.page.locator(".of-tables .line", has_text=game).get_by_role("button", name="Sit down").first.click()

    def watch(self, other: Window) -> None:
        """Open the address that another window shows."""
        self.page.goto(other.page.url)
        self.page.wait_for_selector(".match .board")

    # The match

    @property
    def status(self) -> Locator:
        return self.page.locator(".status")

    @property
    def moves(self) -> list[str]:
        """The moves in the list."""
        return self.page.locator(".movelist .move").all_inner_texts()

    @property
    def board(self) -> tuple[list[bool], list[str]]:
        """The blocked cells, and the positions of the pieces."""
        blocked: list[bool] = self.page.locator("[data-cell]").evaluate_all(
            "cells => cells.map(cell => cell.classList.contains('blocked'))"
        )
        pieces: list[str] = self.page.locator(".pieces .piece").evaluate_all(
            "pieces => pieces.map(piece => piece.classList[1] + piece.style.transform).sort()"
        )
        return blocked, pieces

    def in_match(self) -> None:
        self.page.wait_for_selector(".match .board")

    def may_move(self) -> bool:
        return self.page.locator(".match.myturn .board.mine").count() > 0

    def is_over(self) -> bool:
        return self.page.locator(".match.over").count() > 0

    def await_turn(self) -> None:
        self.page.wait_for_selector(".match.myturn .board.mine")

    def cell(self, name: str) -> Locator:
        return self.page.locator(f"[data-cell='{name}']")

    def middle(self, name: str) -> tuple[float, float]:
        box = self.cell(name).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def gap(self, one: str, other: str) -> tuple[float, float]:
        """The point half way between two cells."""
        (x, y), (u, v) = self.middle(one), self.middle(other)
        return (x + u) / 2, (y + v) / 2

    def click(self, name: str) -> None:
        self.page.mouse.click(*self.middle(name))

    def make(self, name: str) -> None:
        """Click on a cell, and wait until the move is in the list."""
        before = len(self.moves)
        self.click(name)
        expect(self.page.locator(".movelist .move").nth(before)).to_be_visible()

    def targets(self) -> list[str]:
        """The cells marked as legal."""
        names: list[str] = self.page.locator(".cell.target").evaluate_all("cells => cells.map(c => c.dataset.cell)")
        return names

    def resign(self) -> None:
        """Resign the match on the page by the connection, without its button; call it off before both have moved."""
        match = self.page.url.rpartition("/")[2]
        self.ask("resign" if len(self.moves) > 1 else "abort", match=match)
        self.page.wait_for_selector(".match.over")

    def does(self, action: str) -> Locator:
        return self.page.locator(f"[data-does={action}]")

    def walls(self) -> int:
        return self.page.locator(".walls .wall").count()

    def violations(self, axe: str) -> list[str]:
        """Return what the accessibility checker finds on the page as it is, given the checker's source.

        The contrast is checked in the other colour scheme too.
        """
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(axe)
        found = self.page.evaluate(CHECK, {})
        other: Literal["light", "dark"] = "light" if self._is_dark else "dark"
        self.page.emulate_media(color_scheme=other)
        found += self.page.evaluate(CHECK, {"runOnly": ["color-contrast", "link-in-text-block"]})
        self.page.emulate_media(color_scheme="dark" if self._is_dark else "light")
        return [
            f"{each['id']}: {node['html'][:150]} {node['failureSummary']}" for each in found for node in each["nodes"]
        ]

    def is_too_wide(self) -> bool:
        """Say whether the page can be scrolled sideways."""
        return bool(self.page.evaluate(OVERFLOW))

    def close(self) -> None:
        self.context.close()


def turn_of(windows: Sequence[Window]) -> Window | None:
    """Return the window to move, once the page has the legal moves; None when the game is over."""
    for _ in range(TIMEOUT_MS // POLL_MS):
        for window in windows:
            if window.may_move():
                return window
        if windows[0].is_over():
            return None
        windows[0].page.wait_for_timeout(POLL_MS)
    raise AssertionError("nobody may move, and the game is not over")


def begin(
    first: Window,
    second: Window,
    game: str,
    *,
    rated: int = False,
    days: int = 0,
    minutes: int = 0,
    **options: int | bool,
) -> None:
    """Start a match between two players by their connections, without forms; the first has seat 0.

    A move may take so many `days`, or all moves of a player so many `minutes`.
    """
    clock: dict[str, object] = {"kind": "none"}
    if days:
        clock = {"kind": "correspondence", "days": days}
    elif minutes:
        clock = {"kind": "fischer", "initial": 60 * minutes}
    settings = {"game": {"name": game.lower(), "options": options}, "seat": 0, "rated": bool(rated), "clock": clock}
    for window in (first, second):
        # Who plays already is not taken to another game.
        window.page.evaluate("location.hash = '#/'")
    table = first.ask("create_seek", settings=settings)["ref"]
    match = second.ask("join_seek", seek=table)["ref"]
    for window in (first, second):
        window.page.wait_for_url(f"**#/m/{match}")
        window.in_match()


def pair(open_window: OpenWindow, game: str, **options: int | bool) -> tuple[Window, Window]:
    """Return two players of a match that has begun; the first has seat 0."""
    first, second = open_window(), open_window()
    begin(first, second, game, **options)
    return first, second


def play(windows: Sequence[Window], moves: str) -> None:
    """Make the next moves of the windows in turn by their connections, without the board; wait until all show them."""
    match, before = windows[0].page.url.rpartition("/")[2], len(windows[0].moves)
    made = moves.split()
    for ply, move in enumerate(made, start=before):
        windows[ply % len(windows)].ask("play", match=match, ply=ply, move=move)
    for window in windows:
        expect(window.page.locator(".movelist .move")).to_have_count(before + len(made))


def play_to_the_end(windows: Sequence[Window]) -> None:
    """Click on legal cells until the game is over: the first window moves up the board, the others down."""
    mover = turn_of(windows)
    while mover is not None:
        choose = max if mover is windows[0] else min
        mover.make(choose(mover.targets(), key=lambda name: (int(name[1:]), name[0])))
        if len(windows) == 2:
            mover = windows[mover is windows[0]]
            mover.page.wait_for_selector(".match.myturn .board.mine, .match.over")
            mover = None if mover.is_over() else mover
        else:
            mover = turn_of(windows)


def wait_until(page: Page, expression: str) -> None:
    """Wait until a JavaScript expression holds in the page.

    Playwright's `wait_for_function` evaluates a string inside the page from its second look on, which the page's
    policy forbids.
    """
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"{expression} never held"
        page.wait_for_timeout(POLL_MS)
