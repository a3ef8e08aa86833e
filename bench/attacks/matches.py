"""Attacks with matches: endless ones, very many, and expensive queries about them."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from cornered.bench.attacks.sockets import RawSocket, start_match
from cornered.bench.attacks.stage import Stage, attack

ENDLESS_GAME: Final = {"name": "quoridor", "options": {"size": 3, "walls": 0, "max_plies": None, "no_progress": None}}
SHUTTLE: Final = ("a1", "a3", "b1", "b3")
"""Moves that two cooperating players can repeat for ever."""
FEW_PLIES: Final = 100
"""A setting of the maximum plies of a match: the least valid value."""
MOST_PLIES: Final = 1_990
"""Plies of a long match, close to the default maximum."""
PREPARATION_SECONDS: Final = 3.0
NEIGHBOUR_SECONDS: Final = 1.0
"""Maximum seconds for a command while its address downloads records."""
MAX_LIVE: Final = 50
"""The server's default maximum of live matches of a player."""
MAX_LIVE_AT_ADDRESS: Final = 500


async def _shuttle(one: RawSocket, two: RawSocket, match: str, *, most: int = MOST_PLIES) -> int:
    """Play as many plies as time or the server's limits allow two players; return their number."""
    until, ply = time.monotonic() + PREPARATION_SECONDS, 0
    while time.monotonic() < until and ply < most:
        answer = await (one, two)[ply & 1].ask("play", match=match, ply=ply, move=SHUTTLE[ply & 3])
        if answer["type"] == "refused":
            break
        ply += 1
    return ply


async def _long_match(stage: Stage) -> tuple[RawSocket, RawSocket, str, int]:
    one, two = await stage.guest(0), await stage.guest(1)
    match = await start_match(one, two, game=ENDLESS_GAME)
    return one, two, match, await _shuttle(one, two, match)


async def _fetches(stage: Stage, match: str, number: int, *, patience: float | None = None) -> bool:
    """Request the record of `match` from the attack's address `number`; return whether it arrived."""
    host = stage.address.removeprefix("http://")
    try:
        async with asyncio.timeout(patience):
            status, _, _ = await stage.request(f"GET /matches/{match}.txt HTTP/1.1\r\nHost: {host}\r\n\r\n", number)
    except (OSError, TimeoutError):
        return False
    return status == 200


@attack("endless-match", "two agree to play for ever", is_timed=False, CORNERED_MAX_PLIES=str(FEW_PLIES))
async def endless_match(stage: Stage) -> str:
    """Every match ends after a maximum number of plies, which the server publishes with its games."""
    one, two = await stage.guest(0), await stage.guest(1)
    await stage.begin()
    games = await one.ask("ask_games")
    if games.get("max_plies") != FEW_PLIES:
        stage.fault("the games do not tell after how many plies a match ends")
    match = await start_match(one, two, game=ENDLESS_GAME)
    plies = await _shuttle(one, two, match, most=2 * FEW_PLIES)
    if plies > FEW_PLIES:
        stage.fault(f"a match goes on after {plies} plies; the bound is {FEW_PLIES}")
    await one.ask("resign", match=match)
    return f"the match ends after {plies} plies"


@attack("long-match", "many ask for moves, history and lists of a match that was made long", keeps_matches=True)
async def long_match(stage: Stage) -> str:
    """The cost of a query does not grow with the match, or is charged to its sender."""
    one, two, match, plies = await _long_match(stage)
    others = await stage.guests(8, per_address=2)
    asked = 0
    await stage.begin()
    async for number in stage.every(0.02):
        for socket in (one, two, *others):
            questions = (
                {"type": "ask_moves", "match": match, "ply": plies - 1 - number % 7},
                {"type": "ask_history", "match": match},
                {"type": "ask_my_matches"},
                {"type": "join", "match": match},
                {"type": "ask_variation", "match": match, "ply": plies - 1, "moves": ["a1"]},
            )
            socket.tell(questions[number % len(questions)] | {"id": f"q{number}"})
            asked += 1
    return f"{asked:,} questions about {plies:,} plies"


@attack("long-records", "many fetch the record of a long match that is over")
async def long_records(stage: Stage) -> str:
    """A download costs tokens in proportion to its size, and does not block the event loop."""
    one, _, match, plies = await _long_match(stage)
    await one.ask("resign", match=match)
    fetched = 0
    await stage.begin()

    async def fetch(number: int) -> None:
        nonlocal fetched
        while stage.is_on:
            fetched += await _fetches(stage, match, number)
            await asyncio.sleep(0.01)

    await asyncio.gather(*(fetch(number) for number in range(6)))
    return f"{fetched:,} records of {plies:,} plies"


@attack("neighbour-downloads", "long records are fetched from the address of an honest player")
async def neighbour_downloads(stage: Stage) -> str:
    """A cheap command does not wait for expensive ones, and abandoned requests leave the queue."""
    one, _, match, plies = await _long_match(stage)
    await one.ask("resign", match=match)
    honest = await stage.guest()
    fetched = 0
    waits: list[float] = []
    await stage.begin()

    async def fetch(number: int) -> None:
        nonlocal fetched
        while True:
            # Every third client disconnects at once.
            fetched += await _fetches(stage, match, 0, patience=None if number % 3 else 0.01)
            await asyncio.sleep(0.01)

    async with asyncio.TaskGroup() as tasks:
        fetching = [tasks.create_task(fetch(number)) for number in range(int(60 * stage.scale))]
        async for _ in stage.every(0.05):
            begun = time.monotonic()
            await honest.ask("ping")
            waits.append(time.monotonic() - begun)
        for task in fetching:
            task.cancel()
    if max(waits) > NEIGHBOUR_SECONDS:
        stage.fault(f"a neighbour's command waits for {max(waits):.1f} s; the bound is {NEIGHBOUR_SECONDS:.1f}")
    return f"{fetched:,} records of {plies:,} plies; {len(waits)} honest commands, the slowest in {max(waits):.2f} s"


@attack("match-flood", "one address begins matches as fast as it can, and plays none", keeps_matches=True)
async def match_flood(stage: Stage) -> str:
    """Live matches are limited for a player and for an address."""
    players = await stage.guests(4)
    begun = [0] * len(players)
    await stage.begin()

    async def begin(first: int) -> None:
        while stage.is_on:
            try:
                await start_match(players[first], players[first + 1], game={"name": "trapgrid"})
            except OSError:
                await asyncio.sleep(0.02)
                continue
            begun[first] += 1
            begun[first + 1] += 1

    await asyncio.gather(*(begin(first) for first in range(0, len(players), 2)))
    if max(begun) > MAX_LIVE:
        stage.fault(f"one player has {max(begun)} live matches; the bound is {MAX_LIVE}")
    if sum(begun) / 2 > MAX_LIVE_AT_ADDRESS:
        stage.fault(f"one address has {sum(begun) // 2} live matches; the bound is {MAX_LIVE_AT_ADDRESS}")
    return f"{sum(begun) // 2} matches begun by 4 players"
