"""The textual application: its screens, and the messages that belong to none of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeAlias, assert_never

from textual import on, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from cornered.clients.sdk import Client, ClientError
from cornered.clients.terminal.account_screen import AccountScreen
from cornered.clients.terminal.asked_screen import AskedScreen
from cornered.clients.terminal.drawing import is_light_terminal
from cornered.clients.terminal.help_screen import HelpScreen
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.match_source import MatchSource
from cornered.clients.terminal.menu_screen import MenuScreen
from cornered.clients.terminal.online import OnlineMatch
from cornered.clients.terminal.quick_screen import QuickScreen
from cornered.clients.terminal.ratings_screen import RatingsScreen
from cornered.clients.terminal.tournaments_screen import TournamentsScreen
from cornered.clients.terminal.words import refusal_text, sentence, waiting_text
from cornered.protocol.messages import ChallengeClosed, Challenged, Notice, Paired, Waiting, Welcome
from cornered.protocol.tournaments import TournamentMessage

__all__ = ["CorneredApp", "Opener"]

Opener: TypeAlias = Callable[[str], Awaitable[MatchSource]]
"""Returns the source of a match. Raises ClientError."""


class CorneredApp(App[None]):
    """The screens, and the messages that belong to none of them."""

    TITLE = "Cornered"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - textual declares it like this
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "light", "Light/dark", show=False),
        Binding("ctrl+q,ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(
        self,
        first: Screen[None],
        *,
        client: Client | None = None,
        opener: Opener | None = None,
        match: str | None = None,
    ) -> None:
        """Show `first` with `match` on top of it. Without a `client`, `opener` opens matches."""
        super().__init__()
        self._match = match
        self._waiting: Waiting | None = None
        self._first = first
        self._client = client
        self._opener = opener or self._open_online
        self._open: str | None = None
        self.is_another = False
        """Whether the user has signed in or out, so that the program has to connect as another player."""
        self.theme = "textual-light" if is_light_terminal() else "textual-dark"

    async def on_mount(self) -> None:
        await self.push_screen(self._first)
        if self._match is not None:
            await self._enter(self._match)
        if self._client is not None:
            self._receive_news(self._client)

    @work(exclusive=True, group="news")
    async def _receive_news(self, client: Client) -> None:
        async for news in client.news():
            match news:
                case Paired():
                    await self._enter(news.match)
                case Challenged() if news.to.id == client.player.id:
                    self.push_screen(AskedScreen(news, client))
                case ChallengeClosed(how="declined"):
                    self.notify(sentence(news.reason) or "They would rather not.", title="Declined", markup=False)
                case ChallengeClosed(how="expired"):
                    self.notify("Nobody answered.", title="Your challenge", markup=False)
                case Waiting():
                    self._waiting = news
                    if isinstance(self.screen, QuickScreen):
                        self.screen.hear(news)
                    elif text := waiting_text(news):
                        self.notify(text, title="Quick pairing", markup=False)
                case Notice():
                    self.notify(sentence(news.text), title="The server", markup=False)
                case TournamentMessage():
                    self.notify(news.text, title=f"{news.by.name}, {news.name}", markup=False)
                case Welcome() | Challenged() | ChallengeClosed():
                    # One's own challenges, and accepted ones, which `Paired` follows.
                    pass
                case _:
                    assert_never(news)

    @on(MenuScreen.Watch)
    async def _on_watch(self, message: MenuScreen.Watch) -> None:
        await self._enter(message.match)

    @on(MatchScreen.Moved)
    async def _on_moved(self, message: MatchScreen.Moved) -> None:
        await self._enter(message.match)

    async def _enter(self, match: str) -> None:
        """Open a match in place of the present one."""
        if self._open == match:
            return
        self._open = match
        try:
            table = await self._opener(match)
        except ClientError as error:
            self._open = None
            self.notify(refusal_text(error), title="This match cannot be opened", severity="error", markup=False)
            return
        await self._show(table)

    async def _open_online(self, match: str) -> MatchSource:
        assert self._client is not None, "without a client there is an opener"
        return OnlineMatch(self._client, await self._client.join(match))

    async def _show(self, table: MatchSource) -> None:
        """Push the screen of a match, in place of that of another match."""
        if isinstance(self.screen, QuickScreen | RatingsScreen):
            await self.pop_screen()
        screen = MatchScreen(table)
        if isinstance(self.screen, MatchScreen) and self.screen is not self._first:
            await self.switch_screen(screen)
        else:
            await self.push_screen(screen)

    @on(MatchScreen.Left)
    async def _on_left(self, message: MatchScreen.Left) -> None:
        self._open = None
        if self._first is self.screen:
            self.exit()
        else:
            await self.pop_screen()

    def action_light(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    def action_help(self) -> None:
        self.push_screen(HelpScreen())

    @on(MenuScreen.Quick)
    async def _on_quick(self, message: MenuScreen.Quick) -> None:
        if self._client is not None:
            await self.push_screen(QuickScreen(self._client, message.game, self._waiting))

    def action_ratings(self) -> None:
        if self._client is not None:
            self.push_screen(RatingsScreen(self._client))

    def action_tournaments(self) -> None:
        if self._client is not None:
            self.push_screen(TournamentsScreen(self._client))

    def action_account(self) -> None:
        if self._client is not None:
            self.push_screen(AccountScreen(self._client), self._take_player)

    def _take_player(self, is_another: bool | None) -> None:
        if is_another:
            self.is_another = True
            self.exit()
