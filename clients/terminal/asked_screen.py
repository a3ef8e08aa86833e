"""The dialog of a received challenge."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from cornered.clients.sdk import Client, ClientError
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.words import player_text, refusal_text, spec_text
from cornered.protocol.messages import Challenged

__all__ = ["AskedScreen"]


class AskedScreen(ModalScreen[None]):
    """Enter accepts, Esc declines."""

    DEFAULT_CSS = """
    AskedScreen { align: center middle; }
    AskedScreen Static { width: 56; height: auto; border: round $primary; background: $surface; padding: 1 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "accept", "Accept"),
        Binding("escape,n", "decline", "Decline"),
    ]

    def __init__(self, challenged: Challenged, client: Client) -> None:
        super().__init__()
        self._challenged = challenged
        self._client = client

    def compose(self) -> ComposeResult:
        asked = self._challenged
        yield Static(
            f"{player_text(asked.by)} asks you for {spec_text(asked.game)}, {clock_text(asked.clock)}.\n\n"
            "Enter accepts, Esc declines.",
            markup=False,
        )

    @work
    async def action_accept(self) -> None:
        await self._answer(accept=True)

    @work
    async def action_decline(self) -> None:
        await self._answer(accept=False)

    async def _answer(self, *, accept: bool) -> None:
        try:
            if accept:
                await self._client.accept(self._challenged.challenge)
            else:
                await self._client.decline(self._challenged.challenge)
        except ClientError as error:
            self.app.notify(refusal_text(error), markup=False)
        self.dismiss()
