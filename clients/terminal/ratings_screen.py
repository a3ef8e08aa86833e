"""The player's ratings, and the leaderboards."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from cornered.clients.sdk import Client, ClientError
from cornered.clients.terminal.rating_words import leader_text, pool_text, rating_text, standing_text
from cornered.clients.terminal.words import refusal_text
from cornered.protocol.ratings import Leaderboard, PoolRating
from cornered.protocol.values import PlayerKind

__all__ = ["RatingsScreen"]


class RatingsScreen(Screen[None]):
    """The pools on the left, those with a rating of the player first; the leaderboard of one of them on the right."""

    DEFAULT_CSS = """
    RatingsScreen #mine { height: 1; padding: 0 1; color: $text-muted; }
    RatingsScreen Horizontal { height: 1fr; }
    RatingsScreen #pools { width: 40; height: 1fr; border: round $primary; border-title-color: $text-muted; }
    RatingsScreen VerticalScroll { height: 1fr; border: round $panel-lighten-2; border-title-color: $text-muted; }
    RatingsScreen #board { padding: 0 1; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "kind", "People/bots"),
        Binding("escape,l", "app.pop_screen", "Back", key_display="esc"),
    ]

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._ratings: dict[str, PoolRating] = {}
        self._kind: PlayerKind = "person"
        self._pool: str | None = None

    def compose(self) -> ComposeResult:
        yield Static(f"Ratings of {self._client.player.name}", id="mine", markup=False)
        with Horizontal():
            pools = OptionList(id="pools")
            pools.border_title = "Pools"
            yield pools
            with VerticalScroll() as board:
                board.border_title = "Leaderboard"
                yield Static(id="board", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#pools").focus()
        self._load()

    @work(exclusive=True, group="pools")
    async def _load(self) -> None:
        try:
            self._ratings = {rating.pool: rating for rating in (await self._client.profile()).ratings}
            others = [pool for pool in await self._client.rating_pools() if pool.pool not in self._ratings]
        except ClientError as error:
            self._show(refusal_text(error))
            return
        rows = [
            Option(
                Text.assemble(
                    (f"{rating_text(rating.rating, provisional=rating.provisional):<6}", "bold"), pool_text(rating)
                ),
                id=rating.pool,
            )
            for rating in self._ratings.values()
        ]
        rows += [Option(Text.assemble(("      ", ""), (pool_text(pool), "dim")), id=pool.pool) for pool in others]
        pools = self.query_one("#pools", OptionList)
        pools.add_options(rows)
        if rows:
            pools.highlighted = 0
        else:
            self._show("Nobody has played a rated game here yet. Quick pairing is rated, and so is a table with r.")

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._pool = event.option.id
        self._load_board()

    def action_kind(self) -> None:
        self._kind = "bot" if self._kind == "person" else "person"
        self._load_board()

    @work(exclusive=True, group="board")
    async def _load_board(self) -> None:
        if self._pool is None:
            return
        own = self._ratings.get(self._pool)
        who = self._client.player.name
        about = f"{who} has no rating in this pool." if own is None else f"{who}: {standing_text(own)}"
        self.query_one("#mine", Static).update(about)
        try:
            self._show(self._board_text(await self._client.leaderboard(self._pool, self._kind)))
        except ClientError as error:
            self._show(refusal_text(error))

    def _board_text(self, board: Leaderboard) -> Text:
        who = "Bots" if board.kind == "bot" else "People"
        self.query_one(VerticalScroll).border_title = f"{who} at {pool_text(board)}"
        if not board.entries:
            return Text("Nobody has an established rating here yet: it takes about twenty games.", "dim")
        me = self._client.player.id
        rows = [Text(leader_text(leader), "bold" if leader.player.id == me else "") for leader in board.entries]
        return Text("\n").join(rows)

    def _show(self, text: str | Text) -> None:
        self.query_one("#board", Static).update(text)
