"""The terminal client without screens: plain lines for pipes and screen readers."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Final, TypeAlias, assert_never

from cornered.clients.sdk import Client, ClientError, CommandRefused
from cornered.clients.sdk.opponents import name_order
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.drawing import ASCII, Marks, draw
from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.layout import fit, last_placed
from cornered.clients.terminal.match_source import Action, LineState, MatchSource, NotPossible, Seen, Told
from cornered.clients.terminal.online import OnlineMatch
from cornered.clients.terminal.rating_words import seat_text
from cornered.clients.terminal.words import (
    facts_text,
    is_my_turn,
    player_text,
    rules_text,
    time_left,
    time_text,
    waiting_text,
)
from cornered.clients.terminal.words import result_text as result_of
from cornered.engine.text import PositionText
from cornered.protocol.commands import WatchLobby
from cornered.protocol.messages import (
    ChallengeClosed,
    Challenged,
    LobbyState,
    Moves,
    Notice,
    Paired,
    Said,
    Snapshot,
    Waiting,
    Welcome,
)
from cornered.protocol.text import visible
from cornered.protocol.tournaments import TournamentMessage

__all__ = ["PlainMatch", "WriteText", "play_plainly", "standard_input", "watch_plainly", "write_line"]

WriteText: TypeAlias = Callable[[str], None]

MAX_LISTED_MOVES: Final = 12
"""Up to this number the legal moves are listed with every position."""
MAX_PENDING_LINES: Final = 64
HELP: Final = (
    "Type a move such as e2, e3h or pass; or: rules, moves, board, clocks, say TEXT, resign, draw, takeback, accept, "
    "decline, abort, claim, rematch, quit."
)
ACTIONS: Final[dict[str, Action]] = {
    "resign": "resign",
    "draw": "offer_draw",
    "takeback": "request_takeback",
    "abort": "abort",
    "claim": "claim",
    "rematch": "rematch",
}


def write_line(text: str) -> None:
    """Write exactly one line to standard output, flushed, with control characters escaped."""
    sys.stdout.write(f"{visible(text)}\n")
    sys.stdout.flush()


async def standard_input() -> AsyncIterator[str]:
    """Yield the lines of standard input. A thread reads them, since files and consoles cannot be polled."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue(MAX_PENDING_LINES)

    def read() -> None:
        for line in sys.stdin:
            asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
        asyncio.run_coroutine_threadsafe(lines.put(None), loop).result()

    threading.Thread(target=read, name="standard input", daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


class PlainMatch:
    """Writes one match line by line, and executes commands from lines."""

    def __init__(self, table: MatchSource, write: WriteText) -> None:
        self._table = table
        self._write = write
        self._match: Snapshot | None = None
        self._changed = asyncio.Event()
        self.rematch: str | None = None
        """The rematch, once there is one."""

    async def report(self) -> None:
        """Write events until the match is over and no rematch is possible."""
        async for change in self._table.follow():
            match change:
                case Seen():
                    await self._see(change.match)
                case Told():
                    self._write(change.text)
                case Said():
                    self._write(f"{player_text(change.by)} says: {change.text}")
                case LineState():
                    self._write(change.trouble or "The server is back.")

    async def _see(self, match: Snapshot) -> None:
        before, self._match = self._match, match
        if before is None:
            self._introduce(match)
        if before is None or (before.position, before.ply, before.over) != (match.position, match.ply, match.over):
            await self._show(match)
        self.rematch = match.next
        self._changed.set()
        self._changed = asyncio.Event()

    def _introduce(self, match: Snapshot) -> None:
        players = zip(ASCII.pieces, match.seats, strict=False)
        names = ", ".join(f"{piece} is {seat_text(info)}" for piece, info in players)
        rated = ", rated" if match.rated else ""
        self._write(f"{match.title}, {clock_text(match.clock)}{rated}. {names}. Match {match.match}.")

    async def _show(self, match: Snapshot) -> None:
        self._write("")
        for row in str(draw(fit(PositionText.parse(match.position), 0, 0), Marks(), ASCII)).split("\n"):
            self._write(row)
        if (last := last_placed(match.moves)) is not None:
            self._write(f"Last move: {last}.")
        if facts := facts_text(match.position):
            self._write(f"Also: {facts}.")
        if match.over:
            self._write(result_of(match))
        elif match.to_move < 0:
            self._write("The dice are rolling.")
        elif not is_my_turn(match):
            self._write(f"{ASCII.pieces[match.to_move]}, {match.seats[match.to_move].player.name}, to move.")
        else:
            moves = await self._legal(match)
            listed = f" Moves: {' '.join(moves)}." if 0 < len(moves) <= MAX_LISTED_MOVES else f" {len(moves)} moves."
            self._write(f"Your turn, you are {ASCII.pieces[match.to_move]}.{listed}")

    async def _legal(self, match: Snapshot) -> tuple[str, ...]:
        answer: Moves | None = await self._table.legal(match.ply)
        return answer.moves if answer is not None else ()

    async def execute(self, lines: AsyncIterator[str]) -> None:
        """Execute each line, a move in one's own turn, until `quit`, the end of the lines, or a rematch."""
        async for line in lines:
            words = line.strip()
            if words in ("quit", "exit"):
                return
            if words:
                try:
                    await self._execute(words)
                except NotPossible as refusal:
                    self._write(f"No: {refusal}")
            if self.rematch is not None:
                return
        match = await self._until(lambda match: match.over or is_my_turn(match))
        if not match.over:
            self._write("There are no more lines to obey: the match goes on without you.")

    async def _until(self, wanted: Callable[[Snapshot], bool]) -> Snapshot:
        while self._match is None or not wanted(self._match):
            await self._changed.wait()
        return self._match

    async def _execute(self, words: str) -> None:
        match = await self._until(lambda match: True)
        command, _, rest = words.partition(" ")
        if command in ACTIONS:
            await self._table.do(ACTIONS[command])
        elif command in ("accept", "decline"):
            await self._answer(match, accept=command == "accept")
        elif command == "say" and rest:
            await self._table.say(rest[:300])
        elif command == "moves":
            self._write(" ".join(await self._legal(match)))
        elif command == "rules":
            self._write(rules_text(match.game))
        elif command == "board":
            await self._show(match)
        elif command == "clocks":
            for seat, info in enumerate(match.seats):
                self._write(f"{info.player.name}: {time_text(time_left(match, seat, self._table.now()))}")
        elif re.fullmatch(r"[a-z][0-9]+[hv]?|pass|[0-9]+", command.lower()):
            await self._move(command.lower())
        else:
            self._write(HELP)

    async def _move(self, move: str) -> None:
        match = await self._until(lambda match: match.over or is_my_turn(match))
        if match.over:
            raise NotPossible(f"{move}: the match is over")
        await self._table.play(move, match.ply)
        await self._until(lambda now: now.over or now.ply > match.ply or not is_my_turn(now))

    async def _answer(self, match: Snapshot, *, accept: bool) -> None:
        if match.draw_offer not in (None, match.seat):
            await self._table.do("accept_draw" if accept else "decline_draw")
        elif match.takeback not in (None, match.seat):
            await self._table.do("accept_takeback" if accept else "decline_takeback")
        elif match.rematch and match.next is None:
            await self._table.do("rematch" if accept else "decline_rematch")
        else:
            raise NotPossible("nothing is offered")


async def play_plainly(
    client: Client, words: str | None, match: str | None = None, write: WriteText = write_line
) -> None:
    """Play `match`, or else the next match that begins or a live one, and its rematches. Raises CannotStart."""
    if words is None and client.live_matches:
        match = client.live_matches[0]
    if words is None and match is None:
        lobby = await client.lobby()
        bots = sorted(
            (presence.player.name for presence in lobby.players.values() if presence.player.kind == "bot"),
            key=name_order,
        )
        tables = sorted(lobby.seeks)
        raise CannotStart(
            "say with whom: --bot NAME, --seek or --join ID. "
            f"Bots here: {', '.join(bots) or 'none'}. Open tables: {', '.join(tables) or 'none'}."
        )
    write(words or "Going on with your match.")
    lines = standard_input()
    match = match or await _paired(client, write)
    while match is not None:
        match = await follow_plainly(client, match, lines, write)


async def _paired(client: Client, write: WriteText) -> str:
    """Return the next match that begins. Raises CannotStart when its table, challenge or wait has ended without one."""
    own: set[str] = set()
    known: tuple[str, ...] | None = None
    news = client.news()
    patience: float | None = None
    while True:
        try:
            async with asyncio.timeout(patience):
                heard = await anext(news, None)
        except TimeoutError:
            raise CannotStart("the table or challenge is gone: the connection was lost") from None
        match heard:
            case Paired():
                return heard.match
            case Challenged() if heard.by.id == client.player.id:
                own.add(heard.challenge)
                patience = None
            case ChallengeClosed() if heard.challenge in own and heard.how != "accepted":
                raise CannotStart(_ending_text(heard))
            case Welcome():
                if known is None:
                    known = heard.matches
                elif begun := [match for match in heard.matches if match not in known]:
                    return begun[0]
                else:
                    # Open challenges are sent before the answer, so one that has not arrived by now is over.
                    patience = None if await _sits_at_a_table(client) else 0.0
            case Waiting():
                if heard.pool is not None:
                    patience = None
                elif heard.reason:
                    raise CannotStart(heard.reason)
                if text := waiting_text(heard):
                    write(text)
            case None:
                raise CannotStart("the connection has ended")
            case Challenged() | ChallengeClosed() | Notice() | TournamentMessage():
                pass
            case _:
                assert_never(heard)


async def _sits_at_a_table(client: Client) -> bool:
    try:
        lobby = await client.ask(WatchLobby(id=client.new_id()), LobbyState)
    except CommandRefused as refusal:
        raise CannotStart(refusal.text) from None
    return any(player.id == client.player.id for seek in lobby.seeks for player in seek.joined)


def _ending_text(closed: ChallengeClosed) -> str:
    """Return how a challenge ended that was not accepted."""
    how = "has expired" if closed.how == "expired" else f"was {closed.how}"
    return f"the challenge {how}: {closed.reason}" if closed.reason else f"the challenge {how}"


async def follow_plainly(client: Client, match: str, lines: AsyncIterator[str], write: WriteText) -> str | None:
    """Write one match and execute `lines`; return the rematch if there is one."""
    try:
        view = await client.join(match)
    except CommandRefused as refusal:
        raise CannotStart(refusal.text) from None
    table = OnlineMatch(client, view)
    plain = PlainMatch(table, write)
    async with asyncio.TaskGroup() as tasks:
        reporting = tasks.create_task(plain.report(), name=f"report[{match}]")
        await plain.execute(lines)
        reporting.cancel()
    await table.leave()
    return plain.rematch


async def watch_plainly(client: Client, match: str | None, write: WriteText = write_line) -> None:
    """Write a match until it is over, or list the live ones. Raises CannotStart."""
    if match is None:
        lobby = await client.lobby()
        for live in lobby.matches.values():
            names = " vs ".join(player_text(player) for player in live.players)
            write(f"{live.id}  {live.game.name}, move {live.ply}: {names}")
        if not lobby.matches:
            write("No match is under way.")
        if unseen := lobby.unseen("matches"):
            write(f"And {unseen:,} more; these are the newest.")
        return
    try:
        view = await client.join(match)
    except ClientError as error:
        raise CannotStart(str(error)) from None
    await report_until_over(OnlineMatch(client, view), write)


async def report_until_over(table: MatchSource, write: WriteText) -> None:
    """Write a match as a spectator until it is over."""
    plain = PlainMatch(table, write)
    async with asyncio.TaskGroup() as tasks:
        reporting = tasks.create_task(plain.report(), name="report")
        await plain.execute(_nothing())
        reporting.cancel()


async def _nothing() -> AsyncIterator[str]:
    """Yield no line."""
    silence: tuple[str, ...] = ()
    for line in silence:
        yield line
