"""The style sheets: green means one thing, text has a few sizes and weights."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.clients.web.test_language import WEB

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"(?P<selector>[^{};]+)\{(?P<body>[^{}]*)\}")
ACTS = {
    "base.css": {
        ":focus-visible",
        "button.primary, .button.primary",
        "button.primary:hover:not(:disabled), .button.primary:hover",
        'button[aria-pressed="true"]',
        ".pill input:checked + span",
        ".pill input:focus-visible + span",
        ".switch input",
    },
    "board.css": {".cell:focus-visible .ring", ".wall.ghost.armed .top"},
    "editor.css": {'.editor [role="radio"][aria-checked="true"]'},
    "learn.css": {".drill .waits .frame"},
    "lobby.css": {".call", ".card.turn"},
    "match.css": {".typing.legal", ".status.mine", ".question"},
    "social.css": {".of-turns .mine strong", ".turns .badge"},
    "thinking.css": {'.thinking .player input[type="range"]'},
}
"""Where the accent is: controls, what has the focus or is chosen, and a turn or a question that waits for the user."""


def rules() -> Iterator[tuple[str, str, str]]:
    """Yield the style sheet, selector and declarations of every rule."""
    for path in sorted(WEB.glob("*.css")):
        for found in RULE.finditer(COMMENT.sub("", path.read_text(encoding="utf-8"))):
            yield path.name, " ".join(found["selector"].split()), found["body"]


def test_the_accent_is_only_where_one_may_act() -> None:
    found: dict[str, set[str]] = {}
    for name, selector, body in rules():
        if re.search(r"var\(--accent(-soft)?[,)]", body):
            found.setdefault(name, set()).add(selector)
    assert found == ACTS, "green says 'you may act here'; has this rule that meaning?"


SIZES = {f"var(--{name})" for name in ("small", "text", "title", "big")}
A_ROOM = {("groups.css", ".group-code")}
"""What a whole room reads from the screen."""
WEIGHTS = {"400", "650"}
IN_PICTURES = {".coordinate", ".hex .coordinate", ".goal-label", ".count", ".thinking .branches text"}
"""Text in drawings, whose sizes are in the units of the drawing."""
ROOTS = {("base.css", "html"), ("offline.css", ":root"), ("offline.css", "h1")}
"""What the sizes are relative to; the page without a connection has no other style sheet."""


def test_text_has_four_sizes() -> None:
    found = {
        f"{name}: {selector} {font}"
        for name, selector, body in rules()
        for font in re.findall(r"(?<![\w-])font(?:-size)?:\s*([^;]+)", body)
        if (size := font.split("/")[0].strip()) not in SIZES | {"inherit"}
        and (name, selector) not in ROOTS | A_ROOM
        and not (size.endswith("px") and selector in IN_PICTURES)
    }
    assert found == set()


def test_text_has_two_weights() -> None:
    found = [
        f"{name}: {selector} {weight}"
        for name, selector, body in rules()
        for weight in re.findall(r"font-weight:\s*([^;]+)", body)
        if weight.strip() not in WEIGHTS
    ]
    assert found == []


def test_only_blocked_cells_are_hatched() -> None:
    assert [f"{name}: {selector}" for name, selector, body in rules() if "repeating-" in body] == []


FIRST = {"base.css", "board.css", "lobby.css", "match.css"}
"""The style sheets of the first view, which are always there; those of other views are added to them."""


def test_a_class_has_its_own_rule_in_one_style_sheet() -> None:
    # The sheet of a view stays when the view is left, so it would change all later ones.
    found: dict[str, set[str]] = {}
    for name, selector, _ in rules():
        for each in selector.split(","):
            if name not in {"base.css", "offline.css"} and re.fullmatch(r"\.[\w-]+", each.strip()):
                found.setdefault(each.strip(), set()).add(name)
    assert {each: names for each, names in found.items() if len(names) > 1 and not names <= FIRST} == {}
