"""A form for a game's options, made from the server's description of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.markup import escape
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from cornered.engine.game import OptionValue
from cornered.protocol.values import OfferedGame, OfferedOption

__all__ = ["OptionsScreen", "values_of"]

DEFAULT_CHOICE: Final = "usual"


class OptionsScreen(ModalScreen[dict[str, OptionValue] | None]):
    """Enter selects an option's next value, Esc closes the form. Options with their default are not sent."""

    DEFAULT_CSS = """
    OptionsScreen { align: center middle; }
    OptionsScreen VerticalScroll { width: 50; height: auto; max-height: 90%; border: round $primary;
                                   background: $surface; }
    OptionsScreen OptionList { border: none; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o", "done", "Done"),
        Binding("right,plus", "turn(1)", "Next value"),
        Binding("left,minus", "turn(-1)", "Value before"),
    ]

    def __init__(self, game: OfferedGame, chosen: Mapping[str, OptionValue]) -> None:
        super().__init__()
        self._game = game
        self._chosen = dict(chosen)

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = escape(f"{self._game.title}: options")
            box.border_subtitle = "←/→ change · Esc done"
            yield OptionList(*(Option(self._row(option), id=option.name) for option in self._game.options))

    def _row(self, option: OfferedOption) -> Text:
        usual = DEFAULT_CHOICE if option.default is None else f"{_shown(option.default)} ({DEFAULT_CHOICE})"
        value = self._chosen.get(option.name, DEFAULT_CHOICE)
        return Text(f"{option.title:<28} {usual if value == DEFAULT_CHOICE else _shown(value)}")

    @on(OptionList.OptionSelected)
    def _on_selected(self) -> None:
        self.action_turn(1)

    def action_turn(self, step: int) -> None:
        choices = self.query_one(OptionList)
        if choices.highlighted is None:
            return
        option = self._game.options[choices.highlighted]
        values = values_of(option)
        place = values.index(self._chosen.get(option.name, DEFAULT_CHOICE))
        value = values[(place + step) % len(values)]
        if isinstance(value, str):
            self._chosen.pop(option.name, None)
        else:
            self._chosen[option.name] = value
        choices.replace_option_prompt(option.name, self._row(option))

    def action_done(self) -> None:
        self.dismiss(self.chosen)

    @property
    def chosen(self) -> dict[str, OptionValue]:
        """The options that differ from their defaults, in the order of the game."""
        return {option.name: self._chosen[option.name] for option in self._game.options if option.name in self._chosen}


def values_of(option: OfferedOption) -> list[OptionValue | str]:
    """Return an option's values in order: the default, then none where that is allowed, then the others."""
    values: list[OptionValue | str] = [DEFAULT_CHOICE]
    if option.optional:
        values.append(None)
    return [*values, *((False, True) if option.kind == "bool" else option.choices)]


def _shown(value: OptionValue | str) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "off"
        case _:
            return str(value)
