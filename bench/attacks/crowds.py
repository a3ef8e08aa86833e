"""Attacks by many clients at once: open tables, challenges, shared addresses, and mass disconnection."""

from __future__ import annotations

import asyncio
from typing import Final

from cornered.bench.attacks.sockets import TEXT, RawSocket, frame
from cornered.bench.attacks.stage import Stage, attack

MIN_ANSWERED_SHARE: Final = 0.95
"""Minimum share of an honest neighbour's commands that are answered."""
SEEK_FIELDS: Final = {"game": {"name": "trapgrid"}}


@attack("seek-flood", "many guests open a hundred tables each, before many who watch the lobby")
async def seek_flood(stage: Stage) -> str:
    """The cost of a change in the lobby does not grow with the lobby, and the number of tables is bounded."""
    sockets = await stage.guests(int(40 * stage.scale), per_address=10)
    watchers = await stage.guests(int(50 * stage.scale))
    await stage.begin()
    for number, watcher in enumerate(watchers):
        watcher.tell({"type": "watch_lobby", "id": f"w{number}"})
    asked = 0
    async for number in stage.every(stage.seconds / 150):
        for socket in sockets:
            socket.tell({"type": "create_seek", "id": f"s{number}", "settings": SEEK_FIELDS})
            asked += 1
    return f"{asked:,} tables asked for, {len(watchers)} watch the lobby"


@attack("lobby-storm", "many ask for the whole lobby again and again")
async def lobby_storm(stage: Stage) -> str:
    """A list is paginated, and costs tokens."""
    hosts = await stage.guests(10, per_address=5)
    for number in range(60):
        for socket in hosts:
            socket.tell({"type": "create_seek", "id": f"s{number}", "settings": SEEK_FIELDS})
    sockets = await stage.guests(int(40 * stage.scale), per_address=10)
    asked = 0
    await stage.begin()
    async for number in stage.every(0.02):
        for socket in sockets:
            socket.tell({"type": "watch_lobby", "id": f"w{number}"})
            asked += 1
    return f"{asked:,} times the whole lobby"


@attack("challenge-flood", "many challenge the bystanders as fast as they can")
async def challenge_flood(stage: Stage) -> str:
    """Challenges are limited by sender and by receiver."""
    sockets = await stage.guests(int(30 * stage.scale), per_address=10)
    asked = 0
    await stage.begin()
    async for number in stage.every(0.01):
        for index, socket in enumerate(sockets):
            to = stage.players[index % len(stage.players)]
            socket.tell({"type": "challenge", "id": f"c{number}", "to": to, "game": {"name": "trapgrid"}})
            asked += 1
    return f"{asked:,} challenges"


@attack("neighbour-flood", "a flood of messages comes from the address of an honest player")
async def neighbour_flood(stage: Stage) -> str:
    """Players behind one address have equal shares of its limit, and a known player is admitted."""
    honest, known = await stage.guest(), await stage.guest()
    token = known.token
    await known.close()
    flood = frame(TEXT, b'{"type":"ping","id":"x"}') * 200
    await stage.begin()
    answers: list[str] = []
    refused: list[str] = []

    async def hostile() -> None:
        async for socket in stage.again():
            async for _ in stage.every(0.01):
                if not await socket.flood(flood):
                    break

    async def ask() -> None:
        answers.extend([(await honest.ask("ping"))["type"] async for _ in stage.every(0.05)])

    async def come() -> None:
        async for _ in stage.every(0.25):
            try:
                visitor = await stage.open()
                visitor.token = token
                await (await visitor.greet("Known")).close()
                refused.append("")
            except OSError as error:
                refused.append(str(error))

    await asyncio.gather(*(hostile() for _ in range(6)), ask(), come(), return_exceptions=True)
    served = answers.count("pong")
    if served < MIN_ANSWERED_SHARE * len(answers) or not answers:
        stage.fault(f"an honest neighbour's commands are answered {served} times of {len(answers)}")
    kept_out = [text for text in refused if text]
    if kept_out:
        stage.fault(f"a known player is kept out {len(kept_out)} times of {len(refused)}: {kept_out[0]}")
    return f"{len(answers)} honest commands, {served} answered; {len(refused)} visits, {len(kept_out)} refused"


@attack("guest-flood", "many come as new players, from many addresses, and leave again")
async def guest_flood(stage: Stage) -> str:
    """Storing a new player is queued behind moves."""
    await stage.begin()
    made = 0
    while stage.is_on:
        guests = await stage.guests(100, per_address=10)
        made += len(guests)
        for socket in guests:
            socket.abort()
    return f"{made:,} new players"


@attack("mass-leave", "a thousand sockets that watch and play leave at once")
async def mass_leave(stage: Stage) -> str:
    """The cost of disconnections is spread over many iterations of the event loop."""
    sockets = await stage.guests(int(1_000 * stage.scale))
    lobby = await sockets[0].ask("watch_lobby")
    for socket in sockets:
        socket.tell({"type": "watch_lobby", "id": "l"})
        for match in lobby["matches"][:2]:
            socket.tell({"type": "join", "id": f"j{match['id']}", "match": match["id"]})
    await stage.begin()
    await asyncio.sleep(stage.seconds / 4)
    for socket in sockets:
        socket.abort()
    await stage.rest()
    return f"{len(sockets):,} sockets left at once"


@attack("join-storm", "many join and leave the bystanders' match as fast as they can")
async def join_storm(stage: Stage) -> str:
    """Joining costs tokens, and the number of watchers is published at most once a second."""
    sockets = await stage.guests(int(40 * stage.scale), per_address=10)
    lobby = await sockets[0].ask("watch_lobby")
    matches = [one["id"] for one in lobby["matches"]]
    done = 0
    await stage.begin()

    async def storm(socket: RawSocket) -> None:
        nonlocal done
        while stage.is_on and not socket.closed.is_set():
            for match in matches[:4]:
                socket.tell({"type": "join", "id": f"j{done}", "match": match})
                socket.tell({"type": "leave", "id": f"k{done}", "match": match})
                done += 2
            await asyncio.sleep(0.05)

    await asyncio.gather(*(storm(socket) for socket in sockets))
    return f"{done:,} joins and leaves"
