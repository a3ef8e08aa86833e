"""Write the journal of a release: every game and every kind of event, with a match that goes on. See README.md."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

from cornered import engine
from cornered.protocol import commands, events
from cornered.protocol.commands import AcceptChallenge, Challenge, CreateSeek, JoinSeek, Play
from cornered.protocol.values import Fischer, GameSpec, SeekSettings
from cornered.server import app
from cornered.server.settings import Settings
from tests.server.conftest import Client, Running

GAMES = {
    "trapgrid": GameSpec(name="trapgrid", options={"size": 3}),
    "isolation": GameSpec(name="isolation", options={"width": 4, "height": 4, "dice": True}),
    "bamboo": GameSpec(name="bamboo", options={"radius": 2}),
    "quoridor": GameSpec(name="quoridor", options={"size": 7}),
}
THREE = GameSpec(name="isolation", options={"players": 3})


async def pair(one: Client, two: Client, game: GameSpec, **fields: Any) -> str:
    sent = await one.do(Challenge, to=two.player.id, game=game, seat=0, **fields)
    return str((await two.do(AcceptChallenge, challenge=sent.ref)).ref)


async def play(match: str, players: list[Client], plies: int) -> None:
    """Play so many moves, or to the end."""
    for _ in range(plies):
        for player in players:
            shown = await player.join(match)
        state = engine.load(shown.game.name, **shown.game.options).start()
        for move in shown.moves:
            state = engine.apply(state, move)
        if state.outcome is not None:
            return
        seats = {(await player.join(match)).seat: player for player in players}
        await seats[state.to_move].do(Play, match=match, ply=shown.ply, move=state.moves()[0])


async def write(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        settings = Settings(port=0, data=Path(name), log_level="error")
        async with app.run(settings) as address:
            running = Running(address)
            async with running.client("Ann") as ann, running.client("Ben") as ben, running.client("Cem") as cem:
                live = await fill(ann, ben, cem)
                tokens = {one.player.name: one.welcome.token for one in (ann, ben, cem)}
        # The start after an outage gives time back.
        async with app.run(settings) as address:
            running = Running(address)
            async with (
                running.client("Ann", token=tokens["Ann"]) as ann,
                running.client("Ben", token=tokens["Ben"]) as ben,
            ):
                await play(live, [ann, ben], 1)
        store = sqlite3.connect(Path(name) / "cornered.db")
        lines = [line for line in store.iterdump() if "sqlite_stat" not in line]
        bodies = [json.loads(body) for (body,) in store.execute("SELECT body FROM events")]
        store.close()
    kinds = {kind.model_fields["type"].default for kind in vars(events).values() if _is_kind(kind)}
    assert {body["type"] for body in bodies} == kinds, kinds - {body["type"] for body in bodies}
    (folder / "journal.sql").write_text("\n".join(lines) + "\n")
    (folder / "players.json").write_text(json.dumps({"tokens": tokens, "live": live}, indent=2) + "\n")


def _is_kind(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, events.Event) and "type" in kind.model_fields


async def fill(ann: Client, ben: Client, cem: Client) -> str:
    """Play everything; return the match that goes on."""
    for name, game in GAMES.items():
        match = await pair(ann, ben, game)
        await play(match, [ann, ben], 60 if name == "trapgrid" else 2)
        if name != "trapgrid":
            await ben.do(commands.Resign, match=match)
        else:
            await ann.do(commands.Rematch, match=match)
            await ben.do(commands.Rematch, match=match)
    match = await pair(ann, ben, GAMES["quoridor"])
    await play(match, [ann, ben], 2)
    await ben.do(commands.RequestTakeback, match=match)
    await ann.do(commands.DeclineTakeback, match=match)
    await play(match, [ann, ben], 2)
    await ben.do(commands.RequestTakeback, match=match)
    await ann.do(commands.AcceptTakeback, match=match)
    await ann.do(commands.OfferDraw, match=match)
    await ben.do(commands.DeclineDraw, match=match)
    await play(match, [ann, ben], 2)
    await ann.do(commands.OfferDraw, match=match)
    await ben.do(commands.AcceptDraw, match=match)
    seek = (await ann.do(CreateSeek, settings=SeekSettings(game=THREE, seat=0))).ref
    await ben.do(JoinSeek, seek=seek)
    ref = (await cem.do(JoinSeek, seek=seek)).ref
    match = ref if ref and ref != seek else str((await cem.hear(_paired())).match)
    await play(match, [ann, ben, cem], 3)
    await ann.do(commands.RequestTakeback, match=match)
    for player in (ben, cem):
        await player.do(commands.AcceptTakeback, match=match)
    await play(match, [ann, ben, cem], 1)
    await ann.do(commands.Resign, match=match)
    await ben.do(commands.Resign, match=match)
    live = await pair(ann, ben, GameSpec(name="trapgrid", options={"size": 5}), clock=Fischer(initial=600))
    await play(live, [ann, ben], 4)
    return live


def _paired() -> Any:
    from cornered.protocol.messages import Paired

    return Paired


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
