"""The screen of one match, for players and spectators."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.board_view import BoardView
from cornered.clients.terminal.help_screen import HelpScreen
from cornered.clients.terminal.layout import Wall, is_cell, last_placed
from cornered.clients.terminal.match_source import Action, LineState, MatchSource, NotPossible, Seen, Told
from cornered.clients.terminal.panel import MoveList, Players, SidePanel, Talk
from cornered.clients.terminal.rating_words import change_text
from cornered.clients.terminal.words import facts_text, is_my_turn, player_text, sentence, turn_text
from cornered.protocol.messages import Said, Snapshot
from cornered.protocol.ratings import Rated

__all__ = ["MatchScreen"]

CLOCK_INTERVAL_S: Final = 0.1
"""Interval of the clocks' refresh."""
WIDGETS: Final = (BoardView, MoveList, Players, Talk)
"""The kinds of widgets that a message of the server changes."""


class MatchScreen(Screen[None]):
    """One match, until it is left."""

    DEFAULT_CSS = """
    MatchScreen { layout: vertical; }
    #title { height: 1; padding: 0 1; color: $text-muted; }
    #banner { height: 1; padding: 0 1; background: $warning; color: $text; text-style: bold; display: none; }
    #banner.-shown { display: block; }
    #middle { height: 1fr; }
    #status { height: 1; padding: 0 1; text-style: bold; background: $panel; }
    #status.-mine { background: $success; color: $text; }
    #status.-over { background: $accent; color: $text; }
    #entry { height: 1; }
    #words { width: 1fr; height: 1; padding: 0 1; color: $text-muted; }
    #move { width: 28; height: 1; border: none; padding: 0 1; background: $boost; }
    MatchScreen.-wide SidePanel { width: 36; }
    MatchScreen.-wide #move { width: 36; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m,colon", "type", "Type", key_display="m"),
        Binding("c", "chat", "Chat"),
        Binding("d", "draw", "Draw"),
        Binding("t", "takeback", "Take back"),
        Binding("n", "decline", "Decline"),
        Binding("x", "resign", "Resign"),
        Binding("y", "claim", "Claim"),
        Binding("g", "rematch", "Again"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("escape", "back", "Leave", key_display="esc", priority=True),
    ]

    class Moved(Message):
        """The players agreed on a rematch: `match` is the new one."""

        def __init__(self, match: str) -> None:
            super().__init__()
            self.match = match

    class Left(Message):
        """The user leaves the match's screen."""

    def __init__(self, table: MatchSource) -> None:
        super().__init__()
        self._table = table
        self._match: Snapshot | None = None
        self._claim_at: int | None = None
        self._rated: Rated | None = None
        self._gauges: tuple[tuple[str, int], ...] = ()
        self._unsent: str | None = None
        self._is_resigning = False

    def compose(self) -> ComposeResult:
        yield Static("Joining the match…", id="title", markup=False)
        yield Static(id="banner", markup=False)
        with Horizontal(id="middle"):
            yield BoardView(". 0", id="board")
            yield SidePanel()
        yield Static(id="status", markup=False)
        with Horizontal(id="entry"):
            yield Static(id="words", markup=False)
            yield Input(placeholder="move", max_length=16, id="move")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._board.focus()
        self.set_interval(CLOCK_INTERVAL_S, self._tick_if_running)
        self.app.theme_changed_signal.subscribe(self, lambda _: self._repaint())
        self._follow()

    @property
    def _board(self) -> BoardView:
        return self.query_one(BoardView)

    @property
    def _is_complete(self) -> bool:
        """Whether all widgets are there: they are removed before the workers and the timer are cancelled."""
        texts = ("#title", "#banner", "#status", "#words")
        return all(map(self.query, texts)) and all(self.query(kind) for kind in WIDGETS)

    @work(exclusive=True, group="follow")
    async def _follow(self) -> None:
        async for change in self._table.follow():
            if not self._is_complete:
                return
            match change:
                case Seen():
                    self._see(change)
                case Told(is_move=True):
                    pass
                case Told():
                    self.query_one(Talk).add(Text(sentence(change.text), "dim"))
                case Said():
                    self._show_said(change)
                case LineState():
                    self._line(change.trouble)

    def _see(self, seen: Seen) -> None:
        before, match = self._match, seen.match
        self._match, self._claim_at, self._rated = match, seen.claim_at, seen.rated
        if before is None or (before.position, before.ply) != (match.position, match.ply):
            self._unsent = None
            self._board.show(match.position, last=last_placed(match.moves))
            self._explain("")
            self._ask_moves(match.ply)
        if match.over:
            # Also where the position is the same, after a resignation or a flag fall.
            self._board.allow(())
        self._repaint()
        self.refresh_bindings()
        if match.next is not None and match.seat is not None:
            self.post_message(self.Moved(match.next))

    @work(exclusive=True, group="moves")
    async def _ask_moves(self, ply: int) -> None:
        try:
            moves = await self._table.legal(ply)
        except NotPossible as refusal:
            if self._is_complete:
                self._explain(str(refusal))
            return
        match = self._match
        if moves is None or match is None or moves.ply != match.ply or not self._is_complete:
            return
        self._gauges = moves.gauges
        legal = moves.moves if is_my_turn(match) else ()
        self._board.allow(legal, refused=moves.refused, notes=moves.notes)
        if legal and not any(is_cell(move) or Wall.parse(move) for move in legal):
            self._explain(f"The only move is {legal[0]}: press Enter.")
        self._repaint()

    def _show_said(self, said: Said) -> None:
        self.query_one(Talk).add(Text.assemble((f"{player_text(said.by)}: ", "bold"), said.text))

    def _line(self, trouble: str | None) -> None:
        banner = self.query_one("#banner", Static)
        banner.update(trouble or "")
        banner.set_class(trouble is not None, "-shown")

    def _repaint(self) -> None:
        match = self._match
        if match is None:
            return
        watching = f"{match.watchers} watching" if match.watchers else ""
        rated = "rated" if match.rated else ""
        parts = [match.title, clock_text(match.clock), rated, facts_text(match.position), watching]
        title = " · ".join(filter(None, parts))
        self.query_one("#title", Static).update(title)
        status = self.query_one("#status", Static)
        status.update(self._status(match))
        status.set_class(is_my_turn(match), "-mine")
        status.set_class(match.over, "-over")
        self.query_one(MoveList).show(match.moves, len(match.seats))
        self.query_one(Talk).border_title = "Chat" if match.seat is not None else "Spectators"
        self._tick()
        self._board.refresh()

    def _status(self, match: Snapshot) -> str:
        if self._is_resigning:
            return "Press x again to resign, any other key to go on."
        if self._unsent is not None:
            return f"{self._unsent} is on its way…"
        offers = [seat for seat in (match.draw_offer, match.takeback) if seat is not None and seat != match.seat]
        if offers and match.seat is not None and not match.over:
            what, key = ("a draw", "d") if match.draw_offer in offers else ("to take the last move back", "t")
            return f"{match.seats[offers[0]].player.name} offers {what}: {key} accepts, n declines."
        if match.over and match.seat is not None:
            change = f" {change_text(self._rated, match.seat)}" if self._rated is not None else ""
            return f"{turn_text(match)}{change}  g plays again."
        return turn_text(match)

    def _tick_if_running(self) -> None:
        is_running = self._match is not None and self._match.clocks.running is not None and not self._match.over
        if is_running and self._is_complete:
            self._tick()

    def _tick(self) -> None:
        if self._match is not None:
            self.query_one(Players).show(self._match, self._table.now(), self._gauges)

    def _explain(self, text: str) -> None:
        self.query_one("#words", Static).update(sentence(text))

    @on(BoardView.Explained)
    def _on_explained(self, message: BoardView.Explained) -> None:
        self._explain(message.text)

    @on(BoardView.Chosen)
    def _on_chosen(self, message: BoardView.Chosen) -> None:
        if self._match is not None and self._unsent is None:
            self._unsent = message.move
            self._explain("")
            self._repaint()
            self._send_move(message.move, self._match.ply)

    @work(group="send")
    async def _send_move(self, move: str, ply: int) -> None:
        try:
            await self._table.play(move, ply)
        except NotPossible as refusal:
            self._explain(str(refusal))
        self._unsent = None
        self._repaint()

    @on(Input.Submitted, "#move")
    def _on_move_typed(self, event: Input.Submitted) -> None:
        move = event.value.strip().lower()
        event.input.clear()
        self._board.focus()
        if move:
            self._board.choose(move)

    @on(Input.Submitted, "#chat")
    def _on_chat_typed(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if text:
            self._say(text)

    @work(group="send")
    async def _say(self, text: str) -> None:
        try:
            await self._table.say(text)
        except NotPossible as refusal:
            self._explain(str(refusal))

    @work(group="send")
    async def _do(self, action: Action) -> None:
        try:
            await self._table.do(action)
        except NotPossible as refusal:
            self._explain(str(refusal))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match = self._match
        is_player = match is not None and match.seat is not None
        is_live = is_player and match is not None and not match.over
        match action:
            case "resign" | "type":
                return is_live
            case "draw":
                return is_live and match is not None and match.has_draws
            case "takeback":
                return is_live and match is not None and bool(match.moves)
            case "decline":
                return is_player and match is not None and self._is_asked(match)
            case "claim":
                return is_live and match is not None and self._claim_at is not None
            case "rematch":
                return is_player and not is_live
            case _:
                return True

    def _is_asked(self, match: Snapshot) -> bool:
        is_open = bool(match.rematch) and match.next is None
        return is_open or any(seat is not None and seat != match.seat for seat in (match.draw_offer, match.takeback))

    def action_type(self) -> None:
        self.query_one("#move", Input).focus()

    def action_chat(self) -> None:
        self.query_one("#chat", Input).focus()

    def action_draw(self) -> None:
        match = self._match
        if match is not None:
            is_asked = match.draw_offer is not None and match.draw_offer != match.seat
            self._do("accept_draw" if is_asked else "offer_draw")

    def action_takeback(self) -> None:
        match = self._match
        if match is not None:
            is_asked = match.takeback is not None and match.takeback != match.seat
            self._do("accept_takeback" if is_asked else "request_takeback")

    def action_decline(self) -> None:
        match = self._match
        if match is not None and match.draw_offer not in (None, match.seat):
            self._do("decline_draw")
        elif match is not None and match.takeback not in (None, match.seat):
            self._do("decline_takeback")
        elif match is not None and match.rematch and match.next is None:
            # One's own offer is withdrawn by this.
            self._do("decline_rematch")

    def action_resign(self) -> None:
        """Resign with the second press; before the second ply abort the match instead."""
        if self._is_resigning:
            self._is_resigning = False
            self._do("abort" if self._match is not None and self._match.ply < 2 else "resign")
        else:
            self._is_resigning = True
        self._repaint()

    def on_key(self, event: events.Key) -> None:
        if self._is_resigning and event.key != "x":
            self._is_resigning = False
            self._repaint()

    def action_claim(self) -> None:
        self._do("claim")

    def action_rematch(self) -> None:
        self._do("rematch")

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(None if self._match is None else self._match.game))

    def action_back(self) -> None:
        """Move the focus from a text input to the board, or leave the match."""
        if isinstance(self.focused, Input):
            self._board.focus()
        elif self._board.wall is not None:
            self._board.action_walls()
        else:
            self.post_message(self.Left())
