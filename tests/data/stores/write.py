"""Write a store of the present schema: accounts, tokens, ratings, bans, reports, the archive, finished matches and one
that goes on, an open table. See README.md."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cornered.protocol import account as acc
from cornered.protocol.commands import Challenge, CreateSeek, EnterPool, Resign
from cornered.protocol.messages import Paired
from cornered.protocol.moderation import Ban, CloseReport, ReportPlayer, Unban
from cornered.protocol.values import Fischer, GameSpec, SeekSettings
from cornered.server import app
from cornered.server.adapters.store_copy import copy_store
from cornered.server.administration import grant_role
from cornered.server.settings import Settings
from cornered.services.postgres import Postgres, postgres_programs
from tests.data.journals.write import GAMES, pair, play
from tests.server.conftest import Client, Running

PASSWORD = "correct horse battery"
NAMES = ("Dora", "Emil", "Fatima", "Gil")
RATED = 3
"""Rated games of the first two."""


async def fill(server: Running, settings: Settings, clients: dict[str, Client]) -> dict[str, Any]:
    """Make and play everything; return what the players know."""
    known: dict[str, Any] = {"password": PASSWORD, "codes": {}, "tokens": {}}
    dora, emil, fatima, gil = (clients[name] for name in NAMES)
    for name in NAMES[:3]:
        made = await clients[name].ask(acc.Register, name=f"{name} First", password=PASSWORD)
        known["codes"][name] = made.codes[0]
        await clients[name].ask(acc.Rename, name=name)
    personal = await emil.ask(acc.CreateToken, label="a bot", scopes=("play", "read"), days=365, password=PASSWORD)
    await grant_role(settings, "Dora", "admin")
    for game in GAMES.values():
        match = await pair(dora, gil, game)
        await play(match, [dora, gil], 2)
        await gil.do(Resign, match=match)
    for number in range(RATED):
        for one in (dora, emil):
            one.heard.clear()
            await one.do(EnterPool, pool="trapgrid-3-2")
        match = (await dora.hear(Paired)).match
        await emil.hear(Paired)
        await play(match, [dora, emil], 60 if number else 3)
        if not number:
            await emil.do(Resign, match=match)
    async with server.socket() as door:
        token = (await door.ask(acc.SignIn, name="Dora", password=PASSWORD)).token
    async with server.client(token=token) as admin:
        invitation = await admin.ask(acc.CreateInvitation, uses=2, days=90)
        report = (await emil.do(ReportPlayer, player=fatima.player.id, grounds="Insults")).ref
        await gil.do(ReportPlayer, player=emil.player.id, grounds="Stalls")
        await admin.do(CloseReport, report=int(report or 0), grounds="Banned")
        await admin.do(Ban, player=gil.player.id, measure="mute", grounds="Noise")
        lifted = (await admin.do(Ban, player=emil.player.id, measure="mute", grounds="Noise")).ref
        await admin.do(Unban, ban=int(lifted or 0), grounds="A mistake")
        await admin.do(Ban, player=fatima.player.id, grounds="Insults")
    live = await pair(emil, gil, GameSpec(name="quoridor", options={"size": 7}), clock=Fischer(initial=600))
    await play(live, [emil, gil], 4)
    seek = (await emil.do(CreateSeek, settings=SeekSettings(game=GAMES["bamboo"]))).ref
    await gil.do(Challenge, to=emil.player.id, game=GAMES["trapgrid"])
    known["tokens"] = {"Dora": token} | {name: clients[name].welcome.token for name in NAMES[1:]}
    return known | {"personal": personal.secret, "invitation": invitation.code, "live": live, "seek": seek}


async def write(folder: Path) -> None:
    folder.mkdir()  # noqa: ASYNC240 - nothing else runs
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory(prefix="cornered-postgres-") as place:
        settings = Settings(port=0, data=Path(name), log_level="error")
        async with app.run(settings) as address:
            server = Running(address)
            async with (
                server.client("Guest D") as dora,
                server.client("Guest E") as emil,
                server.client("Guest F") as fatima,
                server.client("Gil") as gil,
            ):
                known = await fill(server, settings, dict(zip(NAMES, (dora, emil, fatima, gil), strict=True)))
        store = sqlite3.connect(Path(name) / "cornered.db")
        lines = [line for line in store.iterdump() if "sqlite_stat" not in line]
        store.close()
        (folder / "sqlite.sql").write_text("\n".join(lines) + "\n")
        programs = postgres_programs()
        postgres = Postgres(Path(place), programs, is_durable=False)
        postgres.start()
        try:
            target = postgres.database("copied")
            await copy_store(settings.database_url, target)
            (folder / "postgres.sql").write_text(dump(programs / "pg_dump", target))
        finally:
            postgres.kill()
    (folder / "known.json").write_text(json.dumps(known, indent=2) + "\n")


def dump(program: Path, database: str) -> str:
    """Return a database as statements, without what belongs to its server: owners, settings, and psql's own words."""
    command = [str(program), "--inserts", "--no-owner", "--no-privileges", "--no-comments", database]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout
    lines = (line for line in text.splitlines() if line and not line.startswith(("--", "SET ", "SELECT pg_", "\\")))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))
