"""A report in a real browser, at the sizes of a phone and a desktop."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from cornered.cli.screenshots import FLAGS
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.reports import report
from tests.conftest import require

pytestmark = pytest.mark.browser

BOTS = (
    "bamboo-neural:weights=/data/experiments/bamboo-radius5-large-model-final.npz,iterations=200",
    "bamboo-mcts:iterations=500,c=0.4",
    *(f"level:level={level}" for level in range(1, 11)),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = require("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of twelve bots, some with long names."""
    spent = Effort(5, 0.5, 0.2, 1000, 20)
    games = [
        PlayedGame(Fixture(number, pair, ("a1", "b2")), ("a1", "b2", "c3"), number % 2, "rules", (spent, spent))
        for number, pair in enumerate(itertools.combinations(BOTS, 2))
    ]
    return report.write(tmp_path_factory.mktemp("contest"), ContestTerms.of("bamboo", {"radius": 2}), games, BOTS, {})[
        1
    ]


OVERLAPS = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    const words = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    const outside = words.filter(([, a]) => a.left < frame.left - 1 || a.right > frame.right + 1);
    const meeting = words.flatMap(([one, a], at) => words.slice(at + 1).filter(([other, b]) =>
        a.left + 1 < b.right && b.left + 1 < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom
    ).map(([other]) => `${one} | ${other}`));
    return [...outside.map(([word]) => word), ...meeting];
})"""
"""Words of plots that leave their plot or lie on others."""


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1200, "light")])
def test_only_boxes_scroll_sideways_and_words_lie_on_no_others(
    browser: Browser, page: Path, width: int, scheme: str
) -> None:
    window = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    problems: list[str] = []
    window.on("console", lambda message: problems.append(message.text))
    window.goto(page.as_uri())
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    wide = "[...document.querySelectorAll('th, td, p, h1')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert window.evaluate(wide) == 0
    boxes = window.evaluate("[...document.querySelectorAll('.box')].map(box => [box.tabIndex, box.tagName])")
    assert len(boxes) > 10
    assert {focusable for focusable, tag in boxes if tag != "PRE"} == {0}
    dark = window.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 21, 19)"
    assert dark == (scheme == "dark")
    assert problems == []
    if width == 1200:
        assert window.evaluate(OVERLAPS) == []
    window.close()
