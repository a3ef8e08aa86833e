"""A match for tests: the engine runs in the process, and every command is recorded. It can be shown on a screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual.app import App
from textual.pilot import Pilot

from cornered import engine
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.match_source import Action, Change, NotPossible, Seen, Told
from cornered.protocol.messages import Moves
from cornered.protocol.values import NO_CLOCK, Clock, Clocks, Player
from tests.clients.snapshots import beginning


class LocalMatch:
    """A match with seat 0 at the terminal; the test moves for the other seats."""

    def __init__(
        self,
        name: str,
        moves: Sequence[str] = (),
        *,
        seat: int | None = 0,
        clock: Clock = NO_CLOCK,
        left: tuple[int | None, ...] | None = None,
        names: tuple[str, ...] = ("Ana", "minimax", "Cleo", "Dan"),
        has_draws: bool = False,
        **options: int | bool,
    ) -> None:
        self.game = engine.load(name, **options)
        self.state = self.game.start()
        self.changes: asyncio.Queue[Change] = asyncio.Queue(100)
        self.played: list[tuple[str, int]] = []
        self.done: list[Action] = []
        self.said: list[str] = []
        self.refuses: str | None = None
        self.refused: dict[str, str] = {}
        self.time = 0
        players = tuple(
            Player(id=f"p{n}", name=names[n], kind="bot" if n == 1 else "person") for n in range(self.game.seats)
        )
        clocks = Clocks(left=left or tuple(None for _ in players), running=None, at=0)
        self.match = beginning(self.game, players, seat=seat, clock=clock, clocks=clocks, has_draws=has_draws)
        for move in moves:
            self.advance(move)

    def advance(self, move: str) -> None:
        """Play `move` for the seat to move, without notifying the screen."""
        self.state = engine.apply(self.state, move)
        outcome = self.state.outcome
        ended = {} if outcome is None else {"over": True, "winner": outcome.winner, "reason": "rules"}
        self.match = self.match.model_copy(
            update={
                "position": str(self.state),
                "ply": self.match.ply + 1,
                "to_move": self.state.to_move,
                "moves": (*self.match.moves, move),
                "clocks": self.match.clocks.model_copy(update={"running": None if outcome else self.state.to_move}),
                **ended,
            }
        )

    def change(self, **update: object) -> None:
        """Notify the screen of a change of the match."""
        self.match = self.match.model_copy(update=update)
        self.changes.put_nowait(Seen(self.match))

    def opponent_plays(self, move: str) -> None:
        self.advance(move)
        self.changes.put_nowait(Told(f"{self.match.ply}. {move}"))
        self.changes.put_nowait(Seen(self.match))

    def now(self) -> int:
        return self.time

    async def follow(self) -> AsyncIterator[Change]:
        yield Seen(self.match)
        while True:
            yield await self.changes.get()

    async def legal(self, ply: int) -> Moves | None:
        moves = self.state.moves()
        if self.state.to_move < 0:
            moves = []
        return Moves(
            id="x",
            match="m1",
            ply=ply,
            moves=tuple(moves),
            refused=self.refused,
            notes=dict(self.state.notes()),
            gauges=tuple(self.state.gauges()),
        )

    async def play(self, move: str, ply: int) -> None:
        if self.refuses is not None:
            raise NotPossible(self.refuses)
        self.played.append((move, ply))
        self.opponent_plays(move)

    async def do(self, action: Action) -> None:
        if self.refuses is not None:
            raise NotPossible(self.refuses)
        self.done.append(action)

    async def say(self, text: str) -> None:
        self.said.append(text)

    async def leave(self) -> None:
        return


def text_of(app: App[None]) -> str:
    """Return the text on the screen."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


@dataclass
class Scene:
    """A match on the screen of a terminal."""

    table: LocalMatch
    app: CorneredApp
    pilot: Pilot[None]

    @property
    def text(self) -> str:
        return text_of(self.app)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def change(self, **update: object) -> None:
        """Change the match, as the server does."""
        self.table.change(**update)
        await self.pilot.pause()

    async def tell(self, change: Change) -> None:
        self.table.changes.put_nowait(change)
        await self.pilot.pause()

    async def answer(self, move: str) -> None:
        """Play a move of the opponent."""
        self.table.opponent_plays(move)
        await self.pilot.pause()


@asynccontextmanager
async def on_screen(table: LocalMatch, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Scene]:
    app = CorneredApp(MatchScreen(table))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Scene(table, app, pilot)
