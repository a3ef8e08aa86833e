"""A player's client: connects, stays connected, asks, and follows matches."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias, TypeVar, assert_never

from cornered.clients.sdk.address import require_key, require_name, require_token, socket_url
from cornered.clients.sdk.backoff import Backoff, jittered
from cornered.clients.sdk.errors import ClientError, Closed, Refused, plainly
from cornered.clients.sdk.link import Link
from cornered.clients.sdk.lobby import LobbyView
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.pulse import Pulse
from cornered.clients.sdk.study import Jobs, Studies
from cornered.engine.game import OptionValue
from cornered.protocol import commands, messages
from cornered.protocol.commands import (
    AskGames,
    AskLobby,
    AskMyMatches,
    Command,
    CreateSeek,
    Declare,
    Hello,
    Join,
    Ping,
    WatchLobby,
)
from cornered.protocol.messages import (
    Acknowledged,
    Analyse,
    Analysis,
    ChallengeClosed,
    Challenged,
    Games,
    Happened,
    History,
    LobbyChanged,
    LobbyPage,
    LobbyState,
    Moves,
    MyMatches,
    Notice,
    Paired,
    Pong,
    Said,
    SeatPresence,
    SeekInfo,
    ServerMessage,
    Snapshot,
    StopAnalysis,
    Variation,
    Watchers,
    Welcome,
)
from cornered.protocol.values import (
    NO_CLOCK,
    Accepts,
    Clock,
    GameSpec,
    LobbySection,
    OfferedGame,
    Player,
    PlayerKind,
    SeekSettings,
    Value,
)

__all__ = ["Client", "News"]

KEPT_NEWS: Final = 256
INSTANCE_BYTES: Final = 9

News: TypeAlias = Welcome | Challenged | ChallengeClosed | Paired | Notice
"""What the server says to a player without being asked. `Welcome` comes with every new connection."""

T = TypeVar("T", bound=Value)

log = logging.getLogger("cornered.sdk")


class Client:
    """One player on one server. Get it from `Client.connect`."""

    def __init__(self, url: str, hello: Hello, backoff: Backoff, tasks: asyncio.TaskGroup) -> None:
        self._hello = hello
        self._tasks = tasks
        self._link = Link(url, self, backoff)
        self._welcome: Welcome | None = None
        self._clock_offset: float | None = None
        self._views: dict[str, MatchView] = {}
        self._rejoining: dict[str, str] = {}
        self._lobby: LobbyView | None = None
        self._declared: Declare | None = None
        self._studies = Studies(self)
        self.jobs = Jobs(self)
        """What this bot is asked to study, once it has offered to with `jobs.offer`."""
        self._news: deque[News] = deque(maxlen=KEPT_NEWS)
        self._fresh = Pulse()
        self._standing: dict[type[Command], Command] = {}
        """What was said again on this connection, until a newer command of the kind is carried out."""
        self._put_off: deque[str] = deque()
        """Ids of what was said again and refused for now."""
        self._put_off_until = 0.0
        """When the server may take it, by the event loop's clock."""
        self._repeating: asyncio.Task[None] | None = None
        self._is_shared = False
        """Whether the log says already that another program plays as this player."""
        self.url = url

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        kind: PlayerKind = "person",
        program: str = "cornered-sdk",
        patience: float | None = 10.0,
        backoff: Backoff = jittered,
        key: str | None = None,
    ) -> AsyncIterator[Client]:
        """Connect and stay connected inside the `async with` block, whatever happens to the line.

        `token` resumes a player; without one a guest called `name` is made, whose new token is `client.token`. `key`
        is the one of the server's operator, for a name that is reserved for the operator's bots.
        Raises Unreachable when no server answers for `patience` seconds (None waits for ever), and Refused when the
        server does not want this player, and ValueError for an address, name, token or key that cannot be one.
        """
        address = socket_url(url)
        hello = Hello(
            name=None if name is None else require_name(name),
            token=None if token is None else require_token(token),
            kind=kind,
            client=program,
            instance=secrets.token_urlsafe(INSTANCE_BYTES),
            key=None if key is None else require_key("key", key),
        )
        with plainly():
            async with asyncio.TaskGroup() as tasks:
                client = cls(address, hello, backoff, tasks)
                running = tasks.create_task(client._link.run(patience), name=f"link[{name or 'player'}]")
                await client._link.ready.wait()
                try:
                    yield client
                finally:
                    running.cancel()
                    client._close()

    @property
    def player(self) -> Player:
        """Who this is, as others see it."""
        return self._welcomed().player

    @property
    def token(self) -> str:
        """What resumes this player: keep it secret, and keep it."""
        return self._hello.token or ""

    @property
    def live_matches(self) -> tuple[str, ...]:
        """The own live matches when this connection began."""
        return self._welcomed().matches

    @property
    def round_trip(self) -> int:
        """What the way to the server and back lately took, in milliseconds."""
        return self._link.round_trip

    def server_now(self) -> int:
        """Return the server's time in milliseconds, late by at most the way from the server."""
        return round(time.monotonic() * 1000 + (self._clock_offset or 0.0))

    def new_id(self) -> str:
        """Return an id for a command that nothing else of this player has."""
        return self._link.new_id()

    async def ask(self, command: Command, expected: type[T]) -> T:
        """Send any command and return its answer, across reconnections. Raises Refused, Closed or NotUnderstood."""
        answer = await self._link.ask(command)
        self._standing.pop(type(command), None)
        if not isinstance(answer, expected):
            raise TypeError(f"{type(command).__name__} is answered by {type(answer).__name__}")
        return answer

    def mention(self, command: Command) -> None:
        """Send a command if the line stands, and wait for nothing."""
        telling = self._link.tell(command)
        try:
            self._tasks.create_task(telling, name=f"mention[{command.id}]")
        except RuntimeError:
            # The client closes, and with it goes whatever it was about.
            telling.close()

    async def news(self) -> AsyncIterator[News]:
        """Yield what the server says unasked, the first welcome first, until the client closes.

        For one reader. The newest 256 wait for it; older ones are dropped.
        """
        while True:
            seen = self._fresh.count
            while self._news:
                yield self._news.popleft()
            try:
                await self._fresh.after(seen)
            except Closed:
                return

    async def ping(self) -> int:
        """Return how long the way to the server and back takes now, in milliseconds."""
        began = time.monotonic()
        await self.ask(Ping(id=self.new_id()), Pong)
        return round((time.monotonic() - began) * 1000)

    async def games(self) -> tuple[OfferedGame, ...]:
        """Return what this server plays."""
        return (await self.ask(AskGames(id=self.new_id()), Games)).games

    async def my_matches(self) -> MyMatches:
        """Return the own live matches and the newest finished ones."""
        return await self.ask(AskMyMatches(id=self.new_id()), MyMatches)

    async def declare(self, accepts: Sequence[Accepts], concurrency: int) -> None:
        """Say, as a bot, what may be asked of it; said again on every new connection."""
        command = Declare(id=self.new_id(), accepts=tuple(accepts), concurrency=concurrency)
        await self.ask(command, Acknowledged)
        self._declared = command

    def ask_analysis(self, match: str, ply: int, *, lines: int = 3) -> AsyncIterator[Analysis]:
        """Have a bot study the position after `ply` plies of a match; yields what is known, the last time all of it.

        Who stops listening early tells the server so. Asks again after a lost connection. Raises Refused.
        """
        return self._studies.ask(match, ply, lines)

    async def lobby(self) -> LobbyView:
        """Return the lobby, which stays up to date from now on."""
        if self._lobby is None:
            await self.ask(WatchLobby(id=self.new_id()), LobbyState)
        assert self._lobby is not None
        return self._lobby

    async def more_of_lobby(self, section: LobbySection) -> LobbyView:
        """Bring more of a list into the lobby: the next page that has anything new. Raises Refused."""
        lobby = await self.lobby()
        unseen = lobby.unseen(section)
        while True:
            command = AskLobby(id=self.new_id(), section=section, after=lobby.cursors[section])
            page = await self.ask(command, LobbyPage)
            if page.more is None or lobby.unseen(section) != unseen:
                return lobby

    async def seek(self, settings: SeekSettings) -> str:
        """Open a table and return its id, which is also its invite."""
        return await self._make(CreateSeek(id=self.new_id(), settings=settings))

    async def join_seek(self, seek: str) -> None:
        """Sit down at a table."""
        await self.ask(commands.JoinSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def leave_seek(self, seek: str) -> None:
        """Get up from a table again."""
        await self.ask(commands.LeaveSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def start_seek(self, seek: str) -> None:
        """Start at the own table with those who are there."""
        await self.ask(commands.StartSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def cancel_seek(self, seek: str) -> None:
        """Close the own table."""
        await self.ask(commands.CancelSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def challenge(
        self,
        to: str,
        game: str,
        *,
        clock: Clock = NO_CLOCK,
        seat: int | None = None,
        **options: OptionValue,
    ) -> str:
        """Ask the player with the id `to` for a game under `options`, and return the challenge's id."""
        spec = GameSpec(name=game, options=options)
        return await self._make(commands.Challenge(id=self.new_id(), to=to, game=spec, clock=clock, seat=seat))

    async def accept(self, challenge: str) -> None:
        """Accept a challenge; `Paired` names the match."""
        await self.ask(commands.AcceptChallenge(id=self.new_id(), challenge=challenge), Acknowledged)

    async def decline(self, challenge: str, reason: str = "") -> None:
        """Decline a challenge."""
        command = commands.DeclineChallenge(id=self.new_id(), challenge=challenge, reason=reason)
        await self.ask(command, Acknowledged)

    async def cancel(self, challenge: str) -> None:
        """Take the own challenge back."""
        await self.ask(commands.CancelChallenge(id=self.new_id(), challenge=challenge), Acknowledged)

    async def join(self, match: str) -> MatchView:
        """Come into a match, as its player or to watch, and follow it across reconnections until it is left."""
        if match not in self._views:
            await self.ask(Join(id=self.new_id(), match=match), Snapshot)
        return self._views[match]

    def forget(self, match: str) -> None:
        """Stop following a match."""
        if view := self._views.pop(match, None):
            view.close()

    async def _make(self, command: Command) -> str:
        made = await self.ask(command, Acknowledged)
        if made.ref is None:
            raise TypeError(f"the answer to {type(command).__name__} names nothing")
        return made.ref

    def _welcomed(self) -> Welcome:
        assert self._welcome is not None, "Client.connect yields after the welcome"
        return self._welcome

    def _close(self) -> None:
        for view in self._views.values():
            view.close()
        if self._lobby is not None:
            self._lobby.close()
        if self._repeating is not None:
            self._repeating.cancel()
        self._studies.close()
        self.jobs.close()
        self._fresh.close()

    # What the link calls.

    def hello(self) -> Hello:
        """Say who this is: after the first time, always by token."""
        return self._hello

    def welcomed(self, welcome: Welcome) -> list[Command]:
        """Remember the token, and say again what holds for one connection only."""
        self._welcome = welcome
        self._clock_offset = None
        self._observe(welcome.now)
        if welcome.token is not None:
            self._hello = self._hello.model_copy(update={"token": welcome.token})
        self._publish(welcome)
        self._rejoining.clear()
        self._studies.reconnect()
        again: list[Command] = self.jobs.reconnect()
        if self._declared is not None:
            again.append(self._declared.model_copy(update={"id": self.new_id()}))
        if self._lobby is not None:
            again.append(WatchLobby(id=self.new_id()))
        self._standing = {type(command): command for command in again}
        return [*again, *(self._rejoin(view) for view in self._views.values())]

    def receive(self, message: ServerMessage) -> None:
        """Bring what this client follows up to date."""
        match message:
            case Snapshot():
                self._show(message)
            case Happened():
                self._happen(message)
            case SeatPresence() | Watchers() | Said():
                if view := self._views.get(message.match):
                    view.note(message)
            case LobbyState():
                self._lobby = self._lobby or LobbyView()
                self._lobby.reset(message)
            case LobbyChanged():
                if self._lobby is not None:
                    self._lobby.change(message)
            case LobbyPage():
                if self._lobby is not None:
                    self._lobby.add(message)
            case Challenged() | ChallengeClosed() | Paired():
                self._publish(message)
            case Notice():
                self._note(message)
            case Analysis():
                self._studies.hear(message)
            case Analyse() | StopAnalysis():
                self.jobs.hear(message)
            case Pong():
                self._observe(message.now)
            case messages.Refused():
                self._note_refusal(message)
            case Acknowledged() | Games() | MyMatches() | SeekInfo() | Moves() | History() | Variation():
                # The link hands these to who asked.
                pass
            case Welcome():
                # `welcomed` takes the one that opens a connection.
                pass
            case _:
                assert_never(message)

    def _show(self, snapshot: Snapshot) -> None:
        if view := self._views.get(snapshot.match):
            view.reset(snapshot)
        elif snapshot.id is not None:
            self._views[snapshot.match] = MatchView(self, snapshot)

    def _happen(self, happened: Happened) -> None:
        view = self._views.get(happened.match)
        if view is None:
            return
        if view.happen(happened):
            self._rejoining = {key: match for key, match in self._rejoining.items() if match != view.id}
        elif view.id not in self._rejoining.values():
            self._tasks.create_task(self._link.tell(self._rejoin(view)), name=f"catch-up[{view.id}]")

    def _rejoin(self, view: MatchView) -> Join:
        command = Join(id=self.new_id(), match=view.id, since=view.snapshot.seq)
        self._rejoining[command.id] = view.id
        return command

    def _note(self, notice: Notice) -> None:
        if notice.code == "also_here" and not self._is_shared:
            self._is_shared = True
            log.warning("the server says: %s", notice.text)
        self._publish(notice)

    def _note_refusal(self, refused: messages.Refused) -> None:
        if refused.id is None:
            log.warning("the server says: %s (%s)", refused.text, refused.code)
            return
        standing = any(command.id == refused.id for command in self._standing.values())
        match = self._rejoining.get(refused.id)
        if not standing and match is None:
            # Who asked hears of it.
            return
        pause = Refused(refused.code, refused.text, refused.retry_after).pause
        if pause is not None:
            self._put_off.append(refused.id)
            self._put_off_until = asyncio.get_running_loop().time() + pause
            if self._repeating is None or self._repeating.done():
                self._repeating = self._tasks.create_task(self._repeat(), name="repeat")
        elif match is not None:
            log.warning("match %s cannot be followed any more: %s", match, refused.text)
            del self._rejoining[refused.id]
            self.forget(match)
        else:
            log.warning("the server does not allow any more what held before: %s (%s)", refused.text, refused.code)

    async def _repeat(self) -> None:
        """Say what was put off once more, one command at a time, since each refusal costs a token too."""
        clock = asyncio.get_running_loop().time
        while self._put_off:
            await asyncio.sleep(self._put_off_until - clock())
            command = self._repeated(self._put_off.popleft())
            if command is not None:
                # `_note_refusal` takes note of a refusal.
                with suppress(ClientError):
                    await self._link.ask(command)

    def _repeated(self, command_id: str) -> Command | None:
        """Return the command under a new id; None where a new connection or a newer command has made it needless."""
        if (match := self._rejoining.pop(command_id, None)) is not None:
            view = self._views.get(match)
            return None if view is None else self._rejoin(view)
        for kind, command in self._standing.items():
            if command.id == command_id and not self._link.is_asking(kind):
                self._standing[kind] = command.model_copy(update={"id": self.new_id()})
                return self._standing[kind]
        return None

    def _observe(self, server_now: int) -> None:
        # A message is old when it arrives, never young: the largest difference is the one that travelled fastest.
        offset = server_now - time.monotonic() * 1000
        self._clock_offset = offset if self._clock_offset is None else max(self._clock_offset, offset)

    def _publish(self, news: News) -> None:
        self._news.append(news)
        self._fresh.beat()
