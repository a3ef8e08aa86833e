"""The dialog of the player's account: signing in, registering, and signing out."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from cornered.clients.sdk import Client, ClientError, policies
from cornered.clients.terminal.identity import register, sign_in, sign_out
from cornered.clients.terminal.words import refusal_text, sentence

__all__ = ["AccountScreen"]


class AccountScreen(ModalScreen[bool]):
    """Its result is whether the program goes on as another player, or under another name."""

    DEFAULT_CSS = """
    AccountScreen { align: center middle; }
    AccountScreen VerticalScroll { width: 60; height: auto; max-height: 95%; border: round $primary; padding: 1 2;
                                   background: $surface; }
    AccountScreen Static { height: auto; }
    AccountScreen Input { height: 3; }
    AccountScreen Horizontal { height: auto; margin-top: 1; }
    AccountScreen Button { margin-right: 2; }
    AccountScreen #told { margin-top: 1; text-style: bold; }
    AccountScreen .off { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", priority=True)]

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._is_another = False

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = "Account"
            box.border_subtitle = "Esc closes"
            yield Static("…", id="about", markup=False)
            yield Input(placeholder="name", max_length=24, id="name", classes="off")
            yield Input(placeholder="password", password=True, max_length=128, id="password", classes="off")
            yield Input(placeholder="invitation code", max_length=40, id="invitation", classes="off")
            with Horizontal():
                yield Button("Sign in", id="sign-in", variant="primary", classes="off")
                yield Button("Create an account", id="register", classes="off")
                yield Button("Sign out", id="sign-out", classes="off")
                yield Button("I have kept them", id="kept", variant="primary", classes="off")
            yield Static(id="told", markup=False)

    def on_mount(self) -> None:
        self._load()

    @work
    async def _load(self) -> None:
        try:
            about = await self._client.account.about()
            if about.has_account:
                text = f"You are signed in as {about.player.name}. Recovery codes left: {about.codes_left}."
                self._show(text, "sign-out")
                self.query_one("#sign-out").focus()
                return
            registration = (await policies(self._client.url)).registration
        except ClientError as error:
            self._tell(refusal_text(error))
            return
        text = f"You are {about.player.name}, a guest whom this computer alone knows. An account keeps your games."
        fields = ["name", "password", "sign-in"]
        if registration != "closed":
            fields.append("register")
        if registration == "invitation":
            fields.append("invitation")
        self._show(text, *fields)
        self.query_one("#name").focus()

    def _show(self, text: str, *names: str) -> None:
        """Show the text, and of the fields and buttons those with these names."""
        self.query_one("#about", Static).update(text)
        for widget in (*self.query(Input), *self.query(Button)):
            widget.set_class(widget.id not in names, "off")

    def _tell(self, text: str) -> None:
        self.query_one("#told", Static).update(sentence(text))

    def _value(self, field: str) -> str:
        return self.query_one(f"#{field}", Input).value

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "name":
            self.query_one("#password").focus()
        elif event.input.id == "password":
            self._sign_in()
        else:
            self._register()

    @on(Button.Pressed, "#sign-in")
    def _on_sign_in(self) -> None:
        self._sign_in()

    @on(Button.Pressed, "#register")
    def _on_register(self) -> None:
        self._register()

    @on(Button.Pressed, "#kept")
    def _on_kept(self) -> None:
        self.dismiss(True)

    @work(exclusive=True)
    async def _sign_in(self) -> None:
        self._tell("Signing in…")
        try:
            await sign_in(self._client.url, self._value("name").strip(), self._value("password"))
        except (ClientError, ValueError) as error:
            self._tell(refusal_text(error))
            return
        self.dismiss(True)

    @work(exclusive=True)
    async def _register(self) -> None:
        self._tell("Creating the account…")
        try:
            codes = await register(
                self._client, self._value("name").strip(), self._value("password"), self._value("invitation").strip()
            )
        except (ClientError, ValueError) as error:
            self._tell(refusal_text(error))
            return
        self._is_another = True
        self.query_one("#password", Input).clear()
        rows = "\n".join(f"  {one}   {other}" for one, other in zip(codes[::2], codes[1::2], strict=True))
        self._show(
            "Your recovery codes, which are shown this once. With one of them you can set a new password:\n\n" + rows,
            "kept",
        )
        self._tell("")
        self.query_one("#kept").focus()

    @on(Button.Pressed, "#sign-out")
    @work(exclusive=True)
    async def _on_sign_out(self) -> None:
        try:
            await sign_out(self._client)
        except ClientError as error:
            self._tell(refusal_text(error))
            return
        self.dismiss(True)

    def action_close(self) -> None:
        self.dismiss(self._is_another)
