"""The form of a game's options shows the server's text literally."""

from __future__ import annotations

from textual.app import App

from cornered.clients.terminal.options_screen import OptionsScreen
from cornered.protocol.values import OfferedGame, OfferedOption
from tests.clients.terminal.tables import text_of


async def test_markup_in_a_servers_words_is_text() -> None:
    evil = "[@click=app.quit]x[/] [red]"
    option = OfferedOption(name="size", title=evil, kind="int", choices=(3, 4), default=3, optional=False)
    game = OfferedGame(name="g", title=evil, summary="", options=(option,), start=". 0", has_draws=False)
    app: App[None] = App()
    async with app.run_test(size=(80, 20)) as pilot:
        await app.push_screen(OptionsScreen(game, {}))
        await pilot.pause()
        assert text_of(app).count(evil) == 2
        await pilot.press("right", "right")
        assert evil in text_of(app)
        assert "4" in text_of(app)
