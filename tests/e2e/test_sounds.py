"""When the page makes sounds, with an audio context that counts what is started."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.window import OpenWindow, Window, begin, wait_until

pytestmark = pytest.mark.browser

# The scripts of a test count as gestures for the browser, so that the clicks are told apart here.
AUDIO: Final = """
globalThis.heard = { contexts: 0, starts: 0 };
const parameter = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
const node = () => ({
    gain: parameter, frequency: { ...parameter }, Q: {},
    connect: (next) => next, start() { heard.starts += 1; }, stop() {},
});
globalThis.AudioContext = class {
    constructor() { heard.contexts += 1; }
    currentTime = 0;
    sampleRate = 8;
    state = "running";
    destination = {};
    createOscillator = node;
    createGain = node;
    createBiquadFilter = node;
    createBufferSource = node;
    createBuffer = () => ({ getChannelData: () => new Float32Array(8) });
};
let hasBeenActive = false;
addEventListener("pointerdown", (event) => { hasBeenActive ||= event.isTrusted; }, true);
Object.defineProperty(Navigator.prototype, "userActivation", { get: () => ({ hasBeenActive }) });
"""
TONES: Final = 2
"""Tones of the sound that the switch makes when it is turned on."""


def watched(open_window: OpenWindow) -> tuple[Window, Window, Window]:
    """Return two players, the first to move, and a spectator whose sounds are counted, without a gesture so far."""
    first, second, spectator = open_window(), open_window(), open_window(locale="en-US")
    spectator.context.add_init_script(AUDIO)
    begin(first, second, "TrapGrid", size=5)
    spectator.watch(first)
    spectator.page.reload()
    spectator.in_match()
    return first, second, spectator


def make(player: Window, spectator: Window) -> None:
    """Make a move, and wait until its sound is played at the spectator, where there is one."""
    before = len(spectator.moves)
    player.await_turn()
    player.make(player.targets()[0])
    expect(spectator.page.locator(".movelist .move")).to_have_count(before + 1)
    # The page imports the module for each sound: its import was asked for before this one.
    spectator.page.evaluate("import('./sounds.js').then(() => null)")


def heard(spectator: Window) -> tuple[int, int]:
    """Return how many audio contexts were made, and how many tones and bursts of noise were started."""
    counts = spectator.page.evaluate("heard")
    return counts["contexts"], counts["starts"]


def switch(window: Window) -> Locator:
    return window.page.get_by_role("button", name="Sound")


def test_sound_is_on_by_default_begins_with_the_first_gesture_and_is_silenced_by_the_switch(
    open_window: OpenWindow,
) -> None:
    first, second, spectator = watched(open_window)
    expect(switch(spectator)).to_have_attribute("aria-pressed", "true")
    make(first, spectator)
    assert heard(spectator) == (0, 0)
    spectator.page.locator(".status").click()
    make(second, spectator)
    contexts, starts = heard(spectator)
    assert contexts == 1
    assert starts > 0
    switch(spectator).click()
    expect(switch(spectator)).to_have_attribute("aria-pressed", "false")
    make(first, spectator)
    assert heard(spectator) == (1, starts)
    switch(spectator).click()
    expect(switch(spectator)).to_have_attribute("aria-pressed", "true")
    wait_until(spectator.page, f"heard.starts >= {starts + TONES}")
    assert heard(spectator) == (1, starts + TONES)
    make(second, spectator)
    assert heard(spectator)[1] > starts + TONES
