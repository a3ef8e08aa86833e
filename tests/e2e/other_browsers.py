"""Firefox over WebDriver BiDi and WebKit over WebDriver, each as far as the tests of the page drive it.

Playwright drives builds of its own of these two; Debian's are those that people have.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

__all__ = ["Firefox", "OtherBrowser", "Tab", "WebKit"]

TIMEOUT_S: Final = 60.0
"""Seconds that anything on the page may take on a busy machine."""
POLL_S: Final = 0.05


class OtherBrowser(Protocol):
    """A browser with several tabs. Each tab of the page is a player of its own when its address says `?guest`."""

    errors: list[str]

    def open(self, address: str) -> str:
        """Return the handle of a new tab that shows `address`."""

    def evaluate(self, tab: str, expression: str) -> Any:
        """Return the value of a JavaScript expression, awaited where it is a promise."""

    def click(self, tab: str, x: float, y: float) -> None:
        """Click at a point of the viewport."""

    def key(self, tab: str, text: str) -> None:
        """Press and release the keys of a text."""


class Tab:
    """One tab, with what the tests do in it."""

    def __init__(self, browser: OtherBrowser, address: str, ready: str) -> None:
        """Open `address`, and wait for an element that matches the selector `ready`."""
        self._browser = browser
        self._handle = browser.open(address)
        self.see(ready)

    def evaluate(self, expression: str) -> Any:
        return self._browser.evaluate(self._handle, expression)

    def until(self, expression: str) -> Any:
        """Return the value of the expression once it is true. Raises AssertionError after `TIMEOUT_S`."""
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            # The page may be between two documents.
            with contextlib.suppress(DriverError):
                if found := self.evaluate(expression):
                    return found
            time.sleep(POLL_S)
        raise AssertionError(f"never true: {expression}; the page shows {self.evaluate('document.body.innerText')!r}")

    def see(self, selector: str, text: str = "") -> None:
        """Wait until an element is there that has this text."""
        self.until(f"!!({_find(selector, text)})")

    def click(self, selector: str, text: str = "") -> None:
        """Click in the middle of an element, once it is there."""
        self.see(selector, text)
        self.evaluate(f"({_find(selector, text)}).scrollIntoView({{block: 'nearest'}})")
        middle = "((b) => JSON.stringify([b.x + b.width / 2, b.y + b.height / 2]))"
        box = f"{middle}(({_find(selector, text)}).getBoundingClientRect())"
        x, y = json.loads(self.until(box))
        self._browser.click(self._handle, x, y)

    def type(self, text: str) -> None:
        self._browser.key(self._handle, text)

    def reload(self) -> None:
        self.evaluate("window.isOld = true")
        self.evaluate("void location.reload()")
        self.until("!window.isOld && document.readyState === 'complete'")


class DriverError(Exception):
    """The browser refuses a command."""


def _find(selector: str, text: str) -> str:
    found = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return f"{found}.find((one) => one.textContent.includes({json.dumps(text)}))"


class Firefox:
    """Firefox, headless, over WebDriver BiDi, which it speaks itself."""

    def __init__(self, socket: ClientConnection) -> None:
        self.errors: list[str] = []
        self._socket = socket
        self._number = 0
        self._current = ""
        self._ask("session.new", {"capabilities": {}})
        self._ask("session.subscribe", {"events": ["log.entryAdded"]})

    @classmethod
    @contextlib.contextmanager
    def run(cls, program: Path, profile: Path) -> Iterator[Firefox]:
        """Run Firefox with a profile folder of its own."""
        command = [str(program), "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
        with _running(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if found := re.search(r"BiDi listening on (ws://\S+)", line):
                    break
            else:
                raise RuntimeError("Firefox does not start")
            with connect(f"{found[1]}/session", max_size=None, proxy=None) as socket:
                browser = cls(socket)
                yield browser
                # Firefox may close the connection before it answers.
                with contextlib.suppress(ConnectionClosed):
                    browser._ask("browser.close", {})

    def _ask(self, method: str, params: Mapping[str, object]) -> Any:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=TIMEOUT_S))
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] in ("error", "warn"):
                self.errors.append(str(answer["params"]["text"]))
            if answer.get("id") != self._number:
                continue
            if answer["type"] == "error":
                raise DriverError(answer["message"])
            return answer["result"]

    def open(self, address: str) -> str:
        tab: str = self._ask("browsingContext.create", {"type": "tab"})["context"]
        self._current = tab
        self._ask("browsingContext.navigate", {"context": tab, "url": address, "wait": "complete"})
        return tab

    def _show(self, tab: str) -> None:
        """Bring a tab to the front: one in the background draws nothing."""
        if tab != self._current:
            self._ask("browsingContext.activate", {"context": tab})
            self._current = tab

    def evaluate(self, tab: str, expression: str) -> Any:
        self._show(tab)
        call = {"expression": expression, "target": {"context": tab}, "awaitPromise": True}
        answer = self._ask("script.evaluate", call)
        if answer["type"] == "exception":
            raise DriverError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def click(self, tab: str, x: float, y: float) -> None:
        self._show(tab)
        self._ask("input.performActions", {"context": tab, "actions": [_click(x, y)]})

    def key(self, tab: str, text: str) -> None:
        self._show(tab)
        self._ask("input.performActions", {"context": tab, "actions": [_keys(text)]})


class WebKit:
    """WebKitGTK's MiniBrowser over its WebDriver, on a virtual screen."""

    def __init__(self, address: str, mini_browser: Path) -> None:
        """Start a session at the WebDriver's `address`, once it listens."""
        self.errors: list[str] = []
        self._base = address
        options = {"binary": str(mini_browser), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        end = time.monotonic() + TIMEOUT_S
        while True:
            try:
                session = self._ask("POST", "/session", wanted)["sessionId"]
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(POLL_S)
        self._base += f"/session/{session}"
        self._ask("POST", "/timeouts", {"script": TIMEOUT_S * 1000, "pageLoad": TIMEOUT_S * 1000})
        self._is_first = True
        self._current = ""

    @classmethod
    @contextlib.contextmanager
    def run(cls, driver: Path, mini_browser: Path, screen: Path) -> Iterator[WebKit]:
        """Run the browser on a virtual screen of its own."""
        reads, writes = os.pipe()
        command = [str(screen), "-displayfd", str(writes), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
        with os.fdopen(reads) as answer, contextlib.ExitStack() as processes:
            processes.enter_context(_running(command, pass_fds=(writes,), stderr=subprocess.DEVNULL))
            os.close(writes)
            environment = os.environ | {
                "DISPLAY": f":{answer.readline().strip()}",
                "GDK_BACKEND": "x11",
                # Its sandbox needs user namespaces, which containers and root do not have.
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
                "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
            }
            port = _free_port()
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            processes.enter_context(_running([str(driver), f"--port={port}"], env=environment, **quiet))
            browser = cls(f"http://127.0.0.1:{port}", mini_browser)
            yield browser
            browser._ask("DELETE", "")

    def _ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise DriverError(error.read().decode()) from None

    def _show(self, tab: str) -> None:
        if tab != self._current:
            self._ask("POST", "/window", {"handle": tab})
            self._current = tab

    def open(self, address: str) -> str:
        tab: str = (
            self._ask("GET", "/window")
            if self._is_first
            else self._ask("POST", "/window/new", {"type": "window"})["handle"]
        )
        self._is_first = False
        self._show(tab)
        self._ask("POST", "/url", {"url": address})
        return tab

    def evaluate(self, tab: str, expression: str) -> Any:
        self._show(tab)
        done = "arguments[arguments.length - 1]"
        script = f"const done = {done}; Promise.resolve({expression}).then(done, () => done(null));"
        return self._ask("POST", "/execute/async", {"script": script, "args": []})

    def click(self, tab: str, x: float, y: float) -> None:
        self._show(tab)
        self._ask("POST", "/actions", {"actions": [_click(x, y)]})

    def key(self, tab: str, text: str) -> None:
        self._show(tab)
        self._ask("POST", "/actions", {"actions": [_keys(text)]})


def _click(x: float, y: float) -> dict[str, object]:
    move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
    presses = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move, *presses]}


def _keys(text: str) -> dict[str, object]:
    presses = [{"type": kind, "value": value} for value in text for kind in ("keyDown", "keyUp")]
    return {"type": "key", "id": "keyboard", "actions": presses}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextlib.contextmanager
def _running(command: list[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, **how) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
