"""Quick pairing: the pools, and the wait in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from cornered.clients.sdk import Client, ClientError, Closed
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.words import refusal_text, sentence, spec_text
from cornered.protocol.messages import Waiting
from cornered.protocol.values import PairingPool

__all__ = ["QuickScreen"]

TICK_S: Final = 0.5
"""Interval at which the time of the wait is shown."""


class QuickScreen(ModalScreen[None]):
    """Enter waits in a pool, b plays the bot that is named after a while, Esc ends the wait.

    The app opens the match when the players are paired.
    """

    DEFAULT_CSS = """
    QuickScreen { align: center middle; }
    QuickScreen Vertical { width: 70; height: auto; max-height: 95%; border: round $primary; background: $surface; }
    QuickScreen OptionList { border: none; height: auto; max-height: 18; }
    QuickScreen Static { padding: 0 2; height: auto; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", priority=True),
        Binding("b", "bot", "Play the bot"),
    ]

    def __init__(self, client: Client, game: str | None = None, waiting: Waiting | None = None) -> None:
        """`game` is whose pools come first; `waiting` is where the player waits already."""
        super().__init__()
        self._client = client
        self._game = game
        self._pools: Sequence[PairingPool] = ()
        self._waiting = waiting if waiting is not None and waiting.pool is not None else None

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Quick pairing, rated"
            box.border_subtitle = "Enter waits · Esc closes"
            yield OptionList(id="pools")
            yield Static("Choose a pool.", id="wait", markup=False)

    def on_mount(self) -> None:
        self.query_one("#pools").focus()
        self.set_interval(TICK_S, self._tick)
        self._load()

    @work(exclusive=True, group="pools")
    async def _load(self) -> None:
        try:
            pools = await self._client.pools()
            self._pools = sorted(pools, key=lambda pool: pool.game.name != self._game)
            lobby = await self._client.lobby()
            choices = self.query_one("#pools", OptionList)
            while True:
                version = lobby.version
                place = choices.highlighted or 0
                choices.clear_options()
                choices.add_options(self._row(pool, lobby.waiting.get(pool.id, 0)) for pool in self._pools)
                choices.highlighted = place
                await lobby.changed(version)
        except Closed:
            return
        except ClientError as error:
            self._tell(refusal_text(error))

    def _row(self, pool: PairingPool, waiting: int) -> Option:
        count = f"  {waiting} waiting" if waiting else ""
        return Option(Text.assemble(_pool_text(pool), (count, "dim")), id=pool.id)

    def hear(self, news: Waiting) -> None:
        """Take what the server says about the wait."""
        self._waiting = news if news.pool is not None else None
        if news.pool is None and news.reason:
            self._tell(sentence(news.reason))
        self._tick()

    def _tick(self) -> None:
        waiting = self._waiting
        pool = None if waiting is None else self._pool(waiting.pool)
        if waiting is None or pool is None:
            return
        minutes, seconds = divmod(max(0, self._client.server_now() - waiting.since) // 1000, 60)
        lines = [f"Waiting for an opponent, {minutes}:{seconds:02}: {_pool_text(pool)}."]
        if waiting.bot is not None:
            lines.append(f"b plays the bot {waiting.bot.name}, which is about as strong as you.")
        lines.append("Esc ends the wait.")
        self._tell("\n".join(lines))

    def _pool(self, name: str | None) -> PairingPool | None:
        return next((pool for pool in self._pools if pool.id == name), None)

    def _tell(self, text: str) -> None:
        self.query_one("#wait", Static).update(text)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        if event.option.id is not None:
            self._enter(event.option.id)

    @work(group="enter")
    async def _enter(self, pool: str) -> None:
        try:
            await self._client.enter_pool(pool)
        except ClientError as error:
            self._tell(refusal_text(error))

    @work(group="enter")
    async def action_bot(self) -> None:
        waiting = self._waiting
        pool = None if waiting is None else self._pool(waiting.pool)
        if waiting is None or waiting.bot is None or pool is None:
            return
        try:
            await self._client.challenge(
                waiting.bot.id, pool.game.name, clock=pool.clock, rated=True, **pool.game.options
            )
        except ClientError as error:
            self._tell(refusal_text(error))

    @work(group="enter")
    async def action_stop(self) -> None:
        if self._waiting is not None:
            try:
                await self._client.leave_pool()
            except ClientError as error:
                self._tell(refusal_text(error))
                return
        self.dismiss()


def _pool_text(pool: PairingPool) -> str:
    return f"{spec_text(pool.game)}, {clock_text(pool.clock)}"
