"""The addresses that people share: `/g/ID/14` of a game, `/position/trapgrid/size~3/0..-...-..1_0` of a position.

A position is its text with characters that an address keeps as they are: rows are joined by `-`, words by `_`, and
`name=value` reads `name~value`, with `-` between several values. Options that have the rules' defaults are left out;
several are joined by `-`.
Pure; `clients/web/permalink.js` is its other half.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from cornered import engine
from cornered.engine.game import Game, State
from cornered.engine.records.text import read_option

__all__ = ["Form", "SharedGame", "SharedPosition", "page_route", "position_path", "read_address"]

Form: TypeAlias = Literal["", ".svg", ".png"]
"""What is asked for: the page, or a picture."""

_GAME: Final = re.compile(
    r"/g/(?P<match>[A-Za-z0-9_-]{1,32})(?:/(?P<ply>0|[1-9]\d{0,3}))?(?P<form>\.svg|\.png|)", re.ASCII
)
_POSITION: Final = re.compile(
    r"/position/(?P<game>[a-z]{1,32})(?:/(?P<options>[a-z][a-z0-9_~-]{0,199}))?/(?P<position>[a-z0-9._~-]{1,640}?)"
    r"(?P<form>\.svg|\.png|)",
    re.ASCII,
)


class SharedGame(NamedTuple):
    """A match, after so many plies or at its end."""

    match: str
    ply: int | None
    form: Form


class SharedPosition(NamedTuple):
    """A position of a game, which the rules have read."""

    state: State
    form: Form


def read_address(path: str) -> SharedGame | SharedPosition | None:
    """Return what a path names; None where it is no address of this kind.

    Raises a ValueError that says what is wrong with a position.
    """
    if found := _GAME.fullmatch(path):
        ply = found["ply"]
        return SharedGame(found["match"], None if ply is None else int(ply), _form(found["form"]))
    if found := _POSITION.fullmatch(path):
        words = found["options"].split("-") if found["options"] else []
        game = engine.load(found["game"], **dict(read_option(word.replace("~", "=", 1)) for word in words))
        return SharedPosition(game.parse(_text(found["position"])), _form(found["form"]))
    return None


def page_route(path: str) -> str | None:
    """Return where in the page a shared game or position is shown; no rules have read it. None for other paths."""
    if (found := _GAME.fullmatch(path)) and not found["form"]:
        return "#/m/" + path.removeprefix("/g/")
    if (found := _POSITION.fullmatch(path)) and not found["form"]:
        return "#/p/" + path.removeprefix("/position/")
    return None


def position_path(state: State) -> str:
    """Return the path of a position, without a leading slash."""
    options = _options(state.game)
    parts = ["position", state.game.name, *([options] if options else []), _segment(str(state))]
    return "/".join(parts)


def _options(game: Game) -> str:
    # As the page does: a default that depends on the size and the players is written out.
    defaults = {option.name: option.default for option in game.OPTIONS}
    words = {True: "true", False: "false", None: "none"}
    return "-".join(
        f"{name}~{words.get(value, value) if value is None or isinstance(value, bool) else value}"
        for name, value in game.options.items()
        if value != defaults[name]
    )


def _segment(text: str) -> str:
    return text.replace("/", "-").replace(",", "-").replace("=", "~").replace(" ", "_")


def _text(segment: str) -> str:
    rows, *words = segment.split("_")
    return " ".join([rows.replace("-", "/"), *(word.replace("~", "=", 1).replace("-", ",") for word in words)])


def _form(text: str) -> Form:
    return ".svg" if text == ".svg" else ".png" if text == ".png" else ""
