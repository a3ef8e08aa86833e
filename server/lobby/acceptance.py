"""Checks declarations of bots, and challenges against them. Pure."""

from __future__ import annotations

from cornered import engine
from cornered.engine.game import Game
from cornered.protocol.suggestion import did_you_mean
from cornered.protocol.values import MAX_VALUES, Accepts, Clock
from cornered.server.lobby.events import Guest
from cornered.server.refusal import Refusal

__all__ = ["check_bot", "check_declared"]


def check_declared(accepts: Accepts) -> None:
    """Refuse a declaration that names games, options or values which do not exist, or very many values."""
    kinds = {kind.name: kind for kind in engine.games()}
    kind = kinds.get(accepts.game)
    if kind is None:
        hint = did_you_mean(accepts.game, kinds)
        raise Refusal("unknown_game", f"there is no game {accepts.game!r}; there are {', '.join(kinds)}{hint}")
    if (number := sum(map(len, accepts.options.values()))) > MAX_VALUES:
        # Every node is told of it, with those of many other bots in one message.
        text = f"the options of {kind.name} have {number} values together, more than {MAX_VALUES}"
        raise Refusal("bad_options", f"{text}; leave an option out to accept all its values")
    options = {option.name: option for option in kind.OPTIONS}
    for name, values in accepts.options.items():
        if name not in options:
            hint = did_you_mean(name, options)
            known = ", ".join(options)
            raise Refusal("bad_options", f"{kind.name} has no option {name!r}; its options are {known}{hint}")
        for value in values:
            try:
                options[name].check(value)
            except ValueError as error:
                raise Refusal("bad_options", str(error)) from None


def check_bot(guest: Guest, game: Game, clock: Clock, waiting: int, *, rated: bool) -> None:
    """Refuse a challenge that a bot's declaration excludes, while `waiting` others have no answer yet."""
    if guest.player.kind != "bot":
        return
    name = guest.player.name
    if guest.concurrency is None:
        raise Refusal("not_accepted", f"{name} has not said yet what it plays")
    taken = [accepts for accepts in guest.accepts if _takes(accepts, game, clock)]
    if not taken:
        raise Refusal("not_accepted", f"{name} does not play {game.title} with these options and this clock")
    if rated and not any(accepts.rated for accepts in taken):
        raise Refusal("not_accepted", f"{name} plays no rated games; challenge again without `rated`")
    if guest.free <= waiting:
        raise Refusal("busy", f"{name} plays as many games as it takes")


def _takes(accepts: Accepts, game: Game, clock: Clock) -> bool:
    return (
        accepts.game == game.name
        and clock.kind in accepts.clocks
        and all(game.options[name] in values for name, values in accepts.options.items())
    )
