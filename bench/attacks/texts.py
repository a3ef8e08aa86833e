"""Attacks with text: terminal escapes, confusable names, and false proofs."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from typing import Any, Final

from cornered.bench.attacks.sockets import RawSocket, start_match
from cornered.bench.attacks.stage import Stage, attack

NASTY: Final = (
    "\x1b]0;owned\x07title",
    "\x1b]52;c;ZWNobyBvd25lZA==\x07clipboard",
    "\x9b31mred",
    "line\nline",
    "nul\x00nul",
    "\u202eright to left",
    "zero\u200bwidth",
    "\u2066isolated",
    "\ufeffmark",
)
"""Texts that affect a terminal, or look like another text."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _hidden(value: Any) -> str:
    """Return the invisible and control characters in all strings of a message."""
    match value:
        case str():
            return "".join(one for one in value if unicodedata.category(one) in _HIDDEN)
        case list():
            return "".join(map(_hidden, value))
        case dict():
            return "".join(map(_hidden, value.values()))
        case _:
            return ""


@attack("escape-codes", "names and chat carry escape codes and overrides of direction", is_timed=False)
async def escape_codes(stage: Stage) -> str:
    """No published text contains a character that a terminal or a page interprets."""
    reader = await stage.guest(1)
    seen: dict[str, str] = {}

    def hear(payload: bytes) -> None:
        message = json.loads(payload)
        if found := _hidden(message):
            seen[message["type"]] = found

    reader.hear = hear
    lobby = await reader.ask("watch_lobby")
    match = next(one["id"] for one in lobby["matches"])
    await reader.ask("join", match=match)
    await stage.begin()
    said = 0
    for number, text in enumerate(NASTY):
        socket = await stage.open(2 + number)
        welcome = await socket.ask("hello", name=text[:20])
        if welcome["type"] == "refused":
            await socket.ask("hello", name="Eve")
        await socket.ask("create_seek", settings={"game": {"name": "trapgrid"}})
        await socket.ask("join", match=match)
        said += (await socket.ask("say", match=match, room="spectators", text=text))["type"] == "acknowledged"
    await asyncio.sleep(0.5)
    for kind, found in seen.items():
        stage.fault(f"{kind} sends {found.encode('unicode_escape').decode()!r} to others")
    return f"{len(NASTY)} names and lines, {said} lines said"


@attack("same-names", "a client takes the name of a player in the lobby", is_timed=False)
async def same_names(stage: Stage) -> str:
    """Two players in one lobby have visibly different names."""
    one, two = await stage.guest(0), await stage.guest(1)
    reader = await stage.guest(2)
    await stage.begin()
    lobby = await reader.ask("watch_lobby")
    shown = [guest["player"]["name"] for guest in lobby["players"] if guest["player"]["id"] in (one.player, two.player)]
    if len(set(shown)) < len(shown):
        stage.fault(f"{len(shown)} players are all shown as {shown[0]!r}")
    return f"shown as {', '.join(shown)}"


@attack("false-proof", "a guest's bot offers to study positions, and calls nonsense proven", is_timed=False)
async def false_proof(stage: Stage) -> str:
    """Only bots with the operator's key may offer analysis."""
    liar = await stage.guest(0, kind="bot")
    await stage.begin()
    offered = await liar.ask("offer_analysis", games=["trapgrid"], jobs=4, name="Stockfish")
    if offered["type"] != "refused":
        stage.fault("any guest's bot may study positions for others")
        await _lie(stage, liar)
    return f"the offer was {offered['type']}"


async def _lie(stage: Stage, liar: RawSocket) -> None:
    """Answer the first analysis job with a false proof of a loss, and check what the asking player receives."""
    one, two = await stage.guest(1), await stage.guest(2)
    match = await start_match(one, two, game={"name": "trapgrid"})
    await one.ask("resign", match=match)
    await one.ask("join", match=match)
    heard: list[dict[str, Any]] = []
    one.hear = lambda payload: heard.append(json.loads(payload))
    jobs: list[str] = []

    def work(payload: bytes) -> None:
        message = json.loads(payload)
        if message["type"] == "analyse":
            jobs.append(message["job"])

    liar.hear = work
    await one.ask("ask_analysis", match=match, ply=0)
    await asyncio.sleep(0.3)
    for job in jobs:
        report = {"depth": 99, "nodes": 1, "seconds": 0.1, "lines": [{"moves": ["a1"], "score": 1.0, "proven": True}]}
        answer = await liar.ask("analysed", job=job, final=True, report=report)
        if answer["type"] != "refused":
            stage.fault("what it calls proven is taken")
    if any(one["type"] == "analysis" and one["report"] for one in heard):
        stage.fault("its proof reaches the asker")
