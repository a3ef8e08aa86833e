"""A browser window of one player, driven by what is visible: clicks, taps and keys."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias

from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from cornered.cli.screenshots import KNOWS_RULES

__all__ = ["DESK", "PHONE", "Lost", "Window", "begin", "play_to_the_end", "turn_of", "wait_until"]

DESK: Final = (1200, 800)
PHONE: Final = (360, 740)
Lost: TypeAlias = Literal["commands", "answers", "everything"]
TIMEOUT_MS: Final = 60_000
"""Milliseconds that any action on the page may take on a busy machine."""
POLL_MS = 20
expect.set_options(timeout=TIMEOUT_MS)


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
        if not self.page.url.startswith(self.address):
            # A page that was left has no storage.
            self.page.goto(self.address)
        self.errors.clear()
        self.page.evaluate("localStorage.removeItem('cornered.settings')")
        self._visits += 1
        # A new query forces a page load.
        self.page.goto(f"{self.address}/?{self._visits}")
        self.page.wait_for_selector(".lobby.ready")

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

    def does(self, action: str) -> Locator:
        return self.page.locator(f"[data-does={action}]")

    def walls(self) -> int:
        return self.page.locator(".walls .wall").count()

    def violations(self, axe: str) -> list[str]:
        """Return what the accessibility checker finds on the page as it is, given the checker's source."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(axe)
        # The checker describes every node that passes too, and all of it would be sent here, if it is not told not to.
        found = self.page.evaluate("axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)")
        return [
            f"{each['id']}: {node['html'][:150]} {node['failureSummary']}" for each in found for node in each["nodes"]
        ]

    def close(self) -> None:
        self.context.close()


def turn_of(windows: Sequence[Window]) -> Window | None:
    """Return the window to move, once the page has the legal moves; None when the game is over."""
    for _ in range(TIMEOUT_MS // 10):
        for window in windows:
            if window.may_move():
                return window
        if windows[0].is_over():
            return None
        windows[0].page.wait_for_timeout(10)
    raise AssertionError("nobody may move, and the game is not over")


def begin(first: Window, second: Window, game: str, **options: int | bool) -> None:
    """Start a match between two players; the first has seat 0."""
    first.open_table(game, seat=0, **options)  # type: ignore[arg-type]  # only options of games
    second.sit_down(game)
    first.in_match()
    second.in_match()


def play_to_the_end(windows: Sequence[Window]) -> None:
    """Click on legal cells until the game is over: the first window moves up the board, the others down."""
    while (mover := turn_of(windows)) is not None:
        choose = max if mover is windows[0] else min
        mover.make(choose(mover.targets(), key=lambda name: (int(name[1:]), name[0])))


def wait_until(page: Page, expression: str) -> None:
    """Wait until a JavaScript expression holds in the page.

    Playwright's `wait_for_function` evaluates a string inside the page from its second look on, which the page's
    policy forbids.
    """
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"{expression} never held"
        page.wait_for_timeout(POLL_MS)
